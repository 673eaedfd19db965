//! One run, or many shorter ones each going on where the last one stopped; in blocks, or step by step: the same bytes.

use crate::common::{Data, ONE, bytes, cases, method, model, rows_of, square, train};
use proptest::prelude::*;
use qwd_core::{Csr, Error, Result};
use qwd_model::{Matrix, Model, TrainingState};
use qwd_testkit::random::{Plain, Shape};
use qwd_testkit::tuples::identity;
use qwd_train::{Checkpoints, Constraints, Method, Session, Start, Trained, Watcher};
use serde_json::json;

/// A problem that leaves W sparse, so that its state is kept.
fn data(seed: u64, n_words: usize, n_tuples: usize) -> Data {
    Data::random(seed, &Shape { n_queries: 150, skew: 1.2, ..square(n_words, n_tuples) })
}

/// Trains on the tuples from one cut to the next, each piece going on from the last.
fn in_pieces(method: &Method, data: &Data, cuts: &[usize], through_a_file: bool) -> Trained {
    let mut so_far: Option<Trained> = None;
    let ends = cuts.iter().copied().chain([data.preferences.len()]);
    let mut from = 0;
    for to in ends {
        let problem = data.part(&data.preferences[from..to]);
        let next = match &so_far {
            None => train(method, &problem, Start::Identity),
            Some(last) if through_a_file => {
                let read = Model::from_bytes(&model(last).to_bytes().expect("finite")).expect("what was written");
                train(method, &problem, Start::Resume(read.matrix(), read.state().expect("kept")))
            }
            Some(last) => train(method, &problem, Start::Resume(&last.matrix, last.state.as_ref().expect("kept"))),
        };
        so_far = Some(next.expect("trains"));
        from = to;
    }
    so_far.expect("at least one piece")
}

/// The methods that keep a state, with parameters that make their penalties bite.
fn resumable() -> Vec<Method> {
    vec![
        method("diagonal", json!({ "learning_rate": 3.0 })),
        method("sgd", json!({ "learning_rate": 50.0 })),
        method("sgd", json!({ "learning_rate": 0.5, "schedule": "fixed", "symmetric": true })),
        method("sparse-sgd", json!({ "learning_rate": 50.0, "l1": 2e-3, "shrink_every": 64 })),
        method("sparse-sgd", json!({ "learning_rate": 200.0, "l1": 5e-3, "shrink_every": 7 })),
        method("sparse-sgd", json!({ "learning_rate": 20.0, "l1": 4e-3, "shrink_every": 30, "symmetric": true })),
        method("sparse-sgd", json!({ "learning_rate": 0.7, "l1": 5e-3, "schedule": "fixed", "shrink_every": 10 })),
        method("adagrad", json!({ "learning_rate": 0.5, "l1": 1e-3 })),
        method("ftrl", json!({ "learning_rate": 0.5, "l1": 0.1 })),
    ]
}

/// Every block is the sequential algorithm: training on 600 tuples gives the bytes of 600 trainings on one tuple each.
#[test]
fn blocks_give_the_bytes_of_single_steps() {
    for seed in 0..u64::from(qwd_testkit::rounds(3)) {
        let data = data(seed, 150, 600);
        for method in resumable() {
            let one_by_one = in_pieces(&method, &data, &(1..600).collect::<Vec<_>>(), false);
            let at_once = train(&method, &data.problem(), Start::Identity).expect("trains");
            assert_eq!((at_once.steps, one_by_one.steps), (600, 600));
            assert!(at_once == one_by_one && bytes(&at_once) == bytes(&one_by_one), "{method:?}, seed {seed}");
            assert!(at_once.matrix.density() > 0.001, "{method:?} has nothing left to compare");
        }
    }
}

/// The same on long vectors and large rates. Constraints make a method take tuples one by one, so one that forbids what
/// never occurs gives the sequential algorithm at full speed.
#[test]
fn blocks_of_long_vectors_give_single_steps() {
    let n = 300u32;
    let nowhere = Constraints { forbidden: vec![(0, n), (n, 0)], ..Constraints::default() };
    for seed in 0..u64::from(qwd_testkit::rounds(2)) {
        let shape = Shape { n_queries: 400, query_len: 60, document_len: 60, wild: false, ..square(n as usize, 2500) };
        let mut plain = Plain::random(seed, &shape);
        // One more word on each side, which no vector has.
        plain.n_query_words += 1;
        plain.n_document_words += 1;
        let data = Data::of(plain);
        for (name, params) in [
            ("sgd", json!({ "learning_rate": 200.0 })),
            ("sgd", json!({ "learning_rate": 200.0, "symmetric": true })),
            ("sparse-sgd", json!({ "learning_rate": 200.0, "l1": 1e-4 })),
            ("sparse-sgd", json!({ "learning_rate": 20.0, "l1": 1e-3, "shrink_every": 1000 })),
        ] {
            let method = method(name, params);
            let blocks = train(&method, &data.problem(), Start::Identity).expect("trains");
            let single = method.train(&data.problem(), Start::Identity, &nowhere, None, &mut Session::quiet(&ONE));
            assert!(rows_of(&blocks.matrix) == rows_of(&single.expect("trains").matrix), "{method:?}, seed {seed}");
        }
    }
}

/// A margin that is, but for rounding, the score of a tuple after the step of the one before it in the same block: the
/// block must decide as single steps do.
#[test]
fn decisions_at_the_margin_are_those_of_single_steps() {
    let mut n_close = 0;
    for seed in 0..u64::from(qwd_testkit::rounds(400)) {
        let data = Data::random(seed, &Shape { wild: false, query_len: 9, document_len: 12, ..square(15, 2) });
        let tuples = data.plain.all();
        let rate = 0.37;
        let mut w = identity(15);
        let before = -tuples[0].missing(&w, 0.0).0;
        for (row, x) in w.iter_mut().zip(&tuples[0].query) {
            for (weight, y) in row.iter_mut().zip(&tuples[0].difference) {
                *weight += rate * x * y;
            }
        }
        let score = -tuples[1].missing(&w, 0.0).0;
        if score < 0.05 || before > score - 1e-3 {
            continue;
        }
        n_close += 1;
        for nudge in -12..=12 {
            let margin = score * (1.0 + 1e-8 * f64::from(nudge));
            for (name, params) in [
                ("sgd", json!({ "learning_rate": rate, "schedule": "fixed", "margin": margin })),
                (
                    "group-lasso",
                    json!({ "learning_rate": rate, "schedule": "fixed", "margin": margin, "group_l1": 0.0 }),
                ),
            ] {
                let method = method(name, params);
                let block = train(&method, &data.problem(), Start::Identity).expect("trains").matrix;
                let first = train(&method, &data.first(1), Start::Identity).expect("trains").matrix;
                let rest = data.part(&data.preferences[1..]);
                let single = train(&method, &rest, Start::Matrix(&first)).expect("trains").matrix;
                assert!(rows_of(&block) == rows_of(&single), "{method:?}, seed {seed}");
            }
        }
    }
    assert!(n_close > 20, "{n_close} close decisions");
}

/// Going on with nothing changes nothing, also where λ was steered.
#[test]
fn going_on_with_nothing_changes_nothing() {
    let data = data(2, 60, 3000);
    let mut methods = resumable();
    methods.push(method("sparse-sgd", json!({ "learning_rate": 20.0, "density": 0.05 })));
    for method in methods {
        let trained = train(&method, &data.problem(), Start::Identity).expect("trains");
        let state = trained.state.as_ref().expect("kept");
        let again = train(&method, &data.first(0), Start::Resume(&trained.matrix, state)).expect("goes on");
        assert!(again == trained, "{method:?}");
    }
}

/// A penalty too weak to make W sparse is remembered all the same.
#[test]
fn a_dense_w_goes_on_too() {
    let data = Data::random(3, &square(12, 400));
    let sparse = method("sparse-sgd", json!({ "learning_rate": 20.0, "l1": 1e-5, "shrink_every": 10 }));
    let whole = train(&sparse, &data.problem(), Start::Identity).expect("trains");
    assert!(whole.matrix.density() > 0.9);
    assert!(bytes(&in_pieces(&sparse, &data, &[7, 150, 333], true)) == bytes(&whole));
}

proptest! {
    #![proptest_config(cases(40))]

    /// Wherever the run is cut, also through a file.
    #[test]
    fn a_cut_run_gives_the_bytes_of_one(
        seed: u64,
        cuts in proptest::collection::btree_set(0usize..=700, 1..6),
        through_a_file: bool,
    ) {
        let data = data(seed, 150, 700);
        let cuts: Vec<usize> = cuts.into_iter().collect();
        for method in resumable() {
            let cut = in_pieces(&method, &data, &cuts, through_a_file);
            let whole = train(&method, &data.problem(), Start::Identity).expect("trains");
            prop_assert!(cut == whole && bytes(&cut) == bytes(&whole), "{:?}", method);
        }
    }

    /// Mini-batches are counted from the first tuple of the first run, so a run may be cut between two of them.
    #[test]
    fn mini_batches_may_be_cut_between(seed: u64, at in 1usize..20) {
        let data = data(seed, 150, 640);
        for (name, params) in [
            ("sgd", json!({ "learning_rate": 2.0, "batch": 32 })),
            ("sparse-sgd", json!({ "learning_rate": 20.0, "l1": 4e-3, "shrink_every": 64, "batch": 32 })),
            ("adagrad", json!({ "l1": 1e-3, "batch": 32 })),
            ("ftrl", json!({ "l1": 0.1, "batch": 32 })),
        ] {
            let method = method(name, params);
            let cut = in_pieces(&method, &data, &[32 * at], true);
            let whole = train(&method, &data.problem(), Start::Identity).expect("trains");
            prop_assert!(cut == whole && bytes(&cut) == bytes(&whole), "{:?}", method);
        }
    }
}

/// A state that fits no run, as from a damaged or forged file, is an error and not a crash.
#[test]
fn absurd_states_are_refused() {
    let data = data(1, 40, 30);
    for method in resumable() {
        let trained = train(&method, &data.problem(), Start::Identity).expect("trains");
        let Some(state) = &trained.state else { continue };
        let refused = |change: &dyn Fn(&mut TrainingState)| {
            let mut absurd = state.clone();
            change(&mut absurd);
            match train(&method, &data.problem(), Start::Resume(&trained.matrix, &absurd)) {
                Ok(trained) => drop(bytes(&trained)),
                Err(error) => assert!(matches!(error, Error::BadData { .. } | Error::Diverged { .. }), "{error:?}"),
            }
        };
        refused(&|state| state.step = u64::MAX);
        refused(&|state| state.numbers.values_mut().for_each(|x| *x = -1.0));
        refused(&|state| state.numbers.values_mut().for_each(|x| *x = f64::NAN));
        refused(&|state| state.numbers.values_mut().for_each(|x| *x = f64::MAX));
        refused(&|state| state.numbers.clear());
        refused(&|state| state.matrices.values_mut().for_each(|m| *m = wider(m)));
        refused(&|state| state.matrices.values_mut().for_each(|m| *m = negative(m)));
        refused(&|state| state.matrices.values_mut().take(1).for_each(|m| *m = Csr::empty(40)));
        refused(&|state| state.matrices.clear());
        refused(&|state| state.lazy_weights = None);
    }
}

/// The same entries, moved beyond the last column.
fn wider(m: &Csr) -> Csr {
    let (indptr, indices, values) = m.parts();
    let moved = indices.iter().map(|t| t + m.n_cols()).collect();
    Csr::from_parts(2 * m.n_cols(), indptr.to_vec(), moved, values.to_vec()).expect("valid")
}

fn negative(m: &Csr) -> Csr {
    let (indptr, indices, values) = m.parts();
    let values = values.iter().map(|v| -1e3 * v.abs()).collect();
    Csr::from_parts(m.n_cols(), indptr.to_vec(), indices.to_vec(), values).expect("valid")
}

/// Counts the looks.
struct Looks(Vec<u64>);

impl Watcher for Looks {
    fn look(&mut self, t: u64, _: &Matrix) -> Result<Option<f64>> {
        self.0.push(t);
        Ok(None)
    }
}

/// A look at W every step cuts all blocks down to one tuple, and changes nothing.
#[test]
fn being_watched_changes_nothing() {
    for seed in 0..u64::from(qwd_testkit::rounds(3)) {
        let data = data(seed, 120, 300);
        let mut methods = resumable();
        for period in [1, 9, 64] {
            let params = json!({ "learning_rate": 30.0, "group_l1": 2e-3, "shrink_every": period });
            methods.push(method("group-lasso", params));
        }
        methods.push(method("sparse-sgd", json!({ "learning_rate": 30.0, "shrink_every": 20, "density": 0.1 })));
        for method in methods {
            let unwatched = train(&method, &data.problem(), Start::Identity).expect("trains");
            for every in [1, 13] {
                let mut looks = Looks(Vec::new());
                let checkpoints = Checkpoints { every, patience: None };
                let mut session = Session::quiet(&ONE).with_watcher(checkpoints, &mut looks).expect("every step");
                let constraints = Constraints::default();
                let watched = method.train(&data.problem(), Start::Identity, &constraints, None, &mut session);
                let watched = watched.expect("trains");
                assert!(watched == unwatched && bytes(&watched) == bytes(&unwatched), "{method:?}");
                let expected: Vec<u64> = (1..=300).filter(|t| t % every == 0 || *t == 300).collect();
                assert_eq!(looks.0, expected, "{method:?}");
            }
        }
    }
}
