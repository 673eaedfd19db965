//! Learning curves from what runs have written: reports of `qwd train --report`, and figures of `qwd reproduce --json`.

use crate::plot::{Axis, Figure, LearningCurve, LearningCurves, Lines, Series};
use crate::reproduce::{CurvePoint, Report, Row};
use qwd_core::error::Place;
use qwd_core::{Error, Result};
use qwd_train::Look;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// The parts of a training report that curves are made of.
#[derive(Debug, Deserialize)]
struct TrainReport {
    method: String,
    plan: Value,
    history: Vec<Look>,
    progress: Vec<LossSample>,
}

#[derive(Debug, Deserialize)]
struct LossSample {
    step: u64,
    loss: Option<f64>,
}

/// Makes a figure of reports, of training runs or of one experiment; nothing if the files are no reports.
pub fn of_reports(files: &[(&Path, Vec<u8>)], title: &str) -> Result<Option<Figure>> {
    let values = files.iter().map(|(path, bytes)| parse(path, bytes)).collect::<Result<Vec<Value>>>()?;
    if let [experiment] = values.as_slice()
        && let Ok(report) = Report::deserialize(experiment)
    {
        return of_experiment(&report, title).map(Some);
    }
    if values.is_empty() || values.iter().any(|value| value.get("history").is_none()) {
        return Ok(None);
    }
    let mut reports = Vec::new();
    for ((path, _), value) in files.iter().zip(values) {
        let report: TrainReport = serde_json::from_value(value).map_err(|e| no_report(path, &e))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        reports.push((format!("{} ({stem})", report.method), report));
    }
    Ok(Some(of_training(&reports, title)?))
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Value> {
    serde_json::from_slice(bytes).map_err(|e| no_report(path, &e))
}

fn no_report(path: &Path, e: &serde_json::Error) -> Error {
    let place = Place::new(path, e.line() as u64, e.column() as u64);
    Error::parse(place, format!("no usable report: {e}"), "give what `qwd train --report` wrote")
}

fn of_experiment(report: &Report, title: &str) -> Result<Figure> {
    if report.rows.iter().flat_map(|row| &row.curve).any(|point| point.train_error.is_some()) {
        return Ok(train_and_test(report, title).into());
    }
    let mut figure = LearningCurve { title: title.to_string(), data_sets: Vec::new() };
    for row in report.rows.iter().filter(|row| !row.curve.is_empty()) {
        let known = figure.data_sets.iter().position(|d| d.name == row.dataset);
        let known = known.unwrap_or_else(|| {
            figure.data_sets.push(LearningCurves { name: row.dataset.clone(), ..LearningCurves::default() });
            figure.data_sets.len() - 1
        });
        figure.data_sets[known].error.push(series(row, |point| point.error));
        figure.data_sets[known].density.push(series(row, |point| point.density));
    }
    if figure.data_sets.is_empty() {
        let what = format!("the experiment {} has no curves", report.name);
        return Err(Error::bad_data(what, "run one of the figures, for example 1-figure1-20ng"));
    }
    Ok(figure.into())
}

/// The error on the tuples of training and on those of the test, for every row.
fn train_and_test(report: &Report, title: &str) -> Lines {
    let mut series = Vec::new();
    for row in &report.rows {
        let points = |value: &dyn Fn(&CurvePoint) -> Option<f64>| -> Vec<(f64, f64)> {
            row.curve.iter().filter_map(|point| Some((point.tuples as f64, value(point)?))).collect()
        };
        series.push(Series::new(format!("{}, test", row.method), points(&|point| Some(point.error))));
        series.push(Series::new(format!("{}, training", row.method), points(&|point| point.train_error)));
    }
    Lines { title: title.to_string(), x: Axis::linear("training tuples"), y: Axis::linear("rank loss"), series }
}

fn series(row: &Row, value: impl Fn(&CurvePoint) -> f64) -> Series {
    Series::new(row.method.clone(), row.curve.iter().map(|point| (point.tuples as f64, value(point))))
}

/// The figure on held-out data where runs looked at any, else the loss.
fn of_training(reports: &[(String, TrainReport)], title: &str) -> Result<Figure> {
    let metric = |report: &TrainReport| report.plan.pointer("/stop/metric").and_then(Value::as_str).map(str::to_string);
    let first = reports.first().and_then(|(_, report)| metric(report));
    let Some(metric) = first.filter(|m| reports.iter().all(|(_, r)| metric(r).as_ref() == Some(m))) else {
        let losses =
            |r: &TrainReport| r.progress.iter().filter_map(|s| Some((s.step as f64, s.loss?))).collect::<Vec<_>>();
        return Ok(lines(title, "mean loss", reports, losses).into());
    };
    let points = |value: fn(&Look) -> f64| {
        move |r: &TrainReport| r.history.iter().map(|look| (look.step as f64, value(look))).collect::<Vec<_>>()
    };
    if metric != "error" {
        return Ok(lines(title, &metric, reports, points(|look| look.figure)).into());
    }
    let all = |points: &dyn Fn(&TrainReport) -> Vec<(f64, f64)>| {
        reports.iter().map(|(name, report)| Series::new(name.clone(), points(report))).collect()
    };
    let (error, density) = (all(&points(|look| look.figure)), all(&points(|look| look.density)));
    let curves = LearningCurves { name: "validation".to_string(), error, density };
    Ok(LearningCurve { title: title.to_string(), data_sets: vec![curves] }.into())
}

fn lines(
    title: &str,
    label: &str,
    reports: &[(String, TrainReport)],
    points: impl Fn(&TrainReport) -> Vec<(f64, f64)>,
) -> Lines {
    let series = reports.iter().map(|(name, report)| Series::new(name.clone(), points(report))).collect();
    Lines { title: title.to_string(), x: Axis::linear("training steps"), y: Axis::linear(label), series }
}
