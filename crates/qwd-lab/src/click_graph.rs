//! The click graph with features on both sides (the RMLS paper, section 6): queries X, documents Y and the response R.
//!
//! A query's row has the words of its text as tf-idf, then the documents that were clicked for it; a document's row has the
//! words of title, text and address, then the queries that led to it. Each of the two blocks has unit length times its
//! weight, so that neither drowns the other whatever the number of clicks. Words are shared; click features differ, so the two
//! sides have different sizes. In the vocabularies click features follow the words as `doc:ID` and `query:ID`.
//!
//! Cost: a pass over texts and clicks; memory of the three matrices and both vocabularies.

use qwd_core::parameters::not_negative;
use qwd_core::{Csr, Error, Result, SparseVec, SparseView, Threads, parameters};
use qwd_data::{Click, Dataset, ResponseKind, ResponseParams};
use qwd_model::Side;
use qwd_text::vocabulary::VocabularyParts;
use qwd_text::{Vectorizer, Vocabulary, VocabularyParams};
use qwd_train::{ClickProblem, TextParams};
use serde::Serialize;
use std::borrow::Cow;
use std::sync::Arc;

parameters! {
    /// How clicks and texts become a graph.
    pub struct ClickGraphParams {
        /// How texts become vectors of words.
        pub text: TextParams = TextParams { vocabulary: VocabularyParams::default(), ..TextParams::default() },
        /// What R holds.
        pub response: ResponseParams = ResponseParams::default(),
        /// What click features hold before they are brought to unit length: `clicks`, `log-clicks` or `rate`.
        pub click_features: ResponseKind = ResponseKind::Clicks,
        /// The weight of the words, at least 0.
        pub words: f64 = 1.0,
        /// The weight of the click features, at least 0; at 0 there are none.
        pub clicks: f64 = 1.0,
    }
}

/// Queries, documents and how often the ones led to the others.
#[derive(Debug, Clone)]
pub struct ClickGraph {
    /// X: a row for every query.
    pub queries: Arc<Csr>,
    /// Y: a row for every document.
    pub documents: Arc<Csr>,
    /// R: queries × documents, above 0.
    pub response: Csr,
    /// How a query's text becomes the words of its row; the vocabulary has all its features.
    pub query_side: Vectorizer,
    /// The same for documents.
    pub document_side: Vectorizer,
    n_words: u32,
    params: ClickGraphParams,
}

/// The sizes of a graph, by the names of the paper's Table 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GraphStatistics {
    /// Queries.
    pub n_queries: usize,
    /// Documents.
    pub n_documents: usize,
    /// Different words.
    pub n_words: usize,
    /// Features of queries.
    pub d_x: usize,
    /// Features of documents.
    pub d_y: usize,
    /// Features of a query, in the mean.
    pub c_x: f64,
    /// Features of a document, in the mean.
    pub c_y: f64,
    /// Clicked documents of a query, in the mean.
    pub n_y: f64,
    /// Queries that led to a document, in the mean.
    pub n_x: f64,
    /// Queries with a feature, in the mean.
    pub queries_of_feature: f64,
    /// Documents with a feature, in the mean.
    pub documents_of_feature: f64,
}

impl ClickGraph {
    /// Makes the graph of a data set's texts and some of its clicks.
    ///
    /// The texts of all queries and documents count for the vocabulary: they are there without their clicks. A query or
    /// document that is in a clicked pair must have a feature.
    pub fn build(dataset: &Dataset, clicks: &[Click], params: &ClickGraphParams, threads: &Threads) -> Result<Self> {
        params.check()?;
        let (n_queries, n_documents) = (Self::n_queries(dataset), dataset.documents.len());
        let response = params.response.matrix(clicks, n_queries, n_documents)?;
        let features = ResponseParams { kind: params.click_features, ..ResponseParams::default() };
        let clicked = features.matrix(clicks, n_queries, n_documents)?;
        let led = clicked.transpose();
        let texts: Vec<Cow<'_, str>> = dataset.documents.iter().map(qwd_data::Document::full_text).collect();
        let asked: Vec<&str> = match dataset.queries_are_documents() {
            true => texts.iter().map(AsRef::as_ref).collect(),
            false => dataset.queries.iter().map(|query| query.text.as_str()).collect(),
        };
        let [query, document] = params.text.sides()?;
        let own = if dataset.queries_are_documents() { &[][..] } else { &asked[..] };
        let all = texts.iter().map(AsRef::as_ref).chain(own.iter().copied());
        let words = document.fit(&params.text.vocabulary, all, threads)?;
        let words = words.vocabulary();
        let has_clicks = params.clicks > 0.0;
        let query_ids = if dataset.queries_are_documents() { &dataset.document_ids } else { &dataset.query_ids };
        let query_terms = extended(words, has_clicks, "doc:", dataset.document_ids.names(), &led)?;
        let document_terms = extended(words, has_clicks, "query:", query_ids.names(), &clicked)?;
        let query_side = Vectorizer::from_parts(query, Arc::new(query_terms))?;
        let document_side = Vectorizer::from_parts(document, Arc::new(document_terms))?;
        let graph = Self {
            queries: Arc::new(rows(&query_side, &asked, &clicked, words.len(), params, threads)?),
            documents: Arc::new(rows(&document_side, &texts, &led, words.len(), params, threads)?),
            response,
            query_side,
            document_side,
            n_words: words.len() as u32,
            params: params.clone(),
        };
        graph.check_features("query", &graph.queries, &clicked, |row| query_ids.name(row))?;
        graph.check_features("document", &graph.documents, &led, |row| dataset.document_ids.name(row))?;
        Ok(graph)
    }

    fn n_queries(dataset: &Dataset) -> usize {
        if dataset.queries_are_documents() { dataset.documents.len() } else { dataset.queries.len() }
    }

    fn check_features<'a>(&self, kind: &str, rows: &Csr, links: &Csr, name: impl Fn(u32) -> &'a str) -> Result<()> {
        let bare = (0..rows.n_rows()).find(|&row| rows.row(row).is_empty() && !links.row(row).is_empty());
        match bare {
            None => Ok(()),
            Some(row) => {
                let what =
                    format!("{kind} {:?} has clicks but no features: none of its words is known", name(row as u32));
                Err(Error::bad_data(what, "give it a text, keep more words, or give click features a weight"))
            }
        }
    }

    /// What matching methods learn from.
    pub fn problem(&self) -> Result<ClickProblem<'_>> {
        ClickProblem::try_new(&self.queries, &self.documents, &self.response)
    }

    /// The number of words; features from there on are clicks.
    pub fn n_words(&self) -> u32 {
        self.n_words
    }

    /// Returns the row of a query that was not there: of its words and of the documents clicked for it, if any.
    pub fn new_query(&self, text: &str, clicked: &[(u32, f32)]) -> Result<SparseVec> {
        self.new_row(Side::Query, text, clicked)
    }

    /// Returns the row of a document that was not there: of its words and of the queries that led to it, if any.
    pub fn new_document(&self, text: &str, led: &[(u32, f32)]) -> Result<SparseVec> {
        self.new_row(Side::Document, text, led)
    }

    fn new_row(&self, side: Side, text: &str, links: &[(u32, f32)]) -> Result<SparseVec> {
        let vectorizer = if side == Side::Query { &self.query_side } else { &self.document_side };
        let n = vectorizer.vocabulary().len() as u32 - self.n_words;
        let known = links.iter().copied().filter(|&(row, _)| row < n).collect();
        let links = SparseVec::from_pairs(known)?;
        Ok(joined(vectorizer.vector(text), links.view(), self.n_words, &self.params))
    }

    /// The sizes of the graph.
    pub fn statistics(&self) -> GraphStatistics {
        let mean = |sum: usize, n: usize| sum as f64 / n.max(1) as f64;
        let used = |rows: &Csr| {
            let mut used = vec![false; rows.n_cols() as usize];
            rows.parts().1.iter().for_each(|&column| used[column as usize] = true);
            used.iter().filter(|used| **used).count()
        };
        let (x, y, r) = (&self.queries, &self.documents, &self.response);
        GraphStatistics {
            n_queries: x.n_rows(),
            n_documents: y.n_rows(),
            n_words: self.n_words as usize,
            d_x: x.n_cols() as usize,
            d_y: y.n_cols() as usize,
            c_x: mean(x.nnz(), x.n_rows()),
            c_y: mean(y.nnz(), y.n_rows()),
            n_y: mean(r.nnz(), x.n_rows()),
            n_x: mean(r.nnz(), y.n_rows()),
            queries_of_feature: mean(x.nnz(), used(x)),
            documents_of_feature: mean(y.nnz(), used(y)),
        }
    }
}

impl ClickGraphParams {
    fn check(&self) -> Result<()> {
        not_negative("words", self.words)?;
        not_negative("clicks", self.clicks)?;
        if self.words == 0.0 && self.clicks == 0.0 {
            return Err(Error::param("words", 0, "above 0 where click features have no weight"));
        }
        Ok(())
    }
}

/// The words, then a term for every item of the other side, which `links` says how often it occurs.
fn extended<'a>(
    words: &Vocabulary,
    has_clicks: bool,
    prefix: &str,
    ids: impl Iterator<Item = &'a str>,
    links: &Csr,
) -> Result<Vocabulary> {
    let mut parts: VocabularyParts = words.to_parts();
    if has_clicks {
        for (id, links) in ids.zip(links.rows()) {
            parts.bytes.extend_from_slice(prefix.as_bytes());
            parts.bytes.extend_from_slice(id.as_bytes());
            parts.offsets.push(parts.bytes.len() as u64);
            // A term of the table occurs at least once, though nothing may be linked to it.
            let df = (links.len() as u32).max(1);
            parts.df.push(df);
            parts.cf.push(u64::from(df));
            parts.n_tokens += u64::from(df);
        }
    }
    parts.n_documents = parts.n_documents.max(parts.df.iter().copied().max().map_or(0, u64::from));
    Vocabulary::from_parts(parts)
}

fn rows<T: AsRef<str> + Sync>(
    vectorizer: &Vectorizer,
    texts: &[T],
    links: &Csr,
    n_words: usize,
    params: &ClickGraphParams,
    threads: &Threads,
) -> Result<Csr> {
    let words = vectorizer.matrix(texts, threads);
    let nnz = words.nnz() + if params.clicks > 0.0 { links.nnz() } else { 0 };
    let mut rows = Csr::with_capacity(words.n_cols(), texts.len(), nnz);
    for (words, links) in words.rows().zip(links.rows()) {
        rows.push(joined(words.to_owned(), links, n_words as u32, params).view())?;
    }
    Ok(rows)
}

/// The two blocks of a row, each of unit length times its weight.
fn joined(mut words: SparseVec, links: SparseView<'_>, n_words: u32, params: &ClickGraphParams) -> SparseVec {
    words.normalize();
    words.scale(params.words as f32);
    let mut row = SparseVec::default();
    words.view().iter().filter(|(_, value)| *value != 0.0).for_each(|(word, value)| row.push_last(word, value));
    if params.clicks > 0.0 {
        let length = links.norm();
        for (item, value) in links.iter() {
            row.push_last(n_words + item, (params.clicks * f64::from(value) / length) as f32);
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_data::{Document, IdMap, Query};

    fn dataset() -> Dataset {
        let ids = |names: &[&str]| {
            let mut map = IdMap::new();
            names.iter().for_each(|name| drop(map.insert(name)));
            map
        };
        let document = |id: &str, title: &str, text: &str| Document {
            id: id.into(),
            title: title.into(),
            text: text.into(),
            ..Document::default()
        };
        let query = |id: &str, text: &str| Query { id: id.into(), text: text.into(), ..Query::default() };
        Dataset {
            documents: vec![
                document("a", "red apple", "fruit/apple"),
                document("b", "green pear", "fruit/pear"),
                document("c", "blue car", "cars"),
            ],
            document_ids: ids(&["a", "b", "c"]),
            queries: vec![query("p", "apple pie"), query("q", "pear")],
            query_ids: ids(&["p", "q"]),
            ..Dataset::default()
        }
    }

    fn click(query: u32, document: u32, clicks: u64) -> Click {
        Click { query, document, clicks, ..Click::default() }
    }

    fn clicks() -> Vec<Click> {
        vec![click(0, 0, 3), click(0, 1, 4), click(1, 1, 2)]
    }

    fn graph(params: &ClickGraphParams) -> Result<ClickGraph> {
        ClickGraph::build(&dataset(), &clicks(), params, &Threads::default())
    }

    #[test]
    fn rows_have_words_then_clicks_each_of_unit_length() {
        let graph = graph(&ClickGraphParams { clicks: 2.0, ..Default::default() }).expect("a graph");
        let n = graph.n_words();
        let vocabulary = graph.query_side.vocabulary();
        assert_eq!(vocabulary.word(n + 1), "doc:b");
        assert_eq!(graph.document_side.vocabulary().word(n), "query:p");
        assert_eq!((graph.queries.n_cols(), graph.documents.n_cols()), (n + 3, n + 2));
        assert!((graph.queries.get(0, n) - 1.2).abs() < 1e-6 && (graph.queries.get(0, n + 1) - 1.6).abs() < 1e-6);
        let words = graph.queries.row(0).within(0..n as usize);
        assert!(words.len() == 2 && (words.norm() - 1.0).abs() < 1e-6);
        assert_eq!(graph.documents.row(2).within(n as usize..n as usize + 2).len(), 0, "no query led to c");
        assert_eq!((graph.response.get(0, 1), graph.response.get(1, 1), graph.response.nnz()), (4.0, 2.0, 3));
        let statistics = graph.statistics();
        assert_eq!((statistics.n_y, statistics.n_x, statistics.d_x), (1.5, 1.0, n as usize + 3));
    }

    #[test]
    fn new_rows_are_those_the_graph_would_have() {
        let graph = graph(&ClickGraphParams::default()).expect("a graph");
        let row = graph.new_query("apple pie", &[(1, 4.0), (0, 3.0), (9, 5.0)]).expect("a row");
        assert_eq!(row.view(), graph.queries.row(0));
        let row = graph.new_document("green pear fruit/pear", &[(0, 4.0), (1, 2.0)]).expect("a row");
        assert_eq!(row.view(), graph.documents.row(1));
    }

    #[test]
    fn words_alone_have_one_vocabulary() {
        let graph = graph(&ClickGraphParams { clicks: 0.0, ..Default::default() }).expect("a graph");
        assert_eq!((graph.queries.n_cols(), graph.documents.n_cols()), (graph.n_words(), graph.n_words()));
        assert_eq!(graph.response.nnz(), 3);
    }

    #[test]
    fn what_has_clicks_has_features() {
        let mut bare = dataset();
        bare.queries[1].text = "?".into();
        let words = ClickGraphParams { clicks: 0.0, ..Default::default() };
        let build = |params: &ClickGraphParams| ClickGraph::build(&bare, &clicks(), params, &Threads::default());
        let message = build(&words).expect_err("no features").to_string();
        assert!(message.contains("query \"q\" has clicks but no features"), "{message}");
        assert!(build(&ClickGraphParams::default()).is_ok(), "click features are features");
        let empty = ClickGraph::build(&bare, &[], &words, &Threads::default()).expect_err("empty").to_string();
        assert!(empty.contains("click graph is empty"), "{empty}");
        assert!(build(&ClickGraphParams { words: 0.0, clicks: 0.0, ..Default::default() }).is_err());
        assert!(build(&ClickGraphParams { words: -1.0, ..Default::default() }).is_err());
    }
}
