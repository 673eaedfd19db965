"""Plots with matplotlib: learning curves, density curves, AP scatter, heat map of W.

Every function draws into ``ax``, or a new one, and returns it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .errors import DataError
from .model import Model

__all__ = ["ap_scatter", "density_curve", "heat_map", "learning_curve"]


def learning_curve(*fitted: Any, ax: Any = None, labels: Sequence[str] | None = None) -> Any:
    """Losses, or figures on held-out queries where there are any, against training steps, from ``history_``."""
    ax = _axes(ax)
    has_figures = any("validation" in report for ranker in fitted for report in ranker.history_)
    key = "validation" if has_figures else "loss"
    for ranker, label in zip(fitted, labels or [repr(f) for f in fitted]):
        points = [(report["done"], report[key]) for report in ranker.history_ if key in report]
        if not points:
            raise DataError(f"{label} has no {key} in its history_; training was too short to report any")
        ax.plot(*zip(*sorted(points)), marker="o", markersize=3, label=label)
    ax.set(xlabel="training steps", ylabel="held-out figure" if has_figures else "loss")
    ax.legend()
    return ax


def density_curve(models: Mapping[Any, Any], figures: Mapping[Any, float] | None = None, ax: Any = None) -> Any:
    """The density of W against a parameter; with ``figures`` (by the same parameter), figures against density."""
    ax = _axes(ax)
    densities = {value: _model(fitted).density for value, fitted in models.items()}
    if figures is None:
        ax.plot(list(densities), list(densities.values()), marker="o")
        ax.set(xlabel="parameter", ylabel="density of W", xscale="log", yscale="log")
        return ax
    missing = [value for value in densities if value not in figures]
    if missing:
        raise DataError(f"there is no figure for {missing[0]!r}; give one for every model")
    points = sorted((density, figures[value]) for value, density in densities.items())
    ax.plot(*zip(*points), marker="o")
    ax.set(xlabel="density of W", ylabel="figure", xscale="log")
    return ax


def ap_scatter(a: Mapping[str, Any], b: Mapping[str, Any], metric: str = "map", ax: Any = None,
               labels: Sequence[str] = ("a", "b")) -> Any:
    """A point for every query: its figure in one evaluation against that in the other (``qwd.evaluate``)."""
    ax = _axes(ax)
    shared = [query for query in a["queries"] if query in b["queries"]]
    pairs = [(a["queries"][q].get(metric), b["queries"][q].get(metric)) for q in shared]
    points = [(x, y) for x, y in pairs if x is not None and y is not None]
    if not points:
        raise DataError(f"no query has a value of {metric} in both evaluations; evaluate the same queries")
    ax.plot([0, 1], [0, 1], color="0.8", linewidth=1, zorder=0)
    ax.scatter(*zip(*points), s=8, alpha=0.5)
    above = sum(y > x for x, y in points)
    below = sum(y < x for x, y in points)
    ax.set(xlabel=f"{metric}, {labels[0]}", ylabel=f"{metric}, {labels[1]}",
           title=f"{labels[1]} better on {above}, worse on {below} of {len(points)} queries", aspect="equal")
    return ax


def heat_map(model: Any, words: Sequence[str], documents: Sequence[str] | None = None, ax: Any = None) -> Any:
    """The weights between query words (rows) and document words (columns)."""
    ax = _axes(ax)
    model = _model(model)
    columns = list(documents) if documents is not None else _partners(model, words)
    weights = np.zeros((len(words), len(columns)))
    for i, word in enumerate(words):
        of_word = dict(model.related(word, model.shape[1]))
        weights[i] = [of_word.get(column, 0.0) for column in columns]
    bound = np.abs(weights).max() or 1.0
    image = ax.imshow(weights, cmap="RdBu", vmin=-bound, vmax=bound)
    ax.set_xticks(range(len(columns)), columns, rotation=90)
    ax.set_yticks(range(len(words)), words)
    ax.set(xlabel="the document says", ylabel="the query says")
    ax.figure.colorbar(image, ax=ax, label="weight")
    return ax


def _partners(model: Model, words: Sequence[str], k: int = 3) -> list[str]:
    found: dict[str, None] = {}
    for word in words:
        found.update({partner: None for partner, _ in model.related(word, k)})
    return list(found)


def _model(fitted: Any) -> Model:
    return fitted if isinstance(fitted, Model) else fitted.model_


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as e:
        raise ImportError("plots need matplotlib: pip install matplotlib") from e
    return plt.subplots(layout="constrained")[1]
