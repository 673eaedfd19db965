//! All rows of W while it is trained: their memory, their start and what becomes of them.

use crate::engine::diverged;
use crate::entry::Entry;
use crate::problem::Problem;
use crate::row::EntryRow;
use crate::trainer::{Constraints, Start};
use qwd_core::memory::zeroed;
use qwd_core::{Csr, Error, Result, SparseVec};
use qwd_model::Matrix;

/// Bytes that dense rows may take: all rows of a vocabulary of 10,000 words, the thousand most frequent of 100,000.
const DENSE_BYTES: usize = 416 << 20;

fn dense_bytes() -> usize {
    #[cfg(test)]
    if let Some(bytes) = tests::DENSE_BYTES.get() {
        return bytes;
    }
    DENSE_BYTES
}

/// A matrix with more non-zero entries than this share is returned dense: sparse entries take twice the room.
const DENSE_FROM: f64 = 0.5;

/// Memory for the dense rows.
pub(crate) struct Arena<E> {
    memory: Vec<E>,
    stride: usize,
}

impl<E: Entry> Arena<E> {
    pub(crate) fn new(n_rows: usize, n_cols: usize) -> Self {
        // Rows begin on a cache line of 64 bytes if the memory does.
        let stride = n_cols.next_multiple_of(64 / size_of::<E>().min(64));
        let n_dense = (dense_bytes() / (stride * size_of::<E>()).max(1)).min(n_rows);
        Self { memory: zeroed(n_dense * stride), stride }
    }

    /// Makes a row for every row of `start`, the first ones dense.
    pub(crate) fn rows<'a>(&'a mut self, start: &StartRows, entry: impl Fn(f32) -> E) -> Vec<EntryRow<'a, E>> {
        self.rows_of(
            start.0.rows().map(|row| (row.indices().to_vec(), row.values().iter().map(|&w| entry(w)).collect())),
        )
    }

    /// Makes a row of each list of columns and entries, the first ones dense.
    pub(crate) fn rows_of<'a>(&'a mut self, rows: impl Iterator<Item = (Vec<u32>, Vec<E>)>) -> Vec<EntryRow<'a, E>> {
        let mut places = self.memory.chunks_exact_mut(self.stride);
        rows.map(|(columns, entries)| EntryRow::new(places.next(), columns, entries)).collect()
    }
}

/// The W that training starts from, by rows.
#[derive(Debug)]
pub(crate) struct StartRows(pub(crate) Csr);

impl StartRows {
    pub(crate) fn new(start: Start<'_>, problem: &Problem<'_>) -> Result<Self> {
        let (n_rows, n_cols) = (problem.n_query_words(), problem.n_document_words());
        let matrix = match start {
            Start::Identity if n_rows != n_cols => {
                return Err(Error::param(
                    "start",
                    "identity",
                    format!("zero: W is rectangular, {n_rows} query words by {n_cols} document words"),
                ));
            }
            Start::Identity => &Matrix::identity(n_rows)?,
            Start::Zero => &Matrix::sparse(Csr::from_parts(n_cols as u32, vec![0; n_rows + 1], vec![], vec![])?)?,
            Start::Matrix(matrix) | Start::Resume(matrix, _) => matrix,
        };
        if (matrix.n_rows(), matrix.n_cols()) != (n_rows, n_cols) {
            return Err(Error::bad_data(
                format!(
                    "training starts from a W of {} x {}, the data have {n_rows} query words and {n_cols} document words",
                    matrix.n_rows(),
                    matrix.n_cols()
                ),
                "use the vocabulary of the model that training starts from",
            ));
        }
        Ok(Self(rows_of(matrix)?))
    }
}

/// The non-zero entries of a matrix of any form.
pub(crate) fn rows_of(matrix: &Matrix) -> Result<Csr> {
    if let Matrix::Sparse(sparse) = matrix
        && sparse.csr().parts().2.iter().all(|&w| w != 0.0)
    {
        return Ok(sparse.csr().clone());
    }
    let mut rows = Csr::empty(matrix.n_cols() as u32);
    for s in 0..matrix.n_rows() as u32 {
        let unit = SparseVec::try_new(vec![s], vec![1.0])?;
        rows.push(matrix.expand(unit.view())?.view())?;
    }
    Ok(rows)
}

/// The W of rows trained up to `step`, at a moment, with pinned weights put in.
pub(crate) fn matrix_of<E: Entry>(
    rows: &[EntryRow<'_, E>],
    n_cols: usize,
    moment: E::Moment,
    constraints: &Constraints,
    step: u64,
) -> Result<Matrix> {
    let pinned = constraints.pinned_matrix(rows.len(), n_cols)?;
    matrix_of_rows(rows, n_cols, &pinned, step, |row, out| row.weights(moment, out))
}

/// The W of rows that know how to write their weights, as long as they are finite: sparse, or dense where that takes
/// less room.
pub(crate) fn matrix_of_rows<R>(
    rows: &[R],
    n_cols: usize,
    pinned: &Csr,
    step: u64,
    weights_of: impl Fn(&R, &mut SparseVec) -> bool,
) -> Result<Matrix> {
    let with_pins = |s: usize, out: &mut SparseVec| {
        if !weights_of(&rows[s], out) {
            return Err(diverged(step));
        }
        let pins = pinned.row(s);
        if !pins.is_empty() {
            *out = SparseVec::from_pairs(out.view().iter().chain(pins.iter()).collect())?;
        }
        Ok(())
    };
    let mut row_weights = SparseVec::default();
    let mut csr = Csr::empty(n_cols as u32);
    let most = (DENSE_FROM * (rows.len() * n_cols) as f64) as usize;
    for s in 0..rows.len() {
        with_pins(s, &mut row_weights)?;
        if csr.nnz() + row_weights.view().len() > most {
            return dense_matrix(rows.len(), n_cols, &csr, with_pins);
        }
        csr.push(row_weights.view())?;
    }
    Matrix::sparse(csr)
}

/// A dense W, of which the first rows are already known.
fn dense_matrix(
    n_rows: usize,
    n_cols: usize,
    first: &Csr,
    weights_of: impl Fn(usize, &mut SparseVec) -> Result<()>,
) -> Result<Matrix> {
    let mut weights = vec![0.0; n_rows * n_cols];
    let mut row_weights = SparseVec::default();
    for (s, place) in weights.chunks_exact_mut(n_cols).enumerate() {
        if s < first.n_rows() {
            first.row(s).iter().for_each(|(t, w)| place[t as usize] = w);
        } else {
            weights_of(s, &mut row_weights)?;
            row_weights.view().iter().for_each(|(t, w)| place[t as usize] = w);
        }
    }
    Matrix::dense(n_rows, n_cols, weights)
}

#[cfg(test)]
#[path = "weights_tests.rs"]
mod tests;
