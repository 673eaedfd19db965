//! Promise 5: bad input gets an error with file, line and column, never a panic or a hang.
//!
//! The full table of hostile inputs, more than 150 with their messages word for word, is in
//! `crates/qwd-data/tests/hostile`. Here the program itself meets one of each kind of file, and `--on-error skip` goes on.

use std::fs;
use std::path::Path;

const CORPUS: &str = "{\"_id\":\"d1\",\"text\":\"red fox\"}\n{\"_id\":\"d2\",\"text\":\"blue whale\"}\n";
const QUERIES: &str = "{\"_id\":\"q1\",\"text\":\"fox\"}\n{\"_id\":\"q2\",\"text\":\"whale\"}\n";
const QRELS: &str = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n";

/// Writes a sound folder, then puts `bad` in place of one file.
fn folder(at: &Path, file: &str, bad: &[u8]) {
    fs::create_dir_all(at.join("qrels")).expect("a folder");
    for (name, text) in [("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels/train.tsv", QRELS)] {
        fs::write(at.join(name), text).expect("written");
    }
    fs::write(at.join(file), bad).expect("written");
}

/// Trains on a folder with one bad file and returns exit code and message.
fn train(file: &str, bad: &[u8], more: &[&str]) -> (Option<i32>, String) {
    let scratch = tempfile::tempdir().expect("a folder");
    let data = scratch.path().join("data");
    folder(&data, file, bad);
    let model = scratch.path().join("m.qwd");
    let output = promises::program()
        .arg("train")
        .arg(&data)
        .args(["--tuples", "100", "--set", "stop=null", "--out"])
        .arg(&model)
        .args(more)
        .output()
        .expect("the program runs");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!message.contains("panicked"), "{message}");
    assert_eq!(
        output.status.success(),
        model.exists(),
        "a model is there if and only if training succeeded: {message}"
    );
    (output.status.code(), message)
}

#[test]
fn errors_name_file_and_line() {
    let cases: &[(&str, &[u8], &str)] = &[
        ("corpus.jsonl", b"{\"_id\":\"d1\",\"text\":\"a\"}\nnot json\n", "corpus.jsonl:2:"),
        ("corpus.jsonl", b"{\"text\":\"no id\"}\n", "corpus.jsonl:1"),
        ("corpus.jsonl", b"{\"_id\":\"d1\",\"text\":\"a\"}\n{\"_id\":\"d1\",\"text\":\"b\"}\n", "corpus.jsonl:2"),
        ("corpus.jsonl", b"{\"_id\":\"d1\",\"text\":\"\xff\"}\n", "corpus.jsonl:1:"),
        ("corpus.jsonl", b"", "corpus.jsonl"),
        ("queries.jsonl", b"{\"_id\":1,\"text\":\"a\"}\n", "queries.jsonl:1"),
        ("qrels/train.tsv", b"query-id\tcorpus-id\tscore\nq1\td9\t1\n", "train.tsv:2:"),
        ("qrels/train.tsv", b"query-id\tcorpus-id\tscore\nq1\td1\tmany\n", "train.tsv:2:"),
        ("qrels/train.tsv", b"query-id\tcorpus-id\tscore\nq1\n", "train.tsv:2"),
    ];
    for (file, bad, place) in cases {
        let (code, message) = train(file, bad, &[]);
        assert_eq!(code, Some(3), "{file}: {message}");
        assert!(message.contains(place), "{file}: {message}");
        assert!(message.contains(';'), "a remedy follows: {message}");
    }
}

#[test]
fn bad_records_can_be_skipped_and_are_counted() {
    let bad = format!("{CORPUS}not json\n");
    let (code, message) = train("corpus.jsonl", bad.as_bytes(), &["--on-error", "skip"]);
    assert_eq!(code, Some(0), "{message}");
    assert!(message.contains("corpus.jsonl:3"), "what was skipped is told: {message}");
}
