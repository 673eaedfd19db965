//! W with few entries, by rows: what L1 training leaves.

use super::form::{Form, expand_by_buffer};
use qwd_core::error::Result;
use qwd_core::kernel::scatter_by;
use qwd_core::{Csr, SparseVec, SparseView};

/// A sparse matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    weights: Csr,
}

impl Sparse {
    pub(super) fn new(weights: Csr) -> Self {
        Self { weights }
    }

    /// The entries.
    pub fn csr(&self) -> &Csr {
        &self.weights
    }

    /// Gives the entries away.
    pub fn into_csr(self) -> Csr {
        self.weights
    }

    fn row(&self, s: u32) -> SparseView<'_> {
        self.weights.row(s as usize)
    }
}

impl Form for Sparse {
    fn n_rows(&self) -> usize {
        self.weights.n_rows()
    }

    fn n_cols(&self) -> usize {
        self.weights.n_cols() as usize
    }

    fn entry(&self, s: u32, t: u32) -> f32 {
        self.weights.get(s as usize, t)
    }

    fn score(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64 {
        q.iter().map(|(s, x)| f64::from(x) * self.row(s).dot(d)).sum()
    }

    fn add_expanded(&self, q: SparseView<'_>, buffer: &mut [f32]) {
        for (s, x) in q.iter() {
            scatter_by(self.row(s), buffer, |sum, w| *sum += x * w);
        }
    }

    fn expand(&self, q: SparseView<'_>) -> Result<SparseVec> {
        let n_entries: usize = q.indices().iter().map(|&s| self.row(s).len()).sum();
        // Sorting n entries costs about n log n, a buffer costs every column: the sum is the same either way.
        if n_entries < self.n_cols() / 16 {
            let mut pairs = Vec::with_capacity(n_entries);
            for (s, x) in q.iter() {
                pairs.extend(self.row(s).iter().map(|(t, w)| (t, x * w)));
            }
            return SparseVec::from_pairs(pairs);
        }
        expand_by_buffer(self, q)
    }

    fn n_parameters(&self) -> u64 {
        self.weights.nnz() as u64
    }

    fn n_nonzero(&self) -> u64 {
        self.weights.parts().2.iter().filter(|&&w| w != 0.0).count() as u64
    }

    fn memory_bytes(&self) -> u64 {
        let (indptr, indices, values) = self.weights.parts();
        (size_of_val(indptr) + size_of_val(indices) + size_of_val(values)) as u64
    }

    fn visit_row(&self, s: u32, visit: &mut dyn FnMut(u32, f32)) {
        self.row(s).iter().for_each(|(t, w)| visit(t, w));
    }
}
