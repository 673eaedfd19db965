"""Text search in twenty lines: learn from judged questions, search in other words, say why."""

import json

import qwd

data = qwd.demo()  # 240 help-centre articles and questions in other words than the articles use
articles = [json.loads(line) for line in data.documents()]
ranker = qwd.TextRanker(settings={"tuples": 100_000}).fit(
    articles, queries=data.queries(), judgments=data.judgments("train"), validation=data.judgments("dev")
)

ids, scores = ranker.search(["my telly is blank", "wifi is slow"], k=3)
for query, names, values in zip(["my telly is blank", "wifi is slow"], ids, scores):
    print(query, "->", ", ".join(f"{name} ({score:.2f})" for name, score in zip(names, values)))
print("telly:", ranker.related("telly", 3))
print("why:", ranker.explain("my telly is blank", "The media unit displays a black screen", k=3))

test = {query: text for query, text in data.queries() if query in {q for q, *_ in data.judgments("test")}}
print(qwd.evaluate(ranker.run(test), data.judgments("test"), ["map", "ndcg@10"])["metrics"])
