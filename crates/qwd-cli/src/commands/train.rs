//! `qwd train`: a data set and a plan become a model.

use crate::data::{DataArgs, tell_skipped};
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{bytes, figure, percent, table, with_error};
use crate::plans::{self, PlanArgs};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::{Error, Result};
use qwd_data::{Opened, Split, SplitRule, Task, Truth};
use qwd_lab::auto::{Candidate, Found, Search, Tried, search};
use qwd_lab::metrics::usual_metrics;
use qwd_lab::word_files::{Support, WordFiles};
use qwd_metrics::Summary;
use qwd_store::save_atomically;
use qwd_train::{Look, Outcome as Trained, Plan, Prepared, Vectors, evaluate};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
#[command(after_long_help = plans::help())]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    plan: PlanArgs,
    /// Without --method, --config, --set, --tuples and --passes, forms and parameters of W are tried on what is held out and the
    /// best is kept; no training starts that would end after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    budget: u64,
    /// The model file to write.
    #[arg(long, value_name = "MODEL")]
    out: PathBuf,
    /// Also write what happened on the way (plan, losses, looks at the validation split) as JSON.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Word pairs with given weights: `query word<TAB>document word<TAB>weight`.
    #[arg(long, value_name = "FILE")]
    pinned: Option<PathBuf>,
    /// Word pairs that stay without weight: `query word<TAB>document word`.
    #[arg(long, value_name = "FILE")]
    forbidden: Option<PathBuf>,
    /// The only word pairs that may have a weight: `cooccur` (those in one text), `cooccur:N` (in N texts) or a file.
    #[arg(long, value_name = "cooccur|FILE")]
    support: Option<Support>,
    /// Groups of words for group-lasso: `query word<TAB>group/subgroup`.
    #[arg(long, value_name = "FILE")]
    hierarchy: Option<PathBuf>,
}

/// What scripts are told.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub(super) model: PathBuf,
    pub(super) method: &'static str,
    pub(super) tuples: u64,
    pub(super) steps: u64,
    pub(super) seconds: f64,
    pub(super) density: f64,
    pub(super) bytes: u64,
    pub(super) validation: Validation,
}

/// The figures on the validation split, or an empty object.
#[derive(Debug, Default, Serialize)]
pub(super) struct Validation {
    #[serde(flatten)]
    pub(super) summary: Option<Summary>,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    answer: &'a Answer,
    plan: &'a Plan,
    history: &'a [Look],
    progress: Vec<crate::progress::Sample>,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<Search>,
}

/// A model, how it came to be, and what it was trained on.
struct Made<'d> {
    trained: Trained,
    plan: Plan,
    prepared: Prepared<'d>,
    search: Option<Search>,
}

pub(crate) fn run(args: &TrainArgs, here: &Surroundings) -> Outcome {
    let data = args.data.open(here.output)?;
    let started = Instant::now();
    let Made { trained, plan, prepared, search } = args.make(&data, here)?;
    let seconds = started.elapsed().as_secs_f64();
    let progress = here.bar.finish();
    if let Some(search) = &search {
        show(search, here)?;
    }
    let summary = validate(&trained, &plan, &prepared, here)?;
    let tuples = n_tuples(&plan, &prepared)?;
    save(&trained, &args.out)?;
    let answer = Answer {
        model: args.out.clone(),
        method: plan.train.name(),
        tuples,
        steps: trained.steps,
        seconds,
        density: trained.model.matrix().density(),
        bytes: size_of(&args.out)?,
        validation: Validation { summary },
    };
    if let Some(path) = &args.report {
        let report = Report { answer: &answer, plan: &plan, history: &trained.history, progress, search };
        write_json(path, &report)?;
    }
    tell(&answer, here)
}

impl TrainArgs {
    /// Trains by the plan that is given, or by one that the data choose.
    fn make<'d>(&self, data: &'d Opened, here: &Surroundings) -> Result<Made<'d>> {
        let files = self.word_files();
        if self.plan.is_open() && files == WordFiles::default() {
            let candidates = self.plan.candidates(data)?;
            if candidates.len() > 1 {
                return self.choose(data, candidates, here);
            }
        }
        let plan = self.plan.plan(data)?;
        let prepared = Prepared::fit(data, &plan.text, rule(&plan), &here.threads)?;
        let mut reading = self.data.strictness.reading();
        let (constraints, hierarchy) = files.read(&prepared, &mut reading, &here.threads)?;
        tell_skipped(&reading, here.output);
        let mut trained = plan.run_prepared(&prepared, &constraints, hierarchy.as_ref(), &here.threads, &here.bar)?;
        if !constraints.is_empty() {
            // A later update would know nothing of the constraints.
            trained.model = trained.model.without_state();
        }
        Ok(Made { trained, plan, prepared, search: None })
    }

    fn choose<'d>(&self, data: &'d Opened, candidates: Vec<Candidate>, here: &Surroundings) -> Result<Made<'d>> {
        let budget = Duration::from_secs(self.budget);
        let rule_of_all = candidates.first().map(|candidate| rule(&candidate.plan)).unwrap_or_default();
        let Found { outcome, plan, search } = search(data, &candidates, rule_of_all, budget, &here.threads, &here.bar)?;
        let prepared = Prepared::with_model(data, &outcome.model, rule(&plan), &here.threads)?;
        Ok(Made { trained: outcome, plan, prepared, search: Some(search) })
    }

    fn word_files(&self) -> WordFiles {
        WordFiles {
            pinned: self.pinned.clone(),
            forbidden: self.forbidden.clone(),
            support: self.support.clone(),
            hierarchy: self.hierarchy.clone(),
        }
    }
}

fn rule(plan: &Plan) -> SplitRule {
    SplitRule { seed: plan.seed, ..SplitRule::default() }
}

/// Shows what was tried.
fn show(search: &Search, here: &Surroundings) -> Outcome {
    let row = |(i, tried): (usize, &Tried)| {
        let without = if tried.too_slow { "too slow" } else { "diverged" };
        let figure = tried.figure.map_or(without.to_string(), figure);
        let mark = if i == search.best { "kept" } else { "" };
        vec![
            tried.name.to_string(),
            tried.tuples.to_string(),
            figure,
            format!("{:.1} s", tried.seconds),
            mark.to_string(),
        ]
    };
    let metric = search.metric.to_string();
    here.output.show(table(&["tried", "tuples", &metric, "time", ""], search.tried.iter().enumerate().map(row)))?;
    if search.cut_short {
        here.output.show("time ran out before all was tried: --budget gives more")?;
    }
    Ok(())
}

/// Saves a model, whole or not at all.
pub(super) fn save(trained: &Trained, path: &Path) -> Result<()> {
    interrupt::will_write(path);
    trained.model.save(path)
}

/// Tells what was trained.
pub(super) fn tell(answer: &Answer, here: &Surroundings) -> Outcome {
    here.output.show(format_args!(
        "{} trained on {} tuples ({} steps) in {:.1} s: density {}, {} in {}",
        answer.method,
        answer.tuples,
        answer.steps,
        answer.seconds,
        percent(answer.density),
        bytes(answer.bytes),
        answer.model.display()
    ))?;
    if let Some(summary) = &answer.validation.summary {
        let error = |metric| summary.standard_errors.get(metric);
        let row = |(metric, mean)| vec![format!("{metric}"), with_error(Some(mean), error(metric))];
        here.output.show(table(&["validation", "mean ± standard error"], summary.metrics.iter().map(row)))?;
    }
    here.output.answer(answer)
}

/// The figures on what was held out: the dev split, or what early stopping set aside.
fn validate(trained: &Trained, plan: &Plan, prepared: &Prepared<'_>, here: &Surroundings) -> Result<Option<Summary>> {
    let Some((task, vectors)) = validation_task(plan, prepared)? else { return Ok(None) };
    let metrics = usual_metrics(&task);
    let evaluation = evaluate(trained.model.matrix(), &task, vectors, prepared, &metrics, &here.threads)?;
    Ok(Some(evaluation.summary()))
}

fn validation_task<'p>(plan: &Plan, prepared: &'p Prepared<'_>) -> Result<Option<(Task, &'p Vectors)>> {
    if plan.stop.is_some() {
        let (_, validation, vectors) = prepared.train_and_validation()?;
        return Ok(Some((validation, vectors)));
    }
    let Opened::Texts(dataset) = prepared.data() else { return Ok(None) };
    for signal in dataset.signals() {
        if let Some(task) = dataset.task_of(signal, Split::Dev, &rule(plan))? {
            return Ok(Some((task, prepared.train_vectors())));
        }
    }
    Ok(None)
}

/// The number of different training tuples.
fn n_tuples(plan: &Plan, prepared: &Prepared<'_>) -> Result<u64> {
    let train = match &plan.stop {
        Some(_) => prepared.train_and_validation()?.0,
        None => prepared.task(Split::Train)?.0,
    };
    Ok(match (&plan.train, &train.truth) {
        (qwd_train::Method::Identity(_), _) => 0,
        (_, Truth::Preferences(given)) => given.len() as u64,
        _ => plan.tuples,
    })
}

/// The size of a file.
pub(super) fn size_of(path: &Path) -> Result<u64> {
    Ok(std::fs::metadata(path).map_err(|e| Error::io(path, "read", e))?.len())
}

/// Writes a value as JSON, whole or not at all.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    interrupt::will_write(path);
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::internal(format!("not JSON: {e}")))?;
    save_atomically(path, |file| writeln!(file, "{text}").map_err(|e| Error::io(path, "write", e)))
}
