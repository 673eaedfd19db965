"""What all estimators share, with scikit-learn's base class where it is installed and a small one where it is not."""

from __future__ import annotations

import inspect
import json
from typing import Any

import numpy as np

from . import _qwd, errors
from ._matrix import is_sparse

try:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError as _SklearnNotFitted
    from sklearn.utils.validation import validate_data

    HAS_SKLEARN = True

    class _NotFitted(errors.NotFittedError, _SklearnNotFitted):
        """Both ours and scikit-learn's."""

except ImportError:
    HAS_SKLEARN = False
    _NotFitted = errors.NotFittedError  # type: ignore[misc,assignment]

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters by name, as scikit-learn has them."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            names = [name for name in inspect.signature(type(self).__init__).parameters if name != "self"]
            return {name: getattr(self, name) for name in names}

        def set_params(self, **params: Any) -> BaseEstimator:
            for name, value in params.items():
                if name not in self.get_params():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}.")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            return f"{type(self).__name__}()"


TABLES: dict[str, list[dict[str, Any]]] = json.loads(_qwd.method_tables())

Parameter = tuple[str, Any, str]

# Parameters whose names in the program are those of methods here.
RENAMED = {"fit": "objective"}


def parameters_of(kind: str, method: str) -> list[Parameter]:
    """The parameters of a method: name, default and meaning. ``None`` stands for a default that is no plain value."""
    found = next(m for m in TABLES[kind] if m["name"] == method)
    plain = (str, int, float, bool)
    return [(RENAMED.get(p["name"], p["name"]), p["default"] if isinstance(p["default"], plain) else None, p["doc"])
            for p in found["parameters"]]


def make_class(base: type, name: str, module: str, kind: str, method: str, common: list[Parameter]) -> type:
    """Makes the class of a method from the table that also feeds the program's help."""
    own = parameters_of(kind, method)
    shared = [p for p in common if p[0] not in {q[0] for q in own}]
    summary = next(m["summary"] for m in TABLES[kind] if m["name"] == method)
    attributes = {
        "__doc__": _documentation(summary, method, own + shared, base),
        "__init__": _constructor([*own, *shared]),
        "__module__": module,
        "__qualname__": name,
        "_method": method,
        "_own": tuple(p[0] for p in own),
    }
    return type(name, (base,), attributes)


def _constructor(parameters: list[Parameter]) -> Any:
    defaults = {name: default for name, default, _ in parameters}

    def __init__(self: Any, **given: Any) -> None:
        for name in given:
            if name not in defaults:
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(sorted(defaults))}")
        for name, default in defaults.items():
            setattr(self, name, given.get(name, default))

    keyword_only = inspect.Parameter.KEYWORD_ONLY
    signature = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    signature += [inspect.Parameter(name, keyword_only, default=default) for name, default in defaults.items()]
    __init__.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    return __init__


def _documentation(summary: str, method: str, parameters: list[Parameter], base: type) -> str:
    lines = [f"{summary[0].upper()}{summary[1:]}.", "", f"The method `{method}` of the program.", "", "Parameters", "----------"]
    for name, default, doc in parameters:
        lines += [f"{name} : default {default!r}", f"    {doc}"]
    return "\n".join(lines) + "\n" + inspect.cleandoc(base.__doc__ or "").partition("\n")[2]


class Estimator(BaseEstimator):
    """Stores parameters, checks matrices, and knows whether it is fitted."""

    _method: str
    _own: tuple[str, ...]

    def _params(self) -> str:
        """The method's own parameters as JSON; ``None`` is the default."""
        of_program = {python: program for program, python in RENAMED.items()}
        own = {of_program.get(name, name): getattr(self, name) for name in self._own}
        own = {name: value for name, value in own.items() if value is not None}
        try:
            return json.dumps(own, default=_plain)
        except TypeError as e:
            raise errors.ParameterError(f"a parameter of {type(self).__name__} is no plain value: {e}") from e

    def _check_fitted(self, attribute: str) -> None:
        if not hasattr(self, attribute):
            raise _NotFitted(f"this {type(self).__name__} instance is not fitted yet; call fit first")

    def _features(self, X: Any, *, reset: bool, y: Any = None) -> Any:
        """A checked matrix, or with ``y`` a checked pair of both; learns or checks the number and names of columns."""
        options: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float32, np.float64], "reset": reset}
        if not HAS_SKLEARN:
            return self._features_alone(X, reset=reset, y=y)
        if y is None:
            return validate_data(self, X, **options)
        return validate_data(self, X, y, **options)

    def _features_alone(self, X: Any, *, reset: bool, y: Any) -> Any:
        names = [str(name) for name in getattr(X, "columns", [])]
        if not is_sparse(X):
            X = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
            if X.ndim != 2 or X.dtype.kind not in "biuf":
                raise errors.DataError(f"X has {X.ndim} dimensions of {X.dtype}; give a matrix of numbers")
            if not np.isfinite(X).all():
                raise errors.DataError("Input X contains NaN or infinity; replace or remove it")
        if reset:
            self.n_features_in_ = X.shape[1]
            if names:
                self.feature_names_in_ = np.array(names, dtype=object)
        elif X.shape[1] != self.n_features_in_:
            expected = f"{type(self).__name__} is expecting {self.n_features_in_} features as input"
            raise errors.DataError(f"X has {X.shape[1]} features, but {expected}")
        if y is None:
            return X
        y = np.asarray(y).ravel()
        if len(y) != X.shape[0]:
            raise errors.DataError(f"X has {X.shape[0]} rows and y {len(y)} values; give one for each row")
        return X, y

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} {value!r}")


def query_sizes(n_rows: int, qid: Any, group: Any) -> tuple[Any, Any]:
    """The order that brings the rows of each query together, and the number of rows of each."""
    if qid is not None and group is not None:
        raise errors.DataError("both qid and group are given; give one of them")
    if group is not None:
        sizes = np.asarray(group)
        if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes.size and sizes.min() < 1):
            raise errors.DataError("group is not a list of sizes; give the number of rows of each query, at least 1")
        if sizes.sum() != n_rows:
            raise errors.DataError(f"the groups have {sizes.sum()} rows in all, X has {n_rows}; give one size for each query")
        return np.arange(n_rows), sizes
    if qid is None:
        return np.arange(n_rows), np.array([n_rows])
    qid = np.asarray(qid)
    if qid.ndim != 1 or len(qid) != n_rows:
        raise errors.DataError(f"qid has {qid.size} values for {n_rows} rows; give one for each row")
    if qid.dtype.kind == "f" or (qid.dtype.kind == "O" and any(q is None for q in qid)):
        raise errors.DataError("qid has values that are no whole numbers or texts; give every row the id of its query")
    if qid.dtype.kind == "i" and qid.size and qid.min() < 0:
        raise errors.DataError(f"qid has the negative value {qid.min()}; give ids from 0, or texts")
    order = np.argsort(qid, kind="stable")
    _, sizes = np.unique(qid, return_counts=True)
    return order, sizes
