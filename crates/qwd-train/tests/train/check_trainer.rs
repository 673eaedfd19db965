//! `check_trainer`: what every method has to get right. A new method is in `METHODS` and so runs through all of it.

use crate::common::{Data, ONE, bytes, matrix_of, method, model, rows_of, square, train};
use qwd_core::{Error, Threads};
use qwd_data::Preference;
use qwd_model::Model;
use qwd_testkit::random::{Dice, Plain, Shape};
use qwd_testkit::tuples::identity;
use qwd_train::{Constraints, METHODS, Method, Problem, Session, Start};
use serde_json::{Value, json};

/// Runs all checks on one method.
fn check_trainer(name: &str) {
    check_names(name);
    check_bad_parameters(name);
    check_edges(name);
    check_start(name);
    check_determinism(name);
    check_save_and_load(name);
    check_resume(name);
    check_divergence(name);
    check_planted(name);
}

macro_rules! check_trainers {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            check_trainer($name);
        })*

        #[test]
        fn all_methods_are_checked() {
            assert_eq!(METHODS.iter().map(|info| info.name).collect::<Vec<_>>(), [$($name),*]);
        }
    };
}

check_trainers! {
    identity_passes: "identity",
    diagonal_passes: "diagonal",
    sgd_passes: "sgd",
    sparse_sgd_passes: "sparse-sgd",
    adagrad_passes: "adagrad",
    ftrl_passes: "ftrl",
    group_lasso_passes: "group-lasso",
    low_rank_passes: "low-rank",
    hash_kernels_passes: "hash-kernels",
    sparse_projection_passes: "sparse-projection",
    lsi_passes: "lsi",
    cl_lsi_passes: "cl-lsi",
    rmls_passes: "rmls",
    pls_passes: "pls",
    svdfeature_passes: "svdfeature",
}

/// Whether a method learns from preferences, step by step.
fn learns(name: &str) -> bool {
    !matches!(name, "identity" | "lsi" | "cl-lsi") && !matches(name)
}

/// Whether a method learns from how strongly queries answer to documents.
fn matches(name: &str) -> bool {
    matches!(name, "rmls" | "pls" | "svdfeature")
}

/// The method with its defaults.
fn usual(name: &str) -> Method {
    method(name, json!({}))
}

/// Names and parameters survive JSON.
fn check_names(name: &str) {
    let method = usual(name);
    assert_eq!(method.name(), name);
    assert_eq!(Method::from_json(name, method.params()).expect("its own parameters"), method);
    let text = serde_json::to_string(&method).expect("no NaN");
    assert_eq!(serde_json::from_str::<Method>(&text).expect("its own text"), method);
    let info = METHODS.iter().find(|info| info.name == name).expect("a method");
    let described: Vec<&str> = info.parameters.iter().map(|p| p.name).collect();
    let params = method.params();
    assert!(params.as_object().expect("an object").keys().all(|key| described.contains(&key.as_str())), "{params}");
    let error = Method::from_json(name, json!({ "no_such": 1 })).expect_err("unknown");
    assert!(error.to_string().contains("no_such"), "{error}");
    assert!(
        matches!(Method::from_json("no-such", json!({})), Err(Error::InvalidParam { name, .. }) if name == "method")
    );
}

/// Every parameter refuses what it must, by its name.
fn check_bad_parameters(name: &str) {
    let info = METHODS.iter().find(|info| info.name == name).expect("a method");
    for parameter in info.parameters {
        let bad = match parameter.name {
            "learning_rate" | "margin" | "beta" | "initial_accumulator" | "identity_weight" => {
                vec![json!(0.0), json!(-1.0), json!(1e308 * 10.0)]
            }
            "l1" | "l2" | "group_l1" => vec![json!(-1e-9)],
            "shrink_every" | "entries" => vec![json!(0)],
            "batch" => vec![json!(0), json!(65_537)],
            "density" => vec![json!(0.0), json!(-0.5), json!(1.01)],
            "schedule" | "form" => vec![json!("linear")],
            "symmetric" | "diagonal" | "rates" | "directions" | "loss" => vec![json!("perhaps")],
            "negatives" => vec![json!("perhaps"), json!(1)],
            "rank" => vec![json!(0), json!(65_537)],
            "zero_diagonal" | "learn_identity" | "centred" => vec![json!("perhaps")],
            "weights" => vec![json!(0), json!((1u64 << 30) + 1)],
            "per_row" | "drop" => vec![json!(0)],
            "alpha" | "damping" => vec![json!(-0.1), json!(1.1)],
            "oversampling" => vec![json!(65_537)],
            "iterations" => vec![json!(0), json!(1001)],
            "words" => vec![json!(0)],
            "candidates" => vec![json!(0), json!(100_001)],
            "deviation" => vec![json!(-1.0)],
            "fit" => vec![json!("perhaps")],
            "epochs" => vec![json!(0), json!(1001)],
            "bound_query" | "bound_document" => vec![json!(0.0), json!(-1.0), json!(1.0)],
            "length_query" | "length_document" => vec![json!(0.0), json!(-1.0)],
            "l1_query" | "l1_document" | "tolerance" => vec![json!(-1e-9)],
            "seed" => vec![json!("-")],
            other => panic!("say here which values of {name}'s {other} are bad"),
        };
        for value in bad {
            let mut params = json!({});
            params[parameter.name] = value.clone();
            let refused = match Method::from_json(name, params) {
                Err(unreadable) => unreadable,
                Ok(method) => method.check().expect_err(parameter.name),
            };
            let is_typed = matches!(value, Value::String(_) | Value::Null) || parameter.name == "negatives";
            match &refused {
                Error::InvalidParam { name, .. } if is_typed => assert!(name.ends_with("parameters"), "{refused}"),
                Error::InvalidParam { name, .. } => assert_eq!(name, parameter.name),
                other => panic!("{other:?}"),
            }
        }
    }
    // JSON has no NaN; a caller in Rust has.
    let not_numbers = [
        Method::Diagonal(qwd_train::DiagonalParams { learning_rate: f64::NAN, ..Default::default() }),
        Method::Sgd(qwd_train::SgdParams { margin: f64::NAN, ..Default::default() }),
        Method::SparseSgd(qwd_train::SparseSgdParams { l1: f64::NAN, ..Default::default() }),
        Method::SparseSgd(qwd_train::SparseSgdParams { density: Some(f64::NAN), ..Default::default() }),
        Method::Adagrad(qwd_train::AdagradParams { l1: f64::INFINITY, ..Default::default() }),
        Method::Ftrl(qwd_train::FtrlParams { l2: f64::NAN, ..Default::default() }),
        Method::GroupLasso(qwd_train::GroupLassoParams { group_l1: f64::NAN, ..Default::default() }),
        Method::HashKernels(qwd_train::HashKernelsParams { margin: f64::NAN, ..Default::default() }),
        Method::SparseProjection(qwd_train::SparseProjectionParams { margin: f64::NAN, ..Default::default() }),
        Method::Lsi(qwd_train::LsiParams { alpha: Some(f64::NAN), ..Default::default() }),
        Method::ClLsi(qwd_train::LsiParams { alpha: Some(f64::NAN), ..Default::default() }),
        Method::LowRank(qwd_train::LowRankParams { deviation: f64::NAN, ..Default::default() }),
        Method::Rmls(qwd_train::RmlsParams { bound_query: f64::NAN, ..Default::default() }),
        Method::Rmls(qwd_train::RmlsParams { l1_document: f64::INFINITY, ..Default::default() }),
        Method::Pls(qwd_train::PlsParams { alpha: Some(f64::NAN), ..Default::default() }),
        Method::SvdFeature(qwd_train::SvdFeatureParams { l2: f64::NAN, ..Default::default() }),
    ];
    for method in not_numbers.iter().filter(|method| method.name() == name) {
        assert!(matches!(method.check(), Err(Error::InvalidParam { .. })), "{method:?}");
        // Training checks too, for whoever did not.
        let data = Data::random(1, &square(3, 5));
        assert!(matches!(train(method, &data.problem(), Start::Zero), Err(Error::InvalidParam { .. })), "{method:?}");
    }
    if info.parameters.iter().any(|p| p.name == "symmetric") {
        let data = Data::small([2, 3], &[&[(0, 1.0)]], &[&[(0, 1.0)]], &[]);
        let symmetric = method(name, json!({ "symmetric": true }));
        let refused = train(&symmetric, &data.problem(), Start::Zero).expect_err("rectangular");
        assert!(matches!(&refused, Error::InvalidParam { name, .. } if name == "symmetric"), "{refused}");
    }
}

/// The smallest problems, and empty ones.
fn check_edges(name: &str) {
    let method = usual(name);
    let one: &[(u32, f32)] = &[(0, 1.0)];
    let none: &[(u32, f32)] = &[];

    // No preferences: W is the start, after no steps; no responses are nothing to match by.
    let data = Data::random(3, &square(6, 0));
    match train(&method, &data.problem(), Start::Identity) {
        Ok(trained) => assert_eq!((rows_of(&trained.matrix), trained.steps), (identity(6), 0), "{name}"),
        Err(error) => {
            assert!(matches(name) && error.to_string().contains("the click graph is empty"), "{name}: {error}")
        }
    }

    // One feature, one pair.
    let data = Data::small([1, 1], &[one], &[one, none], &[(0, 0, 1, 1.0)]);
    let trained = train(&method, &data.problem(), Start::Zero).expect("one pair of one word");
    let w = rows_of(&trained.matrix)[0][0];
    let is_learned = match name {
        "svdfeature" => trained.steps == 10,
        _ if learns(name) => w > 0.0 && trained.steps == 1,
        _ => w > 0.49 && w < 1.01,
    };
    assert!(is_learned, "{name}: {w}");

    // Zero vectors and equal documents teach nothing and hurt nobody.
    let tuples = [(0, 1, 2, 1.0), (1, 0, 2, 1.0), (1, 2, 2, 1.0), (1, 0, 0, 1.0), (0, 0, 1, 1.0)];
    let data = Data::small([2, 2], &[none, none], &[one, none, &[(1, 1.0)]], &tuples);
    match train(&method, &data.problem(), Start::Identity) {
        Ok(trained) => {
            let kept = rows_of(&trained.matrix);
            let off_diagonal = kept[0][1].abs().max(kept[1][0].abs());
            assert!(off_diagonal < 1e-6 && (kept[0][0] - 1.0).abs() < 0.05, "{name}: {kept:?}");
        }
        Err(error) => assert!(matches(name) && error.to_string().contains("no query with features"), "{name}: {error}"),
    }

    // The same pair again and again is learned, and then left alone.
    let data = Data::small([2, 2], &[&[(0, 0.6), (1, 0.8)]], &[one, &[(1, 1.0)]], &[(0, 0, 1, 1.0); 300]);
    let start = if name == "diagonal" { Start::Identity } else { Start::Zero };
    let trained = train(&method, &data.problem(), start).expect("a repeated pair");
    assert!(!learns(name) || data.pair_error(&trained.matrix) == 0.0, "{name}: {:?}", trained.matrix);

    // An empty vocabulary, rows out of range and weights that are no weights never reach a trainer.
    let rows = &data.queries;
    let refused = |p: Preference| Problem::try_new(rows, &data.documents, &[p]).is_err();
    let good = Preference { query: 0, better: 0, worse: 1, weight: 1.0 };
    assert!(!refused(good));
    assert!(refused(Preference { query: 1, ..good }) && refused(Preference { better: 2, ..good }));
    assert!(refused(Preference { worse: u32::MAX, ..good }));
    for weight in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(refused(Preference { weight, ..good }), "{weight}");
    }
    assert!(Problem::try_new(&qwd_core::Csr::empty(0), &data.documents, &[]).is_err());
}

/// Starts that do not fit are refused; a given matrix is where training starts.
fn check_start(name: &str) {
    if !learns(name) {
        return;
    }
    let method = usual(name);
    let data = Data::random(3, &square(6, 0));
    let mut start = identity(6);
    start[1][1] = -2.5;
    start[4][4] = 0.0;
    if name != "diagonal" {
        start[2][3] = 0.75;
    }
    let given = matrix_of(&start);
    if matches!(name, "low-rank" | "hash-kernels") {
        // A W of any entries need not have this form.
        let error = train(&method, &data.problem(), Start::Matrix(&given)).expect_err("another form");
        assert!(matches!(error, Error::BadData { .. }), "{name}: {error:?}");
    } else {
        let from_matrix = train(&method, &data.problem(), Start::Matrix(&given)).expect("starts there");
        assert_eq!(rows_of(&from_matrix.matrix), start, "{name}");
    }
    let zero = train(&method, &data.problem(), Start::Zero).expect("starts from nothing");
    assert_eq!(zero.matrix.density(), 0.0, "{name}");
    let other = matrix_of(&identity(5));
    assert!(matches!(train(&method, &data.problem(), Start::Matrix(&other)), Err(Error::BadData { .. })), "{name}");
    let rectangular = Data::small([2, 3], &[&[(0, 1.0)]], &[&[(0, 1.0)]], &[]);
    train(&method, &rectangular.problem(), Start::Identity).expect_err("no identity of two sizes");
}

/// The same bytes twice, and at 1, 2, 3 and 8 threads. (That several threads are really at work is shown on larger
/// problems, beside the engine.)
fn check_determinism(name: &str) {
    let data = Data::random(7, &Shape { query_len: 30, document_len: 40, ..square(200, 300) });
    let mut methods = vec![usual(name)];
    if METHODS.iter().any(|info| info.name == name && info.parameters.iter().any(|p| p.name == "batch")) {
        methods.push(method(name, json!({ "batch": 50 })));
    }
    for method in methods {
        let run = |threads: &Threads| {
            let mut session = Session::quiet(threads);
            let constraints = Constraints::default();
            let trained = method.train(&data.problem(), Start::Identity, &constraints, None, &mut session);
            bytes(&trained.expect("trains"))
        };
        let expected = run(&ONE);
        for n in [1, 2, 3, 8] {
            assert!(run(&Threads::new(n).expect("threads")) == expected, "{name} at {n} threads");
        }
    }
}

/// A model that was saved and loaded is the same, to the last bit.
fn check_save_and_load(name: &str) {
    let data = Data::random(7, &square(30, 200));
    let trained = train(&usual(name), &data.problem(), Start::Identity).expect("trains");
    let saved = bytes(&trained);
    let loaded = Model::from_bytes(&saved).expect("what was saved");
    assert!(*loaded.matrix() == trained.matrix && loaded.state() == trained.state.as_ref(), "{name}");
    assert!(loaded.to_bytes().expect("finite") == saved, "{name}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.qwd");
    model(&trained).save(&path).expect("saves");
    assert!(std::fs::read(&path).expect("written") == saved, "{name}");
}

/// Where a state is returned, a run goes on from it with the bytes of one run; a state of another method is refused.
fn check_resume(name: &str) {
    let data = Data::random(7, &Shape { n_queries: 150, ..square(120, 200) });
    let method = usual(name);
    let whole = train(&method, &data.problem(), Start::Identity).expect("trains");
    let half = train(&method, &data.first(77), Start::Identity).expect("trains");
    let may_resume =
        matches!(name, "diagonal" | "sgd" | "sparse-sgd" | "adagrad" | "ftrl" | "low-rank" | "hash-kernels");
    assert_eq!(half.state.is_some(), may_resume, "{name}");
    let Some(state) = &half.state else { return };
    let rest = data.part(&data.preferences[77..]);
    let both = train(&method, &rest, Start::Resume(&half.matrix, state)).expect("goes on");
    assert!(both == whole, "{name}");
    if name != "diagonal" {
        let other = qwd_model::TrainingState { step: 77, ..Default::default() };
        let refused = train(&method, &rest, Start::Resume(&half.matrix, &other)).expect_err("an empty state");
        assert!(matches!(refused, Error::BadData { .. }), "{name}: {refused:?}");
    }
    let small = Data::random(7, &square(60, 20));
    train(&method, &small.problem(), Start::Resume(&half.matrix, state)).expect_err("a state of other words");
}

/// An absurd rate is an error of its own kind: no panic, no NaN, no model.
fn check_divergence(name: &str) {
    if !learns(name) {
        return;
    }
    let many = Data::random(5, &square(20, 500));
    let one = Data::random(5, &square(20, 1));
    // Long queries: their parts of a score are many, and each may still be of sensible size.
    let long = Data::random(6, &Shape { query_len: 500, document_len: 300, ..square(400, 15) });
    for rate in [1e30, 1e39, 1e300] {
        let absurd = method(name, json!({ "learning_rate": rate }));
        let error = train(&absurd, &many.problem(), Start::Identity).expect_err("diverges");
        assert!(matches!(error, Error::Diverged { step: 1..=500, .. }), "{name} at {rate}: {error:?}");
        // After one step nothing may have been noticed, but what comes back is finite.
        match train(&absurd, &one.problem(), Start::Identity) {
            Ok(trained) => drop(bytes(&trained)),
            Err(error) => assert!(matches!(error, Error::Diverged { step: 1, .. }), "{name} at {rate}: {error:?}"),
        }
    }
    for exponent in [-300, -40, -20].into_iter().chain(-2..40) {
        let high = method(name, json!({ "learning_rate": 10f64.powi(exponent) }));
        for data in [&many, &long] {
            match train(&high, &data.problem(), Start::Identity) {
                Ok(trained) => drop(bytes(&trained)),
                Err(error) => assert!(matches!(error, Error::Diverged { .. }), "{name}, 1e{exponent}: {error:?}"),
            }
        }
    }
    // Vectors at the edges of f32, with the usual parameters and with each of them at an edge.
    let mut methods = vec![usual(name)];
    let info = METHODS.iter().find(|info| info.name == name).expect("a method");
    for parameter in info.parameters.iter().filter(|p| p.default.parse::<f64>().is_ok()) {
        for edge in [json!(1e300), json!(1e-300), json!(1), json!(60_000)] {
            let mut params = json!({});
            params[parameter.name] = edge;
            methods.extend(Method::from_json(name, params).ok().filter(|method| method.check().is_ok()));
        }
    }
    for (x, y) in [(f32::MAX, f32::MAX), (f32::MAX, 1.0), (f32::MIN_POSITIVE, f32::MAX), (1e-30, 1e-30), (1e20, -1e20)]
    {
        let tuples: Vec<_> = (0..20).map(|i| (0, i % 2, 1 - i % 2, f32::MAX)).collect();
        let data = Data::small([2, 2], &[&[(0, x), (1, y)]], &[&[(0, y), (1, x)], &[(1, y)]], &tuples);
        for method in &methods {
            for problem in [data.problem(), data.first(1), many.problem()] {
                match train(method, &problem, Start::Identity) {
                    Ok(trained) => drop(bytes(&trained)),
                    Err(error) => assert!(matches!(error, Error::Diverged { .. }), "{method:?}, {x} {y}: {error:?}"),
                }
            }
        }
    }
}

/// Preferences that follow from a planted W are learned: fresh tuples are told apart, and the strongest pairs are planted
/// ones.
fn check_planted(name: &str) {
    if !learns(name) {
        return;
    }
    let n = 40;
    let mut dice = Dice::new(17);
    let mut planted: Vec<(u32, u32, f32)> = Vec::new();
    for s in 0..n as u32 {
        // The diagonal model can learn a diagonal only.
        let t = if name == "diagonal" { s } else { dice.below(n) as u32 };
        planted.push((s, t, if dice.unit() < 0.25 { -2.0 } else { 2.0 }));
    }
    let shape = Shape { n_queries: 1500, skew: 1.0, wild: false, query_len: 3, document_len: 10, ..square(n, 12_000) };
    let data = Data::of(Plain::planted(1, &shape, &planted));
    let fresh = Data::of(Plain::planted(2, &Shape { n_tuples: 4000, ..shape }, &planted));
    let params = match name {
        "diagonal" => json!({ "learning_rate": 5.0 }),
        "sgd" => json!({ "learning_rate": 5.0 }),
        "sparse-sgd" => json!({ "learning_rate": 5.0, "l1": 1e-3 }),
        "group-lasso" => json!({ "learning_rate": 5.0, "group_l1": 1e-4 }),
        "hash-kernels" => json!({ "learning_rate": 0.1 }),
        "sparse-projection" => json!({ "learning_rate": 5.0, "per_row": 3 }),
        "low-rank" => json!({ "learning_rate": 0.2, "margin": 1.0, "deviation": 0.5, "diagonal": "fixed" }),
        _ => json!({}),
    };
    let start = if name == "diagonal" { Start::Identity } else { Start::Zero };
    let matrix = train(&method(name, params), &data.problem(), start).expect("trains").matrix;
    let error = fresh.pair_error(&matrix);
    assert!(error < 0.1, "{name}: {error} of fresh tuples are wrong");
    let w = rows_of(&matrix);
    let mut strongest: Vec<(usize, usize)> = (0..n).flat_map(|s| (0..n).map(move |t| (s, t))).collect();
    strongest.sort_by(|a, b| w[b.0][b.1].abs().total_cmp(&w[a.0][a.1].abs()));
    let is_planted = |&&(s, t): &&(usize, usize)| {
        planted.iter().any(|&(i, j, x)| (i as usize, j as usize) == (s, t) && f64::from(x) * w[s][t] > 0.0)
    };
    let n_right = strongest[..n].iter().filter(is_planted).count();
    assert!(n_right >= n * 9 / 10, "{name}: {n_right} of the {n} strongest pairs are planted");
}
