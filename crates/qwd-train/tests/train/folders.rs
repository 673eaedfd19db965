//! Small data sets in folders of their own.

use qwd_data::{Opened, Reading};
use qwd_testkit::random::Dice;
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;

/// Some words, the later ones rarer; few enough that many documents are scored alike.
fn text(dice: &mut Dice, len: usize, topic: usize) -> String {
    let word = |dice: &mut Dice| {
        let n = (12.0 * dice.unit().powi(2)) as usize;
        if dice.unit() < 0.4 { format!("topic{topic}x{}", n % 3) } else { format!("word{n}") }
    };
    (0..1 + dice.below(len)).map(|_| word(dice)).collect::<Vec<_>>().join(" ")
}

pub(crate) fn write(folder: &Path, name: &str, lines: &[String]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).expect("written");
}

pub(crate) fn open(folder: &Path) -> Opened {
    Opened::open(folder, &mut Reading::default()).expect("a data set")
}

/// Documents of three classes and one of a class of its own, some of the same text, in train and test.
pub(crate) fn labelled() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut dice = Dice::new(5);
    let mut lines = Vec::new();
    for i in 0..90 {
        let topic = dice.below(3);
        let (text, split) = (text(&mut dice, 9, topic), if i % 3 == 0 { "test" } else { "train" });
        lines.push(
            json!({ "_id": format!("d{i}"), "text": text, "label": format!("c{topic}"), "split": split }).to_string(),
        );
    }
    lines.push(json!({ "_id": "lonely", "text": "word1", "label": "alone", "split": "test" }).to_string());
    lines.push(json!({ "_id": "empty", "text": "", "label": "c0", "split": "test" }).to_string());
    write(folder.path(), "corpus.jsonl", &lines);
    folder
}

/// Queries of their own, with graded judgments of some documents.
pub(crate) fn judged() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut dice = Dice::new(6);
    let corpus: Vec<String> =
        (0..60).map(|i| json!({ "_id": format!("d{i}"), "text": text(&mut dice, 9, i % 3) }).to_string()).collect();
    write(folder.path(), "corpus.jsonl", &corpus);
    let queries: Vec<String> =
        (0..20).map(|i| json!({ "_id": format!("q{i}"), "text": text(&mut dice, 4, i % 3) }).to_string()).collect();
    write(folder.path(), "queries.jsonl", &queries);
    for (split, queries) in [("train", 0..12), ("test", 12..20)] {
        let mut lines = vec!["query-id\tcorpus-id\tscore".to_string()];
        for query in queries {
            for document in 0..60 {
                // Query 19 has no relevant document.
                let grade = if query == 19 { 0 } else { [0, 0, 1, 2][dice.below(4)] };
                if document % 3 == query % 3 && dice.unit() < 0.6 {
                    lines.push(format!("q{query}\td{document}\t{grade}"));
                }
            }
        }
        write(folder.path(), &format!("qrels/{split}.tsv"), &lines);
    }
    folder
}
