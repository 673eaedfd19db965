"""The same documents and queries through tantivy and bm25s, one thread each.

    peers.py CORPUS QUERIES INDEX_FOLDER OUT [EXPANDED]

tantivy: PyPI's binding of the crate, documents stored, without positions; OR queries are built before the clock starts.
bm25s: scores of all documents from a sparse matrix, then the best ten. EXPANDED is what search_speed wrote: of each expanded query the
strongest terms of positive weight go to tantivy as boosted terms, as many as qwd's query has terms of either sign.
"""
import json
import pathlib
import re
import shutil
import sys
import time

import tantivy

PASSES = 3
corpus, queries, folder, out = sys.argv[1:5]
expanded = sys.argv[5] if len(sys.argv) > 5 else None
word = re.compile(r"\w+")


def times(items, ask):
    micros = [float("inf")] * len(items)
    for _ in range(PASSES):
        for i, item in enumerate(items):
            start = time.perf_counter_ns()
            ask(item)
            micros[i] = min(micros[i], (time.perf_counter_ns() - start) / 1e3)
    mean = sum(micros) / len(micros)
    ordered = sorted(micros)
    at = lambda share: round(ordered[int((len(ordered) - 1) * share)], 1)
    return {"queries_per_second": round(1e6 / mean), "mean_micros": round(mean, 1), "median_micros": at(0.5),
            "p99_micros": at(0.99), "n_queries": len(items)}


def documents():
    with open(corpus) as file:
        for line in file:
            record = json.loads(line)
            yield record["_id"], (record.get("title", "") + " " + record["text"]).strip(), line


answer = {"tantivy": {}, "bm25s": {}}
texts = [json.loads(line)["text"] for line in open(queries)]

schema = tantivy.SchemaBuilder()
schema.add_text_field("id", stored=True, index_option="basic", tokenizer_name="raw")
schema.add_text_field("text", stored=True, index_option="freq")
schema = schema.build()
shutil.rmtree(folder, ignore_errors=True)
pathlib.Path(folder).mkdir(parents=True)
start = time.perf_counter()
index = tantivy.Index(schema, path=folder)
writer = index.writer(heap_size=1_000_000_000, num_threads=1)
for name, text, _ in documents():
    writer.add_document(tantivy.Document(id=name, text=text))
writer.commit()
writer.wait_merging_threads()
seconds = time.perf_counter() - start
index.reload()
searcher = index.searcher()
n = searcher.num_docs
sizes = {}
for path in pathlib.Path(folder).iterdir():
    sizes[path.suffix] = sizes.get(path.suffix, 0) + path.stat().st_size
answer["tantivy"] |= {"build": {"seconds": seconds, "documents_per_second": n / seconds}, "bytes": sizes, "n_segments": searcher.num_segments}


def any_of(words):
    clauses = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", w, "freq")) for w in words]
    return tantivy.Query.boolean_query(clauses)


built = [any_of(dict.fromkeys(word.findall(text.lower()))) for text in texts]
answer["tantivy"]["keywords"] = times(built, lambda q: searcher.search(q, 10, count=False))
if expanded:
    terms = [sorted(json.loads(line), key=lambda p: -p[1]) for line in open(expanded)]
    for most in (30, 100, 200):
        built = []
        for pairs in terms:
            positive = [(w, x) for w, x in pairs if x > 0][:most]
            boosted = [(tantivy.Occur.Should, tantivy.Query.boost_query(tantivy.Query.term_query(schema, "text", w, "freq"), x)) for w, x in positive]
            built.append(tantivy.Query.boolean_query(boosted))
        answer["tantivy"][f"expanded-{most}"] = times(built, lambda q: searcher.search(q, 10, count=False))
else:
    import bm25s
    start = time.perf_counter()
    tokens = bm25s.tokenize([text for _, text, _ in documents()], stopwords=None, show_progress=False)
    retriever = bm25s.BM25()
    retriever.index(tokens, show_progress=False)
    seconds = time.perf_counter() - start
    asked = [bm25s.tokenize([t], stopwords=None, show_progress=False) for t in texts]
    PASSES = 2
    found = times(asked, lambda q: retriever.retrieve(q, k=10, show_progress=False, n_threads=0))
    answer["bm25s"] = {"build": {"seconds": seconds, "documents_per_second": n / seconds}, "keywords": found}
json.dump(answer, open(out, "w"), indent=1)
