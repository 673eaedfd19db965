//! Models that are saved and opened again.

#[path = "../../../tests/promises/samples/mod.rs"]
mod samples;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use qwd_core::{Csr, Rng, SparseVec};
use qwd_model::{LazyWeights, Matrix, Model, Provenance, Side, TrainingState, inspect};
use std::sync::Arc;

#[test]
fn the_same_model_gives_the_same_bytes() {
    for (name, model) in samples::all() {
        let bytes = model.to_bytes().expect("encoded");
        assert_eq!(model.to_bytes().expect("encoded"), bytes, "{name}");
        let again = Model::from_bytes(&bytes).expect("sound");
        assert_eq!(again.to_bytes().expect("encoded"), bytes, "{name}: opened and saved");
        let folder = tempfile::tempdir().expect("a folder");
        model.save(folder.path().join("m.qwd")).expect("saved");
        assert_eq!(std::fs::read(folder.path().join("m.qwd")).expect("a file"), bytes, "{name}");
    }
}

#[test]
fn shared_words_are_stored_once_and_shared_again() {
    let model = Model::from_bytes(&samples::sparse().to_bytes().expect("encoded")).expect("sound");
    let words = |side| Arc::clone(model.vectorizer(side).expect("words").vocabulary());
    assert!(Arc::ptr_eq(&words(Side::Query), &words(Side::Document)));
}

#[test]
fn a_model_opened_to_serve_has_no_state_and_the_same_weights() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.qwd");
    let model = samples::sparse_state();
    model.save(&path).expect("saved");
    let served = Model::open_without_state(&path).expect("sound");
    assert_eq!(served.matrix(), model.matrix());
    assert!(served.state().is_none());
    assert_eq!(Model::open(&path).expect("sound").state(), model.state());
    // What is saved again without its state has the weights as served.
    served.save(&path).expect("saved");
    assert_eq!(Model::open(&path).expect("sound").matrix(), model.matrix());
    assert_eq!(inspect(&path).expect("readable").step, None);
}

#[test]
fn inspect_tells_what_is_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.qwd");
    let model = samples::sparse_state();
    model.save(&path).expect("saved");
    let summary = inspect(&path).expect("readable");
    assert_eq!((summary.form.as_str(), summary.n_rows, summary.n_cols), ("sparse", 6, 6));
    assert_eq!(summary.n_parameters, model.matrix().n_parameters());
    assert_eq!(summary.density, model.matrix().density());
    assert!(summary.query_words && summary.document_words && summary.shared_words);
    assert_eq!(summary.step, Some(4_294_967_296));
    assert_eq!(&summary.provenance, model.provenance());
    let n_bytes: u64 = summary.tensors.iter().map(|t| t.n_bytes).sum();
    assert!(n_bytes < summary.file_bytes);
    assert_eq!(summary.file_bytes, std::fs::metadata(&path).expect("a file").len());
    assert!(summary.tensors.iter().any(|t| t.name == "w.indices" && t.dtype == "U16"));
}

#[test]
fn ten_thousand_words_at_eight_percent_fit_in_fifty_megabytes() {
    let n = 10_000u32;
    let mut weights = Csr::empty(n);
    let mut rng = Rng::new(8);
    for _ in 0..n {
        let indices: Vec<u32> = (0..n).filter(|_| rng.below(100) < 8).collect();
        let values = vec![0.5; indices.len()];
        weights.push(SparseVec::try_new(indices, values).expect("sorted").view()).expect("in range");
    }
    let model = Model::new(Matrix::sparse(weights).expect("small"), Provenance::new("sparse-sgd"));
    assert!(model.matrix().density() > 0.0799);
    let n_bytes = model.to_bytes().expect("encoded").len();
    assert!(n_bytes <= 49_000_000, "{n_bytes} bytes leave no room for the words");
}

#[test]
fn a_header_over_the_limit_is_not_written() {
    let provenance = Provenance { notes: vec!["x".repeat(2 << 20)], ..Provenance::new("identity") };
    let model = Model::new(Matrix::identity(1).expect("small"), provenance);
    let error = model.to_bytes().expect_err("too long");
    assert!(error.to_string().starts_with("length of the model's header exceeds the limit of 1048576"), "{error}");
}

#[test]
fn a_missing_file_and_a_folder_are_told_apart_from_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = Model::open(folder.path().join("none.qwd")).expect_err("missing");
    assert!(error.to_string().contains("cannot open"), "{error}");
    let error = Model::open(folder.path()).expect_err("a folder");
    assert!(error.to_string().ends_with("not a regular file; name a file"), "{error}");
}

fn csr() -> impl Strategy<Value = Csr> {
    let n_cols = prop_oneof![0u32..9, 65_530u32..65_545];
    (n_cols, 0usize..6).prop_flat_map(|(n_cols, n_rows)| {
        let n_entries = if n_cols == 0 { 0..1 } else { 0..5 };
        vec(btree_map(0..n_cols.max(1), finite(), n_entries), n_rows).prop_map(move |rows| {
            let mut csr = Csr::empty(n_cols);
            for row in rows {
                let (indices, values) = row.into_iter().unzip();
                csr.push(SparseVec::try_new(indices, values).expect("sorted").view()).expect("in range");
            }
            csr
        })
    })
}

fn finite() -> impl Strategy<Value = f32> {
    any::<f32>().prop_filter("finite", |v| v.is_finite())
}

proptest! {
    #[test]
    fn any_sparse_model_with_its_state_comes_back(
        weights in csr(),
        threshold in 0.0f32..2.0,
        accumulator in csr(),
        vector in vec(finite(), 0..5),
        step in any::<u64>(),
        number in any::<f64>().prop_filter("finite", |v| v.is_finite()),
    ) {
        let (matrix, lazy) = LazyWeights::split(&weights, vec![threshold; weights.n_rows()]).expect("valid");
        let state = TrainingState {
            step,
            lazy_weights: Some(lazy),
            numbers: [("n".to_string(), number)].into(),
            matrices: [("m".to_string(), accumulator)].into(),
            vectors: [("v".to_string(), vector)].into(),
        };
        let mut provenance = Provenance::new("any");
        provenance.params = serde_json::json!({ "x": number });
        let model = Model::new(matrix, provenance).with_state(state).expect("of this matrix");
        let bytes = model.to_bytes().expect("encoded");
        let again = Model::from_bytes(&bytes).expect("sound");
        prop_assert_eq!(again.matrix(), model.matrix());
        prop_assert_eq!(again.state(), model.state());
        prop_assert_eq!(again.provenance(), model.provenance());
        prop_assert_eq!(again.to_bytes().expect("encoded"), bytes);
    }

    #[test]
    fn any_dense_or_diagonal_model_comes_back(n_rows in 0usize..5, n_cols in 0usize..5, weights in vec(finite(), 16)) {
        let dense = Matrix::dense(n_rows, n_cols, weights[..n_rows * n_cols].to_vec()).expect("finite");
        let diagonal = Matrix::diagonal(weights[..n_rows].to_vec()).expect("finite");
        for matrix in [dense, diagonal, Matrix::identity(n_rows).expect("small")] {
            let model = Model::new(matrix, Provenance::new("any"));
            let again = Model::from_bytes(&model.to_bytes().expect("encoded")).expect("sound");
            prop_assert_eq!(again.matrix(), model.matrix());
        }
    }
}
