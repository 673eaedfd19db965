"""Training and scoring on two real executors, against one machine."""

import os
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
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]").appName("qwd")
        .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2").config("spark.driver.host", "127.0.0.1")
        .config("spark.executorEnv.PYTHONPATH", path).config("spark.default.parallelism", "2").getOrCreate()
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


def test_mixed_sgd_learns_and_repeats_its_bytes(spark, labelled):
    from qwd.spark import fit_sparse

    X, y = labelled
    rng = np.random.default_rng(2)
    tuples = [(int(q), int(rng.choice(np.flatnonzero((y == y[q]) & (np.arange(60) != q)))), int(rng.choice(np.flatnonzero(y != y[q]))))
              for q in rng.integers(0, 60, 2000)]
    rows = vectors(spark, sp.csr_array(X), "r")
    named = [(f"r{q}", f"r{b}", f"r{w}", i) for i, (q, b, w) in enumerate(tuples)]
    preferences = spark.createDataFrame(named, "query string, better string, worse string, order long")
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
