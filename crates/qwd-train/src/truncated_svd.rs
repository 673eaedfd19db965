//! The largest singular values and vectors of a sparse matrix, by randomised subspace iteration (Halko, Martinsson and
//! Tropp, 2011).
//!
//! With B the matrix, turned so that it has no more rows than columns, random Q (rows × l, l a little above the rank) is
//! drawn towards the wanted space by Q ← orth(B(BᵀQ)), some times over. Then Z = BᵀQ, the eigenvectors E of ZᵀZ and
//! σ² = its eigenvalues give the singular vectors QE and ZEσ⁻¹. Orthogonalising on the shorter side only, once for two
//! products, is what makes it fast; it goes by Cholesky's factor of QᵀQ in `f64`, twice, which is as good as
//! Householder's way where the columns are not nearly dependent, and drops columns that are.
//!
//! Cost: (2 iterations + 1) · nnz · l products, and iterations · rows · l² for the orthogonalisation. Rows are dealt to
//! the threads and sums are put together in the order of fixed chunks: the same bytes at any number of threads.

use qwd_core::kernel::{add_rows, add_scaled};
use qwd_core::{Csr, Result, Rng, Threads};

/// Singular values and the vectors on the side of the columns.
#[derive(Debug, Clone, PartialEq)]
pub struct TruncatedSvd {
    /// The singular values, largest first.
    pub singular_values: Vec<f64>,
    /// For each column of the matrix, its entries in the singular vectors.
    pub columns: Vec<f32>,
    /// The length of what the approximation misses, as a share of the length of the matrix (Frobenius norm).
    pub residual: f64,
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

/// Rows of a tall matrix that are worked on at a time.
const CHUNK: usize = 256;

/// Computes the largest singular values; fewer than asked for if the matrix has fewer above 0.
pub fn truncated_svd(matrix: &Csr, settings: &SvdSettings, threads: &Threads) -> Result<TruncatedSvd> {
    let transposed = matrix.transpose();
    let columns_are_long = matrix.n_rows() <= transposed.n_rows();
    let (short, long) = if columns_are_long { (matrix, &transposed) } else { (&transposed, matrix) };
    let (n, m) = (short.n_rows(), long.n_rows());
    let width = (settings.rank + settings.oversampling).min(n);
    let mut q = Tall::random(n, width, settings.seed);
    q.orthogonalise(threads);
    for _ in 0..settings.iterations {
        let z = product(long, &q, threads);
        q = product(short, &z, threads);
        q.orthogonalise(threads);
    }
    let z = product(long, &q, threads);
    let (values, vectors) = eigen(z.gram(threads), q.width);
    let largest = values.first().copied().unwrap_or(0.0);
    let kept = values.iter().take(settings.rank.min(m)).take_while(|v| **v > 1e-12 * largest && **v > 0.0).count();
    let singular_values: Vec<f64> = values[..kept].iter().map(|v| v.sqrt()).collect();
    let turned = if columns_are_long {
        z.times(&vectors, &singular_values.iter().map(|s| 1.0 / s).collect::<Vec<f64>>(), threads)
    } else {
        q.times(&vectors, &vec![1.0; kept], threads)
    };
    let all: f64 = matrix.parts().2.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    let found: f64 = values[..kept].iter().sum();
    let residual = if all > 0.0 { ((all - found).max(0.0) / all).sqrt() } else { 0.0 };
    Ok(TruncatedSvd { singular_values, columns: turned.numbers, residual })
}

/// A dense matrix with few columns, row after row.
struct Tall {
    width: usize,
    numbers: Vec<f32>,
}

impl Tall {
    fn random(n_rows: usize, width: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        Self { width, numbers: (0..n_rows * width).map(|_| rng.normal() as f32).collect() }
    }

    fn n_rows(&self) -> usize {
        self.numbers.len().checked_div(self.width).unwrap_or(0)
    }

    fn chunks(&self) -> Vec<&[f32]> {
        if self.width == 0 { Vec::new() } else { self.numbers.chunks(CHUNK * self.width).collect() }
    }

    /// XᵀX in `f64`, row after row; sums of chunks are added in their order.
    fn gram(&self, threads: &Threads) -> Vec<f64> {
        let width = self.width;
        // Fewer and larger parts: each has a whole Gram matrix to add up.
        let per_part = (self.n_rows() / 16).max(CHUNK) * width.max(1);
        let parts: Vec<&[f32]> = if width == 0 { Vec::new() } else { self.numbers.chunks(per_part).collect() };
        let sums = threads.map(parts.len(), |i| {
            let mut sum = vec![0.0f64; width * width];
            let mut wide = vec![0.0f64; 4 * width];
            for rows in parts[i].chunks(4 * width) {
                wide.fill(0.0);
                wide.iter_mut().zip(rows).for_each(|(wide, &x)| *wide = f64::from(x));
                add_outer_products(&wide, width, &mut sum);
            }
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
        for _ in 0..2 {
            let inverse = inverse_of_factor(&self.gram(threads), self.width);
            *self = self.times(&inverse, &vec![1.0; self.width], threads);
        }
    }

    /// X M diag(scale), where M has as many rows as X columns, and only its first columns are wanted.
    fn times(&self, m: &[f64], scale: &[f64], threads: &Threads) -> Self {
        let (from, to) = (self.width, scale.len());
        let columns: Vec<f32> =
            (0..from).flat_map(|i| (0..to).map(move |j| (m[i * from + j] * scale[j]) as f32)).collect();
        let chunks = self.chunks();
        let parts = threads.map(chunks.len(), |i| {
            let mut out = vec![0.0f32; chunks[i].len() / from * to];
            for (row, out) in chunks[i].chunks(from).zip(out.chunks_mut(to.max(1))) {
                for (&x, m_row) in row.iter().zip(columns.chunks(to.max(1))) {
                    add_scaled(out, x, m_row);
                }
            }
            out
        });
        Self { width: to, numbers: parts.concat() }
    }
}

/// Adds the products of all columns of four rows to the upper half of a Gram matrix.
fn add_outer_products(rows: &[f64], width: usize, sum: &mut [f64]) {
    let (a, rest) = rows.split_at(width);
    let (b, rest) = rest.split_at(width);
    let (c, d) = rest.split_at(width);
    for i in 0..width {
        let (w, x, y, z) = (a[i], b[i], c[i], d[i]);
        let out = &mut sum[i * width + i..(i + 1) * width];
        for ((((out, a), b), c), d) in out.iter_mut().zip(&a[i..]).zip(&b[i..]).zip(&c[i..]).zip(&d[i..]) {
            *out += (w * a + x * b) + (y * c + z * d);
        }
    }
}

/// A sparse matrix times a tall one.
fn product(a: &Csr, x: &Tall, threads: &Threads) -> Tall {
    let width = x.width;
    let n_chunks = a.n_rows().div_ceil(CHUNK);
    let parts = threads.map(n_chunks, |chunk| {
        let rows = chunk * CHUNK..((chunk + 1) * CHUNK).min(a.n_rows());
        let mut out = vec![0.0; rows.len() * width];
        for (i, sum) in rows.zip(out.chunks_mut(width.max(1))) {
            add_rows(a.row(i), &x.numbers, sum);
        }
        out
    });
    Tall { width, numbers: parts.concat() }
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

/// The eigenvalues of a symmetric matrix, largest first, and the eigenvectors as columns, by Jacobi's rotations.
fn eigen(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    const SWEEPS: usize = 30;
    // Eigenvectors as rows while they are turned: a rotation then touches two runs of memory.
    let mut v = vec![0.0; n * n];
    (0..n).for_each(|i| v[i * n + i] = 1.0);
    for _ in 0..SWEEPS {
        let scale = (0..n).map(|i| a[i * n + i].abs()).fold(0.0, f64::max);
        let mut largest = 0.0f64;
        for p in 0..n {
            for q in p + 1..n {
                let off = a[p * n + q];
                largest = largest.max(off.abs());
                if off.abs() > 1e-14 * scale {
                    rotate(&mut a, &mut v, n, p, q);
                }
            }
        }
        if largest <= 1e-12 * scale {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j * n + j].total_cmp(&a[i * n + i]).then(i.cmp(&j)));
    let values = order.iter().map(|&i| a[i * n + i].max(0.0)).collect();
    let vectors = (0..n).flat_map(|i| order.iter().map(|&k| v[k * n + i]).collect::<Vec<f64>>()).collect();
    (values, vectors)
}

/// Makes one entry off the diagonal 0.
fn rotate(a: &mut [f64], v: &mut [f64], n: usize, p: usize, q: usize) {
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
    }
    for m in [a, v] {
        let (before, from_q) = m.split_at_mut(q * n);
        let (row_p, row_q) = (&mut before[p * n..(p + 1) * n], &mut from_q[..n]);
        for (x, y) in row_p.iter_mut().zip(row_q) {
            (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
        }
    }
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
            assert_eq!(svd.residual < 1e-3, is_whole, "{} x {}: {}", n_rows, n_cols, svd.residual);
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
            assert!(svd.singular_values.is_empty() && svd.columns.is_empty() && svd.residual == 0.0);
        }
    }
}
