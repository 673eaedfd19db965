"""Low-rank training against Vowpal Wabbit's --lrq, and LSI against scikit-learn's randomised SVD, on one thread each.

Run by run.sh; `python peers.py --help` tells the options.
"""

import argparse
import json
import subprocess
import time

import numpy as np
import vowpalwabbit
from sklearn.datasets import load_svmlight_file
from sklearn.decomposition import TruncatedSVD

from tables import markdown


def main():
    args = arguments()
    qwd = lambda *words: json.loads(subprocess.run([args.speed, *map(str, words)], check=True, capture_output=True).stdout)
    qwd("export", args.data, f"{args.work}/t.vw", f"{args.work}/d.svm", 20_000)
    theirs = vw(f"{args.work}/t.vw", args.seconds)
    ours = qwd("low-rank", args.data, 20_000)
    lsi = svd(f"{args.work}/d.svm")
    iterations = 1
    own = qwd("svd", args.data, iterations)
    while own["residual"] > lsi["residual"] * (1 + 1e-4) and iterations < 20:
        iterations += 1
        own = qwd("svd", args.data, iterations)
    report = {
        "low_rank": {"qwd": ours, "vw": theirs, "times": ours["tuples_per_second"] / theirs["tuples_per_second"],
                     "times_in_batches": ours["tuples_per_second_in_batches"] / theirs["tuples_per_second"]},
        "lsi": {"qwd": own, "scikit-learn": lsi, "times": lsi["seconds"] / own["seconds"]},
        "words": qwd("words", 2_500_000, 50, 20_000),
        "dice": qwd("dice", 100_000, 500_000, 30_000),
    }
    with open(f"{args.out}/results.json", "w", encoding="utf-8") as out:
        json.dump(report, out, indent=1)
        out.write("\n")
    with open(f"{args.out}/results.md", "w", encoding="utf-8") as out:
        out.write(markdown(report))
    print(markdown(report))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", required=True, help="the example semantic_speed, built")
    parser.add_argument("--data", required=True, help="the folder of Wikispeedia")
    parser.add_argument("--work", required=True, help="a folder for scratch files")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=30.0, help="how long VW may learn")
    return parser.parse_args()


def vw(path, seconds):
    """Learns tuples until the time is over; only the learn calls are timed."""
    options = "-b 24 --lrq qd100 --ignore_linear q --ignore_linear d --noconstant --loss_function hinge --quiet"
    workspace = vowpalwabbit.Workspace(f"{options} --min_prediction -1000 --max_prediction 1000")
    learning, done = 0.0, 0
    with open(path, encoding="ascii") as lines:
        for line in lines:
            example = workspace.parse(line)
            started = time.perf_counter()
            workspace.learn(example)
            learning += time.perf_counter() - started
            workspace.finish_example(example)
            done += 1
            if learning > seconds:
                break
    return {"options": options, "tuples": done, "tuples_per_second": done / learning}


def svd(path):
    documents, _ = load_svmlight_file(path, dtype=np.float32, zero_based=False)
    method = TruncatedSVD(n_components=200, algorithm="randomized", n_iter=5, n_oversamples=10, random_state=1)
    started = time.perf_counter()
    projected = method.fit_transform(documents)
    seconds = time.perf_counter() - started
    whole, found = float(documents.multiply(documents).sum()), float(np.square(method.singular_values_).sum())
    del projected
    return {"rank": 200, "iterations": 5, "seconds": seconds, "residual": max(0.0, 1.0 - found / whole) ** 0.5}


if __name__ == "__main__":
    main()
