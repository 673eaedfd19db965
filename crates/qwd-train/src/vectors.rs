//! A data set as vectors: what training and evaluation multiply with W.

use crate::correlated_hashing::{CorrelatedHashing, Level, Units};
use qwd_core::{Csr, Error, Result, Threads, parameters};
use qwd_data::{Dataset, Opened, Signal, Split, SplitRule, Task, Truth, VectorDataset};
use qwd_model::matrix::bin;
use qwd_model::{Model, Side};
use qwd_text::{AnalyzerParams, Norm, Vectorizer, VectorizerParams, VocabularyParams, WeightingParams};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

parameters! {
    /// How texts become vectors.
    pub struct TextParams {
        /// How a text is cut into words.
        pub analyzer: AnalyzerParams = AnalyzerParams::default(),
        /// How a query is cut into words, if not as documents are.
        pub query_analyzer: Option<AnalyzerParams> = None,
        /// The language of the documents as a two-letter code, for its stop words and endings where `analyzer` has none,
        /// or `none`.
        pub language: String = "none".to_owned(),
        /// The language of the queries, if it is not that of the documents, or `none`.
        pub query_language: String = "none".to_owned(),
        /// Which words are kept, counted over the training documents and, where there are any, training queries.
        pub vocabulary: VocabularyParams = VocabularyParams { n_words: 30_000, ..VocabularyParams::default() },
        /// How words of documents are weighted.
        pub document: WeightingParams = WeightingParams::default(),
        /// How words of queries are weighted.
        pub query: WeightingParams = WeightingParams::default(),
        /// Whether queries and documents share one vocabulary, which a start from I needs.
        pub one_vocabulary: bool = true,
        /// The length of vectors that come as numbers (images, svmlight): `l2` or `none`.
        pub norm: Norm = Norm::L2,
    }
}

impl TextParams {
    /// How each side becomes vectors: queries, then documents.
    pub fn sides(&self) -> Result<[VectorizerParams; 2]> {
        let query_language = if self.query_language == "none" { &self.language } else { &self.query_language };
        let query = self.query_analyzer.as_ref().unwrap_or(&self.analyzer).clone().in_language(query_language)?;
        let document = self.analyzer.clone().in_language(&self.language)?;
        let side = |analyzer, weighting: &WeightingParams| VectorizerParams { analyzer, weighting: weighting.clone() };
        Ok([side(query, &self.query), side(document, &self.document)])
    }
}

/// Query and document vectors of one split of a data set.
#[derive(Debug, Clone)]
pub struct Vectors {
    /// One row for every query.
    pub queries: Arc<Csr>,
    /// One row for every document.
    pub documents: Arc<Csr>,
}

/// A data set with its vectors, ready for training and evaluation.
#[derive(Debug)]
pub struct Prepared<'a> {
    data: &'a Opened,
    train: Vectors,
    test: Vectors,
    query_side: Option<Vectorizer>,
    document_side: Option<Vectorizer>,
    rule: SplitRule,
}

impl<'a> Prepared<'a> {
    /// Fits vocabularies to the training part and makes all vectors.
    pub fn fit(data: &'a Opened, params: &TextParams, rule: SplitRule, threads: &Threads) -> Result<Self> {
        match data {
            Opened::Texts(dataset) => {
                let (query, document) = fit_vectorizers(dataset, params, &rule, threads)?;
                Self::of_texts(data, dataset, query, document, rule, threads)
            }
            Opened::Vectors(dataset) => Self::of_vectors(data, dataset, params.norm, rule),
        }
    }

    /// Makes the vectors that a model expects.
    pub fn with_model(data: &'a Opened, model: &Model, rule: SplitRule, threads: &Threads) -> Result<Self> {
        let sides = (model.vectorizer(Side::Query), model.vectorizer(Side::Document));
        match (data, sides) {
            (Opened::Texts(dataset), (Some(query), Some(document))) => {
                Self::of_texts(data, dataset, query.clone(), document.clone(), rule, threads)
            }
            (Opened::Texts(_), _) => Err(Error::bad_data(
                "the model was trained on vectors and the data are texts",
                "use a model that was trained on texts",
            )),
            (Opened::Vectors(dataset), (None, None)) => Self::of_vectors(data, dataset, vector_norm(model)?, rule),
            (Opened::Vectors(_), _) => Err(Error::bad_data(
                "the model was trained on texts and the data are vectors",
                "use a model that was trained on vectors",
            )),
        }
    }

    fn of_texts(
        data: &'a Opened,
        dataset: &Dataset,
        query: Vectorizer,
        document: Vectorizer,
        rule: SplitRule,
        threads: &Threads,
    ) -> Result<Self> {
        let texts: Vec<Cow<'_, str>> = dataset.documents.iter().map(qwd_data::Document::full_text).collect();
        let documents = Arc::new(document.matrix(&texts, threads));
        let same = query.params() == document.params() && Arc::ptr_eq(query.vocabulary(), document.vocabulary());
        let queries = match (dataset.queries_are_documents(), same) {
            (true, true) => Arc::clone(&documents),
            (true, false) => Arc::new(query.matrix(&texts, threads)),
            (false, _) => {
                let texts: Vec<&str> = dataset.queries.iter().map(|q| q.text.as_str()).collect();
                Arc::new(query.matrix(&texts, threads))
            }
        };
        let vectors = Vectors { queries, documents };
        Ok(Self {
            data,
            train: vectors.clone(),
            test: vectors,
            query_side: Some(query),
            document_side: Some(document),
            rule,
        })
    }

    fn of_vectors(data: &'a Opened, dataset: &VectorDataset, norm: Norm, rule: SplitRule) -> Result<Self> {
        let [train, test] = [&dataset.train.rows, &dataset.test.rows].map(|rows| -> Result<Vectors> {
            let rows = Arc::new(if norm == Norm::L2 { unit_rows(rows)? } else { rows.clone() });
            Ok(Vectors { queries: Arc::clone(&rows), documents: rows })
        });
        Ok(Self { data, train: train?, test: test?, query_side: None, document_side: None, rule })
    }

    /// The task of a split, and the vectors its rows are of.
    pub fn task(&self, split: Split) -> Result<(Task, &Vectors)> {
        let vectors = if split == Split::Test { &self.test } else { &self.train };
        let task = match self.data {
            Opened::Texts(dataset) => dataset.task(split, &self.rule)?,
            Opened::Vectors(dataset) => dataset.task(split)?.1,
        };
        Ok((task, vectors))
    }

    /// What to train on and what to validate on, and their vectors: the dev split where the data bring one, else a part
    /// of the training split that is then not trained on.
    pub fn train_and_validation(&self) -> Result<(Task, Task, &Vectors)> {
        let (train, validation) = match self.data {
            Opened::Texts(dataset) => dataset.train_and_validation(&self.rule)?,
            Opened::Vectors(dataset) => dataset.train_and_validation(&self.rule)?,
        };
        Ok((train, validation, &self.train))
    }

    /// The vectorizers that a model of these vectors needs to read text.
    pub fn vectorizers(&self) -> (Option<Vectorizer>, Option<Vectorizer>) {
        (self.query_side.clone(), self.document_side.clone())
    }

    /// The vectors of the training split.
    pub fn train_vectors(&self) -> &Vectors {
        &self.train
    }

    /// What is dealt out to which split.
    pub fn rule(&self) -> &SplitRule {
        &self.rule
    }

    /// The data set.
    pub fn data(&self) -> &'a Opened {
        self.data
    }

    /// The name of a query by its row, for results.
    pub fn query_name(&self, row: u32) -> String {
        match self.data {
            Opened::Texts(d) if d.queries_are_documents() => d.documents[row as usize].id.clone(),
            Opened::Texts(d) => d.queries[row as usize].id.clone(),
            Opened::Vectors(_) => row.to_string(),
        }
    }

    /// The name of a document by its row, for results.
    pub fn document_name(&self, row: u32) -> String {
        match self.data {
            Opened::Texts(d) => d.documents[row as usize].id.clone(),
            Opened::Vectors(_) => row.to_string(),
        }
    }
}

/// The bins of the words of both sides: see [`crate::correlated_hashing`].
#[derive(Debug, Clone)]
pub struct Bins {
    /// A row for every query word.
    pub query: Arc<Csr>,
    /// A row for every document word; the same where both sides share their words.
    pub document: Arc<Csr>,
}

impl Bins {
    /// Counts which words occur together in what may be seen at training time.
    pub fn count(
        hashing: &CorrelatedHashing,
        prepared: &Prepared<'_>,
        vectors: &Vectors,
        train: &Task,
        threads: &Threads,
    ) -> Result<Self> {
        let side = |rows: &Csr, numbers: &[u32], texts: &dyn Fn(u32) -> String, vectorizer: Option<&Vectorizer>| {
            let units = match (hashing.params().level, vectorizer) {
                (Level::Document, _) => Units::of_rows(rows, numbers.iter().copied()),
                (Level::Sentence, Some(vectorizer)) => sentences(numbers.iter().map(|&row| texts(row)), vectorizer),
                (Level::Sentence, None) => {
                    return Err(Error::param("hashing.level", "sentence", "document: vectors have no sentences"));
                }
            };
            let is_word = |word: u32| vectorizer.is_none_or(|v| !v.vocabulary().is_ngram(word));
            hashing.bins(&units, rows.n_cols() as usize, is_word, threads).map(Arc::new)
        };
        let document_text = |row: u32| match prepared.data {
            Opened::Texts(dataset) => dataset.documents[row as usize].full_text().into_owned(),
            Opened::Vectors(_) => String::new(),
        };
        let query_text = |row: u32| match prepared.data {
            Opened::Texts(dataset) => dataset.queries.get(row as usize).map(|q| q.text.clone()).unwrap_or_default(),
            Opened::Vectors(_) => String::new(),
        };
        let document = side(&vectors.documents, &train.documents, &document_text, prepared.document_side.as_ref())?;
        let one_vocabulary = match (&prepared.query_side, &prepared.document_side) {
            (Some(query), Some(document)) => Arc::ptr_eq(query.vocabulary(), document.vocabulary()),
            _ => true,
        };
        let query = if one_vocabulary {
            Arc::clone(&document)
        } else {
            side(&vectors.queries, &train.queries, &query_text, prepared.query_side.as_ref())?
        };
        Ok(Self { query, document })
    }

    /// Vectors over bins in place of words.
    pub fn vectors(&self, vectors: &Vectors, threads: &Threads) -> Result<Vectors> {
        let binned = |rows: &Csr, bins: &Csr| -> Result<Arc<Csr>> {
            let mut out = Csr::empty(bins.n_cols());
            for row in threads.map(rows.n_rows(), |i| bin(rows.row(i), bins)) {
                out.push(row?.view())?;
            }
            Ok(Arc::new(out))
        };
        let documents = binned(&vectors.documents, &self.document)?;
        let same = Arc::ptr_eq(&vectors.queries, &vectors.documents) && Arc::ptr_eq(&self.query, &self.document);
        let queries = if same { Arc::clone(&documents) } else { binned(&vectors.queries, &self.query)? };
        Ok(Vectors { queries, documents })
    }
}

/// The words of every sentence: what stands between full stops, question marks, exclamation marks and line ends.
fn sentences(texts: impl Iterator<Item = String>, vectorizer: &Vectorizer) -> Units {
    let mut units = Units::default();
    for text in texts {
        for sentence in text.split(['.', '?', '!', '\n', '。', '？', '！']) {
            let terms = vectorizer.analyzer().terms(sentence);
            let words: Vec<u32> = terms.iter().filter_map(|term| vectorizer.vocabulary().get(term)).collect();
            if !words.is_empty() {
                units.push(words);
            }
        }
    }
    units
}

/// Vocabularies come from what may be seen at training time: the documents of the training split where documents are
/// split by labels, else all documents, and the queries of the training split.
fn fit_vectorizers(
    dataset: &Dataset,
    params: &TextParams,
    rule: &SplitRule,
    threads: &Threads,
) -> Result<(Vectorizer, Vectorizer)> {
    let train = dataset.task(Split::Train, rule)?;
    let documents: Vec<Cow<'_, str>> =
        train.documents.iter().map(|&row| dataset.documents[row as usize].full_text()).collect();
    let queries: Vec<&str> = if dataset.queries_are_documents() {
        Vec::new()
    } else {
        let rows = training_queries(dataset, &train, rule)?;
        rows.iter().map(|&row| dataset.queries[row as usize].text.as_str()).collect()
    };
    let document_texts = documents.iter().map(AsRef::as_ref);
    let [query, document] = params.sides()?;
    if params.one_vocabulary || queries.is_empty() {
        let fitted = document.fit(&params.vocabulary, document_texts.chain(queries.iter().copied()), threads)?;
        let shared = Vectorizer::from_parts(query, Arc::clone(fitted.vocabulary()))?;
        return Ok((shared, fitted));
    }
    let document = document.fit(&params.vocabulary, document_texts, threads)?;
    Ok((query.fit(&params.vocabulary, queries.iter().copied(), threads)?, document))
}

/// The queries of the training task; where preferences are given, of which more may come later, all queries that no
/// other split claims, so that the vocabulary does not depend on how many have come.
fn training_queries(dataset: &Dataset, train: &Task, rule: &SplitRule) -> Result<Vec<u32>> {
    if !matches!(train.truth, Truth::Preferences(_)) {
        return Ok(train.queries.clone());
    }
    let all = 0..dataset.queries.len() as u32;
    if !dataset.signals().contains(&Signal::Judgments) {
        return Ok(all.filter(|&row| rule.of_id(dataset.query_ids.name(row)) == Split::Train).collect());
    }
    let mut held_out = BTreeSet::new();
    for split in [Split::Dev, Split::Test] {
        let judged = dataset.task_of(Signal::Judgments, split, rule)?;
        held_out.extend(judged.into_iter().flat_map(|task| task.queries));
    }
    Ok(all.filter(|row| !held_out.contains(row)).collect())
}

fn unit_rows(rows: &Csr) -> Result<Csr> {
    let mut out = Csr::with_capacity(rows.n_cols(), rows.n_rows(), rows.nnz());
    for row in rows.rows() {
        let mut unit = row.to_owned();
        unit.normalize();
        out.push(unit.view())?;
    }
    Ok(out)
}

/// The length that a model of plain vectors expects, from its provenance.
fn vector_norm(model: &Model) -> Result<Norm> {
    let norm = model.provenance().params.pointer("/text/norm").cloned();
    let norm = norm.unwrap_or_else(|| serde_json::json!("none"));
    serde_json::from_value(norm).map_err(|e| Error::bad_data(format!("the model's norm: {e}"), "train the model anew"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_has_its_language() {
        let text = TextParams { language: "en".into(), query_language: "ja".into(), ..TextParams::default() };
        let [query, document] = text.sides().expect("known languages");
        assert_eq!((query.analyzer.stop_words.as_str(), query.analyzer.stemmer.as_str()), ("ja", "none"));
        assert_eq!((document.analyzer.stop_words.as_str(), document.analyzer.stemmer.as_str()), ("en", "en"));
        let letters = AnalyzerParams { tokenizer: qwd_text::Tokenizer::Letters, ..AnalyzerParams::default() };
        let text = TextParams { query_analyzer: Some(letters.clone()), language: "en".into(), ..TextParams::default() };
        let [query, _] = text.sides().expect("known languages");
        assert_eq!(query.analyzer, letters.in_language("en").expect("known"));
        let unknown = TextParams { query_language: "tlh".into(), ..TextParams::default() };
        assert!(unknown.sides().expect_err("unknown").to_string().starts_with("parameter language = tlh: expected"));
    }
}
