//! Parameters chosen on the validation split: every combination of a grid is trained and measured.
//!
//! Training never sees the validation split, whether the data bring one or it is held out of the training split. Vectors
//! are made once for every way of making them that the grid asks for. A combination that diverges is reported and passed
//! over. Cost: a training run and an evaluation for each combination.

use crate::held_out::with_validation;
use crate::plot::{DensityPath, L1Path, L1Point};
use crate::prepared_texts::PreparedTexts;
use crate::settings::{Setting, apply, parse_value};
use qwd_core::{Control, Error, Observer, Progress, Result, Threads};
use qwd_data::{Opened, SplitRule};
use qwd_metrics::{Depth, Metric, Summary};
use qwd_train::{Constraints, Plan, Prepared, evaluate};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Instant;

/// More combinations than this are surely a mistake.
const MAX_TRIALS: usize = 10_000;

/// A key and the values to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The key, as settings have it.
    pub key: String,
    /// The values.
    pub values: Vec<Value>,
}

impl FromStr for Axis {
    type Err = Error;

    /// Reads `key=v1,v2,…` or `key=[v1, v2, …]`.
    fn from_str(text: &str) -> Result<Self> {
        let expected = || Error::param("grid", text, "key=value,value,...");
        let (key, values) = text.split_once('=').ok_or_else(expected)?;
        let values = match serde_json::from_str(values) {
            Ok(Value::Array(values)) => values,
            _ => values.split(',').map(parse_value).collect(),
        };
        let is_empty = |value: &Value| value.as_str().is_some_and(str::is_empty);
        if key.trim().is_empty() || values.is_empty() || values.iter().any(is_empty) {
            return Err(expected());
        }
        Ok(Self { key: key.trim().to_string(), values })
    }
}

/// One combination and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// The settings that tell it from the others.
    pub settings: BTreeMap<String, Value>,
    /// The figures on the validation split; nothing if training diverged.
    pub validation: Option<Summary>,
    /// The share of non-zero entries of W.
    pub density: Option<f64>,
    /// Training steps that led to the model.
    pub steps: Option<u64>,
    /// How long training took.
    pub seconds: f64,
    /// Why there are no figures.
    pub failure: Option<String>,
}

/// All trials and the best of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuning {
    /// What decides.
    pub metric: Metric,
    /// The number of the best trial, from 0; the first one of several as good.
    pub best: usize,
    /// The best plan, which `--config` takes.
    pub plan: Plan,
    /// All trials, in the order of the grid.
    pub trials: Vec<Trial>,
}

impl Tuning {
    /// MAP against density along the penalties of the grid, a path for each combination of its other keys. Trials
    /// that diverged are left out.
    pub fn density_path(&self) -> DensityPath {
        let mut paths: Vec<L1Path> = Vec::new();
        for (trial, point) in self.trials.iter().filter_map(|trial| Some((trial, trial.point()?))) {
            let name = trial.name_without(PENALTY);
            match paths.iter_mut().find(|path| path.name == name) {
                Some(path) => path.points.push(point),
                None => paths.push(L1Path { name, points: vec![point] }),
            }
        }
        DensityPath { title: "Validation MAP against the density of W".to_string(), paths }
    }
}

/// Checks before any training that the trials will make a [`Tuning::density_path`].
pub fn check_density_path(grid: &[Axis], metrics: &[Metric]) -> Result<()> {
    if !grid.iter().any(|axis| axis.key == PENALTY) {
        return Err(Error::param("grid", "(no l1)", "values for l1: the path leads along them"));
    }
    if !metrics.contains(&Metric::AveragePrecision(Depth::WHOLE)) {
        return Err(Error::param("metric", "(no map)", "map among the metrics: the path shows it"));
    }
    Ok(())
}

/// The key that a density path leads along.
const PENALTY: &str = "l1";

impl Trial {
    fn point(&self) -> Option<L1Point> {
        let map = self.validation.as_ref()?.metrics.get(Metric::AveragePrecision(Depth::WHOLE))?;
        Some(L1Point { l1: self.settings.get(PENALTY)?.as_f64()?, density: self.density?, map })
    }

    /// What tells it from the others, but for one key.
    fn name_without(&self, key: &str) -> String {
        let others = self.settings.iter().filter(|(other, _)| *other != key);
        let named: Vec<String> = others.map(|(key, value)| format!("{key} = {value}")).collect();
        if named.is_empty() { "all".to_string() } else { named.join(", ") }
    }
}

/// Trains every combination of the grid from `base` and measures it; the first metric decides.
pub fn tune(
    data: Opened,
    base: &Plan,
    grid: &[Axis],
    metrics: &[Metric],
    threads: &Threads,
    observer: &dyn Observer,
) -> Result<Tuning> {
    let Some(&metric) = metrics.first() else { return Err(Error::param("metrics", "(none)", "at least one metric")) };
    let combinations = combinations(grid)?;
    let plans: Vec<Plan> = combinations.iter().map(|c| apply(base, c)).collect::<Result<_>>()?;
    plans.iter().try_for_each(Plan::check)?;
    let rule = SplitRule { seed: base.seed, ..SplitRule::default() };
    if plans.iter().any(|plan| plan.seed != base.seed) {
        return Err(Error::param("grid", "seed", "other keys: another seed would hold other data out"));
    }
    let (data, split) = with_validation(data, &rule)?;
    let mut prepared = PreparedTexts::new(&data, rule);
    let mut trials = Vec::with_capacity(plans.len());
    for (i, (plan, settings)) in plans.iter().zip(&combinations).enumerate() {
        let prepared = prepared.get(&plan.text, threads)?;
        let numbered = Numbered { observer, trial: i as u64, n_trials: plans.len() as u64 };
        let started = Instant::now();
        let outcome = train_and_measure(plan, prepared, split, metrics, threads, &numbered);
        trials.push(trial(settings, outcome, started.elapsed().as_secs_f64())?);
    }
    let best = best_of(&trials, metric)?;
    Ok(Tuning { metric, best, plan: plans[best].clone(), trials })
}

/// The figures of a plan, with its density and steps.
type Measured = (Summary, f64, u64);

fn train_and_measure(
    plan: &Plan,
    prepared: &Prepared<'_>,
    split: qwd_data::Split,
    metrics: &[Metric],
    threads: &Threads,
    observer: &dyn Observer,
) -> Result<Measured> {
    let outcome = plan.run_prepared(prepared, &Constraints::default(), None, threads, observer)?;
    let (task, vectors) = prepared.task(split)?;
    let matrix = outcome.model.matrix();
    let evaluation = evaluate(matrix, &task, vectors, prepared, metrics, threads)?;
    Ok((evaluation.summary(), matrix.density(), outcome.steps))
}

fn trial(settings: &[Setting], outcome: Result<Measured>, seconds: f64) -> Result<Trial> {
    let settings = settings.iter().map(|s| (s.key.clone(), s.value.clone())).collect();
    let empty = Trial { settings, validation: None, density: None, steps: None, seconds, failure: None };
    match outcome {
        Ok((summary, density, steps)) => {
            Ok(Trial { validation: Some(summary), density: Some(density), steps: Some(steps), ..empty })
        }
        Err(e @ Error::Diverged { .. }) => Ok(Trial { failure: Some(e.to_string()), ..empty }),
        Err(e) => Err(e),
    }
}

fn best_of(trials: &[Trial], metric: Metric) -> Result<usize> {
    let figure = |trial: &Trial| {
        let mean = trial.validation.as_ref()?.metrics.get(metric)?;
        Some(if metric.higher_is_better() { mean } else { -mean })
    };
    let mut best: Option<(usize, f64)> = None;
    for (i, figure) in trials.iter().enumerate().filter_map(|(i, trial)| Some((i, figure(trial)?))) {
        if best.is_none_or(|(_, so_far)| figure > so_far) {
            best = Some((i, figure));
        }
    }
    best.map(|(i, _)| i)
        .ok_or_else(|| Error::bad_data("every combination of the grid diverged", "lower the learning rates"))
}

/// Every combination of the grid's values, the last key changing fastest.
fn combinations(grid: &[Axis]) -> Result<Vec<Vec<Setting>>> {
    if let Some(twice) = grid.iter().enumerate().find(|(i, axis)| grid[..*i].iter().any(|a| a.key == axis.key)) {
        return Err(Error::param("grid", &twice.1.key, "each key once"));
    }
    let n = grid.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.values.len())).unwrap_or(usize::MAX);
    if n > MAX_TRIALS {
        return Err(Error::limit("the number of combinations", MAX_TRIALS as u64, n as u64, "try fewer values"));
    }
    let mut all = vec![Vec::new()];
    for axis in grid {
        let longer = |so_far: &Vec<Setting>| {
            let with = |value: &Value| {
                let mut settings = so_far.clone();
                settings.push(Setting { key: axis.key.clone(), value: value.clone() });
                settings
            };
            axis.values.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    Ok(all)
}

/// Tells an observer of one trial's progress as a part of the whole.
struct Numbered<'a> {
    observer: &'a dyn Observer,
    trial: u64,
    n_trials: u64,
}

impl Observer for Numbered<'_> {
    fn progress(&self, progress: &Progress) -> Control {
        let total = progress.total.max(progress.done).max(1);
        let done = self.trial * total + progress.done;
        self.observer.progress(&Progress { stage: "tuning", done, total: total * self.n_trials, ..progress.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_grid_is_the_product_of_its_axes() {
        let grid: Vec<Axis> = ["l1=0,1e-5", "schedule=fixed,decaying"].map(|a| a.parse().expect("an axis")).into();
        let all = combinations(&grid).expect("four");
        assert_eq!(all.len(), 4);
        let second = [("l1", json!(0)), ("schedule", json!("decaying"))];
        assert!(all[1].iter().map(|s| (s.key.as_str(), s.value.clone())).eq(second));
        combinations(&[grid[0].clone(), grid[0].clone()]).expect_err("a key twice");
        for bad in ["l1", "=1", "l1=", "l1=1,,2"] {
            bad.parse::<Axis>().expect_err(bad);
        }
    }
}
