//! A matrix, the vocabularies of its two sides, and where it comes from: all that scoring text needs.

use crate::matrix::{Matrix, Side};
use crate::provenance::Provenance;
use crate::state::TrainingState;
use qwd_core::SparseVec;
use qwd_core::error::{Error, Result};
use qwd_text::Vectorizer;
use serde::Serialize;

/// A learned match between queries and documents.
#[derive(Debug, Clone)]
pub struct Model {
    matrix: Matrix,
    query_side: Option<Vectorizer>,
    document_side: Option<Vectorizer>,
    provenance: Provenance,
    state: Option<TrainingState>,
}

/// What a pair of words gives to a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WordReason {
    /// The word of the query.
    pub query: String,
    /// The word of the document.
    pub document: String,
    /// Its part of the score.
    pub value: f32,
}

/// A word and its weight in W with another one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelatedWord {
    /// The word, of the side opposite to the one asked about.
    pub word: String,
    /// The entry of W.
    pub weight: f32,
}

impl Model {
    /// A model over vectors, without vocabularies.
    pub fn new(matrix: Matrix, provenance: Provenance) -> Self {
        Self { matrix, query_side: None, document_side: None, provenance, state: None }
    }

    /// Adds how texts become vectors on each side; vectorizers that share a vocabulary share it in the file too.
    pub fn with_vectorizers(mut self, query: Option<Vectorizer>, document: Option<Vectorizer>) -> Result<Self> {
        for (side, vectorizer) in [(Side::Query, &query), (Side::Document, &document)] {
            let n_terms = self.matrix.n_terms(side);
            if let Some(v) = vectorizer.as_ref().filter(|v| v.vocabulary().len() != n_terms) {
                let n_words = v.vocabulary().len();
                let what = format!("a vocabulary of {n_words} words for {n_terms} {} terms", side.name());
                return Err(Error::bad_data(what, "use the vocabulary that the matrix was trained with"));
            }
        }
        self.query_side = query;
        self.document_side = document;
        Ok(self)
    }

    /// A model with another matrix over the same vocabularies.
    pub fn with_matrix(&self, matrix: Matrix, provenance: Provenance) -> Result<Self> {
        Self::new(matrix, provenance).with_vectorizers(self.query_side.clone(), self.document_side.clone())
    }

    /// Adds what training needs to go on.
    pub fn with_state(mut self, state: TrainingState) -> Result<Self> {
        state.check(&self.matrix)?;
        self.state = Some(state);
        Ok(self)
    }

    /// Drops what only training needs.
    pub fn without_state(mut self) -> Self {
        self.state = None;
        self
    }

    /// The matrix W.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// How texts of a side become vectors, if the model has a vocabulary for it.
    pub fn vectorizer(&self, side: Side) -> Option<&Vectorizer> {
        match side {
            Side::Query => self.query_side.as_ref(),
            Side::Document => self.document_side.as_ref(),
        }
    }

    /// Where the model comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// What training needs to go on, if it was kept.
    pub fn state(&self) -> Option<&TrainingState> {
        self.state.as_ref()
    }

    /// The vector of a text on a side; unknown words are ignored.
    pub fn vector(&self, side: Side, text: &str) -> Result<SparseVec> {
        Ok(self.needed_vectorizer(side)?.vector(text))
    }

    /// The score of a query and a document.
    pub fn score_text(&self, query: &str, document: &str) -> Result<f64> {
        let (q, d) = (self.vector(Side::Query, query)?, self.vector(Side::Document, document)?);
        self.matrix.score(q.view(), d.view())
    }

    /// The score as a sum over pairs of words, largest absolute value first.
    pub fn explain_text(&self, query: &str, document: &str) -> Result<Vec<WordReason>> {
        let (q, d) = (self.vector(Side::Query, query)?, self.vector(Side::Document, document)?);
        let reasons = self.matrix.explain(q.view(), d.view())?;
        let (queries, documents) = (self.needed_vectorizer(Side::Query)?, self.needed_vectorizer(Side::Document)?);
        let of_words = reasons.iter().map(|r| WordReason {
            query: queries.vocabulary().word(r.query).to_string(),
            document: documents.vocabulary().word(r.document).to_string(),
            value: r.value,
        });
        Ok(of_words.collect())
    }

    /// The `k` words of the other side with the strongest weights to `word`, largest absolute weight first.
    pub fn related(&self, side: Side, word: &str, k: usize) -> Result<Vec<RelatedWord>> {
        let other = match side {
            Side::Query => self.needed_vectorizer(Side::Document)?,
            Side::Document => self.needed_vectorizer(Side::Query)?,
        };
        let partners = self.matrix.related(side, self.term(side, word)?, k)?;
        let name = |term| other.vocabulary().word(term).to_string();
        Ok(partners.iter().map(|p| RelatedWord { word: name(p.term), weight: p.weight }).collect())
    }

    /// The number of a word: as it stands, or as the analyzer makes it (lower case, stemmed).
    pub fn term(&self, side: Side, word: &str) -> Result<u32> {
        let vectorizer = self.needed_vectorizer(side)?;
        let analyzed = || match vectorizer.analyzer().terms(word).as_slice() {
            [term] => vectorizer.vocabulary().get(term),
            _ => None,
        };
        vectorizer.vocabulary().get(word).or_else(analyzed).ok_or_else(|| {
            let what = format!("the model knows no {} word {word:?}", side.name());
            Error::bad_data(what, "give a word of its vocabulary")
        })
    }

    fn needed_vectorizer(&self, side: Side) -> Result<&Vectorizer> {
        self.vectorizer(side).ok_or_else(|| {
            let what = format!("the model has no vocabulary for {} words", side.name());
            Error::bad_data(what, "give it vectors, or train a model from text")
        })
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
