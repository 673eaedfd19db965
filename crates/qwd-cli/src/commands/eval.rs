//! `qwd eval`: the figures of a model on a split, or of a run against judgments.

use crate::data::{QueryTexts, Strictness, open, tell_skipped};
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{table, with_error};
use crate::surroundings::Surroundings;
use clap::{Args, ValueEnum};
use qwd_core::{Error, Result};
use qwd_data::{Reading, Split};
use qwd_lab::contender::Entrant;
use qwd_lab::metrics::{GRADED, parse_metrics, usual_metrics};
use qwd_lab::rankings::{DEPTH, evaluate_run, write_run};
use qwd_metrics::{Coverage, Evaluation, Metric};
use qwd_model::Model;
use std::path::{Path, PathBuf};

/// A part of a data set, as the user names it.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SplitName {
    Train,
    Dev,
    Test,
}

impl From<SplitName> for Split {
    fn from(name: SplitName) -> Self {
        match name {
            SplitName::Train => Self::Train,
            SplitName::Dev => Self::Dev,
            SplitName::Test => Self::Test,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// The data set: a folder, or `demo`.
    #[arg(value_name = "DATA", required_unless_present = "run_file")]
    data: Option<PathBuf>,
    /// The model.
    #[arg(long, value_name = "MODEL", required_unless_present = "run_file")]
    model: Option<PathBuf>,
    /// The part of the data to measure on.
    #[arg(long, value_name = "SPLIT", default_value = "test")]
    split: SplitName,
    /// The metrics, between commas: map, ndcg@10, p@10, r@100, mrr, err@20, rbp(0.8), bpref, error, ...
    #[arg(long, value_name = "LIST")]
    metrics: Option<String>,
    /// Also write the rankings in TREC's run layout.
    #[arg(long, value_name = "FILE", conflicts_with = "run_file")]
    run: Option<PathBuf>,
    /// How many documents a ranking of --run holds at most.
    #[arg(long, value_name = "N", default_value_t = DEPTH, requires = "run")]
    depth: usize,
    /// Measure this run (TREC layout, `-` is standard input) in place of a model.
    #[arg(long, value_name = "FILE", requires = "qrels", conflicts_with_all = ["model", "data"])]
    run_file: Option<PathBuf>,
    /// The judgments for --run-file, in BEIR's or TREC's layout.
    #[arg(long, value_name = "FILE", requires = "run_file")]
    qrels: Option<PathBuf>,
    /// Count judged queries that the run does not answer as failures, as trec_eval -c does.
    #[arg(long, requires = "run_file")]
    complete: bool,
    #[command(flatten)]
    queries: QueryTexts,
    #[command(flatten)]
    strictness: Strictness,
}

pub(crate) fn run(args: &EvalArgs, here: &Surroundings) -> Outcome {
    let mut reading = args.strictness.reading();
    let metrics = args.metrics.as_deref().map(parse_metrics).transpose()?;
    let evaluation = match (&args.run_file, &args.qrels, &args.data, &args.model) {
        (Some(run), Some(qrels), ..) => {
            let coverage = if args.complete { Coverage::AllJudged } else { Coverage::Answered };
            let metrics = metrics.map_or_else(|| parse_metrics(GRADED), Ok)?;
            evaluate_run(run, qrels, &metrics, coverage, &mut reading)?
        }
        (None, _, Some(data), Some(model)) => args.of_model(data, model, metrics, &mut reading, here)?,
        _ => return Err(Error::internal("the argument parser let an incomplete command through").into()),
    };
    tell_skipped(&reading, here.output);
    let summary = evaluation.summary();
    let row = |(metric, mean)| vec![format!("{metric}"), with_error(Some(mean), summary.standard_errors.get(metric))];
    here.output.show(table(&["metric", "mean ± standard error"], summary.metrics.iter().map(row)))?;
    here.output.show(format_args!("over {} queries", summary.n_queries))?;
    here.output.answer(&summary)
}

impl EvalArgs {
    fn of_model(
        &self,
        data: &Path,
        model: &Path,
        metrics: Option<Vec<Metric>>,
        reading: &mut Reading,
        here: &Surroundings,
    ) -> Result<Evaluation> {
        let model = Model::open_without_state(model)?;
        let data = self.queries.put_into(open(data, reading)?, reading)?;
        let split = self.split.into();
        let entrant = Entrant::of_model(&model, &data, &here.threads)?;
        let metrics = match metrics {
            Some(metrics) => metrics,
            None => usual_metrics(&entrant.task(split)?),
        };
        let evaluation = entrant.evaluate(split, &metrics, &here.threads)?;
        if let Some(path) = &self.run {
            interrupt::will_write(path);
            write_run(&entrant, split, self.depth, "qwd", path, &here.threads)?;
        }
        Ok(evaluation)
    }
}
