//! RMLS against the plain twin, its objective, its degenerate solution and what it refuses.

use super::*;
use crate::cross_product::Kept;
use crate::rmls_rule::threshold_for;
use proptest::prelude::*;
use qwd_core::kernel::shrink;
use qwd_core::{Csr, Rng, SparseVec};
use qwd_testkit::bilinear::Rows;
use qwd_testkit::rmls as twin;

/// A random graph: features at least 0, about two documents a query.
struct Graph {
    queries: Csr,
    documents: Csr,
    response: Csr,
}

impl Graph {
    fn random(seed: u64, [n_queries, n_documents]: [usize; 2], [d_x, d_y]: [usize; 2]) -> Self {
        let mut rng = Rng::new(seed);
        let mut rows = |n: usize, width: usize, per_row: usize| {
            let mut csr = Csr::empty(width as u32);
            for _ in 0..n {
                let pairs = (0..rng.below(per_row + 1)).map(|_| (rng.below(width) as u32, rng.unit() as f32 + 0.1));
                csr.push(SparseVec::from_pairs(pairs.collect()).expect("finite").view()).expect("in range");
            }
            csr
        };
        let (queries, documents) = (rows(n_queries, d_x, 4), rows(n_documents, d_y, 5));
        Self { response: rows(n_queries, n_documents, 3), queries, documents }
    }

    fn problem(&self) -> ClickProblem<'_> {
        ClickProblem { queries: &self.queries, documents: &self.documents, response: &self.response }
    }

    fn plain(&self) -> Rows {
        let dense = |csr: &Csr| -> Rows {
            csr.rows().map(|r| qwd_testkit::dense(r.indices(), r.values(), csr.n_cols() as usize)).collect()
        };
        let responses = self.response.rows().enumerate();
        let responses = responses.flat_map(|(i, row)| row.iter().map(move |(j, r)| (i, j as usize, f64::from(r))));
        twin::cross_product(&dense(&self.queries), &dense(&self.documents), &responses.collect::<Vec<_>>())
    }
}

fn plain(rows: &LatentRows) -> Rows {
    let mut out = vec![vec![0.0; rows.width()]; rows.n_rows()];
    for (i, out) in out.iter_mut().enumerate() {
        rows.visit(i, |z, x| out[z] = f64::from(x));
    }
    out
}

fn assert_near(a: &Rows, b: &Rows, tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() < tolerance, "row {i}: {a:?} {b:?}");
        }
    }
}

fn params(rank: usize) -> RmlsParams {
    let bounds = RmlsParams { bound_query: 2.0, bound_document: 1.7, ..RmlsParams::default() };
    RmlsParams { rank, iterations: 3, tolerance: 0.0, centred: false, ..bounds }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// One turn after another, both forms, M kept in each way.
    #[test]
    fn equals_the_plain_algorithm(seed in 0u64..1000, penalised: bool, kept in 0usize..3, turns in 1usize..4) {
        let graph = Graph::random(seed, [12, 9], [10, 8]);
        prop_assume!(graph.problem().check().is_ok());
        let threads = Threads::new(2).expect("threads");
        let kept = [Kept::Whole, Kept::TwoFactors, Kept::ThreeFactors][kept];
        let product = CrossProduct::kept_as(kept, &graph.problem(), &threads).expect("a graph");
        let m = graph.plain();
        prop_assume!(m.iter().flatten().any(|&x| x > 0.0));
        let form = if penalised { Form::Penalised } else { Form::Constrained };
        let (l1_query, l1_document) = (0.002, 0.001);
        let rmls = RmlsParams { form, l1_query, l1_document, length_query: 0.5, bound_query: 1.0, iterations: turns, ..params(6) }
            .build().expect("good");
        let start = plain(&rmls.random_rows(8, rmls.rules()[1], &threads).expect("small"));
        let bounds = if penalised {
            [twin::Bound::Charge(l1_query), twin::Bound::Charge(l1_document)]
        } else {
            [twin::Bound::Sum(1.0), twin::Bound::Sum(1.7)]
        };
        let expected = twin::rmls(&m, start, bounds, [0.5, 1.0], turns);
        let Ok((mapping, _)) = rmls.run(&product, &mut Session::quiet(&threads), None) else {
            // All rows may vanish, and words may fall into one direction.
            return Ok(());
        };
        if mapping.course.len() == turns {
            assert_near(&plain(&mapping.queries), &expected.0, 2e-4);
            assert_near(&plain(&mapping.documents), &expected.1, 2e-4);
        }
    }

    /// What is minimised never rises, it is what the definition says, and all bounds hold.
    #[test]
    fn the_objective_never_rises(seed in 0u64..1000, penalised: bool) {
        let graph = Graph::random(seed, [40, 30], [25, 20]);
        let form = if penalised { Form::Penalised } else { Form::Constrained };
        let rmls = RmlsParams { form, iterations: 6, l1_query: 1e-3, l1_document: 2e-3, ..params(8) }.build().expect("good");
        let threads = Threads::default();
        let Ok(mapping) = rmls.fit(&graph.problem(), &mut Session::quiet(&threads)) else { return Ok(()) };
        let values = mapping.course.iter().flat_map(|seen| [seen.after_queries, seen.after_documents]);
        let values: Vec<f64> = values.collect();
        let slack = 1e-6 * values[0].abs();
        prop_assert!(values.windows(2).all(|w| w[1] <= w[0] + slack), "{:?}", values);
        let (x, y) = (plain(&mapping.queries), plain(&mapping.documents));
        let sum = |rows: &Rows| rows.iter().flatten().map(|x| x.abs()).sum::<f64>();
        let charge = if penalised { 1e-3 * sum(&x) + 2e-3 * sum(&y) } else { 0.0 };
        let expected = -twin::alignment(&graph.plain(), &x, &y) + charge;
        prop_assert!((values[values.len() - 1] - expected).abs() < 1e-4 * expected.abs(), "{:?} {}", values, expected);
        for (rows, bound) in [(&x, 2.0), (&y, 1.7)] {
            for row in rows.iter() {
                let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
                prop_assert!(length == 0.0 || penalised && (length - 1.0).abs() < 1e-5 || length < 1.00001);
                prop_assert!(penalised || row.iter().map(|x| x.abs()).sum::<f64>() < bound + 1e-4);
            }
        }
    }

    /// The threshold leaves a row whose sum is the ratio times its length, or there was nothing to take off.
    #[test]
    fn thresholds_meet_the_bound(row in proptest::collection::vec(-50i32..50, 2..40), ratio in 1.05f64..4.0) {
        let row: Vec<f32> = row.into_iter().map(|x| x as f32 / 7.0).collect();
        let t = threshold_for(&row, ratio);
        let left: Vec<f64> = row.iter().map(|&x| f64::from(shrink(x, t).abs())).collect();
        let (sum, length) = (left.iter().sum::<f64>(), left.iter().map(|x| x * x).sum::<f64>().sqrt());
        let at_most = row.iter().fold(0.0f32, |a, x| a.max(x.abs()));
        let n_largest = row.iter().filter(|x| x.abs() == at_most).count() as f64;
        if t == 0.0 {
            prop_assert!(sum <= ratio * length + 1e-4);
        } else if n_largest.sqrt() < ratio {
            prop_assert!((sum - ratio * length).abs() < 1e-3 * sum, "{} {} {}", t, sum, length);
        } else {
            // Equal numbers: no threshold can, but what is left must not be nothing.
            prop_assert!(length > 0.0);
        }
    }
}

#[test]
fn the_bytes_are_the_same_at_any_number_of_threads() {
    let graph = Graph::random(5, [900, 700], [600, 500]);
    for form in [Form::Constrained, Form::Penalised] {
        let rmls = RmlsParams { form, ..params(16) }.build().expect("good");
        let fit = |n| {
            let threads = Threads::new(n).expect("threads");
            rmls.fit(&graph.problem(), &mut Session::quiet(&threads)).expect("fits")
        };
        let one = fit(1);
        assert!([2, 3, 8].into_iter().all(|n| fit(n) == one), "{form:?}");
    }
}

/// Appendix A: with features that are never negative, more turns bring all words into one direction.
#[test]
fn a_degenerate_solution_is_found_out() {
    let mut graph = Graph::random(7, [200, 200], [20, 20]);
    let rmls = RmlsParams { iterations: 1000, ..params(4) }.build().expect("good");
    let fit = |graph: &Graph| rmls.fit(&graph.problem(), &mut Session::quiet(&Threads::default()));
    let error = fit(&graph).expect_err("all one").to_string();
    assert!(error.contains("degenerate") && error.contains("take fewer iterations"), "{error}");
    // Centred, they have something to tell apart.
    let centred = RmlsParams { centred: true, iterations: 20, ..params(4) }.build().expect("good");
    let mapping = centred.fit(&graph.problem(), &mut Session::quiet(&Threads::default())).expect("several directions");
    assert!(mapping.course.iter().all(|seen| seen.collapse < 0.5), "{:?}", mapping.course);
    // Two halves of the graph that never meet may have a direction each.
    let halves = |csr: &Csr, width: u32| {
        let mut out = Csr::empty(width);
        for (i, row) in csr.rows().enumerate() {
            let half = width as usize / 2;
            out.push(row.within(if i % 2 == 0 { 0..half } else { half..width as usize }).to_owned().view())
                .expect("fits");
        }
        out
    };
    (graph.queries, graph.documents) = (halves(&graph.queries, 20), halves(&graph.documents, 20));
    let mut of_own_half = Csr::empty(200);
    for (i, row) in (0u32..).zip(graph.response.rows()) {
        let pairs = row.iter().map(|(j, r)| ((j & !1) | (i & 1), r)).collect();
        of_own_half.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
    }
    graph.response = of_own_half;
    assert!(fit(&graph).expect("two directions").course.iter().all(|seen| seen.collapse < 0.9));
}

#[test]
fn a_charge_that_leaves_nothing_is_explained() {
    let graph = Graph::random(5, [90, 70], [60, 50]);
    let fit = |l1_query| {
        let params = RmlsParams { form: Form::Penalised, l1_query, iterations: 1, ..params(8) };
        params.build().expect("good").fit(&graph.problem(), &mut Session::quiet(&Threads::default()))
    };
    let error = fit(1e6).expect_err("nothing is left");
    let Error::InvalidParam { name, expected, .. } = &error else { panic!("{error:?}") };
    assert_eq!(name, "l1_query");
    let number = |before: &str| -> f64 {
        let text = expected.split(before).next().expect("before").rsplit([' ', ';']).find(|s| !s.is_empty());
        text.expect("a number").parse().expect("a number")
    };
    let kept = |l1: f64| {
        let queries = fit(l1).expect("something is left").queries;
        let mut n = 0;
        for i in 0..queries.n_rows() {
            let mut any = false;
            queries.visit(i, |_, _| any = true);
            n += usize::from(any);
        }
        n
    };
    let all = kept(0.0);
    assert!(expected.contains(&format!("the {all} words")), "{expected}");
    let (tenth, half) = (kept(number(" would keep a tenth")), kept(number(" half")));
    assert!(tenth.abs_diff(all / 10) <= 2 && half.abs_diff(all / 2) <= 2, "{tenth} {half} {all}: {expected}");
}

#[test]
fn features_that_never_meet_are_no_data() {
    let none = Csr::from_parts(3, vec![0, 0], vec![], vec![]).expect("valid");
    let one = Csr::from_parts(1, vec![0, 1], vec![0], vec![1.0]).expect("valid");
    let problem = ClickProblem { queries: &none, documents: &one, response: &one };
    let error = params(2).build().expect("good").fit(&problem, &mut Session::quiet(&Threads::default()));
    assert!(error.expect_err("nothing").to_string().contains("no query with features"));
}

/// Folding in the data that was trained on changes nothing more than another half turn would, and new features get rows.
#[test]
fn new_features_are_folded_in() {
    let graph = Graph::random(5, [90, 70], [60, 50]);
    let threads = Threads::default();
    let rmls = params(8).build().expect("good");
    let mapping = rmls.fit(&graph.problem(), &mut Session::quiet(&threads)).expect("fits");
    let again = rmls.fold_in_queries(&graph.problem(), &mapping.documents, &threads).expect("folds in");
    let expected = twin::best_rows(&graph.plain(), &plain(&mapping.documents), twin::Bound::Sum(2.0), 1.0);
    assert_near(&plain(&again), &expected, 2e-4);
    // A new word in every query: it gets a row, the others keep theirs.
    let mut wider = Csr::empty(61);
    for row in graph.queries.rows() {
        let pairs = row.iter().chain([(60, 1.0)]).collect();
        wider.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
    }
    let problem = ClickProblem { queries: &wider, ..graph.problem() };
    let folded = plain(&rmls.fold_in_queries(&problem, &mapping.documents, &threads).expect("folds in"));
    assert_near(&folded[..60].to_vec(), &expected, 2e-4);
    assert!(folded[60].iter().any(|&x| x != 0.0));
    let documents = rmls.fold_in_documents(&graph.problem(), &again, &threads).expect("folds in");
    assert_eq!((documents.n_rows(), documents.width()), (50, 8));
    assert!(rmls.fold_in_documents(&problem, &again, &threads).is_err());
}

/// A half turn made elsewhere, block by block, gives the rows of training.
#[test]
fn rows_chosen_part_by_part_are_those_of_training() {
    let graph = Graph::random(9, [40, 30], [14, 11]);
    for form in [Form::Constrained, Form::Penalised] {
        let params = RmlsParams { rank: 20, form, iterations: 1, centred: false, ..RmlsParams::default() };
        let rmls = params.build().expect("good");
        let threads = Threads::default();
        let product = CrossProduct::kept_as(Kept::Whole, &graph.problem(), &threads).expect("a graph");
        let mapping = rmls.fit_product(&product, &mut Session::quiet(&threads)).expect("fits");
        let first = rmls.first_rows(product.n_cols(), &threads).expect("rows");
        let m = product.whole().expect("kept whole");
        let mut products = vec![0.0; m.n_rows() * 20];
        m.rows().zip(products.chunks_mut(20)).for_each(|(row, sum)| first.add(row, sum));
        let (above, below) = products.split_at_mut(7 * 20);
        let parts = [rmls.choose_rows(Side::Query, above), rmls.choose_rows(Side::Query, below)];
        let seen = mapping.course[0].after_queries;
        assert!((parts[0][0] + parts[1][0] + seen).abs() < 1e-9 * seen.abs(), "{parts:?} {seen}");
        for i in 0..m.n_rows() {
            let mut row = vec![0.0; 20];
            mapping.queries.visit(i, |z, x| row[z] = x);
            assert_eq!(row, products[i * 20..(i + 1) * 20], "{form:?} {i}");
        }
    }
}
