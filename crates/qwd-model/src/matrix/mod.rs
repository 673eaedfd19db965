//! The forms of W in `score(q, d) = qᵀWd`. Rows are query terms, columns are document terms.
//!
//! [`Matrix`] is the door: it checks that vectors fit and that no number leaves the range of `f32`, then calls the form,
//! which lives in the file of its name. A new form is one file that implements `Form`, and one variant here.

mod binned;
mod dense;
mod diagonal;
mod form;
mod hashed;
mod identity;
mod low_rank;
mod mixture;
mod sparse;

#[cfg(test)]
mod tests;

pub use binned::{Binned, bin};
pub use dense::Dense;
pub use diagonal::Diagonal;
pub use hashed::{Hashed, place};
pub use identity::Identity;
pub use low_rank::{Diagonal as LowRankDiagonal, LowRank, LowRankParts};
pub use mixture::Mixture;
pub use sparse::Sparse;

use form::Form;
use qwd_core::error::{Error, Result};
use qwd_core::top_k::{Scored, top_k};
use qwd_core::{Csr, SparseVec, SparseView};
use std::sync::Arc;

/// The largest number of rows or columns: it bounds what a buffer for one expanded query costs (1 GiB).
pub const MAX_TERMS: usize = 1 << 28;

/// The most matrices that may lie inside one another: mixtures of binned matrices, and some room.
pub(crate) const MAX_DEPTH: usize = 4;

/// How many queries share a pass over W, and over the documents.
pub(crate) const LANES: usize = 4;

/// One of the two vocabularies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The rows of W.
    Query,
    /// The columns of W.
    Document,
}

impl Side {
    /// The word for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Document => "document",
        }
    }
}

/// What one pair of terms gives to a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    /// The query term, a row of W.
    pub query: u32,
    /// The document term, a column of W.
    pub document: u32,
    /// `q[s] · W[s][t] · d[t]`.
    pub value: f32,
}

/// A term and its weight in W with another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Partner {
    /// The term, of the side opposite to the one asked about.
    pub term: u32,
    /// The entry of W, never 0.
    pub weight: f32,
}

/// A matrix W in one of its forms.
#[derive(Debug, Clone, PartialEq)]
pub enum Matrix {
    /// I: with tf-idf vectors of length 1 the score is their cosine.
    Identity(Identity),
    /// A weight for every term.
    Diagonal(Diagonal),
    /// All entries.
    Dense(Dense),
    /// Few entries, by rows.
    Sparse(Sparse),
    /// UᵀV or UᵀU, perhaps plus a diagonal.
    LowRank(LowRank),
    /// Entries that share weights by a hash of their place.
    Hashed(Hashed),
    /// A matrix over bins of words.
    Binned(Binned),
    /// A weighted sum of matrices.
    Mixture(Mixture),
}

impl Matrix {
    /// The identity on `n` terms.
    pub fn identity(n: usize) -> Result<Self> {
        check_terms(n)?;
        Ok(Self::Identity(Identity::new(n)))
    }

    /// The diagonal matrix of finite weights.
    pub fn diagonal(weights: Vec<f32>) -> Result<Self> {
        check_terms(weights.len())?;
        Ok(Self::Diagonal(Diagonal::try_new(weights)?))
    }

    /// A dense matrix of finite weights, row after row.
    pub fn dense(n_rows: usize, n_cols: usize, weights: Vec<f32>) -> Result<Self> {
        check_terms(n_rows.max(n_cols))?;
        Ok(Self::Dense(Dense::try_new(n_rows, n_cols, weights)?))
    }

    /// A sparse matrix.
    pub fn sparse(weights: Csr) -> Result<Self> {
        check_terms(weights.n_rows().max(weights.n_cols() as usize))?;
        Ok(Self::Sparse(Sparse::new(weights)))
    }

    /// A low-rank matrix, perhaps with a diagonal.
    pub fn low_rank(parts: LowRankParts) -> Result<Self> {
        check_terms(parts.n_rows.max(parts.n_cols))?;
        Ok(Self::LowRank(LowRank::try_new(parts)?))
    }

    /// A matrix of shared weights, perhaps plus I times a weight.
    pub fn hashed(n_rows: usize, n_cols: usize, weights: Vec<f32>, identity: Option<f32>) -> Result<Self> {
        check_terms(n_rows.max(n_cols))?;
        Ok(Self::Hashed(Hashed::try_new(n_rows, n_cols, weights, identity)?))
    }

    /// A matrix over bins: one row of bins for every query term, and for every document term.
    pub fn binned(query_bins: Arc<Csr>, document_bins: Arc<Csr>, inner: Self) -> Result<Self> {
        check_terms(query_bins.n_rows().max(document_bins.n_rows()))?;
        inner.check_depth()?;
        Ok(Self::Binned(Binned::try_new(query_bins, document_bins, inner)?))
    }

    /// A weighted sum of matrices over the same words.
    pub fn mixture(parts: Vec<(f32, Self)>) -> Result<Self> {
        parts.iter().try_for_each(|(_, part)| part.check_depth())?;
        Ok(Self::Mixture(Mixture::try_new(parts)?))
    }

    /// How many matrices lie inside one another here, this one counted.
    fn depth(&self) -> usize {
        1 + match self {
            Self::Binned(binned) => binned.inner().depth(),
            Self::Mixture(mixture) => mixture.parts().iter().map(|(_, part)| part.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// Checks that one more matrix may lie around this one.
    fn check_depth(&self) -> Result<()> {
        let depth = self.depth() + 1;
        if depth <= MAX_DEPTH {
            return Ok(());
        }
        Err(Error::limit("depth of matrices inside matrices", MAX_DEPTH as u64, depth as u64, "mix fewer at a time"))
    }

    pub(crate) fn form(&self) -> &dyn Form {
        match self {
            Self::Identity(form) => form,
            Self::Diagonal(form) => form,
            Self::Dense(form) => form,
            Self::Sparse(form) => form,
            Self::LowRank(form) => form,
            Self::Hashed(form) => form,
            Self::Binned(form) => form,
            Self::Mixture(form) => form,
        }
    }

    /// The name of the form, as it stands in the model file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Identity(_) => "identity",
            Self::Diagonal(_) => "diagonal",
            Self::Dense(_) => "dense",
            Self::Sparse(_) => "sparse",
            Self::LowRank(_) => "low-rank",
            Self::Hashed(_) => "hashed",
            Self::Binned(_) => "binned",
            Self::Mixture(_) => "mixture",
        }
    }

    /// The number of query terms.
    pub fn n_rows(&self) -> usize {
        self.form().n_rows()
    }

    /// The number of document terms.
    pub fn n_cols(&self) -> usize {
        self.form().n_cols()
    }

    /// The number of terms on a side.
    pub fn n_terms(&self, side: Side) -> usize {
        match side {
            Side::Query => self.n_rows(),
            Side::Document => self.n_cols(),
        }
    }

    /// The score `qᵀWd`.
    pub fn score(&self, q: SparseView<'_>, d: SparseView<'_>) -> Result<f64> {
        self.check(Side::Query, q)?;
        self.check(Side::Document, d)?;
        let score = self.form().score(q, d);
        if score.is_finite() { Ok(score) } else { Err(out_of_range("a score")) }
    }

    /// The expanded query `qᵀW`: the vector whose inner product with a document is the document's score.
    pub fn expand(&self, q: SparseView<'_>) -> Result<SparseVec> {
        self.check(Side::Query, q)?;
        self.form().expand(q).map_err(|_| out_of_range("an expanded query"))
    }

    /// Writes `qᵀW` over `buffer`, which has a place for every column.
    pub fn expand_into(&self, q: SparseView<'_>, buffer: &mut [f32]) -> Result<()> {
        self.check(Side::Query, q)?;
        self.clear(buffer)?;
        self.form().add_expanded(q, buffer);
        check_expanded(buffer)
    }

    /// Expands several queries, each as [`Matrix::expand_into`] does to the bit; some forms do more than one at a time faster.
    pub fn expand_each_into(&self, queries: &[SparseView<'_>], buffers: &mut [Vec<f32>]) -> Result<()> {
        if queries.len() != buffers.len() {
            return Err(Error::internal(format!("{} buffers for {} queries", buffers.len(), queries.len())));
        }
        queries.iter().try_for_each(|&q| self.check(Side::Query, q))?;
        buffers.iter_mut().try_for_each(|buffer| self.clear(buffer))?;
        self.form().add_expanded_each(queries, buffers);
        buffers.iter().try_for_each(|buffer| check_expanded(buffer))
    }

    fn clear(&self, buffer: &mut [f32]) -> Result<()> {
        if buffer.len() != self.n_cols() {
            let what = format!("a buffer of {} places for {} columns", buffer.len(), self.n_cols());
            return Err(Error::internal(what));
        }
        buffer.fill(0.0);
        Ok(())
    }

    /// The entry of a query term `s` and a document term `t`.
    pub fn entry(&self, s: u32, t: u32) -> Result<f32> {
        self.check_term(Side::Query, s)?;
        self.check_term(Side::Document, t)?;
        let entry = self.form().entry(s, t);
        if entry.is_finite() { Ok(entry) } else { Err(out_of_range("an entry")) }
    }

    /// The score as a sum over pairs of terms, largest absolute value first; pairs that give 0 are left out.
    pub fn explain(&self, q: SparseView<'_>, d: SparseView<'_>) -> Result<Vec<Reason>> {
        self.check(Side::Query, q)?;
        self.check(Side::Document, d)?;
        let mut reasons = self.form().explain(q, d);
        if reasons.iter().any(|r| !r.value.is_finite()) {
            return Err(out_of_range("a part of a score"));
        }
        let place = |r: &Reason| (r.query, r.document);
        reasons.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()).then_with(|| place(a).cmp(&place(b))));
        Ok(reasons)
    }

    /// The `k` terms of the other side with the strongest weights to `term`, largest absolute weight first.
    ///
    /// Where both sides share a vocabulary, the term itself is among them if its own weight is strong enough.
    pub fn related(&self, side: Side, term: u32, k: usize) -> Result<Vec<Partner>> {
        self.check_term(side, term)?;
        let mut partners = Vec::new();
        let visit = &mut |term, weight: f32| {
            if weight != 0.0 {
                partners.push(Partner { term, weight });
            }
        };
        match side {
            Side::Query => self.form().visit_row(term, visit),
            Side::Document => self.form().visit_col(term, visit),
        }
        if partners.iter().any(|p| !p.weight.is_finite()) {
            return Err(out_of_range("an entry"));
        }
        let strengths = partners.iter().zip(0u32..).map(|(p, item)| Scored { item, score: p.weight.abs() });
        Ok(top_k(strengths, k).iter().map(|s| partners[s.item as usize]).collect())
    }

    /// The number of learned weights.
    pub fn n_parameters(&self) -> u64 {
        self.form().n_parameters()
    }

    /// The share of entries of W that are not 0; of low-rank, binned and mixed forms an upper estimate from their parts.
    pub fn density(&self) -> f64 {
        let n = self.n_rows() as f64 * self.n_cols() as f64;
        if n == 0.0 { 0.0 } else { self.form().n_nonzero() as f64 / n }
    }

    /// The bytes of memory that the weights take.
    pub fn memory_bytes(&self) -> u64 {
        self.form().memory_bytes()
    }

    /// Checks that a vector has no index beyond its side of W.
    pub(crate) fn check(&self, side: Side, x: SparseView<'_>) -> Result<()> {
        x.indices().last().map_or(Ok(()), |&last| self.check_term(side, last))
    }

    fn check_term(&self, side: Side, term: u32) -> Result<()> {
        let n = self.n_terms(side);
        if (term as usize) < n {
            return Ok(());
        }
        let what = format!("{side} term {term} is beyond the model's {n} {side} terms", side = side.name());
        Err(Error::bad_data(what, "make the vector with the model's own vocabulary"))
    }
}

fn check_terms(n: usize) -> Result<()> {
    if n <= MAX_TERMS {
        return Ok(());
    }
    Err(Error::limit("number of terms", MAX_TERMS as u64, n as u64, "keep fewer words"))
}

fn check_expanded(query: &[f32]) -> Result<()> {
    if query.iter().all(|v| v.is_finite()) { Ok(()) } else { Err(out_of_range("an expanded query")) }
}

/// The error of finite numbers whose product is not a finite `f32`.
pub(crate) fn out_of_range(what: &str) -> Error {
    Error::bad_data(format!("{what} is beyond the range of f32"), "scale the vectors or the weights down")
}

/// Checks that weights from outside are finite.
fn check_finite(weights: &[f32]) -> Result<()> {
    match weights.iter().position(|w| !w.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let what = format!("weight {at} is {}, not a finite number", weights[at]);
            Err(Error::bad_data(what, "train again with a smaller learning rate"))
        }
    }
}
