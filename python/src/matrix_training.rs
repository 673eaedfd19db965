//! Training from matrices: rows of documents, perhaps rows of queries, and what says which suits which.

use crate::arrays::{Parts, csr};
use crate::errors::OrRaise;
use crate::model::PyModel;
use crate::text_training::figures;
use crate::vectorizer::parse;
use crate::work;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use qwd::core::{Csr, Observer, Threads};
use qwd::data::{Classes, Judgment, Manifest, Opened, Preference, SampleParams, SplitRule, Task};
use qwd::data::{VectorDataset, vectors::VectorSplit};
use qwd::metrics::Metric;
use qwd::model::{Model, Provenance};
use qwd::train::plan::repeated;
use qwd::train::{Constraints, Method, Plan, Prepared, Problem, Session, Start, Vectors, evaluate};
use qwd::{Error, Result};
use serde_json::Value;
use std::sync::Arc;

/// What rows of matrices say about each other.
#[derive(FromPyObject)]
pub(crate) enum Signal<'py> {
    /// A class for every row, numbered from 0: rows of a class suit each other.
    #[pyo3(transparent)]
    Labels(PyReadonlyArray1<'py, u32>),
    /// Query, document and grade of every judgment.
    #[pyo3(transparent)]
    Judgments((PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, i32>)),
    /// Query, better document, worse document and weight of every preference.
    #[pyo3(transparent)]
    Preferences(
        (
            PyReadonlyArray1<'py, u32>,
            PyReadonlyArray1<'py, u32>,
            PyReadonlyArray1<'py, u32>,
            PyReadonlyArray1<'py, f32>,
        ),
    ),
}

/// Trains W on matrices; without `queries` the documents are the queries. `start` is `identity` or `zero`, or with `before`
/// `model` (from its W) or `state` (from where its training stopped).
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called from one place in Python, in order")]
pub(crate) fn train_matrix(
    py: Python<'_>,
    method: &str,
    params: &str,
    sample: &str,
    documents: Parts<'_>,
    queries: Option<Parts<'_>>,
    signal: Option<Signal<'_>>,
    response: Option<Parts<'_>>,
    start: &str,
    tuples: u64,
    passes: u32,
    seed: u64,
    before: Option<&PyModel>,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyModel> {
    let params: Value = parse("params", params)?;
    let sample: SampleParams = parse("sample", sample)?;
    let train = Method::from_json(method, params).or_raise()?;
    let plan = Plan { train, tuples, passes, seed, sample, ..Plan::default() };
    plan.check().or_raise()?;
    let documents = Arc::new(csr("documents", &documents)?);
    let own_queries = queries.map(|queries| csr("queries", &queries)).transpose()?;
    let queries_are_documents = own_queries.is_none();
    let queries = own_queries.map_or_else(|| Arc::clone(&documents), Arc::new);
    let response = response.map(|response| csr("response", &response)).transpose()?;
    let task = signal.map(|signal| task(&signal, documents.n_rows(), queries_are_documents)).transpose()?;
    let start = match (start, before) {
        ("identity", None) => From::Identity,
        ("zero", None) => From::Zero,
        ("model", Some(model)) => From::Model(Arc::clone(&model.inner)),
        ("state", Some(model)) => From::State(Arc::clone(&model.inner)),
        _ => return Err(Error::param("start", start, "identity or zero")).or_raise(),
    };
    let job = Job { plan, vectors: Vectors { queries, documents }, task, response, start };
    let model = work::run(py, progress, move |observer| job.train(&Threads::new(threads)?, observer))?;
    Ok(PyModel::new(model))
}

/// Where training starts.
enum From {
    Identity,
    Zero,
    /// From the W of a model.
    Model(Arc<Model>),
    /// From where a model's training stopped.
    State(Arc<Model>),
}

struct Job {
    plan: Plan,
    vectors: Vectors,
    task: Option<Task>,
    response: Option<Csr>,
    start: From,
}

impl Job {
    fn train(&self, threads: &Threads, observer: &dyn Observer) -> Result<Model> {
        let Self { plan, vectors, .. } = self;
        let tuples = match &self.task {
            Some(task) => repeated(&plan.tuples_of(task)?, plan.passes, plan.seed),
            None => Vec::new(),
        };
        let all: Vec<u32> = (0..vectors.documents.n_rows() as u32).collect();
        let mut problem = Problem::try_new(&vectors.queries, &vectors.documents, &tuples)?.with_candidates(&all)?;
        if let Some(response) = &self.response {
            problem = problem.with_response(response)?;
        }
        let start = match &self.start {
            From::Identity => Start::Identity,
            From::Zero => Start::Zero,
            From::Model(model) => Start::Matrix(model.matrix()),
            From::State(model) => match model.state() {
                Some(state) => Start::Resume(model.matrix(), state),
                None => {
                    let what = format!("{} keeps no training state, so training cannot go on", plan.train.name());
                    return Err(Error::bad_data(what, "call fit on all data, or use SparseRanker"));
                }
            },
        };
        let mut session = Session::new(threads, observer);
        let trained = plan.train.train(&problem, start, &Constraints::default(), None, &mut session)?;
        let mut provenance = Provenance::new(plan.train.name());
        provenance.params = serde_json::to_value(plan).map_err(|e| Error::internal(e.to_string()))?;
        // The vectors came as they are: a program that scores others must not change their lengths.
        provenance.params["text"]["norm"] = "none".into();
        provenance.seed = plan.seed;
        provenance.n_tuples = trained.steps;
        let model = Model::new(trained.matrix, provenance);
        match trained.state {
            Some(state) => model.with_state(state),
            None => Ok(model),
        }
    }
}

fn task(signal: &Signal<'_>, n_documents: usize, queries_are_documents: bool) -> PyResult<Task> {
    let documents: Vec<u32> = (0..n_documents as u32).collect();
    Ok(match signal {
        Signal::Labels(class_of) => of_classes(class_of.as_slice()?).or_raise()?,
        Signal::Judgments((queries, judged, grades)) => {
            let pairs = queries.as_slice()?.iter().zip(judged.as_slice()?).zip(grades.as_slice()?);
            let judgments = pairs.map(|((&query, &document), &grade)| Judgment { query, document, grade }).collect();
            Task::of_judgments(judgments, documents, queries_are_documents)
        }
        Signal::Preferences((queries, better, worse, weights)) => {
            let pairs = better.as_slice()?.iter().zip(worse.as_slice()?).zip(weights.as_slice()?);
            let preferences = queries
                .as_slice()?
                .iter()
                .zip(pairs)
                .map(|(&query, ((&better, &worse), &weight))| Preference { query, better, worse, weight });
            Task::of_preferences(preferences.collect(), documents, queries_are_documents)
        }
    })
}

fn of_classes(class_of: &[u32]) -> Result<Task> {
    let rows = (0..class_of.len() as u32).collect();
    Ok(Task::of_classes(rows, class_of.to_vec(), classes(class_of)?))
}

fn classes(class_of: &[u32]) -> Result<Classes> {
    Classes::of_numbers(class_of.iter().map(|&class| f64::from(class)))
}

/// The figures of a model on labelled rows, each a query for the others, by the protocol of paper 1: JSON.
#[pyfunction]
pub(crate) fn evaluate_matrix(
    py: Python<'_>,
    model: &PyModel,
    rows: Parts<'_>,
    class_of: PyReadonlyArray1<'_, u32>,
    metrics: &str,
    threads: usize,
) -> PyResult<String> {
    let (rows, class_of) = (csr("X", &rows)?, class_of.as_slice()?.to_vec());
    let metrics: Vec<Metric> = qwd::lab::metrics::parse_metrics(metrics).or_raise()?;
    let model = Arc::clone(&model.inner);
    let evaluation = work::run(py, None, move |_| {
        let part = VectorSplit { rows, class_of };
        let empty = VectorSplit { rows: Csr::empty(part.rows.n_cols()), class_of: Vec::new() };
        let classes = classes(&part.class_of)?;
        let task = of_classes(&part.class_of)?;
        let data = Opened::Vectors(Box::new(VectorDataset {
            manifest: Manifest::default(),
            classes,
            train: part,
            test: empty,
            files: Vec::new(),
        }));
        let threads = Threads::new(threads)?;
        let params = qwd::train::TextParams { norm: qwd::text::Norm::None, ..qwd::train::TextParams::default() };
        let prepared = Prepared::fit(&data, &params, SplitRule::default(), &threads)?;
        evaluate(model.matrix(), &task, prepared.train_vectors(), &prepared, &metrics, &threads)
    })?;
    Ok(figures(&evaluation).to_string())
}
