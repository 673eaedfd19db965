//! The full scan against pairwise scores, and one query against many.

use super::*;
use crate::{LowRankDiagonal, LowRankParts};
use proptest::collection::vec;
use proptest::prelude::*;
use qwd_core::SparseVec;

fn rows(n_cols: u32, n_rows: usize, n_entries: usize) -> impl Strategy<Value = Csr> {
    vec(vec((0..n_cols, -1.0f32..1.0), 0..n_entries), 0..n_rows).prop_map(move |rows| {
        let mut csr = Csr::empty(n_cols);
        for pairs in rows {
            csr.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
        }
        csr
    })
}

proptest! {
    #[test]
    fn scans_equal_pairs_and_batches_equal_single_queries(
        w in rows(40, 30, 12),
        queries in rows(1, 20, 3),
        documents in rows(40, 50, 60),
        k in 0usize..60,
    ) {
        prop_assume!(w.n_rows() > 0);
        let matrix = Matrix::sparse(w).expect("small");
        let mut pooled = Vec::new();
        for n in [1, 2, 3] {
            let threads = Threads::new(n).expect("a pool");
            pooled.push(rank_all_batch(&matrix, &queries, &documents, k, &threads).expect("fits"));
        }
        prop_assert_eq!(&pooled[0], &pooled[1]);
        prop_assert_eq!(&pooled[0], &pooled[2]);
        for (query, ranking) in queries.rows().zip(&pooled[0]) {
            prop_assert_eq!(&rank_all(&matrix, query, &documents, k).expect("fits"), ranking);
            let scores = score_all(&matrix, query, &documents).expect("fits");
            for (d, &score) in documents.rows().zip(&scores) {
                let exact = matrix.score(query, d).expect("fits");
                prop_assert!((f64::from(score) - exact).abs() < 1e-5, "{} {}", score, exact);
            }
            let mut sorted: Vec<(usize, f32)> = scores.into_iter().enumerate().collect();
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            sorted.truncate(k);
            prop_assert_eq!(ranking.iter().map(|s| (s.item as usize, s.score)).collect::<Vec<_>>(), sorted);
        }
    }
}

#[test]
fn many_terms_score_to_the_same_bits_in_a_group() {
    let mut rng = qwd_core::Rng::new(5);
    let mut random = |n_rows: usize, n_entries: usize| {
        let mut csr = Csr::empty(500);
        for _ in 0..n_rows {
            let pairs = (0..n_entries).map(|_| (rng.below(500) as u32, rng.normal() as f32)).collect();
            csr.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
        }
        csr
    };
    let (w, queries, documents) = (random(500, 40), random(11, 30), random(70, 90));
    let mut numbers = |n: usize| (0..n).map(|_| rng.normal() as f32).collect::<Vec<f32>>();
    let (n_rows, n_cols, rank) = (500, 500, 13);
    let (u, v) = (numbers(400 * rank), Some(numbers(450 * rank)));
    let parts = LowRankParts { n_rows, n_cols, rank, u, v, diagonal: LowRankDiagonal::Scaled(0.5) };
    for matrix in [Matrix::sparse(w).expect("small"), Matrix::low_rank(parts).expect("small")] {
        let grouped = map_scores(&matrix, &queries, &documents, &Threads::default(), |_, s| s.to_vec()).expect("fits");
        for (query, scores) in queries.rows().zip(&grouped) {
            assert_eq!(&score_all(&matrix, query, &documents).expect("fits"), scores);
        }
    }
}

#[test]
fn documents_of_another_size_and_scores_out_of_range_are_errors() {
    let matrix = Matrix::diagonal(vec![f32::MAX; 3]).expect("finite");
    let mut documents = Csr::empty(3);
    let x = SparseVec::try_new(vec![0, 1], vec![1.0, 1.0]).expect("finite");
    documents.push(x.view()).expect("in range");
    assert!(score_all(&matrix, x.view(), &documents).is_err());
    assert!(rank_all_batch(&matrix, &documents, &documents, 1, &Threads::default()).is_err());
    assert!(score_all(&matrix, x.view(), &Csr::empty(4)).is_err());
    let zero = SparseVec::default();
    assert_eq!(score_all(&matrix, zero.view(), &documents).expect("fits"), [0.0]);
}
