//! Small data sets: twelve topics, of which questions speak in other words than documents.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const N_TOPICS: usize = 12;
const N_DOCUMENTS: usize = 48;
const N_QUERIES: usize = 96;

/// A temporary folder with files in it.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.file(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("written");
        self
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.file(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Documents and queries under `data/`.
    pub(crate) fn with_texts(self) -> Self {
        let (mut corpus, mut queries) = (String::new(), String::new());
        for i in 0..N_DOCUMENTS {
            let topic = i % N_TOPICS;
            let text = format!("formal{topic} official{topic} text{} common words", i % 5);
            writeln!(corpus, "{{\"_id\":\"d{i}\",\"title\":\"T{i}\",\"text\":\"{text}\"}}").expect("a string");
        }
        for i in 0..N_QUERIES {
            let text = format!("casual{} question{} common", i % N_TOPICS, i % 7);
            writeln!(queries, "{{\"_id\":\"q{i}\",\"text\":\"{text}\"}}").expect("a string");
        }
        self.write("data/corpus.jsonl", corpus).write("data/queries.jsonl", queries);
        self
    }

    /// Judgments under `data/qrels/`: documents of a query's topic suit it.
    pub(crate) fn with_judgments(self) -> Self {
        for (split, of_split) in [("train", 0..60), ("dev", 60..78), ("test", 78..N_QUERIES)] {
            let mut lines = "query-id\tcorpus-id\tscore\n".to_string();
            for query in of_split {
                for document in (0..N_DOCUMENTS).filter(|d| d % N_TOPICS == query % N_TOPICS) {
                    writeln!(lines, "q{query}\td{document}\t{}", 1 + document % 2).expect("a string");
                }
            }
            self.write(&format!("data/qrels/{split}.tsv"), lines);
        }
        self
    }

    /// Documents with a label and a split under `data/`.
    pub(crate) fn with_labels(self) -> Self {
        let mut corpus = String::new();
        for i in 0..120 {
            let (topic, split) = (i % 4, if i % 3 == 2 { "test" } else { "train" });
            let text = format!("formal{topic} casual{topic} text{} shared", i % 11);
            let fields = format!("\"_id\":\"d{i}\",\"text\":\"{text}\",\"label\":\"c{topic}\",\"split\":\"{split}\"");
            writeln!(corpus, "{{{fields}}}").expect("a string");
        }
        self.write("data/corpus.jsonl", corpus);
        self
    }

    /// Preferences under `data/`.
    pub(crate) fn with_preferences(self) -> Self {
        self.write("data/preferences.tsv", preferences(0..400));
        self
    }
}

/// The lines of some preferences: a document of the query's topic is better than one of another.
pub(crate) fn preferences(numbers: std::ops::Range<usize>) -> String {
    let mut lines = String::new();
    for i in numbers {
        let query = (i * 7 + i / 13) % N_QUERIES;
        let better = query % N_TOPICS + N_TOPICS * (i % 4);
        let worse = (better + 1 + i % (N_TOPICS - 1)) % N_DOCUMENTS;
        writeln!(lines, "q{query}\td{better}\td{worse}").expect("a string");
    }
    lines
}

/// The same preferences as triples of raw texts.
pub(crate) fn triples(numbers: std::ops::Range<usize>) -> String {
    let mut lines = String::new();
    for i in numbers {
        let (topic, other) = (i % N_TOPICS, (i + 1 + i / N_TOPICS % (N_TOPICS - 1)) % N_TOPICS);
        let (query, pos, neg) =
            (format!("casual{topic} please"), format!("formal{topic} matters"), format!("formal{other} matters"));
        writeln!(lines, "{{\"query\":\"{query}\",\"pos\":\"{pos}\",\"neg\":\"{neg}\"}}").expect("a string");
    }
    lines
}
