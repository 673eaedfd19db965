"""Estimators over matrices and features: what they learn, and what scikit-learn asks of them."""

import inspect
import pickle
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import estimator_checks_generator

import qwd
from qwd import _base, estimators, rankers

MATCHING = [getattr(estimators, name) for name in estimators.CLASSES.values()]
RANKING = [getattr(rankers, name) for name in rankers.CLASSES.values()]
# Small and quick, for checks that fit many times.
# The rate is for vectors of any length; the papers' rates are for those of length 1.
QUICK = {"tuples": 500, "learning_rate": 0.001, "rank": 2, "iterations": 2, "epochs": 2, "rounds": 5, "trees": 3, "threads": 1, "form": "penalised"}


def quick(cls):
    names = inspect.signature(cls.__init__).parameters
    given = {name: value for name, value in QUICK.items() if name in names and (name != "form" or cls is qwd.Rmls)}
    if cls.__name__ in ("LambdaMart", "Mart", "RsRank", "ListNet", "TgRank", "RankSvmStruct"):
        given.pop("learning_rate", None)
    return cls(**given)


@pytest.mark.parametrize("cls", MATCHING + RANKING, ids=lambda c: c.__name__)
def test_parameters_are_keywords_with_meanings(cls):
    signature = inspect.signature(cls.__init__)
    assert all(p.kind is p.KEYWORD_ONLY for name, p in signature.parameters.items() if name != "self")
    assert all(f"{name} : default" in cls.__doc__ for name in signature.parameters if name != "self")
    assert clone(cls()).get_params() == cls().get_params()
    assert not any(hasattr(cls, name) for name in signature.parameters if name != "self"), "a parameter hides a method"
    with pytest.raises(TypeError, match="no parameter 'nonsense'"):
        cls(nonsense=1)


@pytest.mark.parametrize("cls", MATCHING, ids=lambda c: c.__name__)
def test_classes_are_learned(cls, labelled):
    X, y = labelled
    given = {"threads": 1, "tuples": 3000}
    names = inspect.signature(cls.__init__).parameters
    given.update({name: value for name, value in {"rank": 3, "alpha": 0.5}.items() if name in names})
    fitted = cls(**given).fit(sp.csr_array(X), y)
    cosine = qwd.IdentityRanker().fit(X, y).score(X, y)
    # Methods without a view of classes are not better than cosine; all others are.
    floor = 0.9 * cosine if cls.__name__ in ("IdentityRanker", "DiagonalRanker", "Lsi", "ClLsi", "HashKernelsRanker", "SvdFeature") else cosine
    assert fitted.score(X, y) >= floor
    assert fitted.n_features_in_ == 30
    again = pickle.loads(pickle.dumps(fitted))
    assert again.model_.to_bytes() == fitted.model_.to_bytes()
    numbers, _ = fitted.best(X[:2], X, k=5)
    assert numbers.shape == (2, 5)


def test_learned_names(labelled):
    X, y = labelled
    sparse = qwd.SparseRanker(tuples=2000).fit(X, y)
    assert sp.issparse(sparse.W_) and sparse.W_.shape == (30, 30)
    assert not hasattr(sparse, "U_")
    assert X @ sparse.W_ @ X.T == pytest.approx(sparse.match(X, X), abs=1e-4)
    latent = qwd.Pls(rank=3, start="zero").fit(X, y)
    assert latent.U_.T @ latent.V_ == pytest.approx(latent.match(np.eye(30), np.eye(30)), abs=1e-5)
    assert latent.transform(X) == pytest.approx(X @ latent.V_.T, abs=1e-5)
    assert latent.get_feature_names_out().tolist() == ["pls0", "pls1", "pls2"]


def test_queries_with_grades_preferences_and_responses_agree_on_the_winner(labelled):
    X, _ = labelled
    rng = np.random.default_rng(7)
    Q = rng.random((6, 12)).astype(np.float32)
    documents = X[:12]
    grades = np.tile([1, 0], 6)
    qid = np.repeat(np.arange(6), 2)
    by_qid = qwd.SparseRanker(tuples=2000, l1=0.0, learning_rate=1.0).fit(documents, grades, queries=Q, qid=qid)
    by_group = clone(by_qid).fit(documents, grades, queries=Q, group=[2] * 6)
    assert by_qid.model_.to_bytes() == by_group.model_.to_bytes()
    scores = by_qid.match(Q, documents)
    assert all(scores[i, 2 * i] > scores[i, 2 * i + 1] for i in range(6))
    preferences = [(i, 2 * i, 2 * i + 1) for i in range(6)] * 50
    by_preference = qwd.SparseRanker(l1=0.0, learning_rate=1.0).fit(documents, queries=Q, preferences=preferences)
    scores = by_preference.match(Q, documents)
    assert all(scores[i, 2 * i] > scores[i, 2 * i + 1] for i in range(6))
    response = sp.csr_array((np.ones(6, np.float32), (np.arange(6), np.arange(0, 12, 2))), shape=(6, 12))
    mapped = qwd.Pls(rank=4).fit(documents, queries=Q, response=response)
    assert mapped.U_.shape == (4, 12) and mapped.V_.shape == (4, 30)
    with pytest.raises(qwd.ParameterError, match="use Rmls, Pls, SvdFeature"):
        qwd.SparseRanker().fit(documents, queries=Q, response=response)


def test_training_goes_on(labelled):
    X, _ = labelled
    preferences = np.array([(i, (i + 1) % 20, 20 + i) for i in range(20)])
    whole = qwd.SparseRanker().fit(X, preferences=preferences)
    order = whole.model_.describe()["provenance"]["n_tuples"]
    assert order == 20
    parts = qwd.SparseRanker().partial_fit(X, preferences=preferences[:10]).partial_fit(X, preferences=preferences[10:])
    assert parts.model_.describe()["provenance"]["n_tuples"] == 20
    for cls in MATCHING:
        if issubclass(cls, estimators.ResumingRanker):
            quick(cls).partial_fit(X, preferences=preferences).partial_fit(X, preferences=preferences)


def test_names_of_columns_come_in_and_go_out(labelled):
    X, y = labelled
    frame = pd.DataFrame(X, columns=[f"word{i}" for i in range(30)])
    fitted = qwd.SparseRanker(tuples=2000).fit(frame, y)
    assert fitted.feature_names_in_[3] == "word3"
    assert fitted.related("word3", 1)[0][0].startswith("word")
    s, t, value = fitted.explain(X[0], X[1])[0]
    assert s.startswith("word") and t.startswith("word") and isinstance(value, float)
    with pytest.raises(qwd.DataError, match="no column 'nonsense'"):
        fitted.related("nonsense")


@pytest.mark.parametrize("cls", RANKING, ids=lambda c: c.__name__)
def test_grades_are_learned(cls, graded, tmp_path):
    X, y, qid = graded
    fitted = quick(cls).fit(X[:120], y[:120], qid=qid[:120])
    assert fitted.score(X[120:], y[120:], qid=qid[120:]) > 0.8
    assert fitted.feature_importances_.argmax() == 0
    assert hasattr(fitted, "coef_") == fitted.ranker_.inner.is_linear()
    by_group = clone(fitted).fit(X[:120], y[:120], group=[8] * 15)
    assert (by_group.predict(X) == fitted.predict(X)).all()
    shuffled = np.random.default_rng(0).permutation(120)
    mixed = clone(fitted).fit(X[shuffled], y[shuffled], qid=qid[shuffled])
    assert mixed.score(X[120:], y[120:], qid=qid[120:]) > 0.8
    path = tmp_path / "ranker"
    fitted.save(path)
    loaded = rankers.FeatureRanker.load(path)
    assert type(loaded) is cls and (loaded.predict(X) == fitted.predict(X)).all()
    assert (pickle.loads(pickle.dumps(fitted)).predict(X) == fitted.predict(X)).all()
    places = fitted.rank(X, qid=qid)
    assert sorted(places[:8]) == list(range(8)) and fitted.predict(X)[:8][places[:8] == 0] == fitted.predict(X)[:8].max()


def test_scaling_per_query_needs_the_queries(graded):
    X, y, qid = graded
    scaled = X * (1 + 10 * qid)[:, None]
    fitted = qwd.FenchelRank(scaling="per-query").fit(scaled, y, qid=qid)
    assert fitted.score(scaled, y, qid=qid) > 0.9
    assert (fitted.predict(scaled, qid=qid) != fitted.predict(scaled)).any()


def test_grids_search(graded, labelled):
    X, y = labelled
    search = GridSearchCV(qwd.SparseRanker(tuples=1000, threads=1), {"l1": [1e-5, 1e-1]}, cv=2).fit(X, y)
    assert search.best_params_["l1"] == 1e-5 and search.best_score_ > 0.5


def test_the_table_names_every_method():
    assert list(estimators.CLASSES) == [m["name"] for m in _base.TABLES["matching"]]
    assert list(rankers.CLASSES) == [m["name"] for m in _base.TABLES["ranking"]]
    assert set(estimators.CLASSES.values()) | set(rankers.CLASSES.values()) <= set(qwd.__all__)


# What scikit-learn checks and we do otherwise, with the reason.
EXPECTED: dict[str, str] = {}


@pytest.mark.parametrize("cls", MATCHING + RANKING,
                         ids=lambda c: c.__name__)
def test_scikit_learn_agrees(cls):
    failures = {}
    for estimator, check in estimator_checks_generator(quick(cls)):
        name = re.search(r"check_\w+", str(check)).group()
        if name in EXPECTED:
            continue
        try:
            check(estimator)
        except Exception as e:  # noqa: BLE001
            if type(e).__name__ != "SkipTest":
                failures[name] = f"{type(e).__name__}: {str(e)[:300]}"
    assert not failures, "\n".join(f"{name}: {what}" for name, what in failures.items())
