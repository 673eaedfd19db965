//! `qwd reproduce`: an experiment of the papers, run anew.

use crate::exit::Outcome;
use crate::output::{bytes, figure, table};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_lab::reproduce::{self, Report, Row, Setting};
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// The experiment: paper, then table or figure, for example 1-table2-20ng; an unknown name lists all.
    #[arg(value_name = "NAME")]
    name: String,
    /// The folder that holds the data sets by name.
    #[arg(long, value_name = "DIR", default_value = "data")]
    data: PathBuf,
    /// Run only this row.
    #[arg(long, value_name = "METHOD")]
    only: Option<String>,
    /// Keep trained rows in this folder and take them from there: a run that was interrupted goes on where it stopped,
    /// and tables that share rows train them once. Rows are told apart by their definitions, so delete the folder when
    /// data or program change.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

pub(crate) fn run(args: &ReproduceArgs, here: &Surroundings) -> Outcome {
    let setting = Setting {
        data: &args.data,
        only: args.only.as_deref(),
        kept: args.keep.as_deref(),
        threads: &here.threads,
        observer: &here.bar,
    };
    let report = reproduce::run(&args.name, setting)?;
    here.bar.finish();
    show(&report, here)?;
    here.output.answer(&report)
}

fn show(report: &Report, here: &Surroundings) -> Outcome {
    let names: BTreeSet<&str> = report.rows.iter().flat_map(|row| row.metrics.keys()).map(String::as_str).collect();
    let mut header = vec!["method", "data set"];
    for name in &names {
        header.push(name);
        if report.rows.iter().any(|row| row.paper.contains_key(*name)) {
            header.push("paper");
        }
    }
    let cells = |row: &Row| {
        let mut cells = vec![row.method.clone(), row.dataset.clone()];
        for name in &names {
            let written = |x: Option<&f64>| x.map(|&x| number(name, x)).unwrap_or_default();
            cells.push(written(row.metrics.get(*name)));
            if report.rows.iter().any(|row| row.paper.contains_key(*name)) {
                cells.push(written(row.paper.get(*name)));
            }
        }
        cells
    };
    here.output.show(table(&header, report.rows.iter().map(cells)))?;
    for row in report.rows.iter().filter(|row| !row.words.is_empty()) {
        here.output.show(format_args!("{}: {}", row.method, row.words.join(", ")))?;
        here.output.show(format_args!("  paper: {}", row.paper_words.join(", ")))?;
    }
    here.output.show(format_args!("{} in {:.1} s", report.name, report.seconds))
}

fn number(name: &str, x: f64) -> String {
    match name {
        "bytes" => bytes(x as u64),
        "train_seconds" => format!("{x:.1}"),
        _ => figure(x),
    }
}
