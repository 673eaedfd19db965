//! The metrics that exist, as one closed type: what files, the program, the server and Python hold.

use crate::average_precision::average_precision;
use crate::bpref::bpref;
use crate::depth::Depth;
use crate::err::expected_reciprocal_rank;
use crate::letor_ndcg::{letor3_ndcg, letor4_ndcg};
use crate::ndcg::{Gain, ndcg};
use crate::pair_error::pair_error;
use crate::precision::{precision, r_precision, recall, success};
use crate::ranking::Ranking;
use crate::rbp::rank_biased_precision;
use crate::reciprocal_rank::reciprocal_rank;
use serde::{Deserialize, Serialize};

/// A metric with its cutoff and parameters; its text form is what users type, such as `ndcg@10`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Metric {
    /// `map`, `map@k`: [average precision](crate::average_precision).
    AveragePrecision(Depth),
    /// `p@k`: [precision](crate::precision).
    Precision(Depth),
    /// `r@k`: [recall](crate::precision).
    Recall(Depth),
    /// `success@k`: whether [any relevant document](crate::precision) is found.
    Success(Depth),
    /// `rprec`: [R-precision](crate::precision).
    RPrecision,
    /// `mrr`, `mrr@k`: the [reciprocal rank](crate::reciprocal_rank) of the first relevant document.
    ReciprocalRank(Depth),
    /// `ndcg`, `ndcg@k`: [nDCG](crate::ndcg) with the grade as gain.
    Ndcg(Depth),
    /// `ndcg-exp`, `ndcg-exp@k`: [nDCG](crate::ndcg) with gain 2^grade − 1.
    ExponentialNdcg(Depth),
    /// `letor3-ndcg@k`: [nDCG of LETOR 3.0](crate::letor_ndcg).
    Letor3Ndcg(Depth),
    /// `letor4-ndcg@k`: [nDCG of LETOR 4.0](crate::letor_ndcg).
    Letor4Ndcg(Depth),
    /// `err@k`, `err(4)@k`: [expected reciprocal rank](crate::err).
    ExpectedReciprocalRank {
        /// How far down the ranking it looks.
        depth: Depth,
        /// The highest grade of the scale, at least 1; without it, that of the ranking.
        max_grade: Option<i32>,
    },
    /// `rbp(0.8)`: [rank-biased precision](crate::rbp).
    RankBiasedPrecision {
        /// The probability of looking at the next document, above 0 and below 1.
        persistence: f64,
    },
    /// `bpref`: [binary preference](crate::bpref).
    Bpref,
    /// `error`: the [pair error](crate::pair_error).
    PairError,
}

impl Metric {
    /// Returns the value for one query; only `error` has none, where no two documents differ in grade.
    pub fn value(&self, ranking: &Ranking) -> Option<f64> {
        Some(match *self {
            Self::AveragePrecision(depth) => average_precision(ranking, depth),
            Self::Precision(depth) => precision(ranking, depth),
            Self::Recall(depth) => recall(ranking, depth),
            Self::Success(depth) => success(ranking, depth),
            Self::RPrecision => r_precision(ranking),
            Self::ReciprocalRank(depth) => reciprocal_rank(ranking, depth),
            Self::Ndcg(depth) => ndcg(ranking, depth, Gain::Linear),
            Self::ExponentialNdcg(depth) => ndcg(ranking, depth, Gain::Exponential),
            Self::Letor3Ndcg(depth) => letor3_ndcg(ranking, depth),
            Self::Letor4Ndcg(depth) => letor4_ndcg(ranking, depth),
            Self::ExpectedReciprocalRank { depth, max_grade } => expected_reciprocal_rank(ranking, depth, max_grade),
            Self::RankBiasedPrecision { persistence } => rank_biased_precision(ranking, persistence),
            Self::Bpref => bpref(ranking),
            Self::PairError => return pair_error(ranking),
        })
    }

    /// Tells whether a higher value is the better one.
    pub fn higher_is_better(&self) -> bool {
        !matches!(self, Self::PairError)
    }
}
