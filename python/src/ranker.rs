//! The second stage: rankers over feature vectors.

use crate::errors::OrRaise;
use crate::vectorizer::parse;
use crate::work;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use qwd::core::Threads;
use qwd::metrics::Depth;
use qwd::rank::measure::evaluate_scores;
use qwd::rank::{FeatureSet, Method, MetricFamily, Ranker, RankerFile, Scaler, Scaling, Validation};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The depth of the nDCG that rounds and trees are chosen by, as in the program.
const CHOSEN_BY: usize = 10;

/// A ranker; it never changes.
#[pyclass(name = "Ranker", module = "qwd._qwd", frozen)]
pub(crate) struct PyRanker {
    inner: Arc<RankerFile>,
}

/// Feature rows, grades and the number of documents of each query.
type Given<'py> = (PyReadonlyArray2<'py, f32>, PyReadonlyArray1<'py, i32>, Vec<usize>);

#[pymethods]
impl PyRanker {
    /// Trains a ranker as `qwd rank train` does.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "called from one place in Python, in order")]
    fn train(
        py: Python<'_>,
        method: &str,
        params: &str,
        documents: Given<'_>,
        validation: Option<Given<'_>>,
        scaling: &str,
        threads: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let params: Value = parse("params", params)?;
        let method = Method::from_json(method, params).or_raise()?;
        method.check().or_raise()?;
        let scaling = Scaling::from_name(scaling).or_raise()?;
        let mut train = feature_set(&documents)?;
        let mut held_out = validation.map(|given| feature_set(&given)).transpose()?;
        let file = work::run(py, progress, move |observer| {
            let scaler = Scaler::fit(scaling, &train);
            [Some(&mut train), held_out.as_mut()].into_iter().flatten().for_each(|set| scaler.apply(set));
            let metric = MetricFamily::default().ndcg(Depth::at(CHOSEN_BY)?);
            let validation = held_out.as_ref().map(|set| Validation { set, metric });
            let ranker = method.train(&train, validation, &Threads::new(threads)?, observer)?;
            Ok(RankerFile { ranker, scaler, method: method.name().into(), params: method.params() })
        })?;
        Ok(Self { inner: Arc::new(file) })
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let file = py.detach(|| RankerFile::open(&path)).or_raise()?;
        Ok(Self { inner: Arc::new(file) })
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let file = py.detach(|| RankerFile::from_bytes(bytes, Path::new("bytes"))).or_raise()?;
        Ok(Self { inner: Arc::new(file) })
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.inner.save(&path)).or_raise()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.inner.to_bytes()).or_raise()?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The scores of documents.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        documents: Given<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let (file, set) = (Arc::clone(&self.inner), feature_set(&documents)?);
        let scores = work::run(py, None, move |_| file.score_all(&set, &Threads::new(threads)?))?;
        Ok(scores.into_pyarray(py))
    }

    /// The mean of a metric over the queries.
    fn score(&self, py: Python<'_>, documents: Given<'_>, metric: &str, threads: usize) -> PyResult<f64> {
        let (file, set) = (Arc::clone(&self.inner), feature_set(&documents)?);
        let metric: qwd::metrics::Metric = metric.parse().or_raise()?;
        let evaluation = work::run(py, None, move |_| {
            let scores = file.score_all(&set, &Threads::new(threads)?)?;
            evaluate_scores(&set, &scores, &[metric], "")
        })?;
        Ok(evaluation.summary().metrics.get(metric).unwrap_or(0.0))
    }

    /// A weight for every feature: of a linear ranker its own, of trees their gains.
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let mut weights = vec![0.0; self.inner.ranker.n_features()];
        for chosen in self.inner.ranker.features() {
            weights[chosen.feature - 1] = chosen.weight;
        }
        weights.into_pyarray(py)
    }

    /// Whether scores are weighted sums of features.
    fn is_linear(&self) -> bool {
        matches!(self.inner.ranker, Ranker::Linear(_))
    }

    fn n_features(&self) -> usize {
        self.inner.ranker.n_features()
    }

    /// The method's name and its parameters as JSON.
    fn method(&self) -> (String, String) {
        (self.inner.method.clone(), self.inner.params.to_string())
    }
}

fn feature_set((rows, grades, groups): &Given<'_>) -> PyResult<FeatureSet> {
    let rows = rows.as_array();
    let columns = rows.columns().into_iter().map(|column| column.iter().copied().collect()).collect();
    let queries = groups.iter().enumerate().map(|(i, &n)| (i.to_string(), n)).collect();
    FeatureSet::from_parts(columns, grades.as_slice()?.to_vec(), queries).or_raise()
}
