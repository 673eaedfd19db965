//! InsuranceQA, version 2: questions about insurance, and answers by experts.
//!
//! Documents are the 27,413 answers, queries the questions (`train-0`, `dev-0`, …, as their makers number each split).
//! A right answer has grade 1. Every question comes with 200 wrong answers; they have grade 0, so that a question can be
//! asked against its own 201 or so judged answers, or against all. The English texts are taken, with runs of spaces as one.

use super::folder::{NewFolder, open_original};
use super::{Count, Options, Original, count, file, not_empty};
use crate::corpus::{Document, Query, write_documents, write_queries};
use crate::input::Input;
use crate::json;
use crate::qrels::write_beir;
use crate::reading::Reading;
use crate::split::Split;
use qwd_core::error::Place;
use qwd_core::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::Path;

/// What is known of the originals.
pub const ORIGINAL: Original = Original {
    name: "insuranceqa",
    folder: "insuranceqa",
    description: "InsuranceQA V2: questions, right answers, and 200 wrong ones for each question",
    files: &[
        file("answers.json.gz", "9d41cf7ed3c46bc273ffe68e8e9abcb79fcf1d7b973182f6910d9497f8c4451e"),
        file("train.json.gz", "c6b11732c8cc3ee00693b22b3bfdc19faa39099e140eb07702a7ecedc14d0d69"),
        file("valid.json.gz", "a0f05c75f4fca5fa2b34d3a2889039837f39149dd103f35d08452505bcfd11f5"),
        file("test.json.gz", "4625dc4ba5fb08c83387872410007c6ae7f19616b286832962f140612087b253"),
    ],
    homes: &["https://pypi.org/project/insuranceqa-data/", "https://github.com/shuzi/insuranceQA"],
    licence: "for research only (Feng et al. 2015); the package with Chinese translations is GPL 3.0",
    convert,
};

/// The largest file accepted, after decompression.
const MAX_BYTES: u64 = 1 << 30;

#[derive(Deserialize)]
struct Answer {
    en: String,
}

#[derive(Deserialize)]
struct Question {
    en: String,
    domain: String,
    answers: Vec<String>,
    negatives: Vec<String>,
}

fn convert(from: &Path, to: &Path, _: Options, reading: &mut Reading) -> Result<Vec<Count>> {
    let answers: BTreeMap<u32, Answer> = read_object(open_original(from, &["answers.json"])?, reading)?;
    let documents: Vec<Document> = answers.iter().map(document).collect();
    not_empty(&documents, from)?;
    let mut folder = NewFolder::create(to, &ORIGINAL)?;
    folder.write("corpus.jsonl", |out| write_documents(out, &documents))?;
    let mut queries = Vec::new();
    let mut counts = vec![count("documents", documents.len())];
    for (split, (name, what)) in Split::ALL.into_iter().zip(SPLITS) {
        let input = open_original(from, &[name])?;
        let path = input.path().to_path_buf();
        let questions: BTreeMap<u32, Question> = read_object(input, reading)?;
        let ids: Vec<String> = questions.keys().map(|number| format!("{split}-{number}")).collect();
        let judgments = judge(&ids, &questions, &answers, &path)?;
        folder.write(&format!("qrels/{split}.tsv"), |out| write_beir(out, judgments.iter().copied()))?;
        let n_right = judgments.iter().filter(|judgment| judgment.2 > 0).count();
        counts.extend([questions.len(), n_right].into_iter().zip(what).map(|(n, what)| count(what, n)));
        queries.extend(ids.into_iter().zip(questions.values()).map(query));
    }
    folder.write("queries.jsonl", |out| write_queries(out, &queries))?;
    folder.publish()?;
    Ok(counts)
}

/// Grades the answers that each question names, of which all must be there.
fn judge<'a>(
    ids: &'a [String],
    questions: &'a BTreeMap<u32, Question>,
    answers: &BTreeMap<u32, Answer>,
    path: &Path,
) -> Result<Vec<(&'a str, &'a str, i32)>> {
    let mut judgments = Vec::new();
    for (id, (number, question)) in ids.iter().zip(questions) {
        let (right, wrong) = (question.answers.iter().map(|a| (a, 1)), question.negatives.iter().map(|a| (a, 0)));
        for (answer, grade) in right.chain(wrong) {
            if !answer.parse().is_ok_and(|number| answers.contains_key(&number)) {
                let what = format!("{}: question {number} names unknown answer {answer:?}", path.display());
                return Err(Error::bad_data(what, "fetch the files again"));
            }
            judgments.push((id.as_str(), answer.as_str(), grade));
        }
    }
    Ok(judgments)
}

fn document((id, answer): (&u32, &Answer)) -> Document {
    Document { id: id.to_string(), text: one_spaced(&answer.en), ..Document::default() }
}

fn query((id, question): (String, &Question)) -> Query {
    let extra = [("domain".to_string(), question.domain.as_str().into())].into_iter().collect();
    Query { id, text: one_spaced(&question.en), extra }
}

/// The file of each split, and what is counted of it.
const SPLITS: [(&str, [&str; 2]); 3] = [
    ("train.json", ["train questions", "train right answers"]),
    ("valid.json", ["dev questions", "dev right answers"]),
    ("test.json", ["test questions", "test right answers"]),
];

/// Reads a file that is one JSON object, whose keys are numbers.
fn read_object<T: DeserializeOwned>(mut input: Input, reading: &mut Reading) -> Result<BTreeMap<u32, T>> {
    let mut text = Vec::new();
    input.read_up_to(MAX_BYTES + 1, &mut text)?;
    if text.len() as u64 > MAX_BYTES {
        let what = format!("{}: the size in bytes", input.path().display());
        return Err(Error::limit(what, MAX_BYTES, text.len() as u64, "check that it is the right file"));
    }
    let object = serde_json::from_slice(&text).map_err(|e| {
        let place = Place::new(input.path(), e.line() as u64, e.column() as u64);
        Error::parse(place, format!("not what was expected: {}", json::message(&e)), "fetch the file again")
    })?;
    reading.finish(input)?;
    Ok(object)
}

fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
