"""Makes the corpora and queries of the benchmark: keyword queries for MDN and 20 Newsgroups, and the made corpus.

    prepare.py FOLDER [N_DOCUMENTS]

FOLDER holds `mdn/corpus.jsonl` and `20ng/corpus.jsonl`. The made corpus has documents of 20 to 100 words, drawn from
MDN's words with Zipf's frequencies by rank; its queries are 2 to 4 words of one document, the 30 most frequent left out.
"""
import collections
import json
import pathlib
import re
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
n_documents = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
rng = np.random.default_rng(1)
word = re.compile(r"[a-z0-9]+")


def documents(path):
    with open(path) as file:
        for line in file:
            yield json.loads(line)


def write_queries(path, texts):
    with open(path, "w") as file:
        for i, text in enumerate(texts):
            file.write(json.dumps({"_id": f"q{i}", "text": text}) + "\n")


counts, titles = collections.Counter(), []
for document in documents(folder / "mdn/corpus.jsonl"):
    words = word.findall((document["title"] + " " + document["text"]).lower())
    counts.update(words)
    titles.append(" ".join(word.findall(document["title"].lower())[:4]))
picked = rng.permutation(len(titles))
write_queries(folder / "mdn/queries.jsonl", [t for t in (titles[i] for i in picked) if len(t.split()) >= 2][:1000])

texts = []
for document in documents(folder / "20ng/corpus.jsonl"):
    words = [w for w in word.findall(document["text"].lower()) if len(w) > 4]
    if len(words) > 20:
        at = rng.integers(5, len(words) - 4)
        texts.append(" ".join(words[at : at + 3]))
write_queries(folder / "20ng/queries.jsonl", [texts[i] for i in rng.permutation(len(texts))[:1000]])

vocabulary = [w for w, _ in counts.most_common(50_000)]
cumulated = np.cumsum(1.0 / np.arange(1, len(vocabulary) + 1))
cumulated /= cumulated[-1]
(folder / "made").mkdir(exist_ok=True)
queries = []
with open(folder / "made/corpus.jsonl", "w") as file:
    for first in range(0, n_documents, 10_000):
        lengths = rng.integers(20, 101, size=min(10_000, n_documents - first))
        ranks = np.searchsorted(cumulated, rng.random(lengths.sum()))
        at = 0
        for i, n in enumerate(lengths):
            of_document = ranks[at : at + n]
            at += n
            text = " ".join([vocabulary[r] for r in of_document])
            file.write(f'{{"_id":"m{first + i}","text":"{text}"}}\n')
            if len(queries) < 1000 and (first + i) % (n_documents // 1000) == 0:
                rare = [r for r in of_document if r >= 30]
                if len(rare) >= 4:
                    queries.append(" ".join(vocabulary[r] for r in rare[: rng.integers(2, 5)]))
write_queries(folder / "made/queries.jsonl", queries)
