"""Records from wherever Python users keep them: lists, dicts, pandas, polars, Arrow, ir_datasets, TREC files.

A table is anything with columns; a record is a dict, a named tuple, an object with the right attributes, or a plain
tuple in the order of the format. Ids may be texts or whole numbers; a missing one is an error before any work is done.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .errors import DataError

# What columns are called by those who make tables; the first name is ours.
ALIASES = {
    "id": ("_id", "id", "doc_id", "docno", "docid", "query_id", "qid"),
    "text": ("text", "contents", "body", "default_text", "query", "title"),
    "title": ("title",),
    "label": ("label", "target"),
    "split": ("split",),
    "query": ("query", "query_id", "query-id", "qid", "q_id"),
    "document": ("document", "doc_id", "corpus-id", "docno", "docid", "doc"),
    "grade": ("grade", "relevance", "score", "rel", "label"),
    "better": ("better", "pos", "positive"),
    "worse": ("worse", "neg", "negative"),
    "weight": ("weight",),
    "from": ("from", "source"),
    "to": ("to", "target"),
    "clicks": ("clicks",),
    "impressions": ("impressions",),
    "position": ("position",),
}


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def is_table(value: Any) -> bool:
    return hasattr(value, "columns") or hasattr(value, "column_names")


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def text_id(value: Any, what: str) -> str:
    """An id as text."""
    if is_missing(value) or value == "":
        raise DataError(f"{what} has no id; remove it or give it one")
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} has an id of type {type(value).__name__}; give a text or a whole number")
    return str(value.__index__())


def rows_of(table: Any) -> Iterator[dict[str, Any]]:
    """The rows of a table as dicts."""
    if hasattr(table, "iter_rows") and hasattr(table, "schema"):  # polars
        yield from table.iter_rows(named=True)
    elif hasattr(table, "to_pylist"):  # Arrow
        for batch in table.to_batches() if hasattr(table, "to_batches") else [table]:
            yield from batch.to_pylist()
    else:  # pandas
        names = [str(name) for name in table.columns]
        for values in table.itertuples(index=False, name=None):
            yield dict(zip(names, values))


def column_names(table: Any) -> list[str]:
    names = table.column_names if hasattr(table, "column_names") else table.columns
    return [str(name) for name in names]


def field(record: Any, name: str, place: int | None) -> Any:
    """A field of a record by name, or by place in a plain tuple; ``None`` if there is none."""
    for alias in ALIASES[name]:
        if isinstance(record, Mapping):
            if alias in record:
                return record[alias]
        elif hasattr(record, alias):
            value = getattr(record, alias)
            return value() if callable(value) else value
    is_plain = isinstance(record, (tuple, list)) and not hasattr(record, "_fields")
    return record[place] if is_plain and place is not None and place < len(record) else None


def check_columns(table: Any, kind: str, required: Iterable[str]) -> None:
    """Names the columns that a table lacks before anything is read."""
    names = set(column_names(table))
    for name in required:
        if names.isdisjoint(ALIASES[name]):
            known = " or ".join(repr(alias) for alias in ALIASES[name])
            raise DataError(f"{kind} have no column {known} (there are {sorted(names)}); rename or add it")


def documents(given: Any, labels: Any = None) -> tuple[list[str], bool]:
    """Documents as the JSON lines of ``corpus.jsonl``, and whether they came without ids."""
    records, numbered = _texts(given, "documents")
    names = None if labels is None else _labels(labels, records)
    lines = []
    for i, (number, record) in enumerate(records):
        line: dict[str, Any] = {"_id": number, "text": record} if isinstance(record, str) else _document(record, i, number)
        if names is not None:
            line["label"] = names[i]
        lines.append(json.dumps(line, ensure_ascii=False, default=str))
    return lines, numbered


def queries(given: Any) -> list[tuple[str, str]]:
    """Queries as ids and texts."""
    out = []
    for i, (number, record) in enumerate(_texts(given, "queries")[0]):
        if isinstance(record, str):
            out.append((number, record))
            continue
        text = field(record, "text", 1)
        if not isinstance(text, str):
            raise DataError(f"query {i} has no text; give one")
        out.append((number or text_id(field(record, "id", 0), f"query {i}"), text))
    return out


def _texts(given: Any, kind: str) -> tuple[list[tuple[str, Any]], bool]:
    """Pairs of an id, empty if the record itself has it, and a record; and whether ids are just numbers."""
    if isinstance(given, str):
        raise TypeError(f"{kind} are one text; give a list of texts, or pathlib.Path for a folder")
    if is_table(given):
        check_columns(given, kind, ("text",))
        has_ids = not set(column_names(given)).isdisjoint(ALIASES["id"])
        return [("" if has_ids else str(i), row) for i, row in enumerate(rows_of(given))], not has_ids
    if isinstance(given, Mapping):
        return [(text_id(key, f"a key of {kind}"), value) for key, value in given.items()], False
    if not isinstance(given, Iterable):
        raise TypeError(f"{kind} are of type {type(given).__name__}; give a list, a dict, a table or a folder")
    records, numbered = [], True
    for i, record in enumerate(given):
        is_text = isinstance(record, str)
        numbered = numbered and is_text
        if is_missing(record) or isinstance(record, (bytes, int, float)):
            raise DataError(f"{kind[:-1]} {i} is {record!r}; give a text")
        records.append((str(i) if is_text else "", record))
    return records, numbered


def _document(record: Any, i: int, number: str) -> dict[str, Any]:
    is_long = isinstance(record, (tuple, list)) and not hasattr(record, "_fields") and len(record) > 2
    text = field(record, "text", 2 if is_long else 1)
    title = field(record, "title", 1 if is_long else None)
    if is_missing(text) and not isinstance(title, str):
        raise DataError(f"document {i} has no text; give one, or an empty one")
    line = {"_id": number or text_id(field(record, "id", 0), f"document {i}"), "text": "" if is_missing(text) else text}
    if not isinstance(line["text"], str):
        raise DataError(f"document {i} has a text of type {type(text).__name__}; give a str")
    if isinstance(title, str) and title is not text:
        line["title"] = title
    if isinstance(record, Mapping):
        used = {"_id", "text", "title", *(name for name in ALIASES["id"] if name in record)}
        line.update({k: _plain(v) for k, v in record.items() if k not in used and not is_missing(v)})
    return line


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value


def _labels(labels: Any, records: list[tuple[str, Any]]) -> list[str]:
    if isinstance(labels, Mapping):
        ids = [number or text_id(field(record, "id", 0), "a document") for number, record in records]
        labels = [labels.get(key) for key in ids]
    labels = list(labels)
    if len(labels) != len(records):
        raise DataError(f"{len(labels)} labels for {len(records)} documents; give one for each")
    for i, label in enumerate(labels):
        if is_missing(label):
            raise DataError(f"document {i} has no label; give every document one")
    return [str(label) for label in labels]


def judgments(given: Any) -> list[tuple[str, str, int]]:
    """Judgments as query, document and grade."""
    if is_path(given):
        from ._qwd import read_qrels

        return read_qrels(os.fspath(given))
    if isinstance(given, Mapping):
        triples = ((q, d, grade) for q, of_query in given.items() for d, grade in of_query.items())
        return [_judgment(triple, i) for i, triple in enumerate(triples)]
    return [_judgment(record, i) for i, record in enumerate(_records(given, "judgments", ("query", "document", "grade")))]


def _judgment(record: Any, i: int) -> tuple[str, str, int]:
    query, document = _pair(record, i, "judgment")
    return query, document, _whole(field(record, "grade", 2), f"judgment {i}", "grade")


def preferences(given: Any) -> list[tuple[str, str, str, float]]:
    """Preferences as query, better document, worse document and weight."""
    out = []
    for i, record in enumerate(_records(given, "preferences", ("query", "better", "worse"))):
        query = text_id(field(record, "query", 0), f"the query of preference {i}")
        better = text_id(field(record, "better", 1), f"the better document of preference {i}")
        worse = text_id(field(record, "worse", 2), f"the worse document of preference {i}")
        weight = field(record, "weight", 3)
        out.append((query, better, worse, 1.0 if is_missing(weight) else float(weight)))
    return out


def links(given: Any) -> list[tuple[str, str]]:
    """Links as two ids."""
    out = []
    for i, record in enumerate(_records(given, "links", ("from", "to"))):
        start = text_id(field(record, "from", 0), f"the start of link {i}")
        out.append((start, text_id(field(record, "to", 1), f"the end of link {i}")))
    return out


def clicks(given: Any) -> list[tuple[str, str, int, int | None, float | None]]:
    """Clicks as query, document, number of clicks, of impressions, and mean position."""
    out = []
    for i, record in enumerate(_records(given, "clicks", ("query", "document", "clicks"))):
        query, document = _pair(record, i, "click")
        clicked = _whole(field(record, "clicks", 2), f"click {i}", "number of clicks")
        shown, position = field(record, "impressions", 3), field(record, "position", 4)
        out.append((query, document, clicked, None if is_missing(shown) else _whole(shown, f"click {i}", "impressions"),
                    None if is_missing(position) else float(position)))
    return out


def sessions(given: Iterable[Mapping[str, Any]]) -> list[str]:
    """Sessions as JSON lines of ``query``, ``shown`` and ``clicked``."""
    out = []
    for i, record in enumerate(given):
        line: dict[str, Any] = {"query": text_id(record["query"], f"the query of session {i}")}
        for name in ("shown", "clicked"):
            line[name] = [text_id(d, f"a document of session {i}") for d in record[name]]
        out.append(json.dumps(line))
    return out


def _pair(record: Any, i: int, kind: str) -> tuple[str, str]:
    query = text_id(field(record, "query", 0), f"the query of {kind} {i}")
    return query, text_id(field(record, "document", 1), f"the document of {kind} {i}")


def _records(given: Any, kind: str, required: Iterable[str]) -> Iterable[Any]:
    if is_table(given):
        check_columns(given, kind, required)
        return rows_of(given)
    if is_path(given) or not isinstance(given, Iterable):
        raise TypeError(f"{kind} are of type {type(given).__name__}; give a list of tuples or a table")
    return given


def _whole(value: Any, what: str, name: str) -> int:
    if not is_missing(value):
        if hasattr(value, "__index__"):
            return value.__index__()
        if isinstance(value, float) and value.is_integer():
            return int(value)
    raise DataError(f"{what} has the {name} {value!r}; give a whole number")
