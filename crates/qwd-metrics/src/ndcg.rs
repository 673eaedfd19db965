//! Normalised discounted cumulative gain.
//!
//! nDCG@k = DCG@k / ideal DCG@k,   DCG@k = Σ over ranks i ≤ k of gain(grade at i) / log₂(i + 1)
//!
//! The ideal ranking holds all judged documents of the query by descending grade. The gain is the grade itself (`ndcg`, as
//! trec_eval and BEIR have it) or 2^grade − 1 (`ndcg-exp`, as learning to rank mostly has it). Unjudged documents gain
//! nothing, and a query without relevant documents has 0.
//!
//! Citations: Järvelin and Kekäläinen, "Cumulated Gain-based Evaluation of IR Techniques", TOIS 20(4), 2002 (linear gain);
//! Burges et al., "Learning to Rank using Gradient Descent", ICML 2005 (exponential gain). Cost: O(k).

use crate::depth::Depth;
use crate::ranking::Ranking;

/// What a grade is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gain {
    /// The grade itself.
    Linear,
    /// 2^grade − 1.
    Exponential,
}

impl Gain {
    /// Returns what a grade is worth; nothing below grade 1.
    pub fn of(self, grade: i32) -> f64 {
        // Above this grade a sum of gains could leave the range of f64.
        const HIGHEST: i32 = 900;
        match self {
            _ if grade < 1 => 0.0,
            Self::Linear => f64::from(grade),
            Self::Exponential => f64::from(grade.min(HIGHEST)).exp2() - 1.0,
        }
    }
}

/// Returns the nDCG of a ranking.
pub fn ndcg(ranking: &Ranking, depth: Depth, gain: Gain) -> f64 {
    normalized(ranking, depth, gain, |rank| (rank as f64 + 1.0).log2())
}

/// The ratio of the ranking's sum of discounted gains to the ideal one, under any discount.
pub(crate) fn normalized(ranking: &Ranking, depth: Depth, gain: Gain, discount: impl Fn(usize) -> f64) -> f64 {
    let dcg = |grades: &[i32]| -> f64 {
        let gains = depth.cut(grades).iter().enumerate().filter(|&(_, &grade)| grade >= 1);
        gains.map(|(i, &grade)| gain.of(grade) / discount(i + 1)).sum()
    };
    let ideal = dcg(ranking.judged().ideal());
    if ideal > 0.0 { dcg(ranking.grades()) / ideal } else { 0.0 }
}
