//! W = I: words match themselves. With tf-idf vectors this is the cosine baseline of both papers.

use super::form::Form;
use qwd_core::error::Result;
use qwd_core::{SparseVec, SparseView};

/// The identity matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    n: usize,
}

impl Identity {
    pub(super) fn new(n: usize) -> Self {
        Self { n }
    }
}

impl Form for Identity {
    fn n_rows(&self) -> usize {
        self.n
    }

    fn n_cols(&self) -> usize {
        self.n
    }

    fn entry(&self, s: u32, t: u32) -> f32 {
        f32::from(s == t)
    }

    fn score(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64 {
        q.dot(d)
    }

    fn add_expanded(&self, q: SparseView<'_>, buffer: &mut [f32]) {
        for (i, v) in q.iter() {
            buffer[i as usize] += v;
        }
    }

    fn expand(&self, q: SparseView<'_>) -> Result<SparseVec> {
        SparseVec::from_pairs(q.iter().collect())
    }

    fn n_parameters(&self) -> u64 {
        0
    }

    fn n_nonzero(&self) -> u64 {
        self.n as u64
    }

    fn memory_bytes(&self) -> u64 {
        0
    }

    fn visit_row(&self, s: u32, visit: &mut dyn FnMut(u32, f32)) {
        visit(s, 1.0);
    }

    fn visit_col(&self, t: u32, visit: &mut dyn FnMut(u32, f32)) {
        visit(t, 1.0);
    }
}
