//! The diagonal model against SGD on a support of the diagonal alone.

use crate::common::{Data, cases, compare, largest, method, square, surely, train};
use proptest::prelude::*;
use qwd_testkit::sparse_sgd::{Settings, rates, sparse_sgd};
use qwd_testkit::tuples::{identity, zeros};
use qwd_train::Start;
use serde_json::json;

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn it_is_sgd_on_the_diagonal(
        seed: u64,
        (n_words, n_tuples) in (1usize..14, 1usize..200),
        (constant, decaying) in (0.1f64..50.0, any::<bool>()),
        (margin, from_identity) in (0.2f64..3.0, any::<bool>()),
    ) {
        let data = Data::random(seed, &square(n_words, n_tuples));
        let rates = rates(constant, decaying, n_tuples);
        let off = |s: usize, t: usize| s != t;
        let settings =
            Settings { rates: &rates, l1: 0.0, shrink_every: 1, margin, symmetric: false, batch: 1, fixed: &off };
        let start = if from_identity { identity(n_words) } else { zeros(n_words, n_words) };
        let (n, expected) = surely(&data.plain.all(), |tuples| sparse_sgd(start.clone(), tuples, &settings));
        let schedule = if decaying { "decaying" } else { "fixed" };
        let method =
            method("diagonal", json!({ "learning_rate": constant, "schedule": schedule, "margin": margin }));
        let start = if from_identity { Start::Identity } else { Start::Zero };
        let trained = train(&method, &data.first(n), start).expect("trains");
        let tolerance = 3e-6 * (1.0 + constant + largest(&expected));
        compare(&trained.matrix, &expected, tolerance).map_err(TestCaseError::fail)?;
    }
}

#[test]
fn two_vocabularies_are_refused() {
    let data = Data::small([2, 3], &[&[(0, 1.0)]], &[&[(0, 1.0)]], &[]);
    for name in ["diagonal", "identity"] {
        let error = train(&method(name, json!({})), &data.problem(), Start::Zero).expect_err("rectangular");
        assert!(error.to_string().contains("2 query words and 3 document words"), "{error}");
    }
}
