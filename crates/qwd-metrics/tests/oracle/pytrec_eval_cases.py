"""Writes pytrec_eval.json: random runs and judgments with the values that pytrec_eval (trec_eval's own C code) gives them.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install pytrec-eval-terrier==0.5.11
    /tmp/venv/bin/python pytrec_eval_cases.py

The cases hold what makes implementations differ: tied scores, scores that differ in double but not in single precision,
ids whose order as text is not their order as numbers, grades 0 to 4 and negative ones, unjudged documents, rankings
shorter than the cutoff, queries without relevant documents, and queries that only the run or only the judgments know.

One thing is left out on purpose: a query whose judgments are all negative. trec_eval then reads a count of grades that
belongs to the query before it (num_rel_levels in form_res_rels.c is not reset).
"""

import json
import pathlib
import random
import struct

import pytrec_eval

CUTOFFS = [1, 3, 5, 10, 20]
PLAIN = {
    "map": "map",
    "ndcg": "ndcg",
    "mrr": "recip_rank",
    "rprec": "Rprec",
    "bpref": "bpref",
    "p": "set_P",
    "r": "set_recall",
}
CUT = {"map": "map_cut", "p": "P", "r": "recall", "ndcg": "ndcg_cut", "success": "success"}


def score(rng, style):
    if style == "ties":
        return float(rng.randint(-2, 3))
    if style == "near":
        return 0.7 + rng.randint(0, 2) * 0.001 + rng.randint(0, 3) * 1e-9
    if style == "zeros":
        return rng.choice([0.0, -0.0, 1.0])
    return round(rng.gauss(0, 10), 3)


def query(rng):
    pool = [f"d{i}" for i in range(rng.choice([3, 8, 20, 40]))] + ["é", "e", "D1", "d"]
    grades = rng.choice([[0, 1], [0, 0, 0, 1, 2, 3, 4], [-2, -1, 0, 0, 1, 2], [0], [0, 4]])
    judged = rng.sample(pool, rng.randint(1, min(len(pool), 18)))
    qrels = {doc: rng.choice(grades) for doc in judged}
    if all(grade < 0 for grade in qrels.values()):
        qrels[judged[0]] = 0
    style = rng.choice(["ties", "near", "zeros", "reals"])
    ranked = rng.sample(pool, rng.randint(1, min(len(pool), 30)))
    return {doc: score(rng, style) for doc in ranked}, qrels


def truncated(run, k):
    """The first k documents in trec_eval's order, for reciprocal rank at a cutoff, which trec_eval lacks."""
    single = {doc: struct.unpack("f", struct.pack("f", value))[0] for doc, value in run.items()}
    order = sorted(run, key=lambda doc: (single[doc], doc.encode()), reverse=True)
    return {doc: run[doc] for doc in order[:k]}


def main():
    rng = random.Random(20260218)
    run, qrels = {}, {}
    for i in range(560):
        run[f"q{i}"], qrels[f"q{i}"] = query(rng)
    for i in range(5):
        run[f"unjudged{i}"], _ = query(rng)
        _, qrels[f"unanswered{i}"] = query(rng)

    measures = set(PLAIN.values()) | {f"{name}.{','.join(map(str, CUTOFFS))}" for name in CUT.values()}
    values = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    oracle = {name: (lambda q, m=measure: values[q][m]) for name, measure in PLAIN.items()}
    for name, measure in CUT.items():
        for k in CUTOFFS:
            oracle[f"{name}@{k}"] = lambda q, m=f"{measure}_{k}": values[q][m]
    for k in CUTOFFS:
        cut = {q: truncated(run[q], k) for q in values}
        at_k = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(cut)
        oracle[f"mrr@{k}"] = lambda q, at_k=at_k: at_k[q]["recip_rank"]

    rows = {q: [round(value(q), 12) for value in oracle.values()] for q in sorted(values)}
    sums = [sum(column) for column in zip(*rows.values())]
    document = {
        "metrics": list(oracle),
        "run": run,
        "qrels": qrels,
        "values": rows,
        "means": [s / len(rows) for s in sums],
        "means_over_all_judged": [s / len(qrels) for s in sums],
    }
    path = pathlib.Path(__file__).with_name("pytrec_eval.json")
    path.write_text(json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n")


main()
