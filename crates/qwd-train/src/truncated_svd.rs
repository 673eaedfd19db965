//! The largest singular values and vectors of a sparse matrix or of a product of sparse matrices, by randomised subspace
//! iteration (Halko, Martinsson and Tropp, 2011).
//!
//! With B the matrix, turned so that it has no more rows than columns, random Q (rows × l, l a little above the rank) is
//! drawn towards the wanted space by Q ← orth(B(BᵀQ)), some times over. Then Z = BᵀQ, the eigenvectors E of ZᵀZ and
//! σ² = its eigenvalues give the singular vectors QE and ZEσ⁻¹. Orthogonalising on the shorter side only, once for two
//! products, is what makes it fast; the first times, while a few strong directions still hide the others, it is done after
//! every product. It goes by Cholesky's factor of QᵀQ in `f64`, which is as good as Householder's way where the columns
//! are not nearly dependent, and drops columns that are; the last time it is done twice.
//!
//! Cost: (2 iterations + 1) · nnz · l products, and iterations · rows · l² for the orthogonalisation. Rows are dealt to
//! the threads and sums are put together in the order of fixed chunks: the same bytes at any number of threads.

use crate::cross_product::{Chain, CrossProduct};
use crate::symmetric_eigen::symmetric_eigen;
use qwd_core::tall::{Panels, add_gram};
use qwd_core::{Csr, Error, Result, Rng, Threads};

/// Singular values and the vectors of both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct TruncatedSvd {
    /// The singular values, largest first.
    pub singular_values: Vec<f64>,
    /// For each row of the matrix, its entries in the singular vectors.
    pub rows: Vec<f32>,
    /// For each column of the matrix, its entries in the singular vectors.
    pub columns: Vec<f32>,
}

impl TruncatedSvd {
    /// The length of what the approximation misses, as a share of the length of the matrix (Frobenius norm).
    pub fn residual(&self, matrix: &Csr) -> f64 {
        let all: f64 = matrix.parts().2.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        let found: f64 = self.singular_values.iter().map(|value| value * value).sum();
        if all > 0.0 { ((all - found).max(0.0) / all).sqrt() } else { 0.0 }
    }
}

/// How exact to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SvdSettings {
    /// The number of singular values.
    pub rank: usize,
    /// Dimensions besides those, which are dropped at the end.
    pub oversampling: usize,
    /// How often the space is drawn towards the wanted one.
    pub iterations: usize,
    /// The seed of the random start.
    pub seed: u64,
}

impl SvdSettings {
    /// Checks that all are in their ranges.
    pub(crate) fn check(&self) -> Result<()> {
        if !(1..=65_536).contains(&self.rank) {
            return Err(Error::param("rank", self.rank, "1 to 65536 dimensions"));
        }
        if self.oversampling > 65_536 {
            return Err(Error::param("oversampling", self.oversampling, "0 to 65536 dimensions"));
        }
        if !(1..=1000).contains(&self.iterations) {
            return Err(Error::param("iterations", self.iterations, "1 to 1000"));
        }
        Ok(())
    }
}

/// Rows of a tall matrix that are worked on at a time.
const CHUNK: usize = 256;

/// How often, at first, columns are made orthonormal after every product.
const CAREFUL: usize = 2;

/// Computes the largest singular values of a matrix; fewer than asked for if it has fewer above 0.
pub fn truncated_svd(matrix: &Csr, settings: &SvdSettings, threads: &Threads) -> Result<TruncatedSvd> {
    truncated_svd_of(&CrossProduct::of_matrix(matrix.clone()), settings, threads)
}

/// Computes the largest singular values of a matrix that may be kept in factors.
pub fn truncated_svd_of(matrix: &CrossProduct, settings: &SvdSettings, threads: &Threads) -> Result<TruncatedSvd> {
    let columns_are_long = matrix.n_rows() <= matrix.n_cols();
    let (to_short, to_long) = if columns_are_long {
        (&matrix.of_documents, &matrix.of_queries)
    } else {
        (&matrix.of_queries, &matrix.of_documents)
    };
    let (n, m) = (to_short.n_rows(), to_long.n_rows());
    let width = (settings.rank + settings.oversampling).min(n);
    let mut q = Tall::random(n, width, settings.seed, threads);
    for iteration in 0..settings.iterations {
        let mut z = q.through(to_long, threads);
        if iteration < CAREFUL {
            z.orthogonalise(threads);
        }
        q = z.through(to_short, threads);
        q.orthogonalise(threads);
    }
    q.orthogonalise(threads);
    let z = q.through(to_long, threads);
    let (values, vectors) = symmetric_eigen(z.gram(threads), width, threads);
    let largest = values.first().copied().unwrap_or(0.0);
    let kept = values.iter().take(settings.rank.min(m)).take_while(|v| **v > 1e-12 * largest && **v > 0.0).count();
    let singular_values: Vec<f64> = values[..kept].iter().map(|v| v.sqrt()).collect();
    let entry = |i: usize, j: usize| vectors[j * width + i];
    let of_long = z.times(kept, |i, j| entry(i, j) / singular_values[j], threads).numbers;
    drop(z);
    let of_short = q.times(kept, entry, threads).numbers;
    let (rows, columns) = if columns_are_long { (of_short, of_long) } else { (of_long, of_short) };
    Ok(TruncatedSvd { singular_values, rows, columns })
}

/// A dense matrix with few columns, row after row.
struct Tall {
    width: usize,
    numbers: Vec<f32>,
}

impl Tall {
    fn random(n_rows: usize, width: usize, seed: u64, threads: &Threads) -> Self {
        let parts = threads.map(n_rows.div_ceil(CHUNK), |chunk| {
            let mut rng = Rng::part(seed, chunk as u64);
            let n = CHUNK.min(n_rows - chunk * CHUNK);
            (0..n * width).map(|_| rng.normal() as f32).collect::<Vec<f32>>()
        });
        Self { width, numbers: parts.concat() }
    }

    fn n_rows(&self) -> usize {
        self.numbers.len().checked_div(self.width).unwrap_or(0)
    }

    /// XᵀX in `f64`, row after row; sums of parts are added in their order.
    fn gram(&self, threads: &Threads) -> Vec<f64> {
        let width = self.width;
        // Few and large parts: each has a whole Gram matrix to add up.
        let per_part = (self.n_rows() / 16).max(CHUNK) * width.max(1);
        let parts: Vec<&[f32]> = if width == 0 { Vec::new() } else { self.numbers.chunks(per_part).collect() };
        let sums = threads.map(parts.len(), |i| {
            let mut sum = vec![0.0f64; width * width];
            add_gram(parts[i], width, &mut sum);
            sum
        });
        let mut total = vec![0.0; width * width];
        for sum in sums {
            total.iter_mut().zip(sum).for_each(|(total, x)| *total += x);
        }
        for i in 0..width {
            for j in 0..i {
                total[i * width + j] = total[j * width + i];
            }
        }
        total
    }

    /// Makes the columns orthonormal; columns that depend on earlier ones become 0.
    fn orthogonalise(&mut self, threads: &Threads) {
        let width = self.width;
        let inverse = inverse_of_factor(&self.gram(threads), width);
        *self = self.times(width, |i, j| inverse[i * width + j], threads);
    }

    /// The product with a matrix of `to` columns.
    fn times(&self, to: usize, entry: impl Fn(usize, usize) -> f64, threads: &Threads) -> Self {
        let panels = Panels::pack(self.width, to, |i, j| entry(i, j) as f32);
        let mut numbers = vec![0.0f32; self.n_rows() * to];
        let mut parts: Vec<(&[f32], &mut [f32])> =
            self.numbers.chunks((CHUNK * self.width).max(1)).zip(numbers.chunks_mut((CHUNK * to).max(1))).collect();
        threads.map_mut(&mut parts, |_, (rows, out)| panels.multiply(rows, out));
        Self { width: to, numbers }
    }

    /// The product of sparse matrices with this one.
    fn through(&self, chain: &Chain, threads: &Threads) -> Self {
        Self { width: self.width, numbers: chain.times(&self.numbers, self.width, threads) }
    }
}

/// R⁻¹ for the Cholesky factor R of a Gram matrix, RᵀR = G; a column that depends on earlier ones gets zeros.
fn inverse_of_factor(gram: &[f64], n: usize) -> Vec<f64> {
    let mut r = vec![0.0; n * n];
    for j in 0..n {
        for i in 0..=j {
            let known: f64 = (0..i).map(|k| r[k * n + i] * r[k * n + j]).sum();
            let rest = gram[i * n + j] - known;
            r[i * n + j] = if i < j {
                if r[i * n + i] > 0.0 { rest / r[i * n + i] } else { 0.0 }
            } else if rest > 1e-10 * gram[j * n + j] {
                rest.sqrt()
            } else {
                0.0
            };
        }
    }
    // Column j of the inverse, from its diagonal upwards.
    let mut inverse = vec![0.0; n * n];
    for j in (0..n).filter(|j| r[j * n + j] > 0.0) {
        inverse[j * n + j] = 1.0 / r[j * n + j];
        for i in (0..j).rev().filter(|i| r[i * n + i] > 0.0) {
            let sum: f64 = (i + 1..=j).map(|k| r[i * n + k] * inverse[k * n + j]).sum();
            inverse[i * n + j] = -sum / r[i * n + i];
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_core::SparseVec;

    fn random(n_rows: usize, n_cols: usize, seed: u64) -> Csr {
        let mut rng = Rng::new(seed);
        let mut csr = Csr::empty(n_cols as u32);
        for _ in 0..n_rows {
            let mut pairs = Vec::new();
            for i in 0..n_cols as u32 {
                if rng.below(3) == 0 {
                    pairs.push((i, rng.normal() as f32));
                }
            }
            csr.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
        }
        csr
    }

    fn settings(rank: usize) -> SvdSettings {
        SvdSettings { rank, oversampling: 8, iterations: 30, seed: 1 }
    }

    /// AᵀA v = σ² v for every pair, vectors are orthonormal, and all values together have the length of the matrix.
    #[test]
    fn singular_vectors_are_eigenvectors() {
        for (n_rows, n_cols, rank) in [(30, 12, 12), (12, 30, 12), (40, 25, 6), (1, 5, 3), (5, 1, 2)] {
            let a = random(n_rows, n_cols, 3);
            let svd = truncated_svd(&a, &settings(rank), &Threads::default()).expect("small");
            let k = svd.singular_values.len();
            assert_eq!(svd.columns.len(), n_cols * k);
            assert!(svd.singular_values.is_sorted_by(|a, b| a >= b));
            let column = |j: usize| -> Vec<f64> { (0..n_cols).map(|i| f64::from(svd.columns[i * k + j])).collect() };
            for j in 0..k {
                let v = column(j);
                for i in 0..=j {
                    let product: f64 = v.iter().zip(column(i)).map(|(x, y)| x * y).sum();
                    assert!((product - f64::from(u8::from(i == j))).abs() < 1e-4, "{i} {j} {product}");
                }
                let av: Vec<f64> =
                    a.rows().map(|row| row.iter().map(|(i, x)| f64::from(x) * v[i as usize]).sum()).collect();
                let length = av.iter().map(|x| x * x).sum::<f64>().sqrt();
                assert!((length - svd.singular_values[j]).abs() < 1e-3 * svd.singular_values[0], "{j}");
            }
            let is_whole = rank >= n_rows.min(n_cols);
            assert_eq!(svd.residual(&a) < 1e-3, is_whole, "{} x {}: {}", n_rows, n_cols, svd.residual(&a));
        }
    }

    #[test]
    fn the_bytes_are_the_same_at_any_number_of_threads() {
        let a = random(900, 300, 5);
        let run = |n| truncated_svd(&a, &settings(10), &Threads::new(n).expect("threads")).expect("small");
        let one = run(1);
        assert_eq!(one.singular_values.len(), 10);
        assert!([2, 4].into_iter().all(|n| run(n) == one));
    }

    #[test]
    fn nothing_has_no_singular_values() {
        let empty = Csr::from_parts(4, vec![0, 0, 0], vec![], vec![]).expect("valid");
        for a in [empty, Csr::empty(3)] {
            let svd = truncated_svd(&a, &settings(2), &Threads::default()).expect("small");
            assert!(svd.singular_values.is_empty() && svd.columns.is_empty() && svd.residual(&a) == 0.0);
        }
    }
}
