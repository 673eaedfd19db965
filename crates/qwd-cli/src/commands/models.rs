//! `qwd models`: the versions of a served index's model, the way back to an earlier one, and learning again from the log.

use crate::exit::{Failure, Outcome};
use crate::output::table;
use crate::surroundings::Surroundings;
use clap::{Args, Subcommand};
use qwd_core::{Error, Result};
use qwd_online::{Learner, OnlineParams, Version, replay};
use qwd_search::{Index, Writer};
use qwd_server::FEEDBACK_FOLDER;
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
    /// Learn again from the log, and compare the result with the version that ranks, byte for byte.
    Replay {
        /// The folder of the index.
        #[arg(value_name = "INDEX")]
        index: PathBuf,
    },
}

pub(crate) fn run(args: &ModelsArgs, here: &Surroundings) -> Outcome {
    match &args.command {
        Models::List { index } => list(index, here),
        Models::Rollback { index, to } => roll_back(index, *to, here),
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
    let standing = learner(index)?.standing();
    let row = |v: &Version| {
        let held_out = v.held_out.map(|h| format!("{} → {} of {}", h.wrong_before, h.wrong_after, h.n));
        let from = serde_json::to_value(v.from).ok().and_then(|f| f.as_str().map(str::to_string)).unwrap_or_default();
        let yes = |is: bool| if is { "yes" } else { "" }.to_string();
        vec![v.version.to_string(), from, held_out.unwrap_or_default(), yes(v.kept), yes(v.current)]
    };
    here.output
        .show(table(&["version", "from", "held out, wrong", "kept", "ranks"], standing.versions.iter().map(row)))?;
    here.output.answer(&standing)
}

fn roll_back(index: &Path, to: Option<u64>, here: &Surroundings) -> Outcome {
    let learner = learner(index)?;
    let mut writer = Writer::open(index)?;
    let version = learner.roll_back(to)?;
    writer.set_model(&learner.model(version)?)?;
    here.output.show(format_args!("version {version} ranks from now on"))?;
    here.output.answer(&json!({"version": version}))
}

fn learn_again(index: &Path, here: &Surroundings) -> Outcome {
    let folder = index.join(FEEDBACK_FOLDER);
    let replayed = replay(&folder)?;
    let ranks = Index::open(index)?.snapshot().model().to_bytes()?;
    let same = replayed.model.without_state().to_bytes()? == ranks;
    let answer = json!({"version": replayed.version, "rounds": replayed.n_rounds, "same": same});
    let verdict = if same { "the same bytes" } else { "OTHER bytes" };
    here.output.show(format_args!(
        "{} rounds repeated: version {}, {verdict} as the model that ranks",
        replayed.n_rounds, replayed.version
    ))?;
    here.output.answer(&answer)?;
    if same { Ok(()) } else { Err(Failure::Negative) }
}
