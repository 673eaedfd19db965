"""A learned W beside BM25 (bm25s, where it is installed) and, with --encoder, a small neural encoder."""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

import qwd

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--encoder", action="store_true", help="also the MiniLM encoder: takes a minute")
encoder = parser.parse_args().encoder

data = qwd.demo()
articles = [json.loads(line) for line in data.documents()]
names, texts = [a["_id"] for a in articles], [f"{a['title']} {a['text']}" for a in articles]
judged: dict[str, dict[str, int]] = {}
for query, document, grade in data.judgments("test"):
    judged.setdefault(query, {})[document] = grade
asked = {query: text for query, text in data.queries() if query in judged}


def ranked(scores: np.ndarray) -> dict[str, dict[str, float]]:
    """A table of scores as a run."""
    return {query: dict(zip(names, map(float, row))) for query, row in zip(asked, scores)}


def bm25() -> dict[str, dict[str, float]]:
    import bm25s

    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    words = bm25s.tokenize(list(asked.values()), return_ids=False, show_progress=False)
    return ranked(np.array([retriever.get_scores(query) for query in words]))


def minilm() -> dict[str, dict[str, float]]:
    sys.path.insert(0, str(Path(__file__).parents[2] / "experiments" / "python"))
    from minilm import MiniLm

    model = MiniLm()
    return ranked(model.encode(list(asked.values())) @ model.encode(texts).T)


def learned() -> dict[str, dict[str, float]]:
    ranker = qwd.TextRanker(settings={"tuples": 100_000}).fit(
        articles, queries=data.queries(), judgments=data.judgments("train"), validation=data.judgments("dev"))
    return ranker.run(asked)


for name, run in {"bm25s": bm25, "learned W": learned, **({"MiniLM": minilm} if encoder else {})}.items():
    start = time.perf_counter()
    try:
        figures = qwd.evaluate(run(), judged, ["map", "ndcg@10"])["metrics"]
    except ImportError as missing:
        print(f"{name}: not installed ({missing.name})")
        continue
    print(f"{name:10} MAP {figures['map']:.3f}  nDCG@10 {figures['ndcg@10']:.3f}  {time.perf_counter() - start:.1f} s in all")
