//! The group lasso against a reference that takes every proximal step on all of W.

use crate::common::{Data, ONE, cases, compare, largest, method, rows_of, square, surely, train};
use proptest::prelude::*;
use qwd_core::{Error, Result};
use qwd_model::Matrix;
use qwd_testkit::group_lasso::{Settings, group_lasso};
use qwd_testkit::random::{Dice, Shape};
use qwd_testkit::sparse_sgd::rates;
use qwd_testkit::tuples::{identity, zeros};
use qwd_train::{Constraints, Hierarchy, Method, Session, Start};
use serde_json::json;

/// A random tree of groups: the group of each word and the parent of each group, and the rows of each group with the
/// inner ones first.
fn random_tree(seed: u64, n_words: usize, n_groups: usize) -> (Hierarchy, Vec<Vec<usize>>) {
    let mut dice = Dice::new(seed);
    let parent_of: Vec<Option<u32>> =
        (0..n_groups).map(|g| (g > 0 && dice.unit() < 0.6).then(|| dice.below(g) as u32)).collect();
    let group_of: Vec<Option<u32>> =
        (0..n_words).map(|_| (n_groups > 0 && dice.unit() < 0.8).then(|| dice.below(n_groups) as u32)).collect();
    let mut groups: Vec<Vec<usize>> = (0..n_words).map(|s| vec![s]).collect();
    for g in (0..n_groups as u32).rev() {
        let inside = |s: &usize| {
            let mut at = group_of[*s];
            while at.is_some_and(|at| at != g) {
                at = at.and_then(|at| parent_of[at as usize]);
            }
            at == Some(g)
        };
        groups.push((0..n_words).filter(inside).collect());
    }
    (Hierarchy::try_new(group_of, parent_of).expect("parents come first"), groups)
}

fn train_groups(method: &Method, data: &Data, n: usize, start: Start<'_>, tree: Option<&Hierarchy>) -> Result<Matrix> {
    let trained = method.train(&data.first(n), start, &Constraints::default(), tree, &mut Session::quiet(&ONE))?;
    Ok(trained.matrix)
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn it_is_proximal_sgd(
        seed: u64,
        (n_rows, n_cols, n_tuples) in (2usize..14, 2usize..14, 1usize..160),
        from_identity: bool,
        (constant, decaying) in (prop_oneof![Just(0.3), Just(5.0), Just(200.0)], any::<bool>()),
        group_l1 in prop_oneof![Just(0.0), 1e-5..1e-3, 1e-3..3e-2],
        shrink_every in prop_oneof![Just(1usize), 2..30usize, Just(100)],
        margin in 0.2f64..3.0,
        n_groups in prop_oneof![Just(None), (0usize..7).prop_map(Some)],
    ) {
        let n_cols = if from_identity { n_rows } else { n_cols };
        let shape = Shape { n_query_words: n_rows, n_document_words: n_cols, ..square(n_rows, n_tuples) };
        let data = Data::random(seed, &shape);
        let rates = rates(constant, decaying, n_tuples);
        let (tree, groups) = random_tree(seed ^ 7, n_rows, n_groups.unwrap_or(0));
        let settings = Settings { rates: &rates, group_l1, shrink_every, margin, groups: &groups };
        let start = if from_identity { identity(n_rows) } else { zeros(n_rows, n_cols) };
        let (n, expected) = surely(&data.plain.all(), |tuples| group_lasso(start.clone(), tuples, &settings));
        let method = method("group-lasso", json!({
            "learning_rate": constant,
            "schedule": if decaying { "decaying" } else { "fixed" },
            "group_l1": group_l1,
            "shrink_every": shrink_every,
            "margin": margin,
        }));
        let start = if from_identity { Start::Identity } else { Start::Zero };
        let matrix = train_groups(&method, &data, n, start, n_groups.map(|_| &tree)).expect("trains");
        // A row whose norm comes near the threshold is scaled by a difference of nearly equal numbers.
        let tolerance = 1e-5 * (1.0 + constant + largest(&expected));
        compare(&matrix, &expected, tolerance).map_err(TestCaseError::fail)?;
    }
}

/// Whole rows go, and more of them as the penalty grows.
#[test]
fn rows_vanish_as_the_penalty_grows() {
    let data = Data::random(11, &Shape { n_queries: 200, ..square(40, 3000) });
    let mut left = Vec::new();
    for group_l1 in [0.0, 1e-4, 1e-3, 3e-3, 5e-3, 7e-3, 1e-2, 1e-1] {
        let lasso = method("group-lasso", json!({ "learning_rate": 20.0, "group_l1": group_l1 }));
        let w = rows_of(&train(&lasso, &data.problem(), Start::Zero).expect("trains").matrix);
        left.push(w.iter().filter(|row| row.iter().any(|w| *w != 0.0)).count());
    }
    assert!(left.is_sorted_by(|a, b| a >= b), "{left:?}");
    assert!(left[0] > 35 && left[7] == 0 && left.iter().any(|n| (5..30).contains(n)), "{left:?}");
}

/// With a hierarchy, whole branches go: a word that would stay alone goes with a branch that is not worth its penalty.
#[test]
fn branches_vanish_together() {
    let n = 12;
    let data = Data::random(4, &Shape { n_queries: 200, skew: 3.0, ..square(n, 2000) });
    let group_of = (0..n as u32).map(|s| Some(s / 4)).collect();
    let tree = Hierarchy::try_new(group_of, vec![None; 3]).expect("three groups");
    let mut seen = Vec::new();
    for group_l1 in [1e-4, 1e-3, 3e-3, 1e-2, 2e-2, 3e-2, 5e-2] {
        let lasso = method("group-lasso", json!({ "learning_rate": 5.0, "group_l1": group_l1, "shrink_every": 50 }));
        let w = rows_of(&train_groups(&lasso, &data, 2000, Start::Zero, Some(&tree)).expect("trains"));
        let stays: Vec<bool> = w.iter().map(|row| row.iter().any(|w| *w != 0.0)).collect();
        seen.push(stays.chunks(4).map(|branch| branch.contains(&true)).collect::<Vec<_>>());
    }
    let n_branches = |branches: &Vec<bool>| branches.iter().filter(|b| **b).count();
    assert!(seen.is_sorted_by(|a, b| n_branches(a) >= n_branches(b)), "{seen:?}");
    assert!(seen.iter().any(|b| [1, 2].contains(&n_branches(b))), "{seen:?}");
    assert_eq!((n_branches(&seen[0]), n_branches(&seen[6])), (3, 0), "{seen:?}");
}

/// A period longer than the data is an ordinary wish; blocks stay short.
#[test]
fn a_long_period_costs_no_memory() {
    let data = Data::random(8, &square(10, 60_000));
    let lasso = method("group-lasso", json!({ "learning_rate": 0.1, "shrink_every": u64::MAX }));
    let unpenalised = method("sgd", json!({ "learning_rate": 0.1 }));
    let a = train(&lasso, &data.problem(), Start::Identity).expect("trains").matrix;
    let b = train(&unpenalised, &data.problem(), Start::Identity).expect("trains").matrix;
    assert_eq!(rows_of(&a), rows_of(&b));
}

#[test]
fn broken_hierarchies_are_refused() {
    let refused = |group_of, parent_of| matches!(Hierarchy::try_new(group_of, parent_of), Err(Error::BadData { .. }));
    assert!(refused(vec![Some(1)], vec![None]), "an unknown group");
    assert!(refused(vec![Some(0)], vec![Some(0)]), "its own parent");
    assert!(refused(vec![Some(0)], vec![Some(1), None]), "a parent that comes later");
    let data = Data::random(1, &square(5, 10));
    let tree = Hierarchy::try_new(vec![None; 4], vec![]).expect("no groups");
    let lasso = method("group-lasso", json!({}));
    let error = train_groups(&lasso, &data, 10, Start::Zero, Some(&tree)).expect_err("four words of five");
    assert!(error.to_string().contains("4 words, W has 5 rows"), "{error}");
    let error = train_groups(&method("sgd", json!({})), &data, 10, Start::Zero, Some(&tree)).expect_err("not its");
    assert!(error.to_string().contains("group-lasso"), "{error}");
}
