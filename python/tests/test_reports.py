"""The tables in the documents of the experiments are those of the recorded numbers."""

import importlib.util
import json
import pathlib

import pytest

EXPERIMENTS = pathlib.Path(__file__).parent.parent.parent / "experiments"


def markdown(folder, module, recorded):
    spec = importlib.util.spec_from_file_location(f"{module}_of_{folder}", EXPERIMENTS / folder / f"{module}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.markdown(json.loads((EXPERIMENTS / folder / recorded).read_text()))


@pytest.mark.parametrize(("folder", "module"), [("rank", "tables"), ("semantic", "tables"), ("speed", "tables"), ("versus", "report")])
def test_the_report_shows_the_recorded_numbers(folder, module):
    assert (EXPERIMENTS / folder / "results.md").read_text() == markdown(folder, module, "results.json")


def test_the_readme_of_search_has_the_recorded_tables():
    readme = (EXPERIMENTS / "search" / "README.md").read_text()
    tables = markdown("search", "tables", "results/search.json").rstrip().split("\n\n")
    assert len(tables) == 3
    assert [table for table in tables if table not in readme] == []
