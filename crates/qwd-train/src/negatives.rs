//! The worse document of a tuple: the one that is given, or a harder one.
//!
//! A random document is soon told from the right one and then teaches nothing. Harder ones are looked for among the
//! documents of the task that no tuple prefers for the query: among the better documents of the same mini-batch, or among
//! some drawn at random, of which the highest-scoring one is taken or the first one that violates the margin. The last is
//! WARP (Weston, Bengio and Usunier, 2011): the longer the search, the better the query ranks already, and the less its
//! step weighs.

use crate::problem::Problem;
use qwd_core::Rng;
use serde::{Deserialize, Serialize};

/// Where the worse document of a tuple comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Negatives {
    /// From the tuple.
    #[default]
    Given,
    /// The highest-scoring one among the better documents of the mini-batch.
    InBatch,
    /// The highest-scoring one of some that are drawn.
    Hardest,
    /// The first of some that are drawn that violates the margin; the step is weighed by the rank that this tells.
    Warp,
    /// All worse documents of the mini-batch together, and some that are drawn: see [`crate::batch_pairs`].
    Batch,
}

/// The documents to draw from, and what is known to suit which query.
#[derive(Debug)]
pub(crate) struct Pool {
    documents: Vec<u32>,
    better: Vec<(u32, u32)>,
}

impl Pool {
    pub(crate) fn new(problem: &Problem<'_>) -> Self {
        Self { documents: problem.candidates(), better: problem.better_pairs() }
    }

    /// The number of documents to draw from.
    pub(crate) fn len(&self) -> usize {
        self.documents.len()
    }

    /// A random document.
    pub(crate) fn any(&self, rng: &mut Rng) -> u32 {
        self.documents[rng.below(self.documents.len())]
    }

    /// Whether a document is not known to suit a query.
    pub(crate) fn is_worse(&self, query: u32, document: u32) -> bool {
        self.better.binary_search(&(query, document)).is_err()
    }

    /// A random document that is not known to suit a query, if some draws find one.
    pub(crate) fn draw(&self, query: u32, rng: &mut Rng) -> Option<u32> {
        const DRAWS: usize = 16;
        let mut draws = (0..DRAWS).map(|_| self.documents[rng.below(self.documents.len())]);
        draws.find(|&document| self.is_worse(query, document))
    }
}

/// The weight of a step towards a query whose first violator came with draw number `n_draws` of `n_documents`: the
/// estimated rank's Σ 1/i, as a share of the greatest such sum.
pub(crate) fn warp_weight(n_draws: usize, n_documents: usize) -> f64 {
    let harmonic = |n: usize| (1..=n).map(|i| 1.0 / i as f64).sum::<f64>();
    let most = n_documents.saturating_sub(1).max(1);
    harmonic((most / n_draws).max(1)) / harmonic(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_search_weighs_little() {
        assert_eq!(warp_weight(1, 100), 1.0);
        assert!((warp_weight(50, 3) - 1.0 / 1.5).abs() < 1e-12);
        let weights: Vec<f64> = (1..60).map(|n| warp_weight(n, 1000)).collect();
        assert!(weights.is_sorted_by(|a, b| a >= b) && weights[58] > 0.0);
    }
}
