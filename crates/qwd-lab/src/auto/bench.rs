//! Where candidates are trained and measured, each within the time that there is for it.

use super::{Candidate, Found, Search, Tried};
use crate::prepared_texts::PreparedTexts;
use qwd_core::{Control, Error, Observer, Progress, Result, Threads};
use qwd_metrics::Metric;
use qwd_train::plan::StopParams;
use qwd_train::{Constraints, Outcome, Plan, evaluate};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much the last look must be better than the one before for training to be worth going on.
const STILL_RISING: f64 = 1.005;

/// A first trial is given up after this share of the time.
const FIRST_TRIAL: f64 = 0.25;

/// A later one after so many times as long as was expected.
const LATENESS: f64 = 2.0;

/// A longer training starts if it has at least so many times the tuples of the last one.
const WORTH: f64 = 1.5;

/// Looks at the held-out part in one training.
const LOOKS: u64 = 6;

/// About so many held-out queries decide, where there are more.
const DECIDING: usize = 1000;

impl Candidate {
    pub(super) fn learns(&self) -> bool {
        !matches!(self.plan.train, qwd_train::Method::Identity(_))
    }

    /// The plan with some of its tuples, watched on what is held out.
    fn shortened(&self, tuples: u64, metric: Metric) -> Plan {
        let tuples = tuples.max(1);
        let every = (tuples * u64::from(self.plan.passes)).div_ceil(LOOKS);
        let stop = StopParams { metric: metric.to_string(), every, patience: LOOKS as u32, queries: Some(DECIDING) };
        let stop = if self.learns() { Some(stop) } else { None };
        Plan { tuples, stop, ..self.plan.clone() }
    }
}

/// The best so far.
struct Best {
    figure: f64,
    at: usize,
    outcome: Outcome,
    plan: Plan,
}

/// Trains and measures, and remembers the best.
pub(super) struct Bench<'a> {
    metric: Metric,
    prepared: PreparedTexts<'a>,
    threads: &'a Threads,
    observer: &'a dyn Observer,
    started: Instant,
    budget: Duration,
    tried: Vec<Tried>,
    best: Option<Best>,
    cut_short: bool,
}

impl<'a> Bench<'a> {
    pub(super) fn new(
        metric: Metric,
        prepared: PreparedTexts<'a>,
        budget: Duration,
        threads: &'a Threads,
        observer: &'a dyn Observer,
    ) -> Self {
        let started = Instant::now();
        Self { metric, prepared, threads, observer, started, budget, tried: Vec::new(), best: None, cut_short: false }
    }

    /// The figure of a candidate that is trained on so many tuples; nothing if it diverged or there is no time for it.
    pub(super) fn measure(&mut self, candidate: &Candidate, wanted: u64) -> Result<Option<f64>> {
        let tuples = if candidate.learns() { self.affordable(candidate, wanted) } else { 0 };
        self.cut_short |= tuples < wanted;
        if candidate.learns() && tuples == 0 {
            return Ok(None);
        }
        let plan = candidate.shortened(tuples, self.metric);
        let trial = Trial::new(self, self.patience(candidate, tuples));
        let measured = self.train_and_measure(&plan, &trial);
        let (seconds, too_slow) = (trial.started.elapsed().as_secs_f64(), trial.is_given_up());
        let figure = match measured {
            Ok((outcome, figure)) => {
                if self.best.as_ref().is_none_or(|best| figure > best.figure) {
                    self.best = Some(Best { figure, at: self.tried.len(), outcome, plan });
                }
                Some(figure)
            }
            Err(Error::Diverged { .. }) => None,
            Err(Error::Interrupted) if too_slow => None,
            Err(e) => return Err(e),
        };
        self.cut_short |= too_slow;
        self.tried.push(Tried { name: candidate.name, tuples, figure, too_slow, seconds });
        Ok(figure)
    }

    fn last_trial_of(&self, candidate: &Candidate) -> Option<&Tried> {
        self.tried.iter().rev().find(|tried| tried.name == candidate.name)
    }

    /// After what time a training is given up.
    fn patience(&self, candidate: &Candidate, tuples: u64) -> Duration {
        match self.last_trial_of(candidate) {
            _ if self.best.is_none() => Duration::MAX,
            None => self.budget.mul_f64(FIRST_TRIAL),
            Some(before) => {
                let expected = before.seconds * tuples as f64 / before.tuples.max(1) as f64;
                Duration::from_secs_f64(LATENESS * expected)
            }
        }
    }

    /// The candidate whose model is the best and its tuples, if it was trained on all of them and was best in the end.
    pub(super) fn still_learning<'c>(&self, candidates: &'c [Candidate]) -> Option<(&'c Candidate, u64)> {
        let best = self.best.as_ref()?;
        let winner = candidates.iter().find(|candidate| candidate.name == self.tried[best.at].name)?;
        let tuples = self.tried[best.at].tuples;
        let [.., before, last] = best.outcome.history.as_slice() else { return None };
        let is_rising = last.figure > STILL_RISING * before.figure;
        (winner.learns() && tuples >= winner.plan.tuples && is_rising).then_some((winner, tuples))
    }

    /// The tuples that a candidate can be trained on in the time that is left.
    fn affordable(&self, candidate: &Candidate, wanted: u64) -> u64 {
        let left = self.budget.saturating_sub(self.started.elapsed()).as_secs_f64();
        match self.last_trial_of(candidate) {
            // The first trial of all is always made.
            None if self.best.is_none() || left > 0.0 => wanted,
            None => 0,
            Some(before) => affordable(left, before, wanted),
        }
    }

    fn train_and_measure(&mut self, plan: &Plan, trial: &Trial<'_>) -> Result<(Outcome, f64)> {
        let (threads, metric) = (self.threads, self.metric);
        let prepared = self.prepared.get(&plan.text, threads)?;
        let outcome = plan.run_prepared(prepared, &Constraints::default(), None, threads, trial)?;
        let (_, validation, vectors) = prepared.train_and_validation()?;
        let task = validation.sampled(DECIDING, plan.seed);
        let evaluation = evaluate(outcome.model.matrix(), &task, vectors, prepared, &[metric], threads)?;
        let nothing = || Error::bad_data("nothing is held out that could decide between plans", "name one: --method");
        let figure = evaluation.summary().metrics.get(metric).ok_or_else(nothing)?;
        Ok((outcome, figure))
    }

    pub(super) fn found(self) -> Result<Found> {
        let diverged =
            || Error::bad_data("every plan that was tried diverged", "name a method and lower its learning rate");
        let Best { at, outcome, plan, .. } = self.best.ok_or_else(diverged)?;
        let search = Search { metric: self.metric, tried: self.tried, best: at, cut_short: self.cut_short };
        Ok(Found { outcome, plan, search })
    }
}

/// The tuples for which `left` seconds are enough by what a trial took before; 0 where they would be hardly more than then.
fn affordable(left: f64, before: &Tried, wanted: u64) -> u64 {
    let tuples = (left / before.seconds * before.tuples as f64) as u64;
    let is_worth_it = tuples as f64 >= WORTH * before.tuples as f64;
    if is_worth_it { tuples.min(wanted) } else { 0 }
}

/// Tells how much of the time has gone, and gives a training up that takes far too long.
struct Trial<'a> {
    observer: &'a dyn Observer,
    search_started: Instant,
    budget: Duration,
    started: Instant,
    patience: Duration,
    is_given_up: AtomicBool,
}

impl<'a> Trial<'a> {
    fn new(bench: &Bench<'a>, patience: Duration) -> Self {
        let Bench { observer, started: search_started, budget, .. } = *bench;
        Self {
            observer,
            search_started,
            budget,
            started: Instant::now(),
            patience,
            is_given_up: AtomicBool::new(false),
        }
    }

    fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }
}

impl Observer for Trial<'_> {
    fn progress(&self, progress: &Progress) -> Control {
        if self.started.elapsed() > self.patience {
            self.is_given_up.store(true, Ordering::Relaxed);
            return Control::Stop;
        }
        let (done, total) = (self.search_started.elapsed().as_secs(), self.budget.as_secs().max(1));
        self.observer.progress(&Progress { stage: "choosing", done: done.min(total), total, ..progress.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_core::Silent;

    #[test]
    fn as_many_tuples_are_tried_as_there_is_time_for() {
        let before = Tried { name: "a", tuples: 1000, figure: Some(0.5), too_slow: false, seconds: 2.0 };
        assert_eq!(affordable(100.0, &before, 9000), 9000);
        assert_eq!(affordable(8.0, &before, 9000), 4000);
        assert_eq!(affordable(2.5, &before, 9000), 0, "hardly more than before");
        assert_eq!(affordable(0.0, &before, 9000), 0);
    }

    #[test]
    fn what_takes_far_too_long_is_given_up() {
        let now = Instant::now();
        let trial = |patience| Trial {
            observer: &Silent,
            search_started: now,
            budget: Duration::from_secs(1),
            started: now,
            patience,
            is_given_up: AtomicBool::new(false),
        };
        let (patient, impatient) = (trial(Duration::MAX), trial(Duration::ZERO));
        assert_eq!(patient.progress(&Progress::default()), Control::Continue);
        assert_eq!(impatient.progress(&Progress::default()), Control::Stop);
        assert_eq!((patient.is_given_up(), impatient.is_given_up()), (false, true));
    }
}
