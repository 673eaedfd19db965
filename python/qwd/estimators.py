"""W from matrices: one scikit-learn estimator for every training method, made from the program's own table.

``X`` has a row for every document. What says which document suits which query is one of

* ``fit(X, y)``: a class for every row; rows are queries for each other, and those of one class suit each other;
* ``fit(X, grades, queries=Q, qid=rows_of_Q)``, or ``group=`` sizes: graded pairs of a query and a document;
* ``fit(X, queries=Q, preferences=P)``: rows ``(query, better, worse)`` of ``P``, perhaps with a weight;
* ``fit(X, queries=Q, response=R)``: how strongly queries answer to documents, for ``Rmls``, ``Pls`` and ``SvdFeature``.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _qwd
from ._base import RENAMED, Estimator, make_class, query_sizes
from ._matrix import csr_parts, is_sparse, numbered_from_zero
from ._progress import Report, listener
from .errors import DataError, ParameterError
from .model import Model

# The classes by the names of their methods.
CLASSES = {
    "identity": "IdentityRanker",
    "diagonal": "DiagonalRanker",
    "sgd": "SgdRanker",
    "sparse-sgd": "SparseRanker",
    "adagrad": "AdagradRanker",
    "ftrl": "FtrlRanker",
    "group-lasso": "GroupLassoRanker",
    "low-rank": "LowRankRanker",
    "hash-kernels": "HashKernelsRanker",
    "sparse-projection": "SparseProjectionRanker",
    "lsi": "Lsi",
    "cl-lsi": "ClLsi",
    "rmls": "Rmls",
    "pls": "Pls",
    "svdfeature": "SvdFeature",
}

# Methods that learn from how strongly queries answer to documents.
RESPONSE = ("rmls", "pls", "svdfeature")

# Methods that need no sign of what suits what.
UNSUPERVISED = ("identity", "lsi")

# What every class takes besides the parameters of its method.
COMMON: list[tuple[str, Any, str]] = [
    ("start", None, "Where training starts: `identity` or `zero`; without it from I where both sides have as many columns."),
    ("tuples", 100_000, "The number of training tuples that are drawn from classes or grades."),
    ("passes", 1, "Passes over the tuples, each after the first in a new random order."),
    ("seed", 1, "The seed of all random choices."),
    ("threads", 0, "0 is one for every core. The result does not depend on it."),
    ("progress", None, "`True` for a bar, or something to call with a dict now and then."),
]

__all__ = ["MatrixRanker", *CLASSES.values()]


class MatrixRanker(Estimator):
    """Learns W in score(q, d) = qᵀWd from matrices.

    Attributes
    ----------
    model_ : qwd.Model
        The learned model.
    W_ : SciPy matrix or array
        The learned W, where its form has one.
    U_, V_ : arrays
        Of a low-rank form: W = U_.T @ V_, plus a diagonal if training started from I.
    history_ : list of dict
        Steps, losses and densities on the way.
    n_features_in_, feature_names_in_
        The columns of X, and their names where it had any.
    """

    def fit(self, X: Any, y: Any = None, *, queries: Any = None, qid: Any = None, group: Any = None,
            preferences: Any = None, response: Any = None) -> MatrixRanker:
        """Learns W; the module says what may be given."""
        return self._train(X, y, queries, qid, group, preferences, response, None)

    def _train(self, X: Any, y: Any, queries: Any, qid: Any, group: Any, preferences: Any, response: Any,
               before: Model | None) -> MatrixRanker:
        by_label = queries is None and preferences is None and response is None
        if by_label and y is None and self._method not in UNSUPERVISED:
            name = type(self).__name__
            raise DataError(f"{name} requires y to be passed, but the target y is None: give classes, or preferences")
        if y is None or not by_label:
            X = self._features(X, reset=before is None)
        else:
            X, y = self._features(X, reset=before is None, y=y)
        if X.shape[0] < 2:
            raise DataError(f"X has n_samples = {X.shape[0]} sample; nothing can be ranked, give 2 or more")
        n_queries = X.shape[0] if queries is None else _n_rows(queries)
        signal = self._signal(y, X.shape[0], n_queries, queries, qid, group, preferences, response)
        width = X.shape[1] if queries is None else queries.shape[1]
        can_match = width == X.shape[1] and (signal is not None or not by_label)
        start = "state" if before is not None else self.start or ("identity" if can_match else "zero")
        self.history_: list[Report] = [] if before is None else self.history_
        trained = _qwd.train_matrix(
            self._method, self._params(), json.dumps({"singletons": "skip"}), csr_parts(X, "X"),
            None if queries is None else csr_parts(queries, "queries"), signal,
            None if response is None else csr_parts(response, "response"), start, self.tuples, self.passes, self.seed,
            None if before is None else before._inner, self.threads, listener(self.progress, self.history_))
        self.model_ = Model(trained)
        return self

    def _signal(self, y: Any, n_documents: int, n_queries: int, queries: Any, qid: Any, group: Any, preferences: Any,
                response: Any) -> Any:
        """What says which row suits which, as columns."""
        if response is not None:
            if self._method not in RESPONSE:
                names = ", ".join(CLASSES[method] for method in RESPONSE)
                raise ParameterError(f"{type(self).__name__} learns from preferences, not from responses; use {names}")
            return None
        if preferences is not None:
            return _preferences(preferences, n_queries, n_documents)
        if y is None:
            if self._method in UNSUPERVISED:
                return None
            raise DataError("nothing says which document suits which query; give y with qid=, or preferences=")
        if queries is None:
            if qid is not None or group is not None:
                raise DataError("qid= and group= number the rows of queries; give queries= too")
            classes, numbers = np.unique(np.asarray(y), return_inverse=True)
            if len(classes) < 2:
                raise DataError("y has one class only; give rows of 2 or more, or preferences=")
            return np.ascontiguousarray(numbers, dtype=np.uint32)
        grades = np.asarray(y)
        if grades.shape != (n_documents,):
            raise DataError(f"y has shape {grades.shape} for {n_documents} rows; give one grade for each row of X")
        if grades.dtype.kind not in "iub" and not np.array_equal(grades, np.floor(grades)):
            raise DataError("y has grades that are no whole numbers; give grades from 0 up")
        if group is not None:
            _, sizes = query_sizes(n_documents, qid, group)
            qid = np.repeat(np.arange(len(sizes)), sizes)
        if qid is None:
            raise DataError("grades without queries; give qid= (a row of queries for each row of X) or group=")
        query_sizes(n_documents, qid, None)
        rows = np.arange(n_documents, dtype=np.uint32)
        return numbered_from_zero(qid, "qid", n_queries), rows, np.ascontiguousarray(grades, dtype=np.int32)

    def match(self, queries: Any, documents: Any) -> Any:
        """The scores of all documents (columns) for all queries (rows)."""
        self._check_fitted("model_")
        return self.model_.match(queries, documents, threads=self.threads)

    def best(self, queries: Any, documents: Any, k: int = 10) -> tuple[Any, Any]:
        """The best ``k`` documents for each query: row numbers and scores, best first."""
        self._check_fitted("model_")
        return self.model_.rank(queries, documents, k, threads=self.threads)

    def score(self, X: Any, y: Any, metric: str = "map") -> float:
        """A metric (``map``, or ``error``, negated) of labelled rows, each a query for the others."""
        self._check_fitted("model_")
        X, y = self._features(X, reset=False, y=y)
        numbers = np.unique(y, return_inverse=True)[1].astype(np.uint32)
        figures = json.loads(_qwd.evaluate_matrix(self.model_._inner, csr_parts(X), numbers, metric, self.threads))
        if metric not in figures["metrics"]:
            raise DataError("no row has another of its class to be found; give rows of which some share a class")
        return -figures["metrics"][metric] if metric == "error" else figures["metrics"][metric]

    def explain(self, query: Any, document: Any, k: int | None = None) -> list[tuple[Any, Any, float]]:
        """The score of two rows as a sum over pairs of columns, the strongest first; by name where there are names."""
        self._check_fitted("model_")
        rows = [csr_parts(row if hasattr(row, "tocsr") else np.atleast_2d(row)) for row in (query, document)]
        name = self._names()
        return [(name(s), name(t), value) for s, t, value in self.model_._inner.explain_rows(*rows)[:k]]

    def related(self, column: Any, k: int = 10, *, side: str = "query") -> list[tuple[Any, float]]:
        """The columns of the other side with the strongest weights to a column, given by number or name."""
        self._check_fitted("model_")
        if isinstance(column, str):
            names = list(getattr(self, "feature_names_in_", []))
            if column not in names:
                raise DataError(f"there is no column {column!r}; give one of feature_names_in_, or a number")
            column = names.index(column)
        name = self._names()
        return [(name(t), weight) for t, weight in self.model_._inner.related_terms(side, int(column), k)]

    def _names(self) -> Any:
        names = getattr(self, "feature_names_in_", None)
        return (lambda i: i) if names is None else (lambda i: names[i] if i < len(names) else i)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the model as the program does."""
        self._check_fitted("model_")
        self.model_.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> MatrixRanker:
        """An estimator of a saved model of this method."""
        model = Model.load(path)
        provenance = model.describe()["provenance"]
        if provenance["method"] != cls._method:
            raise DataError(f"{os.fspath(path)} was trained with {provenance['method']}; use qwd.Model.load")
        train = provenance["params"].get("train", {})
        params = {RENAMED.get(name, name): value for name, value in train.get("params", {}).items()}
        given = {name: value for name, value in params.items() if name in cls._own}
        estimator = cls(**given)
        estimator.model_, estimator.history_, estimator.n_features_in_ = model, [], model.shape[1]
        return estimator

    def _weight(self, name: str) -> Any:
        if "model_" not in self.__dict__:
            raise AttributeError(f"{name}_ is there after fit")
        weights = self.model_.weights()
        if name not in weights:
            raise AttributeError(f"a {self.model_.form} model has no {name}_; look at model_.weights()")
        return weights[name]

    @property
    def W_(self) -> Any:
        """The learned W."""
        return self._weight("W")

    @property
    def U_(self) -> Any:
        """Numbers of query columns."""
        return self._weight("U")

    @property
    def V_(self) -> Any:
        """Numbers of document columns."""
        return self._weight("V")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._method not in UNSUPERVISED
        return tags


class ResumingRanker(MatrixRanker):
    """Learns W in score(q, d) = qᵀWd from matrices, and can go on with more of them.

    Attributes
    ----------
    model_, W_, history_, n_features_in_, feature_names_in_
        As of MatrixRanker.
    """

    def partial_fit(self, X: Any, y: Any = None, *, queries: Any = None, qid: Any = None, group: Any = None,
                    preferences: Any = None) -> ResumingRanker:
        """Goes on from where training stopped, with more rows over the same columns."""
        before = getattr(self, "model_", None)
        return self._train(X, y, queries, qid, group, preferences, None, before)


class LatentRanker(MatrixRanker):
    """Learns a W of low rank from matrices, and brings rows into its space.

    Attributes
    ----------
    model_, U_, V_, history_, n_features_in_, feature_names_in_
        As of MatrixRanker.
    """

    def transform(self, X: Any) -> Any:
        """Documents as rows of few numbers."""
        self._check_fitted("model_")
        X, V = self._features(X, reset=False), self.V_
        # Words beyond the most frequent ones may have no numbers.
        numbers = X[:, : V.shape[1]] @ V.T
        return numbers.toarray() if is_sparse(numbers) else np.asarray(numbers)

    def fit_transform(self, X: Any, y: Any = None, **given: Any) -> Any:
        """Learns W and returns the documents in its space."""
        return self.fit(X, y, **given).transform(X)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the dimensions."""
        self._check_fitted("model_")
        name = type(self).__name__.lower()
        return np.array([f"{name}{i}" for i in range(self.U_.shape[0])], dtype=object)


def _n_rows(queries: Any) -> int:
    if not hasattr(queries, "shape") or len(queries.shape) != 2:
        raise DataError("queries are no matrix; give one with a row for every query")
    return queries.shape[0]


def _preferences(preferences: Any, n_queries: int, n_documents: int) -> Any:
    table = np.asarray(preferences.to_numpy() if hasattr(preferences, "to_numpy") else preferences)
    if table.ndim != 2 or table.shape[1] not in (3, 4) or table.dtype.kind not in "iuf":
        raise DataError(f"preferences have shape {table.shape} of {table.dtype}; give columns query, better, worse "
                        "and perhaps weight, all of them row numbers but the weight")
    if table.dtype.kind == "f" and not np.isfinite(table).all():
        raise DataError("preferences contain NaN or infinity; remove those rows")
    weights = table[:, 3] if table.shape[1] == 4 else np.ones(len(table))
    return (numbered_from_zero(table[:, 0], "the query of a preference", n_queries),
            numbered_from_zero(table[:, 1], "the better document of a preference", n_documents),
            numbered_from_zero(table[:, 2], "the worse document of a preference", n_documents),
            np.ascontiguousarray(weights, dtype=np.float32))


# Which methods keep what they need to go on, and which make a latent space.
_RESUMING = ("diagonal", "sgd", "sparse-sgd", "adagrad", "ftrl", "low-rank", "hash-kernels")
_LATENT = ("lsi", "cl-lsi", "rmls", "pls", "svdfeature")

for _name, _class in CLASSES.items():
    _base = ResumingRanker if _name in _RESUMING else LatentRanker if _name in _LATENT else MatrixRanker
    globals()[_class] = make_class(_base, _class, __name__, "matching", _name, COMMON)
