"""Ranking raw text: from documents, queries and any sign of what suits what, to search."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _qwd, _records
from ._matrix import to_scipy
from ._progress import Progress, Report, listener
from .errors import DataError, NotFittedError
from .index import Index
from .model import Model

__all__ = ["TextRanker", "Vectorizer"]


class TextRanker:
    """Learns which document suits a query from raw text, and searches.

    Parameters are those of ``qwd train``: with the same data, settings and seed the model has the same bytes.

    Parameters
    ----------
    method : str, default "sparse-sgd"
        How W is learned: ``qwd.methods()`` lists them. With ``"auto"`` the data choose method and parameters, as ``qwd train``
        without ``--method`` does; ``plan_["search"]`` tells what was tried.
    settings : dict, optional
        What the program takes with ``--set``: parameters of the method by their names (``learning_rate``), parts of the
        plan by their paths (``text.vocabulary.n_words``, ``tuples``). What is not set depends on the data, as there.
    seed : int, default 1
        The seed of all random choices.
    budget : float, default 300
        For ``method="auto"``: no training starts that would end after so many seconds.
    threads : int, default 0
        0 is one for every core. The result does not depend on it.
    progress : bool or callable, optional
        ``True`` for a bar, or something to call with a dict now and then.

    Attributes
    ----------
    model_ : Model
        The learned model.
    vocabulary_ : dict
        The words of documents and their numbers.
    history_ : list of dict
        What was seen on the way: losses, densities, figures on held-out queries.
    plan_ : dict
        Everything that decided the result.

    Examples
    --------
    >>> ranker = TextRanker().fit(articles, queries=questions, judgments=[("q1", "a7", 1)])
    >>> ids, scores = ranker.search(["my phone is flat"], k=3)
    """

    def __init__(self, *, method: str = "sparse-sgd", settings: Mapping[str, Any] | None = None, seed: int = 1,
                 budget: float = 300.0, threads: int = 0, progress: Progress = None) -> None:
        self.method = method
        self.settings = settings
        self.seed = seed
        self.budget = budget
        self.threads = threads
        self.progress = progress

    # Learning

    def fit(self, documents: Any, y: Any = None, *, queries: Any = None, judgments: Any = None, validation: Any = None,
            preferences: Any = None, labels: Any = None, clicks: Any = None, sessions: Any = None,
            links: Any = None) -> TextRanker:
        """Learns from documents and at least one sign of what suits what.

        Parameters
        ----------
        documents : list, dict, table or pathlib.Path
            Texts; ``(id, text)`` or ``(id, title, text)``; dicts, named tuples or a table with ``_id`` (or ``doc_id``,
            ``docno``), ``title``, ``text`` and whatever filters may ask for. Texts without ids are numbered from 0. A
            ``Path`` is a folder as the program takes it, with its splits; then nothing else is given.
        y : sequence, optional
            The same as ``labels``.
        queries : list, dict or table, optional
            Texts with or without ids. Without any, documents are the queries.
        judgments : dict of dicts, tuples, table or path, optional
            ``{query: {document: grade}}``, ``(query, document, grade)``, or a file of TREC or BEIR.
        validation : as judgments, optional
            What early stopping looks at; without it a ninth of the judged queries is held out.
        preferences : tuples or table, optional
            ``(query, better, worse)`` or ``(query, better, worse, weight)``.
        labels : sequence or dict, optional
            A class for every document: documents of one class suit each other.
        clicks : tuples or table, optional
            ``(query, document, clicks)``, perhaps with impressions and mean position.
        sessions : list of dicts, optional
            ``{"query", "shown": [...], "clicked": [...]}``: a clicked document beats what was skipped above it.
        links : pairs or table, optional
            ``(from, to)``: what a document links to suits it.
        """
        given = {"queries": queries, "judgments": judgments, "validation": validation, "preferences": preferences,
                 "labels": labels if labels is not None else y, "clicks": clicks, "sessions": sessions, "links": links}
        if isinstance(documents, os.PathLike):
            extra = [name for name, value in given.items() if value is not None]
            if extra:
                raise TypeError(f"a folder brings its own {extra[0]}; give either the folder or records")
            data, self._numbered, whole = _qwd.Dataset.open(os.fspath(documents)), False, False
        elif isinstance(documents, _qwd.Dataset):
            data, self._numbered, whole = documents, False, False
        else:
            data, self._numbered = _dataset(documents, **given)
            whole = True
        self.history_: list[Report] = []
        model, looks, plan = _qwd.train_texts(
            data, self.method, json.dumps(dict(self.settings or {})), self.seed, self.budget, whole, self.threads,
            listener(self.progress, self.history_))
        self.history_ += [{"done": look["step"], "density": look["density"], "validation": look["figure"]}
                          for look in json.loads(looks)]
        self.plan_: dict[str, Any] = json.loads(plan)
        self.model_ = Model(model)
        self._data: _qwd.Dataset | None = data
        self._index: Index | None = None
        return self

    def partial_fit(self, documents: Any = None, *, queries: Any = None, preferences: Any = None) -> TextRanker:
        """Learns from more preferences, from where training stopped; without ``documents`` they are those of ``fit``.

        Where ``fit`` came from preferences in their order and one pass, the model has the bytes of one run over all.
        """
        model = self._fitted()
        if preferences is None:
            raise TypeError("partial_fit learns from preferences; give some")
        if documents is None:
            data = self._documents()
            documents = [json.loads(line) for line in data.documents()]
            queries = data.queries() if queries is None else queries
        data, _ = _dataset(documents, queries=queries, preferences=preferences)
        self.model_ = Model(_qwd.update_texts(model._inner, data, self.threads, listener(self.progress, self.history_)))
        self._index = None
        return self

    # Asking

    def search(self, queries: str | Iterable[str], k: int = 10, **options: Any) -> tuple[Any, Any]:
        """The exact best ``k`` of the documents of ``fit``: ``(ids, scores)``, as :meth:`Index.search`.

        Documents that were given without ids come back as their numbers, and −1 where there are fewer than ``k``.
        """
        ids, scores = self.index().search(queries, k, threads=options.pop("threads", self.threads), **options)
        if self._numbered:
            ids = np.array([-1 if name is None else int(name) for name in ids.ravel()], np.int64).reshape(ids.shape)
        return ids, scores

    def run(self, queries: Any, k: int = 1000, **options: Any) -> dict[str, dict[str, float]]:
        """The best ``k`` for queries with ids as a dict of dicts, as :meth:`Index.run`."""
        return self.index().run(queries, k, **options)

    def index(self, documents: Any = None, folder: str | os.PathLike[str] | None = None, **options: Any) -> Index:
        """An index of other documents, or of those of ``fit``; in a folder that stays, or in a temporary one."""
        model = self._fitted()
        options = {"threads": self.threads, **options}
        if documents is not None:
            return Index.build(documents, model, folder, **options)
        if folder is not None:
            return Index.build(self._documents(), model, folder, **options)
        if self._index is None:
            self._index = Index.build(self._documents(), model, **options)
        return self._index

    def rank(self, query: str, documents: Sequence[str], k: int | None = None) -> tuple[Any, Any]:
        """The given texts in the order in which they suit a query: their numbers and scores."""
        texts = list(documents)
        return self._fitted().rank(query, texts, len(texts) if k is None else k)

    def score(self, query: str | Sequence[str], document: str | Sequence[str]) -> Any:
        """The score of a query and a document, or of as many queries as documents."""
        return self._fitted().score(query, document, threads=self.threads)

    def evaluate(self, data: Any, split: str = "test", metrics: Sequence[str] | None = None) -> dict[str, Any]:
        """Figures on a split of a folder, as ``qwd eval`` prints them, with the values of each query."""
        data = data if isinstance(data, _qwd.Dataset) else _qwd.Dataset.open(os.fspath(data))
        names = None if metrics is None else ",".join(metrics)
        return json.loads(_qwd.evaluate_texts(self._fitted()._inner, data, split, names, self.threads))

    def explain(self, query: str, document: str, k: int | None = None) -> list[tuple[str, str, float]]:
        """The score as a sum over word pairs, the strongest first."""
        return self._fitted().explain(query, document, k)

    def related(self, word: str, k: int = 10, *, side: str = "query") -> list[tuple[str, float]]:
        """The words of the other side with the strongest weights to a word."""
        return self._fitted().related(word, k, side=side)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The words of documents and their numbers."""
        return {word: i for i, word in enumerate(self._fitted().vocabulary() or [])}

    @property
    def W_(self) -> Any:
        """The learned W as a SciPy matrix, where its form has one."""
        weights = self._fitted().weights()
        if "W" not in weights:
            raise AttributeError(f"a {self.model_.form} model has no single W; look at model_.weights()")
        return weights["W"]

    # Keeping

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the model as the program does."""
        self._fitted().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextRanker:
        """A ranker of a saved model; it has no documents, so :meth:`search` needs :meth:`index` first."""
        model = Model.load(path)
        if model.vocabulary("query") is None or model.vocabulary("document") is None:
            raise DataError(f"{os.fspath(path)} is a model of vectors; use qwd.Model.load")
        provenance = model.describe()["provenance"]
        ranker = cls(method=provenance["method"], seed=provenance["seed"])
        ranker.model_, ranker.plan_, ranker.history_ = model, provenance["params"], []
        ranker._data, ranker._index, ranker._numbered = None, None, False
        return ranker

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "_index": None, "progress": None}
        if state.get("_data") is not None:
            state["_data"] = (self._documents().documents(), self._documents().queries())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get("_data") is not None:
            documents, queries = state["_data"]
            state["_data"] = _qwd.Dataset.of_records(documents, queries, [], [], [], [], [])
        self.__dict__.update(state)

    # What scikit-learn calls

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by their names."""
        return {name: getattr(self, name) for name in ("method", "settings", "seed", "budget", "threads", "progress")}

    def set_params(self, **params: Any) -> TextRanker:
        """Sets parameters."""
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"TextRanker has no parameter {name!r}; it has {sorted(self.get_params())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"TextRanker(method={self.method!r}, settings={self.settings!r}, seed={self.seed})"

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError("this TextRanker is not fitted yet; call fit, or TextRanker.load")
        return self.model_

    def _documents(self) -> _qwd.Dataset:
        self._fitted()
        if self._data is None:
            raise NotFittedError("a loaded ranker has no documents; make an index of some: ranker.index(documents)")
        return self._data


class Vectorizer:
    """Texts to sparse vectors, as a scikit-learn transformer.

    Parameters
    ----------
    analyzer, weighting, vocabulary : dict, optional
        As under ``text.analyzer``, ``text.document`` and ``text.vocabulary`` of a plan: ``qwd.plan_parameters()``.
    language : str, default "none"
        A two-letter code, for stop words and endings.
    threads : int, default 0
        0 is one for every core.
    """

    def __init__(self, *, analyzer: Mapping[str, Any] | None = None, weighting: Mapping[str, Any] | None = None,
                 vocabulary: Mapping[str, Any] | None = None, language: str = "none", threads: int = 0) -> None:
        self.analyzer = analyzer
        self.weighting = weighting
        self.vocabulary = vocabulary
        self.language = language
        self.threads = threads

    def fit(self, texts: Iterable[str], y: Any = None) -> Vectorizer:
        """Counts the words of texts."""
        return self._fitted(_qwd.Vectorizer.fit(list(texts), *self._settings(), self.language, self.threads))

    def _settings(self) -> tuple[str, str, str]:
        analyzer, weighting, vocabulary = (json.dumps(dict(p or {})) for p in (self.analyzer, self.weighting, self.vocabulary))
        return analyzer, weighting, vocabulary

    def _fitted(self, inner: _qwd.Vectorizer) -> Vectorizer:
        self._inner = inner
        self.vocabulary_ = {word: i for i, word in enumerate(inner.words())}
        return self

    def transform(self, texts: Iterable[str]) -> Any:
        """The vectors of texts as the rows of a SciPy CSR array."""
        if not hasattr(self, "_inner"):
            raise NotFittedError("this Vectorizer is not fitted yet; call fit")
        return to_scipy(self._inner.transform(list(texts), self.threads))

    def fit_transform(self, texts: Iterable[str], y: Any = None) -> Any:
        """Counts the words of texts and returns their vectors."""
        texts = list(texts)
        return self.fit(texts).transform(texts)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The words in order."""
        if not hasattr(self, "_inner"):
            raise NotFittedError("this Vectorizer is not fitted yet; call fit")
        return np.array(self._inner.words(), dtype=object)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by their names."""
        return {name: getattr(self, name) for name in ("analyzer", "weighting", "vocabulary", "language", "threads")}

    def set_params(self, **params: Any) -> Vectorizer:
        """Sets parameters."""
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"Vectorizer has no parameter {name!r}; it has {sorted(self.get_params())}")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False), transformer_tags=TransformerTags(),
                    input_tags=InputTags(string=True, two_d_array=False))

    def __repr__(self) -> str:
        given = {name: value for name, value in self.get_params().items() if value not in (None, "none", 0)}
        return f"Vectorizer({', '.join(f'{name}={value!r}' for name, value in given.items())})"


def _dataset(documents: Any, *, queries: Any = None, judgments: Any = None, validation: Any = None,
             preferences: Any = None, labels: Any = None, clicks: Any = None, sessions: Any = None,
             links: Any = None) -> tuple[_qwd.Dataset, bool]:
    """Records as a data set of which all is for training, and whether documents came without ids."""
    lines, numbered = _records.documents(documents, labels)
    signals = {"judgments": judgments, "preferences": preferences, "clicks": clicks, "sessions": sessions, "links": links}
    has_labels = any('"label"' in line for line in lines)
    if all(signal is None for signal in signals.values()) and not has_labels:
        raise DataError(f"nothing says which document suits what; give {', '.join(signals)} or labels")
    if has_labels:
        # What comes from memory is for training, all of it.
        lines = [_in_training(line) for line in lines]
    judged = []
    for split, given in (("train", judgments), ("dev", validation)):
        if given is not None:
            judged.append((split, _records.judgments(given)))
    made = _qwd.Dataset.of_records(
        lines, [] if queries is None else _records.queries(queries), judged,
        [] if preferences is None else _records.preferences(preferences),
        [] if links is None else _records.links(links),
        [] if clicks is None else _records.clicks(clicks),
        [] if sessions is None else _records.sessions(sessions))
    return made, numbered


def _in_training(line: str) -> str:
    record = json.loads(line)
    if "label" in record:
        record.setdefault("split", "train")
    return json.dumps(record, ensure_ascii=False)
