//! A W of any form as a sparse one, for an inverted index: the strongest weights of each row, and the diagonal.

use crate::matrix::Matrix;
use qwd_core::error::{Error, Result};
use qwd_core::top_k::{Scored, top_k};
use qwd_core::{Csr, SparseVec, Threads};

/// A sparse W and what it leaves out.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparsified {
    /// The sparse W.
    pub matrix: Matrix,
    /// The length of what was left out, as a share of the length of all of W (Frobenius norm).
    pub loss: f64,
}

/// Rows that one thread works on at a time.
const CHUNK: usize = 64;

/// Keeps the `per_row` weights of each row that are largest in absolute value, and the diagonal besides. The cost is that
/// of expanding every query word.
pub fn sparsify(matrix: &Matrix, per_row: usize, threads: &Threads) -> Result<Sparsified> {
    if per_row == 0 {
        return Err(Error::param("per_row", 0, "at least 1 weight"));
    }
    let n_rows = matrix.n_rows();
    let chunks = threads.map(n_rows.div_ceil(CHUNK), |chunk| {
        let mut row = vec![0.0f32; matrix.n_cols()];
        let rows = chunk * CHUNK..((chunk + 1) * CHUNK).min(n_rows);
        let kept = rows.map(|s| sparse_row(matrix, s as u32, per_row, &mut row));
        kept.collect::<Result<Vec<(SparseVec, f64, f64)>>>()
    });
    let mut weights = Csr::empty(matrix.n_cols() as u32);
    let (mut all, mut lost) = (0.0, 0.0);
    for chunk in chunks {
        for (row, of_row, lost_of_row) in chunk? {
            weights.push(row.view())?;
            all += of_row;
            lost += lost_of_row;
        }
    }
    let loss = if all > 0.0 { (lost / all).sqrt() } else { 0.0 };
    Ok(Sparsified { matrix: Matrix::sparse(weights)?, loss })
}

/// A row's strongest weights, its squared length, and the squared length of what is left out.
fn sparse_row(matrix: &Matrix, s: u32, per_row: usize, row: &mut [f32]) -> Result<(SparseVec, f64, f64)> {
    let unit = SparseVec::try_new(vec![s], vec![1.0])?;
    matrix.expand_into(unit.view(), row)?;
    let square = |w: f32| f64::from(w) * f64::from(w);
    let all: f64 = row.iter().map(|&w| square(w)).sum();
    let sizes = (0u32..).zip(row.iter()).filter(|(_, w)| **w != 0.0);
    let strongest = top_k(sizes.map(|(item, w)| Scored { item, score: w.abs() }), per_row);
    let mut terms: Vec<u32> = strongest.iter().map(|s| s.item).collect();
    if (s as usize) < row.len() && row[s as usize] != 0.0 {
        terms.push(s);
    }
    terms.sort_unstable();
    terms.dedup();
    let values: Vec<f32> = terms.iter().map(|&t| row[t as usize]).collect();
    let kept: f64 = values.iter().map(|&w| square(w)).sum();
    Ok((SparseVec::try_new(terms, values)?, all, (all - kept).max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{LowRankDiagonal, LowRankParts};

    #[test]
    fn the_strongest_and_the_diagonal_stay() {
        let weights = vec![0.5, 3.0, -4.0, 1.0, 0.25, 2.0, 0.0, -1.0, 0.0];
        let dense = Matrix::dense(3, 3, weights).expect("finite");
        for n in [1, 2] {
            let found = sparsify(&dense, 1, &Threads::new(n).expect("threads")).expect("small");
            let rows: Vec<Vec<f32>> =
                (0..3).map(|s| (0..3).map(|t| found.matrix.entry(s, t).expect("in range")).collect()).collect();
            assert_eq!(rows, [[0.5, 0.0, -4.0], [0.0, 0.25, 2.0], [0.0, -1.0, 0.0]]);
            let all: f64 = 0.25 + 9.0 + 16.0 + 1.0 + 0.0625 + 4.0 + 1.0;
            assert!((found.loss - (10.0 / all).sqrt()).abs() < 1e-12, "{}", found.loss);
        }
        sparsify(&dense, 0, &Threads::default()).expect_err("nothing to keep");
    }

    #[test]
    fn all_of_a_low_rank_matrix_is_the_same_matrix() {
        let parts = LowRankParts {
            n_rows: 70,
            n_cols: 70,
            rank: 2,
            u: (0..140).map(|i| (i % 7) as f32 - 3.0).collect(),
            v: None,
            diagonal: LowRankDiagonal::Scaled(2.0),
        };
        let low_rank = Matrix::low_rank(parts).expect("finite");
        let found = sparsify(&low_rank, 70, &Threads::default()).expect("small");
        assert_eq!(found.loss, 0.0);
        for (s, t) in (0..70).flat_map(|s| (0..70).map(move |t| (s, t))) {
            assert_eq!(found.matrix.entry(s, t).expect("in range"), low_rank.entry(s, t).expect("in range"));
        }
    }
}
