"""Models over matrices, and indexes on disk."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import qwd


@pytest.fixture(scope="module")
def weights():
    rng = np.random.default_rng(3)
    W = rng.standard_normal((7, 9)).astype(np.float32)
    W[rng.random((7, 9)) < 0.6] = 0
    return W


def test_a_given_w_scores_as_numpy_does(weights):
    model = qwd.Model.from_weights(sp.csr_array(weights))
    rng = np.random.default_rng(4)
    Q, D = rng.random((5, 7)).astype(np.float32), rng.random((6, 9)).astype(np.float32)
    expected = Q @ weights @ D.T
    assert model.match(Q, D) == pytest.approx(expected, abs=1e-5)
    assert model.match(sp.csr_matrix(Q), sp.csr_array(D)) == pytest.approx(expected, abs=1e-5)
    numbers, scores = model.rank(Q, D, k=3)
    assert (numbers == np.argsort(-expected, axis=1)[:, :3]).all()
    assert scores == pytest.approx(-np.sort(-expected, axis=1)[:, :3], abs=1e-5)
    assert model.rank(Q, D, k=100)[0].shape == (5, 6)
    assert (model.weights()["W"].toarray() == weights).all()
    assert model.density == np.count_nonzero(weights) / weights.size
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()


def test_a_low_rank_w_has_its_space():
    rng = np.random.default_rng(5)
    U, V = rng.standard_normal((2, 4)).astype(np.float32), rng.standard_normal((2, 4)).astype(np.float32)
    model = qwd.Model.from_weights(U=U, V=V, identity=0.5)
    assert model.match(np.eye(4), np.eye(4)) == pytest.approx(U.T @ V + 0.5 * np.eye(4), abs=1e-6)
    assert (model.weights()["U"] == U).all() and (model.weights()["V"] == V).all()
    assert model.project(np.eye(4), side="query") == pytest.approx(U.T, abs=1e-6)
    with pytest.raises(qwd.DataError, match="3 columns, the model 4"):
        model.project(np.eye(3))


@pytest.fixture()
def index(tmp_path, articles, questions, judgments):
    ranker = qwd.TextRanker(settings={"tuples": 5000, "stop": False}).fit(articles, queries=questions, judgments=judgments)
    documents = [{"_id": key, "title": key, "text": text, "area": key.split("-")[0]} for key, text in articles.items()]
    return qwd.Index.build(documents, ranker.model_, tmp_path / "index")


def test_documents_come_and_go(index, articles):
    assert len(index) == len(articles)
    index.add([{"_id": "new", "text": "zzyzx television"}])
    assert len(index) == len(articles) + 1
    assert index.document("new")["text"] == "zzyzx television"
    assert index.delete(["new", "none"]) == 1 and index.document("new") is None
    index.merge()
    assert qwd.Index.open(index.folder).search("telly")[0].tolist() == index.search("telly")[0].tolist()
    assert index.describe()["n_documents"] == len(articles)


def test_filters_phrases_and_answers(index):
    ids, _ = index.search("repair", k=10, filters=["area=handset"], all=True)
    assert set(ids) == {f"handset-{i}" for i in range(4)}
    ids, _ = index.search('"repair the television"')
    assert ids.tolist() == ["television-0"]
    assert len(index.run({"q": '"repair the television"'})["q"]) > 1
    answer = index.answer("telly", k=2)
    assert answer["hits"][0]["document"]["area"] == "television" and answer["hits"][0]["reasons"]
    run = index.run({"q1": "telly", "q2": "bill"}, k=5)
    assert set(run) == {"q1", "q2"} and all(isinstance(score, float) for score in run["q1"].values())


def test_a_temporary_index_is_removed(articles, index):
    import gc
    import os

    temporary = qwd.Index.build(articles, index.model)
    folder = temporary.folder
    assert os.path.isdir(folder) and len(temporary) == len(articles)
    del temporary
    gc.collect()
    assert not os.path.exists(folder)


def test_the_other_side_of_a_word(index):
    model = index.model
    assert model.form == "sparse" and model.shape[0] == len(model.vocabulary("query"))
    assert "telly" in [word for word, _ in model.related("television", 5, side="document")]
    vectors = model.vectors(["repair the handset", ""], side="document")
    assert vectors.shape == (2, model.shape[1]) and vectors[[1]].nnz == 0
    scores = model.score("telly", ["the television", "the invoice"])
    assert scores.shape == (2,) and scores[0] > scores[1]
