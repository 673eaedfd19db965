//! The low-rank model against the algorithm written out, and its gradient against differences.

use crate::common::{Data, ONE, bytes, cases, compare, largest, method, rows_of, square, surely, train};
use proptest::prelude::*;
use qwd_core::{Error, Threads};
use qwd_model::{LowRankDiagonal, Matrix};
use qwd_testkit::bilinear::Rows;
use qwd_testkit::low_rank::{Diagonal, Factors, Rates, Settings, low_rank};
use qwd_testkit::random::Shape;
use qwd_train::{Constraints, METHODS, Method, Session, Start};
use serde_json::{Value, json};

/// U, V and the diagonal of a trained W, words without numbers having zeros.
fn factors(matrix: &Matrix) -> Factors {
    let Matrix::LowRank(low_rank) = matrix else { panic!("a low-rank W") };
    let parts = low_rank.parts();
    let rows = |numbers: &[f32], n: usize| -> Rows {
        let mut rows: Rows =
            numbers.chunks(parts.rank).map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect();
        rows.resize(n, vec![0.0; parts.rank]);
        rows
    };
    let u = rows(&parts.u, parts.n_rows);
    let v = parts.v.as_ref().map_or_else(|| u.clone(), |v| rows(v, parts.n_cols));
    let diagonal = match &parts.diagonal {
        LowRankDiagonal::None => vec![],
        LowRankDiagonal::Scaled(alpha) => vec![f64::from(*alpha); parts.n_rows],
        LowRankDiagonal::Weights(weights) => weights.iter().map(|&x| f64::from(x)).collect(),
    };
    Factors { u, v, diagonal }
}

/// The start of a method, which depends on its parameters alone.
fn start_of(method: &Method, data: &Data, start: Start<'_>) -> Factors {
    factors(&train(method, &data.first(0), start).expect("nothing to learn from").matrix)
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn it_is_the_algorithm_of_the_paper(
        seed: u64,
        (n_words, n_tuples, rank) in (2usize..10, 1usize..60, 1usize..5),
        (rate, margin, deviation) in (0.01f64..0.5, 0.2f64..2.0, 0.1f64..0.6),
        (rates, diagonal) in (0usize..3, 0usize..3),
        (batch, symmetric, from_identity) in (1usize..6, any::<bool>(), any::<bool>()),
    ) {
        let data = Data::random(seed, &square(n_words, n_tuples));
        let names = ["fixed", "word", "number"];
        let diagonals = ["fixed", "weight", "words"];
        let method = method("low-rank", json!({
            "rank": rank, "learning_rate": rate, "margin": margin, "deviation": deviation, "batch": batch,
            "rates": names[rates], "diagonal": diagonals[diagonal], "symmetric": symmetric, "seed": seed,
        }));
        let start = if from_identity { Start::Identity } else { Start::Zero };
        let settings = Settings {
            rate,
            rates: [Rates::Fixed, Rates::Word, Rates::Number][rates],
            delta: 1e-8,
            margin,
            batch,
            symmetric,
            diagonal: if from_identity {
                [Diagonal::Fixed, Diagonal::Weight, Diagonal::Words][diagonal]
            } else {
                Diagonal::Fixed
            },
        };
        let from = start_of(&method, &data, start);
        let (n, expected) = surely(&data.plain.all(), |tuples| low_rank(from.clone(), tuples, &settings).1);
        let trained = train(&method, &data.first(n), start).expect("trains");
        let tolerance = 2e-4 * (1.0 + largest(&expected));
        compare(&trained.matrix, &expected, tolerance).map_err(TestCaseError::fail)?;
    }

    /// One step of every kind goes against the gradient of the loss.
    #[test]
    fn a_step_goes_down_the_slope(seed: u64, symmetric: bool, n_words in 2usize..7, weights: bool) {
        let data = Data::random(seed, &square(n_words, 1));
        let diagonal = if weights { "words" } else { "weight" };
        let method = method("low-rank", json!({
            "rank": 2, "learning_rate": 1e-2, "margin": 1.0, "deviation": 0.5, "rates": "fixed",
            "symmetric": symmetric, "diagonal": diagonal,
        }));
        let from = start_of(&method, &data, Start::Identity);
        let tuple = &data.plain.all()[0];
        prop_assume!(tuple.missing(&from.product(), 1.0).0.abs() > 1e-2);
        let gradient = from.gradient(tuple, 1.0, symmetric, 1e-4);
        let to = factors(&train(&method, &data.problem(), Start::Identity).expect("trains").matrix);
        for (moved, (was, slope)) in [(&to.u, (&from.u, &gradient.u)), (&to.v, (&from.v, &gradient.v))] {
            for ((moved, was), slope) in moved.iter().flatten().zip(was.iter().flatten()).zip(slope.iter().flatten()) {
                // V has no slope of its own where it is U.
                if !symmetric || *slope != 0.0 {
                    prop_assert!((moved - was + 1e-2 * slope).abs() < 1e-5, "{} {} {}", moved, was, slope);
                }
            }
        }
        for i in 0..n_words * usize::from(weights) {
            let step = to.diagonal[i] - from.diagonal[i];
            prop_assert!((step + 1e-2 * gradient.diagonal[i]).abs() < 1e-5);
        }
    }
}

#[test]
fn only_frequent_words_are_embedded_and_all_keep_the_diagonal() {
    let data = Data::random(3, &square(20, 200));
    let method = method("low-rank", json!({ "rank": 4, "words": 5, "diagonal": "words", "learning_rate": 0.1 }));
    let trained = train(&method, &data.problem(), Start::Identity).expect("trains");
    let w = rows_of(&trained.matrix);
    for (s, row) in w.iter().enumerate() {
        assert!(row.iter().enumerate().all(|(t, &x)| (s < 5 && t < 5) || s == t || x == 0.0), "{s}: {row:?}");
    }
    assert!(w[..5].iter().flatten().filter(|x| **x != 0.0).count() > 20);
    assert!((5..20).any(|i| (w[i][i] - 1.0).abs() > 1e-3), "rare words learn their weight");
}

#[test]
fn two_vocabularies_have_no_diagonal_and_no_symmetry() {
    let shape = Shape { n_query_words: 7, n_document_words: 9, ..square(7, 50) };
    let data = Data::random(3, &shape);
    let trained = train(&method("low-rank", json!({})), &data.problem(), Start::Zero).expect("trains");
    let Matrix::LowRank(low_rank) = &trained.matrix else { panic!("a low-rank W") };
    assert_eq!(low_rank.parts().diagonal, LowRankDiagonal::None);
    // No more dimensions than words.
    assert_eq!(low_rank.rank(), 7);
    let error = train(&method("low-rank", json!({})), &data.problem(), Start::Identity).expect_err("no I");
    assert!(matches!(&error, Error::InvalidParam { name, .. } if name == "start"), "{error}");
}

#[test]
fn harder_negatives_keep_bytes_at_any_number_of_threads_and_lower_the_error() {
    let shape = Shape { n_queries: 60, query_len: 6, document_len: 12, ..square(60, 3000) };
    let data = Data::random(9, &shape);
    for (negatives, batch) in
        [("in-batch", 16), ("hardest", 16), ("warp", 16), ("warp", 1), ("batch", 16), ("given", 7)]
    {
        for rates in ["fixed", "word", "number"] {
            let method = method(
                "low-rank",
                json!({
                    "negatives": negatives, "batch": batch, "rates": rates, "rank": 8, "candidates": 5,
                    "learning_rate": 0.05, "diagonal": "words",
                }),
            );
            let run = |threads: &Threads| {
                let mut session = Session::quiet(threads);
                let none = Constraints::default();
                bytes(&method.train(&data.problem(), Start::Identity, &none, None, &mut session).expect("trains"))
            };
            let expected = run(&ONE);
            for n in [2, 4] {
                assert!(run(&Threads::new(n).expect("threads")) == expected, "{negatives} {rates} at {n} threads");
            }
        }
    }
}

/// One step at a fixed rate against every worse document of a mini-batch goes down the slope of the loss of all pairs.
#[test]
fn a_step_against_the_whole_batch_is_down_the_gradient() {
    let queries: [&[(u32, f32)]; 2] = [&[(0, 0.6), (2, 0.8)], &[(1, 1.0)]];
    let documents: [&[(u32, f32)]; 4] = [&[(0, 1.0)], &[(1, 0.8), (2, 0.6)], &[(2, 1.0)], &[(0, 0.6), (1, 0.8)]];
    // Every document is the worse one of some tuple, so those that are drawn add nothing; 0 and 1 suit query 0.
    let tuples = [(0, 0, 2, 1.0), (0, 1, 3, 2.0), (1, 1, 0, 1.0), (1, 3, 2, 0.5)];
    let data = Data::small([3, 3], &queries, &documents, &tuples);
    let start = qwd_model::LowRankParts {
        n_rows: 3,
        n_cols: 3,
        rank: 2,
        u: vec![0.3, -0.2, 0.1, 0.4, -0.5, 0.2],
        v: Some(vec![0.2, 0.1, -0.3, 0.3, 0.5, -0.1]),
        diagonal: LowRankDiagonal::Scaled(0.7),
    };
    for loss in ["hinge", "logistic"] {
        let rate = 1e-3;
        let method = method(
            "low-rank",
            json!({
                "negatives": "batch", "loss": loss, "batch": 4, "rates": "fixed", "learning_rate": rate, "rank": 2,
                "margin": 0.5, "candidates": 1,
            }),
        );
        let matrix = qwd_model::Matrix::low_rank(start.clone()).expect("finite");
        let trained = train(&method, &data.problem(), Start::Matrix(&matrix)).expect("trains").matrix;
        let qwd_model::Matrix::LowRank(trained) = trained else { panic!("low rank") };
        let whole = |u: &[f32], v: &[f32]| {
            let parts = qwd_model::LowRankParts { u: u.to_vec(), v: Some(v.to_vec()), ..start.clone() };
            batch_loss(
                &rows_of(&qwd_model::Matrix::low_rank(parts).expect("finite")),
                &queries,
                &documents,
                &tuples,
                loss,
            )
        };
        let (u, v) = (&start.u, start.v.as_ref().expect("V"));
        for i in 0..6 {
            let slope = |side: usize| {
                let at = |by: f32| {
                    let (mut u, mut v) = (u.clone(), v.clone());
                    if side == 0 {
                        u[i] += by
                    } else {
                        v[i] += by
                    }
                    whole(&u, &v)
                };
                (at(1e-3) - at(-1e-3)) / 2e-3
            };
            let parts = trained.parts();
            let moved = [parts.u[i] - u[i], parts.v.as_ref().expect("V")[i] - v[i]];
            for (side, moved) in moved.into_iter().enumerate() {
                let expected = -rate * slope(side);
                assert!((f64::from(moved) - expected).abs() < 2e-6, "{loss} {side} {i}: {moved} {expected}");
            }
        }
    }
}

/// The loss of all pairs of the mini-batch, written out.
fn batch_loss(
    w: &[Vec<f64>],
    queries: &[&[(u32, f32)]],
    documents: &[&[(u32, f32)]],
    tuples: &[(u32, u32, u32, f32)],
    loss: &str,
) -> f64 {
    let score = |q: u32, d: u32| -> f64 {
        let pairs = queries[q as usize].iter().flat_map(|q| documents[d as usize].iter().map(move |d| (q, d)));
        pairs.map(|(q, d)| f64::from(q.1) * w[q.0 as usize][d.0 as usize] * f64::from(d.1)).sum()
    };
    let mut sum = 0.0;
    for &(q, better, _, weight) in tuples {
        let suits = |d: u32| tuples.iter().any(|t| t.0 == q && t.1 == d);
        let worse: Vec<u32> = (0..documents.len() as u32).filter(|&d| !suits(d)).collect();
        let of_pair = |d: &u32| {
            let x = score(q, better) - score(q, *d);
            if loss == "hinge" { (0.5 - x).max(0.0) } else { 0.5 * (1.0 + (-x / 0.5).exp()).ln() }
        };
        sum += f64::from(weight) * worse.iter().map(of_pair).sum::<f64>() / worse.len() as f64;
    }
    sum
}

/// The worse documents that are looked for are worse ones: what a tuple prefers for the query is never pushed away.
#[test]
fn known_answers_are_no_negatives() {
    // Documents 0 and 1 both suit the query; 2 does not. In every batch the other right answer is at hand.
    let tuples: Vec<_> = (0..400).map(|i| (0, i % 2, 2, 1.0)).collect();
    let query: &[(u32, f32)] = &[(0, 1.0)];
    let documents: [&[(u32, f32)]; 3] = [&[(1, 1.0)], &[(2, 1.0)], &[(3, 1.0)]];
    let data = Data::small([4, 4], &[query], &documents, &tuples);
    for negatives in ["hardest", "warp", "batch", "in-batch"] {
        let method = method("low-rank", json!({ "negatives": negatives, "batch": 4, "learning_rate": 0.1 }));
        let w = rows_of(&train(&method, &data.problem(), Start::Zero).expect("trains").matrix);
        if negatives == "in-batch" {
            // All better documents of a batch are right answers: nothing can be learned.
            assert!(w.iter().flatten().all(|x| *x == 0.0));
        } else {
            assert!(w[0][1] > 0.03 && w[0][2] > 0.03 && w[0][3] < -0.03, "{negatives}: {w:?}");
        }
    }
}

#[test]
fn a_run_in_pieces_gives_the_bytes_of_one_run() {
    let data = Data::random(7, &square(40, 120));
    for params in [
        json!({ "rates": "fixed" }),
        json!({ "rates": "number", "diagonal": "words" }),
        json!({ "rates": "word", "diagonal": "weight", "symmetric": true }),
        json!({ "negatives": "warp", "candidates": 3, "diagonal": "weight", "rates": "fixed" }),
    ] {
        let method = method("low-rank", params.clone());
        let whole = train(&method, &data.problem(), Start::Identity).expect("trains");
        let half = train(&method, &data.first(77), Start::Identity).expect("trains");
        // What is known of other tuples decides which documents are negatives, so warp goes on only approximately.
        let rest = data.part(&data.preferences[77..]);
        let state = half.state.as_ref().expect("a state");
        let both = train(&method, &rest, Start::Resume(&half.matrix, state)).expect("goes on");
        if params.get("negatives").is_none() {
            assert!(both == whole, "{params}");
        }
        assert_eq!(both.steps, 120);
        let other =
            self::method("low-rank", json!({ "rates": if params["rates"] == "fixed" { "word" } else { "fixed" } }));
        train(&other, &rest, Start::Resume(&half.matrix, state)).expect_err("a state of other rates");
    }
}

/// From the directions of the documents: W = I + c VVᵀ before the first step, on the first words alone where asked for.
#[test]
fn it_may_start_from_what_documents_tell() {
    // Words 0 and 1 come together; only LSI can tell that document 1 suits the query.
    let documents: [&[(u32, f32)]; 3] = [&[(0, 1.0), (1, 1.0)], &[(1, 1.0)], &[(2, 1.0)]];
    let data = Data::small([3, 3], &[&[(0, 1.0)]], &documents, &[(0, 1, 2, 1.0)]);
    let problem = data.problem().with_candidates(&[0, 1, 2]).expect("rows");
    for symmetric in [false, true] {
        let params = json!({ "rank": 1, "directions": "lsi", "learning_rate": 1e-9, "symmetric": symmetric });
        let w = rows_of(&train(&method("low-rank", params), &problem, Start::Identity).expect("trains").matrix);
        assert!(w[0][1] > 0.01 && (w[0][1] - w[1][0]).abs() < 1e-6 && (w[2][2] - 1.0).abs() < 1e-5, "{w:?}");
    }
    // Where the tuples like I alone best, a little of LSI is left to learn from.
    let easy = Data::small([3, 3], &[&[(0, 1.0)]], &documents, &[(0, 0, 2, 1.0)]);
    let params = json!({ "rank": 1, "directions": "lsi", "learning_rate": 1e-9 });
    let w = rows_of(&train(&method("low-rank", params), &easy.problem(), Start::Identity).expect("trains").matrix);
    assert!(w[0][1] > 0.01 && w[0][1] < 0.05, "{w:?}");
    let params = json!({ "rank": 1, "directions": "lsi", "learning_rate": 1e-9, "words": 1 });
    let w = rows_of(&train(&method("low-rank", params), &problem, Start::Identity).expect("trains").matrix);
    assert!(w[0][0] > 1.0 && w[0][1] == 0.0 && w[1][1] == 1.0, "{w:?}");
    // Two vocabularies have no I, and their directions come from the pairs.
    let data = Data::small([2, 3], &[&[(1, 1.0)]], &documents, &[(0, 0, 2, 1.0)]);
    let params = json!({ "rank": 1, "directions": "lsi", "learning_rate": 1e-9 });
    let w = rows_of(&train(&method("low-rank", params), &data.problem(), Start::Zero).expect("trains").matrix);
    assert!(w[1][0] > 0.1 && w[1][1] > 0.1 && w[1][2] == 0.0 && w[0] == [0.0; 3], "{w:?}");
}

#[test]
fn parameters_that_contradict_each_other_are_refused() {
    let refused =
        |params: Value| Method::from_json("low-rank", params).expect("readable").check().expect_err("refused");
    let error = refused(json!({ "negatives": "in-batch" }));
    assert!(error.to_string().contains("batch of at least 2"), "{error}");
    let error = refused(json!({ "loss": "logistic", "batch": 8 }));
    assert!(error.to_string().contains("negatives = batch"), "{error}");
    assert!(METHODS.iter().any(|info| info.name == "low-rank"));
}
