//! The loop that all trainers of a full W share: take a block of tuples, score it row by row, decide which tuples take
//! a step, take the steps row by row.
//!
//! **Blocks.** The scores of a block and the steps of the block before it are worked off in one pass over the rows, so
//! a row is loaded once for both. For rules whose step is a plain addition ([`Rule::corrects`]) the effect of steps
//! inside a block on later tuples of the same block is added through inner products ([`Gram`]), so the result is that
//! of the sequential algorithm, bit for bit: when a corrected score comes so near to the margin that rounding could
//! change the decision, the block ends before that tuple, and the next one scores it afresh.
//!
//! **Threads.** A pass cuts the rows into parts, which threads take as they get free. A row is changed by one thread only, and scores are
//! added up exactly ([`Sums`]), so the number of threads cannot change a bit.
//!
//! **Cost.** Time is proportional to the word pairs touched: per tuple, (words of q) × (words of e), twice if it takes
//! a step. Memory traffic sets the pace, which is why rows are visited in order and blocks are as long as the rule
//! allows.

use crate::block::{Block, Share};
use crate::gram::Gram;
use crate::problem::Problem;
use crate::row::{Row, Visit};
use crate::session::{Session, Tally};
use crate::sums::Sums;
use qwd_core::{Error, Result, SparseView, Threads};
use qwd_data::Preference;
use std::sync::Mutex;

/// What a trainer tells the engine: how long a block may be, who takes a step, what changes between blocks.
pub(crate) trait Rule<R: Row> {
    /// The number of tuples that the block after step `t` may hold at most.
    fn block_len(&self, t: u64) -> u64;

    /// Whether steps are plain additions to W, so that scores inside a block can be corrected for them.
    fn corrects(&self) -> bool;

    /// What rows need to know: the moment of the steps to be taken, and the moment of the scores.
    fn pass(&self) -> R::Pass;

    /// The margin: a tuple whose score is below it takes a step.
    fn margin(&self) -> f64;

    /// The size of the step of a tuple at step `t`, given that it takes one.
    fn step(&self, t: u64, weight: f32) -> f32;

    /// A part of the score that does not come from the rows.
    fn offset(&self, _query: SparseView<'_>, _difference: SparseView<'_>) -> f64 {
        0.0
    }

    /// Called when the tuples up to step `t` are decided; their steps may not be taken yet.
    fn decided(&mut self, t: u64);

    /// Whether the decided steps must be taken, and [`Rule::taken`] be called, before anything else is scored.
    fn must_take_first(&self) -> bool {
        false
    }

    /// Called after a pass in which all steps up to the last [`Rule::decided`] were taken.
    fn taken(&mut self, _rows: &mut [R]) {}
}

/// Decisions closer to the margin than this share of the magnitudes involved are taken anew, without corrections.
const DOUBT: f64 = 1e-5;

/// Passes with fewer shares than this are not worth waking other threads for.
const PARALLEL_FROM: usize = 4096;

/// Parts of a pass for each worker. Rows of rare words miss the cache and cost more than their shares tell, so parts
/// are small and taken one by one.
const PARTS_PER_WORKER: usize = 16;

/// The working memory of a training run.
pub(crate) struct Engine<'a, R: Row> {
    rows: &'a mut [R],
    n_cols: usize,
    threads: &'a Threads,
    workers: Vec<Worker<R>>,
    /// The block whose steps are decided but not taken, and the block being filled.
    decided: Block,
    filling: Block,
    steps: Vec<f32>,
    gram: Gram,
    sums: Sums,
}

struct Worker<R: Row> {
    scratch: R::Scratch,
    sums: Sums,
}

/// A row's place in a pass: which row, its steps and its scores.
#[derive(Clone, Copy)]
struct Stop<'a> {
    row: usize,
    steps: &'a [Share],
    scores: &'a [Share],
}

/// Some of the stops of a pass, with their rows: `rows[0]` is row `first` of W.
struct Part<'s, 'a, R> {
    rows: &'s mut [R],
    first: usize,
    stops: &'s [Stop<'a>],
}

impl<'a, R: Row> Engine<'a, R> {
    pub(crate) fn new(rows: &'a mut [R], n_cols: usize, symmetric: bool, threads: &'a Threads) -> Self {
        let worker = |_| Worker { scratch: R::scratch(n_cols), sums: Sums::default() };
        Self {
            rows,
            n_cols,
            threads,
            workers: (0..threads.count()).map(worker).collect(),
            decided: Block::new(symmetric),
            filling: Block::new(symmetric),
            steps: Vec::new(),
            gram: Gram::new(symmetric),
            sums: Sums::default(),
        }
    }

    /// Trains on tuples, the first of which is step `from` + 1. Returns early when the session says so.
    pub(crate) fn run<P: Rule<R>>(
        &mut self,
        problem: &Problem<'_>,
        rule: &mut P,
        from: u64,
        session: &mut Session<'_>,
        mut checkpoint: impl FnMut(&mut Session<'_>, &[R], &P, u64) -> Result<Flow>,
    ) -> Result<u64> {
        let tuples = problem.preferences();
        let mut done = 0;
        let mut tally = Tally::default();
        while done < tuples.len() {
            let t = from + done as u64;
            let room = rule.block_len(t).min(session.until_checkpoint(t)) as usize;
            let block = &tuples[done..tuples.len().min(done + room)];
            done += self.block(problem, block, rule, t, &mut tally)?;
            let t = from + done as u64;
            if session.until_checkpoint(t) == session.checkpoint_every() || done == tuples.len() {
                self.flush(rule);
                if checkpoint(session, self.rows, rule, t)? == Flow::Stop {
                    break;
                }
            }
            if session.is_due() {
                session.set_density(self.density(rule));
            }
            session.report(&mut tally, done as u64, tuples.len() as u64)?;
        }
        self.flush(rule);
        Ok(from + done as u64)
    }

    /// The share of non-zero entries, estimated on some rows.
    fn density(&self, rule: &impl Rule<R>) -> f64 {
        let sampled = self.rows.iter().step_by(self.rows.len().div_ceil(100).max(1));
        let n_entries = sampled.len() * self.n_cols;
        sampled.map(|row| row.n_nonzero(rule.pass())).sum::<usize>() as f64 / n_entries.max(1) as f64
    }

    /// Works off one block and returns how many of its tuples were decided.
    fn block(
        &mut self,
        problem: &Problem<'_>,
        tuples: &[Preference],
        rule: &mut impl Rule<R>,
        t: u64,
        tally: &mut Tally,
    ) -> Result<usize> {
        if rule.must_take_first() {
            self.flush(rule);
        }
        self.filling.fill(problem, tuples);
        self.pass(rule);
        rule.taken(self.rows);
        if rule.corrects() {
            self.gram.fill(&self.filling, problem.n_query_words(), problem.n_document_words());
        }
        let n = self.decide(tuples, rule, t, tally)?;
        self.filling.truncate(n);
        std::mem::swap(&mut self.decided, &mut self.filling);
        rule.decided(t + n as u64);
        Ok(n)
    }

    /// Decides which tuples take a step, up to the first doubtful one.
    fn decide(&mut self, tuples: &[Preference], rule: &impl Rule<R>, t: u64, tally: &mut Tally) -> Result<usize> {
        self.steps.clear();
        for (k, tuple) in tuples.iter().enumerate() {
            let (query, difference) = (self.filling.query(k), self.filling.difference(k));
            let base = self.sums.get(k).ok_or_else(|| diverged(t + k as u64 + 1))? + rule.offset(query, difference);
            let (correction, scale) = if rule.corrects() { self.gram.correction(k, &self.steps) } else { (0.0, 0.0) };
            let missing = rule.margin() - (base + correction);
            if scale > 0.0 && missing.abs() < DOUBT * (scale + base.abs() + rule.margin()) {
                return Ok(k);
            }
            self.steps.push(if missing > 0.0 { rule.step(t + k as u64 + 1, tuple.weight) } else { 0.0 });
            tally.add(missing, query.len() * difference.len());
        }
        Ok(tuples.len())
    }

    /// Takes the steps that are decided.
    fn flush(&mut self, rule: &mut impl Rule<R>) {
        self.filling.fill_with_nothing();
        self.pass(rule);
        self.decided.fill_with_nothing();
        rule.taken(self.rows);
    }

    /// One pass over the rows: takes the steps of the decided block and scores the filled one.
    fn pass(&mut self, rule: &impl Rule<R>) {
        let stops = stops(&self.decided, &self.filling);
        self.sums.reset(self.filling.n_tuples());
        let n_shares: usize = stops.iter().map(|stop| stop.steps.len() + stop.scores.len()).sum();
        let pass = rule.pass();
        let (decided, filling, steps) = (&self.decided, &self.filling, &self.steps);
        let work = |worker: &mut Worker<R>, part: Part<'_, '_, R>| {
            for stop in part.stops {
                let visit = Visit {
                    updated: decided,
                    updates: stop.steps,
                    steps,
                    scored: filling,
                    scores: stop.scores,
                    step_scale: 1.0,
                    score_scale: 1.0,
                };
                part.rows[stop.row - part.first].visit(pass, &mut worker.scratch, &visit, &mut worker.sums);
            }
        };
        let n_workers = if n_shares < PARALLEL_FROM { 1 } else { self.workers.len() };
        let workers = &mut self.workers[..n_workers];
        workers.iter_mut().for_each(|worker| worker.sums.reset(filling.n_tuples()));
        if let [worker] = workers {
            work(worker, Part { rows: self.rows, first: 0, stops: &stops });
        } else {
            #[cfg(test)]
            tests::PARALLEL_PASSES.set(tests::PARALLEL_PASSES.get() + 1);
            // Each worker takes the next part when it is free; the sums do not depend on who took which.
            let parts = Mutex::new(parts(self.rows, &stops, n_shares, n_workers * PARTS_PER_WORKER).into_iter());
            let next = || parts.lock().expect("no part panics while it is handed out").next();
            self.threads.map_mut(workers, |_, worker| {
                while let Some(part) = next() {
                    work(worker, part);
                }
            });
        }
        for worker in &self.workers[..n_workers] {
            self.sums.merge(&worker.sums);
        }
    }
}

/// Whether training goes on after a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Continue,
    Stop,
}

pub(crate) fn diverged(step: u64) -> Error {
    Error::Diverged {
        step,
        what: "a score or weight is no longer a finite number of sensible size".into(),
        remedy: "lower the learning rate, or normalise the vectors to unit length".into(),
    }
}

/// The rows that a pass must visit, in order.
fn stops<'a>(stepped: &'a Block, scored: &'a Block) -> Vec<Stop<'a>> {
    let (steps, scores) = (stepped.steps(), scored.scores());
    let mut stops = Vec::with_capacity(steps.rows().len().max(scores.rows().len()));
    let (mut i, mut j) = (0, 0);
    loop {
        let of_step = steps.rows().get(i).copied();
        let of_score = scores.rows().get(j).copied();
        let row = match (of_step, of_score) {
            (None, None) => return stops,
            (Some(row), None) | (None, Some(row)) => row,
            (Some(a), Some(b)) => a.min(b),
        };
        let (has_step, has_score) = (of_step == Some(row), of_score == Some(row));
        stops.push(Stop {
            row: row as usize,
            steps: if has_step { steps.shares(i) } else { &[] },
            scores: if has_score { scores.shares(j) } else { &[] },
        });
        i += usize::from(has_step);
        j += usize::from(has_score);
    }
}

/// Cuts the stops, and the rows with them, into about `n` parts with about equally many shares.
fn parts<'s, 'a, R>(mut rows: &'s mut [R], stops: &'s [Stop<'a>], n_shares: usize, n: usize) -> Vec<Part<'s, 'a, R>> {
    let mut parts = Vec::with_capacity(n);
    let (mut from, mut first, mut seen) = (0, 0, 0);
    for (i, stop) in stops.iter().enumerate() {
        seen += stop.steps.len() + stop.scores.len();
        if seen * n >= n_shares * (parts.len() + 1) {
            let (mine, others) = rows.split_at_mut(stop.row + 1 - first);
            parts.push(Part { rows: mine, first, stops: &stops[from..=i] });
            (rows, first, from) = (others, stop.row + 1, i + 1);
        }
    }
    parts
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
