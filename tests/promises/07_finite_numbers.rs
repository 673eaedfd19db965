//! Promise 7: no NaN or infinity comes in or goes out; an absurd learning rate is reported, and the file from before stays.

use proptest::prelude::*;
use qwd_core::kernel::{lift, shrink};
use qwd_core::{Csr, Error, SparseVec, Threads};
use qwd_data::Preference;
use qwd_model::Matrix;
use qwd_train::{Constraints, Problem, Session, SparseSgdParams, Start};

/// Numbers from the edges of f32.
fn edge() -> impl Strategy<Value = f32> {
    prop_oneof![
        Just(f32::MAX),
        Just(f32::MIN),
        Just(f32::MIN_POSITIVE),
        Just(-f32::MIN_POSITIVE),
        Just(f32::MIN_POSITIVE / 2.0),
        Just(0.0),
        Just(-0.0),
        Just(1.0),
        -1e30f32..1e30,
    ]
}

proptest! {
    #[test]
    fn what_is_not_finite_does_not_come_in(x in prop_oneof![Just(f32::NAN), Just(f32::INFINITY), Just(f32::NEG_INFINITY)]) {
        prop_assert!(SparseVec::try_new(vec![0], vec![x]).is_err());
        prop_assert!(Csr::from_parts(1, vec![0, 1], vec![0], vec![x]).is_err());
        prop_assert!(Matrix::diagonal(vec![x]).is_err());
        prop_assert!(Matrix::dense(1, 1, vec![x]).is_err());
    }

    #[test]
    fn scores_are_finite_or_an_error(w in edge(), q in edge(), d in edge()) {
        let matrix = Matrix::dense(1, 1, vec![w]).expect("finite");
        let (q, d) = (SparseVec::try_new(vec![0], vec![q]).expect("finite"), SparseVec::try_new(vec![0], vec![d]).expect("finite"));
        if let Ok(score) = matrix.score(q.view(), d.view()) {
            prop_assert!(score.is_finite());
        }
        if let Ok(expanded) = matrix.expand(q.view()) {
            prop_assert!(expanded.view().values().iter().all(|v| v.is_finite()));
        }
    }

    #[test]
    fn training_ends_in_finite_weights_or_says_that_it_diverged(
        q in edge(), better in edge(), worse in edge(), rate in prop_oneof![Just(1e30f64), Just(1e-30), Just(1.0)],
    ) {
        let row = |x: f32| SparseVec::from_pairs(vec![(0, x)]).expect("finite");
        let mut queries = Csr::empty(1);
        queries.push(row(q).view()).expect("one row");
        let mut documents = Csr::empty(1);
        documents.push(row(better).view()).expect("one row");
        documents.push(row(worse).view()).expect("two rows");
        let preferences = [Preference { query: 0, better: 0, worse: 1, weight: 1.0 }; 5];
        let problem = Problem::try_new(&queries, &documents, &preferences).expect("rows exist");
        let trainer = SparseSgdParams { learning_rate: rate, ..SparseSgdParams::default() }.build().expect("valid");
        let threads = Threads::default();
        match trainer.train(&problem, Start::Identity, &Constraints::default(), &mut Session::quiet(&threads)) {
            Ok(trained) => prop_assert!(trained.matrix.entry(0, 0).expect("in range").is_finite()),
            Err(error) => prop_assert!(matches!(error, Error::Diverged { .. } | Error::BadData { .. }), "{error}"),
        }
    }

    #[test]
    fn shrinking_and_lifting_stay_finite(w in -1e30f32..1e30, threshold in 0.0f32..1e30) {
        prop_assert!(shrink(w, threshold).is_finite() && lift(w, threshold).is_finite());
    }
}

#[test]
fn a_diverging_run_leaves_the_old_model_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("m.qwd");
    let train = |more: &[&str]| {
        promises::program()
            .args(["train", "demo", "--tuples", "2000", "--out"])
            .arg(&model)
            .args(more)
            .output()
            .expect("it runs")
    };
    assert!(train(&[]).status.success());
    let before = std::fs::read(&model).expect("a model");
    let output = train(&["--set", "learning_rate=1e30"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("diverged"));
    assert!(std::fs::read(&model).expect("still there") == before);
}
