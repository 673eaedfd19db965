"""Arrow batches as sparse blocks and back, and what DataFrames are checked for before a cluster is put to work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .._base import parameters_of
from ..errors import DataError, ParameterError

Parts = tuple[int, Any, Any, Any]


# What Spark may call the types of columns; ids may have any.
WHOLE = ("tinyint", "smallint", "int", "bigint")
TYPES = {
    "text": ("string",),
    "indices": ("array<int>", "array<bigint>"),
    "values": ("array<float>", "array<double>"),
    "response": ("float", "double", *WHOLE),
    "order": WHOLE,
}


def check_columns(frame: Any, kind: str, names: Iterable[str]) -> None:
    """Names the columns that a DataFrame lacks, or that are of a wrong type."""
    if not hasattr(frame, "mapInArrow"):
        raise TypeError(f"{kind} are of type {type(frame).__name__}; give a DataFrame of Spark")
    types = dict(frame.dtypes)
    for name in names:
        if name not in types:
            raise DataError(f"{kind} have no column {name!r} (there are {sorted(types)}); rename or add it")
    for name in (*names, *(["order"] if "order" in types else [])):
        if name in TYPES and types[name] not in TYPES[name]:
            raise DataError(f"{kind} have a column {name!r} of type {types[name]}; cast it to {TYPES[name][0]}")


def check_ids(frame: Any, kind: str, names: Iterable[str]) -> None:
    """Refuses null ids: one look at the data, before anything is computed."""
    from pyspark.sql import functions as F

    for name in names:
        if frame.where(F.col(name).isNull()).limit(1).count():
            raise DataError(f"{kind} have a null in column {name!r}; remove those rows")


def settings_of(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """All parameters of a method, by default or as given."""
    defaults = {name: default for name, default, _ in parameters_of("matching", method)}
    for name in params:
        if name not in defaults:
            raise ParameterError(f"{method} has no parameter {name!r}; it has {', '.join(sorted(defaults))}")
    return {**defaults, **params}


def texts_of(column: Any) -> list[str]:
    """The texts of a column; a missing one is empty."""
    return [text or "" for text in column.to_pylist()]


def flat(column: Any) -> tuple[Any, Any]:
    """The offsets and values of a list column."""
    offsets = column.offsets.to_numpy()
    values = column.values.to_numpy(zero_copy_only=False)
    return offsets - offsets[0], values[offsets[0] : offsets[-1]]


def block(indices: Any, values: Any, n_columns: int) -> Parts:
    """List columns of indices and values as the parts of a CSR matrix."""
    indptr, columns = flat(indices)
    _, numbers = flat(values)
    return n_columns, indptr.astype(np.int64), columns.astype(np.int64), numbers.astype(np.float32)


def stacked(blocks: list[Parts], n_columns: int) -> Parts:
    """Blocks one below the other."""
    if not blocks:
        return n_columns, np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
    sizes = np.concatenate([[0], np.cumsum([len(part[2]) for part in blocks])])
    indptr = np.concatenate([[0], *[part[1][1:] + size for part, size in zip(blocks, sizes)]])
    return n_columns, indptr, np.concatenate([p[2] for p in blocks]), np.concatenate([p[3] for p in blocks])


def sorted_rows(parts: Parts) -> Parts:
    """The same rows with increasing columns, which lists that were gathered need not have."""
    n_columns, indptr, indices, values = parts
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((indices, rows))
    return n_columns, indptr, np.ascontiguousarray(indices[order]), np.ascontiguousarray(values[order])


def batches(table: dict[str, Any], schema: Any, size: int = 10_000) -> Iterator[Any]:
    """Columns as record batches that stay small."""
    import pyarrow as pa

    columns = [pa.array(table[field.name], type=field.type) for field in schema]
    yield from pa.Table.from_arrays(columns, schema=schema).to_batches(max_chunksize=size)


def lists(values: Any, width: int) -> Any:
    """The rows of a table as a list column."""
    import pyarrow as pa

    values = np.ascontiguousarray(values, dtype=np.float32)
    return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), width).cast(pa.list_(pa.float32()))
