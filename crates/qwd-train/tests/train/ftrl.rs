//! FTRL-Proximal against a reference that works out all of W before every tuple.

use crate::common::{Data, cases, compare, largest, matrix_of, method, rows_of, square, surely, train};
use proptest::prelude::*;
use qwd_testkit::ftrl::{Settings, ftrl};
use qwd_testkit::random::Shape;
use qwd_testkit::tuples::{identity, zeros};
use qwd_train::Start;
use serde_json::json;

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn it_is_ftrl_proximal(
        seed: u64,
        (n_rows, n_cols, n_tuples) in (2usize..14, 2usize..14, 1usize..150),
        from_identity: bool,
        (alpha, beta) in (0.05f64..2.0, 0.01f64..1.0),
        (l1, l2) in (prop_oneof![Just(0.0), 1e-3..1.0], prop_oneof![Just(0.0), 1e-3..1.0]),
        margin in 0.2f64..3.0,
        batch in prop_oneof![Just(1usize), 2..40usize],
    ) {
        let n_cols = if from_identity { n_rows } else { n_cols };
        let shape = Shape { n_query_words: n_rows, n_document_words: n_cols, ..square(n_rows, n_tuples) };
        let data = Data::random(seed, &shape);
        let settings = Settings { alpha, beta, l1, l2, margin, batch, fixed: &|_, _| false };
        let start = if from_identity { identity(n_rows) } else { zeros(n_rows, n_cols) };
        let (n, expected) = surely(&data.plain.all(), |tuples| ftrl(start.clone(), tuples, &settings));
        let method = method("ftrl", json!({
            "learning_rate": alpha, "beta": beta, "l1": l1, "l2": l2, "margin": margin, "batch": batch,
        }));
        let start = if from_identity { Start::Identity } else { Start::Zero };
        let trained = train(&method, &data.first(n), start).expect("trains");
        // z is held to 24 bits, and a weight is z divided by at least β/α.
        let tolerance = 1e-5 * (1.0 + largest(&expected) + (1.0 + l1) * alpha / beta);
        compare(&trained.matrix, &expected, tolerance).map_err(TestCaseError::fail)?;
    }
}

/// Without a step the start comes back, whatever the penalties.
#[test]
fn the_start_is_kept_until_a_step_is_taken() {
    let start = vec![vec![1.0, -0.25, 0.0], vec![0.0, 3.5, 1e-3]];
    let data = Data::small([2, 3], &[&[(0, 1.0)]], &[&[(0, 1.0)]], &[]);
    for (l1, l2) in [(0.0, 0.0), (0.5, 0.0), (2.0, 0.3)] {
        let ftrl = method("ftrl", json!({ "l1": l1, "l2": l2 }));
        let trained = train(&ftrl, &data.problem(), Start::Matrix(&matrix_of(&start))).expect("trains");
        // λ₁ is added to z and taken away again, which rounds a small z to the bits of λ₁.
        compare(&trained.matrix, &start, 1e-6 * (1.0 + l1 * 25.0)).expect("the start");
    }
}

/// FTRL's penalty does not grow with the steps that pass an entry by.
#[test]
fn entries_left_alone_stay() {
    let vectors: [&[(u32, f32)]; 3] = [&[(0, 1.0)], &[(1, 1.0)], &[]];
    let tuples: Vec<_> = [(1, 1, 2, 1.0)].into_iter().chain(vec![(0, 0, 2, 1.0); 5000]).collect();
    let data = Data::small([2, 2], &vectors[..2], &vectors, &tuples);
    let ftrl = method("ftrl", json!({ "learning_rate": 0.5, "beta": 1.0, "l1": 0.1 }));
    let after_one = rows_of(&train(&ftrl, &data.first(1), Start::Zero).expect("trains").matrix)[1][1];
    let after_all = rows_of(&train(&ftrl, &data.problem(), Start::Zero).expect("trains").matrix)[1][1];
    // z = −1, n = 1: (1 − λ₁)/((β + 1)/α).
    assert!((after_one - 0.9 / 4.0).abs() < 1e-6, "{after_one}");
    assert_eq!(after_one, after_all);
}

#[test]
fn density_falls_as_l1_rises() {
    let data = Data::random(3, &Shape { n_queries: 300, ..square(80, 4000) });
    let mut densities = Vec::new();
    for l1 in [0.0, 1e-2, 1e-1, 1.0, 10.0] {
        let ftrl = method("ftrl", json!({ "l1": l1 }));
        densities.push(train(&ftrl, &data.problem(), Start::Zero).expect("trains").matrix.density());
    }
    assert!(densities.is_sorted_by(|a, b| a >= b), "{densities:?}");
    assert!(densities[0] > 0.5 && densities[4] < 0.01, "{densities:?}");
}
