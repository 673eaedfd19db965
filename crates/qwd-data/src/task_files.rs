//! A task as files that any engine can read: what is asked, of which documents, and what suits.
//!
//! | file | holds |
//! |---|---|
//! | `corpus.jsonl` | the documents that are ranked |
//! | `queries.jsonl` | the queries; where documents are queries, their whole texts |
//! | `qrels.tsv` | what suits, in BEIR's layout |
//! | `hidden.tsv` | `query<TAB>document`: what is not ranked for a query, such as itself and the links that training knows |

use crate::{Dataset, Document, Query, Task, corpus, create, links, qrels};
use qwd_core::{Error, Result};
use serde::Serialize;
use serde_json::Map;
use std::path::Path;

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TaskCounts {
    /// The queries.
    pub queries: usize,
    /// The documents.
    pub documents: usize,
    /// The judgments.
    pub judgments: usize,
    /// The pairs that are not ranked.
    pub hidden: usize,
}

/// Writes a task of a data set into a folder, which is made if it is not there.
pub fn write(dataset: &Dataset, task: &Task, folder: &Path) -> Result<TaskCounts> {
    if let crate::Truth::Preferences(_) = task.truth {
        let what = format!("{} has preferences, which say nothing of documents alone", dataset.manifest.name);
        return Err(Error::bad_data(what, "choose a data set with judgments, labels or links"));
    }
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, "create", e))?;
    let mut out = create(folder.join("corpus.jsonl"))?;
    corpus::write_documents(&mut out, task.documents.iter().map(|&row| &dataset.documents[row as usize]))?;
    out.finish()?;
    let queries: Vec<Query> = task.queries.iter().map(|&row| query(dataset, task, row)).collect();
    let mut out = create(folder.join("queries.jsonl"))?;
    corpus::write_queries(&mut out, &queries)?;
    out.finish()?;
    let name = |row: u32| dataset.document_ids.name(row);
    let (mut n_judgments, mut n_hidden) = (0, 0);
    let (mut judged, mut hidden) = (create(folder.join("qrels.tsv"))?, create(folder.join("hidden.tsv"))?);
    let graded = queries.iter().enumerate().flat_map(|(i, query)| {
        task.grades(i).into_iter().map(|(row, grade)| (query.id.as_str(), name(row), grade)).collect::<Vec<_>>()
    });
    qrels::write_beir(&mut judged, graded.inspect(|_| n_judgments += 1))?;
    for (i, query) in queries.iter().enumerate() {
        let rows = task.hidden(i);
        n_hidden += rows.len();
        links::write(&mut hidden, rows.iter().map(|&row| (query.id.as_str(), name(row))))?;
    }
    judged.finish()?;
    hidden.finish()?;
    Ok(TaskCounts { queries: queries.len(), documents: task.documents.len(), judgments: n_judgments, hidden: n_hidden })
}

fn query(dataset: &Dataset, task: &Task, row: u32) -> Query {
    if !task.queries_are_documents {
        return dataset.queries[row as usize].clone();
    }
    let document: &Document = &dataset.documents[row as usize];
    Query { id: document.id.clone(), text: document.full_text().into_owned(), extra: Map::new() }
}
