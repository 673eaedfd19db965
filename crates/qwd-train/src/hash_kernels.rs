//! Hash kernels: `W[s][t] = w[(sP + t) mod H]`, perhaps plus αI: word pairs share H weights by a hash of their numbers
//! (equation 5 of the supervised semantic indexing paper, after Shi et al. 2009).
//!
//! The margin rank loss by SGD: if qᵀWe < m with e = d⁺ − d⁻, then w[h(s, t)] ← w[h(s, t)] + η_t q_s e_t for every pair.
//! From I, W has αI with α fixed or learned; from 0 it has none. A tuple costs |q| |e| scattered reads, twice if it takes
//! a step; the tuples of a mini-batch are scored side by side, their steps taken one after the other. Low rank and
//! correlated feature hashing share weights by meaning, which learns more from the same number of them.

use crate::best_seen::BestSeen;
use crate::engine::{Flow, diverged};
use crate::problem::Problem;
use crate::rate::{Rate, Schedule};
use crate::session::{Session, Tally, check_batch};
use crate::sums::LARGEST;
use crate::trainer::{Start, Trained};
use qwd_core::parameters::positive;
use qwd_core::{Error, Result, SparseVec, SparseView, parameters};
use qwd_model::matrix::place;
use qwd_model::{Matrix, TrainingState};

parameters! {
    /// Parameters of hash kernels.
    pub struct HashKernelsParams {
        /// The number of weights, 1 to 2³⁰. Symbol: H.
        pub weights: usize = 1_000_000,
        /// The rate η, or its constant C when decaying; above 0. Symbol: λ.
        pub learning_rate: f64 = 1.0,
        /// Whether the rate stays (`fixed`) or falls with the root of the steps (`decaying`).
        pub schedule: Schedule = Schedule::Fixed,
        /// The margin by which the better document should win, above 0; 1 in the paper.
        pub margin: f64 = 1.0,
        /// The weight of I at the start, if training starts from I; above 0. Symbol: α.
        pub identity_weight: f64 = 1.0,
        /// Whether the weight of I is learned.
        pub learn_identity: bool = true,
        /// Tuples that are scored against the same W before any of them takes its step; 1 is the paper's algorithm.
        pub batch: u64 = 1,
    }
}

impl HashKernelsParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<HashKernels> {
        if !(1..=1 << 30).contains(&self.weights) {
            return Err(Error::param("weights", self.weights, "1 to 1073741824 weights"));
        }
        positive("learning_rate", self.learning_rate)?;
        positive("margin", self.margin)?;
        positive("identity_weight", self.identity_weight)?;
        check_batch(self.batch)?;
        Ok(HashKernels { params: self })
    }
}

/// The trainer of hash kernels, with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct HashKernels {
    params: HashKernelsParams,
}

/// The weights while they are trained.
struct Weights {
    shared: Vec<f32>,
    identity: Option<f32>,
}

impl HashKernels {
    /// Learns the shared weights from the problem's preferences, in their order.
    pub fn train(&self, problem: &Problem<'_>, start: Start<'_>, session: &mut Session<'_>) -> Result<Trained> {
        let size = [problem.n_query_words(), problem.n_document_words()];
        let from = start.steps_done()?;
        let mut weights = self.start(size, start)?;
        let rate = Rate { schedule: self.params.schedule, constant: self.params.learning_rate };
        let mut best = BestSeen::default();
        if session.patience().is_some() {
            weights.lend(size, from, |w| best.look_at(session, from, w))?;
        }
        let tuples = problem.preferences();
        let (mut t, mut tally) = (from, Tally::default());
        let mut differences = Vec::new();
        while t - from < tuples.len() as u64 {
            let done = (t - from) as usize;
            let batch = self.params.batch;
            let n = (batch - t % batch).min(session.until_checkpoint(t)).min((tuples.len() - done) as u64) as usize;
            let block = &tuples[done..done + n];
            differences.resize_with(n, SparseVec::default);
            for (tuple, difference) in block.iter().zip(&mut differences) {
                problem.difference(tuple, difference);
            }
            let scores = session.threads().map(n, |i| weights.score(problem.query(&block[i]), differences[i].view()));
            for ((tuple, difference), score) in block.iter().zip(&differences).zip(scores) {
                t += 1;
                if score.abs().is_nan() || score.abs() > LARGEST {
                    return Err(diverged(t));
                }
                let query = problem.query(tuple);
                let missing = self.params.margin - score;
                if missing > 0.0 {
                    let step = (rate.at(t) * f64::from(tuple.weight)) as f32;
                    weights.step(query, difference.view(), step, self.params.learn_identity);
                }
                tally.add(missing, query.len() * difference.view().len());
            }
            let is_last = done + n == tuples.len();
            if session.is_watched() && (is_last || t.is_multiple_of(session.checkpoint_every())) {
                let flow = weights.lend(size, t, |w| best.look_at(session, t, w))?;
                if flow == Flow::Stop {
                    break;
                }
            }
            session.report(&mut tally, t - from, tuples.len() as u64)?;
        }
        if let Some((matrix, steps)) = best.into_best() {
            return Ok(Trained { matrix, state: None, steps });
        }
        let numbers = [("weights".to_string(), weights.shared.len() as f64)].into();
        let state = TrainingState { step: t, numbers, ..TrainingState::default() };
        Ok(Trained { matrix: weights.into_matrix(size, t)?, state: Some(state), steps: t })
    }

    fn start(&self, [n_rows, n_cols]: [usize; 2], start: Start<'_>) -> Result<Weights> {
        let fresh = |identity| Weights { shared: qwd_core::memory::zeroed(self.params.weights), identity };
        let (matrix, state) = match start {
            Start::Identity if n_rows != n_cols => {
                let expected = format!("zero: W is rectangular, {n_rows} query words by {n_cols} document words");
                return Err(Error::param("start", "identity", expected));
            }
            Start::Identity => return Ok(fresh(Some(self.params.identity_weight as f32))),
            Start::Zero => return Ok(fresh(None)),
            Start::Matrix(matrix) => (matrix, None),
            Start::Resume(matrix, state) => (matrix, Some(state)),
        };
        let n_weights = self.params.weights;
        match matrix {
            Matrix::Hashed(hashed)
                if (matrix.n_rows(), matrix.n_cols()) == (n_rows, n_cols)
                    && hashed.weights().len() == n_weights
                    && state.is_none_or(|s| s.numbers.get("weights") == Some(&(n_weights as f64))) =>
            {
                Ok(Weights { shared: hashed.weights().to_vec(), identity: hashed.identity() })
            }
            _ => Err(Error::bad_data(
                format!(
                    "training starts from a {} W of {} x {} or a state that is not of {n_weights} hashed weights",
                    matrix.name(),
                    matrix.n_rows(),
                    matrix.n_cols()
                ),
                "go on with a hashed model of these words and as many weights",
            )),
        }
    }
}

impl Weights {
    fn score(&self, query: SparseView<'_>, difference: SparseView<'_>) -> f64 {
        let mut sum = self.identity.map_or(0.0, |alpha| f64::from(alpha) * query.dot(difference));
        for (s, x) in query.iter() {
            let mut of_row = 0.0f64;
            for_places(s, difference, self.shared.len(), |at, y| of_row += f64::from(self.shared[at] * y));
            sum += f64::from(x) * of_row;
        }
        sum
    }

    fn step(&mut self, query: SparseView<'_>, difference: SparseView<'_>, step: f32, learn_identity: bool) {
        let n_weights = self.shared.len();
        for (s, x) in query.iter() {
            for_places(s, difference, n_weights, |at, y| self.shared[at] += step * x * y);
        }
        if let Some(alpha) = self.identity.as_mut().filter(|_| learn_identity) {
            *alpha += step * query.dot(difference) as f32;
        }
    }

    /// Shows the weights as a matrix without a copy.
    fn lend(&mut self, size: [usize; 2], t: u64, look: impl FnOnce(&Matrix) -> Result<Flow>) -> Result<Flow> {
        let lent = Self { shared: std::mem::take(&mut self.shared), identity: self.identity };
        let matrix = lent.into_matrix(size, t)?;
        let flow = look(&matrix);
        if let Matrix::Hashed(hashed) = matrix {
            self.shared = hashed.into_weights();
        }
        flow
    }

    fn into_matrix(self, [n_rows, n_cols]: [usize; 2], t: u64) -> Result<Matrix> {
        Matrix::hashed(n_rows, n_cols, self.shared, self.identity).map_err(|_| diverged(t))
    }
}

/// Calls `f` with the place of each pair (s, t) and t's value.
#[inline]
fn for_places(s: u32, x: SparseView<'_>, n_weights: usize, mut f: impl FnMut(usize, f32)) {
    let from = place(s, 0, n_weights);
    for (t, y) in x.iter() {
        // A remainder only where the number of weights is smaller than the vocabulary.
        let t = if (t as usize) < n_weights { t as usize } else { t as usize % n_weights };
        let at = from + t;
        f(if at < n_weights { at } else { at - n_weights }, y);
    }
}
