"""Raw text in, ranked documents out: every signal, every way to keep a ranker, the same bytes as the program."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qwd

SMALL = {"tuples": 20_000}


@pytest.fixture(scope="module")
def ranker(articles, questions, judgments):
    return qwd.TextRanker(settings=SMALL).fit(articles, queries=questions, judgments=judgments)


def best(ranker, query):
    return ranker.search(query, k=1)[0][0]


def test_judgments_teach_other_words(ranker, articles):
    assert best(ranker, "fix the telly").startswith("television")
    assert best(ranker, "my bill").startswith("invoice")
    words = [word for word, _ in ranker.related("telly", 3)]
    assert "television" in words
    reasons = ranker.explain("telly", "the television")
    assert reasons[0][:2] == ("telly", "television")
    assert sum(value for *_, value in reasons) == pytest.approx(ranker.score("telly", "the television"), abs=1e-5)


def test_batches_are_arrays_with_padding(ranker, articles):
    ids, scores = ranker.search(["fix the telly", "zzz", ""], k=3)
    assert ids.shape == scores.shape == (3, 3)
    assert ids[1].tolist() == [None] * 3 and np.isnan(scores[1]).all()
    assert (np.diff(scores[0]) <= 0).all()
    ids, scores = ranker.search("fix the telly", k=1000, all=True)
    assert len(ids) == len(articles) and scores.dtype == np.float32
    numbers, ranked = ranker.rank("telly", list(articles.values()))
    alone = [ranker.score("telly", text) for text in articles.values()]
    assert ranked == pytest.approx(sorted(alone, reverse=True), abs=1e-5)
    assert list(articles)[numbers[0]].startswith("television")


def test_preferences_labels_clicks_links_sessions_teach(articles, questions, preferences):
    by_preferences = qwd.TextRanker().fit(articles, queries=questions, preferences=preferences * 20)
    assert best(by_preferences, "telly").startswith("television")
    clicks = [(query, document, 3) for query, document, _ in preferences]
    by_clicks = qwd.TextRanker(settings={**SMALL, "stop": False}).fit(articles, queries=questions, clicks=clicks)
    assert best(by_clicks, "telly").startswith("television")
    sessions = [{"query": q, "shown": [worse, better], "clicked": [better]} for q, better, worse in preferences] * 20
    by_sessions = qwd.TextRanker().fit(articles, queries=questions, sessions=sessions)
    assert best(by_sessions, "telly").startswith("television")
    texts = ["red car wheel", "fast car engine", "engine wheel", "cat fur", "fur and paws", "cat paws"]
    by_labels = qwd.TextRanker(settings=SMALL).fit(texts, labels=["a", "a", "a", "b", "b", "b"])
    ids, _ = by_labels.search("engine", k=3)
    assert ids.dtype == np.int64 and set(ids.tolist()) == {0, 1, 2}
    assert by_labels.W_.shape[0] == len(by_labels.vocabulary_)
    links = [(0, 1), (1, 2), (3, 4), (4, 5), (5, 3)]
    by_links = qwd.TextRanker(settings=SMALL).fit(texts, links=links)
    assert best(by_links, "paws") in (3, 4, 5)


def test_nothing_given_is_held_out(articles, questions, preferences):
    """All preferences from memory train; the program would hold a fifth of the queries out."""
    seen = qwd.TextRanker().fit(articles, queries=questions, preferences=preferences)
    assert seen.model_.describe()["provenance"]["n_tuples"] == len(preferences)


def test_more_preferences_go_on_as_one_run(articles, questions, preferences):
    whole = qwd.TextRanker().fit(articles, queries=questions, preferences=preferences)
    parts = qwd.TextRanker().fit(articles, queries=questions, preferences=preferences[:10])
    parts.partial_fit(preferences=preferences[10:])
    assert (whole.W_ != parts.W_).nnz == 0
    assert parts.model_.describe()["provenance"]["n_tuples"] == len(preferences)
    with pytest.raises(TypeError, match="give some"):
        parts.partial_fit()


def test_tables_tuples_and_dicts_are_the_same_data(articles, questions, judgments):
    triples = [(q, d, grade) for q, of_query in judgments.items() for d, grade in of_query.items()]
    frame = pd.DataFrame({"doc_id": list(articles), "text": list(articles.values())})
    asked = pd.DataFrame({"query_id": list(questions), "text": list(questions.values())})
    judged = pd.DataFrame(triples, columns=["query_id", "doc_id", "relevance"])
    expected = qwd.TextRanker(settings=SMALL).fit(articles, queries=questions, judgments=judgments).model_.to_bytes()
    forms = [
        (frame, asked, judged),
        (pl.from_pandas(frame), pl.from_pandas(asked), pl.from_pandas(judged)),
        (pa.Table.from_pandas(frame), pa.Table.from_pandas(asked), pa.Table.from_pandas(judged)),
        ([Document(*row) for row in frame.itertuples(index=False)], list(questions.items()), triples),
    ]
    for documents, queries, given in forms:
        ranker = qwd.TextRanker(settings=SMALL).fit(documents, queries=queries, judgments=given)
        assert ranker.model_.to_bytes() == expected


class Document:
    """As ir_datasets has documents."""

    def __init__(self, doc_id, text):
        self.doc_id, self.text = doc_id, text


def test_saved_loaded_and_pickled_are_the_same(ranker, tmp_path, articles):
    path = tmp_path / "help.qwd"
    ranker.save(path)
    loaded, pickled = qwd.TextRanker.load(path), pickle.loads(pickle.dumps(ranker))
    assert loaded.model_.to_bytes() == pickled.model_.to_bytes() == ranker.model_.to_bytes() == path.read_bytes()
    assert pickled.search("my bill")[0].tolist() == ranker.search("my bill")[0].tolist()
    with pytest.raises(qwd.NotFittedError, match=r"ranker.index\(documents\)"):
        loaded.search("my bill")
    index = loaded.index(articles, tmp_path / "index")
    assert index.search("my bill")[0].tolist() == ranker.search("my bill")[0].tolist()
    qwd.verify(path)
    qwd.verify(tmp_path / "index")


def test_threads_and_seed_decide_nothing_and_everything(articles, questions, judgments):
    def bytes_of(**options):
        ranker = qwd.TextRanker(settings={**SMALL, "stop": False}, **options)
        return ranker.fit(articles, queries=questions, judgments=judgments).model_.to_bytes()

    assert bytes_of(threads=1) == bytes_of(threads=3)
    assert bytes_of(seed=2) != bytes_of(seed=1)


def test_progress_history_and_plan(articles, questions, judgments):
    reports = []
    settings = {**SMALL, "stop.every": 2000, "stop.patience": 100}
    ranker = qwd.TextRanker(settings=settings, progress=reports.append)
    ranker.fit(articles, queries=questions, judgments=judgments)
    assert {"stage", "done", "total", "loss", "density", "validation"} == set(reports[0])
    assert any(report["stage"] == "training" for report in reports)
    looks = [r["done"] for r in ranker.history_ if "validation" in r and "total" not in r]
    assert looks[:3] == [0, 2000, 4000]
    assert ranker.plan_["tuples"] == SMALL["tuples"]

    def fail(report):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        qwd.TextRanker(progress=fail).fit(articles, queries=questions, judgments=judgments)


def test_a_bar_is_shown(articles, questions, preferences, capsys):
    qwd.TextRanker(progress=True).fit(articles, queries=questions, preferences=preferences * 20)
    assert "training" in capsys.readouterr().err
    with pytest.raises(TypeError, match="something to call"):
        qwd.TextRanker(progress="yes").fit(articles, queries=questions, preferences=preferences)


def test_parameters_are_those_of_the_program():
    ranker = qwd.TextRanker(method="low-rank", settings={"rank": 5})
    assert ranker.get_params()["method"] == "low-rank"
    assert ranker.set_params(seed=7).seed == 7
    with pytest.raises(ValueError, match="no parameter"):
        ranker.set_params(nonsense=1)
    assert "sparse-sgd" in qwd.methods()
    assert qwd.plan_parameters("low-rank")["rank"][0] == 100
    with pytest.raises(qwd.ParameterError):
        qwd.plan_parameters("nonsense")


def test_a_folder_trains_as_in_the_program(tmp_path, articles, questions, judgments):
    """The folder's own splits decide, and its files are in the provenance."""
    folder = write_folder(tmp_path / "data", articles, questions, judgments)
    ranker = qwd.TextRanker(settings={**SMALL, "stop": False}).fit(folder)
    assert "corpus.jsonl" in ranker.model_.describe()["provenance"]["data"]
    figures = ranker.evaluate(folder, "train", ["map", "ndcg@10"])
    assert figures["metrics"]["map"] > 0.5 and figures["n_queries"] == len(judgments)
    with pytest.raises(TypeError, match="brings its own queries"):
        ranker.fit(folder, queries=questions)


def write_folder(folder: Path, articles, questions, judgments) -> Path:
    import json

    (folder / "qrels").mkdir(parents=True)
    rows = [json.dumps({"_id": key, "text": text}) for key, text in articles.items()]
    (folder / "corpus.jsonl").write_text("\n".join(rows) + "\n")
    rows = [json.dumps({"_id": key, "text": text}) for key, text in questions.items()]
    (folder / "queries.jsonl").write_text("\n".join(rows) + "\n")
    rows = [f"{q}\t{d}\t{grade}" for q, of_query in judgments.items() for d, grade in of_query.items()]
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(rows) + "\n")
    return folder


def test_the_data_choose_where_nothing_is_said(articles, questions, judgments):
    ranker = qwd.TextRanker(method="auto", budget=20).fit(articles, queries=questions, judgments=judgments)
    search = ranker.plan_["search"]
    figures = [trial["figure"] for trial in search["tried"] if trial["figure"] is not None]
    assert len(figures) >= 4 and search["tried"][search["best"]]["figure"] == max(figures)
    with pytest.raises(qwd.ParameterError, match="a method with it"):
        qwd.TextRanker(method="auto", settings={"l1": 0.0}).fit(articles, queries=questions, judgments=judgments)
    with pytest.raises(qwd.ParameterError, match="budget"):
        qwd.TextRanker(method="auto", budget=-1).fit(articles, queries=questions, judgments=judgments)
