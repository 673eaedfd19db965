//! Dense and sparse rows are one thing to all methods.

use crate::test_data::{Job, TestData};
use crate::{Constraints, Method, RefitParams};
use qwd_core::{Csr, Threads};
use qwd_model::Matrix;
use serde_json::json;
use std::cell::Cell;

thread_local! {
    /// What dense rows may take in a test, in place of the usual budget.
    pub(super) static DENSE_BYTES: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A checkerboard.
fn support(n: u32) -> Csr {
    let indptr = (0..=u64::from(n)).map(|s| s * u64::from(n / 2)).collect();
    let indices: Vec<u32> = (0..n).flat_map(|s| (0..n / 2).map(move |t| 2 * t + s % 2)).collect();
    let values = vec![0.5; indices.len()];
    Csr::from_parts(n, indptr, indices, values).expect("valid")
}

#[test]
fn all_rows_sparse_all_dense_or_mixed_give_the_same_bytes() {
    let n = 150;
    let data = TestData::new(n as usize, 500, 8, 14);
    let pins =
        Constraints { pinned: vec![(0, 0, 2.0), (140, 3, -1.0)], forbidden: vec![(1, 1), (2, 140)], support: None };
    let within = Constraints { support: Some(support(n)), ..pins.clone() };
    let constrained = |name: &str, params: serde_json::Value, constraints: &Constraints| {
        Job::Method(Method::from_json(name, params).expect("a method"), constraints.clone())
    };
    let jobs = [
        Job::free("sgd", json!({ "learning_rate": 20.0 })),
        Job::free("sgd", json!({ "learning_rate": 20.0, "symmetric": true })),
        Job::free("sgd", json!({ "learning_rate": 2.0, "batch": 40 })),
        Job::free("sparse-sgd", json!({ "learning_rate": 20.0, "l1": 3e-3, "shrink_every": 64 })),
        Job::free("sparse-sgd", json!({ "learning_rate": 20.0, "l1": 3e-3, "shrink_every": 1 })),
        Job::free("sparse-sgd", json!({ "learning_rate": 20.0, "shrink_every": 20, "density": 0.05 })),
        Job::free("adagrad", json!({ "l1": 1e-3 })),
        Job::free("adagrad", json!({ "l1": 1e-3, "batch": 16 })),
        Job::free("ftrl", json!({ "l1": 0.1 })),
        Job::free("group-lasso", json!({ "learning_rate": 20.0, "group_l1": 1e-3, "shrink_every": 30 })),
        constrained("sgd", json!({ "learning_rate": 20.0 }), &pins),
        constrained("sparse-sgd", json!({ "learning_rate": 20.0, "l1": 3e-3 }), &within),
        constrained("adagrad", json!({}), &pins),
        constrained("ftrl", json!({}), &pins),
        Job::Refit(
            RefitParams { learning_rate: 5.0, ..RefitParams::default() },
            Matrix::sparse(support(n)).expect("small"),
        ),
    ];
    let one = Threads::default();
    for job in &jobs {
        DENSE_BYTES.set(None);
        let dense = data.bytes(job, &one);
        // No dense row, one, about a third of them.
        for bytes in [0, 4 * 200, 4 * 160 * 50] {
            DENSE_BYTES.set(Some(bytes));
            assert!(data.bytes(job, &one) == dense, "{}: {bytes} bytes of dense rows", job.name());
        }
    }
    DENSE_BYTES.set(None);
}
