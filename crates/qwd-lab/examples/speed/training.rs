//! Timed training runs.

use crate::arguments::Arguments;
use crate::machine::cpu_seconds;
use crate::{machine, setup, traffic};
use qwd_core::{Control, Observer, Progress, Result, Threads};
use qwd_data::Preference;
use qwd_train::{Constraints, Plan, Prepared, Session, Start, Trained};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::time::Instant;

pub(crate) fn run(arguments: &Arguments) -> Result<Value> {
    let data = setup::open(arguments)?;
    let plan = setup::plan(arguments)?;
    let prepared = setup::vectors(&data, &plan, &Threads::new(0)?)?;
    let tuples = setup::tuples(&prepared, &plan)?;
    let threads = Threads::new(arguments.number("threads", 1)?)?;
    let mut best: Option<Timed> = None;
    let mut all = Vec::new();
    for _ in 0..arguments.number("repeat", 1)? {
        let timed = timed(&plan, &prepared, &tuples, &threads)?;
        all.push(timed.learning_seconds);
        if best.as_ref().is_none_or(|best| timed.learning_seconds < best.learning_seconds) {
            best = Some(timed);
        }
    }
    let Some(best) = best else { return Ok(Value::Null) };
    let mut report = json!({
        "method": plan.train.name(),
        "params": plan.train.params(),
        "threads": threads.count(),
        "tuples": tuples.len(),
        "learning_seconds": best.learning_seconds,
        "learning_cpu_seconds": best.cpu_seconds,
        "whole_seconds": best.whole_seconds,
        "all_learning_seconds": all,
        "tuples_per_second": tuples.len() as f64 / best.learning_seconds,
        "word_pairs_per_second": best.pairs as f64 / best.learning_seconds,
        "density": best.trained.matrix.density(),
    });
    if arguments.has("traffic") {
        let count = traffic::Counts::of(&plan, &prepared, &tuples)?;
        let memory = machine::Memory::measure(prepared.train_vectors().queries.n_cols() as usize);
        report["traffic"] = traffic::report(&count, &best, tuples.len(), &memory);
        report["machine"] = machine::report();
    }
    Ok(report)
}

/// A run, and how long it took.
pub(crate) struct Timed {
    pub(crate) trained: Trained,
    /// Seconds until the last step was taken.
    pub(crate) learning_seconds: f64,
    /// Processor seconds of all threads until then.
    pub(crate) cpu_seconds: f64,
    /// Seconds until W was there as a model holds it.
    pub(crate) whole_seconds: f64,
    /// Word pairs scored.
    pub(crate) pairs: u64,
}

/// Trains from I as the plan says; the vectors are made already.
pub(crate) fn timed(plan: &Plan, prepared: &Prepared<'_>, tuples: &[Preference], threads: &Threads) -> Result<Timed> {
    let problem = setup::problem(prepared, tuples)?;
    let clock = Clock { started: Instant::now(), cpu_before: cpu_seconds(), last: Mutex::default() };
    let session = &mut Session::new(threads, &clock);
    let trained = plan.train.train(&problem, Start::Identity, &Constraints::default(), None, session)?;
    let whole_seconds = clock.started.elapsed().as_secs_f64();
    let (learning_seconds, cpu_seconds, pairs) = clock.last.into_inner().unwrap_or_default();
    Ok(Timed { trained, learning_seconds, cpu_seconds, whole_seconds, pairs })
}

/// Notes when the last tuple was done. Training reports once more when its last step is taken.
struct Clock {
    started: Instant,
    cpu_before: f64,
    last: Mutex<(f64, f64, u64)>,
}

impl Observer for Clock {
    fn progress(&self, progress: &Progress) -> Control {
        if let Ok(mut last) = self.last.lock() {
            *last = (self.started.elapsed().as_secs_f64(), cpu_seconds() - self.cpu_before, progress.pairs);
        }
        Control::Continue
    }
}
