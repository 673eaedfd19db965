"""RMLS on a click log: one executor of one core against two, with what moved and who worked, and the plain program beside it.

    qwd simulate-clicks --config half-year --share 0.157 --out LOG
    python experiments/spark/speed.py LOG results-speed.json [--program qwd] [--rank 100]
"""

import argparse
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from cluster import load, session, work_of

from qwd import spark as qs

MEMORY_MB = 3000
OPTIONS = {"driver_memory": "3g", "driver_maxResultSize": "2g", "sql_shuffle_partitions": "8", "default_parallelism": "8",
           "sql_adaptive_enabled": "false"}


def prepare(log: Path, folder: Path) -> dict:
    """Vectors and responses as Parquet files, made on two executors."""
    spark = session(2, MEMORY_MB, **OPTIONS)
    begun = time.perf_counter()
    queries = spark.read.schema("_id string, text string").json(str(log / "queries.jsonl"))
    documents = spark.read.schema("_id string, title string, text string").json(str(log / "corpus.jsonl"))
    documents = documents.selectExpr("_id as id", "concat(title, ' ', text) as text")
    queries = queries.withColumnRenamed("_id", "id")
    sizes = []
    for frame, name in ((queries, "queries"), (documents, "documents")):
        words = qs.fit_vectorizer(frame)
        sizes.append(len(words.vocabulary_))
        qs.vectorize(frame, words).write.parquet(str(folder / name))
    clicks = spark.read.schema("query string, document string, response float, shown int, position float").csv(
        str(log / "clicks.tsv"), sep="\t")
    clicks.select("query", "document", "response").write.parquet(str(folder / "responses"))
    seconds = time.perf_counter() - begun
    spark.stop()
    return {"shape": sizes, "vectorize_seconds": seconds}


def measure(executors: int, folder: Path, shape: tuple[int, int], rank: int, iterations: int) -> dict:
    events = folder / f"events-{executors}"
    spark = session(executors, MEMORY_MB, events, **OPTIONS)
    frames = [spark.read.parquet(str(folder / name)) for name in ("queries", "documents", "responses")]
    # Executors and their Python workers are started before the clock is.
    spark.range(0, 8, numPartitions=8).mapInArrow(lambda parts: parts, "id long").count()
    times, before = [time.time()], load()
    product = qs.cross_product(*frames, shape)
    times.append(time.time())
    n_entries = product.rows.selectExpr("sum(size(indices))").first()[0]
    times.append(time.time())
    qs.fit_rmls(*frames, shape, product=product, rank=rank, iterations=iterations, tolerance=0.0)
    times.append(time.time())
    spark.stop()
    parts = {"product": (times[0], times[1]), "iterations": (times[2], times[3])}
    return {"executors": executors, "entries": n_entries, "load": [before, load()],
            **{name: {"seconds": round(end - start, 1), **work_of(events, start, end)} for name, (start, end) in parts.items()}}


def program(path: str, log: Path, rank: int, iterations: int, folder: Path) -> dict:
    """The plain program: reading, vectors, product and iterations, with one thread and with two."""
    out = {}
    for threads in (1, 2):
        begun = time.perf_counter()
        subprocess.run([path, "train", str(log), "--method", "rmls", "--set", f"rank={rank}", "--set", f"iterations={iterations}",
                        "--set", "tolerance=0.0", "--set", "stop=false", "--threads", str(threads), "--out", str(folder / "m.qwd")],
                       check=True, capture_output=True)
        out[f"{threads} threads"] = round(time.perf_counter() - begun, 1)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--program")
    parser.add_argument("--rank", type=int, default=100)
    parser.add_argument("--iterations", type=int, default=2)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="qwd-spark-"))
    try:
        results = {"rank": given.rank, "iterations": given.iterations, **prepare(given.log, folder), "runs": []}
        print(json.dumps(results), flush=True)
        for executors in (1, 2):
            run = measure(executors, folder, tuple(results["shape"]), given.rank, given.iterations)
            results["runs"].append(run)
            print(json.dumps(run), flush=True)
        one, two = results["runs"]
        for name in ("product", "iterations"):
            results[f"{name}_speed_up"] = round(one[name]["seconds"] / two[name]["seconds"], 2)
        if given.program:
            results["program_seconds"] = program(given.program, given.log, given.rank, given.iterations, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    given.out.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
