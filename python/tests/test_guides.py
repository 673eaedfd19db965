"""The Python of the documents runs, block after block, in a folder of its own."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("document", ["docs/guides/python.md", "python/README.md"])
def test_the_python_of_a_document_runs(document, tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    assert blocks
    known = {}
    for block in blocks:
        exec(compile(block, document, "exec"), known)
