//! W with every entry stored: the unconstrained form, for small vocabularies. 30,000 words on both sides take 3.6 GB.

use super::check_finite;
use super::form::Form;
use qwd_core::SparseView;
use qwd_core::error::{Error, Result};

/// A dense matrix, row after row.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    n_rows: usize,
    n_cols: usize,
    weights: Vec<f32>,
}

impl Dense {
    pub(super) fn try_new(n_rows: usize, n_cols: usize, weights: Vec<f32>) -> Result<Self> {
        if n_rows.checked_mul(n_cols) != Some(weights.len()) {
            let what = format!("{} weights for a matrix of {n_rows} x {n_cols}", weights.len());
            return Err(Error::bad_data(what, "give one weight for every entry"));
        }
        check_finite(&weights)?;
        Ok(Self { n_rows, n_cols, weights })
    }

    /// All weights, row after row.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The weights of query term `s`.
    pub fn row(&self, s: u32) -> &[f32] {
        let from = s as usize * self.n_cols;
        &self.weights[from..from + self.n_cols]
    }
}

impl Form for Dense {
    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn n_cols(&self) -> usize {
        self.n_cols
    }

    fn entry(&self, s: u32, t: u32) -> f32 {
        self.row(s)[t as usize]
    }

    fn score(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64 {
        let mut sum = 0.0;
        for (s, x) in q.iter() {
            let row = self.row(s);
            let of_row: f64 = d.iter().map(|(t, y)| f64::from(row[t as usize]) * f64::from(y)).sum();
            sum += f64::from(x) * of_row;
        }
        sum
    }

    fn add_expanded(&self, q: SparseView<'_>, buffer: &mut [f32]) {
        for (s, x) in q.iter() {
            for (sum, &w) in buffer.iter_mut().zip(self.row(s)) {
                *sum += x * w;
            }
        }
    }

    fn n_parameters(&self) -> u64 {
        self.weights.len() as u64
    }

    fn n_nonzero(&self) -> u64 {
        self.weights.iter().filter(|&&w| w != 0.0).count() as u64
    }

    fn memory_bytes(&self) -> u64 {
        size_of_val(self.weights.as_slice()) as u64
    }
}
