"""Vowpal Wabbit's side of the speed benchmark: learns W from exported tuples, on one thread, and writes it out.

Lines are parsed to examples in portions, and only the learn calls are timed. `python vw.py --help` tells the options.
"""

import argparse
import json
import os
import tempfile
import time

import numpy as np
import vowpalwabbit

BITS = 28
MASK = (1 << BITS) - 1
# VW's index of a pair of features: (FNV_PRIME * index of the first) xor (index of the second).
FNV_PRIME = 16777619
OPTIONS = f"-b {BITS} -q qd --ignore_linear q --ignore_linear d --noconstant --loss_function hinge --quiet"
# Predictions are otherwise clipped to the labels seen, here [0, 1], which would also change the size of steps.
UNCLIPPED = "--min_prediction -1000 --max_prediction 1000"
PORTION = 2000


def main():
    args = arguments()
    options = f"{OPTIONS} {UNCLIPPED} -l {args.rate} --l1 {args.l1} {args.options}"
    workspace = vowpalwabbit.Workspace(options)
    report = {"options": options, **learn(workspace, args.lines, args.tuples)}
    if args.weights:
        started = time.perf_counter()
        table, gravity = weight_table(workspace)
        report["gravity"] = gravity
        report["largest_difference"] = check(workspace, table, args.lines, args.words)
        write_matrix(workspace, table, args.words, args.weights)
        report["dump_seconds"] = time.perf_counter() - started
    print(json.dumps(report, indent=2))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", required=True, help="the file that `speed export` wrote")
    parser.add_argument("--tuples", type=int, required=True, help="lines to learn from")
    parser.add_argument("--rate", type=float, required=True, help="VW's -l")
    parser.add_argument("--l1", type=float, required=True)
    parser.add_argument("--options", default="", help="further options, for example '--sgd'")
    parser.add_argument("--words", type=int, default=10_000)
    parser.add_argument("--weights", help="where to write W: words x words floats, row by row")
    return parser.parse_args()


def learn(workspace, path, n_tuples):
    """Learns from the first lines of a file; parsing and learning are timed apart."""
    parsing = learning = processor = 0.0
    done = 0
    with open(path, encoding="ascii") as lines:
        while done < n_tuples:
            portion = [line for _, line in zip(range(min(PORTION, n_tuples - done)), lines)]
            if not portion:
                break
            started = time.perf_counter()
            examples = [workspace.parse(line) for line in portion]
            parsing += time.perf_counter() - started
            started, processor_started = time.perf_counter(), time.process_time()
            for example in examples:
                workspace.learn(example)
            learning += time.perf_counter() - started
            processor += time.process_time() - processor_started
            for example in examples:
                workspace.finish_example(example)
            done += len(portion)
    return {
        "tuples": done,
        "parsing_seconds": parsing,
        "learning_seconds": learning,
        "learning_cpu_seconds": processor,
        "tuples_per_second": done / learning,
    }


def weight_table(workspace):
    """VW's weights by index, as it would predict with them: shrunk by what its L1 penalty still owes (its gravity)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        workspace.save(path)
        raw = np.fromfile(path, dtype=np.uint8)
    # A record is the index, the weight and, unless --sgd was given, two numbers for the rate.
    width = 8 if "--sgd" in workspace.get_arguments() else 16
    start = first_record(raw, width)
    gravity = raw[start - 16 : start - 8].copy().view("<f8")[0]
    records = raw[start:].reshape(-1, width)
    indices = records[:, :4].copy().view("<u4").ravel()
    weights = records[:, 4:8].copy().view("<f4").ravel()
    table = np.zeros(1 << BITS, dtype=np.float32)
    table[indices] = np.sign(weights) * np.maximum(np.abs(weights) - gravity, 0.0)
    return table, float(gravity)


def first_record(raw, width):
    """Where the records begin: behind two doubles, gravity and contraction (1 without an L2 penalty); their indices
    increase."""
    for start in range(64, 1024):
        contraction = raw[start - 8 : start].copy().view("<f8")[0]
        if contraction == 1.0 and (len(raw) - start) % width == 0:
            indices = raw[start : start + 1000 * width].reshape(-1, width)[:, :4].copy().view("<u4").ravel()
            if np.all(indices[1:] > indices[:-1]) and indices[-1] <= MASK:
                return start
    raise SystemExit("the layout of VW's model file is not the expected one")


def pair_indices(workspace, query_words, document_words):
    """The places of word pairs in VW's table of weights."""
    first = (np.asarray(query_words, dtype=np.uint64) + np.uint64(workspace.hash_space("q"))) * np.uint64(FNV_PRIME)
    second = np.asarray(document_words, dtype=np.uint64) + np.uint64(workspace.hash_space("d"))
    return (first[:, None] ^ second[None, :]) & np.uint64(MASK)


def check(workspace, table, path, n_words, n_lines=50):
    """The largest difference between VW's predictions and those of the table; stops the run if it is not small."""
    largest = 0.0
    with open(path, encoding="ascii") as lines:
        for _, line in zip(range(n_lines), lines):
            query, difference = (vector(part) for part in line.split("|")[1:])
            assert max(query[0].max(), difference[0].max()) < n_words
            pairs = table[pair_indices(workspace, query[0], difference[0])].astype(np.float64)
            predicted = workspace.predict(line)
            error = abs(query[1] @ pairs @ difference[1] - predicted)
            largest = max(largest, error / max(1.0, abs(predicted)))
    if not largest < 1e-3:
        raise SystemExit(f"W as read from VW's file predicts otherwise than VW, by {largest}")
    return largest


def vector(part):
    pairs = [feature.split(":") for feature in part.split()[1:]]
    return np.array([int(word) for word, _ in pairs]), np.array([float(value) for _, value in pairs])


def write_matrix(workspace, table, n_words, path):
    with open(path, "wb") as out:
        for word in range(n_words):
            table[pair_indices(workspace, [word], np.arange(n_words))].astype("<f4").tofile(out)


if __name__ == "__main__":
    main()
