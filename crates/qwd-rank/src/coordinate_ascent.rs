//! Coordinate ascent: a linear ranker by raising NDCG or MAP itself, one weight after another.
//!
//! From equal weights (and from random ones, for each restart), features are visited in random order; for each, the weight
//! is tried at 0 and at steps of doubling length to both sides, and moved to where the measure on the training documents is
//! highest; weights are scaled back to Σ|w| = 1. A restart ends with a round that gains less than `tolerance`. Metzler and
//! Croft, "Linear Feature-based Models for Information Retrieval", *Information Retrieval* 10(3), 2007. Variant: the steps
//! are those of RankLib (0.05 · |w| doubled up to `n_steps` times); the best restart by validation documents, else by
//! training ones.
//!
//! Cost: (2 · n_steps + 1) rankings of all documents per feature and round. When not to use it: many documents.

use crate::best_round::BestRound;
use crate::feature_set::FeatureSet;
use crate::linear::Linear;
use crate::linear_algebra::{add_column, varying_features};
use crate::measure::Validation;
use crate::progress::Reports;
use crate::ranker::Ranker;
use crate::training_measure::{Measure, TrainingMeasure};
use qwd_core::parameters::not_negative;
use qwd_core::{Error, Observer, Result, Rng, Threads, parameters};

parameters! {
    /// Parameters of coordinate ascent.
    pub struct CoordinateAscentParams {
        /// What is raised: `ndcg` or `map`.
        pub measure: Measure = Measure::Ndcg,
        /// The depth of NDCG, at least 1.
        pub depth: usize = 10,
        /// The number of starts, at least 1: the first from equal weights, the others from random ones.
        pub restarts: usize = 2,
        /// The largest number of rounds over all features from one start, at least 1.
        pub rounds: usize = 10,
        /// The number of steps to each side, 1 to 40.
        pub n_steps: u32 = 10,
        /// The gain of a round below which a start has ended, at least 0.
        pub tolerance: f64 = 0.001,
        /// The seed of the random order and starts.
        pub seed: u64 = 1,
    }
}

impl CoordinateAscentParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<CoordinateAscent> {
        not_negative("tolerance", self.tolerance)?;
        if self.depth == 0 || self.restarts == 0 || self.rounds == 0 {
            return Err(Error::param("depth, restarts, rounds", 0, "at least 1"));
        }
        if !(1..=40).contains(&self.n_steps) {
            return Err(Error::param("n_steps", self.n_steps, "1 to 40"));
        }
        Ok(CoordinateAscent { params: self })
    }
}

/// Coordinate ascent with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct CoordinateAscent {
    params: CoordinateAscentParams,
}

impl CoordinateAscent {
    /// Learns a ranker; the start is chosen on validation documents if there are any.
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
        let mut reports = Reports::new(observer, (self.params.restarts * self.params.rounds * features.len()) as u64);
        let mut done = 0;
        let mut best = BestRound::new(validation);
        let mut best_on_train = f64::NEG_INFINITY;
        for restart in 0..self.params.restarts {
            let mut rng = Rng::part(self.params.seed, restart as u64);
            let mut climb = Climb::new(train, &measure, &features, (restart > 0).then_some(&mut rng));
            for _ in 0..self.params.rounds {
                let before = climb.value;
                let mut order = features.clone();
                rng.shuffle(&mut order);
                for j in order {
                    climb.raise(j, self.params.n_steps, threads);
                    done += 1;
                    reports.tell(done, Some(1.0 - climb.value), None)?;
                }
                if climb.value - before < self.params.tolerance {
                    break;
                }
            }
            let w = climb.w;
            if validation.is_some() || climb.value > best_on_train {
                best_on_train = climb.value;
                let held_out = || {
                    validation
                        .map_or_else(Vec::new, |v| Linear::new(w.clone()).score_rows(v.set, 0..v.set.n_documents()))
                };
                best.look(|| w.clone(), held_out)?;
            }
        }
        Ok(Ranker::linear(best.into_best().unwrap_or_default()))
    }
}

/// One start on its way up.
struct Climb<'a> {
    set: &'a FeatureSet,
    measure: &'a TrainingMeasure<'a>,
    w: Vec<f64>,
    scores: Vec<f64>,
    value: f64,
}

impl<'a> Climb<'a> {
    fn new(
        set: &'a FeatureSet,
        measure: &'a TrainingMeasure<'a>,
        features: &[usize],
        mut rng: Option<&mut Rng>,
    ) -> Self {
        let mut w = vec![0.0; set.n_features()];
        features.iter().for_each(|&j| w[j] = rng.as_mut().map_or(1.0, |rng| rng.unit()));
        let mut scores = vec![0.0; set.n_documents()];
        let sum: f64 = w.iter().sum();
        if sum > 0.0 {
            w.iter_mut().for_each(|w| *w /= sum);
        }
        features.iter().for_each(|&j| add_column(&mut scores, w[j], set.column(j)));
        let value = measure.mean(&scores);
        Self { set, measure, w, scores, value }
    }

    /// Moves one weight to the best of its trial values.
    fn raise(&mut self, j: usize, n_steps: u32, threads: &Threads) {
        let start = if self.w[j] == 0.0 { 0.001 } else { 0.05 * self.w[j].abs() };
        let steps = (0..n_steps).flat_map(|k| [1.0, -1.0].map(|sign| sign * start * f64::from(k).exp2()));
        let changes: Vec<f64> = [-self.w[j]].into_iter().chain(steps).filter(|change| *change != 0.0).collect();
        let values = threads.map(changes.len(), |at| {
            let mut scores = self.scores.clone();
            add_column(&mut scores, changes[at], self.set.column(j));
            self.measure.mean(&scores)
        });
        let mut best = (self.value, 0.0);
        for (value, change) in values.into_iter().zip(changes) {
            if value > best.0 + 1e-12 {
                best = (value, change);
            }
        }
        if best.1 == 0.0 {
            return;
        }
        self.value = best.0;
        // A weight moved by exactly its own length is exactly 0.
        self.w[j] = if best.1 == -self.w[j] { 0.0 } else { self.w[j] + best.1 };
        add_column(&mut self.scores, best.1, self.set.column(j));
        let sum: f64 = self.w.iter().map(|w| w.abs()).sum();
        if sum > 0.0 {
            self.w.iter_mut().for_each(|w| *w /= sum);
            self.scores.iter_mut().for_each(|s| *s /= sum);
        }
    }
}
