//! Cross-language latent semantic indexing: a query and the document that suits it are taken for one document with words
//! of both languages, and decomposed together (Dumais et al. 1997; CL-LSI in the supervised semantic indexing paper).
//!
//! With [U; V] the right singular vectors of the joined rows, W = UᵀV: its dimensions mean the same in both languages.
//! The pairs are the distinct (query, better document) of the training tuples: mates, or linked texts.

use crate::lsi::{Lsi, LsiParams};
use crate::problem::Problem;
use crate::session::Session;
use crate::trainer::{Start, Trained};
use qwd_core::{Csr, Result, SparseVec};

/// Cross-language latent semantic indexing with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct ClLsi {
    lsi: Lsi,
}

impl ClLsi {
    /// Takes the parameters of [`Lsi`].
    pub fn new(params: LsiParams) -> Result<Self> {
        Ok(Self { lsi: params.build()? })
    }

    /// Decomposes the joined pairs of the problem.
    pub fn train(&self, problem: &Problem<'_>, start: Start<'_>, session: &Session<'_>) -> Result<Trained> {
        let n_query_words = problem.n_query_words() as u32;
        let mut joined = Csr::empty(n_query_words + problem.n_document_words() as u32);
        for (query, document) in problem.better_pairs() {
            let query = problem.queries().row(query as usize);
            let document = problem.documents().row(document as usize);
            let mut row = SparseVec::default();
            query.iter().for_each(|(i, x)| row.push_last(i, x));
            document.iter().for_each(|(i, x)| row.push_last(n_query_words + i, x));
            joined.push(row.view())?;
        }
        let svd = self.lsi.decompose(&joined, session)?;
        let rank = svd.singular_values.len();
        let mut u = svd.columns;
        let v = u.split_off((n_query_words as usize * rank).min(u.len()));
        self.lsi.finish(u, Some(v), rank, problem, start, session)
    }
}
