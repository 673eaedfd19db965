//! Products of tall dense matrices, many rows by some hundreds of columns: what orthogonalising a basis costs.
//!
//! Both products work on small tiles whose sums stay in registers, over columns that are packed side by side. On a
//! processor with AVX2 the same code is compiled for its wider registers; it adds and multiplies the same numbers in the
//! same order, without fused steps, so the bits do not depend on the processor.
#![expect(unsafe_code, reason = "code for wider registers may only be called where the processor has them")]

/// Columns of a packed panel of `f32`.
const PANEL: usize = 16;

/// Columns of a packed panel of `f64`.
const WIDE_PANEL: usize = 8;

/// Rows that are worked on together.
const ROWS: usize = 4;

/// Rows that are packed at a time for a Gram matrix: a panel then fits the first cache.
const STRIP: usize = 128;

/// A small matrix whose columns are packed in panels, to multiply tall ones with.
#[derive(Debug, Clone)]
pub struct Panels {
    n_rows: usize,
    n_cols: usize,
    packed: Vec<f32>,
}

impl Panels {
    /// Packs the matrix of `n_rows` by `n_cols` entries.
    pub fn pack(n_rows: usize, n_cols: usize, entry: impl Fn(usize, usize) -> f32) -> Self {
        let mut packed = vec![0.0; n_cols.div_ceil(PANEL) * n_rows * PANEL];
        for (panel, numbers) in packed.chunks_mut((n_rows * PANEL).max(1)).enumerate() {
            for (i, lanes) in numbers.chunks_mut(PANEL).enumerate() {
                for (j, x) in (panel * PANEL..n_cols).zip(lanes) {
                    *x = entry(i, j);
                }
            }
        }
        Self { n_rows, n_cols, packed }
    }

    /// Writes the product of some rows with this matrix into `out`; rows lie one after the other in both.
    pub fn multiply(&self, rows: &[f32], out: &mut [f32]) {
        if self.n_rows == 0 || self.n_cols == 0 {
            return;
        }
        assert_eq!(rows.len() / self.n_rows, out.len() / self.n_cols, "a row for every row");
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { self.multiply_avx2(rows, out) };
        }
        self.multiply_tiles(rows, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn multiply_avx2(&self, rows: &[f32], out: &mut [f32]) {
        self.multiply_tiles(rows, out);
    }

    #[inline(always)]
    fn multiply_tiles(&self, rows: &[f32], out: &mut [f32]) {
        let groups = rows.chunks(ROWS * self.n_rows).zip(out.chunks_mut(ROWS * self.n_cols));
        for (rows, out) in groups {
            let n = rows.len() / self.n_rows;
            // Rows beyond the last stand in for themselves: their sums are not written.
            let row = |r: usize| &rows[r.min(n - 1) * self.n_rows..][..self.n_rows];
            let of_group = [row(0), row(1), row(2), row(3)];
            for (panel, numbers) in self.packed.chunks_exact(self.n_rows * PANEL).enumerate() {
                let mut sums = [[0.0f32; PANEL]; ROWS];
                for (i, lanes) in numbers.as_chunks::<PANEL>().0.iter().enumerate() {
                    for r in 0..ROWS {
                        let x = of_group[r][i];
                        for lane in 0..PANEL {
                            sums[r][lane] += x * lanes[lane];
                        }
                    }
                }
                let from = panel * PANEL;
                let n_lanes = PANEL.min(self.n_cols - from);
                for (r, sums) in sums.iter().enumerate().take(n) {
                    out[r * self.n_cols + from..][..n_lanes].copy_from_slice(&sums[..n_lanes]);
                }
            }
        }
    }
}

/// Adds XᵀX of some rows to the upper half of a square matrix of `f64`; entries below the diagonal may be written too.
pub fn add_gram(rows: &[f32], width: usize, sum: &mut [f64]) {
    assert_eq!(sum.len(), width * width, "a square of the width");
    if width == 0 {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { add_gram_avx2(rows, width, sum) };
    }
    add_gram_tiles(rows, width, sum);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_gram_avx2(rows: &[f32], width: usize, sum: &mut [f64]) {
    add_gram_tiles(rows, width, sum);
}

#[inline(always)]
fn add_gram_tiles(rows: &[f32], width: usize, sum: &mut [f64]) {
    let n_panels = width.div_ceil(WIDE_PANEL);
    let mut packed = vec![[0.0f64; WIDE_PANEL]; n_panels * STRIP];
    for strip in rows.chunks(STRIP * width) {
        let n = strip.len() / width;
        for (r, row) in strip.chunks_exact(width).enumerate() {
            for (panel, numbers) in row.chunks(WIDE_PANEL).enumerate() {
                let lanes = &mut packed[panel * STRIP + r];
                lanes.iter_mut().zip(numbers).for_each(|(wide, &x)| *wide = f64::from(x));
            }
        }
        for a in 0..n_panels {
            for b in a..n_panels {
                let [left, right] = [a, b].map(|panel| &packed[panel * STRIP..][..n]);
                for half in 0..WIDE_PANEL / ROWS {
                    let mut sums = [[0.0f64; WIDE_PANEL]; ROWS];
                    for (left, right) in left.iter().zip(right) {
                        for r in 0..ROWS {
                            let x = left[half * ROWS + r];
                            for lane in 0..WIDE_PANEL {
                                sums[r][lane] += x * right[lane];
                            }
                        }
                    }
                    let from = b * WIDE_PANEL;
                    let n_lanes = WIDE_PANEL.min(width - from);
                    let first = a * WIDE_PANEL + half * ROWS;
                    for (i, sums) in (first..width.min(first + ROWS)).zip(&sums) {
                        let out = &mut sum[i * width + from..][..n_lanes];
                        out.iter_mut().zip(sums).for_each(|(out, x)| *out += x);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(n: usize, seed: u64) -> Vec<f32> {
        let mut rng = crate::Rng::new(seed);
        (0..n).map(|_| rng.below(17) as f32 - 8.0).collect()
    }

    proptest! {
        #[test]
        fn products_equal_the_plain_ones(n in 0usize..300, width in 1usize..40, to in 0usize..40, seed in 0u64..100) {
            let x = numbers(n * width, seed);
            let m = numbers(width * to, seed + 1);
            let mut out = vec![1.0; n * to];
            Panels::pack(width, to, |i, j| m[i * to + j]).multiply(&x, &mut out);
            let mut narrow = vec![1.0; n * to];
            if to > 0 {
                Panels::pack(width, to, |i, j| m[i * to + j]).multiply_tiles(&x, &mut narrow);
            }
            prop_assert_eq!(&out, &narrow);
            let mut sum = vec![1.0; width * width];
            add_gram(&x, width, &mut sum);
            for i in 0..n {
                for j in 0..to {
                    let expected: f32 = (0..width).map(|k| x[i * width + k] * m[k * to + j]).sum();
                    prop_assert_eq!(out[i * to + j], expected);
                }
            }
            for i in 0..width {
                for j in i..width {
                    let dot: f64 = (0..n).map(|r| f64::from(x[r * width + i]) * f64::from(x[r * width + j])).sum();
                    prop_assert_eq!(sum[i * width + j], 1.0 + dot);
                }
            }
        }
    }
}
