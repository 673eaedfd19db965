"""The second stage: rankers over feature vectors, one scikit-learn estimator for every method of ``qwd rank``.

``X`` has a row for every document, ``y`` their grades; ``qid=`` names the query of each row, or ``group=`` the number of
rows of each query, one after the other. Without either, all rows are of one query.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _qwd
from ._base import Estimator, make_class, query_sizes
from ._matrix import is_sparse
from ._progress import Report, listener
from .errors import DataError

# The classes by the names of their methods.
CLASSES = {
    "fenchel": "FenchelRank",
    "ranksvm-primal": "RankSvmPrimal",
    "ranksvm-struct": "RankSvmStruct",
    "tgrank": "TgRank",
    "rsrank": "RsRank",
    "fs-rank": "FsRank",
    "listnet": "ListNet",
    "adarank": "AdaRank",
    "rankboost": "RankBoost",
    "coordinate-ascent": "CoordinateAscent",
    "mart": "Mart",
    "lambdamart": "LambdaMart",
    "blend": "Blend",
}

# What every class takes besides the parameters of its method.
COMMON: list[tuple[str, Any, str]] = [
    ("scaling", "none", "How features are brought to [0, 1]: `none`, `per-query` or `overall`."),
    ("threads", 0, "0 is one for every core. The result does not depend on it."),
    ("progress", None, "`True` for a bar, or something to call with a dict now and then."),
]

__all__ = ["FeatureRanker", *CLASSES.values()]


class FeatureRanker(Estimator):
    """Learns to rank feature vectors.

    Attributes
    ----------
    coef_ : array
        Of a linear ranker: a weight for every feature.
    feature_importances_ : array
        How much each feature counts: absolute weights, or the gains of trees.
    history_ : list of dict
        Rounds and losses on the way.
    n_features_in_, feature_names_in_
        The columns of X, and their names where it had any.
    """

    def fit(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None, validation: Any = None) -> FeatureRanker:
        """Learns from graded rows; ``validation`` is ``(X, y, qid)``, on which methods of many rounds choose theirs."""
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None: give grades")
        X, y = self._features(X, reset=True, y=y)
        if X.shape[0] < 2:
            raise DataError(f"X has n_samples = {X.shape[0]} sample; nothing can be ranked, give 2 or more")
        documents, _ = _given(X, y, qid, group)
        held_out = None
        if validation is not None:
            values, grades, *queries = validation
            values, grades = self._features(values, reset=False, y=grades)
            held_out, _ = _given(values, grades, queries[0] if queries else None, None)
        self.history_: list[Report] = []
        self.ranker_ = _Ranker(_qwd.Ranker.train(
            self._method, self._params(), documents, held_out, self.scaling, self.threads,
            listener(self.progress, self.history_)))
        return self

    def predict(self, X: Any, *, qid: Any = None, group: Any = None) -> Any:
        """Scores; the queries matter only to scaling per query."""
        self._check_fitted("ranker_")
        X = self._features(X, reset=False)
        documents, order = _given(X, np.zeros(X.shape[0]), qid, group)
        scores = np.empty(X.shape[0], dtype=np.float32)
        scores[order] = self.ranker_.inner.predict(documents, self.threads)
        return scores

    def rank(self, X: Any, *, qid: Any = None, group: Any = None) -> Any:
        """The place of each row among those of its query, from 0 for the best; ties to the earlier row."""
        scores = self.predict(X, qid=qid, group=group)
        order, sizes = query_sizes(len(scores), qid, group)
        places = np.empty(len(scores), dtype=np.int64)
        for rows in np.split(order, np.cumsum(sizes)[:-1]):
            places[rows[np.argsort(-scores[rows], kind="stable")]] = np.arange(len(rows))
        return places

    def score(self, X: Any, y: Any, *, qid: Any = None, group: Any = None, metric: str = "ndcg@10") -> float:
        """The mean of a metric over the queries."""
        self._check_fitted("ranker_")
        X, y = self._features(X, reset=False, y=y)
        return self.ranker_.inner.score(_given(X, y, qid, group)[0], metric, self.threads)

    @property
    def coef_(self) -> Any:
        """A weight for every feature."""
        if "ranker_" not in self.__dict__ or not self.ranker_.inner.is_linear():
            raise AttributeError("only a fitted linear ranker has coef_")
        return self.ranker_.inner.weights()

    @property
    def feature_importances_(self) -> Any:
        """How much each feature counts."""
        if "ranker_" not in self.__dict__:
            raise AttributeError("feature_importances_ are there after fit")
        return np.abs(self.ranker_.inner.weights())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the ranker as ``qwd rank train`` does."""
        self._check_fitted("ranker_")
        self.ranker_.inner.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FeatureRanker:
        """An estimator of a saved ranker of this method; ``FeatureRanker.load`` finds the class itself."""
        inner = _qwd.Ranker.load(os.fspath(path))
        method, params = inner.method()
        if method not in CLASSES:
            raise DataError(f"{os.fspath(path)} was trained with {method}, which qwd cannot train anew")
        found = globals()[CLASSES[method]]
        if not issubclass(found, cls):
            raise DataError(f"{os.fspath(path)} holds a {found.__name__}; load it with that class")
        estimator = found(**{name: value for name, value in json.loads(params).items() if name in found._own})
        estimator.ranker_, estimator.history_ = _Ranker(inner), []
        estimator.n_features_in_ = inner.n_features()
        return estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class _Ranker:
    """A compiled ranker that can be pickled."""

    def __init__(self, inner: _qwd.Ranker) -> None:
        self.inner = inner

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.inner.to_bytes(),)


def _unpickled(data: bytes) -> _Ranker:
    return _Ranker(_qwd.Ranker.from_bytes(data))


def _given(X: Any, y: Any, qid: Any, group: Any) -> tuple[Any, Any]:
    """Rows, grades and sizes with the rows of each query together, and the order that did it."""
    order, sizes = query_sizes(X.shape[0], qid, group)
    X = X.toarray() if is_sparse(X) else np.asarray(X)
    y = np.asarray(y)
    if y.dtype.kind not in "iub" and (y.dtype.kind != "f" or not np.array_equal(y, np.floor(y))):
        raise DataError(f"Unknown label type: y has grades of {y.dtype} that are no whole numbers; give grades from 0 to 31")
    with np.errstate(over="ignore"):  # what f32 cannot hold is refused by name below
        values = np.asarray(X[order], dtype=np.float32)
    return (values, np.ascontiguousarray(y[order], dtype=np.int32), [int(n) for n in sizes]), order


for _name, _class in CLASSES.items():
    globals()[_class] = make_class(FeatureRanker, _class, __name__, "ranking", _name, COMMON)
