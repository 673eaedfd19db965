//! Query expansion by feedback (section 4 of the paper), its weight and number of documents chosen on tuples.

use crate::protocol::{MatrixScorer, rank_loss};
use qwd_core::{Error, Result, Threads};
use qwd_data::Preference;
use qwd_model::query_expansion::best_documents;
use qwd_model::{Matrix, QueryExpansion};
use qwd_train::Vectors;
use serde::Deserialize;
use std::sync::Arc;

/// What is tried: every weight with every number of documents.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::reproduce) struct FeedbackGrid {
    /// The weights of the mean. Symbol: β.
    pub(super) weights: Vec<f64>,
    /// The numbers of documents. Symbol: E.
    pub(super) documents: Vec<usize>,
}

impl FeedbackGrid {
    /// The expansion with the lowest loss on tuples, and the vectors with expanded queries. Where queries are documents, a
    /// query is not among its own best.
    pub(super) fn tuned(
        &self,
        matrix: &Matrix,
        vectors: &Vectors,
        queries_are_documents: bool,
        tuples: &[Preference],
        threads: &Threads,
    ) -> Result<(QueryExpansion, Vectors)> {
        let hidden = |query: usize, document: u32| queries_are_documents && query == document as usize;
        let most = self.documents.iter().copied().max().unwrap_or(0);
        let found = best_documents(matrix, &vectors.queries, &vectors.documents, most, hidden, threads)?;
        let mut best: Option<(f64, QueryExpansion, Vectors)> = None;
        for &documents in &self.documents {
            for &beta in &self.weights {
                let expansion = QueryExpansion { beta, documents };
                let queries = expansion.expand_by(&vectors.queries, &vectors.documents, &found)?;
                let expanded = Vectors { queries: Arc::new(queries), documents: Arc::clone(&vectors.documents) };
                let loss = rank_loss(tuples, &MatrixScorer::try_new(matrix, &expanded)?, threads)?;
                if best.as_ref().is_none_or(|(lowest, ..)| loss < *lowest) {
                    best = Some((loss, expansion, expanded));
                }
            }
        }
        let (_, expansion, expanded) = best.ok_or_else(|| Error::internal("nothing to try for feedback"))?;
        Ok((expansion, expanded))
    }
}
