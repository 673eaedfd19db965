"""An index on disk: documents and a model, and exact best hits."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _qwd, _records
from ._progress import Progress, listener
from .model import Model

__all__ = ["Index"]


class Index:
    """Documents, a model and all that finds them: the folder that ``qwd index`` makes.

    >>> ids, scores = index.search(["red car", "open sea"], k=10)
    """

    def __init__(self, inner: _qwd.Index) -> None:
        self._inner = inner

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Index:
        """Opens an index."""
        return cls(_qwd.Index.open(os.fspath(folder)))

    @classmethod
    def build(cls, documents: Any, model: Model, folder: str | os.PathLike[str] | None = None, *, expand: str = "queries",
              prune: int | None = None, threads: int = 0, progress: Progress = None) -> Index:
        """Indexes documents. Without a folder the index lives in a temporary one for as long as this object does."""
        owned = None
        if folder is None:
            folder = owned = tempfile.mkdtemp(prefix="qwd-index-")
        params = json.dumps({"expand": expand, "prune": prune})
        dataset = documents if isinstance(documents, _qwd.Dataset) else None
        try:
            lines = [] if dataset is not None else _records.documents(documents)[0]
            inner = _qwd.Index.build(os.fspath(folder), model._inner, lines, dataset, params, threads, listener(progress))
        except BaseException:
            if owned is not None:
                shutil.rmtree(owned, ignore_errors=True)
            raise
        index = cls(inner)
        if owned is not None:
            weakref.finalize(index, shutil.rmtree, owned, ignore_errors=True)
        return index

    def search(self, queries: str | Iterable[str], k: int = 10, *, filters: Sequence[str] = (), all: bool = False,
               correct_spelling: bool = False, threads: int = 0) -> tuple[Any, Any]:
        """The exact best ``k`` documents: ``(ids, scores)``, a row for each query, best first.

        Hits are documents with a score above 0, or any with ``all=True``; a query with fewer has ``None`` and NaN behind
        them. One text gives arrays of one dimension, without padding. A part of a query in double quotes is a phrase.
        """
        texts = [queries] if isinstance(queries, str) else list(queries)
        filters = [filters] if isinstance(filters, str) else list(filters)
        names, scores = self._inner.search(texts, k, filters, all, correct_spelling, True, threads)
        if isinstance(queries, str):
            found = len(names[0])
            return _objects(names, found)[0], scores[0, :found]
        return _objects(names, scores.shape[1]), scores

    def run(self, queries: Any, k: int = 1000, **options: Any) -> dict[str, dict[str, float]]:
        """The best ``k`` for queries with ids as a dict of dicts, for pytrec_eval, ranx, ir_measures and ``qwd.evaluate``; quotes in
        them are text."""
        pairs = _records.queries(queries)
        names, scores = self._inner.search(
            [text for _, text in pairs], k, list(options.pop("filters", ())), options.pop("all", False),
            options.pop("correct_spelling", False), False, options.pop("threads", 0), **options)
        return {query: dict(zip(of_query, map(float, row))) for (query, _), of_query, row in zip(pairs, names, scores)}

    def answer(self, query: str, k: int = 10, *, filters: Sequence[str] = (), all: bool = False,
               correct_spelling: bool = True) -> dict[str, Any]:
        """All about one query: hits with documents, passages and reasons, unknown words and corrections."""
        filters = [filters] if isinstance(filters, str) else list(filters)
        return json.loads(self._inner.answer(query, k, filters, all, correct_spelling))

    def add(self, documents: Any, *, threads: int = 0, progress: Progress = None) -> None:
        """Adds documents; those with the ids of others replace them. All are visible at once."""
        self._inner.add(_records.documents(documents)[0], threads, listener(progress))

    def delete(self, ids: str | Iterable[str]) -> int:
        """Deletes documents by their ids; returns how many there were."""
        return self._inner.delete([ids] if isinstance(ids, str) else [_records.text_id(i, "a document") for i in ids])

    def merge(self) -> None:
        """Merges all segments into one, without what was deleted."""
        self._inner.merge()

    def set_model(self, model: Model) -> None:
        """Puts another model in the place of the index's own."""
        self._inner.set_model(model._inner)

    def reload(self) -> bool:
        """Looks for the commits of other writers; tells whether there was one."""
        return self._inner.reload()

    def document(self, id: str) -> dict[str, Any] | None:
        """A document by its id."""
        line = self._inner.document(id)
        return None if line is None else json.loads(line)

    def describe(self) -> dict[str, Any]:
        """What is in the index."""
        return json.loads(self._inner.describe())

    @property
    def model(self) -> Model:
        """The model that ranks."""
        return Model(self._inner.model())

    @property
    def folder(self) -> str:
        """Where the index lies."""
        return os.fspath(self._inner.folder())

    def __len__(self) -> int:
        return self._inner.n_documents()

    def __repr__(self) -> str:
        return f"<qwd.Index of {len(self)} documents in {self.folder}>"


def _objects(names: list[list[str]], width: int) -> Any:
    """Lists of names as one array of objects, padded with None."""
    table = np.full((len(names), width), None, dtype=object)
    for i, row in enumerate(names):
        table[i, : len(row)] = row
    return table
