//! `qwd rank inspect`: what is in a ranker's file, and which features it uses.

use crate::commands::train::size_of;
use crate::exit::Outcome;
use crate::output::{bytes, table};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_rank::{ChosenFeature, Ranker, RankerFile, Scaler};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How many features are shown.
const SHOWN: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The ranker: a file of `qwd rank train`, or a model in LightGBM's text format.
    #[arg(value_name = "RANKER")]
    file: PathBuf,
    /// Show only this many features.
    #[arg(short, value_name = "N", default_value_t = SHOWN)]
    k: usize,
}

/// What scripts are told.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    method: &'a str,
    params: &'a Value,
    kind: &'static str,
    n_features: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    n_trees: Option<usize>,
    scaling: &'static str,
    sparsity: f64,
    bytes: u64,
    features: &'a [ChosenFeature],
}

pub(crate) fn run(args: &InspectArgs, here: &Surroundings) -> Outcome {
    inspect(&args.file, args.k, here)
}

/// Tells what is in a ranker's file, for `qwd inspect` too.
pub(crate) fn of_file(path: &Path, here: &Surroundings) -> Outcome {
    inspect(path, SHOWN, here)
}

fn inspect(path: &Path, k: usize, here: &Surroundings) -> Outcome {
    let file = RankerFile::open(path)?;
    let features = file.ranker.features();
    let (kind, n_trees) = match &file.ranker {
        Ranker::Linear(_) => ("linear", None),
        Ranker::Trees(trees) => ("trees", Some(trees.trees.len())),
        Ranker::Blend(_) => ("blend", None),
    };
    let scaling = match &file.scaler {
        Scaler::None => "none",
        Scaler::PerQuery => "per-query",
        Scaler::Overall { .. } => "overall",
    };
    let answer = Answer {
        method: &file.method,
        params: &file.params,
        kind,
        n_features: file.ranker.n_features(),
        n_trees,
        scaling,
        sparsity: file.ranker.sparsity(),
        bytes: size_of(path)?,
        features: &features,
    };
    let form = n_trees.map_or_else(|| kind.to_string(), |n| format!("{n} trees"));
    let facts = [
        ("method", answer.method.to_string()),
        ("form", form),
        ("features", format!("{} of {} in use", features.len(), answer.n_features)),
        ("scaling", scaling.to_string()),
        ("size", bytes(answer.bytes)),
    ];
    here.output.show(table(&["", "ranker"], facts.map(|(name, value)| vec![name.to_string(), value])))?;
    let weight = match &file.ranker {
        Ranker::Linear(_) => "weight",
        Ranker::Trees(_) => "gain",
        Ranker::Blend(_) => "share",
    };
    let row = |f: &ChosenFeature| vec![f.feature.to_string(), format!("{:.6}", f.weight)];
    here.output.show(format_args!("\n{}", table(&["feature", weight], features.iter().take(k).map(row))))?;
    here.output.show(format_args!("\nparameters: {:#}", file.params))?;
    here.output.answer(&answer)
}
