//! Tuples (q, d⁺, d⁻) written out, and their loss (equations 2 and 4 of the sparse preference paper).

use crate::bilinear::{Rows, explain};

/// A tuple: q, d⁺ − d⁻ and its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuple {
    /// q.
    pub query: Vec<f64>,
    /// e = d⁺ − d⁻.
    pub difference: Vec<f64>,
    /// How much it counts.
    pub weight: f64,
}

impl Tuple {
    /// What is missing to the margin, m − qᵀWe, and the sum of all absolute values that were added up for it.
    pub fn missing(&self, w: &Rows, margin: f64) -> (f64, f64) {
        let parts = explain(w, &self.query, &self.difference);
        let score: f64 = parts.iter().map(|part| part.2).sum();
        (margin - score, margin + parts.iter().map(|part| part.2.abs()).sum::<f64>())
    }

    /// The margin rank loss, max(0, m − qᵀWe), times the tuple's weight.
    pub fn loss(&self, w: &Rows, margin: f64) -> f64 {
        self.weight * self.missing(w, margin).0.max(0.0)
    }

    /// The gradient of the loss by central differences; right wherever the loss is smooth within `h`.
    pub fn gradient(&self, w: &Rows, margin: f64, h: f64) -> Rows {
        let mut moved = w.clone();
        let mut gradient = zeros(w.len(), w.first().map_or(0, Vec::len));
        for s in 0..w.len() {
            for t in 0..w[s].len() {
                moved[s][t] = w[s][t] + h;
                let above = self.loss(&moved, margin);
                moved[s][t] = w[s][t] - h;
                let below = self.loss(&moved, margin);
                moved[s][t] = w[s][t];
                gradient[s][t] = (above - below) / (2.0 * h);
            }
        }
        gradient
    }
}

/// A matrix of zeros.
pub fn zeros(n_rows: usize, n_cols: usize) -> Rows {
    vec![vec![0.0; n_cols]; n_rows]
}

/// The identity matrix.
pub fn identity(n: usize) -> Rows {
    (0..n).map(|s| (0..n).map(|t| f64::from(u8::from(s == t))).collect()).collect()
}

/// Moves a number towards zero by `threshold`, to zero where it is smaller (Proposition 1).
pub fn soft(w: f64, threshold: f64) -> f64 {
    if w > threshold {
        w - threshold
    } else if w < -threshold {
        w + threshold
    } else {
        0.0
    }
}

/// Where a reference run led.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// The W at its end.
    pub weights: Rows,
    /// The first tuple, from 0, that came so near to the margin that rounding to `f32` may decide it the other way.
    pub first_doubt: Option<usize>,
}

/// Decides tuples and remembers the first doubtful one.
#[derive(Debug)]
pub(crate) struct Judge {
    margin: f64,
    first_doubt: Option<usize>,
}

/// A decision is in doubt when it misses the margin by less than this share of what was added up.
const DOUBT: f64 = 3e-5;

impl Judge {
    pub(crate) fn new(margin: f64) -> Self {
        Self { margin, first_doubt: None }
    }

    /// Whether tuple number `i` takes a step from `w`.
    pub(crate) fn misses(&mut self, i: usize, tuple: &Tuple, w: &Rows) -> bool {
        let (missing, scale) = tuple.missing(w, self.margin);
        if missing.abs() < DOUBT * scale && self.first_doubt.is_none() {
            self.first_doubt = Some(i);
        }
        missing > 0.0
    }

    pub(crate) fn course(self, weights: Rows) -> Course {
        Course { weights, first_doubt: self.first_doubt }
    }
}

/// Tuples in mini-batches: every `batch` tuples from the beginning, and anew after every `period` tuples.
pub(crate) fn batches(n: usize, batch: usize, period: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let to = (from + (batch - from % batch).min(period - from % period)).min(n);
        let range = from..to;
        from = to;
        (!range.is_empty()).then_some(range)
    })
}

/// Calls `f` with the row, column and value of q eᵀ for every entry that is not 0.
pub(crate) fn each_product(tuple: &Tuple, mut f: impl FnMut(usize, usize, f64)) {
    for (s, x) in tuple.query.iter().enumerate() {
        for (t, y) in tuple.difference.iter().enumerate() {
            if x * y != 0.0 {
                f(s, t, x * y);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_and_its_slope() {
        let tuple = Tuple { query: vec![2.0], difference: vec![1.0, -1.0], weight: 3.0 };
        assert_eq!(tuple.loss(&vec![vec![0.0, 0.0]], 1.0), 3.0);
        assert_eq!(tuple.loss(&vec![vec![1.0, 0.0]], 1.0), 0.0);
        let gradient = tuple.gradient(&vec![vec![0.0, 0.0]], 1.0, 1e-3);
        assert!((gradient[0][0] + 6.0).abs() < 1e-9 && (gradient[0][1] - 6.0).abs() < 1e-9, "{gradient:?}");
    }

    #[test]
    fn batches_begin_anew_with_every_period() {
        assert_eq!(batches(10, 4, 5).collect::<Vec<_>>(), [0..4, 4..5, 5..8, 8..10]);
        assert_eq!(batches(3, 1, usize::MAX).count(), 3);
    }
}
