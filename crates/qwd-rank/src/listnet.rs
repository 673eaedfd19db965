//! ListNet: a linear ranker by gradient descent on the cross entropy of two distributions over a query's documents.
//!
//! L = −Σ_queries Σ_i P_y(i) ln P_s(i),  P_y(i) ∝ exp(y_i),  P_s(i) ∝ exp(⟨w, x_i⟩): the probability that document i comes first,
//! by the grades and by the scores. For each query in turn w ← w − η Σ_i (P_s(i) − P_y(i)) x_i. Cao, Qin, Liu, Tsai and Li,
//! "Learning to Rank: From Pairwise Approach to Listwise Approach", ICML 2007 (top-one probabilities, linear model).
//! Variant: queries in the order of the file, a query of one grade left out, start from 0, the epoch of the best figure on
//! validation documents.
//!
//! Cost: one pass over the data per epoch. When not to use it: sparse weights wanted.

use crate::best_round::BestRound;
use crate::feature_set::FeatureSet;
use crate::linear::Linear;
use crate::linear_algebra::{add_column, varying_features};
use crate::measure::Validation;
use crate::progress::Reports;
use crate::ranker::Ranker;
use qwd_core::parameters::positive;
use qwd_core::{Error, Observer, Result, Threads, parameters};

parameters! {
    /// Parameters of ListNet.
    pub struct ListNetParams {
        /// The rate, above 0. Symbol: η.
        pub learning_rate: f64 = 0.01,
        /// The largest number of passes over the queries, at least 1.
        pub epochs: usize = 200,
        /// Epochs without a better figure on validation documents before training ends, at least 1.
        pub patience: usize = 50,
    }
}

impl ListNetParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<ListNet> {
        positive("learning_rate", self.learning_rate)?;
        if self.epochs == 0 || self.patience == 0 {
            return Err(Error::param("epochs, patience", 0, "at least 1"));
        }
        Ok(ListNet { params: self })
    }
}

/// ListNet with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct ListNet {
    params: ListNetParams,
}

impl ListNet {
    /// Learns a ranker; the epoch is chosen on validation documents if there are any.
    pub fn train(
        &self,
        train: &FeatureSet,
        validation: Option<Validation<'_>>,
        _: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        train.expect_order()?;
        validation.map_or(Ok(()), |v| v.set.expect_features(train.n_features()))?;
        let features = varying_features(train);
        let mut w = vec![0.0; train.n_features()];
        let mut best = BestRound::new(validation);
        let mut reports = Reports::new(observer, self.params.epochs as u64);
        for epoch in 1..=self.params.epochs {
            let mut loss = 0.0;
            for query in train.queries() {
                let grades: Vec<f64> = train.grades()[query.clone()].iter().map(|&g| f64::from(g)).collect();
                if grades.iter().all(|g| *g == grades[0]) {
                    continue;
                }
                let mut scores = vec![0.0; query.len()];
                features.iter().for_each(|&j| add_column(&mut scores, w[j], &train.column(j)[query.clone()]));
                let (wanted, given) = (softmax(&grades), softmax(&scores));
                loss -= wanted.iter().zip(&given).map(|(y, s)| y * s.max(f64::MIN_POSITIVE).ln()).sum::<f64>();
                let difference: Vec<f64> = given.iter().zip(&wanted).map(|(s, y)| s - y).collect();
                for &j in &features {
                    let values = train.column(j)[query.clone()].iter();
                    let slope: f64 = values.zip(&difference).map(|(&x, d)| f64::from(x) * d).sum();
                    w[j] -= self.params.learning_rate * slope;
                }
            }
            if w.iter().any(|w| !w.is_finite()) {
                let remedy = "lower learning_rate, or scale the features to [0, 1]".to_string();
                return Err(Error::Diverged { step: epoch as u64, what: "a weight is not finite".into(), remedy });
            }
            let scores = || {
                validation.map_or_else(Vec::new, |v| Linear::new(w.clone()).score_rows(v.set, 0..v.set.n_documents()))
            };
            let figure = best.look(|| w.clone(), scores)?;
            reports.tell(epoch as u64, Some(loss), figure)?;
            if best.is_over(self.params.patience) {
                break;
            }
        }
        Ok(Ranker::linear(best.into_best().unwrap_or(w)))
    }
}

fn softmax(x: &[f64]) -> Vec<f64> {
    let highest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = x.iter().map(|x| (x - highest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|p| p / sum).collect()
}
