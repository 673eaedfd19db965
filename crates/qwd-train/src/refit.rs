//! Refitting: SGD without a penalty on the support of a sparse W, to undo the bias of its L1 penalty.
//!
//! Minimises the margin rank loss over the entries Ω = {(i, j) : W_ij ≠ 0} alone (equation 8 of the sparse preference
//! paper): if qᵀP_Ω(W)e < m, then W ← W + η_t P_Ω(q eᵀ). It starts from the values of the sparse solution and sees the
//! same tuples again (footnote 10); starting from I on the support does worse.
//!
//! The projection makes a step depend on the support, so scores inside a block cannot be corrected by inner products:
//! tuples are worked off one by one, or in mini-batches.

use crate::problem::Problem;
use crate::rate::Schedule;
use crate::session::Session;
use crate::sparse_sgd::SparseSgdParams;
use crate::trainer::{Constraints, Start, Trained};
use crate::weights::rows_of;
use qwd_core::parameters::share;
use qwd_core::{Csr, Result, SparseVec, parameters};
use qwd_model::Matrix;

parameters! {
    /// Parameters of refitting.
    pub struct RefitParams {
        /// The rate η, or its constant C when decaying; above 0. Symbol: C.
        pub learning_rate: f64 = 200.0,
        /// Whether the rate stays (`fixed`) or falls with the root of the steps (`decaying`).
        pub schedule: Schedule = Schedule::Decaying,
        /// The margin by which the better document should win, above 0; 1 in the paper.
        pub margin: f64 = 1.0,
        /// Keep W symmetric, for queries and documents of one kind; the support must be symmetric too.
        pub symmetric: bool = false,
        /// Tuples that are scored against the same W before any of them takes its step; 1 is the paper's algorithm.
        pub batch: u64 = 1,
        /// Keep only this share of all entries, those largest in absolute value, before refitting.
        pub prune_to: Option<f64> = None,
    }
}

impl RefitParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<Refit> {
        let Self { learning_rate, schedule, margin, symmetric, batch, prune_to } = self;
        prune_to.map_or(Ok(()), |prune_to| share("prune_to", prune_to))?;
        let sgd = SparseSgdParams {
            learning_rate,
            schedule,
            margin,
            symmetric,
            batch,
            l1: 0.0,
            ..SparseSgdParams::default()
        };
        Ok(Refit { sgd: sgd.build()?, prune_to, pinned: Vec::new() })
    }
}

/// Refitting with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Refit {
    sgd: crate::sparse_sgd::SparseSgd,
    prune_to: Option<f64>,
    pinned: Vec<(u32, u32, f32)>,
}

impl Refit {
    /// Keeps the weights of pinned word pairs as they are given.
    pub fn keeping(mut self, pinned: &[(u32, u32, f32)]) -> Self {
        self.pinned = pinned.to_vec();
        self
    }

    /// Refits the non-zero entries of `fitted` to the problem's preferences, in their order.
    pub fn train(&self, problem: &Problem<'_>, fitted: &Matrix, session: &mut Session<'_>) -> Result<Trained> {
        let pruned = self.prune_to.map(|share| prune(fitted, share)).transpose()?;
        let fitted = pruned.as_ref().unwrap_or(fitted);
        let support = Some(rows_of(fitted)?);
        let constraints = Constraints { support, pinned: self.pinned.clone(), ..Constraints::default() };
        self.sgd.train(problem, Start::Matrix(fitted), &constraints, session)
    }
}

/// Keeps the given share of all entries of W: those largest in absolute value, ties by place.
pub fn prune(matrix: &Matrix, share: f64) -> Result<Matrix> {
    let rows = rows_of(matrix)?;
    let wanted = (share * matrix.n_rows() as f64 * matrix.n_cols() as f64).round() as usize;
    if rows.nnz() <= wanted {
        return Matrix::sparse(rows);
    }
    let mut sizes: Vec<f32> = rows.parts().2.iter().map(|w| w.abs()).collect();
    let (larger, &mut threshold, _) = sizes.select_nth_unstable_by(wanted, |a, b| b.total_cmp(a));
    let mut n_tied = larger.iter().filter(|size| **size == threshold).count();
    let mut kept = Csr::with_capacity(rows.n_cols(), rows.n_rows(), wanted);
    for row in rows.rows() {
        let mut stays = |w: f32| {
            let tied = w.abs() == threshold && n_tied > 0;
            n_tied -= usize::from(tied);
            tied || w.abs() > threshold
        };
        let large = row.iter().filter(|&(_, w)| stays(w)).collect();
        kept.push(SparseVec::from_pairs(large)?.view())?;
    }
    Matrix::sparse(kept)
}
