//! How long it takes to match a query and a document: by an inner product of projections that are kept, or word pair by
//! word pair (section 4.4 of the supervised semantic indexing paper).

use super::definition::Definition;
use super::{Row, Setting, open};
use qwd_core::kernel::dot;
use qwd_core::{Error, Result};
use qwd_data::{Split, SplitRule};
use qwd_model::{Matrix, Side};
use qwd_train::{Constraints, Prepared, Vectors};
use std::hint::black_box;
use std::time::Instant;

/// The pairs that are timed: every one of so many queries with every one of so many documents.
const QUERIES: usize = 20;
const DOCUMENTS: usize = 500;

/// The fewest seconds over which a time is taken.
const ENOUGH: f64 = 0.3;

pub(super) fn run(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let data = open(&definition.dataset, setting)?;
    let mut rows: Vec<Row> = Vec::new();
    for row in definition.chosen(setting.only) {
        let plan = definition.plan(row)?;
        let prepared = Prepared::fit(&data, &plan.text, SplitRule::default(), setting.threads)?;
        let outcome = plan.run_prepared(&prepared, &Constraints::default(), None, setting.threads, setting.observer)?;
        let (task, vectors) = prepared.task(Split::Test)?;
        let queries = &task.queries[..QUERIES.min(task.queries.len())];
        let documents = &task.documents[..DOCUMENTS.min(task.documents.len())];
        let words = |rows: &qwd_core::Csr, of: &[u32]| {
            of.iter().map(|&row| rows.row(row as usize).len()).sum::<usize>() as f64 / of.len().max(1) as f64
        };
        let nanos = nanos_per_pair(outcome.model.matrix(), vectors, queries, documents)?;
        let figures = [
            ("nanos_per_pair", nanos),
            ("query_words", words(&vectors.queries, queries)),
            ("document_words", words(&vectors.documents, documents)),
        ];
        let mut metrics: std::collections::BTreeMap<String, f64> =
            figures.map(|(name, value)| (name.to_string(), value)).into();
        if let Some(first) = rows.first().and_then(|first| first.metrics.get("nanos_per_pair")) {
            metrics.insert("times_the_first".to_string(), nanos / first);
        }
        rows.push(Row {
            method: row.method.clone(),
            dataset: definition.label.clone(),
            metrics,
            paper: row.paper.clone(),
            ..Row::default()
        });
    }
    Ok(rows)
}

/// The mean time of a pair on one thread. A low-rank W keeps the projections of queries and documents.
fn nanos_per_pair(matrix: &Matrix, vectors: &Vectors, queries: &[u32], documents: &[u32]) -> Result<f64> {
    let (q, d) = (|row: u32| vectors.queries.row(row as usize), |row: u32| vectors.documents.row(row as usize));
    if let Matrix::LowRank(low_rank) = matrix {
        let queries: Vec<Vec<f32>> = queries.iter().map(|&row| low_rank.project(Side::Query, q(row))).collect();
        let documents: Vec<Vec<f32>> = documents.iter().map(|&row| low_rank.project(Side::Document, d(row))).collect();
        return timed(queries.len() * documents.len(), || {
            let sums = queries.iter().map(|q| documents.iter().map(|d| dot(q, d)).sum::<f32>());
            Ok(f64::from(sums.sum::<f32>()))
        });
    }
    timed(queries.len() * documents.len(), || {
        let pairs = queries.iter().flat_map(|&row| documents.iter().map(move |&document| (row, document)));
        pairs.map(|(query, document)| matrix.score(q(query), d(document))).sum()
    })
}

fn timed(n_pairs: usize, mut all_pairs: impl FnMut() -> Result<f64>) -> Result<f64> {
    if n_pairs == 0 {
        return Err(Error::bad_data("there are no pairs to match", "give a data set with a test split"));
    }
    let started = Instant::now();
    let mut rounds = 0;
    while rounds == 0 || started.elapsed().as_secs_f64() < ENOUGH {
        black_box(all_pairs()?);
        rounds += 1;
    }
    Ok(started.elapsed().as_secs_f64() * 1e9 / (rounds as f64 * n_pairs as f64))
}
