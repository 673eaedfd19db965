//! Whatever scores documents for a query.

use qwd_core::kernel::gather_dot;
use qwd_core::{Error, Result};
use qwd_model::{Matrix, Side};
use qwd_train::Vectors;

/// Scores documents for a query, all by their rows.
pub trait Scorer: Sync {
    /// Returns one score for each of the documents.
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>>;
}

impl<F: Fn(u32, &[u32]) -> Result<Vec<f32>> + Sync> Scorer for F {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        self(query, documents)
    }
}

/// A W and the vectors that it matches.
#[derive(Debug, Clone, Copy)]
pub struct MatrixScorer<'a> {
    matrix: &'a Matrix,
    vectors: &'a Vectors,
}

impl<'a> MatrixScorer<'a> {
    /// Checks that the vectors fit W.
    pub fn try_new(matrix: &'a Matrix, vectors: &'a Vectors) -> Result<Self> {
        let (rows, cols) = (vectors.queries.n_cols() as usize, vectors.documents.n_cols() as usize);
        if (rows, cols) != (matrix.n_terms(Side::Query), matrix.n_terms(Side::Document)) {
            let (n, m) = (matrix.n_rows(), matrix.n_cols());
            let what = format!("vectors of {rows} and {cols} terms for a W of {n} and {m}");
            return Err(Error::bad_data(what, "make the vectors with the model's own vocabulary"));
        }
        Ok(Self { matrix, vectors })
    }
}

impl MatrixScorer<'_> {
    /// Whether it costs less to project the documents into the latent space than to expand the query to all words.
    fn projects(&self, documents: &[u32]) -> bool {
        let words = |&row: &u32| self.vectors.documents.row(row as usize).len();
        matches!(self.matrix, Matrix::LowRank(_)) && documents.iter().map(words).sum::<usize>() < self.matrix.n_cols()
    }
}

impl Scorer for MatrixScorer<'_> {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        if self.projects(documents) {
            let q = self.vectors.queries.row(query as usize);
            let score = |&row: &u32| Ok(self.matrix.score(q, self.vectors.documents.row(row as usize))? as f32);
            return documents.iter().map(score).collect();
        }
        let mut expanded = vec![0.0; self.matrix.n_cols()];
        self.matrix.expand_into(self.vectors.queries.row(query as usize), &mut expanded)?;
        let score = |&row: &u32| gather_dot(self.vectors.documents.row(row as usize), &expanded);
        Ok(documents.iter().map(score).collect())
    }
}
