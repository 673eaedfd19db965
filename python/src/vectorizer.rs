//! Texts to sparse vectors.

use crate::arrays::{OutParts, parts_of};
use crate::errors::OrRaise;
use crate::work;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use qwd::core::Threads;
use qwd::text::vocabulary::VocabularyParts;
use qwd::text::{Vectorizer, VectorizerParams, Vocabulary, VocabularyParams};
use qwd::{Error, Result};
use std::sync::Arc;

/// How texts become vectors, fitted to some.
#[pyclass(name = "Vectorizer", module = "qwd._qwd", frozen)]
pub(crate) struct PyVectorizer {
    pub(crate) inner: Arc<Vectorizer>,
}

#[pymethods]
impl PyVectorizer {
    /// Counts the words of texts; `analyzer`, `weighting` and `vocabulary` are JSON objects.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        texts: Vec<String>,
        analyzer: &str,
        weighting: &str,
        vocabulary: &str,
        language: String,
        threads: usize,
    ) -> PyResult<Self> {
        let params = params_of(analyzer, weighting, &language)?;
        let vocabulary: VocabularyParams = parse("vocabulary", vocabulary)?;
        let fitted = work::run(py, None, move |_| {
            params.fit(&vocabulary, texts.iter().map(String::as_str), &Threads::new(threads)?)
        })?;
        Ok(Self { inner: Arc::new(fitted) })
    }

    /// A vectorizer of words that are counted already, in the order of their numbers; `frequencies` are in how many texts
    /// each occurs and how often, `sizes` the numbers of texts and of all terms in them.
    #[staticmethod]
    fn of_counts(
        words: Vec<String>,
        frequencies: (Vec<u32>, Vec<u64>),
        sizes: (u64, u64),
        analyzer: &str,
        weighting: &str,
        language: &str,
    ) -> PyResult<Self> {
        let params = params_of(analyzer, weighting, language)?;
        let ends = words.iter().scan(0, |end, word| {
            *end += word.len() as u64;
            Some(*end)
        });
        let parts = VocabularyParts {
            offsets: std::iter::once(0).chain(ends).collect(),
            bytes: words.concat().into_bytes(),
            df: frequencies.0,
            cf: frequencies.1,
            n_documents: sizes.0,
            n_tokens: sizes.1,
        };
        let fitted = Vocabulary::from_parts(parts).and_then(|words| params.with_words(words)).or_raise()?;
        Ok(Self { inner: Arc::new(fitted) })
    }

    /// What pickling keeps: `of_counts` and what it takes.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Counts)> {
        let (params, words) = (self.inner.params(), self.inner.vocabulary());
        let json = |e: serde_json::Error| Error::internal(e.to_string());
        let analyzer = serde_json::to_string(&params.analyzer).map_err(json).or_raise()?;
        let weighting = serde_json::to_string(&params.weighting).map_err(json).or_raise()?;
        let frequencies = (words.document_frequencies().to_vec(), words.collection_frequencies().to_vec());
        let sizes = (words.n_documents(), words.n_tokens());
        let make = py.get_type::<Self>().getattr("of_counts")?;
        // The language is in the analyzer's parameters by now.
        Ok((make, (self.words(), frequencies, sizes, analyzer, weighting, "none")))
    }

    /// The vectors of texts as the parts of a CSR matrix.
    fn transform<'py>(&self, py: Python<'py>, texts: Vec<String>, threads: usize) -> PyResult<OutParts<'py>> {
        let inner = Arc::clone(&self.inner);
        let matrix = work::run(py, None, move |_| Ok(inner.matrix(&texts, &Threads::new(threads)?)))?;
        Ok(parts_of(py, &matrix))
    }

    /// The words in the order of their numbers.
    fn words(&self) -> Vec<String> {
        self.inner.vocabulary().words().map(str::to_string).collect()
    }

    /// In how many texts each word occurs.
    fn document_frequencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.inner.vocabulary().document_frequencies().to_vec().into_pyarray(py)
    }

    /// How often each word occurs.
    fn collection_frequencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.inner.vocabulary().collection_frequencies().to_vec().into_pyarray(py)
    }

    /// The number of texts that were counted.
    fn n_documents(&self) -> u64 {
        self.inner.vocabulary().n_documents()
    }
}

/// Words, frequencies, sizes and parameters, as `of_counts` takes them.
type Counts = (Vec<String>, (Vec<u32>, Vec<u64>), (u64, u64), String, String, &'static str);

/// Reads how texts become vectors, with what a language brings.
pub(crate) fn params_of(analyzer: &str, weighting: &str, language: &str) -> PyResult<VectorizerParams> {
    let params = VectorizerParams { analyzer: parse("analyzer", analyzer)?, weighting: parse("weighting", weighting)? };
    let analyzer = params.analyzer.in_language(language).or_raise()?;
    Ok(VectorizerParams { analyzer, ..params })
}

/// Reads parameters from JSON.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(name: &str, json: &str) -> PyResult<T> {
    let read: Result<T> = serde_json::from_str(json).map_err(|e| Error::param(name, json, e.to_string()));
    read.or_raise()
}
