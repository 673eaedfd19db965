"""Matrices from NumPy, SciPy, pandas and polars as the parts of a CSR matrix, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import DataError

Parts = tuple[int, Any, Any, Any]


def is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr") and hasattr(X, "shape")


def csr_parts(X: Any, name: str = "X") -> Parts:
    """``(n_columns, indptr, indices, data)`` of a dense or sparse matrix; float32 and int32 stay as they are."""
    if is_sparse(X):
        X = X if getattr(X, "format", "") == "csr" else X.tocsr()
        if len(X.shape) != 2:
            raise DataError(f"{name} is a sparse array of {len(X.shape)} dimensions; give one with 2")
        indptr, indices = (a if a.dtype in (np.int32, np.int64) else a.astype(np.int64) for a in (X.indptr, X.indices))
        return X.shape[1], np.ascontiguousarray(indptr), np.ascontiguousarray(indices), numbers(X.data, name)
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    X = np.asarray(X)
    if X.ndim != 2:
        raise DataError(f"{name} has {X.ndim} dimensions; give a matrix with a row for each item")
    X = numbers(X, name)
    present = X != 0
    indptr = np.zeros(X.shape[0] + 1, dtype=np.int64)
    np.cumsum(present.sum(axis=1), out=indptr[1:])
    return X.shape[1], indptr, np.nonzero(present)[1].astype(np.int64), np.ascontiguousarray(X[present])


def numbers(values: Any, name: str) -> Any:
    """Values as float32 or float64, if they are real numbers."""
    values = np.asarray(values)
    if values.dtype in (np.float32, np.float64):
        return np.ascontiguousarray(values)
    if values.dtype.kind in "biuf":
        return np.ascontiguousarray(values, dtype=np.float64)
    raise TypeError(f"{name} has values of type {values.dtype}; give real numbers, float32 best of all")


def to_scipy(parts: Parts) -> Any:
    """A SciPy CSR array."""
    n_cols, indptr, indices, data = parts
    try:
        from scipy.sparse import csr_array
    except ImportError as e:
        raise ImportError("sparse matrices need SciPy: pip install scipy") from e
    matrix = csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_cols))
    matrix.has_sorted_indices = True
    return matrix


def numbered_from_zero(values: Any, name: str, upper: int) -> Any:
    """Row numbers as uint32, checked."""
    values = np.asarray(values)
    if values.size == 0:
        return values.astype(np.uint32)
    if values.dtype.kind not in "iu":
        if values.dtype.kind != "f" or not np.array_equal(values, np.floor(values)):
            raise TypeError(f"{name} has values of type {values.dtype}; give whole numbers")
    if values.min() < 0 or values.max() >= upper:
        worst = values.min() if values.min() < 0 else values.max()
        raise DataError(f"{name} names row {worst} of {upper}; number rows from 0")
    return np.ascontiguousarray(values, dtype=np.uint32)
