//! Documents and queries as other engines read them, so that a learned W serves where there is an engine already.
//!
//! | module | engine | weights below 0 |
//! |---|---|---|
//! | `elasticsearch` | Elasticsearch `sparse_vector`, OpenSearch `rank_features`: bulk lines | left out, and the loss told |
//! | `qdrant` | Qdrant sparse vectors: points | kept |
//! | `pgvector` | PostgreSQL with pgvector's `sparsevec`: SQL | kept |
//! | `anserini` | Lucene by Anserini's JSON vectors: whole hundredths | left out, and the loss told |
//! | [`synonyms`](mod@synonyms) | Lucene, Solr, Elasticsearch: a file of synonyms | left out |
//!
//! With documents expanded (Wd) queries stay as they are typed; with queries expanded (qᵀW) documents do. Both give the
//! ranking of qᵀWd where weights below 0 are kept. docs/engines.md shows how each engine takes the files.

mod anserini;
mod elasticsearch;
mod pgvector;
mod qdrant;
pub mod synonyms;

use crate::matching::{Expand, Matching, prune};
use qwd_core::{Error, Result, SparseVec};
use qwd_data::Document;
use qwd_model::{Model, Side};
use serde::Serialize;
use std::sync::Arc;

pub use synonyms::{SynonymParams, synonyms};

/// An engine that reads what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Elasticsearch, with a field of the type `sparse_vector`.
    Elasticsearch,
    /// OpenSearch, with a field of the type `rank_features`.
    Opensearch,
    /// Qdrant, with a sparse vector named `words`.
    Qdrant,
    /// PostgreSQL with the extension `vector`, with a column of the type `sparsevec`.
    Pgvector,
    /// Lucene, by way of Anserini's collections of JSON vectors.
    Anserini,
}

impl Engine {
    /// Whether the engine takes weights below 0.
    pub fn keeps_signs(self) -> bool {
        matches!(self, Self::Qdrant | Self::Pgvector)
    }
}

/// What an export left out: mean shares of the squared weights of a vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Loss {
    /// Vectors that were written.
    pub n_vectors: u64,
    /// Weights below 0 that were left out.
    pub n_negative: u64,
    /// Their mean share.
    pub negative: f64,
    /// The mean share of what pruning left out.
    pub pruned: f64,
}

impl Loss {
    fn add(&mut self, n_negative: u64, negative: f64, pruned: f64) {
        self.n_vectors += 1;
        let n = self.n_vectors as f64;
        self.n_negative += n_negative;
        self.negative += (negative - self.negative) / n;
        self.pruned += (pruned - self.pruned) / n;
    }
}

/// A vector with the words of its terms.
struct Words<'a> {
    model: &'a Model,
    side: Side,
    vector: SparseVec,
}

impl Words<'_> {
    fn iter(&self) -> impl Iterator<Item = (&str, f32)> {
        let vocabulary = self.model.vectorizer(self.side).map(|v| v.vocabulary());
        self.vector.view().iter().filter_map(move |(term, weight)| Some((vocabulary?.word(term), weight)))
    }

    /// The number of terms that a vector could have.
    fn n_terms(&self) -> usize {
        self.model.matrix().n_terms(self.side)
    }
}

/// Writes documents and queries for one engine.
#[derive(Debug)]
pub struct Exporter {
    engine: Engine,
    matching: Matching,
    expand: Expand,
    prune: Option<usize>,
    n_documents: u64,
    /// What documents lost.
    pub of_documents: Loss,
    /// What queries lost.
    pub of_queries: Loss,
}

impl Exporter {
    /// Prepares an export; `prune` keeps the strongest terms of each expanded text.
    pub fn new(model: Arc<Model>, engine: Engine, expand: Expand, prune: Option<usize>) -> Result<Self> {
        if prune == Some(0) {
            return Err(Error::param("prune", 0, "at least 1 term"));
        }
        let mut matching = Matching::new(model, expand, prune);
        matching.prepare_documents()?;
        let (of_documents, of_queries) = Default::default();
        Ok(Self { engine, matching, expand, prune, n_documents: 0, of_documents, of_queries })
    }

    /// What stands before the documents.
    pub fn head(&self, out: &mut String) {
        if self.engine == Engine::Pgvector {
            pgvector::head(self.model().matrix().n_terms(self.side()), out);
        }
    }

    /// What stands after the documents.
    pub fn tail(&self, out: &mut String) {
        if self.engine == Engine::Pgvector {
            pgvector::tail(out);
        }
    }

    /// Writes a document.
    pub fn document(&mut self, document: &Document, out: &mut String) -> Result<()> {
        let d = self.model().vector(Side::Document, &document.full_text())?;
        let (vector, pruned) = match self.matching.has_values() {
            true => self.matching.expand_document(d.view())?,
            false => (d, 0.0),
        };
        let (vector, n_negative, negative) = self.fit(vector);
        self.of_documents.add(n_negative, negative, pruned);
        let words = Words { model: self.matching.model(), side: self.side(), vector };
        let number = self.n_documents;
        self.n_documents += 1;
        match self.engine {
            Engine::Elasticsearch | Engine::Opensearch => elasticsearch::document(document, &words, out),
            Engine::Qdrant => qdrant::document(document, number, &words, out),
            Engine::Pgvector => pgvector::document(document, number, &words, out),
            Engine::Anserini => anserini::document(document, &words, out),
        }
    }

    /// Writes a query for the best `k`.
    pub fn query(&mut self, id: &str, text: &str, k: usize, out: &mut String) -> Result<()> {
        let q = self.model().vector(Side::Query, text)?;
        let (vector, pruned) = match self.expand {
            Expand::Queries => prune(self.model().matrix().expand(q.view())?, self.prune),
            Expand::Documents => (q, 0.0),
        };
        let (vector, n_negative, negative) = self.fit(vector);
        self.of_queries.add(n_negative, negative, pruned);
        let words = Words { model: self.matching.model(), side: self.side(), vector };
        match self.engine {
            Engine::Elasticsearch => elasticsearch::query(id, k, &words, out),
            Engine::Opensearch => elasticsearch::opensearch_query(id, k, &words, out),
            Engine::Qdrant => qdrant::query(id, k, &words, out),
            Engine::Pgvector => pgvector::query(id, k, &words, out),
            Engine::Anserini => anserini::query(id, &words, out),
        }
    }

    fn model(&self) -> &Model {
        self.matching.model()
    }

    /// The side whose words both documents and queries have in the engine.
    fn side(&self) -> Side {
        match self.matching.has_values() {
            true => Side::Query,
            false => Side::Document,
        }
    }

    /// The vector as the engine takes it, how many weights below 0 that left out, and their share.
    fn fit(&self, vector: SparseVec) -> (SparseVec, u64, f64) {
        if self.engine.keeps_signs() {
            return (vector, 0, 0.0);
        }
        let (mut kept, mut n_negative, mut lost, mut all) = (SparseVec::default(), 0, 0.0, 0.0);
        for (term, weight) in vector.view().iter() {
            let square = f64::from(weight).powi(2);
            all += square;
            if weight > 0.0 {
                kept.push_last(term, weight);
            } else if weight < 0.0 {
                n_negative += 1;
                lost += square;
            }
        }
        (kept, n_negative, if all > 0.0 { lost / all } else { 0.0 })
    }
}

/// A value as JSON.
fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::internal(format!("an export that is no JSON: {e}")))
}
