//! What all trainers have in common: where they start, what they may touch, what they return.

use qwd_core::{Csr, Error, Result};
use qwd_model::{Matrix, TrainingState};

/// Where training starts.
#[derive(Debug, Clone, Copy)]
pub enum Start<'a> {
    /// From I: at first the model ranks like cosine. Needs as many query words as document words.
    Identity,
    /// From W = 0.
    Zero,
    /// From a given W.
    Matrix(&'a Matrix),
    /// From where an earlier run stopped: the result is that of one longer run, to the last bit.
    Resume(&'a Matrix, &'a TrainingState),
}

/// The most steps that a state may have behind it: numbers beyond come from a broken file.
const MOST_STEPS: u64 = 1 << 53;

impl Start<'_> {
    /// The number of steps done before.
    pub(crate) fn steps_done(self) -> Result<u64> {
        match self {
            Self::Resume(_, state) if state.step > MOST_STEPS => {
                Err(Error::bad_data(format!("the training state counts {} steps", state.step), "train the model anew"))
            }
            Self::Resume(_, state) => Ok(state.step),
            _ => Ok(0),
        }
    }
}

/// What a trainer returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// The learned W.
    pub matrix: Matrix,
    /// What the trainer needs to go on, where it can.
    pub state: Option<TrainingState>,
    /// The number of steps that led to `matrix`, earlier runs included.
    pub steps: u64,
}

/// Limits on what W may become.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Constraints {
    /// Word pairs whose weight is given: (query word, document word, weight).
    pub pinned: Vec<(u32, u32, f32)>,
    /// Word pairs whose weight stays 0.
    pub forbidden: Vec<(u32, u32)>,
    /// If given, only word pairs with a stored entry here may have a weight; the entries' values do not matter.
    pub support: Option<Csr>,
}

impl Constraints {
    /// Whether nothing is constrained.
    pub fn is_empty(&self) -> bool {
        self.pinned.is_empty() && self.forbidden.is_empty() && self.support.is_none()
    }

    /// Checks that the pairs exist, none is named twice and the weights are finite.
    pub(crate) fn check(&self, n_rows: usize, n_cols: usize) -> Result<()> {
        let mut pairs: Vec<(u32, u32)> = self.pinned.iter().map(|&(s, t, _)| (s, t)).collect();
        pairs.extend(&self.forbidden);
        if pairs.iter().any(|&(s, t)| s as usize >= n_rows || t as usize >= n_cols) {
            return Err(Error::bad_data("a pinned or forbidden pair names a word that does not exist", "remove it"));
        }
        pairs.sort_unstable();
        if pairs.windows(2).any(|w| w[0] == w[1]) {
            return Err(Error::bad_data("a word pair is pinned or forbidden twice", "name each pair once"));
        }
        if self.pinned.iter().any(|&(_, _, w)| !w.is_finite()) {
            return Err(Error::bad_data("a pinned weight is not a finite number", "correct it"));
        }
        match &self.support {
            Some(support) if (support.n_rows(), support.n_cols() as usize) != (n_rows, n_cols) => Err(Error::bad_data(
                format!("the support is {} x {}, W is {n_rows} x {n_cols}", support.n_rows(), support.n_cols()),
                "give a support over the same words",
            )),
            _ => Ok(()),
        }
    }

    /// The same limits, and no weight on the diagonal but pinned ones.
    pub(crate) fn without_diagonal(&self, n: usize) -> Self {
        let mut limits = self.clone();
        let mut named: Vec<u32> = self.forbidden.iter().filter(|(s, t)| s == t).map(|&(s, _)| s).collect();
        named.extend(self.pinned.iter().filter(|(s, t, _)| s == t).map(|&(s, ..)| s));
        named.sort_unstable();
        limits.forbidden.extend((0..n as u32).filter(|i| named.binary_search(i).is_err()).map(|i| (i, i)));
        limits
    }

    /// For each row, the columns that no step may change, increasing.
    pub(crate) fn frozen(&self, n_rows: usize) -> Vec<Vec<u32>> {
        let mut frozen = vec![Vec::new(); n_rows];
        let pinned = self.pinned.iter().map(|&(s, t, _)| (s, t));
        for (s, t) in pinned.chain(self.forbidden.iter().copied()) {
            frozen[s as usize].push(t);
        }
        frozen.iter_mut().for_each(|columns| columns.sort_unstable());
        frozen
    }

    /// The pinned weights as a matrix.
    pub(crate) fn pinned_matrix(&self, n_rows: usize, n_cols: usize) -> Result<Csr> {
        let mut pinned = self.pinned.clone();
        pinned.sort_unstable_by_key(|&(s, t, _)| (s, t));
        let mut matrix = Csr::empty(n_cols as u32);
        let mut rest = pinned.as_slice();
        for s in 0..n_rows as u32 {
            let n = rest.partition_point(|&(row, ..)| row == s);
            let (columns, values): (Vec<u32>, Vec<f32>) = rest[..n].iter().map(|&(_, t, w)| (t, w)).unzip();
            matrix.push(qwd_core::SparseVec::try_new(columns, values)?.view())?;
            rest = &rest[n..];
        }
        Ok(matrix)
    }
}
