//! Early stopping returns the best W seen, waits as long as it should, and an observer can stop everything.

use crate::common::{Data, ONE, method, square, train};
use qwd_core::{Control, Error, Observer, Progress, Result};
use qwd_model::Matrix;
use qwd_testkit::random::{Dice, Plain, Shape};
use qwd_train::{Checkpoints, Constraints, METHODS, Method, Session, Start, Trained, Watcher};
use serde_json::json;
use std::sync::Mutex;

/// Gives figures from a list, and remembers what it was shown.
struct Scripted {
    figures: Vec<Option<f64>>,
    seen: Vec<(u64, Matrix)>,
}

impl Watcher for Scripted {
    fn look(&mut self, t: u64, matrix: &Matrix) -> Result<Option<f64>> {
        let figure = self.figures.get(self.seen.len()).copied().flatten();
        self.seen.push((t, matrix.clone()));
        Ok(figure)
    }
}

/// All methods that learn step by step, in one round.
fn learners() -> Vec<Method> {
    let learns = |name: &str| {
        !matches!(name, "identity" | "lsi" | "cl-lsi" | "sparse-projection" | "rmls" | "pls" | "svdfeature")
    };
    METHODS.iter().filter(|info| learns(info.name)).map(|info| method(info.name, json!({}))).collect()
}

fn watched(method: &Method, data: &Data, checkpoints: Checkpoints, watcher: &mut dyn Watcher) -> Result<Trained> {
    let mut session = Session::quiet(&ONE).with_watcher(checkpoints, watcher)?;
    method.train(&data.problem(), Start::Identity, &Constraints::default(), None, &mut session)
}

#[test]
fn the_best_is_returned_and_patience_is_kept() {
    let data = Data::random(1, &square(15, 200));
    let checkpoints = Checkpoints { every: 10, patience: Some(2) };
    for method in learners() {
        // Look 0 is at the start. The best comes at look 3; an equal figure at look 4 is not better.
        let figures = [1.0, 2.0, 1.5, 3.0, 3.0, 2.9, 9.0].map(Some).to_vec();
        let mut scripted = Scripted { figures, seen: vec![] };
        let trained = watched(&method, &data, checkpoints, &mut scripted).expect("trains");
        let times: Vec<u64> = scripted.seen.iter().map(|(t, _)| *t).collect();
        assert_eq!(times, [0, 10, 20, 30, 40, 50], "{method:?}");
        assert_eq!(trained.steps, 30, "{method:?}");
        assert!(trained.state.is_none_or(|state| state.step == 30), "{method:?}: training goes on from the best");
        assert_eq!(trained.matrix, scripted.seen[3].1, "{method:?}");
        let usual = train(&method, &data.first(30), Start::Identity).expect("trains");
        assert_eq!(trained.matrix, usual.matrix, "{method:?}: the best is what training so far gives");
    }
}

#[test]
fn it_is_never_worse_than_the_start() {
    let data = Data::random(1, &square(15, 200));
    for method in learners() {
        let figures = [5.0, 4.0, 3.0, 4.9, 1.0, 1.0].map(Some).to_vec();
        let mut scripted = Scripted { figures, seen: vec![] };
        let checkpoints = Checkpoints { every: 50, patience: Some(100) };
        let trained = watched(&method, &data, checkpoints, &mut scripted).expect("trains");
        assert_eq!(scripted.seen.len(), 5, "{method:?}");
        assert_eq!(trained.steps, 0, "{method:?}");
        let start = train(&method, &data.first(0), Start::Identity).expect("trains");
        assert_eq!(trained.matrix, start.matrix, "{method:?}");
    }
}

/// A period between looks that is longer than the data still compares the end with the start.
#[test]
fn the_end_is_looked_at_too() {
    let data = Data::random(1, &square(15, 70));
    for method in learners() {
        let mut scripted = Scripted { figures: vec![Some(0.0), Some(1.0)], seen: vec![] };
        let checkpoints = Checkpoints { every: 1_000_000, patience: Some(3) };
        let trained = watched(&method, &data, checkpoints, &mut scripted).expect("trains");
        assert_eq!(trained.steps, 70, "{method:?}");
        assert_eq!(trained.matrix, train(&method, &data.problem(), Start::Identity).expect("trains").matrix);
    }
}

#[test]
fn without_figures_or_patience_nothing_stops() {
    let data = Data::random(1, &square(15, 100));
    for method in learners() {
        let whole = train(&method, &data.problem(), Start::Identity).expect("trains");
        for (figures, patience) in [(vec![None; 20], Some(1)), (vec![Some(1.0); 20], None)] {
            let mut scripted = Scripted { figures, seen: vec![] };
            let checkpoints = Checkpoints { every: 10, patience };
            assert_eq!(watched(&method, &data, checkpoints, &mut scripted).expect("trains"), whole, "{method:?}");
        }
    }
    let mut scripted = Scripted { figures: vec![], seen: vec![] };
    let refused = watched(&learners()[0], &data, Checkpoints { every: 0, patience: None }, &mut scripted);
    assert!(matches!(refused, Err(Error::InvalidParam { .. })), "{refused:?}");
}

/// Measures the pair error on tuples that are not trained on.
struct Validation<'a> {
    data: &'a Data,
    seen: Vec<f64>,
}

impl Watcher for Validation<'_> {
    fn look(&mut self, _: u64, matrix: &Matrix) -> Result<Option<f64>> {
        self.seen.push(-self.data.pair_error(matrix));
        Ok(self.seen.last().copied())
    }
}

#[test]
fn the_best_on_held_out_tuples_is_returned() {
    let shape = Shape { n_queries: 60, ..square(30, 1500) };
    let mut dice = Dice::new(3);
    let pairs: Vec<(u32, u32, f32)> =
        (0..60).map(|_| (dice.below(30) as u32, dice.below(30) as u32, dice.signed() as f32)).collect();
    let data = Data::of(Plain::planted(1, &shape, &pairs));
    let held_out = Data::of(Plain::planted(2, &shape, &pairs));
    for method in learners() {
        let mut validation = Validation { data: &held_out, seen: vec![] };
        let checkpoints = Checkpoints { every: 100, patience: Some(4) };
        let trained = watched(&method, &data, checkpoints, &mut validation).expect("trains");
        let best = validation.seen.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(-held_out.pair_error(&trained.matrix), best, "{method:?}");
        assert!(best >= validation.seen[0], "{method:?}");
    }
}

/// What is returned early keeps the wanted density.
#[test]
fn a_wanted_density_is_kept_when_stopping_early() {
    let data = Data::random(6, &Shape { n_queries: 300, n_tuples: 6000, ..square(100, 0) });
    let sparse = method("sparse-sgd", json!({ "learning_rate": 20.0, "density": 0.05 }));
    for best in [3, 7, 12] {
        let mut figures = vec![Some(0.0); 20];
        figures[best] = Some(1.0);
        let mut scripted = Scripted { figures, seen: vec![] };
        let checkpoints = Checkpoints { every: 500, patience: Some(50) };
        let density = watched(&sparse, &data, checkpoints, &mut scripted).expect("trains").matrix.density();
        assert!(density <= 0.055, "{density} at look {best}");
    }
}

/// Remembers reports, and stops at one of them.
struct Reports {
    stop_at: usize,
    seen: Mutex<Vec<Progress>>,
}

impl Observer for Reports {
    fn progress(&self, progress: &Progress) -> Control {
        let mut seen = self.seen.lock().expect("no panic");
        seen.push(progress.clone());
        if seen.len() == self.stop_at { Control::Stop } else { Control::Continue }
    }
}

#[test]
fn an_observer_hears_of_the_end_and_can_stop() {
    let data = Data::random(1, &square(15, 100));
    for method in learners() {
        let run = |stop_at| {
            let reports = Reports { stop_at, seen: Mutex::default() };
            let mut session = Session::new(&ONE, &reports);
            let outcome = method.train(&data.problem(), Start::Zero, &Constraints::default(), None, &mut session);
            (outcome, reports.seen.into_inner().expect("no panic"))
        };
        let (outcome, seen) = run(0);
        outcome.expect("trains");
        let last = seen.last().expect("a report at the end");
        assert_eq!((last.stage, last.done, last.total), ("training", 100, 100), "{method:?}");
        assert!(last.pairs > 0 && last.loss.is_some_and(|loss| loss > 0.0), "{method:?}: {last:?}");
        let (outcome, seen) = run(1);
        assert!(matches!(outcome, Err(Error::Interrupted)), "{method:?}: {outcome:?}");
        assert_eq!(seen.len(), 1, "{method:?}");
    }
}
