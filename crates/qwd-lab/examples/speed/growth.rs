//! What the time grows with: tuples, words, density.

use crate::arguments::Arguments;
use crate::setup;
use crate::traffic::Counts;
use crate::training::timed;
use qwd_core::{Result, Threads};
use qwd_data::Opened;
use qwd_train::{Method, Plan};
use serde_json::{Value, json};

pub(crate) fn run(arguments: &Arguments) -> Result<Value> {
    let data = setup::open(arguments)?;
    let threads = Threads::new(arguments.number("threads", 1)?)?;
    let n_tuples: u64 = arguments.number("tuples", 25_000)?;
    let (words, l1) = (10_000, 1e-5);
    let mut plans = Vec::new();
    for factor in [1, 2, 4] {
        plans.push(("tuples", plan(n_tuples * factor, words, l1)?));
    }
    for words in [5_000, 10_000, 20_000, 40_000] {
        plans.push(("words", plan(n_tuples, words, l1)?));
    }
    for l1 in [0.0, 1e-6, 3e-6, 1e-5, 3e-5] {
        plans.push(("density", plan(n_tuples, words, l1)?));
    }
    let rows: Result<Vec<Value>> = plans.iter().map(|(varied, plan)| row(varied, plan, &data, &threads)).collect();
    Ok(Value::Array(rows?))
}

fn plan(n_tuples: u64, n_words: u64, l1: f64) -> Result<Plan> {
    setup::plan_of(Method::from_json("sparse-sgd", json!({ "l1": l1 }))?, n_tuples, n_words)
}

fn row(varied: &str, plan: &Plan, data: &Opened, threads: &Threads) -> Result<Value> {
    let prepared = setup::vectors(data, plan, threads)?;
    let tuples = setup::tuples(&prepared, plan)?;
    let counts = Counts::of(plan, &prepared, &tuples)?;
    let run = timed(plan, &prepared, &tuples, threads)?;
    let touched = counts.touched() * tuples.len() as f64;
    Ok(json!({
        "varied": varied,
        "tuples": tuples.len(),
        "words": plan.text.vocabulary.n_words,
        "l1": plan.train.params()["l1"],
        "density": run.trained.matrix.density(),
        "step_share": counts.step_share,
        "touched_per_tuple": counts.touched(),
        "lines_per_tuple": counts.block_lines,
        "seconds": run.learning_seconds,
        "pairs_touched": touched,
        "ns_per_pair": run.learning_seconds * 1e9 / touched,
    }))
}
