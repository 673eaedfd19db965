"""qwd and its peers with default settings: each trains, indexes and answers, and says what that took."""

import json
import pathlib
import random
import re
import resource
import sys
import time

import numpy as np

from tasks import call

TOKEN = re.compile(r"\w\w+")


class Clock:
    """Wall and processor seconds of this process and of those it started."""

    def __enter__(self):
        self.wall, self.cpu = time.perf_counter(), cpu_seconds()
        return self

    def __exit__(self, *_):
        self.wall, self.cpu = time.perf_counter() - self.wall, cpu_seconds() - self.cpu


def cpu_seconds():
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def figures(task, run, *, training=None, indexing=None, searching=None, n_documents=0, n_queries=0, n_bytes=0,
            process=resource.RUSAGE_SELF, **more):
    """One row of the report; `process` is what the system ran in, this one or those it started."""
    clocks = [clock for clock in (training, indexing, searching) if clock]
    memory = resource.getrusage(process).ru_maxrss * 1024  # Before measuring, which starts a program of its own.
    return {
        **task.measure(run), "memory": memory, "train_seconds": training.wall if training else 0.0, "bytes": n_bytes,
        "documents_per_second": n_documents / indexing.wall if indexing else None,
        "queries_per_second": n_queries / searching.wall if searching else None,
        "cpu_seconds": sum(clock.cpu for clock in clocks), **more,
    }


def best(scores, ids, k):
    """The best of a row of scores."""
    k = min(k, len(ids))
    top = np.argpartition(-scores, k - 1)[:k]
    return [(ids[i], float(scores[i])) for i in top[np.argsort(-scores[top], kind="stable")] if scores[i] > 0]


def qwd(task, budget=300):
    model, report = task.work / "m.qwd", task.work / "report.json"
    with Clock() as training:
        call(task.qwd, "train", task.folder, "--budget", budget, "--out", model, "--report", report)
    search = json.loads(report.read_text()).get("search") or {"tried": [{"name": "default"}], "best": 0}
    return found_by_qwd(task, model, training, "--all") | {"chosen": search["tried"][search["best"]]["name"]}


def qwd_pruned(task):
    """The model of the row above; of an expanded query only the 200 strongest terms are asked for."""
    model = task.work / "m.qwd"
    if not model.exists():
        qwd(task)
    return found_by_qwd(task, model, None, prune=200)


def found_by_qwd(task, model, training, *options, prune=None):
    index, run = task.work / "m.index", task.work / "m.run"
    call("rm", "-rf", index)
    pruning = ["--prune", prune] if prune else []
    with Clock() as indexing:
        built = json.loads(call(task.qwd, "index", task.corpus, "--model", model, "--out", index, "--json", *pruning))
    with Clock() as searching:
        call(task.qwd, "search", index, "--queries", task.queries, "--run", run, "--k", task.k, "--exact-words", *options)
    return figures(task, run, training=training, indexing=indexing, searching=searching, n_documents=built["n_documents"],
                   n_queries=len(task.questions()[0]), n_bytes=model.stat().st_size, process=resource.RUSAGE_CHILDREN)


def bm25s(task):
    import bm25s as library

    (ids, texts), (names, asked) = task.documents(), task.questions()
    with Clock() as indexing:
        retriever = library.BM25()
        retriever.index(library.tokenize(texts, show_progress=False), show_progress=False)
    with Clock() as searching:
        tokens = library.tokenize(asked, show_progress=False)
        found, scores = retriever.retrieve(tokens, k=min(task.k, len(ids)), show_progress=False)
    run = {name: [(ids[i], s) for i, s in zip(row, of_row)] for name, row, of_row in zip(names, found, scores)}
    return figures(task, run, indexing=indexing, searching=searching, n_documents=len(ids), n_queries=len(names))


def cosine(task):
    from sklearn.feature_extraction.text import TfidfVectorizer

    (ids, texts), (names, asked) = task.documents(), task.questions()
    with Clock() as indexing:
        vectorizer = TfidfVectorizer()
        documents = vectorizer.fit_transform(texts).T.tocsr()
    return answered(task, ids, names, indexing, lambda: (vectorizer.transform(asked) @ documents).toarray())


def answered(task, ids, names, indexing, score, **more):
    with Clock() as searching:
        scores = score()
        run = {name: best(row, ids, task.k) for name, row in zip(names, scores)}
    return figures(task, run, indexing=indexing, searching=searching, n_documents=len(ids), n_queries=len(names), **more)


def lsi_sklearn(task):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer

    (ids, texts), (names, asked) = task.documents(), task.questions()
    with Clock() as indexing:
        pipeline = make_pipeline(TfidfVectorizer(), TruncatedSVD(200, random_state=1), Normalizer(copy=False))
        documents = pipeline.fit_transform(texts).T
    return answered(task, ids, names, indexing, lambda: pipeline.transform(asked) @ documents)


def lsi_gensim(task):
    from gensim import corpora, matutils, models

    (ids, texts), (names, asked) = task.documents(), task.questions()
    split = [TOKEN.findall(text.lower()) for text in texts]
    with Clock() as indexing:
        words = corpora.Dictionary(split)
        tfidf = models.TfidfModel(dictionary=words)
        weighted = [tfidf[words.doc2bow(text)] for text in split]
        lsi = models.LsiModel(weighted, id2word=words, num_topics=200, random_seed=1)
        documents = matutils.corpus2dense(lsi[weighted], 200, len(ids))
        documents /= np.maximum(np.linalg.norm(documents, axis=0), 1e-12)

    def score():
        bows = [tfidf[words.doc2bow(TOKEN.findall(text.lower()))] for text in asked]
        return matutils.corpus2dense(lsi[bows], 200, len(names)).T @ documents

    return answered(task, ids, names, indexing, score)


def vw(task, n_tuples=100_000):
    """Pairs of query and document words (-q qd), right against random documents; it orders BM25's best 100."""
    import bm25s as library
    import vowpalwabbit

    pairs, texts = task.lessons()
    random.Random(1).shuffle(pairs)
    line = lambda query, document: f"|q {' '.join(TOKEN.findall(query.lower()))} |d {' '.join(TOKEN.findall(document.lower()))}"
    length = sum(len(TOKEN.findall(query)) for query, _ in pairs[:100]) / max(1, len(pairs[:100]))
    if length > 40:
        return None  # Queries that are documents: a hundred thousand features and more an example.
    model = task.work / "vw.model"
    with Clock() as training:
        workspace = vowpalwabbit.Workspace(f"-q qd -b 24 --loss_function logistic --quiet -f {model}")
        choose = random.Random(2)
        for query, document in (pairs * (1 + n_tuples // (2 * len(pairs))))[: n_tuples // 2]:
            workspace.learn(f"1 {line(query, document)}")
            workspace.learn(f"-1 {line(query, choose.choice(texts))}")
        workspace.save(str(model))
    (ids, texts), (names, asked) = task.documents(), task.questions()
    with Clock() as indexing:
        retriever = library.BM25()
        retriever.index(library.tokenize(texts, show_progress=False), show_progress=False)
    with Clock() as searching:
        found, _ = retriever.retrieve(library.tokenize(asked, show_progress=False), k=min(100, len(ids)), show_progress=False)
        run = {}
        for name, query, row in zip(names, asked, found):
            scored = [(ids[i], workspace.predict(line(query, texts[i]))) for i in row]
            run[name] = sorted(scored, key=lambda hit: -hit[1])
    return figures(task, run, training=training, indexing=indexing, searching=searching, n_documents=len(ids),
                   n_queries=len(names), n_bytes=model.stat().st_size)


def minilm(task, most=5000):
    """A small neural encoder; it encodes few documents a second, so only small collections are asked."""
    (ids, texts), (names, asked) = task.documents(), task.questions()
    if len(ids) > most:
        return None
    sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "python"))
    from minilm import MiniLm

    encoder = MiniLm()
    with Clock() as indexing:
        documents = encoder.encode(texts)
    n_bytes = sum(table.nbytes for table in encoder.w.values())
    return answered(task, ids, names, indexing, lambda: encoder.encode(asked) @ documents.T, n_bytes=n_bytes)


SYSTEMS = {"qwd": qwd, "qwd pruned": qwd_pruned, "bm25s": bm25s, "scikit-learn tf-idf": cosine, "scikit-learn lsi": lsi_sklearn,
           "gensim lsi": lsi_gensim, "vowpal wabbit": vw, "minilm": minilm}
