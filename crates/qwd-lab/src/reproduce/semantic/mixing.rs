//! Scores of several methods added up, each with its weight.

use crate::protocol::{Scorer, scored_pairs};
use qwd_core::{Result, Threads};
use qwd_data::Preference;
use std::sync::Arc;

/// Σ wᵢ scoreᵢ.
pub(super) struct Mixed {
    pub(super) parts: Vec<(f32, Arc<dyn Scorer + Send>)>,
}

/// Shares of the first part that are tried: 0, 1/40, …, 1.
const SHARES: usize = 40;

impl Mixed {
    /// α first + (1 − α) second, each in units of its own mean difference, with the α of the lowest loss on tuples.
    pub(super) fn tuned(
        first: Arc<dyn Scorer + Send>,
        second: Arc<dyn Scorer + Send>,
        tuples: &[Preference],
        threads: &Threads,
    ) -> Result<(Self, f64)> {
        let margins = [margins(first.as_ref(), tuples, threads)?, margins(second.as_ref(), tuples, threads)?];
        let units = margins.each_ref().map(|margins| {
            let mean = margins.iter().map(|x| f64::from(x.abs())).sum::<f64>() / margins.len().max(1) as f64;
            if mean > 0.0 { mean } else { 1.0 }
        });
        let wrong = |share: f64| {
            let [a, b] = [share / units[0], (1.0 - share) / units[1]];
            let sums = margins[0].iter().zip(&margins[1]).map(|(&x, &y)| a * f64::from(x) + b * f64::from(y));
            sums.filter(|&sum| sum <= 0.0).count()
        };
        let shares = (0..=SHARES).map(|i| i as f64 / SHARES as f64);
        let best = shares.min_by_key(|&share| wrong(share)).unwrap_or(0.5);
        let weights = [best / units[0], (1.0 - best) / units[1]].map(|w| w as f32);
        Ok((Self { parts: vec![(weights[0], first), (weights[1], second)] }, best))
    }
}

impl Scorer for Mixed {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        let mut sums = vec![0.0; documents.len()];
        for (weight, part) in &self.parts {
            for (sum, score) in sums.iter_mut().zip(part.scores(query, documents)?) {
                *sum += weight * score;
            }
        }
        Ok(sums)
    }
}

/// score(q, d⁺) − score(q, d⁻) for every tuple.
fn margins(scorer: &(dyn Scorer + Send), tuples: &[Preference], threads: &Threads) -> Result<Vec<f32>> {
    let pairs = scored_pairs(tuples, scorer, threads)?;
    Ok(pairs.into_iter().map(|[better, worse]| better - worse).collect())
}
