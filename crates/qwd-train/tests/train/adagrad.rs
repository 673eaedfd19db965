//! AdaGrad against a reference that applies the penalty to all of W after every step.

use crate::common::{Data, cases, compare, largest, method, rows_of, square, surely, train};
use proptest::prelude::*;
use qwd_testkit::adagrad::{Settings, adagrad};
use qwd_testkit::random::Shape;
use qwd_testkit::tuples::{identity, zeros};
use qwd_train::Start;
use serde_json::json;

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn it_is_composite_mirror_descent(
        seed: u64,
        (n_rows, n_cols, n_tuples) in (2usize..14, 2usize..14, 1usize..150),
        from_identity: bool,
        (rate, delta) in (0.05f64..2.0, prop_oneof![Just(1e-4), 1e-3..1.0]),
        l1 in prop_oneof![Just(0.0), 1e-6..1e-4, 1e-4..1e-2f64],
        margin in 0.2f64..3.0,
        batch in prop_oneof![Just(1usize), 2..40usize],
    ) {
        let n_cols = if from_identity { n_rows } else { n_cols };
        let shape = Shape { n_query_words: n_rows, n_document_words: n_cols, ..square(n_rows, n_tuples) };
        let data = Data::random(seed, &shape);
        let settings = Settings { rate, delta, l1, margin, batch, fixed: &|_, _| false };
        let start = if from_identity { identity(n_rows) } else { zeros(n_rows, n_cols) };
        let (n, expected) = surely(&data.plain.all(), |tuples| adagrad(start.clone(), tuples, &settings));
        let method = method("adagrad", json!({
            "learning_rate": rate, "initial_accumulator": delta, "l1": l1, "margin": margin, "batch": batch,
        }));
        let start = if from_identity { Start::Identity } else { Start::Zero };
        let trained = train(&method, &data.first(n), start).expect("trains");
        let pending = l1 * rate * n as f64 / delta.sqrt();
        let tolerance = 5e-6 * (1.0 + rate + largest(&expected) + pending);
        compare(&trained.matrix, &expected, tolerance).map_err(TestCaseError::fail)?;
    }
}

/// An entry that was touched once and then left alone for thousands of steps shrinks by its own rate at each of them.
#[test]
fn the_penalty_is_exact_on_entries_left_alone() {
    let (rate, delta, l1) = (0.5f64, 1e-2f64, 2e-5);
    for n in [1usize, 10, 3000, 9000] {
        // The first tuple touches W[1][1], all others W[0][0].
        let tuples: Vec<_> = [(1, 1, 2, 1.0)].into_iter().chain(vec![(0, 0, 2, 1.0); n - 1]).collect();
        let vectors: [&[(u32, f32)]; 3] = [&[(0, 1.0)], &[(1, 1.0)], &[]];
        let data = Data::small([3, 3], &vectors[..2], &vectors, &tuples);
        let params = json!({ "learning_rate": rate, "initial_accumulator": delta, "l1": l1 });
        let w = rows_of(&train(&method("adagrad", params), &data.problem(), Start::Zero).expect("trains").matrix);
        let after_one = rate / (delta + 1.0).sqrt();
        let per_step = l1 * rate / (delta + 1.0).sqrt();
        let expected = (after_one - n as f64 * per_step).max(0.0);
        assert!((w[1][1] - expected).abs() < 1e-5, "after {n} steps: {}, expected {expected}", w[1][1]);

        // From I, the entry of a word that never occurs shrinks as well, by the rate of an entry without gradients.
        let params = json!({ "learning_rate": rate, "initial_accumulator": delta, "l1": l1 });
        let w = rows_of(&train(&method("adagrad", params), &data.problem(), Start::Identity).expect("trains").matrix);
        let expected = (1.0 - n as f64 * l1 * rate / delta.sqrt()).max(0.0);
        assert!((w[2][2] - expected).abs() < 1e-5, "after {n} steps: {}, expected {expected}", w[2][2]);
    }
}

#[test]
fn density_falls_as_l1_rises() {
    let data = Data::random(3, &Shape { n_queries: 300, ..square(80, 4000) });
    let mut densities = Vec::new();
    for l1 in [0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1] {
        let adagrad = method("adagrad", json!({ "l1": l1 }));
        densities.push(train(&adagrad, &data.problem(), Start::Identity).expect("trains").matrix.density());
    }
    assert!(densities.is_sorted_by(|a, b| a >= b), "{densities:?}");
    assert!(densities[0] > 0.5 && densities[5] < 0.02, "{densities:?}");
}
