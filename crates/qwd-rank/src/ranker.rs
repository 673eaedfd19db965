//! What training gives: a closed type for files, the program, the server and Python.

use crate::blend::Blend;
use crate::feature_set::FeatureSet;
use crate::linear::Linear;
use crate::tree::Trees;
use qwd_core::{Error, Result, Threads};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Documents that are scored together by one thread.
const ROWS_AT_ONCE: usize = 8192;

/// The most features that a ranker from a file may ask of documents: no feature file may have more.
const MAX_FEATURES: usize = 1 << 16;

/// Scores documents by their features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Ranker {
    /// A weighted sum of features.
    Linear(Linear),
    /// A sum of regression trees.
    Trees(Trees),
    /// A weighted sum of rankers.
    Blend(Blend),
}

/// A feature that a ranker uses.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChosenFeature {
    /// Its number as in the files, from 1.
    pub feature: usize,
    /// Its weight, the gain of its splits, or its share in the parts of a blend.
    pub weight: f64,
}

impl Ranker {
    /// Returns a linear ranker.
    pub fn linear(weights: Vec<f64>) -> Self {
        Self::Linear(Linear::new(weights))
    }

    /// Returns the number of features that documents must have.
    pub fn n_features(&self) -> usize {
        match self {
            Self::Linear(linear) => linear.weights().len(),
            Self::Trees(trees) => trees.n_features,
            Self::Blend(blend) => blend.n_features(),
        }
    }

    /// Scores one document; features beyond its end are 0.
    pub fn score(&self, features: &[f32]) -> f32 {
        match self {
            Self::Linear(linear) => linear.score(features),
            Self::Trees(trees) => trees.score(features),
            Self::Blend(blend) => blend.score(features),
        }
    }

    /// Scores all documents of a set.
    pub fn score_all(&self, set: &FeatureSet, threads: &Threads) -> Result<Vec<f32>> {
        set.expect_features(self.n_features())?;
        let n = set.n_documents();
        let parts = threads.map(n.div_ceil(ROWS_AT_ONCE), |part| {
            let rows = part * ROWS_AT_ONCE..((part + 1) * ROWS_AT_ONCE).min(n);
            self.score_rows(set, rows)
        });
        let scores: Vec<f32> = parts.into_iter().flatten().collect();
        match scores.iter().position(|s| !s.is_finite()) {
            None => Ok(scores),
            Some(row) => {
                let what = format!("the score of document {} is not finite", row + 1);
                Err(Error::bad_data(what, "scale the features to [0, 1]"))
            }
        }
    }

    pub(crate) fn score_rows(&self, set: &FeatureSet, rows: Range<usize>) -> Vec<f32> {
        match self {
            Self::Linear(linear) => linear.score_rows(set, rows),
            Self::Trees(trees) => trees.score_rows(set, rows),
            Self::Blend(blend) => blend.score_rows(set, rows),
        }
    }

    /// Returns the features that it uses, the strongest first.
    pub fn features(&self) -> Vec<ChosenFeature> {
        let weights = match self {
            Self::Linear(linear) => linear.weights().to_vec(),
            Self::Blend(blend) => blend.weights(),
            Self::Trees(trees) => {
                let used = trees.n_splits();
                trees
                    .gains()
                    .into_iter()
                    .zip(used)
                    .map(|(gain, n)| if n > 0 { gain.max(f64::MIN_POSITIVE) } else { 0.0 })
                    .collect()
            }
        };
        let used = weights.into_iter().enumerate().filter(|(_, w)| *w != 0.0);
        let mut chosen: Vec<_> = used.map(|(j, weight)| ChosenFeature { feature: j + 1, weight }).collect();
        chosen.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()).then(a.feature.cmp(&b.feature)));
        chosen
    }

    /// Returns the share of features that it uses: ‖w‖₀/m, the paper's sparsity ratio.
    pub fn sparsity(&self) -> f64 {
        self.features().len() as f64 / self.n_features().max(1) as f64
    }

    /// Checks a ranker that came from a file.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.n_features() > MAX_FEATURES {
            return Err(format!(
                "{} features, more than the {MAX_FEATURES} that documents may have",
                self.n_features()
            ));
        }
        match self {
            Self::Linear(linear) => linear.check(),
            Self::Trees(trees) => trees.check(),
            Self::Blend(blend) => blend.check(),
        }
    }
}
