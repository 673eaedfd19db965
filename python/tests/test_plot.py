"""Plots draw what they are given."""

import matplotlib
import pytest

import qwd
from qwd import plot

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def rankers(articles, questions, judgments):
    settings = {"tuples": 6000, "stop.every": 1000, "stop.patience": 50}
    return {l1: qwd.TextRanker(settings={**settings, "l1": l1}).fit(articles, queries=questions, judgments=judgments)
            for l1 in (1e-6, 1e-3)}


def test_curves(rankers):
    ax = plot.learning_curve(*rankers.values(), labels=["few", "many"])
    assert [line.get_label() for line in ax.lines] == ["few", "many"] and ax.get_ylabel() == "held-out figure"
    ax = plot.density_curve(rankers)
    assert ax.lines[0].get_ydata()[0] > ax.lines[0].get_ydata()[1]
    ax = plot.density_curve(rankers, {1e-6: 0.5, 1e-3: 0.4})
    assert ax.lines[0].get_ydata().tolist() == [0.4, 0.5]
    with pytest.raises(qwd.DataError, match="no figure for 0.001"):
        plot.density_curve(rankers, {1e-6: 0.5})


def test_scatter_and_heat_map(rankers, questions, judgments):
    evaluations = [qwd.evaluate(ranker.run(questions), judgments) for ranker in rankers.values()]
    ax = plot.ap_scatter(*evaluations, labels=("few", "many"))
    assert len(ax.collections[0].get_offsets()) == len(judgments)
    ax = plot.heat_map(rankers[1e-6], ["telly", "bill"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["telly", "bill"]
    assert "television" in [label.get_text() for label in ax.get_xticklabels()]
    with pytest.raises(qwd.DataError, match="no value|no query"):
        plot.ap_scatter(evaluations[0], {"queries": {}})
