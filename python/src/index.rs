//! An index on disk: documents in, exact best hits out.

use crate::dataset::PyDataset;
use crate::errors::OrRaise;
use crate::model::PyModel;
use crate::vectorizer::parse;
use crate::work;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use qwd::core::{Observer, Threads};
use qwd::data::{Document, Opened};
use qwd::search::{Filter, Index, IndexParams, Query, Snapshot, Writer, describe, verify};
use qwd::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Queries that are answered between two looks at whether to stop.
const BATCH: usize = 256;

/// Documents that are added between two looks.
const ADDED: usize = 1024;

/// For every query the ids of its hits, and a table of scores.
type Found<'py> = (Vec<Vec<String>>, Bound<'py, PyArray2<f32>>);

/// An index that is open for reading; changes are made at once, by a writer of their own.
#[pyclass(name = "Index", module = "qwd._qwd", frozen)]
pub(crate) struct PyIndex {
    inner: Arc<Index>,
}

#[pymethods]
impl PyIndex {
    /// Makes an index of JSON lines or of a data set's documents.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "called from one place in Python, in order")]
    fn build(
        py: Python<'_>,
        folder: PathBuf,
        model: &PyModel,
        documents: Vec<String>,
        dataset: Option<&PyDataset>,
        params: &str,
        threads: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let params: IndexParams = parse("index parameters", params)?;
        let (model, dataset) = (Arc::clone(&model.inner), dataset.map(|d| Arc::clone(&d.inner)));
        let index = work::run(py, progress, move |observer| {
            let mut writer = Writer::create(&folder, &model, &params)?.with_threads(threads_of(threads)?)?;
            add(&mut writer, &documents, observer)?;
            if let Some(dataset) = dataset {
                let Opened::Texts(dataset) = &*dataset else {
                    return Err(Error::bad_data("the data are vectors, not texts", "index texts"));
                };
                for (i, document) in dataset.documents.iter().enumerate() {
                    tell(observer, i, dataset.documents.len())?;
                    writer.add(document.clone())?;
                }
            }
            writer.commit()?;
            drop(writer);
            Index::open(&folder)
        })?;
        Ok(Self { inner: Arc::new(index) })
    }

    #[staticmethod]
    fn open(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let index = py.detach(|| Index::open(folder)).or_raise()?;
        Ok(Self { inner: Arc::new(index) })
    }

    /// Adds documents given as JSON lines; those with the ids of others replace them.
    fn add(
        &self,
        py: Python<'_>,
        documents: Vec<String>,
        threads: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.change(py, threads, progress, move |writer, observer| add(writer, &documents, observer))
    }

    /// Deletes documents; returns how many there were.
    fn delete(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<usize> {
        self.change(py, 1, None, move |writer, _| {
            let mut n = 0;
            for id in &ids {
                n += usize::from(writer.delete(id)?);
            }
            Ok(n)
        })
    }

    /// Takes over the documents of other indexes of the same model, one after the other, and merges all into one segment.
    fn adopt(&self, py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<()> {
        self.change(py, 1, None, move |writer, _| {
            writer.adopt(&folders)?;
            writer.merge()
        })
    }

    fn merge(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, 1, None, |writer, _| writer.merge())
    }

    fn set_model(&self, py: Python<'_>, model: &PyModel) -> PyResult<()> {
        let model = Arc::clone(&model.inner);
        self.change(py, 1, None, move |writer, _| writer.set_model(&model))
    }

    /// Looks for commits of other writers; tells whether there was one.
    fn reload(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| self.inner.reload()).or_raise()
    }

    fn n_documents(&self) -> u64 {
        self.inner.snapshot().n_documents()
    }

    fn folder(&self) -> PathBuf {
        self.inner.folder().to_path_buf()
    }

    fn model(&self) -> PyModel {
        PyModel { inner: Arc::clone(self.inner.snapshot().model()) }
    }

    /// What is in the index, as JSON.
    fn describe(&self, py: Python<'_>) -> PyResult<String> {
        let description = py.detach(|| describe(self.inner.folder())).or_raise()?;
        serde_json::to_string(&description).map_err(|e| Error::internal(e.to_string())).or_raise()
    }

    /// A document as a JSON line.
    fn document(&self, id: &str) -> PyResult<Option<String>> {
        let document = self.inner.snapshot().document(id).or_raise()?;
        let line = document.map(|d| serde_json::to_string(&d).map_err(|e| Error::internal(e.to_string())));
        line.transpose().or_raise()
    }

    /// The best `k` for each query: ids, and a table of scores padded with NaN.
    #[expect(clippy::too_many_arguments, reason = "called from two places in Python, in order")]
    fn search<'py>(
        &self,
        py: Python<'py>,
        queries: Vec<String>,
        k: usize,
        filters: Vec<String>,
        all: bool,
        correct_spelling: bool,
        phrases: bool,
        threads: usize,
    ) -> PyResult<Found<'py>> {
        let filter = filter_of(&filters).or_raise()?;
        let snapshot = self.inner.snapshot();
        let k = k.min(snapshot.n_documents() as usize);
        let answers = work::run(py, None, move |observer| {
            let threads = Threads::new(threads)?;
            let mut answers = Vec::with_capacity(queries.len());
            for batch in queries.chunks(BATCH) {
                work::report(observer, "searching", answers.len(), queries.len())?;
                let found = threads.map(batch.len(), |i| {
                    let mut query = Query::new(batch[i].as_str()).top(k);
                    (query.filter, query.all) = (filter.clone(), all);
                    (query.correct_spelling, query.phrases) = (correct_spelling, phrases);
                    let hits = snapshot.search(&query)?.hits;
                    Ok(hits.into_iter().map(|hit| (hit.id, hit.score)).unzip())
                });
                for answer in found {
                    let answer: Result<(Vec<String>, Vec<f32>)> = answer;
                    answers.push(answer?);
                }
            }
            Ok(answers)
        })?;
        let mut scores = vec![f32::NAN; answers.len() * k];
        let mut ids = Vec::with_capacity(answers.len());
        for (i, (names, values)) in answers.into_iter().enumerate() {
            scores[i * k..i * k + values.len()].copy_from_slice(&values);
            ids.push(names);
        }
        let n = ids.len();
        Ok((ids, scores.into_pyarray(py).reshape([n, k])?))
    }

    /// The whole answer to one query, with documents, passages and reasons, as JSON.
    fn answer(
        &self,
        py: Python<'_>,
        text: &str,
        k: usize,
        filters: Vec<String>,
        all: bool,
        correct_spelling: bool,
    ) -> PyResult<String> {
        let mut query = Query::new(text).top(k).explained().with_documents();
        (query.filter, query.all, query.correct_spelling) = (filter_of(&filters).or_raise()?, all, correct_spelling);
        let snapshot: Arc<Snapshot> = self.inner.snapshot();
        let answer = py.detach(|| snapshot.search(&query)).or_raise()?;
        serde_json::to_string(&answer).map_err(|e| Error::internal(e.to_string())).or_raise()
    }
}

impl PyIndex {
    fn change<T: Send + 'static>(
        &self,
        py: Python<'_>,
        threads: usize,
        progress: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&mut Writer, &dyn Observer) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let folder = self.inner.folder().to_path_buf();
        let done = work::run(py, progress, move |observer| {
            let mut writer = Writer::open(&folder)?.with_threads(threads_of(threads)?)?;
            let done = work(&mut writer, observer)?;
            writer.commit()?;
            Ok(done)
        })?;
        py.detach(|| self.inner.reload()).or_raise()?;
        Ok(done)
    }
}

/// Says what is wrong with an index or a model file; nothing if it is sound.
#[pyfunction]
pub(crate) fn verify_path(py: Python<'_>, path: PathBuf) -> PyResult<()> {
    py.detach(|| check(&path)).or_raise()
}

fn check(path: &Path) -> Result<()> {
    if Index::is_at(path) { verify(path).map(drop) } else { qwd::model::Model::open(path).map(drop) }
}

fn threads_of(threads: usize) -> Result<usize> {
    Ok(Threads::new(threads)?.count())
}

fn filter_of(filters: &[String]) -> Result<Option<Filter>> {
    let filters: Vec<Filter> = filters.iter().map(|f| Filter::parse(f)).collect::<Result<_>>()?;
    Ok((!filters.is_empty()).then_some(Filter::All(filters)))
}

fn add(writer: &mut Writer, documents: &[String], observer: &dyn Observer) -> Result<()> {
    for (i, line) in documents.iter().enumerate() {
        tell(observer, i, documents.len())?;
        let document: Document = serde_json::from_str(line)
            .map_err(|e| Error::bad_data(format!("document {i}: {e}"), "give it an id and a text"))?;
        writer.add(document)?;
    }
    Ok(())
}

fn tell(observer: &dyn Observer, i: usize, n: usize) -> Result<()> {
    if i.is_multiple_of(ADDED) { work::report(observer, "indexing", i, n) } else { Ok(()) }
}
