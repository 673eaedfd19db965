"""Figures equal trec_eval's; runs and judgments go through files and other libraries."""

import numpy as np
import pandas as pd
import pytest
import pytrec_eval

import qwd


@pytest.fixture(scope="module")
def random_run():
    rng = np.random.default_rng(11)
    run = {f"q{i}": {f"d{j}": float(rng.integers(0, 12)) for j in rng.choice(40, 25, replace=False)} for i in range(15)}
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 4)) for j in rng.choice(40, 10, replace=False)} for i in range(14)}
    return run, qrels


def test_figures_equal_pytrec_evals(random_run):
    run, qrels = random_run
    ours = qwd.evaluate(run, qrels, ["map", "ndcg@10", "p@5", "mrr"])
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut_10", "P_5", "recip_rank"}).evaluate(run)
    names = {"map": "map", "ndcg@10": "ndcg_cut_10", "p@5": "P_5", "mrr": "recip_rank"}
    for query, values in ours["queries"].items():
        for name, other in names.items():
            assert values[name] == pytest.approx(theirs[query][other], abs=1e-9)
    assert ours["n_queries"] == 14
    assert ours["metrics"]["map"] == pytest.approx(np.mean([v["map"] for v in theirs.values()]), abs=1e-12)


def test_files_bring_runs_and_judgments_back(random_run, tmp_path):
    run, qrels = random_run
    qwd.write_run(run, tmp_path / "run.trec", tag="test")
    assert qwd.read_run(tmp_path / "run.trec") == run
    lines = [f"{q} 0 {d} {grade}" for q, of_query in qrels.items() for d, grade in of_query.items()]
    (tmp_path / "qrels").write_text("\n".join(lines) + "\n")
    assert qwd.read_qrels(tmp_path / "qrels") == qrels
    expected = qwd.evaluate(run, qrels)
    assert qwd.evaluate(tmp_path / "run.trec", tmp_path / "qrels") == expected
    frame = pd.DataFrame([(q, d, g) for q, v in qrels.items() for d, g in v.items()], columns=["query_id", "doc_id", "relevance"])
    assert qwd.evaluate(run, frame) == expected


def test_unanswered_queries_count_when_asked(random_run):
    run, qrels = random_run
    part = {q: hits for q, hits in run.items() if q != "q0"}
    assert qwd.evaluate(part, qrels)["n_queries"] == 13
    complete = qwd.evaluate(part, qrels, complete=True)
    assert complete["n_queries"] == 14 and complete["queries"]["q0"]["map"] == 0


def test_bad_runs_are_refused(random_run):
    run, qrels = random_run
    with pytest.raises(qwd.ParameterError, match="nonsense"):
        qwd.evaluate(run, qrels, ["nonsense"])
    with pytest.raises(qwd.DataError, match="no query is both"):
        qwd.evaluate({"other": {"d1": 1.0}}, qrels)
    with pytest.raises(qwd.DataError, match="not a number"):
        qwd.evaluate({"q0": {"d1": float("nan")}}, qrels)
