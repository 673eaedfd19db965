use super::{Case, check};
use qwd_data::corpus::{read_documents, read_queries};

const DOCUMENTS: &[Case<'_>] = &[
    (
        b"not json",
        "corpus.jsonl:1:2: not a usable JSON record: expected ident; correct the line or pass --on-error skip",
    ),
    (
        b"[]",
        "corpus.jsonl:1:1: not a usable JSON record: invalid type: sequence, expected a document as a JSON object; correct the line or pass --on-error skip",
    ),
    (
        b"null",
        "corpus.jsonl:1:4: not a usable JSON record: invalid type: null, expected a document as a JSON object; correct the line or pass --on-error skip",
    ),
    (
        b"{",
        "corpus.jsonl:1:1: not a usable JSON record: EOF while parsing an object; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":\"b\"} x",
        "corpus.jsonl:1:24: not a usable JSON record: trailing characters; correct the line or pass --on-error skip",
    ),
    (
        b"{\"text\":\"no id\"}",
        "corpus.jsonl:1:16: not a usable JSON record: missing field `_id`; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\"}",
        "corpus.jsonl:1:11: not a usable JSON record: missing field `text`; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":7,\"text\":\"b\"}",
        "corpus.jsonl:1:8: not a usable JSON record: invalid type: integer `7`, expected a string; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":null}",
        "corpus.jsonl:1:22: not a usable JSON record: invalid type: null, expected a string; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":[\"b\"]}",
        "corpus.jsonl:1:18: not a usable JSON record: invalid type: sequence, expected a string; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"title\":1,\"text\":\"b\"}",
        "corpus.jsonl:1:20: not a usable JSON record: invalid type: integer `1`, expected a string; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":NaN}",
        "corpus.jsonl:1:19: not a usable JSON record: expected value; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":\"b\",\"score\":NaN}",
        "corpus.jsonl:1:31: not a usable JSON record: expected value; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":\"b\",\"score\":1e999}",
        "corpus.jsonl:1:35: not a usable JSON record: number out of range; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":\"b\",\"label\":1.5}",
        "corpus.jsonl:1:34: not a usable JSON record: invalid label, expected a string or a whole number; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":\"b\",\"split\":\"half\"}",
        "corpus.jsonl:1:36: not a usable JSON record: unknown variant `half`, expected one of `train`, `dev`, `vali`, `valid`, `validation`, `test`; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"_id\":\"b\",\"text\":\"b\"}",
        "corpus.jsonl:1:16: not a usable JSON record: duplicate field `_id`; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"\",\"text\":\"b\"}",
        "corpus.jsonl:1:1: the document has an empty _id; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\\tb\",\"text\":\"b\"}",
        "corpus.jsonl:1:1: the document id \"a\\tb\" has a control character; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":\"\\ud800\"}",
        "corpus.jsonl:1:26: not a usable JSON record: unexpected end of hex escape; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":\"tab\there\"}",
        "corpus.jsonl:1:23: not a usable JSON record: control character (\\u0000-\\u001F) found while parsing a string; correct the line or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":\"b\"}\n\n{\"_id\":\"a\",\"text\":\"c\"}\n",
        "corpus.jsonl:3:1: document id \"a\" appears twice, first on line 1; give every one its own id or pass --on-error skip",
    ),
    (
        b"{\"_id\":\"a\",\"text\":\"b\"}\n{\"_id\":\"b\",\"text\":\"\xff\"}\n",
        "corpus.jsonl:2:20: byte 0xff is not valid UTF-8; convert the file to UTF-8 or pass --on-error skip",
    ),
];

#[test]
fn documents() {
    check("corpus.jsonl", DOCUMENTS, read_documents);
}

#[test]
fn deep_json() {
    let deep = format!("{{\"_id\":\"a\",\"text\":\"b\",\"x\":{}", "[".repeat(100_000));
    check(
        "corpus.jsonl",
        &[(
            deep.as_bytes(),
            "corpus.jsonl:1:153: not a usable JSON record: recursion limit exceeded; correct the line or pass --on-error skip",
        )],
        read_documents,
    );
}

#[test]
fn queries() {
    let cases: &[Case<'_>] = &[
        (
            b"{\"_id\":\"q\"}",
            "queries.jsonl:1:11: not a usable JSON record: missing field `text`; correct the line or pass --on-error skip",
        ),
        (
            b"{\"_id\":{},\"text\":\"b\"}",
            "queries.jsonl:1:7: not a usable JSON record: invalid type: map, expected a string; correct the line or pass --on-error skip",
        ),
        (
            b"\n{\"_id\":\"q\",\"text\":\"b\"}\n{\"_id\":\"q\",\"text\":\"b\"}",
            "queries.jsonl:3:1: query id \"q\" appears twice, first on line 2; give every one its own id or pass --on-error skip",
        ),
        (
            b"{\"_id\":\"q\",\"text\":\"b\"}{\"_id\":\"r\",\"text\":\"b\"}",
            "queries.jsonl:1:23: not a usable JSON record: trailing characters; correct the line or pass --on-error skip",
        ),
    ];
    check("queries.jsonl", cases, read_queries);
}
