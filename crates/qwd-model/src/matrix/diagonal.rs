//! W = D: words match themselves, each with a learned weight.

use super::check_finite;
use super::form::Form;
use qwd_core::error::Result;
use qwd_core::{SparseVec, SparseView};

/// A diagonal matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagonal {
    weights: Vec<f32>,
}

impl Diagonal {
    pub(super) fn try_new(weights: Vec<f32>) -> Result<Self> {
        check_finite(&weights)?;
        Ok(Self { weights })
    }

    /// The weight of every term.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

impl Form for Diagonal {
    fn n_rows(&self) -> usize {
        self.weights.len()
    }

    fn n_cols(&self) -> usize {
        self.weights.len()
    }

    fn entry(&self, s: u32, t: u32) -> f32 {
        if s == t { self.weights[s as usize] } else { 0.0 }
    }

    fn score(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64 {
        score(&self.weights, q, d)
    }

    fn add_expanded(&self, q: SparseView<'_>, buffer: &mut [f32]) {
        for (i, v) in q.iter() {
            buffer[i as usize] += v * self.weights[i as usize];
        }
    }

    fn expand(&self, q: SparseView<'_>) -> Result<SparseVec> {
        SparseVec::from_pairs(q.iter().map(|(i, v)| (i, v * self.weights[i as usize])).collect())
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

    fn visit_row(&self, s: u32, visit: &mut dyn FnMut(u32, f32)) {
        visit(s, self.weights[s as usize]);
    }

    fn visit_col(&self, t: u32, visit: &mut dyn FnMut(u32, f32)) {
        visit(t, self.weights[t as usize]);
    }
}

/// Σ q[i] · w[i] · d[i], in `f64`.
pub(super) fn score(weights: &[f32], q: SparseView<'_>, d: SparseView<'_>) -> f64 {
    let mut rest = d.iter().peekable();
    let mut sum = 0.0;
    for (i, x) in q.iter() {
        while rest.next_if(|&(j, _)| j < i).is_some() {}
        if let Some((_, y)) = rest.next_if(|&(j, _)| j == i) {
            sum += f64::from(x) * f64::from(weights[i as usize]) * f64::from(y);
        }
    }
    sum
}
