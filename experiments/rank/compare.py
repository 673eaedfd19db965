"""Runs qwd's rankers, LightGBM and XGBoost on the same files and writes results.json and results.md.

NDCG@10 has gain 2^grade - 1 and discount 1/log2(rank + 1); a query without relevant documents counts 0. All trainings run
on one thread; seconds are those of training, binning included, without reading files, the least of the five seeds.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import resource
import subprocess
import time

import lightgbm
import numpy as np
import scipy.stats
import xgboost

from tables import markdown

SEEDS = [1, 2, 3, 4, 5]
# The same trees for both. A share of the features makes seeds differ.
TREES = {"trees": 100, "leaves": 31, "learning_rate": 0.1, "min_documents_in_leaf": 20, "feature_share": 0.5}
XGBOOST_ROUNDS = [10, 30, 100, 300]
SCALES = [30_000, 300_000, 3_000_000]


class Part:
    """A file of feature vectors."""

    def __init__(self, path, n_features):
        self.path = path
        rows, self.grades, queries, self.keys = [], [], [], []
        for number, line in enumerate(path.read_text().splitlines(), 1):
            body, _, comment = line.partition("#")
            label, *fields = body.split()
            row = np.zeros(n_features, np.float32)
            query = None
            for field in fields:
                name, value = field.split(":")
                if name == "qid":
                    query = value
                else:
                    row[int(name) - 1] = float(value)
            found = re.search(r"docid = (\S+)", comment)
            rows.append(row)
            self.grades.append(int(label))
            queries.append(query)
            self.keys.append((query, found.group(1) if found else str(number)))
        self.x, self.grades = np.array(rows), np.array(self.grades)
        sizes = path.with_name(path.name + ".query")
        if sizes.exists():
            self.sizes = [int(n) for n in sizes.read_text().split()]
            numbers = np.repeat(np.arange(1, len(self.sizes) + 1), self.sizes)
            self.keys = [(str(q), document) for q, (_, document) in zip(numbers, self.keys)]
        else:
            starts = [i for i in range(len(queries)) if i == 0 or queries[i] != queries[i - 1]] + [len(queries)]
            self.sizes = list(np.diff(starts))

    def ndcg(self, scores, depth=10):
        """NDCG of every query; ties go to the document that stands first."""
        values, start = [], 0
        for size in self.sizes:
            gains = 2.0 ** self.grades[start : start + size] - 1
            order = np.argsort(-np.asarray(scores[start : start + size], np.float64), kind="stable")
            discounts = 1 / np.log2(np.arange(min(size, depth)) + 2)
            ideal = (np.sort(gains)[::-1][:depth] * discounts).sum()
            values.append((gains[order][:depth] * discounts).sum() / ideal if ideal > 0 else 0.0)
            start += size
        return np.array(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("qwd", "scale", "data", "work", "out"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    data, out = pathlib.Path(args.data), pathlib.Path(args.out)
    mq2008 = data / "letor4_mq2008"
    folds = [[Part(mq2008 / f"Fold{i}" / f"{part}.txt", 46) for part in ("train", "vali", "test")] for i in range(1, 6)]
    example = [Part(data / "lightgbm_lambdarank" / f"rank.{part}", 300) for part in ("train", "test")]
    report = {
        "date": datetime.date.today().isoformat(),
        "load": os.getloadavg()[0],
        "lightgbm": lightgbm.__version__,
        "xgboost": xgboost.__version__,
        "trees": {
            "mq2008": trees(args, [(fold[0], fold[2]) for fold in folds]),
            "lightgbm_lambdarank": trees(args, [tuple(example)]),
        },
        "linear": linear(args, folds),
        "cross_validation": cross_validation(args, mq2008),
        "table6": reproduce(args, "3-table6-mq2008"),
    }
    save(report, out)
    if args.scale:
        report["scale"] = subprocess.run([args.scale, *map(str, SCALES)], capture_output=True, text=True).stdout
        save(report, out)
    print(markdown(report))


def qwd(args, *command):
    done = subprocess.run([args.qwd, *map(str, command), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.stderr}")
    return json.loads(done.stdout)


def qwd_scores(args, ranker, part):
    """A ranker's scores in the order of the file, from the run that it writes."""
    run = f"{args.work}/run.trec"
    qwd(args, "rank", "eval", part.path, "--model", ranker, "--run", run)
    scores = {}
    for line in pathlib.Path(run).read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        scores[query, document] = float(score)
    return np.array([scores[key] for key in part.keys])


def trees(args, pairs):
    """LambdaMART of both, over five seeds, and a paired test over the queries' means."""
    values = {"qwd": [], "lightgbm": []}
    seconds = {"qwd": [], "lightgbm": []}
    for seed in SEEDS:
        for name, train in (("qwd", train_qwd), ("lightgbm", train_lightgbm)):
            figures, spent = zip(*[train(args, seed, *pair) for pair in pairs])
            values[name].append(np.concatenate(figures))
            seconds[name].append(sum(spent))
    means = {name: np.mean(of_seeds, axis=0) for name, of_seeds in values.items()}
    test = scipy.stats.ttest_rel(means["qwd"], means["lightgbm"])
    answer = {
        name: {"ndcg@10": float(means[name].mean()), "of_seeds": [float(v.mean()) for v in values[name]],
               "seconds": min(seconds[name])}
        for name in means
    }
    answer["p"] = float(test.pvalue)
    answer["times"] = answer["qwd"]["seconds"] / answer["lightgbm"]["seconds"]
    return answer


def train_qwd(args, seed, train, test):
    ranker = f"{args.work}/r.ranker"
    settings = [word for key, value in {**TREES, "seed": seed}.items() for word in ("--set", f"{key}={value}")]
    answer = qwd(args, "rank", "train", train.path, "--method", "lambdamart", *settings, "--threads", 1, "--out", ranker)
    return test.ndcg(qwd_scores(args, ranker, test)), answer["seconds"]


def train_lightgbm(_, seed, train, test):
    params = {"objective": "lambdarank", "num_leaves": TREES["leaves"], "learning_rate": TREES["learning_rate"],
              "min_data_in_leaf": TREES["min_documents_in_leaf"], "feature_fraction": TREES["feature_share"], "seed": seed,
              "num_threads": 1, "verbose": -1, "deterministic": True, "force_row_wise": True}
    begun = time.perf_counter()
    model = lightgbm.train(params, lightgbm.Dataset(train.x, train.grades, group=train.sizes), TREES["trees"])
    seconds = time.perf_counter() - begun
    return test.ndcg(model.predict(test.x)), seconds


def linear(args, folds):
    """Linear rankers; parameters and rounds are chosen by NDCG@10 on the validation parts."""
    answer = {}
    figures, spent = zip(*[train_xgboost(*fold) for fold in folds])
    answer["xgboost gblinear rank:pairwise"] = {"ndcg@10": float(np.concatenate(figures).mean()), "seconds": sum(spent)}
    for method in ("fenchel", "ranksvm-primal", "ranksvm-struct", "tgrank", "listnet"):
        folder = pathlib.Path(args.work) / method
        cv = qwd(args, "rank", "cv", "--method", method, "--folds", folds[0][0].path.parent.parent, "--threads", 1,
                 "--metrics", "standard", "--out", folder)
        values = [fold[2].ndcg(qwd_scores(args, folder / f"Fold{i}.ranker", fold[2])) for i, fold in enumerate(folds, 1)]
        answer[f"qwd {method}"] = {"ndcg@10": float(np.concatenate(values).mean()),
                                   "seconds": sum(fold["train_seconds"] for fold in cv["folds"])}
    return answer


def train_xgboost(train, validation, test):
    """The seconds are those of the chosen number of rounds, as they are for the others."""
    best = None
    matrix = xgboost.DMatrix(train.x, train.grades)
    matrix.set_group(train.sizes)
    params = {"booster": "gblinear", "objective": "rank:pairwise", "nthread": 1, "verbosity": 0}
    for rounds in XGBOOST_ROUNDS:
        begun = time.perf_counter()
        model = xgboost.train(params, matrix, rounds)
        seconds = time.perf_counter() - begun
        figure = validation.ndcg(model.predict(xgboost.DMatrix(validation.x))).mean()
        if best is None or figure > best[0]:
            best = (figure, test.ndcg(model.predict(xgboost.DMatrix(test.x))), seconds)
    return best[1], best[2]


def cross_validation(args, folder):
    """The 45 runs of FenchelRank's protocol on two threads, files read too."""
    begun, spent = time.perf_counter(), cpu_seconds()
    answer = qwd(args, "rank", "cv", "--method", "fenchel", "--folds", folder, "--metrics", "letor4", "--threads", 2)
    return {"seconds": time.perf_counter() - begun, "cpu_seconds": cpu_seconds() - spent, "mean": answer["mean"]}


def cpu_seconds():
    """What the programs started so far took of the cores, whatever else ran beside them."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def reproduce(args, name):
    rows = qwd(args, "reproduce", name, "--data", args.data)["rows"]
    return {row["method"]: row["metrics"] for row in rows if "fold" not in row["method"]}


def save(report, out):
    (out / "results.json").write_text(json.dumps(report, indent=2) + "\n")
    (out / "results.md").write_text(markdown(report))


if __name__ == "__main__":
    main()
