//! Which queries are asked, and against which documents.

use super::ProtocolParams;
use qwd_core::random::mix;
use qwd_data::fingerprint::Fnv1a;
use qwd_data::{Dataset, Task};
use qwd_metrics::UNJUDGED;
use serde::{Deserialize, Serialize};

/// What a query is asked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Candidates {
    /// Its relevant documents and up to so many others, at random.
    Others(usize),
    /// The documents that were judged for it, relevant or not.
    Judged,
}

/// A query and the documents that are ranked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The row of the query.
    pub query: u32,
    /// Its id.
    pub name: String,
    /// The rows of the documents, that with the greatest id first.
    pub candidates: Vec<u32>,
    /// Their grades.
    pub grades: Vec<i32>,
}

/// Chooses queries that have a relevant document, and their candidates, in the order of the queries' ids.
pub(super) fn questions(task: &Task, dataset: &Dataset, params: &ProtocolParams) -> Vec<Question> {
    let ids = if task.queries_are_documents { &dataset.document_ids } else { &dataset.query_ids };
    let hash = |id: &str| mix(Fnv1a::of(id.as_bytes()) ^ mix(params.seed));
    let relevant = |i: &usize| task.grades(*i).iter().any(|&(_, grade)| grade > 0);
    let mut chosen: Vec<usize> = (0..task.queries.len()).filter(relevant).collect();
    chosen.sort_by_cached_key(|&i| (hash(ids.name(task.queries[i])), i));
    chosen.truncate(params.n_queries);
    chosen.sort_by_key(|&i| ids.name(task.queries[i]));
    let mut documents: Vec<(u32, u64)> =
        task.documents.iter().map(|&row| (row, hash(dataset.document_ids.name(row)))).collect();
    documents.sort_by(|a, b| dataset.document_ids.name(b.0).cmp(dataset.document_ids.name(a.0)));
    let question = |i: usize| {
        let name = ids.name(task.queries[i]).to_string();
        let (candidates, grades) = choose(task, i, &documents, hash(&name), params.candidates);
        Question { query: task.queries[i], name, candidates, grades }
    };
    chosen.into_iter().map(question).collect()
}

/// The candidates of the `i`-th query and their grades, in the order of `documents`, which come with a hash each.
fn choose(
    task: &Task,
    i: usize,
    documents: &[(u32, u64)],
    query_hash: u64,
    candidates: Candidates,
) -> (Vec<u32>, Vec<i32>) {
    let (grades, hidden) = (task.grades(i), task.hidden(i));
    let grade = |row: u32| grades.binary_search_by_key(&row, |judged| judged.0).map_or(UNJUDGED, |at| grades[at].1);
    let shown = || documents.iter().filter(|(row, _)| hidden.binary_search(row).is_err());
    let draw = |hash: u64| mix(hash ^ query_hash);
    // The n others with the smallest draws are chosen: those below the one that follows them.
    let limit = |n: usize| {
        let mut draws: Vec<u64> = shown().filter(|d| grade(d.0) <= 0).map(|d| draw(d.1)).collect();
        if n < draws.len() { *draws.select_nth_unstable(n).1 } else { u64::MAX }
    };
    let limit = match candidates {
        Candidates::Judged => None,
        Candidates::Others(n) => Some(limit(n)),
    };
    let is_chosen = |&&(row, hash): &&(u32, u64)| match limit {
        None => grade(row) >= 0,
        Some(limit) => grade(row) > 0 || draw(hash) < limit,
    };
    shown().filter(is_chosen).map(|&(row, _)| (row, grade(row))).unzip()
}
