//! What is to be learned: vectors of queries and documents, and which document suits a query better.

use crate::click_problem::{ClickProblem, response_of_triples};
use qwd_core::{Csr, Error, Result, SparseVec, SparseView};
use qwd_data::Preference;
use std::borrow::Cow;

/// Queries and documents as rows of two matrices, and preferences between them in the order of training.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    queries: &'a Csr,
    documents: &'a Csr,
    preferences: &'a [Preference],
    candidates: Option<&'a [u32]>,
    response: Option<&'a Csr>,
}

impl<'a> Problem<'a> {
    /// Checks that every preference names rows that exist and has a finite positive weight.
    pub fn try_new(queries: &'a Csr, documents: &'a Csr, preferences: &'a [Preference]) -> Result<Self> {
        if queries.n_cols() == 0 || documents.n_cols() == 0 {
            return Err(Error::bad_data("the vocabulary is empty", "give more text or a larger vocabulary"));
        }
        for (i, p) in preferences.iter().enumerate() {
            let known = (p.query as usize) < queries.n_rows()
                && (p.better as usize) < documents.n_rows()
                && (p.worse as usize) < documents.n_rows();
            if !known {
                return Err(Error::bad_data(
                    format!("preference {} names a query or document that does not exist", i + 1),
                    "number queries and documents by the rows of their matrices",
                ));
            }
            if !(p.weight.is_finite() && p.weight > 0.0) {
                return Err(Error::bad_data(
                    format!("preference {} has weight {}", i + 1, p.weight),
                    "give a finite weight above 0",
                ));
            }
        }
        Ok(Self { queries, documents, preferences, candidates: None, response: None })
    }

    /// Names the documents that may be looked at besides those of the preferences: as worse ones, or to see which words
    /// go together.
    pub fn with_candidates(mut self, candidates: &'a [u32]) -> Result<Self> {
        if candidates.iter().any(|&row| row as usize >= self.documents.n_rows()) {
            return Err(Error::bad_data("a candidate is no row of the documents", "number them by their rows"));
        }
        self.candidates = Some(candidates);
        Ok(self)
    }

    /// Adds how strongly queries answer to documents, for methods that learn from that: as many rows as queries, as many
    /// columns as documents.
    pub fn with_response(mut self, response: &'a Csr) -> Result<Self> {
        ClickProblem::try_new(self.queries, self.documents, response)?;
        self.response = Some(response);
        Ok(self)
    }

    /// How strongly queries answer to documents: as given, else the summed weights of the preferences that call a document
    /// the better one.
    pub fn response(&self) -> Result<Cow<'a, Csr>> {
        if let Some(response) = self.response {
            return Ok(Cow::Borrowed(response));
        }
        let better = self.preferences.iter().map(|p| (p.query, p.better, p.weight)).collect();
        response_of_triples(better, self.queries.n_rows(), self.documents.n_rows()).map(Cow::Owned)
    }

    /// The documents that may be looked at: the named ones, or those that preferences name; in order, each once.
    pub fn candidates(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = match self.candidates {
            Some(candidates) => candidates.to_vec(),
            None => self.preferences.iter().flat_map(|p| [p.better, p.worse]).collect(),
        };
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// The pairs of a query and a document that some preference calls the better one, in order, each once.
    pub fn better_pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs: Vec<(u32, u32)> = self.preferences.iter().map(|p| (p.query, p.better)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The query vectors.
    pub fn queries(&self) -> &'a Csr {
        self.queries
    }

    /// The document vectors.
    pub fn documents(&self) -> &'a Csr {
        self.documents
    }

    /// The number of query words (rows of W).
    pub fn n_query_words(&self) -> usize {
        self.queries.n_cols() as usize
    }

    /// The number of document words (columns of W).
    pub fn n_document_words(&self) -> usize {
        self.documents.n_cols() as usize
    }

    /// The preferences in order.
    pub fn preferences(&self) -> &'a [Preference] {
        self.preferences
    }

    /// The same data with other preferences.
    pub fn with_preferences(&self, preferences: &'a [Preference]) -> Result<Self> {
        let other = Self::try_new(self.queries, self.documents, preferences)?;
        Ok(Self { candidates: self.candidates, response: self.response, ..other })
    }

    /// The query vector q of a preference.
    pub fn query(&self, p: &Preference) -> SparseView<'a> {
        self.queries.row(p.query as usize)
    }

    /// Writes d⁺ − d⁻ of a preference into `out`.
    pub fn difference(&self, p: &Preference, out: &mut SparseVec) {
        self.documents.row(p.better as usize).minus_into(self.documents.row(p.worse as usize), out);
    }
}
