//! Tables of numbers, one row for every word or text, whose rows are all dense or all sparse, whichever is smaller.
//!
//! Rows are made in chunks that the data alone cut, each by one thread: the same bytes at any number of threads.

use qwd_core::kernel::add_rows;
use qwd_core::{Csr, Result, SparseVec, SparseView, Threads};
use qwd_model::{LowRankDiagonal, LowRankParts, Matrix};
use std::sync::Arc;

/// Rows that are worked on at a time.
const CHUNK: usize = 256;

/// A sparse entry takes twice the room of a dense one, and the change from one to the other takes both for a while.
const SPARSE_BELOW: f64 = 0.25;

/// W = A Bᵀ for the rows A of query words and B of document words.
pub(crate) fn latent_matrix(queries: LatentRows, documents: LatentRows) -> Result<Matrix> {
    let (n_rows, n_cols, rank) = (queries.n_rows(), documents.n_rows(), queries.width());
    match (queries, documents) {
        (LatentRows::Dense { numbers: u, .. }, LatentRows::Dense { numbers: v, .. }) => {
            let diagonal = LowRankDiagonal::None;
            Matrix::low_rank(LowRankParts { n_rows, n_cols, rank, u, v: Some(v), diagonal })
        }
        // Dimensions as bins, and I between them: sparse rows stay sparse in memory and on disk.
        (queries, documents) => {
            let (queries, documents) = (Arc::new(queries.into_csr()?), Arc::new(documents.into_csr()?));
            Matrix::binned(queries, documents, Matrix::identity(rank)?)
        }
    }
}

/// A table of numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum LatentRows {
    /// Row after row.
    Dense {
        /// The numbers of a row.
        width: usize,
        /// All numbers.
        numbers: Vec<f32>,
    },
    /// Few numbers a row.
    Sparse(Csr),
}

impl LatentRows {
    /// The length of a row.
    pub fn width(&self) -> usize {
        match self {
            Self::Dense { width, .. } => *width,
            Self::Sparse(rows) => rows.n_cols() as usize,
        }
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            Self::Dense { width, numbers } => numbers.len().checked_div(*width).unwrap_or(0),
            Self::Sparse(rows) => rows.n_rows(),
        }
    }

    /// Whether rows are stored as dense ones.
    pub fn is_dense(&self) -> bool {
        matches!(self, Self::Dense { .. })
    }

    /// The number of numbers that are not 0.
    pub fn n_nonzero(&self) -> usize {
        match self {
            Self::Dense { numbers, .. } => numbers.iter().filter(|&&x| x != 0.0).count(),
            Self::Sparse(rows) => rows.nnz(),
        }
    }

    /// Adds rows, each times a weight: `sum += Σ x[i] row[i]`.
    #[inline]
    pub fn add(&self, x: SparseView<'_>, sum: &mut [f32]) {
        match self {
            Self::Dense { numbers, .. } => add_rows(x, numbers, sum),
            Self::Sparse(rows) => {
                for (i, weight) in x.iter() {
                    let row = rows.row(i as usize);
                    for (z, value) in row.iter() {
                        sum[z as usize] += weight * value;
                    }
                }
            }
        }
    }

    /// Calls `f` with the entries of row `i` that are not 0.
    pub fn visit(&self, i: usize, mut f: impl FnMut(usize, f32)) {
        match self {
            Self::Dense { width, numbers } => {
                let row = numbers[i * width..(i + 1) * width].iter().enumerate();
                row.filter(|(_, x)| **x != 0.0).for_each(|(z, &x)| f(z, x));
            }
            Self::Sparse(rows) => rows.row(i).iter().for_each(|(z, x)| f(z as usize, x)),
        }
    }

    /// Makes a table: `fill` is given each row's number and a row of zeros to fill, and returns two numbers, whose sums
    /// over all rows are returned too. `dense` is how rows are first stored; the table comes back as is smaller.
    pub(crate) fn make(
        [n_rows, width]: [usize; 2],
        dense: bool,
        threads: &Threads,
        fill: impl Fn(usize, &mut [f32]) -> [f64; 2] + Sync + Send,
    ) -> Result<(Self, [f64; 2])> {
        let (table, sums) = if dense {
            let mut numbers = vec![0.0f32; n_rows * width];
            let mut chunks: Vec<&mut [f32]> = numbers.chunks_mut(CHUNK * width.max(1)).collect();
            let sums = threads.map_mut(&mut chunks, |chunk, rows| {
                let rows = rows.chunks_mut(width.max(1)).enumerate();
                add_up(rows.map(|(i, row)| fill(chunk * CHUNK + i, row)))
            });
            (Self::Dense { width, numbers }, sums)
        } else {
            let parts = threads.map(n_rows.div_ceil(CHUNK), |chunk| sparse_chunk(chunk, n_rows, width, &fill));
            let mut rows = Csr::empty(width as u32);
            let mut sums = Vec::with_capacity(parts.len());
            for part in parts {
                let (chunk, sum) = part?;
                chunk.rows().try_for_each(|row| rows.push(row))?;
                sums.push(sum);
            }
            (Self::Sparse(rows), sums)
        };
        Ok((table.smaller()?, add_up(sums.into_iter())))
    }

    /// All rows as sparse ones.
    fn into_csr(self) -> Result<Csr> {
        match self {
            Self::Sparse(rows) => Ok(rows),
            Self::Dense { width, numbers } => {
                let mut rows = Csr::empty(width as u32);
                for row in numbers.chunks(width.max(1)) {
                    rows.push(nonzeros(row)?.view())?;
                }
                Ok(rows)
            }
        }
    }

    /// The same numbers, stored as takes less room.
    fn smaller(self) -> Result<Self> {
        let density = self.n_nonzero() as f64 / (self.n_rows() * self.width()).max(1) as f64;
        match self {
            dense @ Self::Dense { .. } if density < SPARSE_BELOW => dense.into_csr().map(Self::Sparse),
            Self::Sparse(rows) if density > SPARSE_BELOW => {
                let width = rows.n_cols() as usize;
                let mut numbers = vec![0.0; rows.n_rows() * width];
                for (row, out) in rows.rows().zip(numbers.chunks_mut(width.max(1))) {
                    row.iter().for_each(|(z, x)| out[z as usize] = x);
                }
                Ok(Self::Dense { width, numbers })
            }
            fitting => Ok(fitting),
        }
    }
}

fn sparse_chunk(
    chunk: usize,
    n_rows: usize,
    width: usize,
    fill: impl Fn(usize, &mut [f32]) -> [f64; 2],
) -> Result<(Csr, [f64; 2])> {
    let mut rows = Csr::empty(width as u32);
    let mut buffer = vec![0.0; width];
    let mut sums = [0.0; 2];
    for i in chunk * CHUNK..((chunk + 1) * CHUNK).min(n_rows) {
        buffer.fill(0.0);
        sums = add_up([sums, fill(i, &mut buffer)].into_iter());
        rows.push(nonzeros(&buffer)?.view())?;
    }
    Ok((rows, sums))
}

fn nonzeros(row: &[f32]) -> Result<SparseVec> {
    let n = row.iter().filter(|&&x| x != 0.0).count();
    let (mut places, mut values) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for (z, &x) in (0u32..).zip(row).filter(|(_, x)| **x != 0.0) {
        places.push(z);
        values.push(x);
    }
    SparseVec::try_new(places, values)
}

fn add_up(sums: impl Iterator<Item = [f64; 2]>) -> [f64; 2] {
    sums.fold([0.0; 2], |[a, b], [x, y]| [a + x, b + y])
}
