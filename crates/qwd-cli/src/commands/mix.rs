//! `qwd mix`: models added up, with weights that are learned.

use super::train::size_of;
use crate::data::DataArgs;
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{bytes, table};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::{Error, Result};
use qwd_model::{Matrix, Model};
use qwd_train::MixtureParams;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct MixArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The models to mix, which must read texts in the same way; give it two times or more.
    #[arg(long = "model", value_name = "MODEL", required = true)]
    models: Vec<PathBuf>,
    /// The model file to write.
    #[arg(long, value_name = "MODEL")]
    out: PathBuf,
    /// Tuples of the validation part that the weights are learned from.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    tuples: usize,
}

#[derive(Debug, Serialize)]
struct Answer {
    model: PathBuf,
    parts: Vec<Part>,
    tuples: usize,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct Part {
    model: PathBuf,
    weight: f32,
}

pub(crate) fn run(args: &MixArgs, here: &Surroundings) -> Outcome {
    if args.models.len() < 2 {
        return Err(Error::param("--model", args.models.len(), "at least 2 models").into());
    }
    let models = args.models.iter().map(Model::open_without_state).collect::<Result<Vec<_>>>()?;
    let data = args.data.open(here.output)?;
    let trainer = MixtureParams::default().build()?;
    let mixed = trainer.mix(&models, &data, args.tuples, &here.threads, &here.bar)?;
    here.bar.finish();
    interrupt::will_write(&args.out);
    mixed.save(&args.out)?;
    let Matrix::Mixture(mixture) = mixed.matrix() else { return Err(Error::internal("a mixture of no parts").into()) };
    let weights = mixture.parts().iter().map(|(weight, _)| *weight);
    let parts = args.models.iter().zip(weights).map(|(model, weight)| Part { model: model.clone(), weight });
    let answer =
        Answer { model: args.out.clone(), parts: parts.collect(), tuples: args.tuples, bytes: size_of(&args.out)? };
    let row = |part: &Part| vec![part.model.display().to_string(), format!("{:+.4}", part.weight)];
    here.output.show(table(&["part", "weight"], answer.parts.iter().map(row)))?;
    here.output.show(format_args!("{} in {}", bytes(answer.bytes), answer.model.display()))?;
    here.output.answer(&answer)
}
