//! Promise 8: ids are checked; duplicates and unknown ids name their lines.

use qwd_data::{Dataset, Reading};
use std::fs;

fn open(corpus: &str, queries: &str, qrels: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("qrels")).expect("a folder");
    for (name, text) in [("corpus.jsonl", corpus), ("queries.jsonl", queries), ("qrels/train.tsv", qrels)] {
        fs::write(folder.path().join(name), text).expect("written");
    }
    let error = Dataset::open(folder.path(), &mut Reading::default()).expect_err("a bad id");
    error.to_string().replace(&folder.path().display().to_string(), "data")
}

const CORPUS: &str = "{\"_id\":\"d1\",\"text\":\"a\"}\n";
const QUERIES: &str = "{\"_id\":\"q1\",\"text\":\"a\"}\n";

#[test]
fn duplicates_name_both_lines() {
    let message = open(&format!("{CORPUS}{{\"_id\":\"d2\",\"text\":\"b\"}}\n{CORPUS}"), QUERIES, "");
    assert!(message.starts_with("data/corpus.jsonl:3"), "{message}");
    assert!(message.contains("line 1") && message.contains("\"d1\""), "{message}");
}

#[test]
fn unknown_ids_name_their_line_and_what_to_do() {
    let header = "query-id\tcorpus-id\tscore\n";
    let document = open(CORPUS, QUERIES, &format!("{header}q1\td1\t1\nq1\td7\t1\n"));
    assert!(document.starts_with("data/qrels/train.tsv:3:") && document.contains("\"d7\""), "{document}");
    assert!(document.contains("--on-error skip"), "{document}");
    let query = open(CORPUS, QUERIES, &format!("{header}q8\td1\t1\n"));
    assert!(query.starts_with("data/qrels/train.tsv:2:") && query.contains("\"q8\""), "{query}");
}
