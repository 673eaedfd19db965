"""Runs every system on every data set and writes results.json, results.md and results.svg; run.sh prepares what it needs."""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys

from features import compare_features
from report import DATASETS, draw, markdown
from systems import SYSTEMS
from tasks import Task, call


def main():
    args = arguments()
    args.work.mkdir(parents=True, exist_ok=True)
    kept = args.out / "results.json"
    report = json.loads(kept.read_text()) if kept.exists() else {"text": {}}
    report |= {"date": str(datetime.date.today()), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
    for name in args.datasets:
        task = Task(args.qwd, args.data, name, args.work)
        rows = report["text"].setdefault(name, {})
        for system in args.systems:
            rows[system] = alone(args, name, system)
            print(name, system, rows[system], flush=True)
            kept.write_text(json.dumps(report, indent=1) + "\n")
        del task
    if args.features:
        report["features"] = compare_features(args)
    if args.growth:
        report["growth"] = growth(args)
    kept.write_text(json.dumps(report, indent=1) + "\n")
    (args.out / "results.md").write_text(markdown(report))
    draw(report, args.out / "results.svg")


def alone(args, name, system):
    """Runs one system in a process of its own, so that its memory is its own."""
    code = ("import json,sys,pathlib;sys.path.insert(0,sys.argv[1]);from systems import SYSTEMS;from tasks import Task;"
            "t=Task(sys.argv[2],pathlib.Path(sys.argv[3]),sys.argv[4],pathlib.Path(sys.argv[5]));print(json.dumps(SYSTEMS[sys.argv[6]](t)))")
    here = pathlib.Path(__file__).parent
    words = [sys.executable, "-c", code, here, args.qwd, args.data, name, args.work, system]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        return {"failure": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else str(done.returncode)}
    return json.loads(done.stdout.splitlines()[-1])


def growth(args):
    """Seconds of training with more data, more words and more threads, all else as by default."""
    folder, model = args.work / "data" / "20newsgroups", args.work / "growth.qwd"

    def seconds(*options):
        return json.loads(call(args.qwd, "train", folder, "--method", "sparse-sgd", "--out", model, "--json", *options))["seconds"]

    return {
        "tuples": {n: seconds("--tuples", n, "--set", "refit=false") for n in (25_000, 50_000, 100_000, 200_000)},
        "words": {n: seconds("--set", f"text.vocabulary.n_words={n}", "--set", "refit=false") for n in (5_000, 10_000, 20_000, 40_000)},
        "threads": {n: seconds("--threads", n, "--set", "refit=false") for n in (1, 2)},
    }


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--qwd", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    between_commas = lambda text: text.split(",")
    parser.add_argument("--systems", type=between_commas, default=list(SYSTEMS))
    parser.add_argument("--datasets", type=between_commas, default=list(DATASETS))
    parser.add_argument("--features", action="store_true", help="also compare rankers over feature vectors")
    parser.add_argument("--growth", action="store_true", help="also measure how training grows")
    return parser.parse_args()


if __name__ == "__main__":
    main()
