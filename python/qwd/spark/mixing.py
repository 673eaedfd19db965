"""SGD on a cluster by iterative parameter mixing (McDonald, Hall and Mann, 2010).

In each round every part trains from the same W on its share of the round's tuples; the driver averages what they bring,
in the order of the partitions. A sparse W is trained without a penalty, and the penalty of as many steps is taken off
after each round at once; of a low-rank W, the sums of squares that rates fall with are averaged, too. The same tuples,
partitions and seed give the same bytes, whichever executor does which part, and however often.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .. import _qwd
from ..errors import DataError, ParameterError
from ..model import Model
from ._arrow import block, check_columns, check_ids, settings_of, stacked
from .mapping import VECTOR

__all__ = ["fit_low_rank", "fit_sparse"]


def fit_sparse(queries: Any, documents: Any, preferences: Any, n_words: int, *, partitions: int | None = None,
               rounds: int = 10, learning_rate: float = 200.0, l1: float = 1e-5, margin: float = 1.0) -> Model:
    """A sparse W over one vocabulary, started from I, as :class:`qwd.SparseRanker` learns it.

    ``preferences`` have columns ``query``, ``better`` and ``worse``, and perhaps ``order`` (whole numbers from 0) where the
    result must not depend on how Spark reads them.
    """
    from scipy.sparse import eye_array

    if learning_rate <= 0 or l1 < 0 or margin <= 0:
        raise ParameterError("learning_rate and margin are above 0, l1 is not below 0; correct them")
    with _Dealt(queries, documents, preferences, (n_words, n_words), partitions, rounds) as dealt:
        model = Model.from_weights(eye_array(n_words, dtype=np.float32, format="csr"))
        for number in range(rounds):
            # The rate is that of the middle of a round's steps.
            rate = learning_rate / np.sqrt((number + 0.5) * dealt.steps + 1)
            params = {"learning_rate": float(rate), "schedule": "fixed", "l1": 0.0, "margin": margin}
            mixed = dealt.mixed(number, model, "sparse-sgd", params, start="model")
            model = Model.from_weights(_shrunken(mixed.weights()["W"], np.float32(l1 * rate * dealt.steps)))
    params = {"learning_rate": learning_rate, "l1": l1, "margin": margin, "rounds": rounds, "partitions": dealt.n_parts}
    return Model.from_weights(model.weights()["W"], method="sparse-sgd", params=params)


def fit_low_rank(queries: Any, documents: Any, preferences: Any, shape: tuple[int, int], *, partitions: int | None = None,
                 rounds: int = 10, start: str = "identity", **params: Any) -> Model:
    """W = UᵀV + αI, with the parameters of :class:`qwd.LowRankRanker`; ``start`` is ``zero`` for two vocabularies.

    ``shape`` is the number of query words and of document words; ``preferences`` are as in :func:`fit_sparse`. U starts from
    the same random numbers as on one machine. Other directions and other worse documents than those given need all
    documents in one place.
    """
    settings = settings_of("low-rank", params)
    for name, value in (("directions", "random"), ("negatives", "given")):
        if settings[name] != value:
            raise ParameterError(f"parameter {name} = {settings[name]}: expected {value}; others are for one machine")
    model = Model(_qwd.low_rank_start(json.dumps(settings), shape, start))
    with _Dealt(queries, documents, preferences, shape, partitions, rounds) as dealt:
        for number in range(rounds):
            # From the second round on, rates go on from where they were.
            from_state = model.describe()["can_go_on"]
            model = dealt.mixed(number, model, "low-rank", settings, start="state" if from_state else "model")
    about = {"method": "low-rank", "seed": settings["seed"], "n_tuples": dealt.n_tuples,
             "params": {**settings, "rounds": rounds, "partitions": dealt.n_parts}}
    return Model(model._inner.with_provenance(json.dumps(about)))


class _Dealt:
    """Tuples with their vectors, dealt to partitions and rounds by their order, for as long as training lasts."""

    def __init__(self, queries: Any, documents: Any, preferences: Any, shape: tuple[int, int], partitions: int | None,
                 rounds: int) -> None:
        for frame, kind in ((queries, "queries"), (documents, "documents")):
            check_columns(frame, kind, VECTOR)
            check_ids(frame, kind, ("id",))
        check_columns(preferences, "preferences", ("query", "better", "worse"))
        check_ids(preferences, "preferences", ("query", "better", "worse"))
        if rounds < 1 or (partitions is not None and partitions < 1):
            raise ParameterError("rounds and partitions are at least 1; correct them")
        self.session = preferences.sparkSession
        self.n_parts = partitions or self.session.sparkContext.defaultParallelism
        self.shape = shape
        self.tuples = _deal(queries, documents, preferences, self.n_parts, rounds).persist()
        self.n_tuples = self.tuples.count()
        if self.n_tuples == 0:
            raise DataError("no preference names a query and two documents that have vectors; compare the ids")
        # How many steps a partition takes in a round.
        self.steps = self.n_tuples / self.n_parts / rounds

    def __enter__(self) -> _Dealt:
        return self

    def __exit__(self, *_: object) -> None:
        self.tuples.unpersist()

    def mixed(self, number: int, model: Model, method: str, params: dict[str, Any], *, start: str) -> Model:
        """The average of what all parts make of a model on their tuples of a round."""
        sent = self.session.sparkContext.broadcast(model.to_bytes())
        of_round = self.tuples.where(f"round = {number}").groupBy("part")
        train = _train(sent, self.shape, method, json.dumps(params), start)
        made = of_round.applyInArrow(train, "part int, n_tuples long, model binary").toArrow().sort_by("part")
        sent.unpersist()
        if not made.num_rows:
            return model
        return Model(_qwd.mix_models(made["model"].to_pylist(), made["n_tuples"].to_pylist()))


def _deal(queries: Any, documents: Any, preferences: Any, n_parts: int, rounds: int) -> Any:
    from pyspark.sql import functions as F

    if "order" not in preferences.columns:
        preferences = preferences.withColumn("order", F.monotonically_increasing_id())
    dealt = preferences.withColumn("part", F.pmod("order", F.lit(n_parts)).cast("int"))
    dealt = dealt.withColumn("round", F.pmod(F.floor(F.col("order") / n_parts), F.lit(rounds)).cast("int"))
    for name, frame in (("query", queries), ("better", documents), ("worse", documents)):
        vectors = frame.select(F.col("id").alias(name), F.col("indices").alias(f"{name}_i"), F.col("values").alias(f"{name}_v"))
        dealt = dealt.join(vectors, name)
    columns = ["part", "round", "order", *(f"{name}_{end}" for name in ("query", "better", "worse") for end in "iv")]
    return dealt.select(columns).repartition(n_parts, "part")


def _shrunken(weights: Any, penalty: Any) -> Any:
    """W after soft thresholding."""
    weights.data = np.sign(weights.data) * np.maximum(np.abs(weights.data) - penalty, np.float32(0))
    weights.eliminate_zeros()
    return weights


def _train(sent: Any, shape: tuple[int, int], method: str, params: str, start: str) -> Any:
    """What an executor does with the tuples of a part."""

    def work(key: Any, table: Any) -> Any:
        import pyarrow as pa

        batch = table.sort_by("order").combine_chunks().to_batches()[0]
        queries = block(batch["query_i"], batch["query_v"], shape[0])
        better, worse = (block(batch[f"{name}_i"], batch[f"{name}_v"], shape[1]) for name in ("better", "worse"))
        n = batch.num_rows
        rows = np.arange(n, dtype=np.uint32)
        signal = rows, rows, rows + np.uint32(n), np.ones(n, np.float32)
        before = _qwd.Model.from_bytes(sent.value)
        trained = _qwd.train_matrix(method, params, json.dumps({"order": "as-given"}), stacked([better, worse], shape[1]), queries,
                                    signal, None, start, n, 1, 1, before, 1, None)
        made = Model(trained)
        # A sparse W that has filled up comes as a dense one: all are mixed in one form.
        made = Model.from_weights(made.weights()["W"]) if made.form == "dense" else made
        columns = [pa.array([key[0].as_py()], pa.int32()), pa.array([n], pa.int64()), pa.array([made.to_bytes()], pa.binary())]
        return pa.Table.from_arrays(columns, names=["part", "n_tuples", "model"])

    return work
