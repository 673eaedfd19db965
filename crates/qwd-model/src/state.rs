//! What training needs to go on where it stopped, as if it had not.
//!
//! Optimisers keep what they like in named vectors and matrices. Sparse training with a lazy L1 penalty gets a form of
//! its own, because storing W twice would double the file: [`LazyWeights`].

use crate::matrix::Matrix;
use qwd_core::error::{Error, Result};
use qwd_core::kernel::shrink;
use qwd_core::{Csr, SparseVec};
use std::collections::BTreeMap;

/// The state of a training run between two steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrainingState {
    /// The number of steps done.
    pub step: u64,
    /// The weights before their pending shrinkage, when the matrix is sparse and trained with a lazy penalty.
    pub lazy_weights: Option<LazyWeights>,
    /// Single numbers by name, all finite.
    pub numbers: BTreeMap<String, f64>,
    /// Sparse accumulators by name.
    pub matrices: BTreeMap<String, Csr>,
    /// Dense accumulators by name, all values finite.
    pub vectors: BTreeMap<String, Vec<f32>>,
}

impl TrainingState {
    /// Checks names and values, and that the lazy weights are those of `matrix`.
    pub fn check(&self, matrix: &Matrix) -> Result<()> {
        for name in self.numbers.keys().chain(self.matrices.keys()).chain(self.vectors.keys()) {
            check_name(name)?;
        }
        if let Some((name, x)) = self.numbers.iter().find(|(_, x)| !x.is_finite()) {
            let what = format!("the training state {name} is {x}");
            return Err(Error::bad_data(what, "train again with a smaller learning rate"));
        }
        for (name, values) in &self.vectors {
            if values.iter().any(|v| !v.is_finite()) {
                let what = format!("the training state {name} has a value that is not a finite number");
                return Err(Error::bad_data(what, "train again with a smaller learning rate"));
            }
        }
        match (&self.lazy_weights, matrix) {
            (None, _) => Ok(()),
            (Some(lazy), Matrix::Sparse(sparse)) => lazy.check(sparse.csr()),
            (Some(_), _) => Err(Error::internal(format!("lazy weights for a {} matrix", matrix.name()))),
        }
    }
}

/// A name becomes part of a tensor's name in the model file.
fn check_name(name: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    if (1..=64).contains(&name.len()) && name.chars().all(allowed) {
        return Ok(());
    }
    Err(Error::internal(format!("{name:?} names a training state; names are 1 to 64 of a-z, 0-9, _ and -")))
}

/// The values of a sparse W before the shrinkage that is still pending for their rows.
///
/// The served weight of a value `v` in row `s` is `v - clamp(v, -pending[s], pending[s])`: moved towards 0 by the row's
/// threshold. Entries that would be served as 0 are not kept, so the served matrix has the same places.
#[derive(Debug, Clone, PartialEq)]
pub struct LazyWeights {
    values: Vec<f32>,
    pending: Vec<f32>,
}

impl LazyWeights {
    /// Splits weights before shrinkage, and a threshold for every row, into the served matrix and the lazy values.
    pub fn split(weights: &Csr, pending: Vec<f32>) -> Result<(Matrix, Self)> {
        check_pending(&pending, weights.n_rows())?;
        Self::split_rows(weights.n_cols(), weights.nnz(), pending, |s, row| {
            row.clear();
            weights.row(s).iter().for_each(|(t, value)| row.push_last(t, value));
            Ok(())
        })
    }

    /// Does what [`LazyWeights::split`] does with rows that are written one after the other, so that the weights need not
    /// be there as a whole; `n_entries` is about how many there are.
    pub fn split_rows(
        n_cols: u32,
        n_entries: usize,
        pending: Vec<f32>,
        mut write_row: impl FnMut(usize, &mut SparseVec) -> Result<()>,
    ) -> Result<(Matrix, Self)> {
        check_pending(&pending, pending.len())?;
        let (mut indptr, mut indices) = (vec![0u64], Vec::with_capacity(n_entries));
        let (mut values, mut served) = (Vec::with_capacity(n_entries), Vec::with_capacity(n_entries));
        let mut row = SparseVec::default();
        for (s, &threshold) in pending.iter().enumerate() {
            write_row(s, &mut row)?;
            for (t, value) in row.view().iter() {
                let weight = shrink(value, threshold);
                if weight != 0.0 {
                    indices.push(t);
                    values.push(value);
                    served.push(weight);
                }
            }
            indptr.push(indices.len() as u64);
        }
        let matrix = Matrix::sparse(Csr::from_parts(n_cols, indptr, indices, served)?)?;
        Ok((matrix, Self { values, pending }))
    }

    /// Takes values and thresholds as they lie in a file; [`TrainingState::check`] compares them with the matrix.
    pub(crate) fn from_parts(values: Vec<f32>, pending: Vec<f32>) -> Self {
        Self { values, pending }
    }

    /// The values before shrinkage, in the order of the served matrix's entries.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The threshold of every row, at least 0.
    pub fn pending(&self) -> &[f32] {
        &self.pending
    }

    /// Joins the values with the places of the served matrix: the weights before shrinkage.
    pub fn weights(&self, served: &Csr) -> Result<Csr> {
        let (indptr, indices, _) = served.parts();
        Csr::from_parts(served.n_cols(), indptr.to_vec(), indices.to_vec(), self.values.clone())
    }

    fn check(&self, served: &Csr) -> Result<()> {
        check_pending(&self.pending, served.n_rows())?;
        let (indptr, _, weights) = served.parts();
        let broken = || Error::internal("lazy weights that are not those of the matrix");
        if self.values.len() != weights.len() {
            return Err(broken());
        }
        for (row, &threshold) in indptr.windows(2).zip(&self.pending) {
            let row = row[0] as usize..row[1] as usize;
            let same = |(&v, &w): (&f32, &f32)| w != 0.0 && shrink(v, threshold).to_bits() == w.to_bits();
            if !self.values[row.clone()].iter().zip(&weights[row]).all(same) {
                return Err(broken());
            }
        }
        Ok(())
    }
}

/// Checks that every row has a threshold, finite and at least 0.
pub(crate) fn check_pending(pending: &[f32], n_rows: usize) -> Result<()> {
    if pending.len() != n_rows {
        return Err(Error::internal(format!("{} pending thresholds for {n_rows} rows", pending.len())));
    }
    match pending.iter().find(|p| !p.is_finite() || **p < 0.0) {
        None => Ok(()),
        Some(p) => Err(Error::bad_data(format!("a pending threshold of {p}"), "thresholds are finite and at least 0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before() -> Csr {
        Csr::from_parts(4, vec![0, 3, 3, 5], vec![0, 1, 3, 0, 2], vec![0.5, -0.1, -2.0, 0.25, 1.0]).expect("valid")
    }

    #[test]
    fn served_weights_are_shrunk_and_zeros_are_left_out() {
        let (served, lazy) = LazyWeights::split(&before(), vec![0.1, 9.0, 0.0]).expect("valid");
        let Matrix::Sparse(sparse) = &served else { panic!("a sparse matrix") };
        assert_eq!(sparse.csr().row(0).iter().collect::<Vec<_>>(), [(0, 0.4), (3, -1.9)]);
        assert_eq!(lazy.values(), [0.5, -2.0, 0.25, 1.0]);
        let weights = lazy.weights(sparse.csr()).expect("valid");
        assert_eq!(
            LazyWeights::split(&weights, lazy.pending().to_vec()).expect("valid"),
            (served.clone(), lazy.clone())
        );
        let state = TrainingState { lazy_weights: Some(lazy), ..TrainingState::default() };
        state.check(&served).expect("those of the matrix");
        state.check(&Matrix::sparse(before()).expect("small")).expect_err("of another matrix");
        state.check(&Matrix::identity(3).expect("small")).expect_err("of another form");
    }

    #[test]
    fn names_and_values_are_checked() {
        let m = Matrix::identity(1).expect("small");
        let with = |name: &str, value: f32| TrainingState {
            vectors: BTreeMap::from([(name.to_string(), vec![value])]),
            ..TrainingState::default()
        };
        with("adagrad_u-2", 1.0).check(&m).expect("a good name");
        for (name, value) in [("", 1.0), ("a.b", 1.0), ("A", 1.0), ("é", 1.0), ("a", f32::NAN)] {
            with(name, value).check(&m).expect_err(name);
        }
        LazyWeights::split(&before(), vec![0.0; 2]).expect_err("three rows");
        LazyWeights::split(&before(), vec![0.0, -1.0, 0.0]).expect_err("negative");
        LazyWeights::split(&before(), vec![0.0, f32::NAN, 0.0]).expect_err("no number");
    }
}
