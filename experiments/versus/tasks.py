"""The tasks: what the test split of a data set asks, as files, and how an answer is measured."""

import json
import pathlib
import random
import subprocess

# At most so many queries are asked; those of a data set are drawn with a seed.
ASKED = 1000
DEPTH = 1000


class Task:
    """Documents, queries, what suits them, and what is not ranked."""

    def __init__(self, qwd, data, name, work):
        self.qwd, self.name = qwd, name
        self.folder, self.work = work / "data" / name, work / "runs" / name
        self.work.mkdir(parents=True, exist_ok=True)
        if not self.folder.exists():
            call(qwd, "dataset", "get", name, "--from", data / name.removesuffix("_ja"), "--out", self.folder)
        task = work / "tasks" / name
        if not (task / "hidden.tsv").exists():
            call(qwd, "dataset", "task", self.folder, "--out", task)
        self.corpus = task / "corpus.jsonl"
        queries = read_lines(task / "queries.jsonl")
        random.Random(1).shuffle(queries)
        self.queries = self.work / "queries.jsonl"
        self.queries.write_text("".join(json.dumps(query) + "\n" for query in queries[:ASKED]))
        asked = {query["_id"] for query in queries[:ASKED]}
        header, *judgments = (task / "qrels.tsv").read_text().splitlines(keepends=True)
        self.qrels = self.work / "qrels.tsv"
        self.qrels.write_text(header + "".join(line for line in judgments if line.split("\t")[0] in asked))
        self.hidden = {}
        for line in (task / "hidden.tsv").read_text().splitlines():
            query, document = line.split("\t")
            if query in asked:
                self.hidden.setdefault(query, set()).add(document)
        self.k = DEPTH + max(map(len, self.hidden.values()), default=0)

    def documents(self):
        """The ids and texts of the documents."""
        rows = read_lines(self.corpus)
        return [row["_id"] for row in rows], [f"{row.get('title', '')} {row['text']}".strip() for row in rows]

    def questions(self):
        """The ids and texts of the queries."""
        rows = read_lines(self.queries)
        return [row["_id"] for row in rows], [row["text"] for row in rows]

    def lessons(self):
        """Pairs of a text and one that suits it, from the training split, and all texts of that split's documents."""
        train = self.folder.parent.parent / "tasks" / f"{self.name}-train"
        if not (train / "hidden.tsv").exists():
            call(self.qwd, "dataset", "task", self.folder, "--split", "train", "--out", train)
        documents = {row["_id"]: f"{row.get('title', '')} {row['text']}" for row in read_lines(train / "corpus.jsonl")}
        queries = {row["_id"]: row["text"] for row in read_lines(train / "queries.jsonl")}
        judged = [line.split("\t") for line in (train / "qrels.tsv").read_text().splitlines()[1:]]
        return [(queries[q], documents[d]) for q, d, grade in judged if int(grade) > 0 and d in documents], list(documents.values())

    def measure(self, run):
        """nDCG@10 and MAP of a run, which is a file or a dictionary of lists of (document, score)."""
        path = self.work / "measured.run"
        with open(path, "w", encoding="utf-8") as out:
            for query, ranked in (read_run(run) if isinstance(run, pathlib.Path) else run).items():
                shown = [hit for hit in ranked if hit[0] not in self.hidden.get(query, ())][:DEPTH]
                # Ranks decide: ties were broken already.
                out.writelines(f"{query} Q0 {document} {rank} {DEPTH - rank} x\n" for rank, (document, _) in enumerate(shown, 1))
        answer = call(self.qwd, "eval", "--run-file", path, "--qrels", self.qrels, "--complete", "--metrics", "ndcg@10,map", "--json")
        return json.loads(answer)["metrics"]


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def read_run(path):
    run = {}
    for line in path.read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        run.setdefault(query, []).append((document, float(score)))
    return run


def call(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stderr}")
    return done.stdout
