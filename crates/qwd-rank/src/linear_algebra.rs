//! Columns times vectors: Xᵀc, one inner product per feature, and Xw, a sum of columns.
//!
//! c is rounded to `f32` and products are added in sixteen lanes over blocks of 1,024 documents, the blocks in `f64`: a
//! relative error of about 10⁻⁷ of Σ|c x|, in a fixed order whatever the number of threads.

use crate::feature_set::FeatureSet;
use qwd_core::Threads;

const LANES: usize = 16;
const BLOCK: usize = 1024;
/// The number of values that make one piece of work for a thread.
const PIECE: usize = 1 << 18;

/// The inner product of two columns.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f64 {
    let blocks = a.chunks(BLOCK).zip(b.chunks(BLOCK));
    blocks.map(|(a, b)| f64::from(dot_block(a, b))).sum()
}

fn dot_block(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail: f32 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for (lane, (x, y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
            *lane += x * y;
        }
    }
    lanes.iter().sum::<f32>() + tail
}

/// Some columns of a set, ready for products.
pub(crate) struct Columns<'a> {
    set: &'a FeatureSet,
    features: Vec<usize>,
    rounded: Vec<f32>,
}

impl<'a> Columns<'a> {
    /// Takes the features that vary inside some query: the others move no pair, and keep a weight of exactly 0.
    pub(crate) fn varying(set: &'a FeatureSet) -> Self {
        Self { set, features: varying_features(set), rounded: Vec::new() }
    }

    /// The features, by number from 0.
    pub(crate) fn features(&self) -> &[usize] {
        &self.features
    }

    /// Xᵀc, by feature; 0 for those that do not vary.
    pub(crate) fn transposed_product(&mut self, c: &[f64], threads: &Threads) -> Vec<f64> {
        self.rounded.clear();
        self.rounded.extend(c.iter().map(|&x| x as f32));
        let per_piece = (PIECE / c.len().max(1)).max(1);
        let pieces: Vec<&[usize]> = self.features.chunks(per_piece).collect();
        let (set, rounded) = (self.set, &self.rounded);
        let products = threads
            .map(pieces.len(), |at| pieces[at].iter().map(|&j| dot(set.column(j), rounded)).collect::<Vec<f64>>());
        let mut out = vec![0.0; set.n_features()];
        for (&j, x) in self.features.iter().zip(products.into_iter().flatten()) {
            out[j] = x;
        }
        out
    }

    /// Xw in `out`.
    pub(crate) fn product(&self, w: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for &j in self.features.iter().filter(|&&j| w[j] != 0.0) {
            add_column(out, w[j], self.set.column(j));
        }
    }
}

/// Adds a multiple of a column.
pub(crate) fn add_column(out: &mut [f64], factor: f64, column: &[f32]) {
    out.iter_mut().zip(column).for_each(|(out, &x)| *out += factor * f64::from(x));
}

/// The features that have two values inside at least one query.
pub(crate) fn varying_features(set: &FeatureSet) -> Vec<usize> {
    let varies = |column: &[f32]| set.queries().any(|query| column[query].windows(2).any(|pair| pair[0] != pair[1]));
    (0..set.n_features()).filter(|&j| varies(set.column(j))).collect()
}
