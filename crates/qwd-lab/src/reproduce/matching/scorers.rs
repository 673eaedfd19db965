//! What scores a query's documents, where it is no single W.

use crate::click_graph::ClickGraph;
use crate::field_features::Field;
use crate::protocol::Scorer;
use qwd_core::{Csr, Result, SparseView, Threads};
use qwd_data::Dataset;
use qwd_model::random_walk::{RandomWalk, RandomWalkParams};
use qwd_text::{AnalyzerParams, BagOfWords};
use qwd_train::TruncatedSvd;
use qwd_train::bltm::Bltm;
use qwd_train::latent_rows::LatentRows;
use qwd_train::vectors::document_text;
use std::borrow::Cow;
use std::sync::Arc;

/// BM25 with its usual parameters, over all that a document says.
pub(super) struct Bm25Scorer {
    field: Field,
    queries: Vec<BagOfWords>,
}

impl Bm25Scorer {
    pub(super) fn count(dataset: &Dataset, threads: &Threads) -> Result<Self> {
        let texts: Vec<Cow<'_, str>> = dataset.documents.iter().map(document_text).collect();
        let field = Field::count(&texts, &AnalyzerParams::default(), threads)?;
        let queries = match dataset.queries_are_documents() {
            true => threads.map(texts.len(), |row| field.query(&texts[row])),
            false => threads.map(dataset.queries.len(), |row| field.query(&dataset.queries[row].text)),
        };
        Ok(Self { field, queries })
    }
}

impl Scorer for Bm25Scorer {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        let bag = &self.queries[query as usize];
        Ok(documents.iter().map(|&row| self.field.bm25(bag, row as usize)).collect())
    }
}

/// Rows of both sides, mapped into a common space and multiplied there.
pub(super) struct LatentScorer {
    queries: Arc<Csr>,
    documents: Arc<Csr>,
    query_rows: Arc<LatentRows>,
    document_rows: Arc<LatentRows>,
}

impl LatentScorer {
    pub(super) fn new(graph: &ClickGraph, query_rows: Arc<LatentRows>, document_rows: Arc<LatentRows>) -> Self {
        let (queries, documents) = (Arc::clone(&graph.queries), Arc::clone(&graph.documents));
        Self { queries, documents, query_rows, document_rows }
    }
}

impl Scorer for LatentScorer {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        let image = |rows: &LatentRows, x: SparseView<'_>| {
            let mut image = vec![0.0; rows.width()];
            rows.add(x, &mut image);
            image
        };
        let asked = image(&self.query_rows, self.queries.row(query as usize));
        let score = |&row: &u32| {
            let told = image(&self.document_rows, self.documents.row(row as usize));
            asked.iter().zip(&told).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>() as f32
        };
        Ok(documents.iter().map(score).collect())
    }
}

/// Queries and documents with places of their own: one decomposed matrix.
pub(super) struct PlacedScorer {
    svd: TruncatedSvd,
}

impl PlacedScorer {
    pub(super) fn new(svd: TruncatedSvd) -> Self {
        Self { svd }
    }
}

impl Scorer for PlacedScorer {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        let TruncatedSvd { singular_values, rows, columns } = &self.svd;
        let width = singular_values.len();
        let place = |table: &'_ [f32], row: u32| table[row as usize * width..(row as usize + 1) * width].to_vec();
        let asked = place(rows, query);
        let score = |&document: &u32| {
            let told = place(columns, document);
            let products = asked.iter().zip(&told).map(|(a, b)| f64::from(*a) * f64::from(*b));
            products.zip(singular_values).map(|(product, value)| product * value).sum::<f64>() as f32
        };
        Ok(documents.iter().map(score).collect())
    }
}

/// A walk on the click graph.
pub(super) struct WalkScorer {
    walk: RandomWalk,
}

impl WalkScorer {
    pub(super) fn new(response: &Csr, params: RandomWalkParams) -> Result<Self> {
        Ok(Self { walk: RandomWalk::new(response, params)? })
    }
}

impl Scorer for WalkScorer {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        let reached = self.walk.scores(query as usize)?;
        let reached = reached.view();
        let score = |row: &u32| reached.indices().binary_search(row).map_or(0.0, |at| reached.values()[at]);
        Ok(documents.iter().map(score).collect())
    }
}

/// A query's words by the topics of documents.
pub(super) struct TopicScorer {
    queries: Arc<Csr>,
    documents: Arc<Csr>,
    model: Bltm,
}

impl TopicScorer {
    pub(super) fn new(graph: &ClickGraph, model: Bltm) -> Self {
        Self { queries: Arc::clone(&graph.queries), documents: Arc::clone(&graph.documents), model }
    }
}

impl Scorer for TopicScorer {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        let asked = self.queries.row(query as usize);
        let score = |&row: &u32| {
            let topics = self.model.topics_of_document(self.documents.row(row as usize));
            self.model.score(asked, &topics) as f32
        };
        Ok(documents.iter().map(score).collect())
    }
}
