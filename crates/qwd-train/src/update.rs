//! More training on new preferences, as if they had come in the same run.
//!
//! A model keeps the state of its training, so that [`update`] goes on where it stopped: with the plan and the words of
//! the model, from the next step on. Where the model came from preferences in their given order (`sample.order =
//! as-given`, one pass), the result has the bytes of one run over the old preferences followed by the new ones, if both
//! runs see the same words. It follows that a model's provenance says what was seen, never in how many runs: the hash of
//! the preferences goes on over the new ones, and the number of tuples grows.
//!
//! A model that early stopping chose goes on from the step it was chosen at, without looking at held-out data. No state
//! is kept of such a model by the adaptive methods and where a density was asked for, nor by refitting, a penalty on
//! groups, or constraints on W.

use crate::plan::{Outcome, Plan, repeated};
use crate::problem::Problem;
use crate::session::Session;
use crate::trainer::{Constraints, Start};
use crate::vectors::Prepared;
use qwd_core::{Error, Observer, Result, Threads};
use qwd_data::{Dataset, Fingerprint, Opened, Signal, Split, SplitRule, Task};
use qwd_model::{Model, Provenance, TrainingState};

/// The names under which a data set brings preferences.
const FILES: [&str; 2] = ["preferences.tsv", "preferences.jsonl"];

/// Trains a model further on the preferences of `data`, its other signals left aside; queries that the model's plan
/// holds out stay held out. `seen` is the fingerprint of all preferences that the model has seen, these ones last.
pub fn update(
    model: &Model,
    data: &Opened,
    seen: &Fingerprint,
    threads: &Threads,
    observer: &dyn Observer,
) -> Result<Outcome> {
    go_on(model, Start::Resume(model.matrix(), state_of(model)?), data, seen, threads, observer)
}

/// Trains on from the W of a model that keeps no training state: as [`update`], but the steps count from the first again, so
/// the result is not that of one longer run.
pub fn warm_start(
    model: &Model,
    data: &Opened,
    seen: &Fingerprint,
    threads: &Threads,
    observer: &dyn Observer,
) -> Result<Outcome> {
    go_on(model, Start::Matrix(model.matrix()), data, seen, threads, observer)
}

fn go_on(
    model: &Model,
    start: Start<'_>,
    data: &Opened,
    seen: &Fingerprint,
    threads: &Threads,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let plan = plan_of(model)?;
    let Opened::Texts(dataset) = data else {
        return Err(Error::bad_data("vectors come without preferences", "give texts with preferences"));
    };
    let task = training_part(dataset, &plan)?;
    let prepared = Prepared::with_model(data, model, rule_of(&plan), threads)?;
    let vectors = prepared.train_vectors();
    let tuples = repeated(&plan.tuples_of(&task)?, plan.passes, plan.seed);
    let problem = Problem::try_new(&vectors.queries, &vectors.documents, &tuples)?;
    let mut session = Session::new(threads, observer);
    let trained = plan.train.train(&problem, start, &Constraints::default(), None, &mut session)?;
    let provenance = provenance_after(model.provenance(), dataset, seen, trained.steps);
    let mut updated = model.with_matrix(trained.matrix, provenance)?;
    if let Some(state) = trained.state {
        updated = updated.with_state(state)?;
    }
    Ok(Outcome { model: updated, before_refit: None, steps: trained.steps, history: Vec::new() })
}

/// The plan that a model was trained by.
pub fn plan_of(model: &Model) -> Result<Plan> {
    serde_json::from_value(model.provenance().params.clone()).map_err(|e| {
        Error::bad_data(format!("the model does not say how it was trained ({e})"), "train the model anew")
    })
}

/// The hash of the preferences that a model has seen, as it is written in its provenance, if it has seen any.
pub fn preferences_seen(provenance: &Provenance) -> Option<&str> {
    key_of(provenance).map(|key| provenance.data[key].as_str())
}

/// The part of the preferences that the plan trains on.
pub fn training_part(dataset: &Dataset, plan: &Plan) -> Result<Task> {
    dataset.task_of(Signal::Preferences, Split::Train, &rule_of(plan))?.ok_or_else(|| {
        let what = format!("none of {} preferences is of a query to train on", dataset.preferences.len());
        Error::bad_data(what, "give preferences of queries that the model's splits do not hold out")
    })
}

fn rule_of(plan: &Plan) -> SplitRule {
    SplitRule { seed: plan.seed, ..SplitRule::default() }
}

fn state_of(model: &Model) -> Result<&TrainingState> {
    model.state().ok_or_else(|| {
        let remedy = "train it anew with sparse-sgd, without refit and constraints, on given preferences best of all";
        Error::bad_data("the model keeps no training state, so training cannot go on", remedy)
    })
}

fn key_of(provenance: &Provenance) -> Option<&str> {
    let is_preferences = |key: &&String| FILES.iter().any(|file| key.starts_with(file));
    provenance.data.keys().find(is_preferences).map(String::as_str)
}

fn provenance_after(before: &Provenance, dataset: &Dataset, seen: &Fingerprint, steps: u64) -> Provenance {
    let mut provenance = before.clone();
    let mut key = key_of(before).map(str::to_string);
    for file in &dataset.files {
        let name = file.path.file_name().unwrap_or(file.path.as_os_str()).to_string_lossy().into_owned();
        if FILES.iter().any(|file| name.starts_with(file)) {
            key = key.or(Some(name));
        } else {
            provenance.data.insert(name, file.to_string());
        }
    }
    let key = key.unwrap_or_else(|| FILES[0].to_string());
    provenance.data.insert(key, seen.to_string());
    provenance.n_tuples = steps;
    provenance
}
