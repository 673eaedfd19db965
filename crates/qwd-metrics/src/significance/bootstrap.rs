//! A bootstrap interval for the mean difference of two systems.
//!
//! The n differences are drawn n times with replacement, N times over; the interval at confidence c lies between the
//! quantiles (1 − c)/2 and (1 + c)/2 of the N means (the percentile method, quantiles interpolated linearly).
//!
//! Citation: Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13; for retrieval, Sakai, "Evaluating
//! Evaluation Metrics based on the Bootstrap", SIGIR 2006. Cost: O(N·n). When not to use it: fewer than some 20 queries, where
//! the interval is too narrow.

use super::differences;
use qwd_core::{Error, Result, Rng};
use serde::{Deserialize, Serialize};

/// The parameters of the bootstrap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BootstrapParams {
    /// The confidence that the interval holds the true difference, c: above 0 and below 1.
    pub confidence: f64,
    /// The number of samples drawn, N: 100 to 10 million.
    pub n_resamples: u32,
    /// The seed of the draws.
    pub seed: u64,
}

impl Default for BootstrapParams {
    fn default() -> Self {
        Self { confidence: 0.95, n_resamples: 10_000, seed: 1 }
    }
}

/// A mean difference and the interval around it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The mean of `a - b`.
    pub mean_difference: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Returns an interval for the mean of `a - b`; both hold values of the same queries in the same order.
pub fn bootstrap_interval(a: &[f64], b: &[f64], params: &BootstrapParams) -> Result<Interval> {
    if !(params.confidence > 0.0 && params.confidence < 1.0) {
        return Err(Error::param("confidence", params.confidence, "above 0 and below 1"));
    }
    if !(100..=10_000_000).contains(&params.n_resamples) {
        return Err(Error::param("n_resamples", params.n_resamples, "100 to 10000000"));
    }
    let differences = differences(a, b)?;
    let n = differences.len();
    let mut rng = Rng::new(params.seed);
    let mut resampled = || (0..n).map(|_| differences[rng.below(n)]).sum::<f64>() / n as f64;
    let mut means: Vec<f64> = (0..params.n_resamples).map(|_| resampled()).collect();
    means.sort_unstable_by(f64::total_cmp);
    Ok(Interval {
        mean_difference: differences.iter().sum::<f64>() / n as f64,
        low: quantile(&means, (1.0 - params.confidence) / 2.0),
        high: quantile(&means, (1.0 + params.confidence) / 2.0),
    })
}

/// The quantile of sorted values, interpolated between the two nearest.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}
