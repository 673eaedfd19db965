//! FTRL-Proximal, its weights worked out for all of W before every tuple (McMahan et al., 2013, Algorithm 1).

use crate::bilinear::Rows;
use crate::tuples::{Course, Judge, Tuple, batches, each_product, zeros};

/// What the algorithm is given besides W and the tuples.
pub struct Settings<'a> {
    /// α.
    pub alpha: f64,
    /// β.
    pub beta: f64,
    /// λ₁.
    pub l1: f64,
    /// λ₂.
    pub l2: f64,
    /// The margin.
    pub margin: f64,
    /// Tuples that are scored before any of them takes its step.
    pub batch: usize,
    /// The entries that never change.
    pub fixed: &'a dyn Fn(usize, usize) -> bool,
}

/// Runs FTRL-Proximal from `start`: z is chosen so that the weights are those of `start` before the first step.
pub fn ftrl(start: Rows, tuples: &[Tuple], settings: &Settings<'_>) -> Course {
    let Settings { alpha, beta, l1, l2, .. } = *settings;
    let weight = |z: f64, n: f64| {
        if z.abs() <= l1 { 0.0 } else { (z.signum() * l1 - z) / ((beta + n.sqrt()) / alpha + l2) }
    };
    let (n_rows, n_cols) = (start.len(), start.first().map_or(0, Vec::len));
    let mut z = zeros(n_rows, n_cols);
    let mut n = zeros(n_rows, n_cols);
    for (s, row) in start.iter().enumerate() {
        for (t, &w) in row.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            z[s][t] = -w * (beta / alpha + l2) - w.signum() * l1;
        }
    }
    let mut w = start;
    let mut judge = Judge::new(settings.margin);
    for batch in batches(tuples.len(), settings.batch, usize::MAX) {
        let missed: Vec<usize> = batch.filter(|&i| judge.misses(i, &tuples[i], &w)).collect();
        for i in missed {
            each_product(&tuples[i], |s, t, product| {
                let g = -product * tuples[i].weight;
                let sigma = ((n[s][t] + g * g).sqrt() - n[s][t].sqrt()) / alpha;
                z[s][t] += g - sigma * weight(z[s][t], n[s][t]);
                n[s][t] += g * g;
            });
        }
        for s in 0..n_rows {
            for t in 0..n_cols {
                if !(settings.fixed)(s, t) {
                    w[s][t] = weight(z[s][t], n[s][t]);
                }
            }
        }
    }
    judge.course(w)
}
