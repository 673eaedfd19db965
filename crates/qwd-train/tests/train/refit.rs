//! Refitting against equation 8 of the sparse preference paper, and pruning.

use crate::common::{Data, ONE, cases, compare, largest, matrix_of, method, rows_of, square, surely, train};
use proptest::prelude::*;
use qwd_core::{Csr, Error};
use qwd_model::Matrix;
use qwd_testkit::bilinear::Rows;
use qwd_testkit::random::Dice;
use qwd_testkit::sparse_sgd::{Settings, rates, sparse_sgd};
use qwd_train::{RefitParams, Schedule, Session, Start, prune};
use serde_json::json;

/// A W with some entries that are not 0; symmetric if wanted.
fn sparse_weights(seed: u64, n: usize, share: f64, symmetric: bool) -> Rows {
    let mut dice = Dice::new(seed);
    let mut w = vec![vec![0.0; n]; n];
    for (s, t) in (0..n).flat_map(|s| (0..n).map(move |t| (s, t))) {
        if dice.unit() < share {
            w[s][t] = f64::from(dice.signed() as f32);
            if symmetric {
                w[t][s] = w[s][t];
            }
        }
    }
    w
}

proptest! {
    #![proptest_config(cases(400))]

    /// Only entries of the support change, none leaves it, and they change as equation 8 says.
    #[test]
    fn it_is_equation_8(
        seed: u64,
        (n_words, n_tuples) in (2usize..16, 1usize..160),
        constant in prop_oneof![Just(0.3), Just(200.0)],
        (decaying, symmetric) in (any::<bool>(), any::<bool>()),
        margin in 0.2f64..3.0,
        batch in prop_oneof![Just(1usize), 2..40usize],
        share in 0.05f64..0.9,
    ) {
        let data = Data::random(seed, &square(n_words, n_tuples));
        let start = sparse_weights(seed ^ 1, n_words, share, symmetric);
        let rates = rates(constant, decaying, n_tuples);
        let outside = |s: usize, t: usize| start[s][t] == 0.0;
        let settings = Settings { rates: &rates, l1: 0.0, shrink_every: 1, margin, symmetric, batch, fixed: &outside };
        let (n, expected) = surely(&data.plain.all(), |tuples| sparse_sgd(start.clone(), tuples, &settings));
        let schedule = if decaying { Schedule::Decaying } else { Schedule::Fixed };
        let batch = batch as u64;
        let params = RefitParams { learning_rate: constant, schedule, margin, symmetric, batch, prune_to: None };
        let refit = params.build().expect("good parameters");
        let refitted = refit.train(&data.first(n), &matrix_of(&start), &mut Session::quiet(&ONE)).expect("trains");
        let tolerance = 3e-6 * (1.0 + constant + largest(&expected));
        compare(&refitted.matrix, &expected, tolerance).map_err(TestCaseError::fail)?;
        for (row, of_start) in rows_of(&refitted.matrix).iter().zip(&start) {
            for (after, before) in row.iter().zip(of_start) {
                prop_assert_eq!(*after == 0.0, *before == 0.0);
            }
        }
    }

    #[test]
    fn pruning_keeps_the_largest(seed: u64, n_words in 1usize..12, share in 0.01f64..1.0, steps in 1u32..5) {
        // Few different sizes, so that there are ties.
        let mut dice = Dice::new(seed);
        let size = |dice: &mut Dice| f64::from(dice.below(2 * steps as usize + 1) as u32) - f64::from(steps);
        let w: Rows = (0..n_words).map(|_| (0..n_words).map(|_| size(&mut dice)).collect()).collect();
        let wanted = (share * (n_words * n_words) as f64).round() as usize;
        let mut places: Vec<(usize, usize)> = (0..n_words).flat_map(|s| (0..n_words).map(move |t| (s, t))).collect();
        places.retain(|&(s, t)| w[s][t] != 0.0);
        // A stable sort: ties stay in the order of their places.
        places.sort_by(|a, b| w[b.0][b.1].abs().total_cmp(&w[a.0][a.1].abs()));
        let mut expected = vec![vec![0.0; n_words]; n_words];
        for &(s, t) in places.iter().take(wanted) {
            expected[s][t] = w[s][t];
        }
        prop_assert_eq!(rows_of(&prune(&matrix_of(&w), share).expect("prunes")), expected);
    }
}

#[test]
fn pruning_keeps_its_share_of_equal_weights() {
    let kept = prune(&Matrix::identity(10).expect("small"), 0.05).expect("prunes");
    assert_eq!(kept.density(), 0.05);
    let weights: Vec<f32> = (1..=10).map(|w| w as f32).collect();
    let kept = prune(&Matrix::diagonal(weights).expect("finite"), 0.02).expect("prunes");
    assert_eq!(rows_of(&kept)[9][9], 10.0);
    assert_eq!(kept.density(), 0.02);
    let all = prune(&Matrix::dense(2, 2, vec![1.0, 2.0, 3.0, 4.0]).expect("finite"), 1.0).expect("prunes");
    assert_eq!(all.density(), 1.0);
}

/// A stored zero is not a non-zero entry: Ω = {(i, j) : W_ij ≠ 0}.
#[test]
fn a_stored_zero_is_outside_the_support() {
    let data = Data::small([1, 2], &[&[(0, 1.0)]], &[&[(0, 0.6), (1, 0.8)], &[]], &[(0, 0, 1, 1.0)]);
    let fitted = Matrix::sparse(Csr::from_parts(2, vec![0, 2], vec![0, 1], vec![0.5, 0.0]).expect("valid"));
    let refit = RefitParams { learning_rate: 1.0, ..RefitParams::default() }.build().expect("good parameters");
    let refitted = refit.train(&data.problem(), &fitted.expect("small"), &mut Session::quiet(&ONE)).expect("trains");
    compare(&refitted.matrix, &vec![vec![1.1, 0.0]], 1e-6).expect("only the first entry moves");
}

#[test]
fn refitting_lowers_the_loss_that_the_penalty_left() {
    let data = Data::random(5, &square(60, 3000));
    let sparse = method("sparse-sgd", json!({ "learning_rate": 20.0, "l1": 3e-3 }));
    let fitted = train(&sparse, &data.problem(), Start::Identity).expect("trains").matrix;
    let refit = RefitParams { learning_rate: 5.0, ..RefitParams::default() }.build().expect("good parameters");
    let refitted = refit.train(&data.problem(), &fitted, &mut Session::quiet(&ONE)).expect("trains").matrix;
    assert_eq!(refitted.density(), fitted.density());
    let loss = |w: &Matrix| {
        let w = rows_of(w);
        data.plain.all().iter().map(|tuple| tuple.loss(&w, 1.0)).sum::<f64>()
    };
    assert!(loss(&refitted) < 0.9 * loss(&fitted), "{} {}", loss(&refitted), loss(&fitted));
}

#[test]
fn bad_parameters_are_named() {
    let bad = [
        (RefitParams { learning_rate: 0.0, ..RefitParams::default() }, "learning_rate"),
        (RefitParams { margin: f64::NAN, ..RefitParams::default() }, "margin"),
        (RefitParams { batch: 0, ..RefitParams::default() }, "batch"),
        (RefitParams { prune_to: Some(0.0), ..RefitParams::default() }, "prune_to"),
        (RefitParams { prune_to: Some(1.5), ..RefitParams::default() }, "prune_to"),
    ];
    for (params, expected) in bad {
        match params.build() {
            Err(Error::InvalidParam { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
}
