//! All eigenvalues and eigenvectors of a symmetric matrix: Householder's reflections make it tridiagonal, QL steps with
//! implicit shifts make that diagonal (Golub and Van Loan, chapter 8).
//!
//! Cost: about 8n³ operations in `f64`, on one thread but for the last part: a second for a thousand rows.

use qwd_core::Threads;

/// Steps for one eigenvalue, beyond which rounding has stopped all progress.
const MOST_STEPS: usize = 60;

/// The eigenvalues, largest first, and the eigenvectors as rows in the same order.
pub(crate) fn symmetric_eigen(mut a: Vec<f64>, n: usize, threads: &Threads) -> (Vec<f64>, Vec<f64>) {
    let (mut diagonal, mut beside, reflections) = tridiagonal(&mut a, n);
    let mut vectors = vec![0.0; n * n];
    (0..n).for_each(|i| vectors[i * n + i] = 1.0);
    ql(&mut diagonal, &mut beside, &mut vectors, n);
    let mut rows: Vec<&mut [f64]> = vectors.chunks_mut(n.max(1)).collect();
    threads.map_mut(&mut rows, |_, row| reflections.iter().rev().for_each(|reflection| reflection.apply(row)));
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| diagonal[j].total_cmp(&diagonal[i]).then(i.cmp(&j)));
    let values = order.iter().map(|&i| diagonal[i]).collect();
    let ordered = order.iter().flat_map(|&i| vectors[i * n..(i + 1) * n].iter().copied()).collect();
    (values, ordered)
}

/// I − scale v vᵀ on the last coordinates.
struct Reflection {
    from: usize,
    v: Vec<f64>,
    scale: f64,
}

impl Reflection {
    fn apply(&self, x: &mut [f64]) {
        let tail = &mut x[self.from..];
        let along = self.scale * dot(&self.v, tail);
        tail.iter_mut().zip(&self.v).for_each(|(x, v)| *x -= along * v);
    }
}

/// The inner product with four sums, in a fixed order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let ((whole_a, last_a), (whole_b, last_b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (a, b) in whole_a.iter().zip(whole_b) {
        (0..4).for_each(|i| sums[i] += a[i] * b[i]);
    }
    let rest: f64 = last_a.iter().zip(last_b).map(|(a, b)| a * b).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// The diagonal, what stands beside it, and the reflections that lead there.
fn tridiagonal(a: &mut [f64], n: usize) -> (Vec<f64>, Vec<f64>, Vec<Reflection>) {
    let mut beside = vec![0.0; n];
    let mut reflections = Vec::new();
    for k in 0..n.saturating_sub(1) {
        let from = k + 1;
        // Symmetric: the row is the column.
        let mut v = a[k * n + from..(k + 1) * n].to_vec();
        let length = dot(&v, &v).sqrt();
        if from + 1 == n || length == 0.0 || v[1..].iter().all(|&x| x == 0.0) {
            beside[k] = v[0];
            continue;
        }
        let target = -length.copysign(v[0]);
        beside[k] = target;
        v[0] -= target;
        let scale = 2.0 / dot(&v, &v);
        let mut p: Vec<f64> = (from..n).map(|i| scale * dot(&a[i * n + from..(i + 1) * n], &v)).collect();
        let along = 0.5 * scale * dot(&v, &p);
        p.iter_mut().zip(&v).for_each(|(p, v)| *p -= along * v);
        for (i, (&vi, &pi)) in (from..n).zip(v.iter().zip(&p)) {
            let row = &mut a[i * n + from..(i + 1) * n];
            for (x, (v, p)) in row.iter_mut().zip(v.iter().zip(&p)) {
                *x -= vi * p + pi * v;
            }
        }
        reflections.push(Reflection { from, v, scale });
    }
    ((0..n).map(|i| a[i * n + i]).collect(), beside, reflections)
}

/// QL steps until nothing is left beside the diagonal; rows of `vectors` are turned along.
fn ql(diagonal: &mut [f64], beside: &mut [f64], vectors: &mut [f64], n: usize) {
    for l in 0..n {
        for _ in 0..MOST_STEPS {
            let is_split =
                |i: usize| i + 1 == n || beside[i].abs() <= f64::EPSILON * (diagonal[i].abs() + diagonal[i + 1].abs());
            let Some(m) = (l..n).find(|&i| is_split(i)) else { break };
            if m == l {
                break;
            }
            ql_step(diagonal, beside, vectors, n, l, m);
        }
    }
}

/// One step on the block from `l` to `m`.
fn ql_step(diagonal: &mut [f64], beside: &mut [f64], vectors: &mut [f64], n: usize, l: usize, m: usize) {
    let half = (diagonal[l + 1] - diagonal[l]) / (2.0 * beside[l]);
    let mut g = diagonal[m] - diagonal[l] + beside[l] / (half + half.hypot(1.0).copysign(half));
    let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
    for i in (l..m).rev() {
        let (f, b) = (s * beside[i], c * beside[i]);
        let r = f.hypot(g);
        beside[i + 1] = r;
        if r == 0.0 {
            diagonal[i + 1] -= p;
            beside[m] = 0.0;
            return;
        }
        (s, c) = (f / r, g / r);
        g = diagonal[i + 1] - p;
        let r = (diagonal[i] - g) * s + 2.0 * c * b;
        p = s * r;
        diagonal[i + 1] = g + p;
        g = c * r - b;
        let (before, after) = vectors.split_at_mut((i + 1) * n);
        for (x, y) in before[i * n..].iter_mut().zip(&mut after[..n]) {
            (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
        }
    }
    diagonal[l] -= p;
    beside[l] = g;
    beside[m] = 0.0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A v = λ v, vectors are orthonormal, values fall.
        #[test]
        fn vectors_are_eigenvectors(n in 0usize..14, seed in 0u64..200, n_different in 1usize..6) {
            let mut rng = qwd_core::Rng::new(seed);
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..=i {
                    let x = rng.below(2 * n_different) as f64 - n_different as f64;
                    (a[i * n + j], a[j * n + i]) = (x, x);
                }
            }
            let (values, vectors) = symmetric_eigen(a.clone(), n, &Threads::default());
            prop_assert!(values.is_sorted_by(|x, y| x >= y));
            let row = |i: usize| &vectors[i * n..(i + 1) * n];
            for (i, value) in values.iter().enumerate() {
                for j in 0..n {
                    let product = dot(row(i), row(j));
                    prop_assert!((product - f64::from(u8::from(i == j))).abs() < 1e-10);
                    let av = dot(&a[j * n..(j + 1) * n], row(i));
                    prop_assert!((av - value * row(i)[j]).abs() < 1e-9, "{} {}", i, j);
                }
            }
        }
    }
}
