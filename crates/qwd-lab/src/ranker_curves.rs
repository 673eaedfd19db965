//! Figures of rankers: nDCG against its depth, objective and gap against iteration or seconds, weights along a path.

use crate::plot::{Axis, Lines, Series};
use crate::reproduce::Report;
use qwd_core::{Error, Result};
use qwd_rank::Named;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::str::FromStr;

/// What is drawn of a report of `qwd rank train`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The objective along the training.
    Objective,
    /// The duality gap along the training.
    Gap,
    /// The weights against the radius.
    Weights,
}

impl FromStr for Shown {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "objective" => Ok(Self::Objective),
            "gap" => Ok(Self::Gap),
            "weights" => Ok(Self::Weights),
            _ => Err(Error::param("--show", name, "objective, gap or weights")),
        }
    }
}

/// The parts of a report of `qwd rank train` that figures are made of.
#[derive(Debug, Deserialize)]
pub struct TrainReport {
    fits: Vec<Fit>,
}

#[derive(Debug, Deserialize)]
struct Fit {
    radius: f64,
    ranker: Weights,
    trace: Vec<Point>,
}

#[derive(Debug, Deserialize)]
struct Weights {
    weights: Vec<f64>,
}

#[derive(Debug, Deserialize)]
struct Point {
    iteration: u64,
    objective: f64,
    gap: f64,
    seconds: f64,
}

/// Draws what a training report tells, against iterations or seconds; weights are drawn against the radius.
pub fn of_training(report: &TrainReport, shown: Shown, by_seconds: bool, title: &str) -> Result<Lines> {
    if report.fits.is_empty() {
        return Err(Error::bad_data("the report has no trace", "train with the method fenchel, which keeps one"));
    }
    if shown == Shown::Weights {
        return Ok(weights(report, title));
    }
    let x = |p: &Point| if by_seconds { p.seconds } else { p.iteration as f64 };
    let y = |p: &Point| if shown == Shown::Gap { p.gap } else { p.objective };
    let series = report
        .fits
        .iter()
        .map(|fit| Series::new(format!("r = {}", fit.radius), fit.trace.iter().map(|p| (x(p), y(p).max(0.0)))));
    let label = if shown == Shown::Gap { "duality gap" } else { "objective" };
    Ok(Lines {
        title: title.to_string(),
        x: Axis::linear(if by_seconds { "seconds" } else { "iterations" }),
        y: Axis::log(label),
        series: series.collect(),
    })
}

/// The most lines of a figure.
const MAX_LINES: usize = 24;

/// The regularisation path: a line for each of the features of greatest weight anywhere.
fn weights(report: &TrainReport, title: &str) -> Lines {
    let mut strength: BTreeMap<usize, f64> = BTreeMap::new();
    for fit in &report.fits {
        for (j, weight) in fit.ranker.weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let most = strength.entry(j).or_default();
            *most = most.max(weight.abs());
        }
    }
    let mut features: Vec<(usize, f64)> = strength.into_iter().collect();
    features.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let line = |&(j, _): &(usize, f64)| {
        let weight = |fit: &Fit| fit.ranker.weights.get(j).copied().unwrap_or(0.0);
        Series::new(format!("{}", j + 1), report.fits.iter().map(|fit| (fit.radius, weight(fit))))
    };
    let series = features.iter().take(MAX_LINES).map(line).collect();
    Lines { title: title.to_string(), x: Axis::log("radius"), y: Axis::linear("weight"), series }
}

/// nDCG against its depth, a line for each name.
pub fn ndcg(figures: &[(&str, &Named)], title: &str) -> Result<Lines> {
    let points = |named: &Named| curve(named.0.iter().map(|(name, value)| (name.as_str(), *value)));
    lines(figures.iter().map(|(name, named)| (*name, points(named))).collect(), title)
}

/// nDCG against its depth, a line for each row of an experiment; single features are drawn against their number.
pub fn of_experiment(report: &Report, title: &str) -> Result<Lines> {
    let feature = |method: &str| method.strip_prefix("feature-").and_then(|n| n.parse::<f64>().ok());
    let numbered = report.rows.iter().filter_map(|row| Some((feature(&row.method)?, *row.metrics.get("ndcg@10")?)));
    let numbered: Vec<(f64, f64)> = numbered.collect();
    if numbered.is_empty() {
        let points = |row: &crate::reproduce::Row| curve(row.metrics.iter().map(|(name, x)| (name.as_str(), *x)));
        return lines(report.rows.iter().map(|row| (row.method.as_str(), points(row))).collect(), title);
    }
    let last = numbered.last().map_or(1.0, |(n, _)| *n);
    let mut series = vec![Series::new("single features", numbered)];
    let random = report.rows.iter().find(|row| row.method == "random").and_then(|row| row.metrics.get("ndcg@10"));
    series.extend(random.map(|&x| Series::new("random weights", [(1.0, x), (last, x)])));
    Ok(Lines { title: title.to_string(), x: Axis::linear("feature"), y: Axis::linear("ndcg@10"), series })
}

/// The points of `ndcg@k`, by k.
fn curve<'a>(figures: impl Iterator<Item = (&'a str, f64)>) -> Vec<(f64, f64)> {
    let at = |(name, value): (&str, f64)| Some((name.strip_prefix("ndcg@")?.parse::<f64>().ok()?, value));
    let mut points: Vec<(f64, f64)> = figures.filter_map(at).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

fn lines(curves: Vec<(&str, Vec<(f64, f64)>)>, title: &str) -> Result<Lines> {
    let series: Vec<Series> =
        curves.into_iter().filter(|(_, points)| !points.is_empty()).map(|(name, p)| Series::new(name, p)).collect();
    if series.is_empty() {
        return Err(Error::bad_data("there is no ndcg@k to draw", "give a report with nDCG at several depths"));
    }
    Ok(Lines { title: title.to_string(), x: Axis::linear("k"), y: Axis::linear("ndcg@k"), series })
}
