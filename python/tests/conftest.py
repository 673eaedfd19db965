"""A small world that all tests share: articles, questions in other words, and which article answers which."""

import os
from pathlib import Path

import numpy as np
import pytest

WORDS = {"phone": "handset", "bill": "invoice", "wifi": "gateway", "telly": "television", "parcel": "package", "flat": "home"}


@pytest.fixture(scope="session")
def articles():
    documents = {}
    for topic in WORDS.values():
        for i, verb in enumerate(("repair", "return", "order", "charge")):
            documents[f"{topic}-{i}"] = f"How to {verb} the {topic} at number {i}"
    return documents


@pytest.fixture(scope="session")
def questions():
    asked = {}
    for word in WORDS:
        for i, verb in enumerate(("fix", "send back", "buy", "load")):
            asked[f"{word}-{i}"] = f"{verb} my {word}"
    return asked


@pytest.fixture(scope="session")
def judgments():
    return {f"{word}-{i}": {f"{topic}-{i}": 2, f"{topic}-{(i + 1) % 4}": 1} for word, topic in WORDS.items() for i in range(4)}


@pytest.fixture(scope="session")
def preferences(judgments):
    rows = []
    topics = list(WORDS.values())
    for query, of_query in judgments.items():
        best = max(of_query, key=of_query.get)
        topic, i = best.split("-")
        other = topics[(topics.index(topic) + 1) % len(topics)]
        rows.append((query, best, f"{other}-{i}"))
    return rows


@pytest.fixture(scope="session")
def labelled():
    """Sparse rows of three classes over 30 columns: each class has its own ten columns."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = np.zeros((60, 30), dtype=np.float32)
    for row, of_class in zip(X, y):
        row[of_class * 10 + rng.choice(10, 3, replace=False)] = 1
        row[rng.choice(30, 2)] += 0.3
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


@pytest.fixture(scope="session")
def graded():
    """Feature rows of 20 queries of 8 documents: the grade follows feature 0, the others are noise."""
    rng = np.random.default_rng(1)
    X = rng.random((160, 6)).astype(np.float32)
    y = np.digitize(X[:, 0] + 0.1 * rng.standard_normal(160), [0.4, 0.8])
    return X, y, np.repeat(np.arange(20), 8)


@pytest.fixture(scope="session")
def data():
    folder = os.environ.get("QWD_DATA")
    if not folder:
        pytest.skip("QWD_DATA is not set: the test wants public data sets")
    return Path(folder)
