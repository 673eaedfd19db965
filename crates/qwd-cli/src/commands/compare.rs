//! `qwd compare`: models side by side on the same queries.

use super::eval::SplitName;
use crate::data::DataArgs;
use crate::exit::{Failure, Outcome};
use crate::interrupt;
use crate::output::{figure, p_value, table, with_error};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::{Error, Result};
use qwd_data::Split;
use qwd_lab::compare::{Comparison, Difference, System, compare};
use qwd_lab::contender::Contender;
use qwd_lab::metrics::parse_metrics;
use qwd_lab::plot::{ApScatter, Plot};
use qwd_metrics::Metric;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    data: DataArgs,
    /// A model file, `cosine`, `bm25` or `query-expansion`; the others are compared with the first.
    #[arg(long = "model", value_name = "MODEL", required = true)]
    models: Vec<String>,
    /// The part of the data to measure on.
    #[arg(long, value_name = "SPLIT", default_value = "test")]
    split: SplitName,
    /// The metrics, between commas; the first one decides.
    #[arg(long, value_name = "LIST", default_value = "map,ndcg@10,mrr")]
    metrics: String,
    /// Exit with code 5 if any model is worse than the first by the first metric.
    #[arg(long)]
    fail_if_worse: bool,
    /// With --fail-if-worse: only differences with a corrected p-value of at most this count.
    #[arg(long, value_name = "P", requires = "fail_if_worse")]
    level: Option<f64>,
    /// Draw the first two models query by query as SVG or PNG.
    #[arg(long, value_name = "FILE")]
    scatter: Option<PathBuf>,
}

pub(crate) fn run(args: &CompareArgs, here: &Surroundings) -> Outcome {
    let metrics = parse_metrics(&args.metrics)?;
    let data = args.data.open(here.output)?;
    let contenders: Vec<Contender> = args.models.iter().map(|name| Contender::named(name)).collect();
    let comparison = compare(&contenders, &data, Split::from(args.split), &metrics, &here.threads)?;
    show(&comparison, &metrics, here)?;
    if let Some(path) = &args.scatter {
        scatter(&comparison, metrics[0], path)?;
    }
    here.output.answer(&comparison)?;
    let is_worse = |d: &&Difference| d.metric == metrics[0] && d.is_worse(args.level);
    match comparison.differences.iter().find(is_worse).filter(|_| args.fail_if_worse) {
        Some(worse) => {
            let Difference { system, baseline, metric, difference, .. } = worse;
            here.output.remark(format_args!("{system} is worse than {baseline} by {metric} ({difference:+.4})"));
            Err(Failure::Negative)
        }
        None => Ok(()),
    }
}

fn show(comparison: &Comparison, metrics: &[Metric], here: &Surroundings) -> Outcome {
    let mut header = vec!["model".to_string()];
    header.extend(metrics.iter().map(Metric::to_string));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let row = |system: &System| {
        let summary = &system.summary;
        let figures = metrics.iter().map(|&m| with_error(summary.metrics.get(m), summary.standard_errors.get(m)));
        std::iter::once(system.name.clone()).chain(figures).collect()
    };
    here.output.show(table(&header, comparison.systems.iter().map(row)))?;
    if comparison.differences.is_empty() {
        return Ok(());
    }
    let header = ["model", "metric", "difference", "p (t-test)", "p (randomisation)", "p (Holm)"];
    let row = |d: &Difference| {
        let p = [d.t_test_p, d.randomization_p, d.holm_p].map(p_value);
        let difference = if d.difference > 0.0 { format!("+{}", figure(d.difference)) } else { figure(d.difference) };
        [vec![d.system.clone(), d.metric.to_string(), difference], p.to_vec()].concat()
    };
    here.output.show(format_args!("\nagainst {}:", comparison.systems[0].name))?;
    here.output.show(table(&header, comparison.differences.iter().map(row)))
}

fn scatter(comparison: &Comparison, metric: Metric, path: &Path) -> Result<()> {
    let [a, b, ..] = comparison.evaluations.as_slice() else {
        return Err(Error::param("scatter", path.display(), "two models to compare"));
    };
    let (first, second) = a.paired(b, metric)?;
    let name = |i: usize| comparison.systems[i].name.clone();
    let queries = first.into_iter().zip(second).collect();
    let title = format!("{metric}, query by query");
    interrupt::will_write(path);
    Plot::try_new(ApScatter { title, a: name(0), b: name(1), queries })?.save(path)
}
