//! Feature files: what is accepted, what is refused and how it is said.

use qwd_core::{Family, Result};
use qwd_data::{Input, OnError, Reading};
use qwd_rank::FeatureSet;
use qwd_rank::folds::{open_letor, open_mslr, open_yahoo};
use qwd_rank::reader::{ReadParams, read, read_input};
use std::io::Write;
use std::path::Path;

fn from(text: &str) -> Result<FeatureSet> {
    let params = ReadParams { max_features: 100, keep_document_ids: true };
    read_input(Input::from_bytes("f.txt", text)?, None, params, &mut Reading::default())
}

fn message(text: &str) -> String {
    let error = from(text).expect_err("refused");
    assert_eq!(error.family(), Family::Data);
    error.to_string()
}

#[test]
fn missing_and_unsorted_features_are_read() {
    let set = from("2 qid:7 3:0.5 1:1 #docid = A inc = 1\n0 qid:7 2:4 # B\n\n1 qid:9 # \n").expect("good");
    assert_eq!((set.n_documents(), set.n_features(), set.n_queries()), (3, 3, 2));
    assert_eq!((set.row(0), set.row(1), set.row(2)), (vec![1.0, 0.0, 0.5], vec![0.0, 4.0, 0.0], vec![0.0; 3]));
    assert_eq!(
        (set.grades(), set.query_id(1), set.document_id(0), set.document_id(1)),
        ([2, 0, 1].as_slice(), "9", Some("A"), Some("B"))
    );
}

#[test]
fn a_dense_and_a_sparse_file_of_the_same_rows_are_the_same() {
    assert_eq!(
        from("1 qid:1 1:0 2:3 3:0\n").expect("good").row(0)[..2],
        from("1 qid:1 2:3\n").expect("good").row(0)[..]
    );
}

#[test]
fn every_bad_row_is_refused_with_its_line() {
    let good = "1 qid:1 1:1\n";
    for (line, what) in [
        ("1 1:1", "qid"),
        ("1 qid:x 1:1", "does not name a query"),
        ("0.5 qid:1 1:1", "label 0.5 is not a grade"),
        ("-1 qid:1 1:1", "label -1 is not a grade"),
        ("32 qid:1 1:1", "label 32 is not a grade"),
        ("nan qid:1 1:1", "label \"nan\" is not a finite number"),
        ("1 qid:1 0:1", "feature index 0"),
        ("1 qid:1 -3:1", "feature index -3"),
        ("1 qid:1 101:1", "feature index 101 is beyond the limit of 100 features"),
        ("1 qid:1 99999999999999999999:1", "beyond the limit"),
        ("1 qid:1 1:1 1:2", "feature 1 appears twice"),
        ("1 qid:1 1:inf", "is not a finite number"),
    ] {
        let message = message(&format!("{good}{line}\n"));
        assert!(message.starts_with("f.txt:2") && message.contains(what), "{message}");
    }
    let returned = message("1 qid:1 1:1\n1 qid:2 1:1\n0 qid:1 1:1\n");
    assert!(
        returned.starts_with("f.txt:3") && returned.contains("query 1 comes back; it began at line 1"),
        "{returned}"
    );
    let first = message("1 1:1\n");
    assert!(first.starts_with("f.txt:1") && first.contains("names no query"), "{first}");
    assert!(message("# only a comment\n").contains("no rows"));
}

#[test]
fn bad_rows_can_be_skipped() {
    let mut reading = Reading::new(OnError::Skip);
    let text = "1 qid:1 1:1\n0.5 qid:1 1:1\n0 qid:1 1:0\n";
    let set = read_input(Input::from_bytes("f.txt", text).expect("opens"), None, ReadParams::default(), &mut reading)
        .expect("reads");
    assert_eq!((set.n_documents(), reading.skipped().n_records), (2, 1));
}

#[test]
fn queries_can_stand_in_a_file_of_sizes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rank.train");
    std::fs::write(&path, "1 1:1\n0 1:2\n2 1:3\n").expect("written");
    std::fs::write(folder.path().join("rank.train.query"), "1\n2\n").expect("written");
    let set = read(&path, ReadParams::default(), &mut Reading::default()).expect("reads");
    assert_eq!(set.queries().collect::<Vec<_>>(), [0..1, 1..3]);
    std::fs::write(folder.path().join("rank.train.query"), "1\n1\n").expect("written");
    assert!(read(&path, ReadParams::default(), &mut Reading::default()).is_err());
}

const PART: &str = "1 qid:1 1:10\n0 qid:1 1:30\n";

fn gzip(path: &Path, text: &str) {
    let mut out =
        flate2::write::GzEncoder::new(std::fs::File::create(path).expect("made"), flate2::Compression::fast());
    out.write_all(text.as_bytes()).expect("written");
    out.finish().expect("written");
}

#[test]
fn letor_folders_of_both_namings_and_packed_files_are_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    for (fold, names) in [
        ("Fold1", ["train.txt", "vali.txt", "test.txt"]),
        ("Fold2", ["trainingset.txt", "validationset.txt", "testset.txt"]),
    ] {
        let inside = folder.path().join(fold);
        std::fs::create_dir(&inside).expect("made");
        std::fs::write(inside.join(names[0]), PART).expect("written");
        gzip(&inside.join(format!("{}.gz", names[1])), PART);
        let packed = zstd::encode_all("1 qid:1 2:5\n".as_bytes(), 1).expect("packed");
        std::fs::write(inside.join(format!("{}.zst", names[2])), packed).expect("written");
    }
    let folds = open_letor(folder.path(), ReadParams::default(), &mut Reading::default()).expect("opens");
    assert_eq!(folds.len(), 2);
    assert!(folds.iter().all(|fold| fold.train.n_features() == 2 && fold.test.n_features() == 2));
    let scaled = open_mslr(folder.path(), ReadParams::default(), &mut Reading::default()).expect("opens");
    assert_eq!((scaled[0].train.column(0), scaled[0].test.column(1)), ([0.0, 1.0].as_slice(), [0.0].as_slice()));
    std::fs::write(folder.path().join("Fold2/trainingset.txt"), "").expect("written");
    let empty = open_letor(folder.path(), ReadParams::default(), &mut Reading::default()).expect_err("an empty part");
    assert!(empty.to_string().contains("trainingset.txt") && empty.to_string().contains("no rows"), "{empty}");
    assert!(open_letor(&folder.path().join("Fold1"), ReadParams::default(), &mut Reading::default()).is_err());
}

#[test]
fn yahoos_sets_are_opened_as_far_as_they_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(open_yahoo(folder.path(), ReadParams::default(), &mut Reading::default()).is_err());
    for part in ["train", "valid", "test"] {
        std::fs::write(folder.path().join(format!("set1.{part}.txt")), PART).expect("written");
    }
    let folds = open_yahoo(folder.path(), ReadParams::default(), &mut Reading::default()).expect("opens");
    assert_eq!((folds.len(), folds[0].name.as_str()), (1, "set1"));
}
