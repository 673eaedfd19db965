//! Multi-task training: tasks in turn on shared tables.

use crate::common::{Data, ONE, square};
use qwd_core::{Error, Threads};
use qwd_testkit::random::{Plain, Shape};
use qwd_train::{Helper, LowRankParams, MultiTask, Session};

fn params() -> LowRankParams {
    LowRankParams { rank: 10, learning_rate: 0.1, margin: 1.0, deviation: 0.1, ..LowRankParams::default() }
}

/// Words 2i and 2i + 1 mean the same in each language, and word j of one language is word j of the other.
fn planted(n: usize) -> Vec<(u32, u32, f32)> {
    (0..n as u32).flat_map(|s| [(s, s, 1.0), (s, s ^ 1, 1.0)]).collect()
}

#[test]
fn tasks_inside_the_languages_help_a_small_task_across() {
    let n = 30;
    let shape = |n_tuples| Shape { n_queries: 400, wild: false, skew: 1.0, query_len: 2, ..square(n, n_tuples) };
    let across = Data::of(Plain::planted(1, &shape(150), &planted(n)));
    let target = Data::of(Plain::planted(2, &shape(4000), &planted(n)));
    let source = Data::of(Plain::planted(3, &shape(4000), &planted(n)));
    let fresh = Data::of(Plain::planted(4, &shape(3000), &planted(n)));
    let trainer = MultiTask::new(params()).expect("good");
    // The few pairs across are seen again and again, with as many of the helpers in turn.
    let tuples: Vec<_> = across.preferences.iter().copied().cycle().take(4000).collect();
    let error_with = |helpers: &[Helper<'_>]| {
        let trained = trainer.train(&across.part(&tuples), helpers, &mut Session::quiet(&ONE)).expect("trains");
        assert_eq!(trained.steps, 4000);
        fresh.pair_error(&trained.matrix)
    };
    let alone = error_with(&[]);
    let both = error_with(&[Helper::Target(target.problem()), Helper::Source(source.problem())]);
    let only_v = error_with(&[Helper::TargetWithOwnQueries(target.problem())]);
    assert!(both < alone - 0.02, "{both} with help, {alone} without");
    assert!(only_v < alone, "{only_v} with help, {alone} without");
}

#[test]
fn the_bytes_are_the_same_at_any_number_of_threads() {
    let [across, target] = [1, 2].map(|seed| Data::random(seed, &square(40, 300)));
    let trainer = MultiTask::new(LowRankParams { batch: 16, ..params() }).expect("good");
    let run = |n| {
        let threads = Threads::new(n).expect("threads");
        let helpers = [Helper::Target(target.problem()), Helper::TargetWithOwnQueries(target.problem())];
        trainer.train(&across.problem(), &helpers, &mut Session::quiet(&threads)).expect("trains")
    };
    let one = run(1);
    assert!(run(2) == one && run(4) == one);
}

#[test]
fn helpers_of_other_words_are_refused() {
    let (across, other) = (Data::random(1, &square(6, 5)), Data::random(1, &square(7, 5)));
    let trainer = MultiTask::new(params()).expect("good");
    for helper in [Helper::Target(other.problem()), Helper::Source(other.problem())] {
        let error = trainer.train(&across.problem(), &[helper], &mut Session::quiet(&ONE)).expect_err("other words");
        assert!(matches!(error, Error::BadData { .. }), "{error}");
    }
    assert!(MultiTask::new(LowRankParams { symmetric: true, ..params() }).is_err());
}
