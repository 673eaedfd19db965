"""An index made by many: every partition writes the segments of its documents, the driver puts them together."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import _qwd, _records
from ..index import Index
from ..model import Model
from ._arrow import check_columns, check_ids

__all__ = ["build_index"]


def build_index(documents: Any, model: Model, folder: str | os.PathLike[str], *, expand: str = "queries",
                prune: int | None = None) -> Index:
    """An index of documents (``id``, ``text``, whatever filters may ask for): its segment has the bytes of one machine's.

    Documents are numbered as the DataFrame has them, or by a column ``order``; of two with one id the later stays. The
    folder, which must hold no index yet, and its parent must be there on every executor, as on a shared disk.
    """
    check_columns(documents, "documents", ("id", "text"))
    check_ids(documents, "documents", ("id", "text"))
    place = Path(os.path.abspath(os.fspath(folder)))
    index = Index.build([], model, place, expand=expand, prune=prune)
    parts = tempfile.mkdtemp(prefix=f"{place.name}.parts-", dir=place.parent)
    if "order" in documents.columns:
        documents = documents.repartitionByRange("order").sortWithinPartitions("order").drop("order")
    sent = documents.sparkSession.sparkContext.broadcast(model.to_bytes())
    try:
        written = documents.mapInArrow(_write(sent, parts, json.dumps({"expand": expand, "prune": prune})), "part int, folder string")
        index._inner.adopt([row["folder"] for row in sorted(written.collect())])
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    finally:
        sent.unpersist()
        shutil.rmtree(parts, ignore_errors=True)
    return index


def _write(sent: Any, parts: str, params: str) -> Any:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyspark import TaskContext

        lines = [line for batch in batches for line in _records.documents(batch.to_pylist())[0]]
        task = TaskContext.get()
        if not lines or task is None:
            return
        # A part that is made twice, because an executor was lost or slow, has a folder for each time.
        number = task.partitionId()
        folder = os.path.join(parts, f"{number}-{task.taskAttemptId()}")
        _qwd.Index.build(folder, _qwd.Model.from_bytes(sent.value), lines, None, params, 1, None)
        yield pa.RecordBatch.from_arrays([pa.array([number], pa.int32()), pa.array([folder])], names=["part", "folder"])

    return work
