"""Made by stubs.py from the table of methods. The second stage: rankers over feature vectors, one scikit-learn estimator for every method of ``qwd rank``."""

import os
from typing import Any

from ._base import Estimator
from .model import Model

CLASSES: dict[str, str]

class FeatureRanker(Estimator):
    history_: list[dict[str, Any]]
    n_features_in_: int
    def fit(self, X: Any, y: Any=None, *, qid: Any=None, group: Any=None, validation: Any=None) -> FeatureRanker: ...
    def predict(self, X: Any, *, qid: Any=None, group: Any=None) -> Any: ...
    def rank(self, X: Any, *, qid: Any=None, group: Any=None) -> Any: ...
    def score(self, X: Any, y: Any, *, qid: Any=None, group: Any=None, metric: str='ndcg@10') -> float: ...
    @property
    def coef_(self) -> Any: ...
    @property
    def feature_importances_(self) -> Any: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FeatureRanker: ...

class FenchelRank(FeatureRanker):
    def __init__(
        self,
        *,
        radius: float = 16.0,
        tolerance: float = 0.001,
        max_iterations: int = 1000,
        step: str = 'exact',
        direction: str = 'towards',
        l2: float = 0.0,
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class RankSvmPrimal(FeatureRanker):
    def __init__(
        self,
        *,
        c: float = 0.001,
        tolerance: float = 1e-06,
        max_iterations: int = 50,
        max_inner_iterations: int = 50,
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class RankSvmStruct(FeatureRanker):
    def __init__(
        self,
        *,
        c: float = 100.0,
        tolerance: float = 0.001,
        max_planes: int = 1000,
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class TgRank(FeatureRanker):
    def __init__(
        self,
        *,
        c: float = 0.1,
        iterations: int = 1000,
        learning_rate: Any = None,
        threshold: Any = None,
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class RsRank(FeatureRanker):
    def __init__(
        self,
        *,
        c: float = 1.0,
        iterations: int = 500,
        learning_rate: float = 1.0,
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class FsRank(FeatureRanker):
    def __init__(
        self,
        *,
        k: int = 10,
        depth: int = 10,
        c: float = 0.001,
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class ListNet(FeatureRanker):
    def __init__(
        self,
        *,
        learning_rate: float = 0.01,
        epochs: int = 200,
        patience: int = 50,
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class AdaRank(FeatureRanker):
    def __init__(
        self,
        *,
        measure: str = 'ndcg',
        depth: int = 10,
        rounds: int = 50,
        weak_ranker: str = 'combined',
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class RankBoost(FeatureRanker):
    def __init__(
        self,
        *,
        rounds: int = 300,
        max_bins: int = 64,
        even_queries: bool = True,
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class CoordinateAscent(FeatureRanker):
    def __init__(
        self,
        *,
        measure: str = 'ndcg',
        depth: int = 10,
        restarts: int = 2,
        rounds: int = 10,
        n_steps: int = 10,
        tolerance: float = 0.001,
        seed: int = 1,
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class Mart(FeatureRanker):
    def __init__(
        self,
        *,
        trees: int = 300,
        leaves: int = 10,
        learning_rate: float = 0.05,
        min_documents_in_leaf: int = 20,
        l2: float = 0.0,
        max_bins: int = 255,
        feature_share: float = 1.0,
        query_share: float = 1.0,
        patience: int = 100,
        seed: int = 1,
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class LambdaMart(FeatureRanker):
    def __init__(
        self,
        *,
        trees: int = 100,
        leaves: int = 31,
        learning_rate: float = 0.1,
        min_documents_in_leaf: int = 20,
        min_hessian_in_leaf: float = 0.001,
        l2: float = 0.0,
        max_bins: int = 255,
        feature_share: float = 1.0,
        query_share: float = 1.0,
        truncation: int = 30,
        sigmoid: float = 1.0,
        normalize: bool = True,
        patience: int = 100,
        seed: int = 1,
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...

class Blend(FeatureRanker):
    def __init__(
        self,
        *,
        members: str = 'fenchel+rsrank+rankboost+tgrank',
        scaling: str = 'none',
        threads: int = 0,
        progress: Any = None,
    ) -> None: ...
