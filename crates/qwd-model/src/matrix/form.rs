//! What every form of W can do, in the smallest vocabulary that the rest can be built from.

use super::Reason;
use qwd_core::error::Result;
use qwd_core::{SparseVec, SparseView};

/// A form of W. [`super::Matrix`] has checked that indices are in range before any of these is called.
pub(crate) trait Form {
    fn n_rows(&self) -> usize;

    fn n_cols(&self) -> usize;

    /// `W[s][t]`.
    fn entry(&self, s: u32, t: u32) -> f32;

    /// `qᵀWd`, summed in `f64`, where no product of finite `f32` can leave the range.
    fn score(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64;

    /// Adds `qᵀW` to a buffer of `n_cols` places.
    fn add_expanded(&self, q: SparseView<'_>, buffer: &mut [f32]);

    /// Does what [`Form::add_expanded`] does for several queries, to the bit.
    fn add_expanded_each(&self, queries: &[SparseView<'_>], buffers: &mut [Vec<f32>]) {
        queries.iter().zip(buffers).for_each(|(&q, buffer)| self.add_expanded(q, buffer));
    }

    fn n_parameters(&self) -> u64;

    fn n_nonzero(&self) -> u64;

    fn memory_bytes(&self) -> u64;

    /// `qᵀW`; an error if an entry is not finite.
    fn expand(&self, q: SparseView<'_>) -> Result<SparseVec> {
        expand_by_buffer(self, q)
    }

    /// The parts of a score that are not 0, in any order.
    fn explain(&self, q: SparseView<'_>, d: SparseView<'_>) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for (query, x) in q.iter() {
            for (document, y) in d.iter() {
                let value = (f64::from(x) * f64::from(self.entry(query, document)) * f64::from(y)) as f32;
                if value != 0.0 {
                    reasons.push(Reason { query, document, value });
                }
            }
        }
        reasons
    }

    /// Shows the entries of a row, at least those that are not 0, in order of their columns.
    fn visit_row(&self, s: u32, visit: &mut dyn FnMut(u32, f32)) {
        for t in 0..self.n_cols() as u32 {
            visit(t, self.entry(s, t));
        }
    }

    /// Shows the entries of a column, at least those that are not 0, in order of their rows.
    fn visit_col(&self, t: u32, visit: &mut dyn FnMut(u32, f32)) {
        for s in 0..self.n_rows() as u32 {
            visit(s, self.entry(s, t));
        }
    }
}

/// Expands a query through a buffer with a place for every column.
pub(super) fn expand_by_buffer(form: &(impl Form + ?Sized), q: SparseView<'_>) -> Result<SparseVec> {
    let mut buffer = vec![0.0; form.n_cols()];
    form.add_expanded(q, &mut buffer);
    let (indices, values) = (0u32..).zip(buffer).filter(|&(_, v)| v != 0.0).unzip();
    SparseVec::try_new(indices, values)
}
