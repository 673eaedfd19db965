//! RankBoost: a sum of thresholds on single features, by boosting on pairs.
//!
//! D(i, j) is a distribution over pairs (i better than j), at first even over queries, and inside each over its pairs. For t = 1 … T: of all h(x) = `[x_f > θ]` the one of
//! greatest |r|, r = Σ D(i, j)(h(x_i) − h(x_j));  α = ½ ln((1 + r)/(1 − r));  H ← H + α h;  D(i, j) ∝ exp(H(x_j) − H(x_i)).
//!
//! Freund, Iyer, Schapire and Singer, "An Efficient Boosting Algorithm for Combining Preferences", JMLR 4, 2003 (weak
//! rankers with values in {0, 1}, α by the third method of section 3.2). D is never written down: it is a product of one
//! factor per document, so r = Σ π(i) h(x_i) with a potential per document, from sums over the grades of its query.
//! Variant: any number of grades; bins of features as thresholds; the round of the best figure on validation documents.
//!
//! Cost: one pass over the binned data per round. When not to use it: when a linear ranker must come out.

use crate::best_round::BestRound;
use crate::bins::{BinnedColumn, bin_features, check_max_bins};
use crate::feature_set::FeatureSet;
use crate::measure::Validation;
use crate::progress::Reports;
use crate::ranker::Ranker;
use crate::tree::{Tree, Trees, add_tree};
use qwd_core::{Error, Observer, Result, Threads, parameters};

/// The mean exponential loss at which every pair is in order by far.
const SOLVED: f64 = 1e-9;

parameters! {
    /// Parameters of RankBoost.
    pub struct RankBoostParams {
        /// The largest number of rounds, at least 1. Symbol: T.
        pub rounds: usize = 300,
        /// The largest number of bins per feature, 2 to 255: thresholds lie between them.
        pub max_bins: usize = 64,
        /// Whether every query weighs the same at the start, however many pairs it has; else every pair does.
        pub even_queries: bool = true,
    }
}

impl RankBoostParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<RankBoost> {
        check_max_bins(self.max_bins)?;
        if self.rounds == 0 {
            return Err(Error::param("rounds", 0, "at least 1"));
        }
        Ok(RankBoost { params: self })
    }
}

/// RankBoost with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct RankBoost {
    params: RankBoostParams,
}

impl RankBoost {
    /// Learns a ranker; the round is chosen on validation documents if there are any.
    pub fn train(
        &self,
        train: &FeatureSet,
        validation: Option<Validation<'_>>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        train.expect_order()?;
        validation.map_or(Ok(()), |v| v.set.expect_features(train.n_features()))?;
        let columns = bin_features(train, self.params.max_bins, threads);
        let mut scores = vec![0.0; train.n_documents()];
        let mut held_out = vec![0.0; validation.map_or(0, |v| v.set.n_documents())];
        let mut trees = Vec::new();
        let mut best = BestRound::new(validation);
        let mut reports = Reports::new(observer, self.params.rounds as u64);
        for round in 1..=self.params.rounds {
            let (potentials, loss) = potentials(train, &scores, self.params.even_queries);
            if loss < SOLVED {
                break;
            }
            let stumps = threads.map(columns.len(), |at| best_threshold(&columns[at], &potentials));
            let strongest =
                stumps.into_iter().enumerate().fold(None, |best: Option<(usize, usize, f64)>, (at, (bin, r))| {
                    if best.is_none_or(|(_, _, most)| r.abs() > most.abs()) { Some((at, bin, r)) } else { best }
                });
            let Some((at, bin, r)) = strongest.filter(|(_, _, r)| r.abs() > 1e-12) else { break };
            // A threshold that orders every pair would have an endless weight.
            let r = r.clamp(-1.0 + 1e-9, 1.0 - 1e-9);
            let alpha = 0.5 * ((1.0 + r) / (1.0 - r)).ln();
            let column = &columns[at];
            scores.iter_mut().zip(&column.bins).filter(|(_, b)| **b as usize > bin).for_each(|(s, _)| *s += alpha);
            let stump = Tree::stump(column.feature as u32, column.thresholds[bin], 0.0, alpha, r.abs());
            validation.iter().for_each(|v| add_tree(&stump, v.set, 0..v.set.n_documents(), &mut held_out));
            trees.push(stump);
            let figure = best.look(|| trees.len(), || held_out.iter().map(|&s| s as f32).collect())?;
            reports.tell(round as u64, Some(loss), figure)?;
        }
        trees.truncate(best.into_best().unwrap_or(trees.len()));
        Ok(Ranker::Trees(Trees { n_features: train.n_features(), trees }))
    }
}

/// π(i) = Σ_{j worse} D(i, j) − Σ_{j better} D(j, i) for each document, and the mean exponential loss of the pairs.
fn potentials(set: &FeatureSet, scores: &[f64], even_queries: bool) -> (Vec<f64>, f64) {
    let mut potentials = vec![0.0; scores.len()];
    let (mut whole, mut start) = (0.0, 0.0);
    for query in set.queries() {
        let grades = &set.grades()[query.clone()];
        let highest = grades.iter().copied().max().unwrap_or(0) as usize;
        // Only differences matter; around their mean the powers stay in range.
        let mean = scores[query.clone()].iter().sum::<f64>() / query.len() as f64;
        let power = |i: usize| (scores[i] - mean).exp();
        // By grade: the number of documents, Σ exp(H) and Σ exp(−H).
        let mut sums = vec![(0.0, 0.0, 0.0); highest + 1];
        for (&grade, i) in grades.iter().zip(query.clone()) {
            let sum = &mut sums[grade as usize];
            *sum = (sum.0 + 1.0, sum.1 + power(i), sum.2 + 1.0 / power(i));
        }
        let n_worse = |grade: i32| sums[..grade as usize].iter().map(|s| s.0).sum::<f64>();
        let n_pairs: f64 = grades.iter().map(|&grade| n_worse(grade)).sum();
        let weight = if even_queries && n_pairs > 0.0 { 1.0 / n_pairs } else { 1.0 };
        start += weight * n_pairs;
        for (&grade, i) in grades.iter().zip(query) {
            let worse = &sums[..grade as usize];
            let as_better = 1.0 / power(i) * worse.iter().map(|s| s.1).sum::<f64>();
            let as_worse = power(i) * sums[grade as usize + 1..].iter().map(|s| s.2).sum::<f64>();
            potentials[i] = weight * (as_better - as_worse);
            whole += weight * as_better;
        }
    }
    potentials.iter_mut().for_each(|p| *p /= whole);
    (potentials, whole / start)
}

/// The bin behind which a threshold has the greatest |r|, and that r.
fn best_threshold(column: &BinnedColumn, potentials: &[f64]) -> (usize, f64) {
    let mut sums = [0.0; 256];
    column.bins.iter().zip(potentials).for_each(|(&bin, p)| sums[bin as usize] += p);
    let (mut above, mut best) = (0.0, (0, 0.0f64));
    for bin in (0..column.thresholds.len()).rev() {
        above += sums[bin + 1];
        if above.abs() > best.1.abs() {
            best = (bin, above);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fenchel_rank::tests::problem;

    #[test]
    fn potentials_are_those_of_written_pairs() {
        let set = problem(11, 4, 8, 3);
        let scores: Vec<f64> = set.column(0).iter().map(|&x| f64::from(x) * 2.0).collect();
        let mut expected = vec![0.0; scores.len()];
        let mut whole = 0.0;
        for query in set.queries() {
            for i in query.clone() {
                for j in query.clone().filter(|&j| set.grades()[i] > set.grades()[j]) {
                    let d = (scores[j] - scores[i]).exp();
                    whole += d;
                    expected[i] += d;
                    expected[j] -= d;
                }
            }
        }
        let (potentials, _) = potentials(&set, &scores, false);
        assert!(potentials.iter().zip(expected).all(|(p, e)| (p - e / whole).abs() < 1e-12));
    }
}
