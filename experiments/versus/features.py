"""Rankers over feature vectors with default settings: qwd, LightGBM and XGBoost on the same files, two threads each."""

import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "rank"))
from compare import Part, qwd_scores
from compare import qwd as call_qwd


def compare_features(args):
    """For each data set and system: nDCG@10 over all test queries, and seconds of training together."""
    folds = args.data / "letor4_mq2008"
    example = args.data / "lightgbm_lambdarank"
    tasks = {
        "letor4_mq2008 (46 features, five folds)": [[Part(folds / f"Fold{i}" / f"{part}.txt", 46) for part in ("train", "test")]
                                                     for i in range(1, 6)],
        "lightgbm_lambdarank (300 features)": [[Part(example / f"rank.{part}", 300) for part in ("train", "test")]],
    }
    return {name: {system: measure(args, parts, fit) for system, fit in SYSTEMS.items()} for name, parts in tasks.items()}


def measure(args, parts, fit):
    values, seconds, n_bytes = [], 0.0, 0
    for train, test in parts:
        scores, took, size = fit(args, train, test)
        values.append(test.ndcg(scores))
        seconds, n_bytes = seconds + took, n_bytes + size
    return {"ndcg@10": float(np.concatenate(values).mean()), "seconds": seconds, "bytes": n_bytes / len(parts)}


def qwd(*options):
    def fit(args, train, test):
        ranker = args.work / "versus.ranker"
        start = time.perf_counter()
        call_qwd(args, "rank", "train", train.path, "--out", ranker, *options)
        took = time.perf_counter() - start
        return qwd_scores(args, ranker, test), took, ranker.stat().st_size

    return fit


def lightgbm(args, train, test):
    from lightgbm import LGBMRanker

    return fitted(LGBMRanker(verbose=-1, n_jobs=2), args, train, test, lambda model, path: model.booster_.save_model(path))


def xgboost(args, train, test):
    from xgboost import XGBRanker

    return fitted(XGBRanker(n_jobs=2), args, train, test, lambda model, path: model.save_model(path))


def fitted(model, args, train, test, save):
    start = time.perf_counter()
    model.fit(train.x, train.grades, group=train.sizes)
    took = time.perf_counter() - start
    path = args.work / "versus.json"
    save(model, path)
    return model.predict(test.x), took, path.stat().st_size


SYSTEMS = {"qwd": qwd(), "qwd lambdamart": qwd("--method", "lambdamart"), "lightgbm": lightgbm, "xgboost": xgboost}
