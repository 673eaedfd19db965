//! AdaRank: a linear ranker by boosting single features on the queries that are ranked badly so far.
//!
//! With E(q, f) in [0, 1] the NDCG or average precision of query q under ranker f, and weights P_1(q) = 1/n, for t = 1 … T:
//!
//! - the feature h_t of highest Σ P_t(q) E(q, h);  α_t = ½ ln(Σ P_t(q)(1 + E(q, h_t)) / Σ P_t(q)(1 − E(q, h_t)));
//! - f_t = Σ_{k≤t} α_k h_k;  P_{t+1}(q) ∝ exp(−E(q, f_t)).
//!
//! Xu and Li, "AdaRank: A Boosting Algorithm for Information Retrieval", SIGIR 2007. Variant: where the same feature would
//! be taken again and again without raising the measure of f_t (which the paper leaves open), it rests until another one
//! has raised it; training ends when all rest; the round of the best figure on validation documents is kept.
//!
//! Cost: one ranking of the documents per feature at the start and one per round. When not to use it: features whose
//! smaller values are the better ones; only rankings by descending value are weak rankers here, as in the paper.

use crate::best_round::BestRound;
use crate::feature_set::FeatureSet;
use crate::linear::Linear;
use crate::linear_algebra::{add_column, varying_features};
use crate::measure::Validation;
use crate::progress::Reports;
use crate::ranker::Ranker;
use crate::training_measure::{Measure, TrainingMeasure};
use qwd_core::{Error, Observer, Result, Threads, parameters};

parameters! {
    /// Parameters of AdaRank.
    pub struct AdaRankParams {
        /// What is optimised: `ndcg` or `map`. Symbol: E.
        pub measure: Measure = Measure::Ndcg,
        /// The depth of NDCG, at least 1.
        pub depth: usize = 10,
        /// The largest number of rounds, at least 1. Symbol: T.
        pub rounds: usize = 500,
        /// By how much a round must raise the measure on the training documents for its feature not to rest.
        pub tolerance: f64 = 1e-5,
    }
}

impl AdaRankParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<AdaRank> {
        qwd_core::parameters::not_negative("tolerance", self.tolerance)?;
        if self.depth == 0 || self.rounds == 0 {
            return Err(Error::param("depth, rounds", 0, "at least 1"));
        }
        Ok(AdaRank { params: self })
    }
}

/// AdaRank with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct AdaRank {
    params: AdaRankParams,
}

impl AdaRank {
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
        let measure = TrainingMeasure::new(train, self.params.measure, self.params.depth)?;
        let features = varying_features(train);
        let alone = measure.of_features(&features, threads);
        let n = train.n_queries();
        let mut weights = vec![1.0 / n as f64; n];
        let (mut w, mut scores) = (vec![0.0; train.n_features()], vec![0.0; train.n_documents()]);
        let mut rests = vec![false; features.len()];
        let mut reached = 0.0;
        let mut best = BestRound::new(validation);
        let mut reports = Reports::new(observer, self.params.rounds as u64);
        for round in 1..=self.params.rounds {
            let value = |at: usize| weights.iter().zip(&alone[at]).map(|(p, e)| p * e).sum::<f64>();
            let awake = (0..features.len()).filter(|&at| !rests[at]).map(|at| (at, value(at)));
            let Some((at, value)) =
                awake.fold(
                    None,
                    |best: Option<(usize, f64)>, next| {
                        if best.is_none_or(|(_, value)| next.1 > value) { Some(next) } else { best }
                    },
                )
            else {
                break;
            };
            // A feature that ranks every query perfectly would have an endless weight.
            let alpha = 0.5 * ((1.0 + value) / (1.0 - value).max(1e-9)).ln();
            w[features[at]] += alpha;
            add_column(&mut scores, alpha, train.column(features[at]));
            let values = measure.of_queries(&scores);
            let mean = values.iter().sum::<f64>() / n as f64;
            if mean > reached + self.params.tolerance {
                reached = mean;
                rests.fill(false);
            } else {
                rests[at] = true;
            }
            let powers: Vec<f64> = values.iter().map(|e| (-e).exp()).collect();
            let sum: f64 = powers.iter().sum();
            weights = powers.into_iter().map(|p| p / sum).collect();
            let held_out = || {
                validation.map_or_else(Vec::new, |v| Linear::new(w.clone()).score_rows(v.set, 0..v.set.n_documents()))
            };
            let figure = best.look(|| w.clone(), held_out)?;
            reports.tell(round as u64, Some(1.0 - mean), figure)?;
        }
        Ok(Ranker::linear(best.into_best().unwrap_or(w)))
    }
}
