//! How well W ranks, and how long it takes to rank so well.

use crate::arguments::Arguments;
use crate::setup;
use crate::training::timed;
use qwd_core::{Error, Result, Threads};
use qwd_data::Split;
use qwd_metrics::Metric;
use qwd_model::Matrix;
use qwd_train::{Checkpoints, Constraints, Prepared, Session, Start, Watcher, evaluate};
use serde_json::{Value, json};

/// Evaluates a W from elsewhere: little-endian floats, row by row.
pub(crate) fn eval(arguments: &Arguments) -> Result<Value> {
    let data = setup::open(arguments)?;
    let plan = setup::plan(arguments)?;
    let threads = Threads::new(0)?;
    let prepared = setup::vectors(&data, &plan, &threads)?;
    let n_words = prepared.train_vectors().queries.n_cols() as usize;
    let path = arguments.path("weights")?;
    let bytes = std::fs::read(&path).map_err(|e| Error::io(&path, "read", e))?;
    if bytes.len() != n_words * n_words * 4 {
        let what = format!("{} bytes of weights for {n_words} x {n_words} words", bytes.len());
        return Err(Error::bad_data(what, "write 4 bytes for every word pair"));
    }
    let weights = bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    drop(bytes);
    figures(&Matrix::dense(n_words, n_words, weights)?, &prepared, &threads)
}

/// Finds the number of tuples after which W first ranks so well, then times a run of just so many.
pub(crate) fn reach(arguments: &Arguments) -> Result<Value> {
    let data = setup::open(arguments)?;
    let plan = setup::plan(arguments)?;
    let all_threads = Threads::new(0)?;
    let prepared = setup::vectors(&data, &plan, &all_threads)?;
    let tuples = setup::tuples(&prepared, &plan)?;
    let wanted = arguments.number("map", 1.0)?;
    let checkpoints = Checkpoints { every: arguments.number("every", 2_000)?, patience: None };
    let mut climb = Climb { prepared: &prepared, threads: &all_threads, wanted, curve: Vec::new() };
    climb_until_there(&plan, &prepared, &tuples, checkpoints, &mut climb)?;
    let Some(&(n_tuples, map)) = climb.curve.last().filter(|(_, map)| *map >= wanted) else {
        return Ok(json!({ "params": plan.train.params(), "reached": false, "curve": climb.curve }));
    };
    let mut runs = serde_json::Map::new();
    for n_threads in 1..=arguments.number("threads", 1)? {
        let threads = Threads::new(n_threads)?;
        let mut seconds = f64::INFINITY;
        for _ in 0..arguments.number("repeat", 1)? {
            seconds = seconds.min(timed(&plan, &prepared, &tuples[..n_tuples as usize], &threads)?.whole_seconds);
        }
        runs.insert(format!("seconds_with_{n_threads}_threads"), seconds.into());
    }
    let mut report = json!({
        "method": plan.train.name(),
        "params": plan.train.params(),
        "reached": true,
        "tuples": n_tuples,
        "map": map,
        "curve": climb.curve,
    });
    report.as_object_mut().into_iter().for_each(|report| report.append(&mut runs));
    Ok(report)
}

/// Trains until the watcher is content; being content is told as an interruption.
fn climb_until_there(
    plan: &qwd_train::Plan,
    prepared: &Prepared<'_>,
    tuples: &[qwd_data::Preference],
    checkpoints: Checkpoints,
    climb: &mut Climb<'_>,
) -> Result<()> {
    let problem = setup::problem(prepared, tuples)?;
    let threads = climb.threads;
    let session = &mut Session::quiet(threads).with_watcher(checkpoints, climb)?;
    match plan.train.train(&problem, Start::Identity, &Constraints::default(), None, session) {
        Ok(_) | Err(Error::Interrupted) => Ok(()),
        Err(error) => Err(error),
    }
}

/// MAP on the test half at each look, until it is as wanted.
struct Climb<'a> {
    prepared: &'a Prepared<'a>,
    threads: &'a Threads,
    wanted: f64,
    curve: Vec<(u64, f64)>,
}

impl Watcher for Climb<'_> {
    fn look(&mut self, t: u64, matrix: &Matrix) -> Result<Option<f64>> {
        let (task, vectors) = self.prepared.task(Split::Test)?;
        let metric: Metric = "map".parse()?;
        let evaluation = evaluate(matrix, &task, vectors, self.prepared, &[metric], self.threads)?;
        let map = evaluation.summary().metrics.get(metric).unwrap_or(0.0);
        self.curve.push((t, map));
        if map >= self.wanted { Err(Error::Interrupted) } else { Ok(None) }
    }
}

/// MAP, pair error and density on the test half.
pub(crate) fn figures(matrix: &Matrix, prepared: &Prepared<'_>, threads: &Threads) -> Result<Value> {
    let (task, vectors) = prepared.task(Split::Test)?;
    let metrics: [Metric; 2] = ["map".parse()?, "error".parse()?];
    let summary = evaluate(matrix, &task, vectors, prepared, &metrics, threads)?.summary();
    let n_nonzero = match matrix {
        Matrix::Dense(dense) => dense.weights().iter().filter(|w| **w != 0.0).count() as f64,
        other => other.density() * (other.n_rows() * other.n_cols()) as f64,
    };
    Ok(json!({
        "map": summary.metrics.get(metrics[0]),
        "error": summary.metrics.get(metrics[1]),
        "density": n_nonzero / (matrix.n_rows() * matrix.n_cols()) as f64,
    }))
}
