//! The inner loops of training and scoring: sparse reads and writes of a dense row.
//!
//! These are the named kernels in which `unsafe` is allowed. The reason is the same for most: the indices of a sparse
//! view are strictly increasing (the invariant of [`SparseView`]), so one check of the last index covers all of them,
//! and a check per element would cost a third of the time. One kernel more is compiled for wider registers, and called only
//! where the processor has them.
#![expect(
    unsafe_code,
    reason = "one bound check per vector in place of one per element; wider registers where there are some"
)]

use crate::sparse::SparseView;

/// Checks once what every access of a kernel relies on.
#[inline]
fn check(x: SparseView<'_>, dense_len: usize) {
    assert!(x.indices().len() == x.values().len(), "a sparse view has as many values as indices");
    assert!(x.indices().last().is_none_or(|&last| (last as usize) < dense_len), "sparse index beyond the dense row");
    debug_assert!(x.indices().windows(2).all(|w| w[0] < w[1]), "indices strictly increasing");
}

/// The inner product of a sparse vector with a dense row, each entry of the row first turned into its weight.
///
/// Eight interleaved sums in a fixed order: fast, and the same bits wherever the same row is read.
#[inline(always)]
pub fn gather_dot_by<E: Copy>(x: SparseView<'_>, row: &[E], weight: impl Fn(E) -> f32) -> f32 {
    check(x, row.len());
    let mut sums = [0.0f32; 8];
    let whole = x.indices().len() / 8 * 8;
    for at in (0..whole).step_by(8) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            // SAFETY: at + lane < whole <= len, and every index is below row.len() by `check`.
            unsafe {
                let i = *x.indices().get_unchecked(at + lane) as usize;
                *sum += *x.values().get_unchecked(at + lane) * weight(*row.get_unchecked(i));
            }
        }
    }
    for at in whole..x.indices().len() {
        sums[at - whole] += x.values()[at] * weight(row[x.indices()[at] as usize]);
    }
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

/// The inner product of a sparse and a dense vector.
#[inline]
pub fn gather_dot(x: SparseView<'_>, dense: &[f32]) -> f32 {
    gather_dot_by(x, dense, |w| w)
}

/// Changes the entries of a dense row at the places of a sparse vector, each by its value there.
#[inline(always)]
pub fn scatter_by<E>(x: SparseView<'_>, row: &mut [E], mut change: impl FnMut(&mut E, f32)) {
    check(x, row.len());
    for (&i, &v) in x.indices().iter().zip(x.values()) {
        // SAFETY: every index is below row.len() by `check`.
        change(unsafe { row.get_unchecked_mut(i as usize) }, v);
    }
}

/// Adds `scale` times a dense row to another.
#[inline]
pub fn add_scaled(sum: &mut [f32], scale: f32, row: &[f32]) {
    for (sum, &x) in sum.iter_mut().zip(row) {
        *sum += scale * x;
    }
}

/// The inner product of two dense rows: eight interleaved sums in a fixed order.
#[inline]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let [product] = dots_in_lanes([a], b);
    product
}

/// The inner products of some dense rows with one row, each to the bit as [`dot`] has it: the one row is read once, and sums
/// that do not wait for each other keep the processor busy. A processor with AVX2 adds the same numbers in the same order.
pub fn dots<const N: usize>(rows: [&[f32]; N], one: &[f32]) -> [f32; N] {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { dots_avx2(rows, one) };
    }
    dots_in_lanes(rows, one)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dots_avx2<const N: usize>(rows: [&[f32]; N], one: &[f32]) -> [f32; N] {
    dots_in_lanes(rows, one)
}

#[inline(always)]
fn dots_in_lanes<const N: usize>(rows: [&[f32]; N], one: &[f32]) -> [f32; N] {
    let mut sums = [[0.0f32; 8]; N];
    let (whole, last) = one.as_chunks::<8>();
    let of_rows = rows.map(|row| row.as_chunks::<8>());
    let n_whole = of_rows.iter().fold(whole.len(), |n, (row, _)| n.min(row.len()));
    let wholes = of_rows.map(|(row, _)| &row[..n_whole]);
    for (i, y) in whole[..n_whole].iter().enumerate() {
        // Indices in place of iterators: these loops are unrolled into wide registers.
        for r in 0..N {
            for lane in 0..8 {
                sums[r][lane] += wholes[r][i][lane] * y[lane];
            }
        }
    }
    for (sums, (_, row)) in sums.iter_mut().zip(of_rows) {
        for (sum, (x, y)) in sums.iter_mut().zip(row.iter().zip(last)) {
            *sum += x * y;
        }
    }
    sums.map(|s| ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])))
}

/// Adds the rows of a sparse vector's words, each times its value: `sum += Σ x[i] rows[i]`. Words beyond the rows have
/// none and add nothing.
#[inline]
pub fn add_rows(x: SparseView<'_>, rows: &[f32], sum: &mut [f32]) {
    let width = sum.len();
    for (i, v) in x.within(0..rows.len() / width.max(1)).iter() {
        add_scaled(sum, v, &rows[i as usize * width..][..width]);
    }
}

/// Stores a weight so that it shrinks by itself.
///
/// With c(t) the sum of all shrinkage thresholds up to step t, a weight w touched at step t is kept as
/// u = w + sign(w)·c(t). At any later step t' its value is `shrink(u, c(t'))`, which is w shrunk once by
/// c(t') − c(t), and that equals w shrunk step by step: soft thresholds add up. So an untouched entry costs nothing,
/// however many shrinkage steps pass over it. Rounding: u carries c(t), so a weight is exact to about
/// 2⁻²⁴·max(|w|, c(t)).
#[inline(always)]
pub fn lift(w: f32, lifted_by: f32) -> f32 {
    w + lifted_by.copysign(w)
}

/// Moves `w` towards zero by `threshold`, to zero where it is smaller (Proposition 1 of the sparse preference paper).
#[inline(always)]
pub fn shrink(w: f32, threshold: f32) -> f32 {
    w - w.clamp(-threshold, threshold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::SparseVec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn kernels_equal_the_dense_oracle(
            pairs in proptest::collection::vec((0u32..40, -8i32..9), 0..40),
            row in proptest::collection::vec(-8i32..9, 40),
            threshold in 0u8..5,
        ) {
            let x = SparseVec::from_pairs(pairs.into_iter().map(|(i, v)| (i, v as f32)).collect()).expect("finite");
            let dense = qwd_testkit::dense(x.view().indices(), x.view().values(), 40);
            let row: Vec<f32> = row.into_iter().map(|v| v as f32).collect();
            let soft = |w: f64| w.signum() * (w.abs() - f64::from(threshold)).max(0.0);
            let dot: f64 = dense.iter().zip(&row).map(|(a, &b)| a * f64::from(b)).sum();
            let shrunk: f64 = dense.iter().zip(&row).map(|(a, &b)| a * soft(f64::from(b))).sum();
            prop_assert_eq!(f64::from(gather_dot(x.view(), &row)), dot);
            let written: Vec<f32> = dense.iter().map(|&a| a as f32).collect();
            for n in [0, 7, 8, 40] {
                let one = super::dot(&written[..n], &row[..n]);
                let rows = [&written[..n], &row[..n], &written[..n]];
                prop_assert_eq!(dots(rows, &row[..n]), [one, super::dot(&row[..n], &row[..n]), one]);
            }
            prop_assert_eq!(f64::from(super::dot(&written, &row)), dot);
            prop_assert_eq!(f64::from(gather_dot_by(x.view(), &row, |w| shrink(w, f32::from(threshold)))), shrunk);

            let mut written = row.clone();
            scatter_by(x.view(), &mut written, |w, v| *w += 2.0 * v);
            for i in 0..40 {
                prop_assert_eq!(f64::from(written[i]), f64::from(row[i]) + 2.0 * dense[i]);
            }
        }

        #[test]
        fn rows_of_numbers_equal_the_dense_oracle(
            pairs in proptest::collection::vec((0u32..20, -8i32..9), 0..20),
            rows in proptest::collection::vec(-8i32..9, 15 * 11),
            (n_rows, width) in (0usize..16, 1usize..12),
        ) {
            let x = SparseVec::from_pairs(pairs.into_iter().map(|(i, v)| (i, v as f32)).collect()).expect("finite");
            let rows: Vec<f32> = rows[..n_rows.min(15) * width].iter().map(|&v| v as f32).collect();
            let mut sum = vec![1.0; width];
            add_rows(x.view(), &rows, &mut sum);
            let mut expected = vec![1.0; width];
            for (i, v) in x.view().iter().filter(|&(i, _)| (i as usize) < rows.len() / width) {
                (0..width).for_each(|c| expected[c] += v * rows[i as usize * width + c]);
            }
            prop_assert_eq!(&sum, &expected);
            let squares: f32 = sum.iter().map(|x| x * x).sum();
            prop_assert_eq!(dot(&sum, &sum), squares);
        }

        /// Proposition 1: the closed form minimises ½(x − w)² + λη|x| (compared with a fine grid).
        #[test]
        fn shrinking_minimises_the_proximal_objective(w in -3.0f64..3.0, threshold in 0.0f64..2.0) {
            let objective = |x: f64| 0.5 * (x - w).powi(2) + threshold * x.abs();
            let closed = f64::from(shrink(w as f32, threshold as f32));
            let best = (-4000..=4000).map(|i| objective(f64::from(i) * 1e-3)).fold(f64::INFINITY, f64::min);
            prop_assert!(objective(closed) <= best + 1e-6);
        }

        /// The identity behind the cumulative threshold: shrinking step by step equals shrinking once by the sum,
        /// and a lifted weight does so by itself.
        #[test]
        fn thresholds_add_up(w in -3.0f32..3.0, steps in proptest::collection::vec(0.0f32..0.5, 0..12), before in 0.0f32..2.0) {
            let one_by_one = steps.iter().fold(w, |w, &step| shrink(w, step));
            let total: f32 = steps.iter().sum();
            prop_assert!((one_by_one - shrink(w, total)).abs() < 1e-5);
            prop_assert!((one_by_one - shrink(lift(w, before), before + total)).abs() < 1e-5);
        }
    }

    #[test]
    #[should_panic(expected = "beyond the dense row")]
    fn an_index_beyond_the_row_is_caught() {
        gather_dot(SparseVec::try_new(vec![3], vec![1.0]).expect("sorted").view(), &[0.0; 3]);
    }
}
