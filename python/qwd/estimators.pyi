"""Made by stubs.py from the table of methods. W from matrices: one scikit-learn estimator for every training method, made from the program's own table."""

import os
from typing import Any

from ._base import Estimator
from .model import Model

CLASSES: dict[str, str]

class MatrixRanker(Estimator):
    history_: list[dict[str, Any]]
    n_features_in_: int
    model_: Model
    def fit(self, X: Any, y: Any=None, *, queries: Any=None, qid: Any=None, group: Any=None, preferences: Any=None, response: Any=None) -> MatrixRanker: ...
    def match(self, queries: Any, documents: Any) -> Any: ...
    def best(self, queries: Any, documents: Any, k: int=10) -> tuple[Any, Any]: ...
    def score(self, X: Any, y: Any, metric: str='map') -> float: ...
    def explain(self, query: Any, document: Any, k: int | None=None) -> list[tuple[Any, Any, float]]: ...
    def related(self, column: Any, k: int=10, *, side: str='query') -> list[tuple[Any, float]]: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> MatrixRanker: ...
    @property
    def W_(self) -> Any: ...
    @property
    def U_(self) -> Any: ...
    @property
    def V_(self) -> Any: ...

class ResumingRanker(MatrixRanker):
    def partial_fit(self, X: Any, y: Any=None, *, queries: Any=None, qid: Any=None, group: Any=None, preferences: Any=None) -> ResumingRanker: ...

class LatentRanker(MatrixRanker):
    def transform(self, X: Any) -> Any: ...
    def fit_transform(self, X: Any, y: Any=None, **given: Any) -> Any: ...
    def get_feature_names_out(self, input_features: Any=None) -> Any: ...

class IdentityRanker(MatrixRanker):
    def __init__(
        self,
        *,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        seed: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class DiagonalRanker(ResumingRanker):
    def __init__(
        self,
        *,
        learning_rate: float = 1.0,
        schedule: str = 'decaying',
        margin: float = 1.0,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        seed: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class SgdRanker(ResumingRanker):
    def __init__(
        self,
        *,
        learning_rate: float = 200.0,
        schedule: str = 'decaying',
        margin: float = 1.0,
        symmetric: bool = False,
        zero_diagonal: bool = False,
        batch: int = 1,
        form: str = 'primal',
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        seed: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class SparseRanker(ResumingRanker):
    def __init__(
        self,
        *,
        learning_rate: float = 200.0,
        schedule: str = 'decaying',
        l1: float = 1e-05,
        shrink_every: int = 100,
        margin: float = 1.0,
        symmetric: bool = False,
        zero_diagonal: bool = False,
        batch: int = 1,
        density: Any = None,
        entries: Any = None,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        seed: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class AdagradRanker(ResumingRanker):
    def __init__(
        self,
        *,
        learning_rate: float = 0.3,
        initial_accumulator: float = 0.0001,
        l1: float = 1e-06,
        margin: float = 1.0,
        batch: int = 1,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        seed: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class FtrlRanker(ResumingRanker):
    def __init__(
        self,
        *,
        learning_rate: float = 0.5,
        beta: float = 0.02,
        l1: float = 0.01,
        l2: float = 0.0,
        margin: float = 1.0,
        batch: int = 1,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        seed: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class GroupLassoRanker(MatrixRanker):
    def __init__(
        self,
        *,
        learning_rate: float = 200.0,
        schedule: str = 'decaying',
        group_l1: float = 1e-05,
        shrink_every: int = 100,
        margin: float = 1.0,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        seed: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class LowRankRanker(ResumingRanker):
    def __init__(
        self,
        *,
        rank: int = 100,
        symmetric: bool = False,
        diagonal: str = 'fixed',
        identity_weight: float = 1.0,
        words: Any = None,
        learning_rate: float = 0.01,
        rates: str = 'word',
        margin: float = 0.1,
        directions: str = 'random',
        loss: str = 'hinge',
        deviation: float = 0.05,
        batch: int = 1,
        negatives: str = 'given',
        candidates: int = 10,
        seed: int = 1,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class HashKernelsRanker(ResumingRanker):
    def __init__(
        self,
        *,
        weights: int = 1000000,
        learning_rate: float = 1.0,
        schedule: str = 'fixed',
        margin: float = 1.0,
        identity_weight: float = 1.0,
        learn_identity: bool = True,
        batch: int = 1,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        seed: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class SparseProjectionRanker(MatrixRanker):
    def __init__(
        self,
        *,
        per_row: int = 100,
        drop: Any = None,
        learning_rate: float = 200.0,
        schedule: str = 'decaying',
        margin: float = 1.0,
        batch: int = 1,
        form: str = 'primal',
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        seed: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class Lsi(LatentRanker):
    def __init__(
        self,
        *,
        rank: int = 200,
        alpha: Any = None,
        oversampling: int = 10,
        iterations: int = 5,
        seed: int = 1,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class ClLsi(LatentRanker):
    def __init__(
        self,
        *,
        rank: int = 200,
        alpha: Any = None,
        oversampling: int = 10,
        iterations: int = 5,
        seed: int = 1,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class Rmls(LatentRanker):
    def __init__(
        self,
        *,
        rank: int = 200,
        form: str = 'constrained',
        bound_query: float = 4.0,
        bound_document: float = 4.0,
        l1_query: float = 0.0,
        l1_document: float = 0.0,
        length_query: float = 1.0,
        length_document: float = 1.0,
        centred: bool = True,
        iterations: int = 5,
        tolerance: float = 0.0001,
        alpha: Any = None,
        damping: float = 0.0,
        seed: int = 1,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class Pls(LatentRanker):
    def __init__(
        self,
        *,
        rank: int = 200,
        centred: bool = False,
        alpha: Any = None,
        oversampling: int = 20,
        iterations: int = 8,
        damping: float = 0.0,
        seed: int = 1,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class SvdFeature(LatentRanker):
    def __init__(
        self,
        *,
        rank: int = 100,
        objective: str = 'pairwise',
        epochs: int = 10,
        learning_rate: float = 0.1,
        l2: float = 0.0001,
        deviation: float = 1.0,
        damping: float = 1.0,
        alpha: Any = None,
        seed: int = 1,
        start: Any = None,
        tuples: int = 100000,
        passes: int = 1,
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...
