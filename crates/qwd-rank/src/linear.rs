//! The linear ranker: score(x) = ⟨w, x⟩.

use crate::feature_set::FeatureSet;
use serde::{Deserialize, Serialize};

/// One weight per feature.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    weights: Vec<f64>,
}

impl Linear {
    /// Takes the weights, one per feature.
    pub fn new(weights: Vec<f64>) -> Self {
        Self { weights }
    }

    /// Returns the weights, one per feature.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Scores one document: the sum over the features with a weight, in their order.
    pub fn score(&self, features: &[f32]) -> f32 {
        let used = self.weights.iter().zip(features).filter(|(w, _)| **w != 0.0);
        used.fold(0.0, |sum, (w, &x)| sum + w * f64::from(x)) as f32
    }

    pub(crate) fn score_rows(&self, set: &FeatureSet, rows: std::ops::Range<usize>) -> Vec<f32> {
        let mut sums = vec![0.0; rows.len()];
        for (j, &w) in self.weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            crate::linear_algebra::add_column(&mut sums, w, &set.column(j)[rows.clone()]);
        }
        sums.into_iter().map(|s| s as f32).collect()
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        if self.weights.iter().all(|w| w.is_finite()) { Ok(()) } else { Err("a weight is not finite".into()) }
    }
}
