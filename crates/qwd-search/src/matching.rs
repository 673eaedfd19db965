//! What a model asks of an index: which terms with which weights, and which direction in a latent space.
//!
//! A W in parts is taken apart: what is of low rank becomes an inner product with cached projections of the documents, all
//! else an expanded query over postings. Or, with documents expanded, d' = Wd is indexed and queries stay as they are.

use qwd_core::{Csr, Error, Result, SparseVec, SparseView};
use qwd_model::{LowRankDiagonal, LowRankParts, Matrix, Model, Side};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most entries of a W that has to be written out to be transposed.
const MAX_WRITTEN_OUT: u64 = 1 << 26;

/// Where the words that W adds are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expand {
    /// Queries are expanded when they are asked: the index is as small as one without W.
    #[default]
    Queries,
    /// Documents are expanded when they are indexed: queries stay as short as they were typed.
    Documents,
}

/// What a query becomes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    /// Terms and signed weights.
    pub(crate) terms: SparseVec,
    /// The direction in the latent space; empty without one.
    pub(crate) probe: Vec<f32>,
    /// The share of the squared weights that pruning left out.
    pub(crate) lost: f64,
}

/// A model, ready to ask an index of its making.
#[derive(Debug, Clone)]
pub(crate) struct Matching {
    model: Arc<Model>,
    expand: Expand,
    prune: Option<usize>,
    transposed: Option<Arc<Matrix>>,
}

impl Matching {
    pub(crate) fn new(model: Arc<Model>, expand: Expand, prune: Option<usize>) -> Self {
        Self { model, expand, prune, transposed: None }
    }

    pub(crate) fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Whether postings carry weights: only expanded documents need them, and I expands nothing.
    pub(crate) fn has_values(&self) -> bool {
        self.expand == Expand::Documents && !matches!(self.model.matrix(), Matrix::Identity(_))
    }

    /// The dimensions of cached projections.
    pub(crate) fn rank(&self) -> usize {
        if self.has_values() { 0 } else { rank(self.model.matrix()) }
    }

    /// Turns a query's vector into what the index is asked.
    pub(crate) fn query(&self, q: SparseView<'_>) -> Result<Asked> {
        if self.has_values() {
            return Ok(Asked { terms: q.to_owned(), ..Asked::default() });
        }
        let mut asked = Asked::default();
        let terms = match self.model.matrix() {
            matrix @ (Matrix::LowRank(_) | Matrix::Mixture(_)) => {
                let mut pairs = Vec::new();
                take_apart(matrix, 1.0, q, &mut pairs, &mut asked.probe)?;
                SparseVec::from_pairs(pairs)?
            }
            matrix => matrix.expand(q)?,
        };
        (asked.terms, asked.lost) = prune(terms, self.prune);
        Ok(asked)
    }

    /// The numbers of a document in the latent space.
    pub(crate) fn project(&self, d: SparseView<'_>) -> Vec<f32> {
        let mut numbers = Vec::with_capacity(self.rank());
        if self.rank() > 0 {
            project(self.model.matrix(), d, &mut numbers);
        }
        numbers
    }

    /// Prepares what expanding documents needs.
    pub(crate) fn prepare_documents(&mut self) -> Result<()> {
        if self.has_values() && self.transposed.is_none() {
            self.transposed = Some(Arc::new(transpose(self.model.matrix())?));
        }
        Ok(())
    }

    /// The expanded document Wd, and the share of its squared weights that pruning left out.
    pub(crate) fn expand_document(&self, d: SparseView<'_>) -> Result<(SparseVec, f64)> {
        let Some(transposed) = &self.transposed else {
            return Err(Error::internal("documents are expanded before W was transposed"));
        };
        Ok(prune(transposed.expand(d)?, self.prune))
    }
}

/// Keeps the `n` strongest weights; the share of squared weight that is lost comes with them.
pub(crate) fn prune(terms: SparseVec, n: Option<usize>) -> (SparseVec, f64) {
    let Some(n) = n.filter(|&n| n < terms.view().len()) else { return (terms, 0.0) };
    let mut pairs: Vec<(u32, f32)> = terms.view().iter().collect();
    pairs.sort_unstable_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    let square = |pairs: &[(u32, f32)]| pairs.iter().map(|(_, w)| f64::from(*w).powi(2)).sum::<f64>();
    let lost = square(&pairs[n..]) / square(&pairs);
    pairs.truncate(n);
    pairs.sort_unstable_by_key(|&(term, _)| term);
    let mut kept = SparseVec::default();
    pairs.iter().for_each(|&(term, weight)| kept.push_last(term, weight));
    (kept, lost)
}

fn rank(matrix: &Matrix) -> usize {
    match matrix {
        Matrix::LowRank(low_rank) => low_rank.rank(),
        Matrix::Mixture(mixture) => mixture.parts().iter().map(|(_, part)| rank(part)).sum(),
        _ => 0,
    }
}

/// Adds what a part of W asks: pairs of terms and weights, numbers of the latent space.
fn take_apart(
    matrix: &Matrix,
    weight: f32,
    q: SparseView<'_>,
    pairs: &mut Vec<(u32, f32)>,
    probe: &mut Vec<f32>,
) -> Result<()> {
    match matrix {
        Matrix::Mixture(mixture) => {
            for (of_part, part) in mixture.parts() {
                take_apart(part, weight * of_part, q, pairs, probe)?;
            }
        }
        Matrix::LowRank(low_rank) => {
            probe.extend(low_rank.project(Side::Query, q).iter().map(|x| weight * x));
            let diagonal = &low_rank.parts().diagonal;
            pairs.extend(q.iter().filter_map(|(term, x)| match diagonal {
                LowRankDiagonal::None => None,
                LowRankDiagonal::Scaled(scale) => Some((term, weight * (x * scale))),
                LowRankDiagonal::Weights(weights) => Some((term, weight * (x * weights[term as usize]))),
            }));
        }
        matrix => pairs.extend(matrix.expand(q)?.view().iter().map(|(term, x)| (term, weight * x))),
    }
    if probe.iter().any(|x| !x.is_finite()) {
        return Err(Error::bad_data("a query is beyond the range of f32", "scale the weights of the model down"));
    }
    Ok(())
}

/// Adds the numbers of a document, part by part in the order of [`take_apart`].
fn project(matrix: &Matrix, d: SparseView<'_>, numbers: &mut Vec<f32>) {
    match matrix {
        Matrix::Mixture(mixture) => mixture.parts().iter().for_each(|(_, part)| project(part, d, numbers)),
        Matrix::LowRank(low_rank) => numbers.extend(low_rank.project(Side::Document, d)),
        _ => {}
    }
}

/// Wᵀ, in a form of the same kind where there is one.
fn transpose(matrix: &Matrix) -> Result<Matrix> {
    match matrix {
        Matrix::Identity(_) | Matrix::Diagonal(_) => Ok(matrix.clone()),
        Matrix::Sparse(sparse) => Matrix::sparse(sparse.csr().transpose()),
        Matrix::LowRank(low_rank) => {
            let parts = low_rank.parts().clone();
            let (u, v) = match parts.v {
                Some(v) => (v, Some(parts.u)),
                None => (parts.u, None),
            };
            Matrix::low_rank(LowRankParts { n_rows: parts.n_cols, n_cols: parts.n_rows, u, v, ..parts })
        }
        Matrix::Binned(binned) => {
            let bins = |side| Arc::clone(binned.bins(side));
            Matrix::binned(bins(Side::Document), bins(Side::Query), transpose(binned.inner())?)
        }
        Matrix::Mixture(mixture) => {
            let parts = mixture.parts().iter().map(|(weight, part)| Ok((*weight, transpose(part)?)));
            Matrix::mixture(parts.collect::<Result<_>>()?)
        }
        Matrix::Dense(_) | Matrix::Hashed(_) => written_out(matrix),
    }
}

/// Wᵀ with all of its entries.
fn written_out(matrix: &Matrix) -> Result<Matrix> {
    let n_entries = matrix.n_rows() as u64 * matrix.n_cols() as u64;
    if n_entries > MAX_WRITTEN_OUT {
        let remedy = "expand queries, or make W sparse first";
        return Err(Error::limit("entries of a W that expands documents", MAX_WRITTEN_OUT, n_entries, remedy));
    }
    let mut rows = Csr::empty(matrix.n_rows() as u32);
    for t in 0..matrix.n_cols() as u32 {
        let pairs = (0..matrix.n_rows() as u32).map(|s| Ok((s, matrix.entry(s, t)?))).collect::<Result<_>>()?;
        rows.push(SparseVec::from_pairs(pairs)?.view())?;
    }
    Matrix::sparse(rows)
}
