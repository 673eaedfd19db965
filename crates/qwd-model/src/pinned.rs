//! W with some entries set by hand, for every form.
//!
//! A W that lies in a table of its entries gets them put in. Any other form becomes the sum of itself and a sparse correction
//! `p − W[s][t]` at each pinned place, so its other entries stay what they are; a pinned entry is then exact up to the
//! rounding of that sum.

use crate::matrix::Matrix;
use qwd_core::{Csr, Error, Result, SparseVec};
use std::collections::BTreeMap;

/// The matrix with the weight of each (query term, document term) of `pins` as given; a weight of 0 takes the entry out.
pub fn pinned(matrix: &Matrix, pins: &BTreeMap<(u32, u32), f32>) -> Result<Matrix> {
    let (n_rows, n_cols) = (matrix.n_rows(), matrix.n_cols());
    if pins.keys().any(|&(s, t)| s as usize >= n_rows || t as usize >= n_cols) {
        return Err(Error::bad_data("a pinned pair names a word that does not exist", "remove it"));
    }
    if pins.values().any(|weight| !weight.is_finite()) {
        return Err(Error::bad_data("a pinned weight is not a finite number", "correct it"));
    }
    if pins.is_empty() {
        return Ok(matrix.clone());
    }
    match matrix {
        Matrix::Identity(_) | Matrix::Diagonal(_) => {
            let on_diagonal = |s: u32| Ok(vec![(s, matrix.entry(s, s)?)]);
            Matrix::sparse(with_entries(n_rows, n_cols, on_diagonal, pins)?)
        }
        Matrix::Sparse(sparse) => {
            let row = |s: u32| Ok(sparse.csr().row(s as usize).iter().collect());
            Matrix::sparse(with_entries(n_rows, n_cols, row, pins)?)
        }
        _ => {
            let mut corrections = BTreeMap::new();
            for (&(s, t), weight) in pins {
                corrections.insert((s, t), weight - matrix.entry(s, t)?);
            }
            let correction = Matrix::sparse(with_entries(n_rows, n_cols, |_| Ok(Vec::new()), &corrections)?)?;
            Matrix::mixture(vec![(1.0, matrix.clone()), (1.0, correction)])
        }
    }
}

/// Rows with some of their entries replaced.
fn with_entries(
    n_rows: usize,
    n_cols: usize,
    row: impl Fn(u32) -> Result<Vec<(u32, f32)>>,
    entries: &BTreeMap<(u32, u32), f32>,
) -> Result<Csr> {
    let mut rows = Csr::empty(n_cols as u32);
    for s in 0..n_rows as u32 {
        let given: Vec<(u32, f32)> = entries.range((s, 0)..=(s, u32::MAX)).map(|(&(_, t), &w)| (t, w)).collect();
        let mut pairs = row(s)?;
        pairs.retain(|(t, _)| given.binary_search_by_key(t, |&(column, _)| column).is_err());
        pairs.extend(given.into_iter().filter(|&(_, weight)| weight != 0.0));
        rows.push(SparseVec::from_pairs(pairs)?.view())?;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{LowRankDiagonal, LowRankParts};

    #[test]
    fn pinned_entries_are_as_given_and_all_others_as_before_in_every_form() {
        let n = 4;
        let u: Vec<f32> = (0..2 * n).map(|i| i as f32 / 5.0 - 0.6).collect();
        let parts = LowRankParts { n_rows: n, n_cols: n, rank: 2, u, v: None, diagonal: LowRankDiagonal::Scaled(1.0) };
        let mut rows = Csr::empty(n as u32);
        for s in 0..n as u32 {
            let row = vec![(s, 1.0), ((s + 1) % 4, -0.5)];
            rows.push(SparseVec::from_pairs(row).expect("finite").view()).expect("in range");
        }
        let forms = [
            Matrix::identity(n),
            Matrix::diagonal(vec![1.0, 2.0, 3.0, 4.0]),
            Matrix::sparse(rows),
            Matrix::low_rank(parts),
            Matrix::dense(n, n, (0..16).map(|i| i as f32).collect()),
            Matrix::hashed(n, n, vec![0.5, -0.25, 0.125], Some(1.0)),
        ];
        let pins = BTreeMap::from([((0, 1), 2.5), ((1, 1), 0.0), ((3, 0), -1.25)]);
        for form in forms {
            let before = form.expect("fits");
            let after = pinned(&before, &pins).expect("pinned");
            for (s, t) in (0..4).flat_map(|s| (0..4).map(move |t| (s, t))) {
                let expected = pins.get(&(s, t)).copied().unwrap_or_else(|| before.entry(s, t).expect("inside"));
                let found = after.entry(s, t).expect("inside");
                assert!((found - expected).abs() < 1e-6, "{} at {s}, {t}: {found}, not {expected}", before.name());
            }
        }
    }

    #[test]
    fn pins_beyond_the_words_or_without_a_number_are_refused() {
        let matrix = Matrix::identity(2).expect("small");
        assert!(pinned(&matrix, &BTreeMap::from([((0, 2), 1.0)])).is_err());
        assert!(pinned(&matrix, &BTreeMap::from([((0, 1), f32::NAN)])).is_err());
        assert_eq!(pinned(&matrix, &BTreeMap::new()).expect("the same"), matrix);
    }
}
