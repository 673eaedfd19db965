"""qwd learns to rank from raw words: the matrix W in score(q, d) = qᵀWd.

| | |
|---|---|
| `TextRanker` | raw text and any sign of what suits what, to search |
| `Model`, `Index` | the program's files: score, explain, search |
| `SparseRanker`, `LowRankRanker`, `Rmls`, ... | W from matrices, as scikit-learn estimators (`qwd.estimators`) |
| `FenchelRank`, `LambdaMart`, ... | rankers over features, as scikit-learn estimators (`qwd.rankers`) |
| `evaluate`, `read_run`, `write_run`, `read_qrels` | figures of runs, TREC's files |
| `qwd.plot`, `qwd.spark` | plots; training on a Spark cluster |
"""

from __future__ import annotations

import importlib
import json
import os
from typing import TYPE_CHECKING, Any

from . import _qwd, errors
from ._qwd import __version__
from .errors import (
    DamagedFileError,
    DataError,
    FileError,
    InternalError,
    MissingFileError,
    NotFittedError,
    ParameterError,
    QwdError,
)
from .evaluation import evaluate, read_qrels, read_run, write_run
from .index import Index
from .model import Model
from .text import TextRanker, Vectorizer

if TYPE_CHECKING:
    from .estimators import (
        AdagradRanker,
        ClLsi,
        DiagonalRanker,
        FtrlRanker,
        GroupLassoRanker,
        HashKernelsRanker,
        IdentityRanker,
        LowRankRanker,
        Lsi,
        Pls,
        Rmls,
        SgdRanker,
        SparseProjectionRanker,
        SparseRanker,
        SvdFeature,
    )
    from .rankers import (
        AdaRank,
        Blend,
        CoordinateAscent,
        FeatureRanker,
        FenchelRank,
        FsRank,
        LambdaMart,
        ListNet,
        Mart,
        RankBoost,
        RankSvmPrimal,
        RankSvmStruct,
        RsRank,
        TgRank,
    )

# What is made when first asked for: estimators import scikit-learn, which takes longer than all else together.
_ESTIMATORS = (
    "AdagradRanker", "ClLsi", "DiagonalRanker", "FtrlRanker", "GroupLassoRanker", "HashKernelsRanker", "IdentityRanker",
    "LowRankRanker", "Lsi", "Pls", "Rmls", "SgdRanker", "SparseProjectionRanker", "SparseRanker", "SvdFeature",
)
_RANKERS = (
    "AdaRank", "Blend", "CoordinateAscent", "FeatureRanker", "FenchelRank", "FsRank", "LambdaMart", "ListNet", "Mart",
    "RankBoost", "RankSvmPrimal", "RankSvmStruct", "RsRank", "TgRank",
)

__all__ = [
    "DamagedFileError", "DataError", "FileError", "Index", "InternalError", "MissingFileError", "Model", "NotFittedError",
    "ParameterError", "QwdError", "TextRanker", "Vectorizer", "__version__", "demo", "evaluate", "methods",
    "plan_parameters", "read_qrels", "read_run", "verify", "write_run", *_ESTIMATORS, *_RANKERS,
]


def __getattr__(name: str) -> Any:
    if name in _ESTIMATORS or name in _RANKERS:
        module = importlib.import_module(".estimators" if name in _ESTIMATORS else ".rankers", __name__)
        return getattr(module, name)
    raise AttributeError(f"module 'qwd' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def methods() -> dict[str, str]:
    """The methods that ``TextRanker`` takes, and what they learn."""
    return {method["name"]: method["summary"] for method in json.loads(_qwd.method_tables())["matching"]}


def plan_parameters(method: str = "sparse-sgd") -> dict[str, tuple[Any, str]]:
    """What ``settings`` of ``TextRanker`` may set: defaults and meanings by key."""
    tables = json.loads(_qwd.method_tables())
    found = next((m for m in tables["matching"] if m["name"] == method), None)
    if found is None:
        raise ParameterError(f"parameter method = {method}: expected one of {', '.join(methods())}")
    keys = {p["name"]: (p["default"], p["doc"]) for p in found["parameters"]}
    for group in tables["plan"]:
        prefix = f"{group['path']}." if group["path"] else ""
        keys.update({prefix + p["name"]: (p["default"], p["doc"]) for p in group["parameters"]})
    return keys


def demo() -> Any:
    """The small data set inside the library: give it to ``TextRanker().fit`` and ``evaluate``."""
    return _qwd.Dataset.demo()


def verify(path: str | os.PathLike[str]) -> None:
    """Reads all of a model file or an index and raises ``DamagedFileError`` if anything is wrong with it."""
    _qwd.verify_path(os.fspath(path))
