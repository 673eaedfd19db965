//! Sparse projection, and W without a diagonal.

use crate::common::{Data, method, rows_of, square, train};
use qwd_testkit::tuples::zeros;
use qwd_train::{Constraints, Session, Start};
use serde_json::json;

#[test]
fn rows_keep_the_strongest_and_are_trained_on() {
    let data = Data::random(5, &square(30, 400));
    let sgd = method("sgd", json!({ "learning_rate": 5.0 }));
    let dense = train(&sgd, &data.problem(), Start::Identity).expect("trains");
    let fullest = rows_of(&dense.matrix).iter().map(|row| row.iter().filter(|w| **w != 0.0).count()).max();
    assert!(fullest > Some(6), "{fullest:?}");
    let mut steps = Vec::new();
    for drop in [json!(null), json!(2), json!(100)] {
        let params = json!({ "learning_rate": 5.0, "per_row": 4, "drop": drop });
        let trained = train(&method("sparse-projection", params), &data.problem(), Start::Identity).expect("trains");
        let rows = rows_of(&trained.matrix);
        assert!(rows.iter().all(|row| row.iter().filter(|w| **w != 0.0).count() <= 4));
        // Training goes on after the last drop: kept weights are not those of the dense W.
        assert_ne!(rows, zeros(30, 30));
        let kept =
            rows.iter().zip(rows_of(&dense.matrix)).flat_map(|(a, b)| a.iter().copied().zip(b).collect::<Vec<_>>());
        assert!(kept.filter(|(a, b)| *a != 0.0 && a != b).count() > 10);
        steps.push(trained.steps);
    }
    // Dropping two at a time takes more rounds than half of what is too much, and all at once takes one.
    assert!(steps[1] > steps[0] && steps[0] > steps[2] && steps[2] == 800, "{steps:?}");
}

/// One round by hand: dense SGD, the strongest of each row, SGD on that support.
#[test]
fn a_round_is_sgd_on_what_is_left() {
    let data = Data::random(6, &square(12, 150));
    let params = json!({ "learning_rate": 3.0, "per_row": 2, "drop": 100 });
    let trained = train(&method("sparse-projection", params), &data.problem(), Start::Zero).expect("trains");
    let sgd = method("sgd", json!({ "learning_rate": 3.0 }));
    let dense = rows_of(&train(&sgd, &data.problem(), Start::Zero).expect("trains").matrix);
    let mut kept = zeros(12, 12);
    for (row, out) in dense.iter().zip(&mut kept) {
        let mut order: Vec<usize> = (0..12).filter(|&t| row[t] != 0.0).collect();
        order.sort_by(|&a, &b| row[b].abs().total_cmp(&row[a].abs()).then(a.cmp(&b)));
        order.iter().take(2).for_each(|&t| out[t] = row[t]);
    }
    let start = crate::common::matrix_of(&kept);
    let qwd_model::Matrix::Sparse(support) = &start else { panic!("sparse") };
    let limits = Constraints { support: Some(support.csr().clone()), ..Constraints::default() };
    let mut session = Session::quiet(&crate::common::ONE);
    let again = sgd.train(&data.problem(), Start::Matrix(&start), &limits, None, &mut session).expect("trains");
    assert_eq!(rows_of(&trained.matrix), rows_of(&again.matrix));
}

#[test]
fn without_a_diagonal_only_other_words_match() {
    let data = Data::random(5, &square(15, 300));
    for (name, params) in [
        ("sgd", json!({ "learning_rate": 5.0, "zero_diagonal": true })),
        ("sparse-sgd", json!({ "learning_rate": 5.0, "zero_diagonal": true, "l1": 1e-6 })),
    ] {
        let w = rows_of(&train(&method(name, params), &data.problem(), Start::Identity).expect("trains").matrix);
        assert!((0..15).all(|i| w[i][i] == 0.0), "{name}");
        assert!(w.iter().flatten().filter(|x| **x != 0.0).count() > 50, "{name}");
    }
}
