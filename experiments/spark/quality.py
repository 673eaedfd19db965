"""What parameter mixing on two executors costs in quality: the same tuples on one machine and on a cluster, MAP on the test queries.

    qwd dataset get 20newsgroups --from DIR --out DATA/20newsgroups
    qwd dataset get mdn_docs --from DIR --out DATA/mdn_docs
    python experiments/spark/quality.py DATA results-quality.json
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from cluster import load, session
from scipy.sparse import eye_array

import qwd
from qwd import spark as qs

TFIDF = {"tf": "raw", "idf": "plain", "norm": "l2"}
SETTINGS = {
    "20newsgroups": {"words": 3000, "tuples": 40_000,
                     # Of 25, 50, 100, 200 and 400 the best on a fifth of the training documents.
                     "one": {"learning_rate": 50.0, "l1": 1e-5},
                     "mixed": {"learning_rate": 200.0, "l1": 1e-5, "rounds": 10}},
    "mdn_docs": {"words": 30_000, "tuples": 60_000, "one": {"rank": 50},
                 # Of .01, .02 and 20 rounds the best on dev: an average of two parts takes half of their steps.
                 "mixed": {"rank": 50, "rounds": 10, "learning_rate": 0.02}},
}


def evaluate(model: qwd.Model, words: qwd.Vectorizer, folder: Path, split: str = "test") -> dict:
    ranker = qwd.TextRanker()
    ranker.model_ = model.with_vectorizers(words)
    return ranker.evaluate(folder, split, ["map"])


def by_labels(documents: list[dict], rng: np.random.Generator, n: int) -> np.ndarray:
    """Tuples of training documents: a query, another of its class, one of another class."""
    rows = np.array([i for i, d in enumerate(documents) if d["split"] == "train"])
    labels = np.array([documents[i]["label"] for i in rows])
    of_class = {label: rows[labels == label] for label in sorted(set(labels))}
    others = {label: rows[labels != label] for label in of_class}
    tuples = []
    while len(tuples) < n:
        at = rng.integers(len(rows))
        better = rng.choice(of_class[labels[at]])
        if better != rows[at]:
            tuples.append((rows[at], better, rng.choice(others[labels[at]])))
    return np.array(tuples)


def by_links(documents: list[dict], links: list[tuple[str, str]], held_out: set[str], rng: np.random.Generator, n: int) -> np.ndarray:
    """Tuples of pages that are not held out: a page, one that it links to, one that it does not."""
    number = {d["_id"]: i for i, d in enumerate(documents)}
    pairs = np.array([(number[a], number[b]) for a, b in links if a not in held_out and a != b])
    linked = set(map(tuple, pairs.tolist()))
    tuples = []
    while len(tuples) < n:
        query, better = pairs[rng.integers(len(pairs))]
        worse = rng.integers(len(documents))
        if worse != query and (query, worse) not in linked:
            tuples.append((query, better, worse))
    return np.array(tuples)


def measure(spark, folder: Path, settings: dict, only: str | None, split: str) -> dict:
    documents = [json.loads(line) for line in (folder / "corpus.jsonl").open()]
    texts = [f"{d['title']} {d['text']}".strip() for d in documents]
    seen = [i for i, d in enumerate(documents) if d.get("split", "train") == "train"]
    rng = np.random.default_rng(1)
    is_sparse = folder.name == "20newsgroups"
    frame = spark.createDataFrame([(i, texts[i]) for i in range(len(texts))], "id int, text string").repartition(8)
    words = qs.fit_vectorizer(frame.join(spark.createDataFrame([(i,) for i in seen], "id int"), "id"), weighting=TFIDF,
                              analyzer={"tokenizer": "letters"}, vocabulary={"n_words": settings["words"]})
    n = len(words.vocabulary_)
    cosine = qwd.Model.from_weights(eye_array(n, dtype=np.float32, format="csr"))
    if is_sparse:
        tuples = by_labels(documents, rng, settings["tuples"])
    else:
        links = [tuple(line.split("\t")[:2]) for line in (folder / "links.tsv").read_text().splitlines()]
        held_out = {query for split in ("dev", "test") for query in evaluate(cosine, words, folder, split)["queries"]}
        tuples = by_links(documents, links, held_out, rng, settings["tuples"])
    out = {"words": n, "tuples": len(tuples), "cosine": evaluate(cosine, words, folder, split)["metrics"]["map"]}
    estimator = qwd.SparseRanker if is_sparse else qwd.LowRankRanker
    if only != "mixed":
        begun = time.perf_counter()
        one = estimator(threads=1, **settings["one"]).fit(words.transform(texts), preferences=tuples)
        out["one"] = {"seconds": time.perf_counter() - begun, "params": settings["one"],
                      "map": evaluate(one.model_, words, folder, split)["metrics"]["map"], "density": one.model_.density}
    if only == "one":
        return out
    vectors = qs.vectorize(frame, words).persist()
    rows = [(int(q), int(b), int(w), i) for i, (q, b, w) in enumerate(tuples)]
    preferences = spark.createDataFrame(rows, "query int, better int, worse int, order long")
    fit, shape = (qs.fit_sparse, n) if is_sparse else (qs.fit_low_rank, (n, n))
    begun = time.perf_counter()
    mixed = fit(vectors, vectors, preferences, shape, partitions=2, **settings["mixed"])
    out["mixed"] = {"seconds": time.perf_counter() - begun, "params": settings["mixed"],
                    "map": evaluate(mixed, words, folder, split)["metrics"]["map"], "density": mixed.density}
    if "one" in out:
        out["relative"] = out["mixed"]["map"] / out["one"]["map"]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--dataset", choices=SETTINGS, action="append")
    parser.add_argument("--one", type=json.loads, default={}, help="other parameters of the single machine, to try")
    parser.add_argument("--mixed", type=json.loads, default={}, help="other parameters of the mixing, to try")
    parser.add_argument("--only", choices=["one", "mixed"], help="run one of the two")
    parser.add_argument("--split", default="test", help="what is measured: parameters were chosen on dev")
    given = parser.parse_args()
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    spark = session(2, 1024, default_parallelism="2", sql_shuffle_partitions="4", driver_extraJavaOptions=quick,
                    executor_extraJavaOptions=quick)
    results = {"load_before": load()}
    for name in given.dataset or SETTINGS:
        settings = {**SETTINGS[name], "one": {**SETTINGS[name]["one"], **given.one},
                    "mixed": {**SETTINGS[name]["mixed"], **given.mixed}}
        results[name] = measure(spark, given.data / name, settings, given.only, given.split)
        print(name, json.dumps(results[name]), flush=True)
    results["load_after"] = load()
    given.out.write_text(json.dumps(results, indent=2) + "\n")
    spark.stop()


if __name__ == "__main__":
    main()
