"""What Python adds to a call: its time beside that of the library's own work in it, in one process.

    python experiments/python/overhead.py DATASET

DATASET is a folder with labelled documents, for example what `qwd dataset get 20newsgroups` makes.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import sklearn.utils.validation  # noqa: F401  (its import takes a second, once)

import qwd
from qwd import _qwd

folder = Path(sys.argv[1])
records = [json.loads(line) for line in (folder / "corpus.jsonl").open()]
train = [record for record in records if record.get("split") == "train"]
texts = {record["_id"]: f"{record.get('title', '')} {record['text']}" for record in train}
labels = [record["label"] for record in train]
rows = []


def timed(what, call):
    """Calls once, and tells how much longer it took than the work inside."""
    before, start = _qwd.seconds_at_work(), time.perf_counter()
    result = call()
    seconds, inside = time.perf_counter() - start, _qwd.seconds_at_work() - before
    rows.append({"call": what, "seconds": seconds, "inside": inside, "overhead": seconds / inside - 1})
    print(f"| {what} | {seconds:.3f} s | {inside:.3f} s | {100 * (seconds / inside - 1):.2f} % |", flush=True)
    return result


print("| call | seconds | of these in the library | overhead |\n|---|---|---|---|")
ranker = timed("TextRanker.fit, texts in memory", lambda: qwd.TextRanker(settings={"tuples": 100_000}).fit(texts, labels=labels))
X, y = ranker.model_.vectors(list(texts.values())), np.unique(labels, return_inverse=True)[1]
timed("SparseRanker.fit, CSR matrix", lambda: qwd.SparseRanker(tuples=100_000).fit(X, y))
timed("LowRankRanker.fit, CSR matrix", lambda: qwd.LowRankRanker(tuples=20_000).fit(X, y))
index = timed("TextRanker.index", lambda: ranker.index())
asked = [" ".join(text.split()[:5]) for text in list(texts.values())[:2000]]
timed("Index.search, 2,000 queries of 5 words, k = 10", lambda: index.search(asked, k=10))
timed("Index.search, 2,000 queries of 5 words, k = 1000", lambda: index.search(asked, k=1000))
Path(__file__).with_name("overhead.json").write_text(json.dumps(rows, indent=1) + "\n")
