"""Figures of runs, and TREC's files. Runs and judgments are dicts of dicts, as pytrec_eval, ranx and ir_measures have them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _qwd, _records

__all__ = ["evaluate", "read_qrels", "read_run", "write_run"]

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def evaluate(run: Mapping[str, Mapping[str, float]] | str | os.PathLike[str], qrels: Any,
             metrics: Sequence[str] | str = ("map", "ndcg@10"), *, complete: bool = False) -> dict[str, Any]:
    """Measures a run by trec_eval's rules.

    Returns ``{"metrics", "standard_errors", "n_queries", "queries"}``; ``queries`` has the values of each query.
    With ``complete``, judged queries that the run does not answer count as failures, as with ``trec_eval -c``.
    """
    if isinstance(run, (str, os.PathLike)):
        run = read_run(run)
    scores = {_records.text_id(q, "a query"): {_records.text_id(d, "a document"): float(s) for d, s in hits.items()}
              for q, hits in run.items()}
    names = metrics if isinstance(metrics, str) else ",".join(metrics)
    return json.loads(_qwd.evaluate_run(scores, _nested(_records.judgments(qrels)), names, complete))


def read_run(path: str | os.PathLike[str]) -> Run:
    """Reads a run in TREC's layout, plain or compressed."""
    return {query: dict(hits) for query, hits in _qwd.read_run(os.fspath(path)).items()}


def write_run(run: Mapping[str, Mapping[str, float]], path: str | os.PathLike[str], tag: str = "qwd") -> None:
    """Writes a run in TREC's layout, whole or not at all."""
    rows = []
    for query, hits in run.items():
        # As trec_eval orders them: falling score, and among equal ones falling id.
        best_first = sorted(((str(d), float(s)) for d, s in hits.items()), key=lambda hit: (hit[1], hit[0]), reverse=True)
        rows.append((str(query), best_first))
    _qwd.write_run(os.fspath(path), rows, tag)


def read_qrels(path: str | os.PathLike[str]) -> Qrels:
    """Reads judgments in BEIR's or TREC's layout."""
    return _nested(_qwd.read_qrels(os.fspath(path)))


def _nested(triples: list[tuple[str, str, int]]) -> Qrels:
    qrels: Qrels = {}
    for query, document, grade in triples:
        qrels.setdefault(query, {})[document] = grade
    return qrels
