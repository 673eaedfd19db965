//! W = A W' Bᵀ with sparse A and B: every word of a large vocabulary stands in the bins of a few frequent words, and W' is
//! over those alone. With bins by correlation this is correlated feature hashing (section 2.2.3 of the supervised semantic
//! indexing paper).

use super::form::Form;
use super::{Matrix, Side};
use qwd_core::error::{Error, Result};
use qwd_core::{Csr, SparseVec, SparseView};
use std::sync::Arc;

/// A matrix over bins of words.
#[derive(Debug, Clone, PartialEq)]
pub struct Binned {
    query_bins: Arc<Csr>,
    document_bins: Arc<Csr>,
    inner: Box<Matrix>,
}

/// The vector of the bins that a vector's words stand in: `binsᵀx`.
pub fn bin(x: SparseView<'_>, bins: &Csr) -> Result<SparseVec> {
    let mut pairs = Vec::new();
    for (word, value) in x.iter() {
        pairs.extend(bins.row(word as usize).iter().map(|(bin, share)| (bin, value * share)));
    }
    SparseVec::from_pairs(pairs)
}

impl Binned {
    pub(super) fn try_new(query_bins: Arc<Csr>, document_bins: Arc<Csr>, inner: Matrix) -> Result<Self> {
        for (side, bins) in [(Side::Query, &query_bins), (Side::Document, &document_bins)] {
            let (n_bins, n_terms) = (bins.n_cols() as usize, inner.n_terms(side));
            if n_bins != n_terms {
                let what = format!("{n_bins} {} bins for a matrix of {n_terms} terms", side.name());
                return Err(Error::bad_data(what, "use the bins that the matrix was trained with"));
            }
        }
        Ok(Self { query_bins, document_bins, inner: Box::new(inner) })
    }

    /// The bins of a side: one row for every word.
    pub fn bins(&self, side: Side) -> &Arc<Csr> {
        match side {
            Side::Query => &self.query_bins,
            Side::Document => &self.document_bins,
        }
    }

    /// W', the matrix over the bins.
    pub fn inner(&self) -> &Matrix {
        &self.inner
    }

    /// Shows Σ over bins of x's row and of each other word, for all words of the other side.
    fn visit(&self, of_bins: &[f32], other: &Csr, visit: &mut dyn FnMut(u32, f32)) {
        for (word, row) in (0u32..).zip(other.rows()) {
            let weight: f64 = row.iter().map(|(b, share)| f64::from(share) * f64::from(of_bins[b as usize])).sum();
            visit(word, weight as f32);
        }
    }
}

impl Form for Binned {
    fn n_rows(&self) -> usize {
        self.query_bins.n_rows()
    }

    fn n_cols(&self) -> usize {
        self.document_bins.n_rows()
    }

    fn entry(&self, s: u32, t: u32) -> f32 {
        self.inner.form().score(self.query_bins.row(s as usize), self.document_bins.row(t as usize)) as f32
    }

    fn score(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64 {
        // Finite numbers whose sum is not finite give no score that could be served: NaN is refused by the caller.
        match (bin(q, &self.query_bins), bin(d, &self.document_bins)) {
            (Ok(q), Ok(d)) => self.inner.form().score(q.view(), d.view()),
            _ => f64::NAN,
        }
    }

    fn add_expanded(&self, q: SparseView<'_>, buffer: &mut [f32]) {
        let Ok(q) = bin(q, &self.query_bins) else {
            buffer.fill(f32::NAN);
            return;
        };
        let mut of_bins = vec![0.0; self.inner.n_cols()];
        self.inner.form().add_expanded(q.view(), &mut of_bins);
        for (sum, row) in buffer.iter_mut().zip(self.document_bins.rows()) {
            *sum += qwd_core::kernel::gather_dot(row, &of_bins);
        }
    }

    fn n_parameters(&self) -> u64 {
        self.inner.n_parameters()
    }

    /// Every pair of words with a bin each counts, in proportion to the density of W'.
    fn n_nonzero(&self) -> u64 {
        let n_binned = |bins: &Csr| bins.rows().filter(|row| !row.is_empty()).count() as f64;
        (n_binned(&self.query_bins) * n_binned(&self.document_bins) * self.inner.density()).round() as u64
    }

    fn memory_bytes(&self) -> u64 {
        let of_bins = |bins: &Csr| {
            let (indptr, indices, values) = bins.parts();
            (size_of_val(indptr) + size_of_val(indices) + size_of_val(values)) as u64
        };
        let shared = Arc::ptr_eq(&self.query_bins, &self.document_bins);
        let of_document = if shared { 0 } else { of_bins(&self.document_bins) };
        self.inner.memory_bytes() + of_bins(&self.query_bins) + of_document
    }

    fn visit_row(&self, s: u32, visit: &mut dyn FnMut(u32, f32)) {
        let mut of_bins = vec![0.0; self.inner.n_cols()];
        self.inner.form().add_expanded(self.query_bins.row(s as usize), &mut of_bins);
        self.visit(&of_bins, &self.document_bins, visit);
    }

    fn visit_col(&self, t: u32, visit: &mut dyn FnMut(u32, f32)) {
        let column = self.document_bins.row(t as usize);
        let mut of_bins = vec![0.0; self.inner.n_rows()];
        for (b, share) in column.iter() {
            self.inner.form().visit_col(b, &mut |s, w| of_bins[s as usize] += share * w);
        }
        self.visit(&of_bins, &self.query_bins, visit);
    }
}
