//! NFCorpus: medical articles, and questions of lay people with graded judgments of three splits.
//!
//! Queries are the titles of the pages (`*.titles.queries`), judgments the 2-1-0 ones that the paper and BEIR use. Where
//! `train.docs` is missing, as in the copy at hand, 3,395 of 3,633 documents remain: judgments of the missing ones are
//! left out (500 of 110,575, all of them in train), by which 27 training queries lose all their documents. They stay in
//! `queries.jsonl` and are counted.

use super::folder::{NewFolder, open_original};
use super::{Count, Options, Original, count, file};
use crate::corpus::{Document, Query, write_documents, write_queries};
use crate::id_map::IdMap;
use crate::input::{Input, find};
use crate::lines::CORRECT_OR_SKIP;
use crate::qrels::{self, Layout, write_beir};
use crate::reading::Reading;
use crate::split::Split;
use qwd_core::{Error, Result};
use std::collections::BTreeSet;
use std::path::Path;

/// What is known of the originals.
pub const ORIGINAL: Original = Original {
    name: "nfcorpus",
    folder: "nfcorpus",
    description: "NFCorpus: medical articles with lay queries and graded judgments",
    files: &[
        file("docs.union.tsv.gz", "5a15b8fb74c830b9b7d6e8d1e078eb903152305c3047b230ef2bbfeb0db69358"),
        file("train.titles.queries", "b3ac36c83fc871d3478e4f8f9a2d11a56bb41b1e489c0b0fdf2a8d333bc69396"),
        file("dev.titles.queries", "548d2deef61bdc5a9db538f12679c503eb1b117c8ad7d8517493fdb4d5741ca6"),
        file("test.titles.queries", "be3c7287d8784ab6f24e215693cdb0716468ff090252147415abe26a056a2648"),
        file("train.2-1-0.qrel.gz", "b58a559746028bca07a8a078acca1100ea66424b64145ce8a3471a2b7d9e45e2"),
        file("dev.2-1-0.qrel", "7828a511ee263e09cb4d9e01c8f7adb4101877f1bc84af2b370af9854d72ffe2"),
        file("test.2-1-0.qrel", "854da1b7a95e32383e508a89bf62848dd12b7aed28d2e35796e0190dfb97c3ae"),
    ],
    homes: &["https://www.cl.uni-heidelberg.de/statnlpgroup/nfcorpus/"],
    licence: "free for academic purposes; for others see the terms of NutritionFacts.org",
    convert,
};

fn convert(from: &Path, to: &Path, _: Options, reading: &mut Reading) -> Result<Vec<Count>> {
    let (documents, document_ids) = read_texts(document_files(from)?, reading)?;
    let documents: Vec<Document> =
        documents.into_iter().map(|(id, text)| Document { id, text, ..Document::default() }).collect();
    let mut query_files = Vec::new();
    for split in Split::ALL {
        query_files.push(open_original(from, &[&format!("{split}.titles.queries")])?);
    }
    let (queries, query_ids) = read_texts(query_files, reading)?;
    let queries: Vec<Query> = queries.into_iter().map(|(id, text)| Query { id, text, ..Query::default() }).collect();
    let mut folder = NewFolder::create(to, &ORIGINAL)?;
    folder.write("corpus.jsonl", |out| write_documents(out, &documents))?;
    folder.write("queries.jsonl", |out| write_queries(out, &queries))?;
    let mut counts = vec![count("documents", documents.len()), count("queries", queries.len())];
    for (split, names) in Split::ALL.into_iter().zip(COUNTS) {
        let input = open_original(from, &[&format!("{split}.2-1-0.qrel")])?;
        let qrels = Usable::read(input, &query_ids, &document_ids, reading)?;
        folder.write(&format!("qrels/{split}.tsv"), |out| write_beir(out, qrels.rows()))?;
        let numbers = [qrels.judgments.len(), qrels.n_lost, qrels.n_queries_lost];
        counts.extend(names.into_iter().zip(numbers).map(|(what, n)| count(what, n)));
    }
    folder.publish()?;
    Ok(counts)
}

/// What is counted of each split.
const COUNTS: [[&str; 3]; 3] = [
    ["train judgments", "train judgments of missing documents", "train queries left without documents"],
    ["dev judgments", "dev judgments of missing documents", "dev queries left without documents"],
    ["test judgments", "test judgments of missing documents", "test queries left without documents"],
];

fn document_files(from: &Path) -> Result<Vec<Input>> {
    if find(from, "train.docs")?.is_some() {
        return Split::ALL.into_iter().map(|split| open_original(from, &[&format!("{split}.docs")])).collect();
    }
    Ok(vec![open_original(from, &["docs.union.tsv", "train.docs"])?])
}

/// Reads `id<TAB>text` from several files, sorted by id; the splits share documents, which must then be the same.
fn read_texts(inputs: Vec<Input>, reading: &mut Reading) -> Result<(Vec<(String, String)>, IdMap)> {
    let mut texts = std::collections::BTreeMap::new();
    for input in inputs {
        reading.each_line(input, |line| {
            let [Some(id), Some(text)] = line.columns::<2>(2, "id<TAB>text")? else {
                return Err(Error::internal("two columns were promised"));
            };
            let earlier = texts.insert(id.text.to_string(), text.text.to_string());
            match earlier.is_some_and(|earlier| earlier != text.text) {
                true => {
                    Err(line.error(1, format!("{:?} appears twice with different texts", id.text), CORRECT_OR_SKIP))
                }
                false => Ok(()),
            }
        })?;
    }
    let mut ids = IdMap::new();
    for id in texts.keys() {
        ids.insert(id)?;
    }
    Ok((texts.into_iter().collect(), ids))
}

/// The judgments of documents and queries that are there.
struct Usable<'a> {
    judgments: Vec<(&'a str, &'a str, i32)>,
    n_lost: usize,
    n_queries_lost: usize,
}

impl<'a> Usable<'a> {
    fn read(input: Input, queries: &'a IdMap, documents: &'a IdMap, reading: &mut Reading) -> Result<Self> {
        let qrels = qrels::read(input, Layout::Trec, reading)?;
        let mut judgments = Vec::new();
        let mut kept_queries = BTreeSet::new();
        for judgment in &qrels.judgments {
            let query = queries.get(qrels.queries.name(judgment.query));
            let document = documents.get(qrels.documents.name(judgment.document));
            if let (Some(query), Some(document)) = (query, document) {
                judgments.push((queries.name(query), documents.name(document), judgment.grade));
                kept_queries.insert(judgment.query);
            }
        }
        judgments.sort_unstable();
        let n_lost = qrels.judgments.len() - judgments.len();
        Ok(Self { judgments, n_lost, n_queries_lost: qrels.queries.len() - kept_queries.len() })
    }

    fn rows(&self) -> impl Iterator<Item = (&'a str, &'a str, i32)> {
        self.judgments.iter().copied()
    }
}
