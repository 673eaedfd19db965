//! Training from texts, by the plans of the program: the same data, settings and seed give the same bytes.

use crate::dataset::{PyDataset, split};
use crate::errors::OrRaise;
use crate::model::PyModel;
use crate::vectorizer::parse;
use crate::work;
use pyo3::prelude::*;
use qwd::core::Threads;
use qwd::data::{Fingerprint, Shares, SplitRule};
use qwd::lab::auto::{Candidate, candidates, search};
use qwd::lab::contender::Entrant;
use qwd::lab::defaults::{METHOD, default_plan_for};
use qwd::lab::metrics::{parse_metrics, usual_metrics};
use qwd::lab::settings::{Setting, apply};
use qwd::metrics::Evaluation;
use qwd::train::update::update_by;
use qwd::train::{Constraints, Outcome, Plan, Prepared};
use qwd::{Error, Result};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Trains a model; returns it, what was seen on the way and the plan, both as JSON. The method `auto` is chosen by the data, as
/// `qwd train` without a method does, within `budget` seconds; what was tried is then the plan's `search`.
///
/// `settings` is a JSON object of what the program takes with `--set`. With `whole`, all data are for training, as records
/// from Python are; without, they are split as the program splits a folder.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called from one place in Python, in order")]
pub(crate) fn train_texts(
    py: Python<'_>,
    dataset: &PyDataset,
    method: String,
    settings: &str,
    seed: u64,
    budget: f64,
    whole: bool,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(PyModel, String, String)> {
    let settings: Map<String, Value> = parse("settings", settings)?;
    if method == "auto" {
        let candidates = open_candidates(dataset, &settings, seed).or_raise()?;
        if candidates.len() > 1 {
            return choose(py, dataset, candidates, budget, whole, threads, progress);
        }
    }
    let method = if method == "auto" { METHOD.to_string() } else { method };
    let plan = plan(dataset, &method, settings, seed).or_raise()?;
    let (data, planned) = (Arc::clone(&dataset.inner), plan.clone());
    let outcome = work::run(py, progress, move |observer| {
        let threads = Threads::new(threads)?;
        let rule = if whole { whole_rule(&plan)? } else { SplitRule { seed: plan.seed, ..SplitRule::default() } };
        let prepared = Prepared::fit(&data, &plan.text, rule, &threads)?;
        // Making vectors may take long; whoever asked to stop meanwhile is heard here.
        work::report(observer, "vectors", 1, 1)?;
        plan.run_prepared(&prepared, &Constraints::default(), None, &threads, observer)
    })?;
    let Outcome { model, history, .. } = outcome;
    Ok((PyModel::new(model), json!(history).to_string(), json!(planned).to_string()))
}

/// The plans to choose from, where nothing is set.
fn open_candidates(dataset: &PyDataset, settings: &Map<String, Value>, seed: u64) -> Result<Vec<Candidate>> {
    if let Some(key) = settings.keys().next() {
        return Err(Error::param("settings", key, "a method with it: method=\"auto\" chooses all parameters"));
    }
    candidates(&dataset.inner, seed)
}

fn choose(
    py: Python<'_>,
    dataset: &PyDataset,
    candidates: Vec<Candidate>,
    budget: f64,
    whole: bool,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(PyModel, String, String)> {
    let no_time = |_| Error::param("budget", budget, "a number of seconds, at least 0");
    let budget = Duration::try_from_secs_f64(budget).map_err(no_time).or_raise()?;
    let data = Arc::clone(&dataset.inner);
    let found = work::run(py, progress, move |observer| {
        let seed = candidates.first().map_or(1, |candidate| candidate.plan.seed);
        let shares = if whole { Shares::try_new(8.0, 1.0, 0.0)? } else { SplitRule::default().shares };
        let rule = SplitRule { seed, shares, ..SplitRule::default() };
        search(&data, &candidates, rule, budget, &Threads::new(threads)?, observer)
    })?;
    let mut plan = json!(found.plan);
    plan["search"] = json!(found.search);
    Ok((PyModel::new(found.outcome.model), json!(found.outcome.history).to_string(), plan.to_string()))
}

/// Trains a model further on the preferences of a data set, all of them.
#[pyfunction]
pub(crate) fn update_texts(
    py: Python<'_>,
    model: &PyModel,
    dataset: &PyDataset,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyModel> {
    let (model, data) = (Arc::clone(&model.inner), Arc::clone(&dataset.inner));
    let outcome = work::run(py, progress, move |observer| {
        let rule = SplitRule { shares: Shares::try_new(1.0, 0.0, 0.0)?, ..SplitRule::default() };
        // What came from memory has no bytes to tell: the hash stays that of what was read.
        let before = qwd::train::update::preferences_seen(model.provenance()).and_then(Fingerprint::parse_hash);
        let seen = Fingerprint { path: PathBuf::from("preferences"), n_bytes: 0, hash: before.unwrap_or_default() };
        update_by(&model, &data, &rule, &seen, &Threads::new(threads)?, observer)
    })?;
    Ok(PyModel::new(outcome.model))
}

/// Measures a model on a split of a data set: `{"metrics", "standard_errors", "n_queries", "queries"}` as JSON.
#[pyfunction]
pub(crate) fn evaluate_texts(
    py: Python<'_>,
    model: &PyModel,
    dataset: &PyDataset,
    split_name: &str,
    metrics: Option<String>,
    threads: usize,
) -> PyResult<String> {
    let split = split(split_name).or_raise()?;
    let metrics = metrics.as_deref().map(parse_metrics).transpose().or_raise()?;
    let (model, data) = (Arc::clone(&model.inner), Arc::clone(&dataset.inner));
    let evaluation = work::run(py, None, move |_| {
        let threads = Threads::new(threads)?;
        let entrant = Entrant::of_model(&model, &data, &threads)?;
        let metrics = match metrics {
            Some(metrics) => metrics,
            None => usual_metrics(&entrant.task(split)?),
        };
        entrant.evaluate(split, &metrics, &threads)
    })?;
    Ok(figures(&evaluation).to_string())
}

/// An evaluation as JSON, with the values of each query.
pub(crate) fn figures(evaluation: &Evaluation) -> Value {
    let names: Vec<String> = evaluation.metrics().iter().map(ToString::to_string).collect();
    let of_query = |values: &[Option<f64>]| -> Map<String, Value> {
        names.iter().cloned().zip(values.iter().map(|value| json!(value))).collect()
    };
    let queries: Map<String, Value> =
        evaluation.queries().map(|(query, values)| (query.to_string(), Value::Object(of_query(values)))).collect();
    let mut summary = json!(evaluation.summary());
    summary["queries"] = Value::Object(queries);
    summary
}

fn plan(dataset: &PyDataset, method: &str, settings: Map<String, Value>, seed: u64) -> Result<Plan> {
    let mut plan = default_plan_for(&dataset.inner, method)?;
    plan.seed = seed;
    let settings: Vec<Setting> = settings.into_iter().map(|(key, value)| Setting { key, value }).collect();
    let plan = apply(&plan, &settings)?;
    if plan.train.name() != method {
        return Err(Error::param("settings", "train.method", "no other method: name it as method="));
    }
    plan.check()?;
    Ok(plan)
}

/// All data train, but for a ninth of the queries where early stopping needs some to look at.
fn whole_rule(plan: &Plan) -> Result<SplitRule> {
    let shares = if plan.stop.is_some() { Shares::try_new(8.0, 1.0, 0.0)? } else { Shares::try_new(1.0, 0.0, 0.0)? };
    Ok(SplitRule { seed: plan.seed, shares, ..SplitRule::default() })
}
