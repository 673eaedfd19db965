//! What every ranker must do: one suite, run on every method of the list.

use qwd_core::{Control, Error, Family, Observer, Progress, Rng, Silent, Threads};
use qwd_metrics::{Depth, Metric};
use qwd_rank::{FeatureSet, METHODS, Method, Ranker, RankerFile, Scaler, Validation, evaluate};
use serde_json::{Value, json};

/// Each method with parameters small enough for a test.
fn methods() -> Vec<Method> {
    METHODS.iter().map(|info| Method::from_json(info.name, small(info.name)).expect("a method")).collect()
}

fn small(name: &str) -> Value {
    match name {
        "fenchel" => json!({ "max_iterations": 60 }),
        "tgrank" | "rsrank" => json!({ "iterations": 60, "c": 1.0 }),
        "listnet" => json!({ "epochs": 30 }),
        "adarank" | "rankboost" => json!({ "rounds": 30 }),
        "coordinate-ascent" => json!({ "rounds": 2, "restarts": 2, "n_steps": 6 }),
        "mart" | "lambdamart" => json!({ "trees": 20, "leaves": 6, "min_documents_in_leaf": 5 }),
        "fs-rank" => json!({ "k": 3 }),
        "blend" => json!({ "members": "fenchel+ranksvm-primal" }),
        _ => json!({}),
    }
}

/// Grades that follow the second feature; the last feature is constant.
fn planted(seed: u64, n_queries: usize, per_query: usize) -> FeatureSet {
    let mut rng = Rng::new(seed);
    let n = n_queries * per_query;
    let mut columns: Vec<Vec<f32>> = (0..4).map(|_| (0..n).map(|_| rng.unit() as f32).collect()).collect();
    let grades = columns[1].iter().map(|&x| i32::from(x > 0.5) + i32::from(x > 0.8)).collect();
    columns.push(vec![0.5; n]);
    FeatureSet::from_parts(columns, grades, (0..n_queries).map(|q| (q.to_string(), per_query)).collect()).expect("fits")
}

fn train(method: &Method, set: &FeatureSet) -> qwd_core::Result<Ranker> {
    method.train(set, None, &Threads::default(), &Silent)
}

fn ndcg(ranker: &Ranker, set: &FeatureSet) -> f64 {
    let metric = Metric::ExponentialNdcg(Depth::at(10).expect("a depth"));
    evaluate(ranker, set, &[metric], &Threads::default())
        .expect("measures")
        .summary()
        .metrics
        .get(metric)
        .expect("a figure")
}

#[test]
fn a_planted_order_is_found_again() {
    for method in methods() {
        let ranker = train(&method, &planted(1, 40, 12)).expect("trains");
        let figure = ndcg(&ranker, &planted(2, 40, 12));
        assert!(figure > 0.95, "{}: {figure}", method.name());
        assert_eq!(ranker.features()[0].feature, 2, "{}", method.name());
    }
}

#[test]
fn bad_parameters_are_refused() {
    let bad = |name: &str| match name {
        "fenchel" => vec![
            json!({"radius": 0}),
            json!({"radius": -1}),
            json!({"tolerance": -0.1}),
            json!({"max_iterations": 0}),
            json!({"l2": -1}),
        ],
        "ranksvm-primal" => vec![json!({"c": 0}), json!({"tolerance": 0}), json!({"max_iterations": 0})],
        "ranksvm-struct" => vec![json!({"c": -1}), json!({"tolerance": 0}), json!({"max_planes": 0})],
        "tgrank" => {
            vec![json!({"c": 0}), json!({"learning_rate": 0}), json!({"iterations": 0}), json!({"threshold": -1})]
        }
        "rsrank" => vec![json!({"c": 0}), json!({"learning_rate": -1}), json!({"iterations": 0})],
        "fs-rank" => vec![json!({"k": 0}), json!({"depth": 0}), json!({"c": 0})],
        "listnet" => vec![json!({"learning_rate": 0}), json!({"epochs": 0}), json!({"patience": 0})],
        "adarank" => {
            vec![json!({"rounds": 0}), json!({"depth": 0}), json!({"weak_ranker": "none"}), json!({"measure": "err"})]
        }
        "rankboost" => vec![json!({"rounds": 0}), json!({"max_bins": 1}), json!({"max_bins": 256})],
        "coordinate-ascent" => vec![json!({"restarts": 0}), json!({"n_steps": 0}), json!({"tolerance": -1})],
        "mart" => vec![
            json!({"trees": 0}),
            json!({"leaves": 1}),
            json!({"learning_rate": 0}),
            json!({"feature_share": 0}),
            json!({"query_share": 2}),
        ],
        "lambdamart" => vec![
            json!({"trees": 0}),
            json!({"truncation": 0}),
            json!({"sigmoid": 0}),
            json!({"l2": -1}),
            json!({"max_bins": 1}),
        ],
        "blend" => vec![json!({"members": ""}), json!({"members": "fenchel+blend"}), json!({"members": 7})],
        _ => Vec::new(),
    };
    for info in METHODS {
        let cases = bad(info.name);
        assert!(!cases.is_empty(), "{} has no bad parameters to try", info.name);
        for params in cases.into_iter().chain([json!({"no_such_parameter": 1})]) {
            let refused = Method::from_json(info.name, params.clone()).and_then(|method| method.check());
            assert_eq!(refused.map_err(|e| e.family()), Err(Family::Usage), "{} {params}", info.name);
        }
    }
    assert!(Method::from_name("no-such-method").is_err());
}

#[test]
fn one_query_is_enough() {
    for method in methods() {
        let ranker = train(&method, &planted(3, 1, 30)).unwrap_or_else(|e| panic!("{}: {e}", method.name()));
        assert!(ndcg(&ranker, &planted(3, 1, 30)) > 0.8, "{}", method.name());
    }
}

#[test]
fn queries_of_one_document_or_one_grade_teach_nothing_and_do_no_harm() {
    let plain = planted(4, 20, 10);
    let (n, m) = (plain.n_documents(), plain.n_features());
    // The same documents, and behind them a query of one document and one of a single grade.
    let columns = (0..m).map(|j| plain.column(j).iter().copied().chain([0.1, 0.9, 0.2]).collect()).collect();
    let grades = plain.grades().iter().copied().chain([2, 1, 1]).collect();
    let queries = (0..20).map(|q| (q.to_string(), n / 20)).chain([("one".into(), 1), ("same".into(), 2)]).collect();
    let more = FeatureSet::from_parts(columns, grades, queries).expect("fits");
    for method in methods() {
        let figure = ndcg(&train(&method, &more).expect("trains"), &plain);
        assert!(figure > 0.9, "{}: {figure}", method.name());
    }
}

#[test]
fn nothing_to_order_is_an_error() {
    let set = FeatureSet::from_parts(vec![vec![0.1, 0.2, 0.3]], vec![1, 1, 2], vec![("a".into(), 2), ("b".into(), 1)])
        .expect("fits");
    for method in methods() {
        let error = train(&method, &set).expect_err(method.name());
        assert!(error.to_string().contains("no order to learn"), "{}: {error}", method.name());
    }
}

#[test]
fn ties_and_constant_features_are_survived() {
    let tied = FeatureSet::from_parts(
        vec![vec![0.5; 40], (0..40).map(|i| (i % 2) as f32).collect()],
        (0..40).map(|i| (i / 2) % 2).collect(),
        (0..4).map(|q| (q.to_string(), 10)).collect(),
    )
    .expect("fits");
    let constant =
        FeatureSet::from_parts(vec![vec![0.5; 40]; 2], (0..40).map(|i| i % 3).collect(), vec![("a".into(), 40)])
            .expect("fits");
    for method in methods() {
        for set in [&tied, &constant] {
            let ranker = train(&method, set).unwrap_or_else(|e| panic!("{}: {e}", method.name()));
            assert!(ranker.score_all(set, &Threads::default()).expect("scores").iter().all(|s| s.is_finite()));
            assert!(!ranker.features().iter().any(|f| f.feature == 1), "{} uses a constant feature", method.name());
        }
        let ranker = train(&method, &constant).expect("trains");
        let scores = ranker.score_all(&constant, &Threads::default()).expect("scores");
        assert!(scores.iter().all(|s| *s == scores[0]), "{}: all features equal, so are all scores", method.name());
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let (set, held_out) = (planted(5, 300, 20), planted(6, 30, 20));
    let validation = Validation { set: &held_out, metric: Metric::ExponentialNdcg(Depth::at(10).expect("a depth")) };
    for method in methods() {
        let run = |n: usize| {
            let ranker =
                method.train(&set, Some(validation), &Threads::new(n).expect("pool"), &Silent).expect("trains");
            serde_json::to_string(&ranker).expect("writes")
        };
        assert!(run(1) == run(3), "{}", method.name());
    }
}

#[test]
fn save_and_load_are_bit_equal_and_damage_is_found() {
    let set = planted(7, 20, 10);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ranker.json");
    for method in methods() {
        let ranker = train(&method, &set).expect("trains");
        let scores = ranker.score_all(&set, &Threads::default()).expect("scores");
        let one_by_one: Vec<f32> = (0..set.n_documents()).map(|row| ranker.score(&set.row(row))).collect();
        assert_eq!(scores, one_by_one, "{}", method.name());
        let file =
            RankerFile { ranker, scaler: Scaler::PerQuery, method: method.name().into(), params: method.params() };
        file.save(&path).expect("saves");
        assert!(RankerFile::is_at(&path));
        let again = RankerFile::load(&path).expect("loads");
        assert_eq!(again, file);
        assert_eq!(again.ranker.score_all(&set, &Threads::default()).expect("scores"), scores);
    }
    let bytes = std::fs::read(&path).expect("reads");
    for at in (0..bytes.len() - 1).step_by(41) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x04;
        std::fs::write(&path, damaged).expect("written");
        let error = RankerFile::load(&path).expect_err("damaged");
        assert_eq!(error.family(), Family::Damaged, "byte {at}: {error}");
    }
}

#[test]
fn other_numbers_of_features_are_refused() {
    let narrow = FeatureSet::from_parts(vec![vec![0.1, 0.2]], vec![0, 1], vec![("a".into(), 2)]).expect("fits");
    let set = planted(8, 10, 8);
    for method in methods() {
        let ranker = train(&method, &set).expect("trains");
        assert!(ranker.score_all(&narrow, &Threads::default()).is_err());
    }
}

struct StopAtOnce;

impl Observer for StopAtOnce {
    fn progress(&self, _: &Progress) -> Control {
        Control::Stop
    }
}

#[test]
fn an_observer_can_stop_training() {
    for method in methods() {
        let stopped = method.train(&planted(9, 10, 8), None, &Threads::default(), &StopAtOnce);
        assert!(matches!(stopped, Err(Error::Interrupted)), "{}", method.name());
    }
}
