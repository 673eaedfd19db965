//! `qwd features`: matching scores as features of the second stage.

use super::eval::SplitName;
use crate::data::DataArgs;
use crate::exit::Outcome;
use crate::interrupt;
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::Error;
use qwd_data::SplitRule;
use qwd_lab::features::{FeatureParams, collect};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct FeaturesArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The part of the data whose queries are taken.
    #[arg(long, value_name = "SPLIT", default_value = "train")]
    split: SplitName,
    /// A model whose score becomes a feature. May be given many times.
    #[arg(long = "model", value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// Also what the data's clicks say: the random walk on the click graph and the bilingual topic model.
    #[arg(long)]
    clicks: bool,
    /// How many documents BM25 finds for each query, beside the judged ones.
    #[arg(long, value_name = "N", default_value_t = 100)]
    depth: usize,
    /// The seed of splits that the data do not bring: that of the models.
    #[arg(long, value_name = "N", default_value_t = SplitRule::default().seed)]
    seed: u64,
    /// The file to write, in LETOR's layout; .gz or .zst is compressed, `-` is standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// What scripts are told.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    file: &'a Path,
    n_queries: usize,
    n_documents: usize,
    features: &'a [String],
}

pub(crate) fn run(args: &FeaturesArgs, here: &Surroundings) -> Outcome {
    if here.output.is_json() && args.out == Path::new("-") {
        return Err(Error::param("--out", "-", "a file: --json has standard output to itself").into());
    }
    let data = args.data.open(here.output)?;
    let params = FeatureParams {
        split: args.split.into(),
        depth: args.depth,
        rule: SplitRule { seed: args.seed, ..SplitRule::default() },
        analyzer: Default::default(),
        clicks: args.clicks,
    };
    let file = collect(&data, &args.models, &params, &here.threads)?;
    interrupt::will_write(&args.out);
    file.write(&data, &args.out)?;
    let answer = Answer {
        file: &args.out,
        n_queries: file.queries.len(),
        n_documents: file.n_documents(),
        features: &file.names,
    };
    here.output.remark(format_args!(
        "{} documents of {} queries with {} features in {}",
        answer.n_documents,
        answer.n_queries,
        answer.features.len(),
        args.out.display()
    ));
    here.output.answer(&answer)
}
