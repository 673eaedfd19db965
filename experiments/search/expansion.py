"""Documents expanded by W and pruned: time of short queries and size of the index against MAP.

    expansion.py QWD SEARCH_SPEED DATASET WORK OUT.json

DATASET is a folder with judged queries. Short queries of its test split are asked of an index without expansion (W = I), of one that
expands queries, and of some that expand documents and keep only so many terms of each.
"""
import json
import pathlib
import shutil
import subprocess
import sys

qwd, speed, dataset, work, out = sys.argv[1:]
work = pathlib.Path(work)
TIMED = 100
KEPT = [100, 200, 400, 800, 1600, 3200, None]


def run(*arguments):
    return subprocess.run([str(a) for a in arguments], check=True, capture_output=True, text=True).stdout


def train(method):
    model = work / f"{method}.qwd"
    if not model.exists():
        run(qwd, "train", dataset, "--method", method, "--out", model)
    return model


def test_queries():
    judged = {line.split("\t")[0] for line in pathlib.Path(dataset, "qrels/test.tsv").read_text().splitlines()}
    queries = work / "test.jsonl"
    lines = pathlib.Path(dataset, "queries.jsonl").read_text().splitlines(keepends=True)
    queries.write_text("".join(line for line in lines if json.loads(line)["_id"] in judged))
    return queries


def measure(name, model, *options):
    index, rankings, times = (work / f"{name}.{end}" for end in ("index", "run", "json"))
    shutil.rmtree(index, ignore_errors=True)
    built = json.loads(run(qwd, "index", dataset, "--model", model, "--out", index, "--json", *options))
    queries = test_queries()
    run(qwd, "search", index, "--queries", queries, "--run", rankings, "--k", 1000)
    figures = json.loads(run(qwd, "eval", "--run-file", rankings, "--qrels", f"{dataset}/qrels/test.tsv", "--complete", "--metrics", "map,ndcg@10", "--json"))
    timed = work / "timed.jsonl"
    timed.write_text("".join(queries.read_text().splitlines(keepends=True)[:TIMED]))
    run(speed, f"{dataset}/corpus.jsonl", timed, model, index, times, "keep")
    keywords = json.loads(times.read_text())["keywords"]
    # Without the copy of the model: where documents are expanded, a query does not need it.
    size = sum(path.stat().st_size for path in index.glob("segment-*"))
    return {"name": name, "metrics": figures["metrics"], "bytes": size, "documents_per_second": built["documents_per_second"], **keywords}


work.mkdir(parents=True, exist_ok=True)
learned = train("sparse-sgd")
rows = [measure("plain", train("identity")), measure("queries", learned)]
rows += [measure(f"documents-{kept or 'all'}", learned, "--expand", "documents", *(["--prune", kept] if kept else [])) for kept in KEPT]
pathlib.Path(out).write_text(json.dumps(rows, indent=1) + "\n")
print("| index | MAP | nDCG@10 | µs a query: mean (median, p99) | bytes | documents/s |")
print("| --- | --- | --- | --- | --- | --- |")
for row in rows:
    m = row["metrics"]
    print(f"| {row['name']} | {m['map']:.4f} | {m['ndcg@10']:.4f} | {row['mean_micros']:.0f} ({row['median_micros']:.0f}, {row['p99_micros']:.0f}) "
          f"| {row['bytes']:,} | {row['documents_per_second']:.0f} |")
