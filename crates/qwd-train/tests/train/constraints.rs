//! Pinned weights come back as they were given, forbidden pairs stay 0, a support is kept; and the rest is learned as if
//! the reference held the same entries still.

use crate::common::{Data, ONE, cases, compare, largest, method, rows_of, square, surely};
use proptest::prelude::*;
use qwd_core::{Csr, Error, SparseVec};
use qwd_model::Matrix;
use qwd_testkit::bilinear::Rows;
use qwd_testkit::random::{Dice, Shape};
use qwd_testkit::sparse_sgd::rates;
use qwd_testkit::tuples::{Course, Tuple, identity, zeros};
use qwd_testkit::{adagrad, ftrl, sparse_sgd};
use qwd_train::{Constraints, METHODS, Method, Problem, Session, Start, Trained};
use serde_json::json;

/// Some pairs pinned, some forbidden, and a support if wanted; and how many pinned weights are exactly 0.
fn random_constraints(seed: u64, [n_rows, n_cols]: [usize; 2], with_support: bool) -> Constraints {
    let mut dice = Dice::new(seed);
    let mut constraints = Constraints::default();
    let mut support = Csr::empty(n_cols as u32);
    for s in 0..n_rows as u32 {
        let mut allowed = Vec::new();
        for t in 0..n_cols as u32 {
            match dice.below(10) {
                0 => constraints.pinned.push((s, t, dice.signed() as f32)),
                1 => constraints.pinned.push((s, t, 0.0)),
                2 => constraints.forbidden.push((s, t)),
                _ => {}
            }
            if dice.unit() < 0.5 {
                allowed.push((t, 1.0));
            }
        }
        support.push(SparseVec::from_pairs(allowed).expect("finite").view()).expect("in range");
    }
    if with_support {
        constraints.support = Some(support);
    }
    // The order of the lists must not matter.
    constraints.pinned.reverse();
    constraints
}

/// The start with pins in place, and which entries are fixed.
fn held(constraints: &Constraints, mut start: Rows) -> (Rows, Vec<Vec<bool>>) {
    let mut fixed = vec![vec![false; start[0].len()]; start.len()];
    if let Some(support) = &constraints.support {
        for (s, row) in support.rows().enumerate() {
            for t in 0..start[s].len() {
                if !row.indices().contains(&(t as u32)) {
                    (start[s][t], fixed[s][t]) = (0.0, true);
                }
            }
        }
    }
    let forbidden = constraints.forbidden.iter().map(|&(s, t)| (s, t, 0.0));
    for (s, t, w) in constraints.pinned.iter().copied().chain(forbidden) {
        (start[s as usize][t as usize], fixed[s as usize][t as usize]) = (f64::from(w), true);
    }
    (start, fixed)
}

fn check_kept(matrix: &Matrix, constraints: &Constraints) -> Result<(), TestCaseError> {
    for &(s, t, w) in &constraints.pinned {
        prop_assert_eq!(matrix.entry(s, t).expect("in range"), w, "pinned {} {}", s, t);
    }
    for &(s, t) in &constraints.forbidden {
        prop_assert_eq!(matrix.entry(s, t).expect("in range"), 0.0, "forbidden {} {}", s, t);
    }
    if let Some(support) = &constraints.support {
        for (s, row) in rows_of(matrix).iter().enumerate() {
            for (t, w) in row.iter().enumerate() {
                let is_pinned = constraints.pinned.iter().any(|&(i, j, _)| (i as usize, j as usize) == (s, t));
                let inside = support.row(s).indices().contains(&(t as u32));
                prop_assert!(*w == 0.0 || inside || is_pinned, "W[{}][{}] = {}", s, t, w);
            }
        }
    }
    Ok(())
}

/// The reference of a method with entries held still.
type Reference<'a> = Box<dyn Fn(Rows, &[Tuple], &dyn Fn(usize, usize) -> bool) -> Course + 'a>;

/// Every method that keeps constraints, with its reference.
fn constrained<'a>(rates: &'a [f64], batch: usize, margin: f64) -> Vec<(Method, Reference<'a>)> {
    let sgd = move |l1: f64, shrink_every: usize| -> Reference<'a> {
        Box::new(move |start, tuples, fixed| {
            let symmetric = false;
            let settings = sparse_sgd::Settings { rates, l1, shrink_every, margin, symmetric, batch, fixed };
            sparse_sgd::sparse_sgd(start, tuples, &settings)
        })
    };
    let adagrad: Reference<'a> = Box::new(move |start, tuples, fixed| {
        let settings = adagrad::Settings { rate: 0.3, delta: 1e-2, l1: 1e-4, margin, batch, fixed };
        adagrad::adagrad(start, tuples, &settings)
    });
    let ftrl: Reference<'a> = Box::new(move |start, tuples, fixed| {
        let settings = ftrl::Settings { alpha: 0.5, beta: 0.1, l1: 0.05, l2: 0.0, margin, batch, fixed };
        ftrl::ftrl(start, tuples, &settings)
    });
    let with = |params: serde_json::Value| {
        let mut params = params;
        params["margin"] = json!(margin);
        params["batch"] = json!(batch);
        params
    };
    vec![
        (method("sgd", with(json!({ "learning_rate": 5.0 }))), sgd(0.0, 1)),
        (method("sparse-sgd", with(json!({ "learning_rate": 5.0, "l1": 1e-3, "shrink_every": 9 }))), sgd(1e-3, 9)),
        (method("sparse-sgd", with(json!({ "learning_rate": 5.0, "l1": 0.05, "shrink_every": 30 }))), sgd(0.05, 30)),
        (method("adagrad", with(json!({ "learning_rate": 0.3, "initial_accumulator": 1e-2, "l1": 1e-4 }))), adagrad),
        (method("ftrl", with(json!({ "learning_rate": 0.5, "beta": 0.1, "l1": 0.05 }))), ftrl),
    ]
}

fn train(
    method: &Method,
    problem: &Problem<'_>,
    start: Start<'_>,
    constraints: &Constraints,
) -> qwd_core::Result<Trained> {
    method.train(problem, start, constraints, None, &mut Session::quiet(&ONE))
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn what_is_held_stays_and_the_rest_is_learned_around_it(
        seed: u64,
        (n_rows, n_cols, n_tuples) in (2usize..12, 2usize..12, 1usize..120),
        (from_identity, with_support) in (any::<bool>(), any::<bool>()),
        margin in 0.3f64..3.0,
        batch in prop_oneof![Just(1usize), 2..40usize],
    ) {
        let n_cols = if from_identity { n_rows } else { n_cols };
        let shape = Shape { n_query_words: n_rows, n_document_words: n_cols, ..square(n_rows, n_tuples) };
        let data = Data::random(seed, &shape);
        let constraints = random_constraints(seed ^ 3, [n_rows, n_cols], with_support);
        let start = if from_identity { identity(n_rows) } else { zeros(n_rows, n_cols) };
        let (start, fixed) = held(&constraints, start);
        let rates = rates(5.0, true, n_tuples);
        for (method, reference) in constrained(&rates, batch, margin) {
            if with_support && matches!(method.name(), "adagrad" | "ftrl") {
                continue;
            }
            let fixed = |s: usize, t: usize| fixed[s][t];
            let (n, expected) = surely(&data.plain.all(), |tuples| reference(start.clone(), tuples, &fixed));
            let from = if from_identity { Start::Identity } else { Start::Zero };
            let trained = train(&method, &data.first(n), from, &constraints).expect("trains");
            check_kept(&trained.matrix, &constraints)?;
            let tolerance = 1e-5 * (10.0 + largest(&expected));
            compare(&trained.matrix, &expected, tolerance)
                .map_err(|e| TestCaseError::fail(format!("{method:?}: {e}")))?;
        }
    }
}

/// A dense result keeps its pins as a sparse one does.
#[test]
fn pins_survive_a_dense_result() {
    let data = Data::random(2, &square(6, 400));
    let pinned = vec![(0, 1, 0.5), (5, 0, -3.0), (5, 5, 7.0), (3, 3, 0.0)];
    let constraints = Constraints { pinned, forbidden: vec![(4, 4)], support: None };
    for name in ["sgd", "adagrad", "ftrl"] {
        let trained = train(&method(name, json!({})), &data.problem(), Start::Identity, &constraints).expect("trains");
        assert_eq!(trained.matrix.name(), "dense");
        check_kept(&trained.matrix, &constraints).expect("kept");
    }
}

/// Going on without a penalty within the same constraints gives the bytes of one run.
#[test]
fn a_constrained_run_goes_on() {
    let data = Data::random(9, &square(20, 300));
    let constraints = random_constraints(1, [20, 20], true);
    let sgd = method("sgd", json!({ "learning_rate": 3.0 }));
    let whole = train(&sgd, &data.problem(), Start::Identity, &constraints).expect("trains");
    let half = train(&sgd, &data.first(131), Start::Identity, &constraints).expect("trains");
    let rest = data.part(&data.preferences[131..]);
    let both = train(&sgd, &rest, Start::Resume(&half.matrix, half.state.as_ref().expect("kept")), &constraints);
    assert_eq!(both.expect("trains"), whole);
}

#[test]
fn constraints_that_make_no_sense_are_refused() {
    let data = Data::random(9, &square(4, 10));
    let bad = [
        (Constraints { pinned: vec![(4, 0, 1.0)], ..Constraints::default() }, "a row too far"),
        (Constraints { pinned: vec![(0, 4, 1.0)], ..Constraints::default() }, "a column too far"),
        (Constraints { forbidden: vec![(9, 9)], ..Constraints::default() }, "a pair too far"),
        (Constraints { pinned: vec![(0, 1, 1.0), (0, 1, 2.0)], ..Constraints::default() }, "pinned twice"),
        (Constraints { pinned: vec![(0, 1, 1.0)], forbidden: vec![(0, 1)], ..Constraints::default() }, "both"),
        (Constraints { pinned: vec![(0, 1, f32::NAN)], ..Constraints::default() }, "not a number"),
        (Constraints { pinned: vec![(0, 1, f32::INFINITY)], ..Constraints::default() }, "infinite"),
        (Constraints { support: Some(Csr::empty(4)), ..Constraints::default() }, "a support of no rows"),
    ];
    for info in METHODS {
        for (constraints, what) in &bad {
            let error =
                train(&method(info.name, json!({})), &data.problem(), Start::Zero, constraints).expect_err(what);
            assert!(matches!(error, Error::BadData { .. } | Error::InvalidParam { .. }), "{}: {error:?}", info.name);
        }
    }
}

/// A method that cannot keep a constraint says so, and never forgets it silently.
#[test]
fn every_method_keeps_constraints_or_refuses_them() {
    let data = Data::random(9, &square(8, 100));
    let [pins, bans, support] = [
        Constraints { pinned: vec![(0, 1, 2.5)], ..Constraints::default() },
        Constraints { forbidden: vec![(0, 0), (3, 2)], ..Constraints::default() },
        random_constraints(1, [8, 8], true),
    ];
    for info in METHODS {
        for constraints in [&pins, &bans, &support] {
            match train(&method(info.name, json!({})), &data.problem(), Start::Identity, constraints) {
                Ok(trained) => check_kept(&trained.matrix, constraints).expect(info.name),
                Err(Error::InvalidParam { name, .. }) => {
                    let free = !matches!(info.name, "sgd" | "sparse-sgd" | "adagrad" | "ftrl");
                    let no_support = matches!(info.name, "adagrad" | "ftrl") && constraints.support.is_some();
                    assert!((free && name == "method") || (no_support && name == "support"), "{}: {name}", info.name);
                }
                Err(other) => panic!("{}: {other:?}", info.name),
            }
        }
    }
}
