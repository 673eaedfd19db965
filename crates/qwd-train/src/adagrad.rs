//! AdaGrad: every word pair has a rate of its own, which falls as it is stepped on, with an exact lazy L1 penalty.
//!
//! With g the negative gradient q_i e_j of a tuple that misses the margin and G the sum of all g² so far,
//! w ← S(w + η g/√(δ + G), λη/√(δ + G)) at every step, S being the soft threshold: composite mirror descent of Duchi,
//! Hazan and Singer (*Adaptive Subgradient Methods*, 2011). While an entry is not touched its G stays, so its pending
//! threshold is (steps passed)·λη/√(δ + G): the lifted form of [`qwd_core::kernel::lift`], scaled by the entry's rate.
//!
//! Good for rare words: their pairs keep a high rate. 8 bytes per word pair that was ever touched.

use crate::engine::Rule;
use crate::entry::Entry;
use crate::entry_training::{EntryRule, TwoNumbers, train};
use crate::problem::Problem;
use crate::row::{EntryRow, Moments};
use crate::session::{Session, check_batch};
use crate::trainer::{Constraints, Start, Trained};
use qwd_core::kernel::{lift, shrink};
use qwd_core::parameters::{not_negative, positive};
use qwd_core::{Csr, Result, SparseView, parameters};

parameters! {
    /// Parameters of AdaGrad.
    pub struct AdagradParams {
        /// The rate before it is divided by √(δ + G); above 0. Symbol: η.
        pub learning_rate: f64 = 0.3,
        /// What keeps first steps small; above 0. Symbol: δ.
        pub initial_accumulator: f64 = 1e-4,
        /// The weight of the L1 penalty, at least 0. Symbol: λ.
        pub l1: f64 = 1e-6,
        /// The margin by which the better document should win, above 0.
        pub margin: f64 = 1.0,
        /// Tuples that are scored against the same W before any of them takes its step, 1 to 65536.
        pub batch: u64 = 1,
    }
}

impl AdagradParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<Adagrad> {
        positive("learning_rate", self.learning_rate)?;
        // As f32, in which it is used: it must not vanish there.
        positive("initial_accumulator", f64::from(self.initial_accumulator as f32))?;
        positive("margin", self.margin)?;
        not_negative("l1", self.l1)?;
        check_batch(self.batch)?;
        Ok(Adagrad { params: self })
    }
}

/// AdaGrad with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Adagrad {
    params: AdagradParams,
}

impl Adagrad {
    /// Learns W from the problem's preferences, in their order.
    pub fn train(
        &self,
        problem: &Problem<'_>,
        start: Start<'_>,
        constraints: &Constraints,
        session: &mut Session<'_>,
    ) -> Result<Trained> {
        let steps = start.steps_done()?;
        let pinned = constraints.pinned_matrix(problem.n_query_words(), problem.n_document_words())?;
        let mut rule = AdagradRule { params: self.params.clone(), pinned, decided: steps, taken: steps };
        train::<AdagradEntry, _>(&mut rule, problem, start, constraints, session)
    }
}

/// A weight, lifted by the cumulated threshold in units of its own rate, and the sum of its squared gradients.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C)]
struct AdagradEntry {
    lifted: f32,
    squares: f32,
}

/// The parameters that an entry needs, and the cumulated threshold λη·(steps).
#[derive(Debug, Clone, Copy)]
struct AdagradMoment {
    learning_rate: f32,
    initial_accumulator: f32,
    cumulated: f32,
}

impl AdagradMoment {
    #[inline(always)]
    fn inverse_root(self, squares: f32) -> f32 {
        1.0 / (self.initial_accumulator + squares).sqrt()
    }
}

impl Entry for AdagradEntry {
    type Moment = AdagradMoment;

    #[inline(always)]
    fn step(&mut self, gradient: f32, moment: AdagradMoment) {
        let w = self.weight(moment);
        self.squares += gradient * gradient;
        let scale = moment.inverse_root(self.squares);
        self.lifted = lift(w + moment.learning_rate * gradient * scale, moment.cumulated * scale);
    }

    #[inline(always)]
    fn weight(self, moment: AdagradMoment) -> f32 {
        shrink(self.lifted, moment.cumulated * moment.inverse_root(self.squares))
    }

    #[inline(always)]
    fn is_vacant(self, moment: AdagradMoment) -> bool {
        // The squares must be remembered even where the weight has been shrunk away.
        self.squares == 0.0 && self.weight(moment) == 0.0
    }
}

impl TwoNumbers for AdagradEntry {
    const NAMES: [&'static str; 2] = ["adagrad_lifted", "adagrad_squares"];

    fn from_numbers([lifted, squares]: [f32; 2]) -> Self {
        Self { lifted, squares }
    }

    fn numbers(self) -> [f32; 2] {
        [self.lifted, self.squares]
    }
}

struct AdagradRule {
    params: AdagradParams,
    pinned: Csr,
    /// Steps decided, and steps decided when those now to be taken were.
    decided: u64,
    taken: u64,
}

impl AdagradRule {
    fn moment_after(&self, steps: u64) -> AdagradMoment {
        let AdagradParams { learning_rate, initial_accumulator, l1, .. } = self.params;
        AdagradMoment {
            learning_rate: learning_rate as f32,
            initial_accumulator: initial_accumulator as f32,
            cumulated: (l1 * learning_rate * steps as f64).min(f64::from(f32::MAX)) as f32,
        }
    }
}

impl EntryRule<AdagradEntry> for AdagradRule {
    fn start(&self, weight: f32) -> AdagradEntry {
        AdagradEntry { lifted: weight, squares: 0.0 }
    }

    fn moment(&self) -> AdagradMoment {
        self.moment_after(self.decided)
    }
}

impl<'r> Rule<EntryRow<'r, AdagradEntry>> for AdagradRule {
    fn block_len(&self, t: u64) -> u64 {
        self.params.batch - t % self.params.batch
    }

    fn corrects(&self) -> bool {
        false
    }

    fn pass(&self) -> Moments<AdagradMoment> {
        Moments { step: self.moment_after(self.taken), score: self.moment_after(self.decided) }
    }

    fn margin(&self) -> f64 {
        self.params.margin
    }

    fn step(&self, _: u64, weight: f32) -> f32 {
        weight
    }

    fn offset(&self, query: SparseView<'_>, difference: SparseView<'_>) -> f64 {
        self.pinned.bilinear(query, difference)
    }

    fn decided(&mut self, t: u64) {
        self.taken = self.decided;
        self.decided = t;
    }
}
