//! The reciprocal rank of the first relevant document; its mean over queries is MRR.
//!
//! RR@k = 1/i for the first rank i ≤ k that holds a relevant document, 0 if there is none (trec_eval's `recip_rank`).
//!
//! Citation: Voorhees, "The TREC-8 Question Answering Track Report", TREC 1999. Cost: O(k).

use crate::depth::Depth;
use crate::ranking::{Ranking, is_relevant};

/// Returns the reciprocal rank of the first relevant document.
pub fn reciprocal_rank(ranking: &Ranking, depth: Depth) -> f64 {
    let first = depth.cut(ranking.grades()).iter().position(|&grade| is_relevant(grade));
    first.map_or(0.0, |i| 1.0 / (i + 1) as f64)
}
