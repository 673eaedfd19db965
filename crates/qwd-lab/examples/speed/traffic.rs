//! How much of W training touches: word pairs, bytes and lines of cache.

use crate::machine::Memory;
use crate::setup;
use crate::training::Timed;
use qwd_core::{Result, SparseVec, Threads};
use qwd_data::Preference;
use qwd_model::Matrix;
use qwd_train::{Checkpoints, Constraints, Plan, Prepared, Problem, Session, Start, Watcher};
use serde_json::{Value, json};

/// Entries of W in a line of cache.
const LINE: usize = 16;
/// Bytes of a line of cache.
const LINE_BYTES: f64 = 64.0;
/// Bytes of an entry of W.
const ENTRY_BYTES: f64 = 4.0;
/// Tuples that sparse SGD works off in one pass over the rows of W, at its default of 100 steps between shrinkages.
const BLOCK: usize = 100;
/// Blocks on which distinct lines are counted.
const SAMPLED_BLOCKS: usize = 40;
/// Looks at W on which the share of tuples that take a step is estimated, and tuples scored at each.
const LOOKS: u64 = 20;
const TUPLES_PER_LOOK: usize = 200;

/// What a run touches, on the average of its tuples.
pub(crate) struct Counts {
    /// Word pairs, (words of q) × (words of d⁺ − d⁻).
    pub(crate) pairs: f64,
    /// Lines of cache, each tuple by itself.
    pub(crate) lines: f64,
    /// Lines of cache when a block of tuples loads each line once.
    pub(crate) block_lines: f64,
    /// The share of tuples that take a step, estimated.
    pub(crate) step_share: f64,
    /// Pairs written by a step for each pair scored: 2 where W stays symmetric.
    pub(crate) written_per_step: f64,
}

impl Counts {
    pub(crate) fn of(plan: &Plan, prepared: &Prepared<'_>, tuples: &[Preference]) -> Result<Self> {
        let problem = setup::problem(prepared, tuples)?;
        let (pairs, lines) = per_tuple(&problem);
        let symmetric = plan.train.params().get("symmetric").and_then(Value::as_bool) == Some(true);
        Ok(Self {
            pairs,
            lines,
            block_lines: block_lines(&problem),
            step_share: step_share(plan, &problem)?,
            written_per_step: if symmetric { 2.0 } else { 1.0 },
        })
    }

    /// Word pairs read or written for the average tuple: each scored pair once, each stepped pair once more.
    pub(crate) fn touched(&self) -> f64 {
        self.pairs * (1.0 + self.step_share * self.written_per_step)
    }

    /// Bytes of W moved between memory and processor for the average tuple, if nothing were kept: a score reads an
    /// entry, a step reads and writes it.
    fn bytes(&self) -> f64 {
        self.pairs * ENTRY_BYTES * (1.0 + 2.0 * self.step_share * self.written_per_step)
    }
}

pub(crate) fn report(counts: &Counts, run: &Timed, n_tuples: usize, memory: &Memory) -> Value {
    let rate = n_tuples as f64 / run.learning_seconds;
    let giga = |bytes: f64| bytes / 1e9;
    // Each line of a block is read once, and written back once.
    let block_bytes = counts.block_lines * LINE_BYTES * 2.0;
    json!({
        "word_pairs_per_tuple": counts.pairs,
        "share_of_tuples_that_step": counts.step_share,
        "word_pairs_touched_per_second": rate * counts.touched(),
        "w_bytes_touched_per_tuple": counts.bytes(),
        "w_gb_touched_per_second": giga(rate * counts.bytes()),
        "lines_per_tuple": counts.lines,
        "lines_per_tuple_in_blocks": counts.block_lines,
        "lines_per_second_in_blocks": rate * counts.block_lines,
        "line_gb_per_second_in_blocks": giga(rate * block_bytes),
        "copy_gb_read_and_written_per_second": giga(memory.copied_per_second * 2.0),
        "random_lines_per_second": memory.random_lines_per_second,
        "line_traffic_over_copy": rate * block_bytes / (memory.copied_per_second * 2.0),
        "nanoseconds_per_pair_touched": 1e9 / (rate * counts.touched()),
    })
}

fn per_tuple(problem: &Problem<'_>) -> (f64, f64) {
    let (mut pairs, mut lines) = (0, 0);
    let mut difference = SparseVec::default();
    for tuple in problem.preferences() {
        let n_words = problem.query(tuple).len();
        problem.difference(tuple, &mut difference);
        let columns = difference.view().indices();
        pairs += n_words * columns.len();
        lines += n_words * columns.chunk_by(|a, b| *a as usize / LINE == *b as usize / LINE).count();
    }
    let n = problem.preferences().len().max(1) as f64;
    (pairs as f64 / n, lines as f64 / n)
}

/// Distinct lines per tuple in blocks of consecutive tuples.
fn block_lines(problem: &Problem<'_>) -> f64 {
    let words_per_row = problem.n_document_words().div_ceil(LINE).div_ceil(64);
    let mut touched = vec![0u64; words_per_row * problem.n_query_words()];
    let mut difference = SparseVec::default();
    let (mut lines, mut n_tuples) = (0usize, 0usize);
    let n_blocks = problem.preferences().len() / BLOCK;
    for block in problem.preferences().chunks_exact(BLOCK).step_by(n_blocks.div_ceil(SAMPLED_BLOCKS).max(1)) {
        touched.fill(0);
        for tuple in block {
            problem.difference(tuple, &mut difference);
            for &row in problem.query(tuple).indices() {
                let row = &mut touched[row as usize * words_per_row..][..words_per_row];
                for &column in difference.view().indices() {
                    let line = column as usize / LINE;
                    row[line / 64] |= 1 << (line % 64);
                }
            }
        }
        lines += touched.iter().map(|bits| bits.count_ones() as usize).sum::<usize>();
        n_tuples += block.len();
    }
    lines as f64 / n_tuples.max(1) as f64
}

/// Trains once more and looks at W from time to time: which of the next tuples miss the margin?
fn step_share(plan: &Plan, problem: &Problem<'_>) -> Result<f64> {
    let every = (problem.preferences().len() as u64 / LOOKS).max(1);
    let margin = plan.train.params().get("margin").and_then(Value::as_f64).unwrap_or(1.0);
    let mut counter = StepCounter { problem, margin, n_scored: 0, n_steps: 0 };
    let threads = Threads::new(0)?;
    let checkpoints = Checkpoints { every, patience: None };
    let session = &mut Session::quiet(&threads).with_watcher(checkpoints, &mut counter)?;
    plan.train.train(problem, Start::Identity, &Constraints::default(), None, session)?;
    Ok(counter.n_steps as f64 / counter.n_scored.max(1) as f64)
}

struct StepCounter<'a> {
    problem: &'a Problem<'a>,
    margin: f64,
    n_scored: u64,
    n_steps: u64,
}

impl Watcher for StepCounter<'_> {
    fn look(&mut self, t: u64, matrix: &Matrix) -> Result<Option<f64>> {
        let mut difference = SparseVec::default();
        for tuple in self.problem.preferences().iter().skip(t as usize).take(TUPLES_PER_LOOK) {
            self.problem.difference(tuple, &mut difference);
            let score = matrix.score(self.problem.query(tuple), difference.view())?;
            self.n_scored += 1;
            self.n_steps += u64::from(score < self.margin);
        }
        Ok(None)
    }
}
