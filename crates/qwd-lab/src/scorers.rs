//! What scores a query's documents without being a W: BM25, the random walk, topics, places of queries and documents.

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
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// BM25 with its usual parameters, over all that a document says.
pub struct Bm25Scorer {
    field: Field,
    queries: Vec<BagOfWords>,
}

impl Bm25Scorer {
    /// Counts the words of a data set.
    pub fn count(dataset: &Dataset, threads: &Threads) -> Result<Self> {
        let texts: Vec<Cow<'_, str>> = dataset.documents.iter().map(qwd_data::Document::full_text).collect();
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
pub struct LatentScorer {
    queries: Arc<Csr>,
    documents: Arc<Csr>,
    query_rows: Arc<LatentRows>,
    document_rows: Arc<LatentRows>,
    /// The images of the documents that were asked about.
    images: Vec<OnceLock<Vec<f32>>>,
}

impl LatentScorer {
    /// Takes the rows that map the features of both sides.
    pub fn new(graph: &ClickGraph, query_rows: Arc<LatentRows>, document_rows: Arc<LatentRows>) -> Self {
        let (queries, documents) = (Arc::clone(&graph.queries), Arc::clone(&graph.documents));
        let images = vec![OnceLock::new(); documents.n_rows()];
        Self { queries, documents, query_rows, document_rows, images }
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
            let row = row as usize;
            let told = self.images[row].get_or_init(|| image(&self.document_rows, self.documents.row(row)));
            asked.iter().zip(told).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>() as f32
        };
        Ok(documents.iter().map(score).collect())
    }
}

/// Queries and documents with places of their own: one decomposed matrix.
pub struct PlacedScorer {
    svd: TruncatedSvd,
}

impl PlacedScorer {
    /// Takes a decomposition of queries by documents.
    pub fn new(svd: TruncatedSvd) -> Self {
        Self { svd }
    }
}

impl Scorer for PlacedScorer {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        let TruncatedSvd { singular_values, rows, columns } = &self.svd;
        let width = singular_values.len();
        let asked = &rows[query as usize * width..][..width];
        let score = |&document: &u32| {
            let told = &columns[document as usize * width..][..width];
            let products = asked.iter().zip(told).map(|(a, b)| f64::from(*a) * f64::from(*b));
            products.zip(singular_values).map(|(product, value)| product * value).sum::<f64>() as f32
        };
        Ok(documents.iter().map(score).collect())
    }
}

/// A walk on the click graph.
pub struct WalkScorer {
    walk: RandomWalk,
}

impl WalkScorer {
    /// Takes clicks, queries by documents.
    pub fn new(response: &Csr, params: RandomWalkParams) -> Result<Self> {
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
pub struct TopicScorer {
    queries: Arc<Csr>,
    documents: Arc<Csr>,
    model: Bltm,
    /// The topics of the documents that were asked about.
    topics: Vec<OnceLock<Vec<f32>>>,
}

impl TopicScorer {
    /// Takes a topic model of the graph's words.
    pub fn new(graph: &ClickGraph, model: Bltm) -> Self {
        let topics = vec![OnceLock::new(); graph.documents.n_rows()];
        Self { queries: Arc::clone(&graph.queries), documents: Arc::clone(&graph.documents), model, topics }
    }
}

impl Scorer for TopicScorer {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        let asked = self.queries.row(query as usize);
        let score = |&row: &u32| {
            let row = row as usize;
            let topics = self.topics[row].get_or_init(|| self.model.topics_of_document(self.documents.row(row)));
            self.model.score(asked, topics) as f32
        };
        Ok(documents.iter().map(score).collect())
    }
}
