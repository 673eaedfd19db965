//! Shares of relevant documents among the first ones.
//!
//! P@k = (relevant among the first k) / k          R@k = (relevant among the first k) / R
//! success@k = 1 if P@k > 0, else 0                R-precision = (relevant among the first R) / R
//!
//! with R the number of relevant documents judged for the query. A ranking shorter than k counts as filled up with
//! documents that are not relevant. Without a cutoff, precision divides by the length of the ranking (trec_eval's `set_P`).
//! A query without relevant documents has 0 throughout.
//!
//! Citation: Buckley and Voorhees, "Retrieval System Evaluation", in *TREC: Experiment and Evaluation in Information
//! Retrieval*, MIT Press 2005. Cost: O(k).

use crate::average_precision::share;
use crate::depth::Depth;
use crate::ranking::{Ranking, is_relevant};

/// Returns the share of the first documents that is relevant.
pub fn precision(ranking: &Ranking, depth: Depth) -> f64 {
    share(n_found(ranking, depth), depth.ranks().unwrap_or(ranking.grades().len()))
}

/// Returns the share of the relevant documents that is among the first ones.
pub fn recall(ranking: &Ranking, depth: Depth) -> f64 {
    share(n_found(ranking, depth), ranking.judged().n_relevant())
}

/// Returns 1 if a relevant document is among the first ones, else 0.
pub fn success(ranking: &Ranking, depth: Depth) -> f64 {
    n_found(ranking, depth).min(1.0)
}

/// Returns the precision at the rank that equals the number of relevant documents.
pub fn r_precision(ranking: &Ranking) -> f64 {
    match Depth::at(ranking.judged().n_relevant()) {
        Ok(depth) => precision(ranking, depth),
        Err(_) => 0.0,
    }
}

fn n_found(ranking: &Ranking, depth: Depth) -> f64 {
    depth.cut(ranking.grades()).iter().filter(|&&grade| is_relevant(grade)).count() as f64
}
