//! Sorted and enumerated sums against pairs written out one by one.

use super::*;
use proptest::prelude::*;

struct Oracle {
    loss: f64,
    gradient: Vec<f64>,
    along: Along,
    product: Vec<f64>,
    squares: f64,
    counts: Vec<f64>,
    hinge: f64,
}

/// Everything, from a list of pairs.
fn oracle(set: &FeatureSet, s: &[f64], d: &[f64], margin: f64) -> Oracle {
    let n = s.len();
    let mut o = Oracle {
        loss: 0.0,
        gradient: vec![0.0; n],
        along: Along::default(),
        product: vec![0.0; n],
        squares: 0.0,
        counts: vec![0.0; n],
        hinge: 0.0,
    };
    for query in set.queries() {
        for i in query.clone() {
            for j in query.clone().filter(|&j| set.grades()[i] > set.grades()[j]) {
                let (missing, difference) = (margin - (s[i] - s[j]), d[i] - d[j]);
                o.squares += difference * difference;
                if missing > 0.0 {
                    o.loss += missing * missing;
                    o.gradient[i] -= missing;
                    o.gradient[j] += missing;
                    o.along.slope -= missing * difference;
                    o.along.curvature += difference * difference;
                    o.product[i] += difference;
                    o.product[j] -= difference;
                    o.counts[i] -= 1.0;
                    o.counts[j] += 1.0;
                    o.hinge += missing;
                }
            }
        }
    }
    o
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

fn all_close(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| close(*a, *b))
}

proptest! {
    #[test]
    fn sums_equal_those_over_written_pairs(
        documents in proptest::collection::vec((0i32..4, -20i32..20, -20i32..20), 2..60),
        cut in 1usize..59,
        margin in 0.01f64..3.0,
    ) {
        let n = documents.len();
        let grades: Vec<i32> = documents.iter().map(|d| d.0).collect();
        let queries = if cut < n { vec![("a".into(), cut), ("b".into(), n - cut)] } else { vec![("a".into(), n)] };
        let set = FeatureSet::from_parts(vec![], grades, queries).expect("fits");
        prop_assume!(set.n_ordered_queries() > 0);
        // Scores with many ties, none of them exactly a margin apart.
        let s: Vec<f64> = documents.iter().map(|d| f64::from(d.1) * 0.173).collect();
        let d: Vec<f64> = documents.iter().map(|d| f64::from(d.2) * 0.31).collect();
        let step = 0.37;
        let expected = oracle(&set, &s, &d, margin);
        let moved: Vec<f64> = s.iter().zip(&d).map(|(s, d)| s + step * d).collect();
        let expected_there = oracle(&set, &moved, &d, margin);
        for by_sorting in [false, true] {
            let pairs = Pairs::with_sorting(&set, Some(by_sorting)).expect("ordered");
            for threads in [1, 3] {
                let threads = Threads::new(threads).expect("pool");
                let mut out = vec![7.0; n];
                prop_assert!(close(pairs.gradient(&s, margin, &mut out, &threads), expected.loss));
                prop_assert!(all_close(&out, &expected.gradient));
                let along = pairs.along(&s, &d, step, margin, &threads);
                prop_assert!(close(along.slope, expected_there.along.slope));
                prop_assert!(close(along.curvature, expected_there.along.curvature));
                pairs.curvature_product(&s, &d, margin, &mut out, &threads);
                prop_assert!(all_close(&out, &expected.product));
                prop_assert!(close(pairs.hinge(&s, margin, &mut out, &threads), expected.hinge));
                prop_assert!(all_close(&out, &expected.counts));
                prop_assert!(close(pairs.squared_differences(&d, &threads), expected.squares));
            }
        }
    }
}

#[test]
fn chunks_add_up_to_the_same_bytes_at_any_number_of_threads() {
    let n_queries = 300;
    let grades: Vec<i32> = (0..n_queries * 50).map(|i| (i * 7 % 11) % 3).collect();
    let set =
        FeatureSet::from_parts(vec![], grades, (0..n_queries).map(|q| (q.to_string(), 50)).collect()).expect("fits");
    let pairs = Pairs::new(&set).expect("ordered");
    assert!(pairs.chunks.len() > 2);
    let s: Vec<f64> = (0..set.n_documents()).map(|i| ((i * 37) % 101) as f64 * 0.01).collect();
    let run = |n: usize| {
        let mut out = vec![0.0; s.len()];
        let loss = pairs.gradient(&s, 0.5, &mut out, &Threads::new(n).expect("pool"));
        (loss.to_bits(), out)
    };
    assert_eq!(run(1), run(4));
}
