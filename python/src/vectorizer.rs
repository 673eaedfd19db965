//! Texts to sparse vectors.

use crate::arrays::{OutParts, parts_of};
use crate::errors::OrRaise;
use crate::work;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use qwd::core::Threads;
use qwd::text::{Vectorizer, VectorizerParams, VocabularyParams};
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
        let params =
            VectorizerParams { analyzer: parse("analyzer", analyzer)?, weighting: parse("weighting", weighting)? };
        let vocabulary: VocabularyParams = parse("vocabulary", vocabulary)?;
        let fitted = work::run(py, None, move |_| {
            let analyzer = params.analyzer.in_language(&language)?;
            let params = VectorizerParams { analyzer, weighting: params.weighting };
            params.fit(&vocabulary, texts.iter().map(String::as_str), &Threads::new(threads)?)
        })?;
        Ok(Self { inner: Arc::new(fitted) })
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

    /// The number of texts that were counted.
    fn n_documents(&self) -> u64 {
        self.inner.vocabulary().n_documents()
    }
}

/// Reads parameters from JSON.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(name: &str, json: &str) -> PyResult<T> {
    let read: Result<T> = serde_json::from_str(json).map_err(|e| Error::param(name, json, e.to_string()));
    read.or_raise()
}
