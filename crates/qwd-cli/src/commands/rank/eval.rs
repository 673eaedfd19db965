//! `qwd rank eval`: the figures of a ranker on a file of feature vectors.

use super::methods::MeasureArgs;
use crate::data::{Strictness, tell_skipped};
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{table, with_error};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::Result;
use qwd_data::{create, run};
use qwd_metrics::{Evaluation, Metric, TieOrder};
use qwd_rank::measure::{Figures, evaluate_scores};
use qwd_rank::reader::{ReadParams, read};
use qwd_rank::{FeatureSet, RankerFile};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// The documents: `grade qid:N feature:value ... # id`, plain, .gz or .zst; `-` is standard input.
    #[arg(value_name = "FILE")]
    data: PathBuf,
    /// The ranker: a file of `qwd rank train`, or a model in LightGBM's text format.
    #[arg(long, value_name = "RANKER")]
    model: PathBuf,
    #[command(flatten)]
    measure: MeasureArgs,
    /// Also write the rankings in TREC's run layout.
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
    #[command(flatten)]
    strictness: Strictness,
}

pub(crate) fn run(args: &EvalArgs, here: &Surroundings) -> Outcome {
    let file = RankerFile::open(&args.model)?;
    let mut reading = args.strictness.reading();
    let params = ReadParams { keep_document_ids: args.run.is_some(), ..ReadParams::default() };
    let set = read(&args.data, params, &mut reading)?;
    tell_skipped(&reading, here.output);
    let named = args.measure.metrics.metrics(&args.measure.depths)?;
    let (evaluation, scores) = evaluate(&file, set, &named, here)?;
    if let Some(path) = &args.run {
        interrupt::will_write(path);
        write_run(&scores.0, &scores.1, path)?;
    }
    let figures = Figures::of(&evaluation, &named);
    let row =
        |(name, mean): &(String, f64)| vec![name.clone(), with_error(Some(*mean), figures.standard_errors.get(name))];
    here.output.show(table(&["metric", "mean ± standard error"], figures.metrics.0.iter().map(row)))?;
    here.output.show(format_args!("over {} queries", figures.n_queries))?;
    here.output.answer(&figures)
}

/// Scores a set and measures it; a set with fewer features than the ranker knows has zeros in their place.
pub(super) fn evaluate(
    file: &RankerFile,
    mut set: FeatureSet,
    named: &[(String, Metric)],
    here: &Surroundings,
) -> Result<(Evaluation, (FeatureSet, Vec<f32>))> {
    set.widen(file.ranker.n_features());
    let scores = file.score_all(&set, &here.threads)?;
    let metrics: Vec<Metric> = named.iter().map(|(_, metric)| *metric).collect();
    Ok((evaluate_scores(&set, &scores, &metrics, "")?, (set, scores)))
}

/// Writes every query's documents by falling score; documents without an id are named by their row.
fn write_run(set: &FeatureSet, scores: &[f32], path: &Path) -> Result<()> {
    let mut out = create(path)?;
    for q in 0..set.n_queries() {
        let rows = set.query(q);
        let name = |row: usize| match set.document_id(row) {
            Some(id) if !id.is_empty() => id.to_string(),
            _ => (row + 1).to_string(),
        };
        let order = TieOrder::by_number(rows.len() as u32).rank(&scores[rows.clone()])?;
        let hits = order.into_iter().map(|at| rows.start + at as usize);
        let hits: Vec<(String, f64)> = hits.map(|row| (name(row), f64::from(scores[row]))).collect();
        let hits: Vec<(&str, f64)> = hits.iter().map(|(name, score)| (name.as_str(), *score)).collect();
        run::write_ranking(&mut out, "qwd", set.query_id(q), hits)?;
    }
    out.finish().map(drop)
}
