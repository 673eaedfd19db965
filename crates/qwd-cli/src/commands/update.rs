//! `qwd update`: more training on new preferences, as if they had come in the same run.

use super::train::{Answer, Validation, save, size_of, tell};
use crate::data::{Strictness, tell_skipped};
use crate::exit::Outcome;
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::{Error, Result};
use qwd_data::fingerprint::Fnv1a;
use qwd_data::{Dataset, Fingerprint, Input, Opened, Reading, Truth};
use qwd_model::Model;
use qwd_train::update::{plan_of, preferences_seen, training_part, update};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// The model to train further.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// New preferences: ids in a .tsv, or triples of raw texts in a .jsonl; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    preferences: PathBuf,
    /// The data set that the ids are of; triples of raw texts need none.
    #[arg(long, value_name = "DATA")]
    data: Option<PathBuf>,
    /// Where to write the new model [default: over the old one].
    #[arg(long, value_name = "MODEL")]
    out: Option<PathBuf>,
    #[command(flatten)]
    strictness: Strictness,
}

pub(crate) fn run(args: &UpdateArgs, here: &Surroundings) -> Outcome {
    let started = Instant::now();
    let model = Model::open(&args.model)?;
    let mut reading = args.strictness.reading();
    let (dataset, seen) = args.read(&model, &mut reading)?;
    tell_skipped(&reading, here.output);
    let plan = plan_of(&model)?;
    let n_given = dataset.preferences.len();
    let n_used = match training_part(&dataset, &plan)?.truth {
        Truth::Preferences(used) => used.len(),
        _ => 0,
    };
    if n_used < n_given {
        let n_held = n_given - n_used;
        here.output.remark(format_args!("{n_held} of {n_given} preferences are of queries held out for measuring"));
    }
    let data = Opened::Texts(Box::new(dataset));
    let trained = update(&model, &data, &seen, &here.threads, &here.bar)?;
    here.bar.finish();
    let out = args.out.clone().unwrap_or_else(|| args.model.clone());
    save(&trained, &out)?;
    let answer = Answer {
        bytes: size_of(&out)?,
        model: out,
        method: plan.train.name(),
        tuples: n_used as u64,
        steps: trained.steps,
        seconds: started.elapsed().as_secs_f64(),
        density: trained.model.matrix().density(),
        validation: Validation::default(),
    };
    tell(&answer, here)
}

impl UpdateArgs {
    /// Reads the new preferences, and the fingerprint of the old ones followed by them.
    fn read(&self, model: &Model, reading: &mut Reading) -> Result<(Dataset, Fingerprint)> {
        let earlier = preferences_seen(model.provenance()).and_then(Fingerprint::parse_hash);
        let open =
            || Ok(Input::open(&self.preferences)?.continuing(earlier.map_or_else(Fnv1a::default, Fnv1a::resume)));
        let dataset = match (&self.data, is_triples(&self.preferences)) {
            (None, Some(false)) => {
                let expected =
                    "given too: the ids in a .tsv are those of a data set (a .jsonl of raw texts needs none)";
                return Err(Error::param("data", "(none)", expected));
            }
            (Some(data), Some(true)) => {
                return Err(Error::param("data", data.display(), "nothing: triples bring their own texts"));
            }
            (None, _) => Dataset::of_triples(open()?, reading)?,
            (Some(data), _) => match crate::data::open(data, reading)? {
                Opened::Texts(dataset) => dataset.with_preferences(open()?, reading)?,
                Opened::Vectors(_) => {
                    return Err(Error::bad_data("vectors have no ids for preferences", "give a data set of texts"));
                }
            },
        };
        let seen = reading.files().last().cloned();
        Ok((dataset, seen.ok_or_else(|| Error::internal("a file was read without a fingerprint"))?))
    }
}

/// Whether a file holds triples of raw texts, told by its name; standard input tells nothing.
fn is_triples(path: &Path) -> Option<bool> {
    let name = path.to_string_lossy();
    let plain = [".gz", ".zst", ".bz2"].iter().find_map(|e| name.strip_suffix(e)).unwrap_or(&name);
    (name != "-").then(|| plain.ends_with(".jsonl"))
}
