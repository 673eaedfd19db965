"""RMLS and PLS on a cluster: the cross-product matrix M by join and aggregation, then its products with tables.

M = (1/nˣ) Σᵢ (1/nᵢ) Σⱼ rᵢⱼ xᵢ yⱼᵀ is a DataFrame of sparse rows that stays on the executors, once by query words and once
by document words. An iteration sends a table of as many numbers a word to every executor, and brings the rows that they
make of it back: M itself never moves. A lost executor costs the recomputation of its rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _qwd
from ..errors import DataError, ParameterError
from ..model import Model
from ._arrow import batches, block, check_columns, check_ids, flat, lists, settings_of, sorted_rows, stacked

__all__ = ["CrossProduct", "cross_product", "fit_pls", "fit_rmls"]

VECTOR = ("id", "indices", "values")


class CrossProduct:
    """M on the cluster, by rows and by columns, and the means that centring takes off."""

    def __init__(self, rows: Any, columns: Any, shape: tuple[int, int], means: tuple[Any, Any], n_answered: int,
                 damping: float) -> None:
        self.rows, self.columns, self.shape, self.means = rows, columns, shape, means
        self.n_answered, self.damping = n_answered, damping

    def unpersist(self) -> None:
        """Frees the memory of the executors."""
        self.rows.unpersist()
        self.columns.unpersist()

    def times(self, table: Any, *, transposed: bool = False, centred: bool = False, chosen: tuple[str, str] | None = None) -> Any:
        """M times a table (or Mᵀ times one); with ``chosen`` the best rows of RMLS in place of the products.

        Returns the rows, and what they align and the sum of their absolute numbers where rows were chosen.
        """
        frame = self.columns if transposed else self.rows
        n_out, n_in = self.shape[::-1] if transposed else self.shape
        of_rows, of_columns = self.means[::-1] if transposed else self.means
        table = np.ascontiguousarray(table, dtype=np.float32)
        off: Any = (of_columns.astype(np.float64) @ table.astype(np.float64)).astype(np.float32) if centred else None
        sent = frame.sparkSession.sparkContext.broadcast((table, off, of_rows if centred else None))
        try:
            made = frame.mapInArrow(_product(sent, n_in, table.shape[1], chosen), "row int, numbers array<float>, aligned double, total double")
            gathered = made.toArrow()
        finally:
            sent.unpersist()
        out = np.zeros((n_out, table.shape[1]), dtype=np.float32)
        aligned = total = 0.0
        found = np.zeros(n_out, dtype=bool)
        for batch in gathered.to_batches():
            if batch.num_rows:
                rows = batch["row"].to_numpy()
                out[rows] = flat(batch["numbers"])[1].reshape(len(rows), -1)
                found[rows] = True
                aligned += float(np.sum(batch["aligned"].to_numpy()))
                total += float(np.sum(batch["total"].to_numpy()))
        if centred:
            # A word that M has no row for still has its mean taken off.
            rest = np.flatnonzero(~found & (of_rows != 0))
            values = -of_rows[rest, None] * off[None, :]
            if chosen is not None and len(rest):
                values, more, sums = _qwd.rmls_rows(*chosen, np.ascontiguousarray(values, dtype=np.float32))
                aligned, total = aligned + more, total + sums
            out[rest] = values
        return (out, aligned, total) if chosen is not None else out


def _product(sent: Any, n_in: int, width: int, chosen: tuple[str, str] | None) -> Any:
    def work(parts: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        table, off, of_rows = sent.value
        for batch in parts:
            if not batch.num_rows:
                continue
            rows = batch["row"].to_numpy()
            numbers = _qwd.times(sorted_rows(block(batch["indices"], batch["values"], n_in)), table)
            if off is not None:
                numbers = numbers - of_rows[rows, None] * off[None, :]
            aligned = total = 0.0
            if chosen is not None:
                numbers, aligned, total = _qwd.rmls_rows(*chosen, np.ascontiguousarray(numbers, dtype=np.float32))
            sums = np.zeros((2, len(rows)))
            sums[:, 0] = aligned, total
            columns = [pa.array(rows, pa.int32()), lists(numbers, width), pa.array(sums[0]), pa.array(sums[1])]
            yield pa.RecordBatch.from_arrays(columns, names=["row", "numbers", "aligned", "total"])

    return work


def cross_product(queries: Any, documents: Any, responses: Any, shape: tuple[int, int], *, damping: float = 0.0) -> CrossProduct:
    """M of vectors and responses; ``shape`` is the number of query words and of document words.

    With ``damping``, queries of many responses weigh less: from 0 (as given) to 1 (every query the same).
    """
    from pyspark.sql import functions as F

    if not 0 <= damping <= 1:
        raise ParameterError(f"parameter damping = {damping}: expected 0 (as given) to 1 (every query weighs the same)")
    for frame, kind in ((queries, "queries"), (documents, "documents")):
        check_columns(frame, kind, VECTOR)
        check_ids(frame, kind, ("id",))
    check_columns(responses, "responses", ("query", "document", "response"))
    check_ids(responses, "responses", ("query", "document", "response"))
    if responses.where(~(F.col("response") > 0)).limit(1).count():
        raise DataError("responses have values that are not above 0; give only pairs with clicks")
    n_answered = responses.select("query").distinct().count()
    if n_answered == 0:
        raise DataError("no query has a response: the click graph is empty; give clicks or judgments")
    answered = responses.join(documents.withColumnRenamed("id", "document"), "document")
    by_query = answered.groupBy("query").agg(
        F.collect_list("response").alias("responses"), F.collect_list("indices").alias("answers"),
        F.collect_list("values").alias("weights"))
    pairs = by_query.join(queries.withColumnRenamed("id", "query"), "query")
    parts = pairs.mapInArrow(_part(shape, n_answered, damping), "kind int, row int, column int, value double").persist()
    try:
        entries = parts.where("kind = 0").groupBy("row", "column").agg(F.sum("value").alias("value"))
        rows, columns = _by(entries, "row", "column"), _by(entries, "column", "row")
        # Both are made now, so that what they are made of can be let go.
        rows.count(), columns.count()
        means = [np.zeros(n, dtype=np.float64) for n in shape]
        for kind, row, value in parts.where("kind > 0").groupBy("kind", "row").agg(F.sum("value")).collect():
            means[kind - 1][row] = value
    finally:
        parts.unpersist()
    # As on one machine, a single query has nothing in common with others.
    of_queries, of_documents = (mean.astype(np.float32) if n_answered > 1 else np.zeros_like(mean, dtype=np.float32) for mean in means)
    return CrossProduct(rows, columns, shape, (of_queries, of_documents), n_answered, damping)


def _by(entries: Any, row: str, column: str) -> Any:
    from pyspark.sql import functions as F

    gathered = entries.groupBy(F.col(row).alias("row")).agg(
        F.collect_list(column).alias("indices"), F.collect_list(F.col("value").cast("float")).alias("values"))
    return gathered.persist()


def _part(shape: tuple[int, int], n_answered: int, damping: float) -> Any:
    def work(parts: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        from scipy.sparse import csr_array

        xs, ys = [], []
        for batch in parts:
            if not batch.num_rows:
                continue
            xs.append(block(batch["indices"], batch["values"], shape[0]))
            of_query, responses = flat(batch["responses"])
            sizes = np.diff(of_query)
            if damping:
                sums = np.add.reduceat(responses.astype(np.float64), of_query[:-1])
                responses = (responses / np.repeat(sums**damping, sizes)).astype(np.float32)
            scaled = responses / (n_answered * np.repeat(sizes, sizes))
            answers, weights = batch["answers"], batch["weights"]
            indptr, indices = flat(answers.flatten())
            _, values = flat(weights.flatten())
            documents = csr_array((values.astype(np.float64), indices, indptr), shape=(len(responses), shape[1]))
            mean = csr_array((scaled.astype(np.float32).astype(np.float64), np.arange(len(responses)), of_query), shape=(len(sizes), len(responses)))
            of_queries = (mean @ documents).tocsr()
            of_queries.sort_indices()
            ys.append((shape[1], of_queries.indptr.astype(np.int64), of_queries.indices.astype(np.int64), of_queries.data))
        if not xs:
            return
        x, y = stacked(xs, shape[0]), stacked(ys, shape[1])
        _, indptr, indices, values = _qwd.multiply_transposed(x, (y[0], y[1], y[2], y[3].astype(np.float32)))
        rows = np.repeat(np.arange(shape[0]), np.diff(indptr))
        of_x = np.bincount(x[2], weights=x[3], minlength=shape[0]) / n_answered
        of_y = np.bincount(y[2], weights=y[3], minlength=shape[1])
        ones, twos = np.flatnonzero(of_x), np.flatnonzero(of_y)
        schema = pa.schema([("kind", pa.int32()), ("row", pa.int32()), ("column", pa.int32()), ("value", pa.float64())])
        yield from batches({
            "kind": np.repeat([0, 1, 2], [len(rows), len(ones), len(twos)]),
            "row": np.concatenate([rows, ones, twos]),
            "column": np.concatenate([indices, np.zeros(len(ones) + len(twos), dtype=np.int64)]),
            "value": np.concatenate([values.astype(np.float64), of_x[ones], of_y[twos]]),
        }, schema)

    return work


def fit_rmls(queries: Any, documents: Any, responses: Any, shape: tuple[int, int], *, product: CrossProduct | None = None,
             **params: Any) -> Model:
    """RMLS (:class:`qwd.Rmls` has its parameters) on a cluster; equal to one machine's but for rounding.

    ``product`` is M where it is there already. Mixing with I (``alpha``) is for one machine.
    """
    settings = settings_of("rmls", params)
    made = _product_of("rmls", queries, documents, responses, shape, product, settings)
    text, charges, course = json.dumps(settings), [0.0, 0.0], []
    charge = [settings["l1_query"], settings["l1_document"]] if settings["form"] == "penalised" else [0.0, 0.0]
    of_documents = _qwd.rmls_first_rows(text, shape[1])
    charges[1] = charge[1] * float(np.abs(of_documents).sum())
    of_queries: Any = None
    before: float | None = None
    options = {"centred": settings["centred"]}
    try:
        for _ in range(settings["iterations"]):
            of_queries, aligned, total = made.times(of_documents, chosen=(text, "query"), **options)
            charges[0] = charge[0] * total
            before = -aligned + sum(charges) if before is None else before
            if total == 0:
                raise ParameterError("every query word vanishes; lower l1_query")
            of_documents, aligned, total = made.times(of_queries, transposed=True, chosen=(text, "document"), **options)
            if total == 0:
                raise ParameterError("every document word vanishes; lower l1_document")
            charges[1] = charge[1] * total
            after = -aligned + sum(charges)
            course.append(max(_qwd.rmls_collapse(of_queries), _qwd.rmls_collapse(of_documents)))
            if before - after <= settings["tolerance"] * abs(after):
                break
            before = after
    finally:
        if product is None:
            made.unpersist()
    _qwd.rmls_check(text, course, shape)
    return Model.from_weights(U=of_queries.T, V=of_documents.T, method="rmls", params=settings)


def fit_pls(queries: Any, documents: Any, responses: Any, shape: tuple[int, int], *, product: CrossProduct | None = None,
            **params: Any) -> Model:
    """PLS (:class:`qwd.Pls` has its parameters) on a cluster: the strongest directions of M by subspace iteration."""
    settings = settings_of("pls", params)
    made = _product_of("pls", queries, documents, responses, shape, product, settings)
    # The iteration runs on the shorter side, as on one machine.
    transposed = shape[0] > shape[1]
    n = min(shape)
    width = min(settings["rank"] + settings["oversampling"], n)
    centred = {"centred": settings["centred"]}
    q = np.linalg.qr(np.random.default_rng(settings["seed"]).standard_normal((n, width)))[0]
    try:
        for _ in range(settings["iterations"]):
            z = np.linalg.qr(made.times(q, transposed=not transposed, **centred).astype(np.float64))[0]
            q = np.linalg.qr(made.times(z, transposed=transposed, **centred).astype(np.float64))[0]
        z = made.times(q, transposed=not transposed, **centred).astype(np.float64)
    finally:
        if product is None:
            made.unpersist()
    left, values, right = np.linalg.svd(z, full_matrices=False)
    kept = int(min(settings["rank"], np.sum(values**2 > 1e-12 * values[0] ** 2)))
    if kept == 0 or values[0] == 0:
        raise DataError("no query with features answers to a document with features; give both features")
    of_long, of_short = left[:, :kept], q @ right[:kept].T
    of_queries, of_documents = (of_long, of_short) if transposed else (of_short, of_long)
    return Model.from_weights(U=of_queries.T, V=of_documents.T, method="pls", params=settings)


def _product_of(method: str, queries: Any, documents: Any, responses: Any, shape: tuple[int, int],
                product: CrossProduct | None, settings: dict[str, Any]) -> CrossProduct:
    """M as the settings want it."""
    if settings["alpha"] is not None:
        raise ParameterError(f"parameter alpha = {settings['alpha']}: mixing with I is for one machine; leave it out")
    if method == "rmls":
        _qwd.rmls_check(json.dumps(settings), [], shape)  # Without a course this only checks the parameters.
    if product is None:
        return cross_product(queries, documents, responses, shape, damping=settings["damping"])
    if product.damping != settings["damping"]:
        raise ParameterError(f"parameter damping = {settings['damping']}: the product was made with {product.damping}; give it there")
    return product
