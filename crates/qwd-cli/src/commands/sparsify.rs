//! `qwd sparsify`: any W as a sparse one that an inverted index can hold, and what that costs.

use super::eval::SplitName;
use super::train::size_of;
use crate::data::{Strictness, open, tell_skipped};
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{bytes, percent, table};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::Result;
use qwd_lab::contender::Entrant;
use qwd_lab::metrics::{parse_metrics, usual_metrics};
use qwd_metrics::Summary;
use qwd_model::{Model, sparsify};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct SparsifyArgs {
    /// The model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// How many weights of each query word are kept, the strongest; the diagonal is kept besides.
    #[arg(long, value_name = "P", default_value_t = 100)]
    per_row: usize,
    /// The model file to write.
    #[arg(long, value_name = "MODEL")]
    out: PathBuf,
    /// Measure the model before and after on this data set.
    #[arg(long, value_name = "DATA")]
    data: Option<PathBuf>,
    /// The part of the data to measure on.
    #[arg(long, value_name = "SPLIT", default_value = "test")]
    split: SplitName,
    /// The metrics, between commas.
    #[arg(long, value_name = "LIST")]
    metrics: Option<String>,
    #[command(flatten)]
    strictness: Strictness,
}

#[derive(Debug, Serialize)]
struct Answer {
    model: PathBuf,
    per_row: usize,
    density: f64,
    bytes: u64,
    /// The length of what was left out, as a share of the length of W.
    left_out: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Summary>,
}

pub(crate) fn run(args: &SparsifyArgs, here: &Surroundings) -> Outcome {
    let model = Model::open_without_state(&args.model)?;
    let sparse = sparsify(model.matrix(), args.per_row, &here.threads)?;
    let mut provenance = model.provenance().clone();
    provenance.notes.push(format!("only the {} strongest weights of a row and the diagonal were kept", args.per_row));
    let after = model.with_matrix(sparse.matrix, provenance)?;
    let figures = args.data.as_deref().map(|data| args.measure(data, [&model, &after], here)).transpose()?;
    interrupt::will_write(&args.out);
    after.save(&args.out)?;
    let [before_figures, after_figures] = figures.map_or([None, None], |figures| figures.map(Some));
    let answer = Answer {
        model: args.out.clone(),
        per_row: args.per_row,
        density: after.matrix().density(),
        bytes: size_of(&args.out)?,
        left_out: sparse.loss,
        before: before_figures,
        after: after_figures,
    };
    tell(&answer, here)
}

impl SparsifyArgs {
    fn measure(&self, data: &Path, models: [&Model; 2], here: &Surroundings) -> Result<[Summary; 2]> {
        let mut reading = self.strictness.reading();
        let data = open(data, &mut reading)?;
        tell_skipped(&reading, here.output);
        let split = self.split.into();
        let summary = |model: &Model| {
            let entrant = Entrant::of_model(model, &data, &here.threads)?;
            let metrics = match &self.metrics {
                Some(list) => parse_metrics(list)?,
                None => usual_metrics(&entrant.task(split)?),
            };
            Ok(entrant.evaluate(split, &metrics, &here.threads)?.summary())
        };
        Ok([summary(models[0])?, summary(models[1])?])
    }
}

fn tell(answer: &Answer, here: &Surroundings) -> Outcome {
    if let (Some(before), Some(after)) = (&answer.before, &answer.after) {
        let row = |(metric, mean): (_, f64)| {
            let sparse = after.metrics.get(metric).unwrap_or(f64::NAN);
            vec![format!("{metric}"), format!("{mean:.4}"), format!("{sparse:.4}")]
        };
        here.output.show(table(&["metric", "before", "after"], before.metrics.iter().map(row)))?;
    }
    here.output.show(format_args!(
        "density {}, {} of the length of W left out, {} in {}",
        percent(answer.density),
        percent(answer.left_out),
        bytes(answer.bytes),
        answer.model.display()
    ))?;
    here.output.answer(answer)
}
