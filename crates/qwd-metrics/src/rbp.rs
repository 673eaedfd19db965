//! Rank-biased precision: the reader looks at the next document with probability p.
//!
//! RBP(p) = (1 − p) · Σ over ranks i with a relevant document of p^(i−1)
//!
//! Relevance is binary. What the ranking does not hold adds nothing, so the value is the lower end of the interval that
//! the residual leaves open. No normalisation by the number of relevant documents: a perfect ranking of R of them
//! has 1 − p^R.
//!
//! Citation: Moffat and Zobel, "Rank-Biased Precision for Measurement of Retrieval Effectiveness", TOIS 27(1), 2008.
//! Cost: O(n).

use crate::ranking::{Ranking, is_relevant};

/// Returns the rank-biased precision with persistence `p`, between 0 and 1.
pub fn rank_biased_precision(ranking: &Ranking, p: f64) -> f64 {
    let (mut weight, mut sum) = (1.0 - p, 0.0);
    for &grade in ranking.grades() {
        if is_relevant(grade) {
            sum += weight;
        }
        weight *= p;
    }
    sum
}
