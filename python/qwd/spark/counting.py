"""Words and pairs of words, counted partition by partition and added up by Spark: the numbers of one machine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _qwd
from ..errors import DataError
from ..text import Vectorizer
from ._arrow import block, check_columns, check_ids, flat, texts_of

__all__ = ["DiceTable", "dice_table", "fit_vectorizer"]


def fit_vectorizer(texts: Any, **params: Any) -> Vectorizer:
    """A :class:`qwd.Vectorizer`, with its parameters, of texts (``id``, ``text``): equal to one fitted on one machine."""
    from pyspark.sql import functions as F

    check_columns(texts, "texts", ("id", "text"))
    check_ids(texts, "texts", ("id",))
    vectorizer = Vectorizer(**params)
    analyzer, weighting, vocabulary = vectorizer._settings()
    rule = json.loads(_qwd.text_params(analyzer, weighting, vocabulary, vectorizer.language))
    counted = texts.select("text").mapInArrow(_count(analyzer, vectorizer.language), "word string, df long, cf long")
    counts = counted.groupBy("word").agg(F.sum("df").alias("df"), F.sum("cf").alias("cf")).persist()
    try:
        totals = counts.where("word is null").first()
        n_documents, n_tokens = (totals["df"], totals["cf"]) if totals else (0, 0)
        kept = counts.where("word is not null").where(F.col("df") >= rule["min_df"])
        kept = kept.where(F.col("df") <= F.lit(float(rule["max_df"] * n_documents)))
        # By falling frequency, equal ones by their bytes: how one machine numbers words.
        kept = kept.orderBy(F.desc("cf" if rule["frequency"] == "collection" else "df"), "word")
        chosen = (kept.limit(rule["n_words"]) if rule["n_words"] else kept).toArrow()
    finally:
        counts.unpersist()
    frequencies = chosen["df"].to_pylist(), chosen["cf"].to_pylist()
    inner = _qwd.Vectorizer.of_counts(chosen["word"].to_pylist(), frequencies, (n_documents, n_tokens), analyzer, weighting,
                                      vectorizer.language)
    return vectorizer._fitted(inner)


def _count(analyzer: str, language: str) -> Any:
    def work(parts: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in parts:
            words, df, cf, n_tokens = _qwd.count_words(texts_of(batch["text"]), analyzer, language)
            # The row without a word has the numbers of texts and of all terms.
            columns = [pa.array([None, *words], pa.string()), pa.array(np.concatenate([[batch.num_rows], df]), pa.int64()),
                       pa.array(np.concatenate([[n_tokens], cf]).astype(np.int64), pa.int64())]
            yield pa.RecordBatch.from_arrays(columns, names=["word", "df", "cf"])

    return work


class DiceTable(NamedTuple):
    """Which frequent words go together with which words."""

    bin_words: Any
    """The word of each bin, increasing."""
    coefficients: Any
    """DICE of every word (rows) with the bins (columns) that it stands in, as a SciPy CSR array."""
    per_word: int
    """The most bins of a word."""

    @property
    def bins(self) -> Any:
        """S, which turns vectors over words into vectors over bins: ``X @ S``."""
        made = self.coefficients.copy()
        made.data[:] = np.float32(1 / np.sqrt(self.per_word))
        return made


def dice_table(vectors: Any, n_words: int, *, words: Sequence[str] | None = None, bins: int = 30_000, per_word: int = 5,
               terms: str = "all") -> DiceTable:
    """The bins of correlated feature hashing, counted in vectors (``id``, ``indices``, ``values``), each row a unit.

    For sentences in place of documents, give a row for each. ``words`` are the words by their numbers: runs of several words
    are no bins. ``bins``, ``per_word`` and ``terms`` are those of ``hashing`` in a plan.
    """
    from pyspark.sql import functions as F

    check_columns(vectors, "vectors", ("id", "indices"))
    check_ids(vectors, "vectors", ("id",))
    if words is not None and len(words) != n_words:
        raise DataError(f"{len(words)} words for {n_words} columns; give a word for each")
    params = json.dumps({"bins": bins, "per_word": per_word, "terms": terms})
    # Without pairs this only checks the parameters.
    nothing = np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64)
    _qwd.dice_best(params, nothing, np.zeros(0, np.uint64), np.zeros(0, np.uint32))
    seen = vectors.select(F.explode("indices").alias("word")).groupBy("word").count().toArrow()
    occur = np.zeros(n_words, np.uint64)
    numbers = seen["word"].to_numpy()
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < n_words:
        raise DataError(f"a vector has column {numbers.max()} of {n_words}; give the number of words of the vectors")
    occur[numbers] = seen["count"].to_numpy()
    is_word = np.array([" " not in word for word in words]) if words is not None else np.ones(n_words, bool)
    bin_words, left_out = _qwd.dice_bins(params, occur, is_word)
    sent = vectors.sparkSession.sparkContext.broadcast((occur, bin_words, left_out))
    try:
        pairs = vectors.select("indices").mapInArrow(_pairs(sent, n_words), "word int, bin int, n long")
        summed = pairs.groupBy("word", "bin").agg(F.sum("n").alias("n"))
        of_word = summed.groupBy("word").agg(F.collect_list("bin").alias("bins"), F.collect_list("n").alias("numbers"))
        best = of_word.mapInArrow(_best(sent, params), "word int, bin int, score float").toArrow()
    finally:
        sent.unpersist()
    return DiceTable(bin_words, _table(best, (n_words, len(bin_words))), per_word)


def _pairs(sent: Any, n_words: int) -> Any:
    def work(parts: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        _, bin_words, left_out = sent.value
        for batch in parts:
            words, bins, numbers = _qwd.dice_pairs(_of_indices(batch["indices"], n_words), bin_words)
            kept = ~left_out[words]
            columns = [pa.array(words[kept]), pa.array(bins[kept]), pa.array(numbers[kept])]
            yield pa.RecordBatch.from_arrays(columns, names=["word", "bin", "n"])

    return work


def _of_indices(indices: Any, n_words: int) -> Any:
    """Rows of ones."""
    import pyarrow as pa

    offsets, columns = flat(indices)
    ones = pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(np.ones(len(columns), np.float32)))
    return block(indices, ones, n_words)


def _best(sent: Any, params: str) -> Any:
    def work(parts: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        occur, bin_words, _ = sent.value
        for batch in parts:
            offsets, bins = flat(batch["bins"])
            words = np.repeat(batch["word"].to_numpy(), np.diff(offsets))
            pairs = words, np.ascontiguousarray(bins), np.ascontiguousarray(flat(batch["numbers"])[1])
            columns = [pa.array(column) for column in _qwd.dice_best(params, pairs, occur, bin_words)]
            yield pa.RecordBatch.from_arrays(columns, names=["word", "bin", "score"])

    return work


def _table(best: Any, shape: tuple[int, int]) -> Any:
    from scipy.sparse import coo_array

    words, bins, scores = (best[name].to_numpy() for name in ("word", "bin", "score"))
    made = coo_array((scores, (words, bins)), shape=shape).tocsr()
    made.sort_indices()
    return made
