//! `qwd tune`: every combination of a grid, measured on the validation split.

use super::train::write_json;
use crate::data::DataArgs;
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{percent, table, with_error};
use crate::plans::{self, PlanArgs};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_lab::metrics::parse_metrics;
use qwd_lab::plot::Plot;
use qwd_lab::tune::{Axis, Trial, Tuning, check_density_path, tune};
use qwd_metrics::Metric;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = plans::help())]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    plan: PlanArgs,
    /// Values to try: `learning_rate=1,10,100`. Given several times, every combination is tried.
    #[arg(long, value_name = "KEY=V1,V2,...", required = true)]
    grid: Vec<Axis>,
    /// The metric that decides; more, after commas, are shown.
    #[arg(long, value_name = "METRIC", default_value = "map")]
    metric: String,
    /// Write the best plan, for `qwd train --config`.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw validation MAP against the density of W along the grid's values of l1, as SVG or PNG.
    #[arg(long, value_name = "FILE")]
    path: Option<PathBuf>,
}

pub(crate) fn run(args: &TuneArgs, here: &Surroundings) -> Outcome {
    let metrics = parse_metrics(&args.metric)?;
    if args.path.is_some() {
        check_density_path(&args.grid, &metrics)?;
    }
    let data = args.data.open(here.output)?;
    let plan = args.plan.plan(&data)?;
    let tuning = tune(data, &plan, &args.grid, &metrics, &here.threads, &here.bar)?;
    here.bar.finish();
    if let Some(path) = &args.out {
        write_json(path, &tuning.plan)?;
    }
    if let Some(file) = &args.path {
        interrupt::will_write(file);
        Plot::try_new(tuning.density_path())?.save(file)?;
    }
    show(&tuning, &args.grid, &metrics, here)?;
    here.output.answer(&tuning)
}

fn show(tuning: &Tuning, grid: &[Axis], metrics: &[Metric], here: &Surroundings) -> Outcome {
    let mut header: Vec<String> = grid.iter().map(|axis| axis.key.clone()).collect();
    header.extend(metrics.iter().map(Metric::to_string));
    header.extend(["density", "seconds", ""].map(String::from));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let row = |(i, trial): (usize, &Trial)| {
        let mut cells: Vec<String> = grid.iter().map(|axis| plain(&trial.settings[&axis.key])).collect();
        let figure = |metric: &Metric| {
            let summary = trial.validation.as_ref();
            let error = summary.and_then(|s| s.standard_errors.get(*metric));
            with_error(summary.and_then(|s| s.metrics.get(*metric)), error)
        };
        cells.extend(metrics.iter().map(figure));
        cells.push(trial.density.map(percent).unwrap_or_default());
        cells.push(format!("{:.1}", trial.seconds));
        let best = if i == tuning.best { "best" } else { "" };
        cells.push(trial.failure.as_deref().map_or(best, |_| "diverged").to_string());
        cells
    };
    here.output.show(table(&header, tuning.trials.iter().enumerate().map(row)))
}

fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}
