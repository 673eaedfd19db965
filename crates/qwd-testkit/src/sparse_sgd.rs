//! Algorithm 1 of the sparse preference paper as it is written: after every T steps all of W is swept.

use crate::bilinear::Rows;
use crate::tuples::{Course, Judge, Tuple, batches, each_product, soft};

/// What the algorithm is given besides W and the tuples.
pub struct Settings<'a> {
    /// η₁, η₂, …: at least one for every tuple.
    pub rates: &'a [f64],
    /// λ.
    pub l1: f64,
    /// T.
    pub shrink_every: usize,
    /// The margin, 1 in the paper.
    pub margin: f64,
    /// Whether half of a step goes to the mirror image.
    pub symmetric: bool,
    /// Tuples that are scored before any of them takes its step, 1 in the paper.
    pub batch: usize,
    /// The entries that never change: pinned, forbidden, or outside the support.
    pub fixed: &'a dyn Fn(usize, usize) -> bool,
}

/// η_t = C/√t or C, for t = 1 to `n`.
pub fn rates(constant: f64, decaying: bool, n: usize) -> Vec<f64> {
    (1..=n).map(|t| if decaying { constant / (t as f64).sqrt() } else { constant }).collect()
}

/// Runs Algorithm 1 from `start`. With λ = 0 it is SGD, and on a support it is refitting (equation 8).
pub fn sparse_sgd(start: Rows, tuples: &[Tuple], settings: &Settings<'_>) -> Course {
    let mut w = start;
    let mut judge = Judge::new(settings.margin);
    let period = if settings.l1 > 0.0 { settings.shrink_every } else { usize::MAX };
    for batch in batches(tuples.len(), settings.batch, period) {
        let missed: Vec<usize> = batch.clone().filter(|&i| judge.misses(i, &tuples[i], &w)).collect();
        for i in missed {
            let eta = settings.rates[i] * tuples[i].weight;
            each_product(&tuples[i], |s, t, product| {
                let mut step = |s: usize, t: usize, size: f64| {
                    if !(settings.fixed)(s, t) {
                        w[s][t] += size * product;
                    }
                };
                if settings.symmetric {
                    step(s, t, 0.5 * eta);
                    step(t, s, 0.5 * eta);
                } else {
                    step(s, t, eta);
                }
            });
        }
        let t = batch.end;
        if settings.l1 > 0.0 && t % settings.shrink_every == 0 {
            let threshold = settings.l1 * settings.rates[t - settings.shrink_every..t].iter().sum::<f64>();
            for (s, row) in w.iter_mut().enumerate() {
                for (t, weight) in row.iter_mut().enumerate() {
                    if !(settings.fixed)(s, t) {
                        *weight = soft(*weight, threshold);
                    }
                }
            }
        }
    }
    judge.course(w)
}
