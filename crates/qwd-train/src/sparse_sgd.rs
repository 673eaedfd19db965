//! Sparse SGD: stochastic subgradient descent on the margin rank loss with an L1 penalty on W.
//!
//! Minimises (1/|R|) Σ max(0, m − qᵀW(d⁺ − d⁻)) + λ‖W‖₁ over tuples (q, d⁺, d⁻).
//! For t = 1, 2, …: if qᵀWe < m with e = d⁺ − d⁻, then W ← W + η_t q eᵀ; if t is a multiple of T, every entry is moved
//! towards 0 by λ Σ η over the last T steps (Algorithm 1 and Proposition 1 of *Learning Preferences with Millions of
//! Parameters by Enforcing Sparsity*; T = 100, η_t = C/√t).
//!
//! The shrinkage never sweeps W: an entry is stored together with the cumulated threshold at its last touch, and shrinks
//! by itself ([`qwd_core::kernel::lift`]). Blocks of T tuples are worked off row by row (see `engine.rs`), with the
//! result of the sequential algorithm.
//!
//! Cost: about |q|·|e| reads of W per tuple and as many writes per step; 4 bytes per word pair for the most frequent
//! words, 8 bytes per non-zero entry beyond. With λ = 0 it is plain SGD ([`crate::sgd`]).
//! Not to be used when entries need rates of their own (rare words): see [`crate::adagrad`] and [`crate::ftrl`].

use crate::best_seen::BestSeen;
use crate::density::Steering;
use crate::engine::{Engine, Flow, Rule, diverged};
use crate::entry::{Entry, Lifted, Supported};
use crate::problem::Problem;
use crate::rate::{Rate, Schedule};
use crate::row::{EntryRow, Moments};
use crate::session::{Session, check_batch};
use crate::trainer::{Constraints, Start, Trained};
use crate::weights::{Arena, StartRows, matrix_of};
use qwd_core::kernel::lift;
use qwd_core::parameters;
use qwd_core::parameters::{not_negative, positive, share};
use qwd_core::{Csr, Error, Result, SparseVec, SparseView};
use qwd_model::{LazyWeights, Matrix, TrainingState};

parameters! {
    /// Parameters of sparse SGD.
    pub struct SparseSgdParams {
        /// The rate η, or its constant C when decaying; above 0. Symbol: C.
        pub learning_rate: f64 = 200.0,
        /// Whether the rate stays (`fixed`) or falls with the root of the steps (`decaying`).
        pub schedule: Schedule = Schedule::Decaying,
        /// The weight of the L1 penalty, at least 0: the larger, the sparser W. Symbol: λ.
        pub l1: f64 = 1e-5,
        /// Steps between two shrinkages, at least 1. Symbol: T.
        pub shrink_every: u64 = 100,
        /// The margin by which the better document should win, above 0; 1 in the paper.
        pub margin: f64 = 1.0,
        /// Keep W symmetric: for queries and documents of one kind, where "q suits d" means "d suits q". Needs one
        /// vocabulary for both.
        pub symmetric: bool = false,
        /// Keep the diagonal of W at 0: words never match themselves, only others.
        pub zero_diagonal: bool = false,
        /// Tuples that are scored against the same W before any of them takes its step; 1 is the paper's algorithm.
        pub batch: u64 = 1,
        /// The share of non-zero entries to end with, in place of `l1`: above 0, at most 1.
        pub density: Option<f64> = None,
        /// The number of non-zero entries to end with, in place of `l1` and `density`.
        pub entries: Option<u64> = None,
    }
}

impl SparseSgdParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<SparseSgd> {
        positive("learning_rate", self.learning_rate)?;
        positive("margin", self.margin)?;
        not_negative("l1", self.l1)?;
        if self.shrink_every == 0 {
            return Err(Error::param("shrink_every", 0, "at least 1 step"));
        }
        check_batch(self.batch)?;
        self.density.map_or(Ok(()), |density| share("density", density))?;
        if self.density.is_some() && self.entries.is_some() {
            return Err(Error::param("entries", self.entries.unwrap_or(0), "either density or entries, not both"));
        }
        if self.entries == Some(0) {
            return Err(Error::param("entries", 0, "at least 1"));
        }
        Ok(SparseSgd { params: self })
    }
}

/// Sparse SGD with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseSgd {
    params: SparseSgdParams,
}

impl SparseSgd {
    /// The parameters.
    pub fn params(&self) -> &SparseSgdParams {
        &self.params
    }

    /// Learns W from the problem's preferences, in their order.
    pub fn train(
        &self,
        problem: &Problem<'_>,
        start: Start<'_>,
        constraints: &Constraints,
        session: &mut Session<'_>,
    ) -> Result<Trained> {
        let (n_rows, n_cols) = (problem.n_query_words(), problem.n_document_words());
        constraints.check(n_rows, n_cols)?;
        if self.params.symmetric && n_rows != n_cols {
            return Err(Error::param("symmetric", true, "false: queries and documents have different vocabularies"));
        }
        let off_diagonal = self.params.zero_diagonal.then(|| constraints.without_diagonal(n_rows.min(n_cols)));
        let constraints = off_diagonal.as_ref().unwrap_or(constraints);
        let mut rule = SgdRule::new(&self.params, problem, constraints)?;
        let from = start.steps_done()?;
        if let Start::Resume(_, state) = start {
            rule.resume(state)?;
        }
        let start = StartRows::new(start, problem)?.stored(start, rule.cumulated())?;
        match &constraints.support {
            None => rule.run::<Lifted>(&self.params, problem, &start, from, constraints, session),
            Some(support) => {
                let start = StartRows(on_support(&start, support)?);
                rule.run::<Supported>(&self.params, problem, &start, from, constraints, session)
            }
        }
    }
}

impl StartRows {
    /// The start as it is stored: lifted by the cumulated threshold; a resumed state is that already.
    fn stored(self, start: Start<'_>, cumulated: f32) -> Result<Self> {
        if let Start::Resume(Matrix::Sparse(served), TrainingState { lazy_weights: Some(lazy), .. }) = start {
            return Ok(Self(lazy.weights(served.csr())?));
        }
        if cumulated == 0.0 {
            return Ok(self);
        }
        let n_cols = self.0.n_cols();
        let (indptr, indices, values) = self.0.parts();
        let values = values.iter().map(|&w| lift(w, cumulated)).collect();
        Ok(Self(Csr::from_parts(n_cols, indptr.to_vec(), indices.to_vec(), values)?))
    }
}

/// The part of the start that lies on the support; a pair of the support without a weight is marked by the smallest
/// normal number.
fn on_support(start: &StartRows, support: &Csr) -> Result<Csr> {
    let mut rows = Csr::empty(support.n_cols());
    for (s, allowed) in support.rows().enumerate() {
        let value = |&t: &u32| Some(start.0.get(s, t)).filter(|w| *w != 0.0).unwrap_or(f32::MIN_POSITIVE);
        let values = allowed.indices().iter().map(value).collect();
        rows.push(SparseVec::try_new(allowed.indices().to_vec(), values)?.view())?;
    }
    Ok(rows)
}

/// Entries that hold a lifted weight.
trait StoredWeight: Entry<Moment = f32> {
    fn from_stored(stored: f32) -> Self;
    fn stored(self) -> f32;
}

impl StoredWeight for Lifted {
    fn from_stored(stored: f32) -> Self {
        Self(stored)
    }

    fn stored(self) -> f32 {
        self.0
    }
}

impl StoredWeight for Supported {
    fn from_stored(stored: f32) -> Self {
        Self(stored)
    }

    fn stored(self) -> f32 {
        self.0
    }
}

/// The state of Algorithm 1 besides W.
struct SgdRule {
    rate: Rate,
    l1: f64,
    shrink_every: u64,
    margin: f64,
    /// Half a step goes to each of q eᵀ and e qᵀ when W stays symmetric.
    step_scale: f64,
    batch: u64,
    corrects: bool,
    pinned: Csr,
    steering: Option<Steering>,
    /// Σ λη over all finished periods of T steps; the same when the last taken steps were decided; and the step at
    /// which the current period began.
    cumulated: f64,
    cumulated_then: f64,
    period_start: u64,
}

impl SgdRule {
    fn new(params: &SparseSgdParams, problem: &Problem<'_>, constraints: &Constraints) -> Result<Self> {
        let (n_rows, n_cols) = (problem.n_query_words(), problem.n_document_words());
        let n_entries = n_rows as f64 * n_cols as f64;
        let density = params.density.or(params.entries.map(|n| (n as f64 / n_entries).min(1.0)));
        let pinned = constraints.pinned_matrix(n_rows, n_cols)?;
        Ok(Self {
            rate: Rate { schedule: params.schedule, constant: params.learning_rate },
            l1: params.l1,
            shrink_every: params.shrink_every,
            margin: params.margin,
            step_scale: if params.symmetric { 0.5 } else { 1.0 },
            batch: params.batch,
            corrects: params.batch == 1 && constraints.is_empty(),
            pinned,
            steering: density.map(|target| Steering::new(target, n_cols)),
            cumulated: 0.0,
            cumulated_then: 0.0,
            period_start: 0,
        })
    }

    fn cumulated(&self) -> f32 {
        self.cumulated as f32
    }

    /// The cumulated threshold of the W to serve: where a density is wanted, as large as that takes.
    fn served<E: StoredWeight>(&self, rows: &[EntryRow<'_, E>]) -> f64 {
        self.steering.as_ref().map_or(self.cumulated, |steering| steering.finish(rows, self.cumulated))
    }

    /// Takes up where a state was left.
    fn resume(&mut self, state: &TrainingState) -> Result<()> {
        let number = |name: &str| {
            let missing = || Error::bad_data(format!("the training state lacks {name}"), "train the model anew");
            state.numbers.get(name).copied().filter(|x| *x >= 0.0).ok_or_else(missing)
        };
        self.cumulated = number("cumulated")?;
        self.cumulated_then = self.cumulated;
        self.l1 = number("l1")?;
        self.period_start = state.step / self.shrink_every * self.shrink_every;
        if let Some(steering) = &mut self.steering {
            steering.go_on_after(state.step);
        }
        Ok(())
    }

    /// What it takes to go on from weights that are lifted by `cumulated`.
    fn state(&self, step: u64, cumulated: f64) -> TrainingState {
        let numbers = [("cumulated".to_string(), cumulated), ("l1".to_string(), self.l1)].into();
        TrainingState { step, numbers, ..TrainingState::default() }
    }

    fn run<E: StoredWeight>(
        mut self,
        params: &SparseSgdParams,
        problem: &Problem<'_>,
        start: &StartRows,
        from: u64,
        constraints: &Constraints,
        session: &mut Session<'_>,
    ) -> Result<Trained> {
        let n_cols = problem.n_document_words();
        let mut arena = Arena::<E>::new(problem.n_query_words(), n_cols);
        let mut rows = arena.rows(start, E::from_stored);
        for (row, columns) in rows.iter_mut().zip(constraints.frozen(problem.n_query_words())) {
            if !columns.is_empty() {
                row.freeze(columns);
            }
        }
        let mut best = BestSeen::default();
        if session.patience().is_some() {
            best.look(session, from, matrix_of(&rows, n_cols, self.served(&rows) as f32, constraints, from)?)?;
        }
        let threads = session.threads();
        let mut engine = Engine::new(&mut rows, n_cols, params.symmetric, threads);
        let checkpoint = |session: &mut Session<'_>, rows: &[EntryRow<'_, E>], rule: &Self, t: u64| {
            if !session.is_watched() {
                return Ok(Flow::Continue);
            }
            best.look(session, t, matrix_of(rows, n_cols, rule.served(rows) as f32, constraints, t)?)
        };
        let steps = engine.run(problem, &mut self, from, session, checkpoint)?;
        drop(engine);
        if let Some((matrix, steps)) = best.into_best() {
            // The best W is not the last one, but its own weights are all that going on from it takes.
            let state = self.steering.is_none().then(|| self.state(steps, 0.0));
            return Ok(Trained { matrix, state, steps });
        }
        self.cumulated = self.served(&rows);
        self.finish(&rows, n_cols, constraints, steps)
    }

    fn finish<E: StoredWeight>(
        &self,
        rows: &[EntryRow<'_, E>],
        n_cols: usize,
        constraints: &Constraints,
        steps: u64,
    ) -> Result<Trained> {
        let mut state = self.state(steps, self.cumulated);
        if self.cumulated == 0.0 || !constraints.is_empty() {
            // Plain weights need nothing besides themselves; of constrained ones that are not plain no state is kept.
            let matrix = matrix_of(rows, n_cols, self.cumulated(), constraints, steps)?;
            let state = (self.cumulated == 0.0).then_some(state);
            return Ok(Trained { matrix, state, steps });
        }
        // Counted first: growing step by step would hold the entries twice while W itself is still there.
        let n_entries = rows.iter().map(|row| row.entries(self.cumulated()).count()).sum();
        let pending = vec![self.cumulated(); rows.len()];
        let (matrix, lazy) = LazyWeights::split_rows(n_cols as u32, n_entries, pending, |s, row_values| {
            row_values.clear();
            for (t, entry) in rows[s].entries(self.cumulated()) {
                if !entry.stored().is_finite() {
                    return Err(diverged(steps));
                }
                row_values.push_last(t, entry.stored());
            }
            Ok(())
        })?;
        state.lazy_weights = Some(lazy);
        Ok(Trained { matrix, state: Some(state), steps })
    }
}

impl<'r, E: StoredWeight> Rule<EntryRow<'r, E>> for SgdRule {
    fn block_len(&self, t: u64) -> u64 {
        let rule = self;
        // A block ends where a period does; without an L1 penalty the length is a matter of speed alone.
        let to_period_end = rule.shrink_every - t % rule.shrink_every;
        let to_period_end = if rule.l1 == 0.0 && rule.steering.is_none() { u64::MAX } else { to_period_end };
        if rule.corrects { to_period_end.min(BLOCK) } else { to_period_end.min(rule.batch - t % rule.batch) }
    }

    fn corrects(&self) -> bool {
        self.corrects
    }

    fn pass(&self) -> Moments<f32> {
        Moments { step: self.cumulated_then as f32, score: self.cumulated as f32 }
    }

    fn margin(&self) -> f64 {
        self.margin
    }

    fn step(&self, t: u64, weight: f32) -> f32 {
        (self.rate.at(t) * self.step_scale * f64::from(weight)) as f32
    }

    fn offset(&self, query: SparseView<'_>, difference: SparseView<'_>) -> f64 {
        self.pinned.bilinear(query, difference)
    }

    fn decided(&mut self, t: u64) {
        let rule = self;
        rule.cumulated_then = rule.cumulated;
        if t.is_multiple_of(rule.shrink_every) && t > rule.period_start {
            rule.cumulated += rule.l1 * rule.rate.sum(rule.period_start, t);
            rule.period_start = t;
        }
    }

    fn taken(&mut self, rows: &mut [EntryRow<'r, E>]) {
        let rule = self;
        if let Some(steering) = &mut rule.steering {
            rule.l1 = steering.steer(rows, rule.cumulated as f32, rule.period_start, rule.l1);
        }
    }
}

/// The longest block: longer ones spend more on inner products inside the block than they save in memory traffic.
pub(crate) const BLOCK: u64 = 128;
