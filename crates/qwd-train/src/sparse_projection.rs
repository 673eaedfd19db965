//! Sparse W by projection: train, drop the k smallest weights of each row, train what is left, until no row has more than
//! p (Algorithm 2 of the supervised semantic indexing paper, section 2.3.3).
//!
//! Rows, because an expanded query qᵀW then has at most |q| p terms. Each round is SGD over all tuples ([`crate::sgd`]; on
//! the support that is left, [`crate::refit`]), so the cost is that of SGD times the rounds. An L1 penalty
//! ([`crate::sparse_sgd`]) costs one round.

use crate::problem::Problem;
use crate::rate::Schedule;
use crate::session::Session;
use crate::sgd::{Sgd, SgdForm, SgdParams};
use crate::sparse_sgd::{SparseSgd, SparseSgdParams};
use crate::trainer::{Constraints, Start, Trained};
use crate::weights::rows_of;
use qwd_core::top_k::{Scored, top_k};
use qwd_core::{Csr, Error, Result, SparseVec, parameters};
use qwd_model::Matrix;
use qwd_model::matrix::Dense;

parameters! {
    /// Parameters of sparse projection.
    pub struct SparseProjectionParams {
        /// The most weights that a row may keep, at least 1. Symbol: p.
        pub per_row: usize = 100,
        /// The number of weights that a row loses in a round, at least 1; without it, half of those above `per_row`.
        /// Symbol: k.
        pub drop: Option<usize> = None,
        /// The rate η, or its constant C when decaying; above 0. Symbol: λ.
        pub learning_rate: f64 = 200.0,
        /// Whether the rate stays (`fixed`) or falls with the root of the steps (`decaying`).
        pub schedule: Schedule = Schedule::Decaying,
        /// The margin by which the better document should win, above 0; 1 in the paper.
        pub margin: f64 = 1.0,
        /// Tuples that are scored against the same W before any of them takes its step; 1 is the paper's algorithm.
        pub batch: u64 = 1,
        /// What the first round stores: word pairs (`primal`), or coefficients of texts (`dual`), for few and long texts.
        pub form: SgdForm = SgdForm::Primal,
    }
}

impl SparseProjectionParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<SparseProjection> {
        let Self { per_row, drop, learning_rate, schedule, margin, batch, form } = self;
        if per_row == 0 {
            return Err(Error::param("per_row", 0, "at least 1 weight"));
        }
        if drop == Some(0) {
            return Err(Error::param("drop", 0, "at least 1 weight"));
        }
        let sgd = SparseSgdParams { learning_rate, schedule, margin, batch, l1: 0.0, ..SparseSgdParams::default() };
        let first = SgdParams { learning_rate, schedule, margin, batch, form, ..SgdParams::default() };
        Ok(SparseProjection { first: first.build()?, sgd: sgd.build()?, per_row, drop })
    }
}

/// Sparse projection with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseProjection {
    first: Sgd,
    sgd: SparseSgd,
    per_row: usize,
    drop: Option<usize>,
}

impl SparseProjection {
    /// Learns a W with few weights in every row; every round sees the problem's preferences in their order.
    pub fn train(&self, problem: &Problem<'_>, start: Start<'_>, session: &mut Session<'_>) -> Result<Trained> {
        if matches!(start, Start::Resume(..)) {
            return Err(Error::bad_data("sparse projection keeps no state to go on from", "train the model anew"));
        }
        let mut trained = self.first.train(problem, start, &Constraints::default(), session)?;
        let mut steps = trained.steps;
        while self.is_above(&trained.matrix)? {
            let rows = self.project(&trained.matrix)?;
            let fitted = Matrix::sparse(rows.clone())?;
            let constraints = Constraints { support: Some(rows), ..Constraints::default() };
            trained = self.sgd.train(problem, Start::Matrix(&fitted), &constraints, session)?;
            steps += trained.steps;
        }
        Ok(Trained { matrix: Matrix::sparse(rows_of(&trained.matrix)?)?, state: None, steps })
    }

    /// Whether some row has more weights than it may keep.
    fn is_above(&self, matrix: &Matrix) -> Result<bool> {
        Ok(match matrix {
            Matrix::Dense(dense) => (0..matrix.n_rows() as u32).any(|s| weights_of(dense, s).count() > self.per_row),
            other => rows_of(other)?.rows().any(|row| row.len() > self.per_row),
        })
    }

    /// Drops the smallest weights of each row, ties by place. A dense W is taken row by row: all its weights with their
    /// places would take twice its memory.
    fn project(&self, matrix: &Matrix) -> Result<Csr> {
        let mut kept = Csr::empty(matrix.n_cols() as u32);
        match matrix {
            Matrix::Dense(dense) => {
                (0..matrix.n_rows() as u32).try_for_each(|s| kept.push(self.largest(weights_of(dense, s))?.view()))?
            }
            other => rows_of(other)?.rows().try_for_each(|row| kept.push(self.largest(row.iter())?.view()))?,
        }
        Ok(kept)
    }

    fn largest(&self, row: impl Iterator<Item = (u32, f32)>) -> Result<SparseVec> {
        let mut row: Vec<(u32, f32)> = row.collect();
        let above = row.len().saturating_sub(self.per_row);
        let n_dropped = self.drop.map_or(above.div_ceil(2), |k| k.min(above));
        let sizes = row.iter().map(|&(item, w)| Scored { item, score: w.abs() });
        let mut largest: Vec<u32> = top_k(sizes, row.len() - n_dropped).iter().map(|s| s.item).collect();
        largest.sort_unstable();
        row.retain(|(t, _)| largest.binary_search(t).is_ok());
        SparseVec::from_pairs(row)
    }
}

/// The weights of a row that are not 0.
fn weights_of(dense: &Dense, s: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
    (0u32..).zip(dense.row(s)).filter(|(_, w)| **w != 0.0).map(|(t, &w)| (t, w))
}
