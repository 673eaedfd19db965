"""Training and scoring on two real executors, against one machine."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

import qwd

pyspark = pytest.importorskip("pyspark")
pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    # Executors see what this process sees, installed or not.
    path = os.pathsep.join(p for p in sys.path if p)
    # Jobs are over before much would be gained by compiling them well.
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]").appName("qwd")
        .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2").config("spark.driver.host", "127.0.0.1")
        .config("spark.executorEnv.PYTHONPATH", path).config("spark.default.parallelism", "2")
        .config("spark.driver.extraJavaOptions", quick).config("spark.executor.extraJavaOptions", quick)
        .config("spark.sql.adaptive.enabled", "false").getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(5)

    def rows(n, width, per_row):
        matrix = sp.random_array((n, width), density=per_row / width, rng=rng, dtype=np.float32, format="csr")
        matrix.data = np.abs(matrix.data) + np.float32(0.1)
        return matrix

    queries, documents, response = rows(200, 40, 4), rows(150, 30, 5), rows(200, 150, 2)
    return queries, documents, response


def vectors(spark, matrix, prefix):
    records = []
    for i in range(matrix.shape[0]):
        start, end = matrix.indptr[i], matrix.indptr[i + 1]
        records.append((f"{prefix}{i}", matrix.indices[start:end].tolist(), matrix.data[start:end].tolist()))
    return spark.createDataFrame(records, "id string, indices array<int>, values array<float>")


@pytest.fixture(scope="module")
def frames(spark, graph):
    queries, documents, response = graph
    entries = response.tocoo()
    responses = [(f"q{i}", f"d{j}", float(r)) for i, j, r in zip(*entries.coords, entries.data)]
    return (vectors(spark, queries, "q"), vectors(spark, documents, "d"),
            spark.createDataFrame(responses, "query string, document string, response float"))


@pytest.fixture(scope="module")
def product(frames):
    from qwd.spark import cross_product

    return cross_product(*frames, (40, 30))


def test_executors_are_two(spark):
    def pids(parts):
        import pyarrow as pa

        for batch in parts:
            time.sleep(0.5)
            yield pa.RecordBatch.from_arrays([pa.array([os.getppid()] * batch.num_rows)], names=["id"])

    assert spark.range(0, 8, numPartitions=4).mapInArrow(pids, "id long").distinct().count() >= 2


@pytest.mark.parametrize("form", ["constrained", "penalised"])
def test_rmls_equals_one_machine(frames, product, graph, form):
    from qwd.spark import fit_rmls

    queries, documents, response = graph
    params = {"rank": 20, "iterations": 2, "form": form, "l1_query": 1e-4, "l1_document": 1e-4}
    there = fit_rmls(*frames, (40, 30), product=product, **params).weights()
    here = qwd.Rmls(start="zero", **params).fit(documents, queries=queries, response=response)
    for ours, theirs in ((there["U"], here.U_), (there["V"], here.V_)):
        theirs = theirs.toarray() if sp.issparse(theirs) else theirs
        assert np.abs(ours - theirs).max() < 1e-5


def test_pls_equals_one_machine(frames, product, graph):
    from qwd.spark import fit_pls

    queries, documents, response = graph
    # Both converge to the same space; as many directions as there are make that quick.
    params = {"rank": 5, "iterations": 4, "oversampling": 25}
    there = fit_pls(*frames, (40, 30), product=product, **params).weights()
    here = qwd.Pls(start="zero", **params).fit(documents, queries=queries, response=response)
    assert np.abs(there["U"].T @ there["V"] - here.U_.T @ here.V_).max() < 1e-5


def test_a_lost_executor_costs_nothing_but_time(frames, spark):
    from qwd.spark import fit_rmls

    params = {"rank": 4, "iterations": 2, "tolerance": 0.0}
    expected = fit_rmls(*frames, (40, 30), **params).weights()
    found = []
    worker = threading.Thread(target=lambda: found.append(fit_rmls(*frames, (40, 30), **params).weights()))
    worker.start()
    time.sleep(2)
    executors = executors_of(spark)
    assert len(executors) == 2
    os.kill(executors[0], signal.SIGKILL)
    worker.join(timeout=240)
    assert found, "training did not survive the loss of an executor"
    assert np.abs(found[0]["U"] - expected["U"]).max() < 1e-5


def executors_of(spark):
    """The processes of this application's executors."""
    name = spark.sparkContext.applicationId
    listed = subprocess.run(["ps", "-ww", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [int(line.split()[0]) for line in listed if "CoarseGrainedExecutorBackend" in line and name in line]


@pytest.fixture(scope="module")
def ranker(articles, questions, judgments):
    settings = {"tuples": 3000, "stop": False}
    return qwd.TextRanker(settings=settings).fit(articles, queries=questions, judgments=judgments)


def test_texts_are_vectorized_scored_and_searched_alike(spark, ranker, articles, questions, tmp_path):
    from qwd.spark import score, search, vectorize

    texts = spark.createDataFrame(list(articles.items()), "id string, text string").repartition(3)
    made = {row["id"]: dict(zip(row["indices"], row["values"])) for row in vectorize(texts, ranker.model_).collect()}
    expected = ranker.model_.vectors(list(articles.values()))
    for i, name in enumerate(articles):
        row = expected[[i]].tocoo()
        assert made[name] == dict(zip(row.coords[1].tolist(), row.data.tolist()))
    pairs = spark.createDataFrame([(q, d) for q in questions.values() for d in list(articles.values())[:3]], "query string, document string")
    for row in score(pairs, ranker.model_).collect()[:10]:
        assert row["score"] == ranker.score(row["query"], row["document"])
    index = ranker.index(folder=tmp_path / "index")
    asked = spark.createDataFrame(list(questions.items()), "id string, text string")
    rows = search(asked, index.folder, k=3).collect()
    run = {}
    for row in rows:
        run.setdefault(row["query"], {})[row["document"]] = row["score"]
    assert run == {q: hits for q, hits in index.run(questions, k=3).items() if hits}


@pytest.fixture(scope="module")
def mixed_data(spark, labelled):
    X, y = labelled
    rng = np.random.default_rng(2)
    tuples = [(int(q), int(rng.choice(np.flatnonzero((y == y[q]) & (np.arange(60) != q)))), int(rng.choice(np.flatnonzero(y != y[q]))))
              for q in rng.integers(0, 60, 2000)]
    rows = vectors(spark, sp.csr_array(X), "r")
    named = [(f"r{q}", f"r{b}", f"r{w}", i) for i, (q, b, w) in enumerate(tuples)]
    return rows, tuples, spark.createDataFrame(named, "query string, better string, worse string, order long")


def test_mixed_sgd_learns_and_repeats_its_bytes(mixed_data, labelled):
    from qwd.spark import fit_sparse

    (X, y), (rows, tuples, preferences) = labelled, mixed_data
    options = {"partitions": 2, "rounds": 3, "learning_rate": 20.0}
    model = fit_sparse(rows, rows, preferences, 30, **options)
    again = fit_sparse(rows, rows, preferences.repartition(5), 30, **options)
    assert model.to_bytes() == again.to_bytes()
    one = qwd.SparseRanker(learning_rate=20.0).fit(X, preferences=tuples)
    cosine = qwd.IdentityRanker().fit(X, y)
    mixed = qwd.SparseRanker().fit(X, preferences=tuples)
    mixed.model_ = model
    assert mixed.score(X, y) > cosine.score(X, y)
    assert mixed.score(X, y) > 0.97 * one.score(X, y)


def test_mixed_low_rank_learns_and_repeats_its_bytes(mixed_data, labelled):
    from qwd.spark import fit_low_rank

    (X, y), (rows, tuples, preferences) = labelled, mixed_data
    params = {"rank": 5, "learning_rate": 0.1, "margin": 1.0}
    options = {"partitions": 2, "rounds": 3, **params}
    model = fit_low_rank(rows, rows, preferences, (30, 30), **options)
    again = fit_low_rank(rows, rows, preferences.repartition(5), (30, 30), **options)
    assert model.to_bytes() == again.to_bytes()
    assert model.form == "low-rank" and model.describe()["provenance"]["n_tuples"] == 2000
    one = qwd.LowRankRanker(**params).fit(X, preferences=tuples)
    cosine = qwd.IdentityRanker().fit(X, y)
    mixed = qwd.LowRankRanker(rank=5).fit(X, preferences=tuples)
    mixed.model_ = model
    assert mixed.score(X, y) > cosine.score(X, y)
    assert mixed.score(X, y) > 0.97 * one.score(X, y)


def test_one_part_and_one_round_are_one_machine(mixed_data, labelled):
    from qwd import _qwd
    from qwd._matrix import csr_parts
    from qwd.spark import fit_low_rank

    (X, _), (rows, tuples, preferences) = labelled, mixed_data
    params = {"rank": 5, "learning_rate": 0.1, "seed": 3}
    there = fit_low_rank(rows, rows, preferences, (30, 30), partitions=1, rounds=1, **params).weights()
    query, better, worse = np.array(tuples, dtype=np.uint32).T.copy()
    given = query, better, worse, np.ones(len(tuples), np.float32)
    trained = _qwd.train_matrix("low-rank", json.dumps(params), json.dumps({"order": "as-given"}), csr_parts(X), None, given, None,
                                "identity", len(tuples), 1, 1, None, 1, None)
    here = qwd.Model(trained).weights()
    assert np.array_equal(there["U"], here["U"]) and np.array_equal(there["V"], here["V"])


@pytest.mark.parametrize("vocabulary", [{}, {"n_words": 12, "min_df": 2, "max_df": 0.6}, {"frequency": "document", "n_words": 9}])
def test_words_are_counted_as_on_one_machine(spark, articles, questions, vocabulary):
    from qwd.spark import fit_vectorizer, vectorize

    texts = {**articles, **questions, "empty": "", "more": "Größe größe wifi WIFI naïve"}
    frame = spark.createDataFrame(list(texts.items()), "id string, text string").repartition(3)
    params = {"vocabulary": vocabulary, "language": "en"}
    there, here = fit_vectorizer(frame, **params), qwd.Vectorizer(**params).fit(texts.values())
    assert there.vocabulary_ == here.vocabulary_
    assert np.array_equal(there._inner.document_frequencies(), here._inner.document_frequencies())
    assert np.array_equal(there._inner.collection_frequencies(), here._inner.collection_frequencies())
    assert there._inner.n_documents() == len(texts)
    assert (there.transform(texts.values()) != here.transform(texts.values())).nnz == 0
    made = {row["id"]: dict(zip(row["indices"], row["values"])) for row in vectorize(frame, there).collect()}
    expected = here.transform(texts.values())
    for i, name in enumerate(texts):
        row = expected[[i]].tocoo()
        assert made[name] == dict(zip(row.coords[1].tolist(), row.data.tolist()))


@pytest.mark.parametrize("terms", ["all", "rare"])
def test_dice_tables_equal_one_machine(spark, articles, questions, judgments, terms):
    from qwd.spark import dice_table, vectorize

    hashing = {"bins": 12, "per_word": 3, "terms": terms}
    settings = {"tuples": 200, "stop": False, "hashing": hashing}
    model = qwd.TextRanker(settings=settings).fit(articles, queries=questions, judgments=judgments).model_
    expected = model.weights()["document_bins"]
    texts = spark.createDataFrame(list(articles.items()), "id string, text string").repartition(3)
    words = model.vocabulary()
    table = dice_table(vectorize(texts, model), len(words), words=words, **hashing)
    assert table.bins.shape == expected.shape == table.coefficients.shape
    assert (table.bins != expected).nnz == 0
    assert table.coefficients.max() <= 1 and list(table.bin_words) == sorted(table.bin_words)


def test_an_index_by_partitions_equals_one_machine(spark, ranker, articles, questions, tmp_path):
    from qwd.spark import build_index

    records = [{"id": name, "text": text, "title": name.upper(), "shop": "b" if i % 2 else "a"}
               for i, (name, text) in enumerate(articles.items())]
    # One that comes twice: the later one stays.
    records.append({**records[2], "text": "How to return the gateway"})
    here = qwd.Index.build(records, ranker.model_, tmp_path / "here")
    here.merge()
    ordered = [(r["id"], r["text"], r["title"], r["shop"], i) for i, r in enumerate(records)]
    frame = spark.createDataFrame(ordered, "id string, text string, title string, shop string, order long").repartition(4)
    there = build_index(frame, ranker.model_, tmp_path / "there")
    assert len(there) == len(articles) and sorted(p.name for p in tmp_path.iterdir()) == ["here", "there"]
    for filters in ([], ["shop=a"]):
        (ids, scores), (same_ids, same_scores) = (i.search(questions.values(), 30, filters=filters) for i in (here, there))
        assert np.array_equal(ids, same_ids) and np.array_equal(scores, same_scores, equal_nan=True)
    assert all(there.document(name) == here.document(name) for name in articles)
    segments = [next(tmp_path.joinpath(name).glob("*.qws")).read_bytes() for name in ("here", "there")]
    assert segments[0] == segments[1]
    qwd.Index.open(tmp_path / "there")


def test_head_queries_are_damped_as_on_one_machine(frames, graph):
    from qwd.spark import cross_product, fit_rmls

    queries, documents, response = graph
    params = {"rank": 10, "iterations": 2, "damping": 0.7}
    there = fit_rmls(*frames, (40, 30), **params).weights()
    here = qwd.Rmls(start="zero", **params).fit(documents, queries=queries, response=response)
    for ours, theirs in ((there["U"], here.U_), (there["V"], here.V_)):
        theirs = theirs.toarray() if sp.issparse(theirs) else theirs
        assert np.abs(ours - theirs).max() < 1e-5
    with pytest.raises(qwd.ParameterError, match="the product was made with 0.2"):
        fit_rmls(*frames, (40, 30), product=cross_product(*frames, (40, 30), damping=0.2), **params)


def test_words_that_fall_together_are_told(frames, product, graph):
    from qwd.spark import fit_rmls

    queries, documents, response = graph
    params = {"rank": 4, "iterations": 50, "centred": False, "tolerance": 0.0, "form": "penalised"}
    with pytest.raises(qwd.DataError) as there:
        fit_rmls(*frames, (40, 30), product=product, **params)
    with pytest.raises(qwd.DataError) as here:
        qwd.Rmls(start="zero", **params).fit(documents, queries=queries, response=response)
    assert str(there.value) == str(here.value) and "one direction" in str(here.value)


def test_bad_frames_are_refused_before_any_work(spark, frames):
    from qwd.spark import cross_product, fit_rmls, fit_sparse, vectorize

    queries, documents, responses = frames
    with pytest.raises(qwd.DataError, match="responses have no column 'response'"):
        cross_product(queries, documents, responses.drop("response"), (40, 30))
    with pytest.raises(qwd.DataError, match="queries have a null in column 'id'"):
        missing = spark.createDataFrame([(None, [0], [1.0])], "id string, indices array<int>, values array<float>")
        cross_product(queries.union(missing), documents, responses, (40, 30))
    with pytest.raises(qwd.DataError, match="not above 0"):
        negative = spark.createDataFrame([("q0", "d0", -1.0)], responses.schema)
        cross_product(queries, documents, responses.union(negative), (40, 30))
    with pytest.raises(qwd.DataError, match="click graph is empty"):
        cross_product(queries, documents, responses.limit(0), (40, 30))
    with pytest.raises(qwd.ParameterError, match="no parameter 'nonsense'"):
        fit_rmls(queries, documents, responses, (40, 30), nonsense=1)
    with pytest.raises(qwd.DataError, match="no column 'worse'"):
        fit_sparse(queries, documents, responses.withColumnRenamed("document", "better"), 40)
    with pytest.raises(qwd.DataError, match="no column 'text'"):
        vectorize(queries, qwd.Model.from_weights(sp.eye_array(3, dtype=np.float32, format="csr")))


def test_bad_input_of_what_counts_mixes_and_indexes(spark, frames, ranker, tmp_path):
    from qwd.spark import build_index, dice_table, fit_low_rank, fit_rmls, fit_vectorizer, vectorize

    queries, documents, responses = frames
    texts = spark.createDataFrame([("a", "red car"), (None, "blue")], "id string, text string")
    named, numbers = texts.where("id is not null"), spark.createDataFrame([("a", 5)], "id string, text int")
    preferences = spark.createDataFrame([("q0", "d0", "d1")], "query string, better string, worse string")
    texts_as_vectors = spark.createDataFrame([("q0", "x", "y")], "id string, indices string, values string")
    model = ranker.model_
    for function in (fit_vectorizer, lambda f: build_index(f, model, tmp_path / "i"), lambda f: vectorize(f, model)):
        with pytest.raises(qwd.DataError, match="null in column 'id'"):
            function(texts)
        with pytest.raises(qwd.DataError, match="no column 'text'"):
            function(texts.drop("text"))
        with pytest.raises(qwd.DataError, match="column 'text' of type int; cast it to string"):
            function(numbers)
        with pytest.raises(TypeError, match="are of type list; give a DataFrame"):
            function([("a", "red")])
    with pytest.raises(qwd.ParameterError, match="min_df = 0"):
        fit_vectorizer(named, vocabulary={"min_df": 0})
    with pytest.raises(qwd.ParameterError, match="language = tlh"):
        fit_vectorizer(named, language="tlh")
    with pytest.raises(qwd.DataError, match="none of the words in 1 texts is left"):
        fit_vectorizer(named, vocabulary={"min_df": 2})
    with pytest.raises(qwd.NotFittedError, match="fit_vectorizer"):
        vectorize(named, qwd.Vectorizer())
    with pytest.raises(qwd.DataError, match="null in column 'text'"):
        build_index(spark.createDataFrame([("a", None)], "id string, text string"), model, tmp_path / "i")
    with pytest.raises(qwd.DataError, match="'order' of type string; cast it to"):
        build_index(spark.createDataFrame([("a", "b", "c")], "id string, text string, order string"), model, tmp_path / "i")
    with pytest.raises(qwd.DataError, match="no vocabulary"):
        build_index(named, qwd.Model.from_weights(sp.eye_array(3, dtype=np.float32, format="csr")), tmp_path / "i")
    assert not (tmp_path / "i").exists()
    build_index(named, model, tmp_path / "i")
    with pytest.raises(qwd.DataError, match="holds an index already"):
        build_index(named, model, tmp_path / "i")
    with pytest.raises(qwd.DataError, match="null in column 'id'"):
        dice_table(queries.union(spark.createDataFrame([(None, [0], [1.0])], queries.schema)), 40)
    with pytest.raises(qwd.DataError, match="no column 'indices'"):
        dice_table(queries.drop("indices"), 40)
    with pytest.raises(qwd.DataError, match="'indices' of type string"):
        dice_table(texts_as_vectors, 40)
    with pytest.raises(qwd.DataError, match="column .* of 10; give the number of words"):
        dice_table(queries, 10)
    with pytest.raises(qwd.DataError, match="3 words for 40 columns"):
        dice_table(queries, 40, words=["a", "b", "c"])
    with pytest.raises(qwd.ParameterError, match="per_word = 9"):
        dice_table(queries, 40, bins=5, per_word=9)
    with pytest.raises(qwd.DataError, match="preferences have no column 'worse'"):
        fit_low_rank(queries, documents, preferences.drop("worse"), (40, 30), start="zero")
    with pytest.raises(qwd.DataError, match="preferences have a null in column 'better'"):
        missing = spark.createDataFrame([("q0", None, "d1")], preferences.schema)
        fit_low_rank(queries, documents, preferences.union(missing), (40, 30), start="zero")
    with pytest.raises(qwd.DataError, match="'indices' of type string"):
        fit_low_rank(texts_as_vectors, documents, preferences, (40, 30), start="zero")
    with pytest.raises(qwd.DataError, match="compare the ids"):
        fit_low_rank(documents, queries, preferences, (30, 40), start="zero")
    for params, message in (({"rank": 0}, "rank = 0"), ({"nonsense": 1}, "no parameter 'nonsense'"), ({"rounds": 0}, "rounds"),
                            ({"directions": "lsi"}, "directions = lsi: expected random"), ({"start": "identity"}, "rectangular")):
        with pytest.raises(qwd.ParameterError, match=message):
            fit_low_rank(queries, documents, preferences, (40, 30), **{"start": "zero", **params})
    for params, message in (({"alpha": 0.5}, "mixing with I is for one machine"), ({"damping": 2.0}, "damping = 2")):
        with pytest.raises(qwd.ParameterError, match=message):
            fit_rmls(*frames, (40, 30), **params)


def test_the_guide_runs(spark, articles, judgments, preferences, tmp_path, monkeypatch):
    guide = (pathlib.Path(__file__).parents[2] / "docs" / "spark.md").read_text()
    # Few words have few directions, and none to spare.
    block = re.search(r"```python\n(.*?)```", guide, re.DOTALL).group(1)
    block = block.replace("rank=100", "rank=4, l1_query=0.0, l1_document=0.0")
    monkeypatch.chdir(tmp_path)
    # The guide's words are those of documents, so these queries use them.
    asked = [(query, articles[max(of_query, key=of_query.get)]) for query, of_query in judgments.items()]
    responses = [(q, d, float(grade)) for q, of_query in judgments.items() for d, grade in of_query.items()]
    known = {
        "document_texts": spark.createDataFrame(list(articles.items()), "id string, text string"),
        "query_texts": spark.createDataFrame(asked, "id string, text string"),
        "responses": spark.createDataFrame(responses, "query string, document string, response float"),
        "preferences": spark.createDataFrame(preferences, "query string, better string, worse string"),
    }
    exec(compile(block, "docs/spark.md", "exec"), known)
    assert len(qwd.Index.open("help.index")) == len(articles)
    assert 4 in known["mapping"].weights()["U"].shape
