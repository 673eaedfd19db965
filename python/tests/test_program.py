"""Python gives the bytes and figures of the program for the same data, settings and seed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import qwd
from test_text_ranker import write_folder

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def program():
    """`QWD_PROGRAM`, or what cargo built last."""
    built = [Path(os.environ.get("CARGO_TARGET_DIR", ROOT.parent / "target")) / kind / "qwd" for kind in ("release", "debug")]
    found = os.environ.get("QWD_PROGRAM") or next((str(path) for path in built if path.exists()), shutil.which("qwd"))
    if not found:
        pytest.skip("the program is not built")

    def run(*arguments):
        done = subprocess.run([found, *map(str, arguments), "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return run


def test_models_have_the_same_bytes(program, tmp_path, articles, questions, judgments):
    folder = write_folder(tmp_path / "data", articles, questions, judgments)
    for method in ("sparse-sgd", "low-rank", "rmls"):
        settings = {"rank": 4} if method != "sparse-sgd" else {}
        options = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        program("train", folder, "--method", method, "--tuples", 5000, "--seed", 3, "--out", tmp_path / "m.qwd", *options)
        ranker = qwd.TextRanker(method=method, settings={**settings, "tuples": 5000}, seed=3).fit(folder)
        assert ranker.model_.to_bytes() == (tmp_path / "m.qwd").read_bytes(), method
        theirs = program("eval", folder, "--model", tmp_path / "m.qwd", "--split", "train", "--metrics", "map")
        assert ranker.evaluate(folder, "train", ["map"])["metrics"] == theirs["metrics"]


def test_indexes_answer_alike(program, tmp_path, articles, questions, judgments):
    folder = write_folder(tmp_path / "data", articles, questions, judgments)
    ranker = qwd.TextRanker(settings={"tuples": 5000}).fit(folder)
    ranker.save(tmp_path / "m.qwd")
    program("index", folder, "--model", tmp_path / "m.qwd", "--out", tmp_path / "theirs")
    ours = ranker.index(folder=tmp_path / "ours")
    for name in (path.name for path in (tmp_path / "theirs").iterdir()):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name
    answer = program("search", tmp_path / "ours", "fix the telly", "-k", 3)
    ids, scores = ours.search("fix the telly", k=3)
    assert [hit["id"] for hit in answer["hits"]] == ids.tolist()
    assert np.array([hit["score"] for hit in answer["hits"]], np.float32).tolist() == scores.tolist()


def test_rankers_have_the_same_bytes(program, tmp_path, graded):
    X, y, qid = graded
    lines = [f"{grade} qid:{q} " + " ".join(f"{j + 1}:{np.float64(x)!r}" for j, x in enumerate(map(float, row)))
             for row, grade, q in zip(X, y, qid)]
    (tmp_path / "train.letor").write_text("\n".join(line.replace("np.float64(", "").replace(")", "") for line in lines) + "\n")
    for method, cls in (("fenchel", qwd.FenchelRank), ("lambdamart", qwd.LambdaMart)):
        program("rank", "train", tmp_path / "train.letor", "--method", method, "--out", tmp_path / "theirs")
        cls().fit(X, y, qid=qid).save(tmp_path / "ours")
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes(), method


def test_examples_run(tmp_path):
    for name in ("search_text.py", "sklearn_pipeline.py", "compare_with_bm25.py"):
        done = subprocess.run([sys.executable, ROOT / "examples" / name], capture_output=True, text=True, cwd=tmp_path,
                              env={**os.environ, "MPLBACKEND": "Agg"})
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()


def test_stubs_are_those_of_the_table():
    done = subprocess.run([sys.executable, ROOT / "stubs.py", "--check"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
