//! Average precision; its mean over queries is MAP.
//!
//! AP@k = (1/R) · Σ over the ranks i ≤ k that hold a relevant document of (relevant documents up to i) / i
//!
//! with R the number of relevant documents judged for the query, retrieved or not, also when k < R (trec_eval's `map` and
//! `map_cut`). A query without relevant documents has 0.
//!
//! Citation: Buckley and Voorhees, "Retrieval System Evaluation", in *TREC: Experiment and Evaluation in Information
//! Retrieval*, MIT Press 2005. Cost: O(k).

use crate::depth::Depth;
use crate::ranking::{Ranking, is_relevant};

/// Returns the average precision of a ranking.
pub fn average_precision(ranking: &Ranking, depth: Depth) -> f64 {
    let (mut n_found, mut sum) = (0u32, 0.0);
    for (i, _) in depth.cut(ranking.grades()).iter().enumerate().filter(|&(_, &grade)| is_relevant(grade)) {
        n_found += 1;
        sum += f64::from(n_found) / (i + 1) as f64;
    }
    share(sum, ranking.judged().n_relevant())
}

/// `sum / n`, 0 for an empty whole: trec_eval's answer wherever a query has nothing relevant.
pub(crate) fn share(sum: f64, n: usize) -> f64 {
    if n == 0 { 0.0 } else { sum / n as f64 }
}
