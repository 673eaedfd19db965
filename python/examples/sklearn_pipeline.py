"""A scikit-learn pipeline: texts to vectors to W, with parameters chosen by cross-validation."""

import json

from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import qwd

# Articles of the built-in corpus, each with the area it belongs to: articles of one area suit each other.
articles = [json.loads(line) for line in qwd.demo().documents()]
texts = [f"{article['title']} {article['text']}" for article in articles]
areas = [article["area"] for article in articles]

pipeline = make_pipeline(qwd.Vectorizer(language="en"), qwd.SparseRanker(tuples=10_000))
grid = {"sparseranker__learning_rate": [1.0, 20.0], "sparseranker__l1": [1e-5, 1e-3]}
search = GridSearchCV(pipeline, grid, cv=3).fit(texts, areas)

cosine = make_pipeline(qwd.Vectorizer(language="en"), qwd.IdentityRanker())
plain = GridSearchCV(cosine, {}, cv=3).fit(texts, areas)
print(f"MAP of cosine {plain.best_score_:.3f}, of W {search.best_score_:.3f} with {search.best_params_}")
words = search.best_estimator_[0].get_feature_names_out()
W = search.best_estimator_[1].W_.tocoo()
strongest = sorted(zip(-abs(W.data), W.row, W.col))[:3]
print("strongest pairs:", [(words[s], words[t]) for _, s, t in strongest])
