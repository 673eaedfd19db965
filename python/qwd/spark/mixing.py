"""Sparse SGD on a cluster by iterative parameter mixing (McDonald, Hall and Mann, 2010).

In each round every part trains from the same W on its share of the round's tuples, without a penalty; the driver
averages what they bring, in the order of the partitions, and takes the penalty of as many steps off at once. The same
tuples, partitions and seed give the same bytes, whichever executor does which part, and however often.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .. import _qwd
from .._matrix import csr_parts
from ..errors import DataError, ParameterError
from ..model import Model
from ._arrow import block, check_columns, check_ids, stacked
from .mapping import VECTOR

__all__ = ["fit_sparse"]

SCHEMA = "part int, n_tuples long, row int, column int, value float"


def fit_sparse(queries: Any, documents: Any, preferences: Any, n_words: int, *, partitions: int | None = None,
               rounds: int = 10, learning_rate: float = 200.0, l1: float = 1e-5, margin: float = 1.0) -> Model:
    """A sparse W over one vocabulary, started from I, as :class:`qwd.SparseRanker` learns it.

    ``preferences`` have columns ``query``, ``better`` and ``worse``, and perhaps ``order`` (whole numbers from 0) where the
    result must not depend on how Spark reads them.
    """
    for frame, kind in ((queries, "queries"), (documents, "documents")):
        check_columns(frame, kind, VECTOR)
        check_ids(frame, kind, ("id",))
    check_columns(preferences, "preferences", ("query", "better", "worse"))
    check_ids(preferences, "preferences", ("query", "better", "worse"))
    if rounds < 1 or learning_rate <= 0 or l1 < 0 or margin <= 0:
        raise ParameterError("rounds, learning_rate and margin are above 0, l1 is not below 0; correct them")
    session = preferences.sparkSession
    n_parts = partitions or session.sparkContext.defaultParallelism
    tuples, n_tuples = _tuples(queries, documents, preferences, n_parts, rounds)
    try:
        return _mix(session, tuples, n_tuples, n_words, n_parts, rounds, learning_rate, l1, margin)
    finally:
        tuples.unpersist()


def _tuples(queries: Any, documents: Any, preferences: Any, n_parts: int, rounds: int) -> tuple[Any, int]:
    """Tuples with their vectors, dealt to partitions and rounds by their order."""
    from pyspark.sql import functions as F

    if "order" not in preferences.columns:
        preferences = preferences.withColumn("order", F.monotonically_increasing_id())
    dealt = preferences.withColumn("part", F.pmod("order", F.lit(n_parts)).cast("int"))
    dealt = dealt.withColumn("round", F.pmod(F.floor(F.col("order") / n_parts), F.lit(rounds)).cast("int"))
    for name, frame in (("query", queries), ("better", documents), ("worse", documents)):
        vectors = frame.select(F.col("id").alias(name), F.col("indices").alias(f"{name}_i"), F.col("values").alias(f"{name}_v"))
        dealt = dealt.join(vectors, name)
    columns = ["part", "round", "order", *(f"{name}_{end}" for name in ("query", "better", "worse") for end in "iv")]
    tuples = dealt.select(columns).repartition(n_parts, "part").persist()
    n_tuples = tuples.count()
    if n_tuples == 0:
        raise DataError("no preference names a query and two documents that have vectors; compare the ids")
    return tuples, n_tuples


def _mix(session: Any, tuples: Any, n_tuples: int, n_words: int, n_parts: int, rounds: int, learning_rate: float,
         l1: float, margin: float) -> Model:
    from scipy.sparse import csr_array, eye_array

    weights = csr_array(eye_array(n_words, dtype=np.float32, format="csr"))
    done = 0.0
    for number in range(rounds):
        # Each partition takes as many steps; the rate is that of the middle of them.
        steps = n_tuples / n_parts / rounds
        rate = learning_rate / np.sqrt(done + steps / 2 + 1)
        model = Model.from_weights(weights)
        sent = session.sparkContext.broadcast(model.to_bytes())
        of_round = tuples.where(f"round = {number}").groupBy("part")
        made = of_round.applyInArrow(_train(sent, n_words, float(rate), margin), SCHEMA).toArrow()
        sent.unpersist()
        weights = _mean(made, n_words, weights)
        # Soft thresholding by the penalty of all steps of a round.
        penalty = np.float32(l1 * rate * steps)
        weights.data = np.sign(weights.data) * np.maximum(np.abs(weights.data) - penalty, np.float32(0))
        weights.eliminate_zeros()
        done += steps
    params = {"learning_rate": learning_rate, "l1": l1, "margin": margin, "rounds": rounds, "partitions": n_parts}
    return Model.from_weights(weights, method="sparse-sgd", params=params)


def _mean(made: Any, n_words: int, before: Any) -> Any:
    """The average of what the partitions brought, weighted by their tuples, added in the order of the partitions."""
    from scipy.sparse import csr_array

    part, n, row, column, value = (made[name].to_numpy() for name in ("part", "n_tuples", "row", "column", "value"))
    total, mean = 0, None
    for number in np.unique(part):
        own = part == number
        size = int(n[own][0])
        brought = csr_array((value[own].astype(np.float64) * size, (row[own], column[own])), shape=(n_words, n_words))
        mean = brought if mean is None else mean + brought
        total += size
    if mean is None:
        return before
    mean = csr_array(mean / total).astype(np.float32)
    mean.sum_duplicates()
    return mean


def _train(sent: Any, n_words: int, rate: float, margin: float) -> Any:
    params = json.dumps({"learning_rate": rate, "schedule": "fixed", "l1": 0.0, "margin": margin})

    def work(key: Any, table: Any) -> Any:
        import pyarrow as pa

        number = key[0].as_py()
        batch = table.sort_by("order").combine_chunks().to_batches()[0]
        queries, better, worse = (block(batch[f"{name}_i"], batch[f"{name}_v"], n_words) for name in ("query", "better", "worse"))
        n = len(queries[1]) - 1
        rows = np.arange(n, dtype=np.uint32)
        signal = rows, rows, rows + np.uint32(n), np.ones(n, np.float32)
        start = _qwd.Model.from_bytes(sent.value)
        sample = json.dumps({"order": "as-given"})
        trained = _qwd.train_matrix("sparse-sgd", params, sample, stacked([better, worse], n_words), queries, signal, None,
                                    "model", n, 1, 1, start, 1, None)
        _, indptr, indices, values = csr_parts(Model(trained).weights()["W"])
        names = ["part", "n_tuples", "row", "column", "value"]
        size = len(values)
        columns = [pa.array(np.full(size, number, np.int32)), pa.array(np.full(size, n, np.int64)),
                   pa.array(np.repeat(np.arange(n_words, dtype=np.int32), np.diff(indptr))),
                   pa.array(indices.astype(np.int32)), pa.array(values.astype(np.float32))]
        return pa.Table.from_arrays(columns, names=names)

    return work
