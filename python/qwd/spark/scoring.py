"""Vectors, scores and searches of many rows, partition by partition."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _qwd
from ..errors import DataError, NotFittedError
from ..index import Index
from ..model import Model
from ..text import Vectorizer
from ._arrow import check_columns, check_ids, texts_of

__all__ = ["score", "search", "vectorize"]


def vectorize(frame: Any, model: Model | Vectorizer, side: str = "document") -> Any:
    """Texts (``id``, ``text``) as vectors (``id``, ``indices``, ``values``) over the words of a model's side or a vectorizer."""
    check_columns(frame, "texts", ("id", "text"))
    check_ids(frame, "texts", ("id",))
    sent = frame.sparkSession.sparkContext.broadcast(_words(model, side))
    ids = next(field for field in frame.schema.fields if field.name == "id").dataType.simpleString()

    def work(parts: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in parts:
            _, indptr, indices, values = sent.value.transform(texts_of(batch["text"]), 1)
            offsets = pa.array(indptr.astype(np.int32))
            columns = [batch["id"], pa.ListArray.from_arrays(offsets, pa.array(indices)),
                       pa.ListArray.from_arrays(offsets, pa.array(values))]
            yield pa.RecordBatch.from_arrays(columns, names=["id", "indices", "values"])

    return frame.select("id", "text").mapInArrow(work, f"id {ids}, indices array<int>, values array<float>")


def _words(model: Model | Vectorizer, side: str) -> Any:
    if isinstance(model, Vectorizer):
        if not hasattr(model, "_inner"):
            raise NotFittedError("this Vectorizer is not fitted yet; call fit, or fit_vectorizer")
        return model._inner
    words = model._inner.vectorizer(side)
    if words is None:
        raise DataError(f"the model has no vocabulary for {side} words; train it from text")
    return words


def score(pairs: Any, model: Model) -> Any:
    """The column ``score`` beside columns ``query`` and ``document`` of texts."""
    check_columns(pairs, "pairs", ("query", "document"))
    sent = pairs.sparkSession.sparkContext.broadcast(model.to_bytes())

    def work(parts: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        opened = _qwd.Model.from_bytes(sent.value)
        for batch in parts:
            queries, documents = (texts_of(batch[name]) for name in ("query", "document"))
            scores = opened.score_texts(queries, documents, 1)
            columns = [*batch.columns, pa.array(scores)]
            yield pa.RecordBatch.from_arrays(columns, names=[*batch.schema.names, "score"])

    from pyspark.sql.types import DoubleType, StructField, StructType

    return pairs.mapInArrow(work, StructType([*pairs.schema.fields, StructField("score", DoubleType())]))


def search(queries: Any, folder: str | os.PathLike[str], k: int = 10) -> Any:
    """The best ``k`` documents of an index for queries (``id``, ``text``): ``query``, ``document``, ``rank``, ``score``.

    The folder must be there on every executor, as on a shared disk.
    """
    check_columns(queries, "queries", ("id", "text"))
    check_ids(queries, "queries", ("id",))
    place = os.fspath(folder)
    ids = next(field for field in queries.schema.fields if field.name == "id").dataType.simpleString()

    def work(parts: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        index = Index.open(place)
        for batch in parts:
            names, scores = index._inner.search(texts_of(batch["text"]), k, [], False, False, False, 1)
            sizes = [len(found) for found in names]
            columns = [
                batch["id"].take(pa.array(np.repeat(np.arange(len(sizes)), sizes))),
                pa.array([name for found in names for name in found], pa.string()),
                pa.array([rank for n in sizes for rank in range(1, n + 1)], pa.int32()),
                pa.array(np.concatenate([row[:n] for row, n in zip(scores, sizes)] or [np.zeros(0, np.float32)]), pa.float32()),
            ]
            yield pa.RecordBatch.from_arrays(columns, names=["query", "document", "rank", "score"])

    return queries.select("id", "text").mapInArrow(work, f"query {ids}, document string, rank int, score float")
