//! Every form against the dense oracle.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use qwd_testkit::bilinear;

type Pairs = Vec<(u32, f32)>;

/// A low-rank matrix, rows of which are limited, of one of the six kinds.
fn low_rank() -> impl Strategy<Value = Matrix> {
    let numbers = || vec((-4i8..5).prop_map(f32::from), 9 * 10);
    (1usize..9, 1usize..9, 1usize..10, 0usize..9, 0usize..9, 0u8..6, numbers(), numbers()).prop_map(
        |(n_rows, n_cols, rank, n_u, n_v, kind, u, v)| {
            let is_square = kind > 0;
            let n_cols = if is_square { n_rows } else { n_cols };
            let diagonal = match kind {
                0..=2 => LowRankDiagonal::None,
                3 | 4 => LowRankDiagonal::Scaled(2.0),
                _ => LowRankDiagonal::Weights(v[80..80 + n_rows].to_vec()),
            };
            let v = v[..rank * n_v.min(n_cols)].to_vec();
            let u = u[..rank * n_u.min(n_rows)].to_vec();
            let v = if matches!(kind, 1 | 3) { None } else { Some(v) };
            Matrix::low_rank(LowRankParts { n_rows, n_cols, rank, u, v, diagonal }).expect("finite")
        },
    )
}

fn hashed() -> impl Strategy<Value = Matrix> {
    (1usize..9, 1usize..9, vec((-8i8..9).prop_map(f32::from), 1..40), proptest::option::of(-3i8..4)).prop_map(
        |(n_rows, n_cols, weights, identity)| {
            let n_cols = if identity.is_some() { n_rows } else { n_cols };
            Matrix::hashed(n_rows, n_cols, weights, identity.map(f32::from)).expect("finite")
        },
    )
}

/// Words in bins of a small matrix, each with shares that add up exactly.
fn binned() -> impl Strategy<Value = Matrix> {
    let bins = |n_bins: usize| {
        vec(vec((0..n_bins as u32, Just(0.5f32)), 0..3), 1..7).prop_map(move |rows| {
            let mut csr = Csr::empty(n_bins as u32);
            for row in rows {
                csr.push(SparseVec::from_pairs(row).expect("finite").view()).expect("in range");
            }
            Arc::new(csr)
        })
    };
    prop_oneof![low_rank(), hashed()].prop_flat_map(move |inner| {
        (bins(inner.n_rows()), bins(inner.n_cols())).prop_map(move |(of_queries, of_documents)| {
            Matrix::binned(of_queries, of_documents, inner.clone()).expect("bins of this matrix")
        })
    })
}

fn mixture() -> impl Strategy<Value = Matrix> {
    (vec((-8i8..9).prop_map(f32::from), 5), vec((-2i8..3).prop_map(f32::from), 3), vec(-4i8..5, 25)).prop_map(
        |(on_diagonal, weights, entries)| {
            let parts = [
                Matrix::identity(5),
                Matrix::diagonal(on_diagonal),
                Matrix::dense(5, 5, entries.into_iter().map(f32::from).collect()),
            ];
            let parts = weights.into_iter().zip(parts.map(|part| part.expect("finite"))).collect();
            Matrix::mixture(parts).expect("of one size")
        },
    )
}

/// A matrix and the same one written out.
fn matrix() -> impl Strategy<Value = (Matrix, bilinear::Rows)> {
    let weight = || -8i8..9;
    let identity = (1usize..9).prop_map(|n| Matrix::identity(n).expect("small"));
    let diagonal =
        vec(weight(), 1..9).prop_map(|w| Matrix::diagonal(w.into_iter().map(f32::from).collect()).expect("finite"));
    let dense = (1usize..9, 1usize..9).prop_flat_map(move |(n_rows, n_cols)| {
        vec(weight(), n_rows * n_cols)
            .prop_map(move |w| Matrix::dense(n_rows, n_cols, w.into_iter().map(f32::from).collect()).expect("finite"))
    });
    let sparse = (1u32..300).prop_flat_map(move |n_cols| {
        vec(vec((0..n_cols, weight()), 0..6), 1..9).prop_map(move |rows| {
            let mut csr = Csr::empty(n_cols);
            for row in rows {
                let pairs = row.into_iter().map(|(t, w)| (t, f32::from(w))).collect();
                csr.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
            }
            Matrix::sparse(csr).expect("small")
        })
    });
    let nested = prop_oneof![binned(), mixture()];
    prop_oneof![identity, diagonal, dense, sparse, low_rank(), hashed(), nested].prop_map(|m| {
        let row = |s| (0..m.n_cols() as u32).map(|t| f64::from(m.entry(s, t).expect("in range"))).collect();
        let rows = (0..m.n_rows() as u32).map(row).collect();
        (m, rows)
    })
}

fn vector(pairs: &Pairs, n: usize) -> SparseVec {
    SparseVec::from_pairs(pairs.iter().map(|&(i, v)| (i % n as u32, v)).collect()).expect("finite")
}

fn pairs() -> impl Strategy<Value = Pairs> {
    vec((0u32..300, (-8i8..9).prop_map(f32::from)), 0..12)
}

fn written_out(x: &SparseVec, n: usize) -> Vec<f64> {
    qwd_testkit::dense(x.view().indices(), x.view().values(), n)
}

proptest! {
    #[test]
    fn collisions_are_pairs_that_share_a_weight((n_rows, n_cols, n_weights) in (1usize..9, 1usize..9, 1usize..90)) {
        let Matrix::Hashed(m) = Matrix::hashed(n_rows, n_cols, vec![0.0; n_weights], None).expect("finite") else {
            panic!("a hashed matrix");
        };
        let pairs = || (0..n_rows as u32).flat_map(|s| (0..n_cols as u32).map(move |t| (s, t)));
        let shares = |(s, t)| pairs().filter(|&(a, b)| place(a, b, n_weights) == place(s, t, n_weights)).count() > 1;
        let expected = pairs().filter(|&pair| shares(pair)).count() as f64 / (n_rows * n_cols) as f64;
        prop_assert!((m.collision_rate() - expected).abs() < 1e-12, "{} {}", m.collision_rate(), expected);
    }

    #[test]
    fn score_expand_and_explain_equal_the_dense_ones((m, rows) in matrix(), q in pairs(), d in pairs()) {
        let (q, d) = (vector(&q, m.n_rows()), vector(&d, m.n_cols()));
        let (x, y) = (written_out(&q, m.n_rows()), written_out(&d, m.n_cols()));
        // All numbers are small integers, so every sum is exact.
        let score = m.score(q.view(), d.view()).expect("fits");
        prop_assert_eq!(score, bilinear::score(&rows, &x, &y));

        let expanded = bilinear::expand(&rows, m.n_cols(), &x);
        prop_assert_eq!(&written_out(&m.expand(q.view()).expect("fits"), m.n_cols()), &expanded);
        let mut buffer = vec![7.0; m.n_cols()];
        m.expand_into(q.view(), &mut buffer).expect("fits");
        prop_assert_eq!(buffer.iter().map(|&v| f64::from(v)).collect::<Vec<f64>>(), expanded);

        let reasons = m.explain(q.view(), d.view()).expect("fits");
        prop_assert!(reasons.is_sorted_by(|a, b| a.value.abs() >= b.value.abs()));
        prop_assert_eq!(reasons.iter().map(|r| f64::from(r.value)).sum::<f64>(), score);
        let mut parts: Vec<_> =
            reasons.iter().map(|r| (r.query as usize, r.document as usize, f64::from(r.value))).collect();
        parts.sort_by_key(|&(s, t, _)| (s, t));
        prop_assert_eq!(parts, bilinear::explain(&rows, &x, &y));
    }

    #[test]
    fn related_terms_are_the_strongest_of_a_row_or_column((m, rows) in matrix(), term in 0u32..300, k in 0usize..8) {
        for side in [Side::Query, Side::Document] {
            let term = term % m.n_terms(side) as u32;
            let mut expected: Vec<(u32, f64)> = match side {
                Side::Query => (0u32..).zip(rows[term as usize].iter().copied()).collect(),
                Side::Document => (0u32..).zip(rows.iter().map(|row| row[term as usize])).collect(),
            };
            expected.retain(|&(_, w)| w != 0.0);
            expected.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
            expected.truncate(k);
            let related = m.related(side, term, k).expect("in range");
            prop_assert_eq!(related.iter().map(|p| (p.term, f64::from(p.weight))).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn density_counts_what_is_not_zero((m, rows) in matrix()) {
        let n_nonzero = rows.iter().flatten().filter(|&&w| w != 0.0).count() as f64;
        let density = n_nonzero / (m.n_rows() * m.n_cols()) as f64;
        match m {
            // What follows from few weights may be 0 by chance.
            Matrix::LowRank(_) | Matrix::Mixture(_) => prop_assert!((density..=1.0).contains(&m.density())),
            Matrix::Binned(_) => prop_assert!((0.0..=1.0).contains(&m.density())),
            _ => prop_assert_eq!(m.density(), density),
        }
    }

    /// Promise 7: finite numbers at the edges of f32 give a finite number or an error.
    #[test]
    fn no_infinity_goes_out(w in edge(), x in edge(), y in edge()) {
        for m in [
            Matrix::identity(2),
            Matrix::diagonal(vec![w, -w]),
            Matrix::dense(2, 2, vec![w, w, -w, w]),
            Matrix::sparse(Csr::from_parts(2, vec![0, 2, 4], vec![0, 1, 0, 1], vec![w, w, -w, w]).expect("finite")),
            Matrix::hashed(2, 2, vec![w, -w, w], Some(w)),
            Matrix::low_rank(LowRankParts {
                n_rows: 2, n_cols: 2, rank: 1, u: vec![w, w], v: None, diagonal: LowRankDiagonal::Scaled(w),
            }),
            Matrix::mixture(vec![(w, Matrix::identity(2).expect("small")), (w, Matrix::diagonal(vec![w, w]).expect("finite"))]),
            Matrix::binned(
                Arc::new(Csr::from_parts(1, vec![0, 1, 2], vec![0, 0], vec![w, w]).expect("finite")),
                Arc::new(Csr::from_parts(1, vec![0, 1, 2], vec![0, 0], vec![w, -w]).expect("finite")),
                Matrix::diagonal(vec![w]).expect("finite"),
            ),
        ] {
            let m = m.expect("finite");
            let q = SparseVec::try_new(vec![0, 1], vec![x, y]).expect("finite");
            let score = m.score(q.view(), q.view());
            prop_assert!(score.is_ok_and(f64::is_finite) || matches!(m, Matrix::Binned(_)), "{:?}", m);
            for entry in [m.entry(0, 0), m.entry(0, 1)] {
                prop_assert!(entry.as_ref().map_or(true, |w| w.is_finite()), "{:?}", entry);
            }
            if let Ok(e) = m.expand(q.view()) {
                prop_assert!(e.view().values().iter().all(|v| v.is_finite()));
            }
            let mut buffer = [0.0; 2];
            if m.expand_into(q.view(), &mut buffer).is_ok() {
                prop_assert!(buffer.iter().all(|v| v.is_finite()));
            }
            if let Ok(reasons) = m.explain(q.view(), q.view()) {
                prop_assert!(reasons.iter().all(|r| r.value.is_finite()));
            }
        }
    }
}

fn edge() -> impl Strategy<Value = f32> {
    prop_oneof![
        Just(f32::MAX),
        Just(f32::MIN),
        Just(f32::MIN_POSITIVE),
        Just(f32::from_bits(1)),
        Just(-0.0),
        Just(1e20),
        Just(-1e20),
        any::<f32>().prop_filter("finite", |v| v.is_finite()),
    ]
}

#[test]
fn what_does_not_fit_is_an_error() {
    let m = Matrix::dense(2, 3, vec![1.0; 6]).expect("finite");
    let two = SparseVec::try_new(vec![2], vec![1.0]).expect("finite");
    let three = SparseVec::try_new(vec![3], vec![1.0]).expect("finite");
    let none = SparseVec::default();
    assert!(m.score(none.view(), two.view()).is_ok());
    for error in [
        m.score(two.view(), none.view()).expect_err("two rows"),
        m.score(none.view(), three.view()).expect_err("three columns"),
        m.explain(two.view(), none.view()).expect_err("two rows"),
        m.expand(two.view()).expect_err("two rows"),
        m.entry(0, 3).map(|_| ()).expect_err("three columns"),
        m.related(Side::Query, 2, 1).map(|_| ()).expect_err("two rows"),
        m.related(Side::Document, 3, 1).map(|_| ()).expect_err("three columns"),
        m.expand_into(none.view(), &mut [0.0; 2]).expect_err("three columns"),
    ] {
        assert!(!error.to_string().is_empty());
    }
    let error = m.entry(9, 0).expect_err("two rows");
    assert_eq!(
        error.to_string(),
        "query term 9 is beyond the model's 2 query terms; make the vector with the model's own vocabulary"
    );
}

#[test]
fn what_is_no_matrix_is_refused() {
    assert!(Matrix::diagonal(vec![1.0, f32::NAN]).is_err());
    assert!(Matrix::dense(1, 2, vec![1.0, f32::INFINITY]).is_err());
    assert!(Matrix::dense(2, 2, vec![1.0; 3]).is_err());
    assert!(Matrix::dense(1 << 28, 1 << 28, vec![]).is_err());
    assert!(Matrix::identity(MAX_TERMS + 1).is_err());
    assert!(Matrix::sparse(Csr::empty(u32::MAX)).is_err());
    assert!(Matrix::hashed(2, 2, vec![], None).is_err());
    assert!(Matrix::hashed(2, 3, vec![1.0], Some(1.0)).is_err());
    assert!(Matrix::hashed(2, 2, vec![1.0], Some(f32::NAN)).is_err());
    let good = LowRankParts {
        n_rows: 2,
        n_cols: 3,
        rank: 2,
        u: vec![1.0; 4],
        v: Some(vec![1.0; 6]),
        diagonal: LowRankDiagonal::None,
    };
    assert!(Matrix::low_rank(good.clone()).is_ok());
    for wrong in [
        LowRankParts { rank: 0, ..good.clone() },
        LowRankParts { rank: 3, ..good.clone() },
        LowRankParts { rank: 1 << 40, u: vec![], v: Some(vec![]), ..good.clone() },
        LowRankParts { u: vec![1.0; 6], ..good.clone() },
        LowRankParts { v: Some(vec![f32::NAN; 6]), ..good.clone() },
        LowRankParts { v: None, ..good.clone() },
        LowRankParts { diagonal: LowRankDiagonal::Scaled(1.0), ..good.clone() },
        LowRankParts { diagonal: LowRankDiagonal::Weights(vec![1.0; 2]), ..good.clone() },
        LowRankParts { n_cols: 2, v: None, diagonal: LowRankDiagonal::Weights(vec![1.0; 3]), ..good },
    ] {
        assert!(Matrix::low_rank(wrong.clone()).is_err(), "{wrong:?}");
    }
    let one = || Matrix::identity(1).expect("small");
    assert!(Matrix::mixture(vec![]).is_err());
    assert!(Matrix::mixture(vec![(1.0, one()), (1.0, Matrix::identity(2).expect("small"))]).is_err());
    assert!(Matrix::mixture(vec![(f32::NAN, one())]).is_err());
    assert!(Matrix::binned(Arc::new(Csr::empty(2)), Arc::new(Csr::empty(1)), one()).is_err());
    let mut deep = one();
    for _ in 1..MAX_DEPTH {
        deep = Matrix::mixture(vec![(1.0, deep)]).expect("not too deep");
    }
    assert!(Matrix::mixture(vec![(1.0, deep)]).is_err());
}
