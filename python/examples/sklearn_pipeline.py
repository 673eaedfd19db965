"""A scikit-learn pipeline: texts to vectors to W, with parameters chosen by cross-validation."""

from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import qwd

# Questions of the built-in corpus and the article that answers each best: questions about one article suit each other.
data = qwd.demo()
best: dict[str, tuple[int, str]] = {}
for question, article, grade in data.judgments("train"):
    best[question] = max(best.get(question, (0, "")), (grade, article))
texts, articles = zip(*((text, best[question][1]) for question, text in data.queries() if question in best))

pipeline = make_pipeline(qwd.Vectorizer(language="en"), qwd.SparseRanker(tuples=20_000))
grid = {"sparseranker__learning_rate": [1.0, 10.0], "sparseranker__l1": [1e-6, 1e-4]}
search = GridSearchCV(pipeline, grid, cv=2).fit(texts, articles)
cosine = GridSearchCV(make_pipeline(qwd.Vectorizer(language="en"), qwd.IdentityRanker()), {}, cv=2).fit(texts, articles)
print(f"MAP on held-out questions: cosine {cosine.best_score_:.3f}, W {search.best_score_:.3f} with {search.best_params_}")

vectorizer, ranker = search.best_estimator_
words = vectorizer.get_feature_names_out()
W = ranker.W_.tocoo()
strongest = sorted((-abs(weight), words[s], words[t]) for s, t, weight in zip(*W.coords, W.data) if s != t)[:5]
print("strongest pairs:", ", ".join(f"{s} ~ {t}" for _, s, t in strongest))
