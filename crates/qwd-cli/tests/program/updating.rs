//! Training that goes on gives the bytes of one run, and forgets nothing that matters.

use crate::folders::{Folder, preferences, triples};
use crate::running::{command, json, number, qwd};
use std::io::Write;
use std::process::Stdio;

/// Settings under which every method does something on the small data.
const METHODS: [(&str, &str); 6] = [
    ("sparse-sgd", "--set learning_rate=2 --set l1=1e-4"),
    ("sparse-sgd", "--set learning_rate=2 --set l1=1e-4 --set batch=16"),
    ("sgd", "--set learning_rate=2"),
    ("adagrad", ""),
    ("ftrl", ""),
    ("diagonal", ""),
];

#[test]
fn two_runs_give_the_bytes_of_one() {
    let whole = Folder::new().with_texts();
    whole.write("data/preferences.tsv", preferences(0..400));
    let halves = Folder::new().with_texts();
    halves.write("data/preferences.tsv", preferences(0..130)).write("new.tsv", preferences(130..400));
    for (method, settings) in METHODS {
        let train = format!("train data --method {method} {settings} --out m.qwd");
        let all = json(whole.path(), &train);
        let first = json(halves.path(), &train);
        let before = halves.read("m.qwd");
        let update = json(halves.path(), "update m.qwd --preferences new.tsv --data data --out n.qwd");
        assert_eq!(number(&update, "/steps"), number(&all, "/steps"), "{method}");
        assert!(number(&first, "/steps") > 50.0 && number(&update, "/tuples") > 50.0, "{method}");
        assert!(halves.read("n.qwd") == whole.read("m.qwd"), "{method} {settings}: the bytes differ");
        assert!(halves.read("m.qwd") == before, "{method}: the old model was changed");
    }
}

#[test]
fn triples_of_texts_go_on_the_same_way() {
    let whole = Folder::new();
    whole.write("data/preferences.jsonl", triples(0..480));
    let halves = Folder::new();
    // The first part has met every text, so that both runs have the same words.
    halves.write("data/preferences.jsonl", triples(0..264)).write("new.jsonl", triples(264..480));
    json(whole.path(), "train data --out m.qwd");
    json(halves.path(), "train data --out m.qwd");
    json(halves.path(), "update m.qwd --preferences new.jsonl");
    assert!(halves.read("m.qwd") == whole.read("m.qwd"), "the bytes differ");
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let folder = Folder::new().with_texts();
    folder.write("data/preferences.tsv", preferences(0..130)).write("new.tsv", preferences(130..400));
    json(folder.path(), "train data --out m.qwd");
    json(folder.path(), "update m.qwd --preferences new.tsv --data data --out a.qwd");
    let arguments = ["update", "m.qwd", "--preferences", "-", "--data", "data", "--out", "b.qwd"];
    let mut child = command(folder.path()).args(arguments).stdin(Stdio::piped()).spawn().expect("runs");
    child.stdin.take().expect("a pipe").write_all(preferences(130..400).as_bytes()).expect("read to its end");
    assert!(child.wait().expect("ends").success());
    assert!(folder.read("a.qwd") == folder.read("b.qwd"));
}

#[test]
fn what_early_stopping_chose_goes_on_from_there() {
    let folder = Folder::new().with_texts().with_judgments();
    folder.write("new.tsv", preferences(0..50));
    let stopped = json(folder.path(), "train data --out m.qwd");
    let updated = json(folder.path(), "update m.qwd --preferences new.tsv --data data");
    assert_eq!(number(&updated, "/steps"), number(&stopped, "/steps") + number(&updated, "/tuples"));
    json(folder.path(), "update m.qwd --preferences new.tsv --data data");
}

#[test]
fn what_cannot_go_on_says_why() {
    let folder = Folder::new().with_texts().with_judgments();
    folder.write("new.tsv", preferences(0..50)).write("bad.tsv", "q1\td1\td99\n").write("new.jsonl", triples(0..9));
    json(folder.path(), "train data --set refit=true --out refitted.qwd");
    let update = |rest: &str| qwd(folder.path(), &format!("update {rest}"));
    update("refitted.qwd --preferences new.tsv --data data").fails(3, &["keeps no training state", "without refit"]);
    json(folder.path(), "train data --set stop=false --out m.qwd");
    update("m.qwd --preferences bad.tsv --data data").fails(3, &["bad.tsv:1:7", "unknown document \"d99\""]);
    update("m.qwd --preferences new.tsv").fails(2, &["data", ".jsonl"]);
    update("m.qwd --preferences new.jsonl --data data").fails(2, &["bring their own texts"]);
    update("m.qwd --preferences new.tsv --data data").expect(0);
}
