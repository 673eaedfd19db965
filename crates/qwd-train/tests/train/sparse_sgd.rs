//! Sparse SGD and SGD against equation 4 and Algorithm 1 of the sparse preference paper.

use crate::common::{Data, cases, compare, largest, matrix_of, method, rows_of, square, surely, train};
use proptest::prelude::*;
use qwd_testkit::bilinear::Rows;
use qwd_testkit::random::{Dice, Shape};
use qwd_testkit::sparse_sgd::{Settings, rates, sparse_sgd};
use qwd_testkit::tuples::{identity, zeros};
use qwd_train::Start;
use serde_json::json;

/// Numbers that `f32` holds exactly, so that all sides start alike.
fn random_weights(seed: u64, n_rows: usize, n_cols: usize) -> Rows {
    let mut dice = Dice::new(seed);
    (0..n_rows).map(|_| (0..n_cols).map(|_| f64::from(dice.signed() as f32)).collect()).collect()
}

proptest! {
    #![proptest_config(cases(200))]

    /// Equation 4: where the loss is smooth, one step with rate 1 is minus its gradient, taken numerically.
    #[test]
    fn a_step_is_the_negative_gradient(seed: u64, margin in 0.3f64..2.0, n_rows in 1usize..9, n_cols in 1usize..9) {
        let shape = Shape { n_query_words: n_rows, n_document_words: n_cols, ..square(n_rows, 1) };
        let data = Data::random(seed, &shape);
        let tuple = data.plain.tuple(0);
        let start = random_weights(seed ^ 1, n_rows, n_cols);
        let (missing, scale) = tuple.missing(&start, margin);
        prop_assume!(missing.abs() > 1e-3 * scale);
        let gradient = tuple.gradient(&start, margin, 1e-4);
        let after: Rows = start.iter().zip(&gradient)
            .map(|(w, g)| w.iter().zip(g).map(|(w, g)| w - g).collect())
            .collect();
        let params = json!({ "learning_rate": 1.0, "schedule": "fixed", "margin": margin });
        let lasso = json!({ "learning_rate": 1.0, "schedule": "fixed", "margin": margin, "group_l1": 0.0 });
        for method in [method("sgd", params.clone()), method("sparse-sgd", params), method("group-lasso", lasso)] {
            let trained = train(&method, &data.problem(), Start::Matrix(&matrix_of(&start))).expect("trains");
            prop_assert_eq!(trained.steps, 1);
            compare(&trained.matrix, &after, 1e-6).map_err(TestCaseError::fail)?;
        }
    }
}

/// The cases of Algorithm 1.
#[derive(Debug, Clone)]
struct Case {
    seed: u64,
    n_words: [usize; 2],
    n_tuples: usize,
    constant: f64,
    decaying: bool,
    l1: f64,
    shrink_every: usize,
    margin: f64,
    symmetric: bool,
    batch: usize,
    from_identity: bool,
}

fn case() -> impl Strategy<Value = Case> {
    let data = (any::<u64>(), 2usize..18, 2usize..18, 1usize..160);
    let rates = (prop_oneof![Just(0.3), Just(5.0), Just(200.0)], any::<bool>());
    let penalty = (prop_oneof![Just(0.0), 1e-4..1e-3, 1e-3..0.3f64], prop_oneof![Just(1usize), 2..30usize, Just(100)]);
    let others = (0.2f64..3.0, 0u8..3, prop_oneof![Just(1usize), 2..40usize]);
    (data, rates, penalty, others).prop_map(|(data, (constant, decaying), (l1, shrink_every), others)| {
        let (seed, n_rows, n_cols, n_tuples) = data;
        let (margin, form, batch) = others;
        // A rectangular W from 0, a square one from I, a symmetric one from I.
        let n_words = if form == 0 { [n_rows, n_cols] } else { [n_rows, n_rows] };
        let (symmetric, from_identity) = (form == 2, form > 0);
        Case { seed, n_words, n_tuples, constant, decaying, l1, shrink_every, margin, symmetric, batch, from_identity }
    })
}

proptest! {
    #![proptest_config(cases(400))]

    /// Lazy, blocked, in `f32`: it is Algorithm 1 all the same.
    #[test]
    fn it_is_algorithm_1(case in case()) {
        let Case { n_words: [n_rows, n_cols], margin, l1, constant, .. } = case;
        let shape = Shape { n_query_words: n_rows, n_document_words: n_cols, ..square(n_rows, case.n_tuples) };
        let data = Data::random(case.seed, &shape);
        let rates = rates(constant, case.decaying, case.n_tuples);
        let settings = Settings {
            rates: &rates,
            l1,
            shrink_every: case.shrink_every,
            margin,
            symmetric: case.symmetric,
            batch: case.batch,
            fixed: &|_, _| false,
        };
        let start = if case.from_identity { identity(n_rows) } else { zeros(n_rows, n_cols) };
        let (n, expected) = surely(&data.plain.all(), |tuples| sparse_sgd(start.clone(), tuples, &settings));
        let method = method("sparse-sgd", json!({
            "learning_rate": constant,
            "schedule": if case.decaying { "decaying" } else { "fixed" },
            "l1": l1,
            "shrink_every": case.shrink_every,
            "margin": margin,
            "symmetric": case.symmetric,
            "batch": case.batch,
        }));
        let start = if case.from_identity { Start::Identity } else { Start::Zero };
        let trained = train(&method, &data.first(n), start).expect("trains");
        prop_assert_eq!(trained.steps, n as u64);
        let magnitude = 1.0 + constant + largest(&expected) + l1 * rates[..n].iter().sum::<f64>();
        compare(&trained.matrix, &expected, 3e-6 * magnitude).map_err(TestCaseError::fail)?;
    }
}

/// A mini-batch is as long as asked for, also where it is longer than a block.
#[test]
fn a_long_mini_batch_is_one() {
    let (n_tuples, batch, margin) = (700, 300, 1.1);
    for seed in 0..3 {
        let data = Data::random(seed, &square(12, n_tuples));
        let rates = rates(0.01, false, n_tuples);
        let fixed = |_: usize, _: usize| false;
        let settings =
            Settings { rates: &rates, l1: 0.0, shrink_every: 1, margin, symmetric: false, batch, fixed: &fixed };
        let (n, expected) = surely(&data.plain.all(), |tuples| sparse_sgd(identity(12), tuples, &settings));
        let sgd =
            method("sgd", json!({ "learning_rate": 0.01, "schedule": "fixed", "margin": margin, "batch": batch }));
        let trained = train(&sgd, &data.first(n), Start::Identity).expect("trains");
        compare(&trained.matrix, &expected, 1e-5).expect("batches of 300");
        assert!(n > batch, "the data leave no doubt, or seed {seed} is to be replaced by another");
    }
}

/// Equation 4 has <, not ≤: a tuple that just reaches the margin takes no step.
#[test]
fn a_tuple_on_the_margin_takes_no_step() {
    let data = Data::small([1, 1], &[&[(0, 1.0)]], &[&[(0, 1.0)], &[]], &[(0, 0, 1, 1.0)]);
    let sgd = method("sgd", json!({ "learning_rate": 1.0 }));
    for (weight, after) in [(1.0, 1.0), (0.999, 1.999), (1.001, 1.001)] {
        let start = matrix_of(&vec![vec![weight]]);
        let trained = train(&sgd, &data.problem(), Start::Matrix(&start)).expect("trains");
        compare(&trained.matrix, &vec![vec![after]], 1e-6).expect("equation 4");
    }
}

/// A score of many large parts is still a score.
#[test]
fn many_large_parts_add_up() {
    let n = 300;
    let query: Vec<(u32, f32)> = (0..n).map(|s| (s, 1.0)).collect();
    let data = Data::small([n as usize, 1], &[&query], &[&[(0, 1.0)], &[]], &[(0, 0, 1, 1.0), (0, 1, 0, 1.0)]);
    let sgd = method("sgd", json!({ "learning_rate": 1.0, "schedule": "fixed" }));
    let start = vec![vec![9e4]; n as usize];
    let trained = train(&sgd, &data.problem(), Start::Matrix(&matrix_of(&start))).expect("trains");
    // The first tuple is far beyond the margin, the second far below it.
    compare(&trained.matrix, &vec![vec![9e4 - 1.0]; n as usize], 0.0).expect("one step");
}

/// Every word but the first is met by no tuple: its entry is shrunk at the end of every full period by λ Σ η, and only
/// then.
#[test]
fn entries_that_no_tuple_touches_shrink_with_the_periods() {
    let n = 1000;
    let tuples = vec![(0, 0, 1, 1.0); n];
    let data = Data::small([4, 4], &[&[(0, 1.0)]], &[&[(0, 1.0)], &[]], &tuples);
    let (constant, l1) = (2.0, 1e-3);
    for (n, period) in [(1000, 100), (999, 100), (1000, 300), (99, 100), (1000, 1), (1000, 7)] {
        let params = json!({ "learning_rate": constant, "l1": l1, "shrink_every": period });
        let trained = train(&method("sparse-sgd", params), &data.first(n), Start::Identity).expect("trains");
        let last = n / period * period;
        let left = 1.0 - l1 * rates(constant, true, n)[..last].iter().sum::<f64>();
        for s in 1..4 {
            let w = rows_of(&trained.matrix)[s][s];
            assert!((w - left.max(0.0)).abs() < 1e-5, "after {n} steps with T = {period}: {w}, expected {left}");
        }
    }
}

/// A larger λ leaves fewer entries.
#[test]
fn density_falls_as_l1_rises() {
    let data = Data::random(3, &Shape { n_queries: 300, ..square(80, 4000) });
    let mut densities = Vec::new();
    for l1 in [0.0, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1] {
        let sparse = method("sparse-sgd", json!({ "learning_rate": 20.0, "l1": l1 }));
        densities.push(train(&sparse, &data.problem(), Start::Identity).expect("trains").matrix.density());
    }
    assert!(densities.is_sorted_by(|a, b| a >= b), "{densities:?}");
    assert!(densities[0] > 0.5 && densities[9] < 0.01, "{densities:?}");
}

proptest! {
    #![proptest_config(cases(60))]

    /// Coefficients of texts give the W of word pairs.
    #[test]
    fn the_dual_form_learns_the_same(seed: u64, n_words in 2usize..12, decaying: bool, zero_diagonal: bool, identity: bool) {
        let mut data = Data::random(seed, &square(n_words, 60));
        // Weights that make rounding differences small beside the margin.
        data.preferences.iter_mut().for_each(|p| p.weight = 1.0);
        let schedule = if decaying { "decaying" } else { "fixed" };
        let train_as = |form: &str| {
            let params = json!({ "learning_rate": 0.3, "schedule": schedule, "margin": 0.7, "form": form,
                "zero_diagonal": zero_diagonal });
            let start = if identity { Start::Identity } else { Start::Zero };
            train(&method("sgd", params), &data.problem(), start).expect("trains")
        };
        let (primal, dual) = (train_as("primal"), train_as("dual"));
        prop_assert_eq!(primal.steps, dual.steps);
        let expected = rows_of(&primal.matrix);
        compare(&dual.matrix, &expected, 1e-3).map_err(TestCaseError::fail)?;
    }
}

#[test]
fn the_dual_form_says_what_it_cannot() {
    let data = Data::random(1, &square(6, 20));
    for params in [json!({ "form": "dual", "symmetric": true }), json!({ "form": "dual", "batch": 8 })] {
        let error = qwd_train::Method::from_json("sgd", params).and_then(|m| m.check()).expect_err("refused");
        assert!(error.to_string().contains("form"), "{error}");
    }
    let dual = method("sgd", json!({ "form": "dual" }));
    let start = matrix_of(&identity(6));
    let error = train(&dual, &data.problem(), Start::Matrix(&start)).expect_err("refused");
    assert!(error.to_string().contains("starts from I or from 0"), "{error}");
}
