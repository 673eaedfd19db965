//! A small model of every form, always the same: what the promises are tried on and what the golden files hold.

#![allow(dead_code, reason = "each test uses some of them")]

use qwd_core::{Csr, Threads};
use qwd_model::{LazyWeights, LowRankDiagonal, LowRankParts, Matrix, Model, Provenance, TrainingState};
use qwd_text::{AnalyzerParams, Vectorizer, VectorizerParams, VocabularyParams, WeightingParams};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Every sample by name.
pub(crate) fn all() -> Vec<(&'static str, Model)> {
    vec![
        ("identity", identity()),
        ("diagonal", diagonal()),
        ("dense", dense()),
        ("sparse", sparse()),
        ("sparse-state", sparse_state()),
        ("sparse-wide", sparse_wide()),
        ("low-rank", low_rank()),
        ("low-rank-symmetric", low_rank_symmetric()),
        ("hashed", hashed()),
        ("binned", binned()),
        ("mixture", mixture()),
    ]
}

/// I over one vocabulary for both sides.
pub(crate) fn identity() -> Model {
    let words = english();
    let model = Model::new(Matrix::identity(6).expect("small"), provenance("identity"));
    model.with_vectorizers(Some(words.clone()), Some(words)).expect("six words")
}

/// Weights without words.
pub(crate) fn diagonal() -> Model {
    Model::new(Matrix::diagonal(vec![1.0, -0.5, 0.25, 0.0]).expect("finite"), provenance("diagonal"))
}

/// A rectangle between two languages.
pub(crate) fn dense() -> Model {
    let weights = (0..24).map(|i| (i as f32 - 11.5) / 8.0).collect();
    let model = Model::new(Matrix::dense(6, 4, weights).expect("finite"), provenance("sgd"));
    model.with_vectorizers(Some(english()), Some(german())).expect("six and four words")
}

/// Few weights, as served.
pub(crate) fn sparse() -> Model {
    let words = english();
    let model = Model::new(Matrix::sparse(weights()).expect("small"), provenance("sparse-sgd"));
    model.with_vectorizers(Some(words.clone()), Some(words)).expect("six words")
}

/// Few weights, with all that training needs to go on.
pub(crate) fn sparse_state() -> Model {
    let words = english();
    // The entry of 0.5 in row 3 is served as 0, so it is not kept.
    let pending = vec![0.125, 0.0, 0.25, 0.5, 2.0, 0.5];
    let (matrix, lazy) = LazyWeights::split(&weights(), pending).expect("valid");
    let state = TrainingState {
        step: 4_294_967_296,
        lazy_weights: Some(lazy),
        numbers: BTreeMap::from([("l1".to_string(), 1e-7)]),
        matrices: BTreeMap::from([("gradient_squares".to_string(), weights())]),
        vectors: BTreeMap::from([("row_clock".to_string(), vec![0.0, 3.5]), ("empty".to_string(), vec![])]),
    };
    let model = Model::new(matrix, provenance("sparse-sgd"));
    let model = model.with_vectorizers(Some(words.clone()), Some(words)).expect("six words");
    model.with_state(state).expect("of this matrix")
}

/// More columns than two bytes can count.
pub(crate) fn sparse_wide() -> Model {
    let w = Csr::from_parts(65_537, vec![0, 2, 3], vec![0, 65_536, 300], vec![1.5, -2.0, 0.75]).expect("valid");
    Model::new(Matrix::sparse(w).expect("small"), provenance("sparse-sgd"))
}

/// UᵀV between two languages, with numbers for the first words only.
pub(crate) fn low_rank() -> Model {
    let numbers = |n: usize| (0..n).map(|i| (i as f32 - 3.0) / 4.0).collect();
    let parts = LowRankParts {
        n_rows: 6,
        n_cols: 4,
        rank: 2,
        u: numbers(10),
        v: Some(numbers(8)),
        diagonal: LowRankDiagonal::None,
    };
    let model = Model::new(Matrix::low_rank(parts).expect("finite"), provenance("low-rank"));
    model.with_vectorizers(Some(english()), Some(german())).expect("six and four words")
}

/// UᵀU + D.
pub(crate) fn low_rank_symmetric() -> Model {
    let parts = LowRankParts {
        n_rows: 4,
        n_cols: 4,
        rank: 3,
        u: vec![0.5, -1.0, 0.25, 2.0, 0.0, -0.5],
        v: None,
        diagonal: LowRankDiagonal::Weights(vec![1.0, 0.5, 0.0, -2.0]),
    };
    Model::new(Matrix::low_rank(parts).expect("finite"), provenance("low-rank"))
}

/// Five weights that all word pairs share, and αI.
pub(crate) fn hashed() -> Model {
    let weights = vec![0.5, -0.25, 0.0, 1.0, 2.0];
    Model::new(Matrix::hashed(6, 6, weights, Some(0.75)).expect("finite"), provenance("hash-kernels"))
}

/// Six words in bins of two.
pub(crate) fn binned() -> Model {
    let words = english();
    let bins =
        Csr::from_parts(2, vec![0, 1, 2, 4, 5, 6, 6], vec![0, 1, 0, 1, 1, 0], vec![1.0, 1.0, 0.5, 0.5, 1.0, 1.0]);
    let bins = Arc::new(bins.expect("valid"));
    let inner = LowRankParts {
        n_rows: 2,
        n_cols: 2,
        rank: 1,
        u: vec![1.0, -0.5],
        v: Some(vec![2.0, 0.25]),
        diagonal: LowRankDiagonal::Scaled(1.0),
    };
    let inner = Matrix::low_rank(inner).expect("finite");
    let matrix = Matrix::binned(Arc::clone(&bins), bins, inner).expect("two bins");
    let model = Model::new(matrix, provenance("low-rank"));
    model.with_vectorizers(Some(words.clone()), Some(words)).expect("six words")
}

/// I, a sparse W, and a binned one.
pub(crate) fn mixture() -> Model {
    let parts = vec![
        (0.5, Matrix::identity(6).expect("small")),
        (-0.25, Matrix::sparse(weights()).expect("small")),
        (2.0, binned().matrix().clone()),
    ];
    Model::new(Matrix::mixture(parts).expect("of one size"), provenance("mixture"))
}

fn weights() -> Csr {
    let indptr = vec![0, 2, 3, 3, 5, 5, 7];
    let values = vec![1.5, -0.75, 2.0, 0.5, -1.25, 1.0, 0.625];
    Csr::from_parts(6, indptr, vec![0, 3, 1, 3, 5, 4, 5], values).expect("valid")
}

fn provenance(method: &str) -> Provenance {
    Provenance {
        params: serde_json::json!({"learning_rate": 0.1, "l1": 1e-7, "margin": 1}),
        seed: u64::MAX,
        qwd_version: "0.1.0".into(),
        n_tuples: 1_000_000,
        data: BTreeMap::from([("corpus.jsonl".to_string(), "9f86d081".to_string())]),
        notes: vec!["a \"sample\" — for tests".into()],
        ..Provenance::new(method)
    }
}

/// The words car, engine, sea, fish, ship and wheel, in the order of their frequency.
fn english() -> Vectorizer {
    vectorizer(&["engine engine engine car", "car fish fish sea", "sea sea ship engine", "car car wheel"])
}

/// The words auto, meer, räder and ü.
fn german() -> Vectorizer {
    vectorizer(&["meer meer meer", "auto räder räder", "auto auto Ü"])
}

fn vectorizer(texts: &[&str]) -> Vectorizer {
    let analyzer = AnalyzerParams { extra_stop_words: vec!["the".into()], ..AnalyzerParams::default() };
    let weighting = WeightingParams::preset("bm25-query").expect("a preset");
    let params = VectorizerParams { analyzer, weighting };
    params.fit(&VocabularyParams::default(), texts.iter().copied(), &Threads::default()).expect("words")
}
