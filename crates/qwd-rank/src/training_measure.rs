//! The measures that some methods optimise directly, fast enough for inner loops: NDCG at a depth and average precision.
//!
//! NDCG has gain 2^grade − 1 and discount 1/log₂(rank + 1); a query without relevant documents has 0. Ties go to the
//! document that stands first in the file.

use crate::feature_set::FeatureSet;
use qwd_core::{Error, Result, Threads};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What is optimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// NDCG at a depth.
    #[default]
    Ndcg,
    /// Average precision.
    Map,
}

/// A measure with what it needs to know of a set's queries.
pub(crate) struct TrainingMeasure<'a> {
    set: &'a FeatureSet,
    measure: Measure,
    depth: usize,
    /// One over the ideal sum of each query, or over its number of relevant documents; 0 where nothing is relevant.
    norms: Vec<f64>,
}

/// The gain of a grade.
pub(crate) fn gain(grade: i32) -> f64 {
    f64::from(grade).exp2() - 1.0
}

/// The discount of a rank, counted from 0.
pub(crate) fn discount(rank: usize) -> f64 {
    1.0 / (rank as f64 + 2.0).log2()
}

impl<'a> TrainingMeasure<'a> {
    pub(crate) fn new(set: &'a FeatureSet, measure: Measure, depth: usize) -> Result<Self> {
        if depth == 0 {
            return Err(Error::param("depth", 0, "at least 1 rank"));
        }
        let norm = |query: Range<usize>| {
            let mut grades = set.grades()[query].to_vec();
            grades.sort_unstable_by(|a, b| b.cmp(a));
            let whole: f64 = match measure {
                Measure::Ndcg => grades.iter().take(depth).enumerate().map(|(rank, &g)| gain(g) * discount(rank)).sum(),
                Measure::Map => grades.iter().filter(|g| **g > 0).count() as f64,
            };
            if whole > 0.0 { 1.0 / whole } else { 0.0 }
        };
        Ok(Self { set, measure, depth, norms: set.queries().map(norm).collect() })
    }

    /// The value of one query; `scores` are those of its documents.
    pub(crate) fn of_query(&self, q: usize, scores: &[f64], order: &mut Vec<u32>) -> f64 {
        if self.norms[q] == 0.0 {
            return 0.0;
        }
        rank(scores, order);
        let grades = &self.set.grades()[self.set.query(q)];
        let sum: f64 = match self.measure {
            Measure::Ndcg => {
                let top = order.iter().take(self.depth).enumerate();
                top.map(|(rank, &i)| gain(grades[i as usize]) * discount(rank)).sum()
            }
            Measure::Map => {
                let relevant = order.iter().enumerate().filter(|(_, i)| grades[**i as usize] > 0);
                (1u32..).zip(relevant).map(|(found, (rank, _))| f64::from(found) / (rank + 1) as f64).sum()
            }
        };
        sum * self.norms[q]
    }

    /// The value of every query.
    pub(crate) fn of_queries(&self, scores: &[f64]) -> Vec<f64> {
        let mut order = Vec::new();
        (0..self.set.n_queries()).map(|q| self.of_query(q, &scores[self.set.query(q)], &mut order)).collect()
    }

    /// The mean over all queries.
    pub(crate) fn mean(&self, scores: &[f64]) -> f64 {
        self.of_queries(scores).iter().sum::<f64>() / self.norms.len().max(1) as f64
    }

    /// The value of every query when ranked by one feature alone, for each of some features.
    pub(crate) fn of_features(&self, features: &[usize], threads: &Threads) -> Vec<Vec<f64>> {
        threads.map(features.len(), |at| {
            let column: Vec<f64> = self.set.column(features[at]).iter().map(|&x| f64::from(x)).collect();
            self.of_queries(&column)
        })
    }
}

/// The places of scores, highest first, the earlier one among equals.
pub(crate) fn rank(scores: &[f64], order: &mut Vec<u32>) {
    order.clear();
    order.extend(0..scores.len() as u32);
    order.sort_unstable_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
}

/// NDCG@`depth` on a set of every feature alone: figure 1 of the FenchelRank paper.
pub fn single_feature_ndcg(set: &FeatureSet, depth: usize, threads: &Threads) -> Result<Vec<f64>> {
    let measure = TrainingMeasure::new(set, Measure::Ndcg, depth)?;
    let features: Vec<usize> = (0..set.n_features()).collect();
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    Ok(measure.of_features(&features, threads).into_iter().map(mean).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fenchel_rank::tests::problem;
    use crate::measure::mean;
    use qwd_metrics::{Depth, Metric};

    #[test]
    fn it_agrees_with_the_metrics_of_evaluation() {
        let set = problem(9, 12, 15, 4);
        let scores = set.column(3);
        let wide: Vec<f64> = scores.iter().map(|&x| f64::from(x)).collect();
        let ndcg = TrainingMeasure::new(&set, Measure::Ndcg, 10).expect("a depth").mean(&wide);
        let map = TrainingMeasure::new(&set, Measure::Map, 10).expect("a depth").mean(&wide);
        let depth = Depth::at(10).expect("a depth");
        assert!((ndcg - mean(&set, scores, Metric::ExponentialNdcg(depth)).expect("measures")).abs() < 1e-12);
        assert!((map - mean(&set, scores, Metric::AveragePrecision(Depth::WHOLE)).expect("measures")).abs() < 1e-12);
    }
}
