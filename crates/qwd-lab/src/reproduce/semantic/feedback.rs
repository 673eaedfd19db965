//! Query expansion by feedback: the query is asked, the mean of its best documents is added to it with a weight, and it is
//! asked again (section 4 of the paper).

use crate::protocol::{Scorer, rank_loss};
use qwd_core::kernel::{gather_dot, scatter_by};
use qwd_core::top_k::{Scored, top_k};
use qwd_core::{Error, Result, Threads};
use qwd_data::{Preference, Task};
use qwd_train::Vectors;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What is tried: every weight with every number of documents.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::reproduce) struct FeedbackGrid {
    /// The weights of the mean. Symbol: β.
    pub(super) weights: Vec<f32>,
    /// The numbers of documents. Symbol: E.
    pub(super) documents: Vec<usize>,
}

/// Scores by W = I with feedback.
#[derive(Debug)]
pub(super) struct Feedback {
    vectors: Vectors,
    /// The best documents of every query of the tasks.
    best: BTreeMap<u32, Vec<u32>>,
    pub(super) weight: f32,
    pub(super) n_documents: usize,
}

impl Feedback {
    /// Takes the weight and the number of documents with the lowest loss on tuples.
    pub(super) fn tuned(
        grid: &FeedbackGrid,
        vectors: Vectors,
        tasks: [&Task; 2],
        tuples: &[Preference],
        threads: &Threads,
    ) -> Result<Self> {
        let depth = grid.documents.iter().copied().max().unwrap_or(0);
        let best = best_documents(&vectors, tasks, depth, threads)?;
        let mut feedback = Self { vectors, best, weight: 0.0, n_documents: 0 };
        let mut chosen = (rank_loss(tuples, &feedback, threads)?, 0.0, 0);
        for &n_documents in &grid.documents {
            for &weight in &grid.weights {
                (feedback.weight, feedback.n_documents) = (weight, n_documents);
                let loss = rank_loss(tuples, &feedback, threads)?;
                if loss < chosen.0 {
                    chosen = (loss, weight, n_documents);
                }
            }
        }
        (_, feedback.weight, feedback.n_documents) = chosen;
        Ok(feedback)
    }
}

impl Scorer for Feedback {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        let known = || Error::internal(format!("query {query} is of no task"));
        let best = self.best.get(&query).ok_or_else(known)?;
        let mut asked = vec![0.0f32; self.vectors.documents.n_cols() as usize];
        scatter_by(self.vectors.queries.row(query as usize), &mut asked, |x, v| *x += v);
        let best = &best[..self.n_documents.min(best.len())];
        for &document in best {
            let share = self.weight / best.len() as f32;
            scatter_by(self.vectors.documents.row(document as usize), &mut asked, |x, v| *x += share * v);
        }
        Ok(documents.iter().map(|&row| gather_dot(self.vectors.documents.row(row as usize), &asked)).collect())
    }
}

/// The `depth` best documents of every query, but for what is hidden from it.
fn best_documents(
    vectors: &Vectors,
    tasks: [&Task; 2],
    depth: usize,
    threads: &Threads,
) -> Result<BTreeMap<u32, Vec<u32>>> {
    let mut best = BTreeMap::new();
    for task in tasks {
        let found = threads.map(task.queries.len(), |i| {
            let mut asked = vec![0.0f32; vectors.documents.n_cols() as usize];
            scatter_by(vectors.queries.row(task.queries[i] as usize), &mut asked, |x, v| *x += v);
            let own = task.queries_are_documents.then_some(task.queries[i]);
            let scored = task.documents.iter().filter(|&&row| Some(row) != own);
            let scored =
                scored.map(|&item| Scored { item, score: gather_dot(vectors.documents.row(item as usize), &asked) });
            top_k(scored, depth).into_iter().map(|hit| hit.item).collect::<Vec<u32>>()
        });
        best.extend(task.queries.iter().copied().zip(found));
    }
    Ok(best)
}
