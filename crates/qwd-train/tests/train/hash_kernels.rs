//! Hash kernels against SGD on the shared weights written out.

use crate::common::{Data, cases, compare, largest, method, rows_of, square, surely, train};
use proptest::prelude::*;
use qwd_model::Matrix;
use qwd_testkit::bilinear::Rows;
use qwd_testkit::tuples::{Course, Tuple, zeros};
use qwd_train::Start;
use serde_json::json;

/// h(s, t), with the prime of FORMAT.md.
fn place(s: usize, t: usize, n_weights: usize) -> usize {
    ((s as u128 * 2_654_435_761 + t as u128) % n_weights as u128) as usize
}

fn product(weights: &[f64], alpha: f64, n: usize) -> Rows {
    let mut w = zeros(n, n);
    for (s, row) in w.iter_mut().enumerate() {
        for (t, entry) in row.iter_mut().enumerate() {
            *entry = weights[place(s, t, weights.len())] + if s == t { alpha } else { 0.0 };
        }
    }
    w
}

/// The algorithm written out; α is learned where it is not 0 at first.
fn hash_kernels(tuples: &[Tuple], n: usize, n_weights: usize, rate: f64, mut alpha: f64, batch: usize) -> Course {
    let mut weights = vec![0.0; n_weights];
    let learned = alpha != 0.0;
    let mut first_doubt = None;
    for (b, block) in tuples.chunks(batch).enumerate() {
        let w = product(&weights, alpha, n);
        for (i, tuple) in block.iter().enumerate() {
            let (missing, scale) = tuple.missing(&w, 1.0);
            if missing.abs() < 3e-5 * scale && first_doubt.is_none() {
                first_doubt = Some(b * batch + i);
            }
            if missing <= 0.0 {
                continue;
            }
            for s in 0..n {
                for t in 0..n {
                    let step = rate * tuple.weight * tuple.query[s] * tuple.difference[t];
                    weights[place(s, t, n_weights)] += step;
                    alpha += if s == t && learned { step } else { 0.0 };
                }
            }
        }
    }
    Course { weights: product(&weights, alpha, n), first_doubt }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn it_is_sgd_on_shared_weights(
        seed: u64,
        (n_words, n_tuples, n_weights) in (1usize..10, 1usize..60, 1usize..120),
        (rate, batch, from_identity) in (0.05f64..2.0, 1usize..5, any::<bool>()),
    ) {
        let data = Data::random(seed, &square(n_words, n_tuples));
        let alpha = if from_identity { 1.0 } else { 0.0 };
        let (n, expected) = surely(&data.plain.all(), |tuples| {
            hash_kernels(tuples, n_words, n_weights, rate, alpha, batch)
        });
        let method = method("hash-kernels", json!({ "weights": n_weights, "learning_rate": rate, "batch": batch }));
        let start = if from_identity { Start::Identity } else { Start::Zero };
        let trained = train(&method, &data.first(n), start).expect("trains");
        compare(&trained.matrix, &expected, 2e-5 * (1.0 + largest(&expected))).map_err(TestCaseError::fail)?;
    }
}

#[test]
fn a_fixed_weight_of_the_identity_stays() {
    let data = Data::random(3, &square(8, 100));
    let method = method("hash-kernels", json!({ "weights": 1000, "learn_identity": false, "identity_weight": 0.5 }));
    let trained = train(&method, &data.problem(), Start::Identity).expect("trains");
    let Matrix::Hashed(hashed) = &trained.matrix else { panic!("a hashed W") };
    assert_eq!(hashed.identity(), Some(0.5));
    assert!(rows_of(&trained.matrix).iter().flatten().any(|w| *w != 0.0 && *w != 0.5));
    let rectangular = Data::small([2, 3], &[&[(0, 1.0)]], &[&[(2, 1.0)], &[]], &[(0, 0, 1, 1.0)]);
    let without = train(&method, &rectangular.problem(), Start::Zero).expect("two vocabularies");
    assert!(rows_of(&without.matrix)[0][2] > 0.0);
}
