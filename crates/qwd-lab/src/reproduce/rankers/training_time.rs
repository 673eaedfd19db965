//! Table 6: the seconds of FenchelRank and of TGRank on each fold, at matching regularisation, on one thread.
//!
//! TGRank learns w with a fixed C and 1000 iterations; FenchelRank then has r = C‖w‖₁, 1000 iterations at most and its usual
//! gap. Past the paper's protocol, `fenchel-same-norm` has r = ‖w‖₁, the ball on whose surface TGRank ended.

use super::Opened;
use super::definition::Definition;
use crate::reproduce::{Row, Setting};
use qwd_core::{Error, Result, Threads};
use qwd_rank::{FeatureSet, Method, Ranker};
use serde_json::json;
use std::time::Instant;

/// Each training is repeated, and the shortest time counts.
const REPEATS: usize = 3;

/// What one training took and gave.
struct Timed {
    ranker: Ranker,
    seconds: f64,
}

pub(super) fn run(definition: &Definition, opened: &Opened, setting: Setting<'_>) -> Result<Vec<Row>> {
    let c = definition.c.ok_or_else(|| Error::internal("a table of training times needs c"))?;
    let mut rows = Vec::new();
    let mut sums = [("fenchel", [0.0; 2]), ("fenchel-same-norm", [0.0; 2]), ("tgrank", [0.0; 2])];
    for (at, fold) in opened.folds.iter().enumerate() {
        let slow = train(Method::from_json("tgrank", json!({ "c": c, "iterations": 1000 }))?, &fold.train, setting)?;
        let Ranker::Linear(linear) = &slow.ranker else { return Err(Error::internal("TGRank is linear")) };
        let norm: f64 = linear.weights().iter().map(|w| w.abs()).sum();
        let fenchel = |radius: f64| {
            let method = Method::from_json("fenchel", json!({ "radius": radius, "max_iterations": 1000 }))?;
            train(method, &fold.train, setting)
        };
        let (fast, same) = (fenchel(c * norm)?, fenchel(norm)?);
        let runs = [(&fast, ("radius", c * norm)), (&same, ("radius", norm)), (&slow, ("c", c))];
        for ((method, sums), (timed, (key, value))) in sums.iter_mut().zip(runs) {
            sums[0] += timed.seconds;
            sums[1] += timed.ranker.sparsity();
            let mut row = definition.empty_row(&format!("{method}-fold{}", at + 1), opened.collection);
            row.metrics = figures(timed.seconds, timed.ranker.sparsity());
            row.metrics.insert(key.into(), value);
            rows.push(row);
        }
    }
    let n = opened.folds.len() as f64;
    let slow = sums[2].1;
    for (method, [seconds, sparsity]) in sums {
        let mut row = definition.empty_row(method, opened.collection);
        row.metrics = figures(seconds / n, sparsity / n);
        row.metrics.insert("times_faster".into(), slow[0] / seconds);
        row.metrics.insert("times_sparser".into(), slow[1] / sparsity);
        rows.push(row);
    }
    Ok(rows)
}

fn train(method: Method, set: &FeatureSet, setting: Setting<'_>) -> Result<Timed> {
    let mut best: Option<Timed> = None;
    for _ in 0..REPEATS {
        let begun = Instant::now();
        let ranker = method.train(set, None, &Threads::default(), setting.observer)?;
        let seconds = begun.elapsed().as_secs_f64();
        if best.as_ref().is_none_or(|best| seconds < best.seconds) {
            best = Some(Timed { ranker, seconds });
        }
    }
    best.ok_or_else(|| Error::internal("a training is repeated at least once"))
}

fn figures(seconds: f64, sparsity: f64) -> std::collections::BTreeMap<String, f64> {
    [("train_seconds".to_string(), seconds), ("sparsity".to_string(), sparsity)].into()
}
