//! A plan from end to end.

use crate::common::ONE;
use crate::evaluation::{figures, n_words};
use crate::folders::{judged, labelled, open, write};
use qwd_core::{Error, Silent, Threads};
use qwd_data::{Opened, Split, SplitRule};
use qwd_model::{Matrix, Model};
use qwd_testkit::random::Dice;
use qwd_train::plan::{RefitPlan, StopParams};
use qwd_train::{Plan, TextParams, update};
use serde_json::json;

fn small_plan() -> Plan {
    let train = crate::common::method("sparse-sgd", json!({ "learning_rate": 5.0, "l1": 1e-3, "shrink_every": 50 }));
    Plan { train, tuples: 2000, ..Plan::default() }
}

#[test]
fn a_plan_gives_the_same_bytes_at_any_number_of_threads() {
    let folder = labelled();
    let data = open(folder.path());
    let refit = Some(RefitPlan { passes: 2, ..RefitPlan::default() });
    let stop = Some(StopParams { every: 300, patience: 2, ..StopParams::default() });
    for plan in [
        small_plan(),
        Plan { passes: 3, ..small_plan() },
        Plan { refit: refit.clone(), ..small_plan() },
        Plan { stop: stop.clone(), ..small_plan() },
        Plan { refit, stop, seed: 9, ..small_plan() },
    ] {
        let run = |n: usize| plan.run(&data, &Threads::new(n).expect("threads"), &Silent).expect("runs");
        let one = run(1);
        for n in [2, 3, 8] {
            let more = run(n);
            assert!(more.model.to_bytes().expect("finite") == one.model.to_bytes().expect("finite"), "{n} threads");
            assert_eq!((more.steps, &more.history), (one.steps, &one.history));
        }
        assert_eq!(one.before_refit.is_some(), plan.refit.is_some());
        assert_eq!(one.history.is_empty(), plan.stop.is_none());
        let provenance = one.model.provenance();
        assert_eq!((provenance.method.as_str(), provenance.seed), ("sparse-sgd", plan.seed));
        assert_eq!(serde_json::from_value::<Plan>(provenance.params.clone()).expect("its plan"), plan);
        assert!(provenance.data.contains_key("corpus.jsonl"), "{provenance:?}");
    }
}

/// A learned W beats the identity on data with synonyms, and validation never prefers a worse W.
#[test]
fn a_plan_learns_and_early_stopping_keeps_the_best() {
    let folder = labelled();
    let data = open(folder.path());
    let text = TextParams::default();
    let n = n_words(&data, &text);
    let (before, _) = figures(&data, &text, &Matrix::identity(n).expect("small"), &["map"]);
    let (after, _) =
        figures(&data, &text, small_plan().run(&data, &ONE, &Silent).expect("runs").model.matrix(), &["map"]);
    assert!(after[0] > before[0] + 0.05, "{after:?} {before:?}");
    for metric in ["map", "error"] {
        let stop = StopParams { metric: metric.into(), every: 100, patience: 3, queries: None };
        let outcome = Plan { stop: Some(stop), ..small_plan() }.run(&data, &ONE, &Silent).expect("runs");
        let better = |a: f64, b: f64| if metric == "map" { a.max(b) } else { a.min(b) };
        let best = outcome.history.iter().map(|look| look.figure).reduce(better).expect("looks");
        let at = outcome.history.iter().find(|look| look.figure == best).expect("among them");
        assert_eq!((outcome.steps, outcome.model.matrix().density()), (at.step, at.density), "{metric}");
        assert_eq!(outcome.history[0].step, 0, "the start is looked at");
    }
}

#[test]
fn plans_that_make_no_sense_are_refused_before_any_work() {
    let stop = |stop: StopParams| Plan { stop: Some(stop), ..Plan::default() };
    let refit = |learning_rate: f64| {
        let params = qwd_train::RefitParams { learning_rate, ..Default::default() };
        Plan { refit: Some(RefitPlan { params, passes: 1 }), ..Plan::default() }
    };
    let bad_rate = qwd_train::Method::Sgd(qwd_train::SgdParams { learning_rate: -1.0, ..Default::default() });
    for (plan, expected) in [
        (Plan { tuples: 0, ..Plan::default() }, "tuples"),
        (Plan { passes: 0, ..Plan::default() }, "passes"),
        (Plan { train: bad_rate, ..Plan::default() }, "learning_rate"),
        (refit(0.0), "learning_rate"),
        (Plan { refit: Some(RefitPlan { passes: 0, ..RefitPlan::default() }), ..Plan::default() }, "refit.passes"),
        (stop(StopParams { metric: "loudness".into(), ..StopParams::default() }), "metric"),
        (stop(StopParams { every: 0, ..StopParams::default() }), "stop.every"),
        (stop(StopParams { queries: Some(0), ..StopParams::default() }), "stop.queries"),
    ] {
        match plan.check() {
            Err(Error::InvalidParam { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
}

/// `update` goes on as if the new preferences had come in the same run, whatever the method.
#[test]
fn an_update_gives_the_bytes_of_one_run() {
    let corpus = judged();
    let mut dice = Dice::new(8);
    let queries: Vec<usize> = (0..20)
        .filter(|q| SplitRule { seed: 1, ..SplitRule::default() }.of_id(&format!("q{q}")) == Split::Train)
        .collect();
    let line = |dice: &mut Dice| {
        let q = queries[dice.below(queries.len())];
        let better = dice.below(60);
        format!("q{q}\td{better}\td{}", (better + 1 + dice.below(59)) % 60)
    };
    let lines: Vec<String> = (0..300).map(|_| line(&mut dice)).collect();
    let folder_of = |lines: &[String]| {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["corpus.jsonl", "queries.jsonl"] {
            std::fs::copy(corpus.path().join(name), folder.path().join(name)).expect("copied");
        }
        write(folder.path(), "preferences.tsv", lines);
        folder
    };
    let (old, new, whole) = (folder_of(&lines[..170]), folder_of(&lines[170..]), folder_of(&lines));
    let (old, new, whole) = (open(old.path()), open(new.path()), open(whole.path()));
    let Opened::Texts(of_whole) = &whole else { panic!("texts") };
    let seen = of_whole.files.iter().find(|file| file.path.ends_with("preferences.tsv")).expect("read");
    for (name, params) in [
        ("diagonal", json!({})),
        ("sgd", json!({ "learning_rate": 3.0 })),
        ("sparse-sgd", json!({ "learning_rate": 5.0, "l1": 0.01, "shrink_every": 30 })),
        ("adagrad", json!({ "l1": 1e-4 })),
        ("ftrl", json!({})),
    ] {
        let mut plan = Plan { train: crate::common::method(name, params), ..Plan::default() };
        plan.sample.order = serde_json::from_value(json!("as-given")).expect("an order");
        let first = plan.run(&old, &ONE, &Silent).expect("runs").model;
        let first = Model::from_bytes(&first.to_bytes().expect("finite")).expect("what was written");
        let updated = update(&first, &new, seen, &ONE, &Silent).expect("goes on").model;
        let at_once = plan.run(&whole, &ONE, &Silent).expect("runs").model;
        assert!(updated.to_bytes().expect("finite") == at_once.to_bytes().expect("finite"), "{name}");
    }
}

/// Words in bins: the model scores texts over words as training saw them over bins, at both levels and for two
/// vocabularies, and comes back from its file.
#[test]
fn a_plan_with_correlated_hashing_gives_a_model_over_words() {
    let folder = judged();
    let data = open(folder.path());
    for (level, one_vocabulary) in [("document", true), ("sentence", true), ("document", false)] {
        let start = if one_vocabulary { "identity" } else { "zero" };
        let plan = json!({
            "train": { "method": "low-rank", "params": { "rank": 3 } }, "tuples": 300, "start": start,
            "hashing": { "bins": 6, "per_word": 2, "level": level }, "text": { "one_vocabulary": one_vocabulary },
        });
        let plan: Plan = serde_json::from_value(plan).expect("a plan");
        let run = |n| plan.run(&data, &Threads::new(n).expect("threads"), &Silent).expect("trains").model;
        let model = run(1);
        let bytes = model.to_bytes().expect("finite");
        assert!(run(2).to_bytes().expect("finite") == bytes, "{level}");
        let Matrix::Binned(binned) = model.matrix() else { panic!("a W over bins") };
        assert_eq!(binned.inner().n_cols(), 6);
        assert_eq!(Model::from_bytes(&bytes).expect("sound").matrix(), model.matrix());
        assert!(model.score_text("topic1x1 word2", "topic1x0 word2 word3").expect("words") != 0.0, "{level}");
    }
    let refused = json!({ "hashing": { "bins": 3, "per_word": 4 } });
    assert!(serde_json::from_value::<Plan>(refused).expect("a plan").check().is_err());
}
