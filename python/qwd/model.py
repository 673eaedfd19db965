"""A learned W in score(q, d) = qᵀWd, and its words."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _qwd
from ._matrix import csr_parts, to_scipy
from .errors import DataError, NotFittedError

__all__ = ["Model"]


class Model:
    """A model as the program saves it: scores, explains, tells which words are related.

    Make one with :meth:`load`, or take it from something fitted (``ranker.model_``). It never changes.
    """

    def __init__(self, inner: _qwd.Model) -> None:
        self._inner = inner

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Opens a model file; damage and unknown versions are told."""
        return cls(_qwd.Model.load(os.fspath(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """A model from the bytes of its file."""
        return cls(_qwd.Model.from_bytes(data))

    @classmethod
    def from_weights(cls, W: Any = None, *, U: Any = None, V: Any = None, identity: float = 0.0,
                     method: str = "given", params: dict[str, Any] | None = None) -> Model:
        """A model of a given sparse ``W``, or of ``U.T @ V + identity * I`` with a column for every word."""
        provenance = json.dumps({"method": method, "params": params or {}})
        if W is not None:
            return cls(_qwd.Model.of_sparse(csr_parts(W, "W"), provenance))
        of_queries, of_documents = (np.ascontiguousarray(np.asarray(side, dtype=np.float32).T) for side in (U, V))
        return cls(_qwd.Model.of_low_rank(of_queries, of_documents, identity, provenance))

    def with_vectorizers(self, query: Any, document: Any = None) -> Model:
        """The same W for texts: ``query`` and ``document`` are fitted :class:`qwd.Vectorizer`; one may be for both."""
        sides = query, query if document is None else document
        for side in sides:
            if not hasattr(side, "_inner"):
                raise NotFittedError("this Vectorizer is not fitted yet; call fit")
        return Model(self._inner.with_vectorizers(sides[0]._inner, sides[1]._inner))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the model, whole or not at all, as a file that the program reads."""
        self._inner.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """The bytes of the model's file: the same for the same data, parameters and seed."""
        return self._inner.to_bytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        about = self.describe()
        words = f"{about['n_query_words']} × {about['n_document_words']} words"
        return f"<qwd.Model {about['form']}, {words}, {about['n_parameters']} weights>"

    def describe(self) -> dict[str, Any]:
        """What the model is and where it comes from."""
        return json.loads(self._inner.describe())

    @property
    def form(self) -> str:
        """The form of W: identity, diagonal, sparse, low-rank, ..."""
        return self.describe()["form"]

    @property
    def density(self) -> float:
        """The share of entries of W that are not 0."""
        return self.describe()["density"]

    @property
    def shape(self) -> tuple[int, int]:
        """Query words by document words."""
        about = self.describe()
        return about["n_query_words"], about["n_document_words"]

    def vocabulary(self, side: str = "document") -> list[str] | None:
        """The words of a side in order, if the model reads text."""
        vectorizer = self._inner.vectorizer(side)
        return None if vectorizer is None else vectorizer.words()

    def score(self, query: str | Sequence[str], document: str | Sequence[str], *, threads: int = 0) -> Any:
        """The score of a query and a document, or of as many queries as documents."""
        if isinstance(query, str) and isinstance(document, str):
            return float(self._inner.score_texts([query], [document], 1)[0])
        documents = [document] if isinstance(document, str) else list(document)
        queries = [query] * len(documents) if isinstance(query, str) else list(query)
        if len(documents) == 1 and isinstance(document, str):
            documents = documents * len(queries)
        if len(queries) != len(documents):
            raise DataError(f"{len(queries)} queries and {len(documents)} documents; give as many of both, or one")
        return self._inner.score_texts(queries, documents, threads)

    def match(self, queries: Any, documents: Any, *, threads: int = 0) -> Any:
        """The scores of all documents (columns) for all queries (rows), of matrices over the model's words."""
        return self._inner.score_matrix(csr_parts(queries, "queries"), csr_parts(documents, "documents"), threads)

    def rank(self, queries: Any, documents: Any, k: int = 10, *, threads: int = 0) -> tuple[Any, Any]:
        """The best ``k`` documents for each query: row numbers and scores, best first, ties to the smaller number.

        Queries and documents are both texts or both matrices. One text as the query gives arrays of one dimension.
        """
        if isinstance(queries, str):
            numbers, scores = self._inner.rank_texts([queries], list(documents), k, 1)
            return numbers[0], scores[0]
        if _are_texts(queries):
            return self._inner.rank_texts(list(queries), list(documents), k, threads)
        return self._inner.rank_matrix(csr_parts(queries, "queries"), csr_parts(documents, "documents"), k, threads)

    def explain(self, query: str, document: str, k: int | None = None) -> list[tuple[str, str, float]]:
        """The score as a sum over word pairs: ``(query word, document word, part)``, the strongest first."""
        return self._inner.explain(query, document)[:k]

    def related(self, word: str, k: int = 10, *, side: str = "query") -> list[tuple[str, float]]:
        """The words of the other side with the strongest weights to a word of ``side``."""
        return self._inner.related(side, word, k)

    def vectors(self, texts: Sequence[str], *, side: str = "document", threads: int = 0) -> Any:
        """Texts as the rows of a SciPy CSR array over the model's words."""
        return to_scipy(self._inner.vectors(side, list(texts), threads))

    def project(self, X: Any, *, side: str = "document") -> Any:
        """Rows in the latent space of a low-rank W: scores are inner products there, but for its diagonal."""
        return self._inner.project(side, csr_parts(X))

    def weights(self) -> dict[str, Any]:
        """The learned numbers: ``W`` of a sparse, diagonal or dense form; ``U``, ``V`` and a diagonal of a low-rank one.

        Of a mixture, ``parts`` lists weights and the numbers of each part; ``U`` and ``V`` are those of its one latent part.
        """
        return _weights(self._inner.weights(), self.form, self.shape)


def _weights(raw: dict[str, Any], form: str, shape: tuple[int, int]) -> dict[str, Any]:
    if "sparse" in raw:
        return {"W": to_scipy(raw["sparse"])}
    if "dense" in raw:
        return {"W": raw["dense"]}
    if "u" in raw:
        extra: dict[str, Any] = {key: raw[key] for key in ("identity", "diagonal") if key in raw}
        return {"U": raw["u"].T, "V": raw["v"].T, **extra}
    if "query_bins" in raw:
        bins = {"query_bins": to_scipy(raw["query_bins"]), "document_bins": to_scipy(raw["document_bins"])}
        name, inner = raw["inner"]
        if name == "identity":  # sparse rows of both sides: W = UᵀV
            return {"U": bins["query_bins"].T, "V": bins["document_bins"].T}
        return {**bins, "inner": _weights(inner, name, (bins["query_bins"].shape[1], bins["document_bins"].shape[1]))}
    if "parts" in raw:
        parts = [(weight, _weights(part, name, shape)) for weight, name, part in raw["parts"]]
        latent = [part for _, part in parts if "U" in part]
        out: dict[str, Any] = {"parts": parts}
        return {**out, "U": latent[0]["U"], "V": latent[0]["V"]} if len(latent) == 1 else out
    if form in ("identity", "diagonal"):
        from scipy.sparse import dia_array

        diagonal = raw["diagonal"] if "diagonal" in raw else np.ones(shape[0], dtype=np.float32)
        return {"W": dia_array((diagonal[None, :], [0]), shape=shape).tocsr()}
    return {}


def _are_texts(values: Any) -> bool:
    return isinstance(values, (list, tuple)) and len(values) > 0 and all(isinstance(v, str) for v in values)
