//! How far what a matching model aligns on its training sample may be from what it aligns in truth (Wu, Lu and Li, 2013,
//! theorems 1 to 5).
//!
//! With nˣ queries, nʸ the harmonic mean of their numbers of documents, responses up to R, ‖x‖, ‖y‖ ≤ 1, and for all
//! (Lₓ, Lᵧ) of the hypothesis space ‖Lₓᵀx‖‖Lᵧᵀy‖ ≤ B and ‖LₓLᵧᵀ‖ ≤ C (Frobenius norm), with probability 1 − δ each
//!
//! | theorem | gap | at most |
//! |---|---|---|
//! | 1 | D₁: documents drawn for the queries at hand | (2CR + RB√(2 ln 1/δ)) / √(nˣnʸ) |
//! | 2 | D₂: queries drawn | (2CR + RB√(2 ln 1/δ)) / √nˣ |
//! | 3 | D, with probability 1 − 2δ | their sum |
//! | 4 | orthonormal columns (PLS) | B = 1, C = √d |
//! | 5 | rows with absolute sums up to λ and lengths up to θ, texts of up to m features (RMLS) | B = √(mₓmᵧ) min(dλₓλᵧ, θₓθᵧ), C = √(dₓdᵧ) min(λₓλᵧ, θₓθᵧ) |
//!
//! Longer vectors are made shorter by making responses larger, which changes nothing else. For a trained model, λ and θ are
//! those of the smallest space of rows that holds it. The bounds hold for all models of the space at once and for
//! alignment, not for rankings: they are loose, and tell how much more data would help.

use crate::matrix::{LowRankDiagonal, Matrix, Side};
use crate::model::Model;
use qwd_core::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// What the bounds need to know of the training sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Queries with a response. Symbol: nˣ.
    pub n_queries: u64,
    /// The harmonic mean of their numbers of documents. Symbol: nʸ.
    pub documents_per_query: f64,
    /// The largest response. Symbol: R.
    pub largest_response: f64,
    /// The most features of a query. Symbol: mₓ.
    pub most_query_features: u64,
    /// The most features of a document. Symbol: mᵧ.
    pub most_document_features: u64,
    /// The greatest length of a query's vector.
    pub longest_query: f64,
    /// The greatest length of a document's vector.
    pub longest_document: f64,
}

/// B and C of a hypothesis space, and the bounds that follow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// The theorem that gives B and C: 4 or 5.
    pub theorem: u8,
    /// The greatest product of the lengths of two images.
    pub b: f64,
    /// The greatest Frobenius norm of W.
    pub c: f64,
    /// δ, the probability that theorem 1 does not hold, and that theorem 2 does not.
    pub delta: f64,
    /// Theorem 1.
    pub of_documents: f64,
    /// Theorem 2.
    pub of_queries: f64,
    /// Theorem 3: their sum.
    pub of_both: f64,
}

/// The bounds on the rows of one side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowBounds {
    /// The number of features. Symbol: dₓ, dᵧ.
    pub n_features: usize,
    /// The largest absolute sum of a row. Symbol: λ.
    pub sum: f64,
    /// The largest length of a row. Symbol: θ.
    pub length: f64,
}

/// Theorem 4: orthonormal columns in `d` dimensions, times a scale.
pub fn orthonormal(d: usize, scale: f64, sample: &Sample, delta: f64) -> Result<Bounds> {
    finish(4, scale, scale * (d as f64).sqrt(), sample, delta)
}

/// Theorem 5: bounded rows in `d` dimensions.
pub fn bounded_rows(d: usize, queries: RowBounds, documents: RowBounds, sample: &Sample, delta: f64) -> Result<Bounds> {
    let sums = queries.sum * documents.sum;
    let lengths = queries.length * documents.length;
    let features = (sample.most_query_features as f64 * sample.most_document_features as f64).sqrt();
    let b = features * (d as f64 * sums).min(lengths);
    let c = (queries.n_features as f64 * documents.n_features as f64).sqrt() * sums.min(lengths);
    finish(5, b, c, sample, delta)
}

/// Theorems 1 to 3.
fn finish(theorem: u8, b: f64, c: f64, sample: &Sample, delta: f64) -> Result<Bounds> {
    if !(delta > 0.0 && delta < 1.0) {
        return Err(Error::param("delta", delta, "a probability above 0 and below 1"));
    }
    let longest = sample.longest_query.max(f64::MIN_POSITIVE) * sample.longest_document.max(f64::MIN_POSITIVE);
    let r = sample.largest_response * longest;
    let gap = 2.0 * c * r + r * b * (2.0 * (1.0 / delta).ln()).sqrt();
    let n_queries = sample.n_queries as f64;
    let (of_documents, of_queries) = (gap / (n_queries * sample.documents_per_query).sqrt(), gap / n_queries.sqrt());
    Ok(Bounds { theorem, b, c, delta, of_documents, of_queries, of_both: of_documents + of_queries })
}

/// The bounds of a trained model: theorem 4 for `pls`, theorem 5 for other mappings into a latent space. Of a mapping that
/// is mixed with I, the mapping's part is bounded.
pub fn bounds(model: &Model, delta: f64) -> Result<Bounds> {
    let none = |what: &str| Err(Error::bad_data(what.to_owned(), "train with rmls or pls to have bounds"));
    let Some(sample) = &model.provenance().sample else {
        return none("the model does not know what its bounds need of the training sample");
    };
    let (mapping, share) = match model.matrix() {
        Matrix::Mixture(mixture) => match mixture.parts() {
            [(share, mapping), (_, Matrix::Identity(_))] => (mapping, f64::from(*share)),
            _ => return none("the bounds are not known for mixtures of mappings"),
        },
        matrix => (matrix, 1.0),
    };
    match mapping {
        Matrix::LowRank(low_rank) => {
            let parts = low_rank.parts();
            let document_rows = parts.v.as_ref().unwrap_or(&parts.u);
            if model.provenance().method == "pls" {
                let scale = match parts.diagonal {
                    LowRankDiagonal::Scaled(rest) => 1.0 - f64::from(rest),
                    _ => 1.0,
                };
                return orthonormal(parts.rank, scale, sample, delta);
            }
            let queries = row_bounds(parts.u.chunks(parts.rank), parts.n_rows, share);
            let documents = row_bounds(document_rows.chunks(parts.rank), parts.n_cols, 1.0);
            bounded_rows(parts.rank, queries, documents, sample, delta)
        }
        Matrix::Binned(binned) if matches!(binned.inner(), Matrix::Identity(_)) => {
            let of_side = |side, scale| {
                let rows = binned.bins(side);
                row_bounds((0..rows.n_rows()).map(|i| rows.row(i).values()), rows.n_rows(), scale)
            };
            let (queries, documents) = (of_side(Side::Query, share), of_side(Side::Document, 1.0));
            bounded_rows(binned.inner().n_rows(), queries, documents, sample, delta)
        }
        _ => none("a W that is no mapping into a latent space has no such bounds"),
    }
}

fn row_bounds<'a>(rows: impl Iterator<Item = &'a [f32]>, n_features: usize, scale: f64) -> RowBounds {
    let (mut sum, mut squares) = (0.0f64, 0.0f64);
    for row in rows {
        sum = sum.max(row.iter().map(|&x| f64::from(x.abs())).sum());
        squares = squares.max(row.iter().map(|&x| f64::from(x) * f64::from(x)).sum());
    }
    RowBounds { n_features, sum: scale * sum, length: scale * squares.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LowRankParts, Provenance};
    use qwd_core::Csr;
    use std::sync::Arc;

    fn sample() -> Sample {
        Sample {
            n_queries: 100,
            documents_per_query: 4.0,
            largest_response: 3.0,
            most_query_features: 4,
            most_document_features: 9,
            longest_query: 1.0,
            longest_document: 1.0,
        }
    }

    /// δ at which √(2 ln 1/δ) is 2.
    fn delta() -> f64 {
        (-2.0f64).exp()
    }

    fn assert_bounds(bounds: &Bounds, b: f64, c: f64, of_documents: f64, of_queries: f64) {
        let near = |x: f64, y: f64| (x - y).abs() < 1e-6 * y;
        assert!(near(bounds.b, b) && near(bounds.c, c), "{bounds:?}");
        assert!(near(bounds.of_documents, of_documents) && near(bounds.of_queries, of_queries), "{bounds:?}");
        assert!(near(bounds.of_both, of_documents + of_queries), "{bounds:?}");
    }

    #[test]
    fn theorems_by_hand() {
        // Theorem 4: (2·5·3 + 3·1·2) = 36, over √400 and √100.
        assert_bounds(&orthonormal(25, 1.0, &sample(), delta()).expect("δ"), 1.0, 5.0, 1.8, 3.6);
        // Theorem 5: B = √36 · min(2·12, 1) = 6, C = √(8·2) · min(12, 1) = 4; (2·4·3 + 3·6·2) = 60.
        let rows = |n_features, sum| RowBounds { n_features, sum, length: 1.0 };
        let bounds = bounded_rows(2, rows(8, 4.0), rows(2, 3.0), &sample(), delta()).expect("δ");
        assert_bounds(&bounds, 6.0, 4.0, 3.0, 6.0);
        // Small sums: min(10 · 0.05, 1) = 0.5 and min(0.05, 1) = 0.05.
        let bounds = bounded_rows(10, rows(8, 0.1), rows(2, 0.5), &sample(), delta()).expect("δ");
        assert_bounds(&bounds, 3.0, 0.2, 0.96, 1.92);
        // Vectors twice as long are responses twice as large.
        let long = Sample { longest_query: 2.0, ..sample() };
        assert_bounds(&orthonormal(25, 1.0, &long, delta()).expect("δ"), 1.0, 5.0, 3.6, 7.2);
        for delta in [0.0, 1.0, f64::NAN] {
            assert!(orthonormal(25, 1.0, &sample(), delta).is_err());
        }
    }

    #[test]
    fn a_model_knows_its_space() {
        let model = |matrix: Matrix, method: &str| {
            Model::new(matrix, Provenance { sample: Some(sample()), ..Provenance::new(method) })
        };
        let (u, v) = (vec![3.0, -4.0, 0.0, 1.0], vec![1.0, 0.0]);
        let parts = LowRankParts { n_rows: 2, n_cols: 1, rank: 2, u, v: Some(v), diagonal: LowRankDiagonal::None };
        let low_rank = Matrix::low_rank(parts.clone()).expect("fits");
        let expected = bounded_rows(
            2,
            RowBounds { n_features: 2, sum: 7.0, length: 5.0 },
            RowBounds { n_features: 1, sum: 1.0, length: 1.0 },
            &sample(),
            0.05,
        );
        assert_eq!(bounds(&model(low_rank.clone(), "rmls"), 0.05).expect("rows"), expected.expect("δ"));
        let of_pls = bounds(&model(low_rank.clone(), "pls"), 0.05).expect("columns");
        assert_eq!(of_pls, orthonormal(2, 1.0, &sample(), 0.05).expect("δ"));
        let rows = Arc::new(Csr::from_parts(2, vec![0, 2, 3], vec![0, 1, 1], vec![3.0, -4.0, 1.0]).expect("valid"));
        let sparse = Matrix::binned(Arc::clone(&rows), rows, Matrix::identity(2).expect("small")).expect("fits");
        let whole = bounds(&model(sparse.clone(), "rmls"), 0.05).expect("rows");
        assert_eq!((whole.theorem, whole.b), (5, 6.0 * 25.0));
        let half = Matrix::mixture(vec![(0.5, sparse), (0.5, Matrix::identity(2).expect("small"))]).expect("fits");
        assert_eq!(bounds(&model(half, "rmls"), 0.05).expect("rows").b, 3.0 * 25.0);
        // Without a sample, or for another W, there is nothing to say.
        assert!(bounds(&Model::new(low_rank, Provenance::new("rmls")), 0.05).is_err());
        assert!(bounds(&model(Matrix::identity(2).expect("small"), "identity"), 0.05).is_err());
    }
}
