//! AdaGrad with the L1 penalty applied to every entry after every step (composite mirror descent of Duchi, Hazan and
//! Singer, 2011, diagonal case).

use crate::bilinear::Rows;
use crate::tuples::{Course, Judge, Tuple, batches, each_product, soft, zeros};

/// What the algorithm is given besides W and the tuples.
pub struct Settings<'a> {
    /// η.
    pub rate: f64,
    /// δ, inside the root.
    pub delta: f64,
    /// λ.
    pub l1: f64,
    /// The margin.
    pub margin: f64,
    /// Tuples that are scored before any of them takes its step.
    pub batch: usize,
    /// The entries that never change.
    pub fixed: &'a dyn Fn(usize, usize) -> bool,
}

/// Runs AdaGrad from `start`.
pub fn adagrad(start: Rows, tuples: &[Tuple], settings: &Settings<'_>) -> Course {
    let mut w = start;
    let mut squares = zeros(w.len(), w.first().map_or(0, Vec::len));
    let mut judge = Judge::new(settings.margin);
    for batch in batches(tuples.len(), settings.batch, usize::MAX) {
        let n = batch.len();
        let missed: Vec<usize> = batch.filter(|&i| judge.misses(i, &tuples[i], &w)).collect();
        for i in missed {
            each_product(&tuples[i], |s, t, product| {
                if !(settings.fixed)(s, t) {
                    let g = product * tuples[i].weight;
                    squares[s][t] += g * g;
                    w[s][t] += settings.rate * g / (settings.delta + squares[s][t]).sqrt();
                }
            });
        }
        for _ in 0..n {
            for s in 0..w.len() {
                for t in 0..w[s].len() {
                    if !(settings.fixed)(s, t) {
                        let rate = settings.rate / (settings.delta + squares[s][t]).sqrt();
                        w[s][t] = soft(w[s][t], settings.l1 * rate);
                    }
                }
            }
        }
    }
    judge.course(w)
}
