"""Bad input gets the right exception with a message that says what to do, before any work is lost."""

import zlib

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import qwd

X = np.eye(4, dtype=np.float32)
Y = np.array([0, 0, 1, 1])


def csr(data=(1.0, 2.0), indices=(0, 1), indptr=(0, 2), shape=(1, 4)):
    matrix = sp.csr_matrix(shape, dtype=np.float32)
    matrix.data, matrix.indices = np.array(data, np.float32), np.array(indices, np.int32)
    matrix.indptr = np.array(indptr, np.int32)
    return matrix


@pytest.fixture(scope="module")
def model():
    return qwd.Model.from_weights(sp.eye_array(4, dtype=np.float32, format="csr"))


@pytest.mark.parametrize(
    ("matrix", "error", "message"),
    [
        (csr(indices=(1, 0)), qwd.DataError, r"row 0 has unsorted columns; call X.sum_duplicates\(\)"),
        (csr(indices=(1, 1)), qwd.DataError, r"row 0 has a column twice; call X.sum_duplicates\(\)"),
        (csr(indices=(0, 9)), qwd.DataError, "row 0 has column 9 of 4"),
        (csr(indices=(-1, 0)), qwd.DataError, "row 0 has column -1 of 4"),
        (csr(data=(1.0, np.nan)), qwd.DataError, "row 0, column 1 is NaN.*replace or remove"),
        (csr(data=(np.inf, 1.0)), qwd.DataError, "column 0 is inf"),
        (csr(indptr=(0, 9)), qwd.DataError, "row pointers .* broken"),
        (csr(indptr=(1, 2)), qwd.DataError, "row pointers .* broken"),
        (np.array([["a", "b", "c", "d"]]), TypeError, "give real numbers"),
        (np.array([[1j, 0, 0, 0]]), TypeError, "complex128; give real numbers"),
        (np.array([1.0, 2.0]), qwd.DataError, "1 dimensions; give a matrix"),
        (np.array([[np.nan, 0, 0, 0]]), qwd.DataError, "NaN"),
        (np.array([[1e300, 0, 0, 0]]), qwd.DataError, "inf"),
        (np.ones((1, 5)), qwd.DataError, "beyond the model's 4 query terms|5 columns"),
    ],
)
def test_matrices(model, matrix, error, message):
    with pytest.raises(error, match=message):
        model.match(matrix, X)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"X": X, "y": [0, 1]}, "inconsistent numbers of samples|one for each row"),
        ({"X": X, "y": [0, 1, np.nan, 1]}, "NaN"),
        ({"X": X * np.nan, "y": Y}, "NaN"),
        ({"X": X, "y": [0, 0, 0, 0]}, "one class only"),
        ({"X": X}, "requires y"),
        ({"X": X, "y": Y, "queries": X, "qid": [0, 1, -1, 2]}, "negative value -1; give ids from 0"),
        ({"X": X, "y": Y, "queries": X, "qid": [0, 1, 2, 9]}, "row 9 of 4; number rows from 0"),
        ({"X": X, "y": Y, "queries": X, "qid": [0, 1]}, "2 values for 4 rows"),
        ({"X": X, "y": Y, "queries": X, "group": [2, 3]}, "5 rows in all, X has 4"),
        ({"X": X, "y": Y, "queries": X, "group": [4, 0]}, "at least 1"),
        ({"X": X, "y": Y, "queries": X, "qid": Y, "group": [2, 2]}, "both qid and group are given"),
        ({"X": X, "y": Y, "queries": X}, r"give qid="),
        ({"X": X, "y": Y, "qid": [0, 0, 1, 1]}, "give queries= too"),
        ({"X": X, "y": [0.5, 0, 1, 1], "queries": X, "qid": [0, 0, 1, 1]}, "no whole numbers"),
        ({"X": X, "preferences": [(0, 1)]}, "columns query, better, worse"),
        ({"X": X, "preferences": [(0, 1, 7)]}, "the worse document of a preference names row 7 of 4"),
        ({"X": X, "preferences": [(-1, 1, 2)]}, "the query of a preference names row -1"),
        ({"X": X, "preferences": [(0, 1, 2, np.nan)]}, "NaN"),
        ({"X": X, "preferences": [(0, 1, 2, -1.0)]}, "weight -1; give a finite weight above 0"),
        ({"X": X, "preferences": np.zeros((0, 3), int)}, "preferences|tuple"),
    ],
)
def test_matrix_estimators(given, message):
    with pytest.raises(ValueError, match=message):
        qwd.SparseRanker(tuples=10).fit(given.pop("X"), given.pop("y", None), **given)


@pytest.mark.parametrize(
    ("y", "queries", "message"),
    [
        ([0, 1, 2, -1], {}, "grade -1 is not between 0 and 31"),
        ([0, 1, 2, 40], {}, "grade 40"),
        ([0, 1, 0.5, 1], {}, "no whole numbers"),
        ([0, 1, 0, 1], {"qid": [0, 0, -3, -3]}, "negative value -3"),
        ([0, 1, 0, 1], {"qid": [0.0, 0.0, 1.0, np.nan]}, "no whole numbers or texts"),
        ([0, 1, 0, 1], {"group": [3]}, "3 rows in all, X has 4"),
        ([0, 1, 0, 1], {"group": [2, 2], "qid": [0, 0, 1, 1]}, "give one of them"),
    ],
)
def test_feature_rankers(y, queries, message):
    with pytest.raises(ValueError, match=message):
        qwd.FenchelRank().fit(X, y, **queries)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: qwd.SparseRanker(learning_rate=-1.0), qwd.ParameterError, "learning_rate = -1: expected"),
        (lambda: qwd.SparseRanker(learning_rate="fast"), qwd.ParameterError, "invalid type"),
        (lambda: qwd.SparseRanker(l1=object()), qwd.ParameterError, "no plain value"),
        (lambda: qwd.SparseRanker(start="nowhere"), qwd.ParameterError, "identity or zero"),
        (lambda: qwd.SparseRanker(tuples=0), qwd.ParameterError, "tuples = 0"),
        (lambda: qwd.SparseRanker(threads=99999), qwd.ParameterError, "threads"),
        (lambda: qwd.LowRankRanker(rank=0), qwd.ParameterError, "rank = 0"),
    ],
)
def test_parameters(make, error, message):
    with pytest.raises(error, match=message):
        make().fit(X, Y)


def test_nothing_is_asked_of_what_is_not_fitted():
    for ask in (
        lambda: qwd.SparseRanker().match(X, X),
        lambda: qwd.SparseRanker().score(X, Y),
        lambda: qwd.FenchelRank().predict(X),
        lambda: qwd.TextRanker().search("a"),
        lambda: qwd.TextRanker().save("nowhere.qwd"),
        lambda: qwd.Vectorizer().transform(["a"]),
    ):
        with pytest.raises(qwd.NotFittedError, match="not fitted yet; call fit"):
            ask()
    assert issubclass(qwd.NotFittedError, ValueError) and issubclass(qwd.NotFittedError, AttributeError)


DOCUMENTS = {"a": "red car", "b": "blue sea"}
QUERIES = {"q": "car"}


@pytest.mark.parametrize(
    ("documents", "given", "error", "message"),
    [
        (pd.DataFrame({"name": ["a"], "body2": ["x"]}), {}, qwd.DataError, "documents have no column 'text' .*'body2'"),
        (pd.DataFrame({"doc_id": ["a", None], "text": ["x", "y"]}), {"labels": [0, 1]}, qwd.DataError, "document 1 has no id"),
        (pd.DataFrame({"doc_id": ["a", "b"], "text": ["x", None]}), {"labels": [0, 1]}, qwd.DataError, "document 1 has no text"),
        ([("a", "x"), ("a", "y")], {"labels": [0, 1]}, qwd.DataError, '"a" appears twice, as document 0 and 1'),
        (["x", None], {"labels": [0, 1]}, qwd.DataError, "document 1 is None; give a text"),
        ("red car", {}, TypeError, "documents are one text; give a list"),
        (42, {}, TypeError, "of type int; give a list"),
        (DOCUMENTS, {}, qwd.DataError, "nothing says which document suits what"),
        (DOCUMENTS, {"labels": [1]}, qwd.DataError, "1 labels for 2 documents"),
        (DOCUMENTS, {"labels": [1, None]}, qwd.DataError, "document 1 has no label"),
        (DOCUMENTS, {"queries": QUERIES, "judgments": [("q", "z", 1)]}, qwd.DataError, 'judgment 0 names unknown document "z"'),
        (DOCUMENTS, {"queries": QUERIES, "judgments": [("p", "a", 1)]}, qwd.DataError, 'judgment 0 names unknown query "p"'),
        (DOCUMENTS, {"queries": QUERIES, "judgments": [("q", "a", 0.5)]}, qwd.DataError, "judgment 0 has the grade 0.5"),
        (DOCUMENTS, {"queries": QUERIES, "judgments": [("q", "a", 1), ("q", "a", 2)]}, qwd.DataError, "judged twice"),
        (DOCUMENTS, {"queries": QUERIES, "judgments": [("q", None, 1)]}, qwd.DataError, "the document of judgment 0 has no id"),
        (DOCUMENTS, {"queries": QUERIES, "judgments": pd.DataFrame({"qid": ["q"], "grade": [1]})}, qwd.DataError,
         "judgments have no column 'document'"),
        (DOCUMENTS, {"queries": QUERIES, "preferences": [("q", "a", "a")]}, qwd.DataError, "to itself"),
        (DOCUMENTS, {"queries": QUERIES, "preferences": [("q", "a", "b", -1)]}, qwd.DataError, "preference 0 has weight -1"),
        (DOCUMENTS, {"queries": QUERIES, "preferences": [("q", "a")]}, qwd.DataError, "worse document of preference 0 has no id"),
        (DOCUMENTS, {"queries": QUERIES, "clicks": [("q", "a", -2)]}, qwd.DataError, "click 0 has -2 clicks"),
        (DOCUMENTS, {"links": [("a", "a")]}, qwd.DataError, "links to itself"),
        (DOCUMENTS, {"queries": QUERIES, "sessions": [{"query": "q", "shown": ["a"], "clicked": ["b"]}]}, qwd.DataError,
         "session 0: a document was clicked but not shown"),
        (DOCUMENTS, {"queries": ["a", 5], "judgments": [("0", "a", 1)]}, qwd.DataError, "querie 1|query 1"),
    ],
)
def test_records(documents, given, error, message):
    with pytest.raises(error, match=message):
        qwd.TextRanker().fit(documents, **given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "nonsense"}, "method = nonsense: expected one of identity"),
        ({"settings": {"nonsense": 1}}, "nonsense"),
        ({"settings": {"learning_rate": -1}}, "learning_rate = -1"),
        ({"settings": {"text.vocabulary.n_words": "many"}}, "n_words"),
    ],
)
def test_settings(options, message):
    with pytest.raises(qwd.ParameterError, match=message):
        qwd.TextRanker(**options).fit(["a b", "c d"], labels=[0, 1])


def test_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.qwd"):
        qwd.Model.load(tmp_path / "none.qwd")
    with pytest.raises(qwd.DamagedFileError, match="name a file"):
        qwd.Model.load(tmp_path)
    path = tmp_path / "model.qwd"
    model = qwd.Model.from_weights(sp.eye_array(4, dtype=np.float32, format="csr"))
    model.save(path)
    sound = path.read_bytes()
    path.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
    with pytest.raises(qwd.DamagedFileError, match="damaged"):
        qwd.Model.load(path)
    with pytest.raises(qwd.DataError, match="a model of vectors"):
        path.write_bytes(sound)
        qwd.TextRanker.load(path)
    with pytest.raises(qwd.DataError, match="was trained with given; use qwd.Model.load"):
        qwd.SparseRanker.load(path)
    with pytest.raises(FileNotFoundError):
        qwd.Index.open(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        qwd.TextRanker().fit(tmp_path / "none")


def test_a_file_of_another_version(tmp_path):
    path = tmp_path / "ranker"
    qwd.FenchelRank().fit(X, [0, 1, 0, 1]).save(path)
    path.write_bytes(path.read_bytes().replace(b'"version":1', b'"version":9', 1))
    with pytest.raises(qwd.DamagedFileError, match="version 9; this program reads"):
        qwd.FenchelRank.load(path)


def with_header_checksum(model):
    """A model file whose header was changed, with the checksum that its header has now."""
    opening = b'{"__metadata__":{"header_crc32":"'
    digits = slice(8 + len(opening), 16 + len(opening))
    end = 8 + int.from_bytes(model[:8], "little")
    blank = model[: digits.start] + b"00000000" + model[digits.stop :]
    return blank[: digits.start] + b"%08x" % zlib.crc32(blank[:end]) + blank[digits.stop :]


def test_a_model_of_another_version(tmp_path, model):
    path = tmp_path / "model.qwd"
    sound = model.to_bytes()
    other = sound.replace(b'"format_version":"1"', b'"format_version":"9"', 1)
    assert other != sound
    path.write_bytes(with_header_checksum(other))
    message = 'a qwd model of format version "9", this program reads version 1; use a newer qwd'
    for load in (qwd.Model.load, qwd.TextRanker.load, qwd.SparseRanker.load):
        with pytest.raises(qwd.DamagedFileError, match=message):
            load(path)
    with pytest.raises(qwd.DamagedFileError, match=message):
        qwd.Model.from_bytes(path.read_bytes())


def test_a_model_without_words_reads_no_text(model):
    with pytest.raises(qwd.DataError, match="no vocabulary for query words"):
        model.score("a", "b")
    with pytest.raises(qwd.DataError, match="no vocabulary"):
        model.rank("a", ["b"])
    with pytest.raises(qwd.ParameterError, match="query or document"):
        model.related("a", side="nowhere")
    with pytest.raises(qwd.DataError, match="2 queries and 1 documents"):
        model.score(["a", "b"], ["c"])


def test_widths_that_differ_from_training():
    fitted = qwd.SparseRanker(tuples=10).fit(X, Y)
    with pytest.raises(ValueError, match="X has 3 features, but SparseRanker is expecting 4"):
        fitted.score(np.eye(4)[:, :3], Y)
    ranker = qwd.FenchelRank().fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="X has 3 features, but FenchelRank is expecting 4"):
        ranker.predict(np.eye(4)[:, :3])
