use qwd_data::{Dataset, OnError, Opened, Reading};
use std::path::Path;

const CORPUS: &str = "{\"_id\":\"d1\",\"text\":\"a\"}\n{\"_id\":\"d2\",\"text\":\"b\"}\n";
const QUERIES: &str = "{\"_id\":\"q1\",\"text\":\"a\"}\n";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("qrels")).expect("a folder");
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).expect("a file");
    }
    folder
}

/// The message of opening a folder, with the folder's own path left out.
fn message(path: &Path, reading: &mut Reading) -> String {
    match Opened::open(path, reading) {
        Ok(_) => "accepted".to_string(),
        Err(e) => {
            e.to_string().replace(&format!("{}/", path.display()), "").replace(&path.display().to_string(), "DIR")
        }
    }
}

#[test]
fn whole_folders() {
    let texts = |name, content| vec![("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), (name, content)];
    let cases: Vec<(Vec<(&str, &str)>, &str)> = vec![
        (
            vec![],
            "DIR holds no data set: looked for corpus.jsonl, preferences.jsonl, train.svm or train-images-idx3-ubyte, plain or as .gz, .zst, .bz2; add the files, or let `qwd dataset get` bring a public data set into this layout",
        ),
        (
            texts("qrels/train.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td9\t1\n"),
            "qrels/train.tsv:3:4: judgment names unknown document \"d9\"; add it to corpus.jsonl or pass --on-error skip",
        ),
        (
            texts("qrels/test.tsv", "q9 0 d1 1\n"),
            "qrels/test.tsv:1:1: judgment names unknown query \"q9\"; add it to queries.jsonl or pass --on-error skip",
        ),
        (
            texts("qrels/dev.tsv", "q1 0 d1 1\nq1 0 d2 0\nq1 0 d1 1\n"),
            "qrels/dev.tsv:3:1: the judgment of document \"d1\" for query \"q1\" appears twice, first on line 1; remove one of the two or pass --on-error skip",
        ),
        (
            texts("preferences.tsv", "q1\td1\td2\nd1\td1\td2\n"),
            "preferences.tsv:2:1: preference names unknown query \"d1\"; add it to queries.jsonl or pass --on-error skip",
        ),
        (
            texts("preferences.tsv", "q1\td1\tnobody\n"),
            "preferences.tsv:1:7: preference names unknown document \"nobody\"; add it to corpus.jsonl or pass --on-error skip",
        ),
        (
            texts("links.tsv", "d1\td3\n"),
            "links.tsv:1:4: link names unknown document \"d3\"; add it to corpus.jsonl or pass --on-error skip",
        ),
        (
            texts("links.tsv", "d1\td2\nd1\td2\n"),
            "links.tsv:2:1: the link from \"d1\" to \"d2\" appears twice, first on line 1; remove one of the two or pass --on-error skip",
        ),
        (
            texts("mates.tsv", "q1\td1\nq2\td1\n"),
            "mates.tsv:2:1: mate names unknown query \"q2\"; add it to queries.jsonl or pass --on-error skip",
        ),
        (
            texts("mates.tsv", "q1\td3\n"),
            "mates.tsv:1:4: mate names unknown document \"d3\"; add it to corpus.jsonl or pass --on-error skip",
        ),
        (
            vec![("corpus.jsonl", CORPUS), ("queries.jsonl", ""), ("mates.tsv", "q1\td1\n")],
            "mates.tsv names queries, but queries.jsonl is missing or empty; add the queries, or remove the mates",
        ),
        (
            vec![("corpus.jsonl", ""), ("queries.jsonl", QUERIES), ("mates.tsv", "q1\td1\n")],
            "mates.tsv:1:4: mate names unknown document \"d1\"; add it to corpus.jsonl or pass --on-error skip",
        ),
        (texts("corpus.jsonl.gz", ""), "corpus.jsonl and corpus.jsonl.gz are both there; remove one of them"),
        (
            texts("dataset.json", "{\"name\": 3}"),
            "dataset.json:1:10: not a usable description of a data set: invalid type: integer `3`, expected a string; correct or remove the file",
        ),
        (
            texts("dataset.json", "{\"files\": {\"corpus.jsonl\": \"fnv1a64:0\"}}"),
            "corpus.jsonl is not the file that dataset.json describes; make the data set anew, or remove the file's hash from there",
        ),
        (vec![("train.svm", "1 1:1\n")], "test.svm is missing; add it, plain or as .gz, .zst, .bz2"),
        (
            vec![("train.svm", "1 1:1\n"), ("test.svm", "1 0:1\n")],
            "test.svm:1:3: feature index 0 in a file whose features count from 1; correct the line or pass --on-error skip",
        ),
        (
            vec![("train.svm", "1 1:1\n"), ("test.svm", ""), ("dataset.json", "{\"index_base\": 2}")],
            "parameter index_base = 2: expected 0 or 1 in dataset.json",
        ),
        (
            vec![("train-images-idx3-ubyte", "\0\0")],
            "train-labels-idx1-ubyte is missing; add it, plain or as .gz, .zst, .bz2",
        ),
    ];
    for (files, expected) in cases {
        let folder = folder(&files);
        assert_eq!(message(folder.path(), &mut Reading::default()), expected, "for {files:?}");
    }
}

#[test]
fn unknown_ids_can_be_skipped() {
    let qrels = "query-id\tcorpus-id\tscore\nq1\td9\t1\nq1\td1\t1\nq8\td1\t1\n";
    let folder = folder(&[("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels/train.tsv", qrels)]);
    let mut reading = Reading::new(OnError::Skip);
    let dataset = Dataset::open(folder.path(), &mut reading).expect("bad records are left out");
    assert_eq!(dataset.judgments[&qwd_data::Split::Train].len(), 1);
    assert_eq!(reading.skipped().n_records, 2);
}

#[test]
fn a_folder_that_is_not_there() {
    let nowhere = Path::new("/nowhere/at/all");
    assert_eq!(message(nowhere, &mut Reading::default()), "DIR: cannot open: No such file or directory (os error 2)");
}
