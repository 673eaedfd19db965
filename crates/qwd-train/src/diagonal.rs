//! Diagonal: W is a diagonal matrix, a learned weight for every word that query and document share.
//!
//! The margin rank loss by SGD as in [`crate::sgd`], on the diagonal alone: if Σ w_i q_i e_i < m with e = d⁺ − d⁻, then
//! w_i ← w_i + η_t q_i e_i. It learns which words matter, not which go together ("Diagonal" in the sparse preference
//! paper's tables). A tuple costs |q| + |e|.

use crate::best_seen::BestSeen;
use crate::engine::{Flow, diverged};
use crate::problem::Problem;
use crate::rate::{Rate, Schedule};
use crate::session::{Session, Tally};
use crate::sums::LARGEST;
use crate::trainer::{Start, Trained};
use qwd_core::parameters::positive;
use qwd_core::{Error, Result, SparseVec, SparseView, parameters};
use qwd_model::{Matrix, TrainingState};

parameters! {
    /// Parameters of the diagonal model.
    pub struct DiagonalParams {
        /// The rate η, or its constant C when decaying; above 0. Symbol: C.
        pub learning_rate: f64 = 1.0,
        /// Whether the rate stays (`fixed`) or falls with the root of the steps (`decaying`).
        pub schedule: Schedule = Schedule::Decaying,
        /// The margin by which the better document should win, above 0; 1 in the paper.
        pub margin: f64 = 1.0,
    }
}

impl DiagonalParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<Diagonal> {
        positive("learning_rate", self.learning_rate)?;
        positive("margin", self.margin)?;
        Ok(Diagonal { rate: Rate { schedule: self.schedule, constant: self.learning_rate }, margin: self.margin })
    }
}

/// The trainer of the diagonal model, with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagonal {
    rate: Rate,
    margin: f64,
}

impl Diagonal {
    /// Learns the diagonal from the problem's preferences, in their order.
    pub fn train(&self, problem: &Problem<'_>, start: Start<'_>, session: &mut Session<'_>) -> Result<Trained> {
        let (mut weights, from) = start_weights(problem, start)?;
        let tuples = problem.preferences();
        let mut best = BestSeen::default();
        if session.patience().is_some() {
            best.look(session, from, Matrix::diagonal(weights.clone())?)?;
        }
        let mut tally = Tally::default();
        let mut difference = SparseVec::default();
        let mut t = from;
        for (done, tuple) in (1u64..).zip(tuples) {
            t += 1;
            let query = problem.query(tuple);
            problem.difference(tuple, &mut difference);
            let score = score(&weights, query, difference.view()).ok_or_else(|| diverged(t))?;
            let missing = self.margin - score;
            if missing > 0.0 {
                let step = self.rate.at(t) * f64::from(tuple.weight);
                for_shared(query, difference.view(), |i, q, e| weights[i] += (step * q * e) as f32);
            }
            tally.add(missing, query.len() + difference.view().len());
            let is_last = done == tuples.len() as u64;
            if session.is_watched() && (is_last || t.is_multiple_of(session.checkpoint_every())) {
                let matrix = Matrix::diagonal(weights.clone()).map_err(|_| diverged(t))?;
                if best.look(session, t, matrix)? == Flow::Stop {
                    break;
                }
            }
            if is_last || t.is_multiple_of(256) {
                session.report(&mut tally, done, tuples.len() as u64)?;
            }
        }
        let (matrix, steps) = match best.into_best() {
            Some(best) => best,
            None => (Matrix::diagonal(weights).map_err(|_| diverged(t))?, t),
        };
        let state = TrainingState { step: steps, ..TrainingState::default() };
        Ok(Trained { matrix, state: Some(state), steps })
    }
}

fn start_weights(problem: &Problem<'_>, start: Start<'_>) -> Result<(Vec<f32>, u64)> {
    let n = problem.n_query_words();
    if n != problem.n_document_words() {
        return Err(Error::bad_data(
            format!(
                "a diagonal needs one vocabulary; there are {n} query words and {} document words",
                problem.n_document_words()
            ),
            "use one vocabulary for queries and documents, or another method",
        ));
    }
    let of_matrix = |matrix: &Matrix| -> Result<Vec<f32>> {
        if (matrix.n_rows(), matrix.n_cols()) != (n, n) {
            return Err(Error::bad_data(
                format!(
                    "training starts from a W of {} x {}, the data have {n} words",
                    matrix.n_rows(),
                    matrix.n_cols()
                ),
                "use the vocabulary of the model that training starts from",
            ));
        }
        (0..n as u32).map(|i| matrix.entry(i, i)).collect()
    };
    let weights = match start {
        Start::Identity => vec![1.0; n],
        Start::Zero => vec![0.0; n],
        Start::Matrix(matrix) | Start::Resume(matrix, _) => of_matrix(matrix)?,
    };
    Ok((weights, start.steps_done()?))
}

/// The score, or `None` where numbers have grown beyond all measure.
fn score(weights: &[f32], query: SparseView<'_>, difference: SparseView<'_>) -> Option<f64> {
    let mut sum = Some(0.0);
    for_shared(query, difference, |i, q, e| {
        let part = f64::from(weights[i]) * q * e;
        sum = sum.filter(|_| part.abs() <= LARGEST).map(|sum| sum + part);
    });
    sum
}

/// Calls `f` with index and both values for every word that both vectors have.
fn for_shared(a: SparseView<'_>, b: SparseView<'_>, mut f: impl FnMut(usize, f64, f64)) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a.indices()[i].cmp(&b.indices()[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                f(a.indices()[i] as usize, f64::from(a.values()[i]), f64::from(b.values()[j]));
                i += 1;
                j += 1;
            }
        }
    }
}
