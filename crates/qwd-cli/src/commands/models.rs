//! `qwd models`: the versions of a served index's model, the way back to an earlier one, and learning again from the log.

use crate::exit::{Failure, Outcome};
use crate::output::table;
use crate::surroundings::Surroundings;
use clap::{Args, Subcommand};
use qwd_core::{Error, Result};
use qwd_online::learner::Standing;
use qwd_online::{Learner, OnlineParams, Pin, Version, replay};
use qwd_search::{Index, Writer};
use qwd_server::FEEDBACK_FOLDER;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    command: Models,
}

#[derive(Debug, Subcommand)]
enum Models {
    /// List the versions of an index's model.
    List {
        /// The folder of the index.
        #[arg(value_name = "INDEX")]
        index: PathBuf,
    },
    /// Go back to the version before, or to a given one. A running server is asked over HTTP: POST /models/rollback.
    Rollback {
        /// The folder of the index.
        #[arg(value_name = "INDEX")]
        index: PathBuf,
        /// The version to go back to [default: the one before].
        #[arg(long, value_name = "VERSION")]
        to: Option<u64>,
    },
    /// Set the weight of a word pair by hand, whatever is learned. A running server is asked over HTTP: POST /pins.
    Pin {
        #[command(flatten)]
        pair: PairArgs,
        /// The weight; 0 forbids the pair.
        #[arg(value_name = "WEIGHT", allow_negative_numbers = true)]
        weight: f32,
    },
    /// Give a word pair the weight that was learned for it. A running server is asked over HTTP: DELETE /pins.
    Unpin {
        #[command(flatten)]
        pair: PairArgs,
    },
    /// Learn again from the log, and compare the result with the version that ranks, byte for byte.
    Replay {
        /// The folder of the index.
        #[arg(value_name = "INDEX")]
        index: PathBuf,
    },
}

#[derive(Debug, Args)]
struct PairArgs {
    /// The folder of the index.
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// The word of queries.
    #[arg(value_name = "QUERY-WORD")]
    query: String,
    /// The word of documents.
    #[arg(value_name = "DOCUMENT-WORD")]
    document: String,
}

#[derive(Debug, Serialize)]
struct Listed {
    #[serde(flatten)]
    standing: Standing,
    pins: Vec<Pin>,
}

pub(crate) fn run(args: &ModelsArgs, here: &Surroundings) -> Outcome {
    match &args.command {
        Models::List { index } => list(index, here),
        Models::Rollback { index, to } => roll_back(index, *to, here),
        Models::Pin { pair, weight } => pin(pair, Some(*weight), here),
        Models::Unpin { pair } => pin(pair, None, here),
        Models::Replay { index } => learn_again(index, here),
    }
}

/// Opens what an index has learned. Every version is kept: only the server removes old ones.
fn learner(index: &Path) -> Result<Learner> {
    let folder = index.join(FEEDBACK_FOLDER);
    if !Learner::is_at(&folder) {
        let what = format!("{} has learned nothing yet", index.display());
        return Err(Error::bad_data(what, "serve it first: qwd serve INDEX"));
    }
    let params = OnlineParams { keep_versions: usize::MAX, ..OnlineParams::default() };
    Learner::open(folder, params, || Err(Error::internal("a learner without a base")))
}

fn list(index: &Path, here: &Surroundings) -> Outcome {
    let learner = learner(index)?;
    let standing = learner.standing();
    let row = |v: &Version| {
        let held_out = v.held_out.map(|h| format!("{} → {} of {}", h.wrong_before, h.wrong_after, h.n));
        let from = serde_json::to_value(v.from).ok().and_then(|f| f.as_str().map(str::to_string)).unwrap_or_default();
        let yes = |is: bool| if is { "yes" } else { "" }.to_string();
        vec![v.version.to_string(), from, held_out.unwrap_or_default(), yes(v.kept), yes(v.current)]
    };
    here.output
        .show(table(&["version", "from", "held out, wrong", "kept", "ranks"], standing.versions.iter().map(row)))?;
    let pins = learner.pins();
    if !pins.is_empty() {
        let yes = |pin: &Pin| if pin.active { "yes" } else { "" }.to_string();
        let row = |pin: &Pin| vec![pin.query.clone(), pin.document.clone(), format!("{:+.4}", pin.weight), yes(pin)];
        here.output.show(table(&["query", "document", "set by hand", "known"], pins.iter().map(row)))?;
    }
    here.output.answer(&Listed { standing, pins })
}

fn pin(pair: &PairArgs, weight: Option<f32>, here: &Surroundings) -> Outcome {
    let PairArgs { index, query, document } = pair;
    let learner = learner(index)?;
    let mut writer = Writer::open(index)?;
    learner.pin(query, document, weight)?;
    writer.set_model(&learner.ranking(learner.standing().current)?)?;
    let told = weight.map_or_else(|| "as it was learned".to_string(), |weight| format!("{weight:+} from now on"));
    here.output.show(format_args!("{query} → {document}: {told}"))?;
    here.output.answer(&json!({"pins": learner.pins()}))
}

fn roll_back(index: &Path, to: Option<u64>, here: &Surroundings) -> Outcome {
    let learner = learner(index)?;
    let mut writer = Writer::open(index)?;
    let version = learner.roll_back(to)?;
    writer.set_model(&learner.ranking(version)?)?;
    here.output.show(format_args!("version {version} ranks from now on"))?;
    here.output.answer(&json!({"version": version}))
}

fn learn_again(index: &Path, here: &Surroundings) -> Outcome {
    let folder = index.join(FEEDBACK_FOLDER);
    let replayed = replay(&folder)?;
    let ranks = Index::open(index)?.snapshot().model().to_bytes()?;
    let same = replayed.ranking.to_bytes()? == ranks;
    let answer = json!({"version": replayed.version, "rounds": replayed.n_rounds, "same": same});
    let verdict = if same { "the same bytes" } else { "OTHER bytes" };
    here.output.show(format_args!(
        "{} rounds repeated: version {}, {verdict} as the model that ranks",
        replayed.n_rounds, replayed.version
    ))?;
    here.output.answer(&answer)?;
    if same { Ok(()) } else { Err(Failure::Negative) }
}
