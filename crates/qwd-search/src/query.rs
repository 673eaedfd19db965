//! What is asked and what is answered.

use crate::evaluate::Strategy;
use crate::filter::Filter;
use crate::snippet::Snippet;
use crate::spelling::Correction;
use qwd_data::Document;
use qwd_model::WordReason;
use serde::Serialize;

/// A query and what is wanted of its answer.
#[derive(Debug, Clone)]
pub struct Query {
    /// The words.
    pub text: String,
    /// Whether a part in double quotes is a phrase that documents must hold; texts of documents quote for other reasons.
    pub phrases: bool,
    /// How many documents are wanted.
    pub k: usize,
    /// Which documents may be found.
    pub filter: Option<Filter>,
    /// Whether hits come with the word pairs that made their scores.
    pub explain: bool,
    /// Whether hits come with their documents.
    pub documents: bool,
    /// Whether hits come with a passage of their texts.
    pub snippets: bool,
    /// Whether words that the model does not know are replaced by near ones.
    pub correct_spelling: bool,
    /// Whether documents whose score is 0 or less are hits, too: those that share nothing with the query, and those that it
    /// speaks against.
    pub all: bool,
    /// How many terms of the expanded query are kept, if not as the index says.
    pub prune: Option<usize>,
    /// How the best are found.
    pub strategy: Strategy,
    /// Look at so many groups of documents of a latent space only: faster, and no longer exact. Without it, or where the
    /// index has no groups (a build without the feature `approximate`, or few documents), the answer is exact.
    pub groups: Option<usize>,
}

impl Query {
    /// A query for the best ten.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            phrases: true,
            k: 10,
            filter: None,
            explain: false,
            documents: false,
            snippets: false,
            correct_spelling: false,
            all: false,
            prune: None,
            strategy: Strategy::Auto,
            groups: None,
        }
    }

    /// Asks for the best `k`.
    pub fn top(mut self, k: usize) -> Self {
        self.k = k;
        self
    }

    /// Asks for reasons.
    pub fn explained(mut self) -> Self {
        self.explain = true;
        self
    }

    /// Asks for documents and passages.
    pub fn with_documents(mut self) -> Self {
        self.documents = true;
        self.snippets = true;
        self
    }

    /// Asks only among some documents.
    pub fn among(mut self, filter: Filter) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Replaces unknown words by near ones.
    pub fn correcting_spelling(mut self) -> Self {
        self.correct_spelling = true;
        self
    }
}

/// The answer to a query.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Answer {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Words of the query that the model does not know.
    pub unknown_words: Vec<String>,
    /// The words that took the place of unknown ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
    /// The share of the expanded query's squared weights that pruning left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost: f64,
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

/// A document that was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Hit {
    /// The document's id.
    pub id: String,
    /// Its number in the snapshot.
    #[serde(skip)]
    pub number: u32,
    /// Its score.
    pub score: f32,
    /// The word pairs that made the score, the strongest first; their values add up to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Vec<WordReason>>,
    /// A passage of the text, with the words that speak for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Snippet>,
    /// The document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Document>,
}
