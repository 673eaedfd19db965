//! Messages and exit codes for what is wrong; nothing is ever left half-written.

use crate::folders::Folder;
use crate::running::{json, names, qwd};

/// A folder with documents and queries, and one more file.
fn with(name: &str, text: &str) -> Folder {
    let folder = Folder::new().with_texts();
    folder.write(name, text);
    folder
}

const TRAIN: &str = "train data --tuples 200 --out m.qwd";

#[track_caller]
fn refuses(folder: &Folder, arguments: &str, code: i32, texts: &[&str]) {
    let before = names(folder.path());
    qwd(folder.path(), arguments).fails(code, texts);
    assert_eq!(names(folder.path()), before, "something was left behind");
}

#[test]
fn unknown_ids_name_their_line() {
    let folder = with("data/preferences.tsv", "q0\td0\td1\nq1\td1\td77\n");
    refuses(&folder, TRAIN, 3, &["preferences.tsv:2:7", "unknown document \"d77\"", "--on-error skip"]);
    let folder = with("data/qrels/train.tsv", "query-id\tcorpus-id\tscore\nq777\td1\t1\n");
    refuses(&folder, TRAIN, 3, &["train.tsv:2:1", "unknown query \"q777\""]);
}

#[test]
fn bad_records_can_be_left_out_and_are_counted() {
    let folder = with("data/preferences.tsv", &format!("q0\td0\td77\n{}", crate::folders::preferences(0..300)));
    let run = qwd(folder.path(), &format!("{TRAIN} --on-error skip --json")).expect(0);
    assert!(run.stderr.contains("left out 1 bad records") && run.stderr.contains("d77"), "{}", run.stderr);
}

#[test]
fn duplicate_ids_name_both_lines() {
    let folder = Folder::new();
    folder.write(
        "data/corpus.jsonl",
        "{\"_id\":\"a\",\"text\":\"x\"}\n{\"_id\":\"b\",\"text\":\"y\"}\n{\"_id\":\"a\",\"text\":\"z\"}\n",
    );
    refuses(&folder, TRAIN, 3, &["corpus.jsonl:3:1", "\"a\" appears twice, first on line 1"]);
}

#[test]
fn broken_json_names_its_column() {
    let folder = Folder::new();
    folder.write("data/corpus.jsonl", "{\"_id\":\"a\",\"text\":\"x\"}\n{\"_id\":\"b\",\"text\":7}\n");
    refuses(&folder, TRAIN, 3, &["corpus.jsonl:2:", "invalid type"]);
}

#[test]
fn empty_documents_are_noted_and_only_words_count() {
    let folder = Folder::new().with_texts().with_judgments();
    let mut corpus = folder.read("data/corpus.jsonl");
    corpus.extend_from_slice(b"{\"_id\":\"empty\",\"title\":\"\",\"text\":\" \"}\n");
    folder.write("data/corpus.jsonl", corpus);
    let run = qwd(folder.path(), TRAIN).expect(0);
    assert!(run.stderr.contains("1 documents are empty, the first is \"empty\""), "{}", run.stderr);
}

#[test]
fn an_empty_vocabulary_is_bad_data() {
    let folder = Folder::new();
    let line =
        |i: usize| format!("{{\"_id\":\"d{i}\",\"text\":\"...\",\"label\":\"c{}\",\"split\":\"train\"}}\n", i % 2);
    folder.write("data/corpus.jsonl", (0..8).map(line).collect::<String>());
    refuses(&folder, TRAIN, 3, &["none of the words in 8 texts is left for the vocabulary"]);
    let folder = Folder::new().with_labels();
    refuses(&folder, &format!("{TRAIN} --set text.vocabulary.min_df=1000"), 3, &["none of the words"]);
}

#[test]
fn a_class_with_one_document_is_named() {
    let folder = Folder::new().with_labels();
    let mut corpus = folder.read("data/corpus.jsonl");
    corpus.extend_from_slice(b"{\"_id\":\"odd\",\"text\":\"odd\",\"label\":\"lonely\",\"split\":\"train\"}\n");
    folder.write("data/corpus.jsonl", corpus);
    refuses(&folder, TRAIN, 3, &["class \"lonely\" has only one document", "--set sample.singletons=skip"]);
    json(folder.path(), &format!("{TRAIN} --set sample.singletons=skip"));
    json(folder.path(), "train data --budget 5 --out chosen.qwd");
}

#[test]
fn no_nan_comes_in() {
    let folder = with("data/preferences.tsv", "q0\td0\td1\tNaN\n");
    refuses(&folder, TRAIN, 3, &["preferences.tsv:1:10", "weight \"NaN\" is not a finite number"]);
    let folder = Folder::new();
    folder.write("data/train.svm", "1 1:nan\n2 1:1\n").write("data/test.svm", "1 1:1\n");
    refuses(&folder, TRAIN, 3, &["train.svm:1:"]);
    let folder = with("data/preferences.tsv", "q0\td0\td1\n");
    folder.write("pinned.tsv", "casual1\tformal1\tinf\n");
    refuses(&folder, &format!("{TRAIN} --set learning_rate=NaN"), 2, &["learning_rate = \"NaN\"", "f64"]);
    refuses(&folder, &format!("{TRAIN} --pinned pinned.tsv"), 3, &["pinned.tsv:1:17", "not a finite number"]);
}

#[test]
fn a_diverging_rate_leaves_the_old_model() {
    let folder = Folder::new().with_texts().with_judgments();
    json(folder.path(), TRAIN);
    let before = folder.read("m.qwd");
    refuses(&folder, &format!("{TRAIN} --set learning_rate=1e30"), 3, &["training diverged at step", "learning rate"]);
    assert!(folder.read("m.qwd") == before);
}

#[test]
fn unknown_parameters_are_told_what_exists() {
    let folder = Folder::new().with_texts().with_judgments();
    let set = |setting: &str| format!("{TRAIN} --set {setting}");
    refuses(&folder, &set("learning_rat=1"), 2, &["learning_rate        The rate η", "shrink_every"]);
    refuses(&folder, &set("text.vocabulary.words=1"), 2, &["n_words", "The greatest number of words"]);
    refuses(&folder, &set("stop.metric=best"), 2, &["metric = best", "ndcg@K"]);
    refuses(&folder, &set("l1=-1"), 2, &["l1 = -1", "at least 0"]);
    refuses(&folder, &set("nonsense"), 2, &["key=value"]);
    refuses(&folder, &format!("{TRAIN} --method magic"), 2, &["magic", "sparse-sgd"]);
    folder.write("c.json", "{\"tupels\":1}");
    refuses(&folder, &format!("{TRAIN} --config c.json"), 2, &["c.json", "unknown field `tupels`"]);
    refuses(&folder, &format!("{TRAIN} --threads 100000"), 2, &["threads"]);
    refuses(&folder, "train data", 2, &["--out"]);
    refuses(&folder, "tune data --grid l1=1,,2", 2, &["grid"]);
}

#[test]
fn data_without_a_signal_say_what_is_missing() {
    let folder = Folder::new().with_texts();
    refuses(&folder, TRAIN, 3, &["the train split of data is empty", "qrels/train.tsv", "preferences.tsv"]);
    let folder = Folder::new();
    folder.write("data/notes.txt", "nothing");
    refuses(&folder, TRAIN, 3, &["data holds no data set", "corpus.jsonl"]);
    refuses(&folder, "train nowhere --out m.qwd", 1, &["nowhere: cannot open"]);
}

#[test]
fn a_wrong_file_is_no_model() {
    let folder = Folder::new().with_texts().with_judgments();
    folder.write("text.qwd", "this is no model, but it is long enough to hold a header");
    for arguments in ["related text.qwd car", "inspect text.qwd", "eval data --model text.qwd"] {
        refuses(&folder, arguments, 4, &["text.qwd"]);
    }
    refuses(&folder, "related data car", 4, &["not a regular file"]);
    refuses(&folder, "related missing.qwd car", 1, &["missing.qwd: cannot open"]);
}

#[test]
fn a_folder_that_is_not_there_is_found_out() {
    let folder = Folder::new().with_texts().with_judgments();
    refuses(&folder, "train data --tuples 200 --out missing/m.qwd", 1, &["missing/m.qwd"]);
}

#[test]
fn queries_that_nothing_is_said_of_are_told() {
    let folder = Folder::new().with_texts();
    folder.write("data/links.tsv", "d1\td2\nd2\td3\nd3\td1\n");
    qwd(folder.path(), "train data --method identity --out m.qwd")
        .fails(3, &["has queries, and nothing says what suits them", "take queries.jsonl away"]);
}
