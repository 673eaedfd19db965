//! Training tuples: (query, better, worse) drawn from a task.
//!
//! A seed gives the same tuples always, and tuple number i does not depend on how many are drawn: the first n of a
//! longer sample are the sample of n.

pub mod given;
pub mod judgments;
pub mod labels;

use crate::preference::Preference;
use crate::task::{Task, Truth};
use given::{GivenSampler, Order};
use judgments::{JudgmentSampler, Unjudged};
use labels::{LabelSampler, Singletons};
use qwd_core::{Error, Result, Rng, parameters};
use rustc_hash::FxHashSet;

parameters! {
    /// How tuples are drawn.
    #[derive(Copy)]
    pub struct SampleParams {
        /// The seed of every choice; a training plan puts its own here.
        pub seed: u64 = 0,
        /// Whether a tuple may be drawn only once.
        pub distinct: bool = false,
        /// From labels, what happens to classes of one item: `refuse` or `skip`.
        pub singletons: Singletons = Singletons::Refuse,
        /// From judgments, whether documents without a judgment serve as the worse ones: `never`, `only`, or
        /// {"mixed": share}.
        pub unjudged: Unjudged = Unjudged::Only,
        /// From given preferences, in which order they come: `as-given` or `shuffled`.
        pub order: Order = Order::Shuffled,
    }
}

/// Draws tuples from one task.
#[derive(Debug, Clone)]
pub struct Sampler {
    source: Source,
    seed: u64,
    distinct: bool,
}

#[derive(Debug, Clone)]
enum Source {
    Labels(LabelSampler),
    Judgments(JudgmentSampler),
    Given(GivenSampler),
}

impl Sampler {
    /// Prepares to draw from a task, by whatever it knows: classes, judgments or preferences.
    pub fn of_task(task: &Task, params: &SampleParams) -> Result<Self> {
        let source = match &task.truth {
            Truth::Classes { classes, class_of } => {
                Source::Labels(LabelSampler::try_new(&task.documents, class_of, classes, params.singletons)?)
            }
            Truth::Judgments(_) => Source::Judgments(JudgmentSampler::try_new(task, params.unjudged)?),
            Truth::Preferences(given) => Source::Given(GivenSampler::try_new(given.clone(), params.order)?),
        };
        Ok(Self { source, seed: params.seed, distinct: params.distinct })
    }

    /// Returns the number of queries from which nothing can be drawn.
    pub fn n_skipped_queries(&self) -> usize {
        match &self.source {
            Source::Labels(labels) => labels.n_skipped(),
            Source::Judgments(judgments) => judgments.n_skipped(),
            Source::Given(_) => 0,
        }
    }

    /// Returns the number of given preferences, so the length of one pass; nothing if tuples are drawn.
    pub fn pass_len(&self) -> Option<usize> {
        match &self.source {
            Source::Given(given) => Some(given.len()),
            Source::Labels(_) | Source::Judgments(_) => None,
        }
    }

    /// Returns the tuples one after the other, without end and without regard to `distinct`.
    pub fn tuples(&self) -> Tuples<'_> {
        Tuples { sampler: self, next: 0, order: Vec::new() }
    }

    /// Draws `n` tuples.
    pub fn sample(&self, n: usize) -> Result<Vec<Preference>> {
        if self.distinct { self.sample_distinct(n) } else { Ok(self.tuples().take(n).collect()) }
    }

    /// Passes over repeated tuples. Some are far rarer than others, so the search for new ones is bounded.
    fn sample_distinct(&self, n: usize) -> Result<Vec<Preference>> {
        let mut seen = FxHashSet::default();
        let n_draws = n.saturating_mul(64).saturating_add(10_000);
        let new = self.tuples().take(n_draws).filter(|t| seen.insert((t.query, t.better, t.worse)));
        let tuples: Vec<Preference> = new.take(n).collect();
        if tuples.len() < n {
            let what =
                format!("only {} distinct tuples were found in {n_draws} draws, {n} were asked for", tuples.len());
            return Err(Error::bad_data(what, "ask for fewer or allow repeated ones"));
        }
        Ok(tuples)
    }
}

/// The endless sequence of a sampler's tuples.
#[derive(Debug, Clone)]
pub struct Tuples<'a> {
    sampler: &'a Sampler,
    next: u64,
    /// The order of the present pass through given preferences.
    order: Vec<u32>,
}

impl Iterator for Tuples<'_> {
    type Item = Preference;

    fn next(&mut self) -> Option<Preference> {
        let i = self.next;
        self.next += 1;
        let seed = self.sampler.seed;
        Some(match &self.sampler.source {
            Source::Labels(labels) => labels.draw(&mut Rng::part(seed, i)),
            Source::Judgments(judgments) => judgments.draw(&mut Rng::part(seed, i)),
            Source::Given(given) => {
                let at = (i % given.len() as u64) as usize;
                if at == 0 {
                    self.order = given.order_of_pass(seed, i / given.len() as u64);
                }
                given.get(self.order[at])
            }
        })
    }
}
