//! Promise 12: fast equals naive. Every fast path has a slow twin on plain `Vec<f64>` and a property that they agree.
//!
//! The properties stand beside what they check; this file runs one through the whole: a model trained by the fast
//! engine scores as the paper's algorithm, written down in `qwd-testkit`, would; and ranks as a full sort does.
//!
//! | what | where |
//! |---|---|
//! | sparse vectors, kernels, top-k | `crates/qwd-core/src/{sparse,kernel,top_k}.rs` |
//! | tokenizers, weights, vocabularies | `crates/qwd-text/src/*_tests.rs` |
//! | every metric, to 1e-9 of pytrec_eval's | `crates/qwd-metrics/tests` |
//! | every form of W | `crates/qwd-model/src/matrix/tests.rs`, `rank_all_tests.rs` |
//! | every trainer | `crates/qwd-train/tests/train` |

use proptest::prelude::*;
use qwd_core::{Csr, SparseVec, Threads};
use qwd_model::Matrix;
use qwd_model::rank_all::{rank_all, rank_all_batch};

const WORDS: u32 = 12;

fn vector() -> impl Strategy<Value = SparseVec> {
    proptest::collection::vec((0..WORDS, -3i8..4), 0..8).prop_map(|pairs| {
        SparseVec::from_pairs(pairs.into_iter().map(|(i, v)| (i, f32::from(v))).collect()).expect("finite")
    })
}

fn rows(n: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Csr> {
    proptest::collection::vec(vector(), n).prop_map(|rows| {
        let mut csr = Csr::empty(WORDS);
        rows.iter().for_each(|row| csr.push(row.view()).expect("in range"));
        csr
    })
}

proptest! {
    #[test]
    fn a_ranking_equals_a_full_sort_of_naive_scores(w in rows(WORDS as usize), documents in rows(0..20), query in vector(), k in 0usize..25) {
        let dense: Vec<Vec<f64>> = w.rows().map(|row| qwd_testkit::dense(row.indices(), row.values(), WORDS as usize)).collect();
        let q = qwd_testkit::dense(query.view().indices(), query.view().values(), WORDS as usize);
        let mut naive: Vec<(usize, f64)> = documents.rows().map(|d| {
            let d = qwd_testkit::dense(d.indices(), d.values(), WORDS as usize);
            // A sum of nothing may be -0.0, which is no different from 0.
            qwd_testkit::bilinear::score(&dense, &q, &d) + 0.0
        }).enumerate().collect();
        naive.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        naive.truncate(k);

        let matrix = Matrix::sparse(w).expect("finite");
        let fast = rank_all(&matrix, query.view(), &documents, k).expect("fits");
        let fast: Vec<(usize, f64)> = fast.iter().map(|hit| (hit.item as usize, f64::from(hit.score))).collect();
        prop_assert_eq!(fast, naive);
    }

    #[test]
    fn many_queries_at_once_equal_one_by_one(w in rows(WORDS as usize), documents in rows(1..20), queries in rows(0..9)) {
        let matrix = Matrix::sparse(w).expect("finite");
        let one_by_one: Vec<_> = queries.rows().map(|q| rank_all(&matrix, q, &documents, 5).expect("fits")).collect();
        for n in [1, 3] {
            let threads = Threads::new(n).expect("threads");
            prop_assert_eq!(&rank_all_batch(&matrix, &queries, &documents, 5, &threads).expect("fits"), &one_by_one);
        }
    }
}
