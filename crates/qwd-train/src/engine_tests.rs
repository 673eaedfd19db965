//! Several threads really work on a pass, and change no bit.

use crate::RefitParams;
use crate::test_data::{Job, TestData};
use qwd_core::{Csr, Threads};
use qwd_model::Matrix;
use serde_json::json;
use std::cell::Cell;

thread_local! {
    /// Passes that were shared among threads, counted on the thread that trains.
    pub(super) static PARALLEL_PASSES: Cell<usize> = const { Cell::new(0) };
}

#[test]
fn the_same_bytes_at_any_number_of_threads() {
    let n = 400;
    let data = TestData::new(n as usize, 600, 160, 100);
    let support = Csr::from_parts(
        n,
        (0..=400).map(|s| s * 200).collect(),
        (0..400 * 200).map(|i| i % 200 * 2).collect(),
        vec![0.1; 400 * 200],
    );
    let support = Matrix::sparse(support.expect("valid")).expect("small");
    let jobs = [
        Job::free("sgd", json!({ "learning_rate": 5.0 })),
        Job::free("sgd", json!({ "learning_rate": 5.0, "symmetric": true })),
        Job::free("sgd", json!({ "learning_rate": 0.5, "batch": 200 })),
        Job::free("sparse-sgd", json!({ "learning_rate": 5.0, "l1": 1e-2 })),
        Job::free("sparse-sgd", json!({ "learning_rate": 5.0, "density": 0.1 })),
        Job::free("sparse-sgd", json!({ "learning_rate": 0.5, "l1": 1e-3, "batch": 100 })),
        Job::free("adagrad", json!({ "l1": 1e-3, "batch": 128 })),
        Job::free("ftrl", json!({ "l1": 0.1, "batch": 128 })),
        Job::free("group-lasso", json!({ "learning_rate": 5.0, "group_l1": 1e-3 })),
        Job::Refit(RefitParams { learning_rate: 0.5, batch: 128, ..RefitParams::default() }, support),
    ];
    for job in &jobs {
        PARALLEL_PASSES.set(0);
        let expected = data.bytes(job, &Threads::new(1).expect("threads"));
        assert_eq!(PARALLEL_PASSES.get(), 0, "{}: one thread needs no other", job.name());
        for n in [2, 3, 8] {
            PARALLEL_PASSES.set(0);
            let bytes = data.bytes(job, &Threads::new(n).expect("threads"));
            assert!(PARALLEL_PASSES.get() >= 2, "{}: {} shared passes", job.name(), PARALLEL_PASSES.get());
            assert!(bytes == expected, "{} at {n} threads", job.name());
        }
    }
}

#[test]
fn small_passes_stay_on_one_thread() {
    PARALLEL_PASSES.set(0);
    TestData::new(50, 300, 5, 5).bytes(&Job::free("sgd", json!({})), &Threads::new(2).expect("threads"));
    assert_eq!(PARALLEL_PASSES.get(), 0);
}
