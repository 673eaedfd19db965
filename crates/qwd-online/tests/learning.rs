//! Learning from feedback, from the first click to versions, erasure and replay.

use qwd_core::{Result, Threads};
use qwd_model::{Matrix, Model, Provenance, Side};
use qwd_online::{Feedback, Learner, OnlineParams, back_up, replay};
use qwd_text::{VectorizerParams, VocabularyParams};
use qwd_train::Plan;
use serde_json::json;
use std::path::Path;

const TEXTS: [(&str, &str); 4] = [
    ("car", "motor engine wheels"),
    ("sea", "wide blue water"),
    ("food", "bread and butter"),
    ("home", "house garden door"),
];

fn base() -> Result<Model> {
    // Every word stands in one text, so all weigh the same.
    let queries = (0..40).map(|i| format!("question{i}")).chain(["drive".to_string()]);
    let texts: Vec<String> = TEXTS.iter().map(|t| t.1.to_string()).chain(queries).collect();
    let words = VectorizerParams::default().fit(
        &VocabularyParams::default(),
        texts.iter().map(String::as_str),
        &Threads::new(1)?,
    )?;
    let provenance =
        Provenance { params: serde_json::to_value(Plan::default()).expect("a plan"), ..Provenance::new("sparse-sgd") };
    Model::new(Matrix::identity(words.vocabulary().len())?, provenance)
        .with_vectorizers(Some(words.clone()), Some(words))
}

fn open(folder: &Path, params: OnlineParams) -> Learner {
    Learner::open(folder, params, base).expect("a learner")
}

fn text_of(id: &str) -> Result<Option<String>> {
    Ok(TEXTS.iter().find(|t| t.0 == id).map(|t| t.1.to_string()))
}

/// Users who drive click on the car below two others.
fn clicks(users: std::ops::Range<u32>) -> Vec<Feedback> {
    let told = |i: u32| {
        let click = json!({"document": "car", "shown": ["sea", "food", "car", "home"]});
        json!({"query": format!("drive question{i}"), "click": click, "user": format!("u{i}"), "time": f64::from(i)})
    };
    users.map(|i| serde_json::from_value(told(i)).expect("a click")).collect()
}

/// How much better a model finds the car than the sea for someone who drives.
fn gain(model: &Model) -> f64 {
    let score = |i: usize| model.score_text("drive", TEXTS[i].1).expect("a score");
    score(0) - score(1)
}

#[test]
fn clicks_become_a_better_model_and_the_log_leads_to_it_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let learner = open(folder.path(), OnlineParams::default());
    assert!(learner.learn(true).expect("nothing to learn").is_none());
    learner.accept(&clicks(0..5), 1, text_of).expect("accepted");
    assert!(learner.learn(false).expect("too little").is_none());
    learner.accept(&clicks(5..20), 1, text_of).expect("accepted");
    let round = learner.learn(false).expect("learned").expect("a round");
    assert_eq!((round.version, round.published), (Some(2), true), "{round:?}");
    assert!(round.held_out.n > 0 && round.held_out.wrong_after < round.held_out.wrong_before, "{round:?}");
    assert!(round.n_preferences + round.held_out.n as usize == 60, "{round:?}");
    assert!(gain(&learner.model(2).expect("kept")) > gain(&learner.model(1).expect("kept")));
    assert!(learner.learn(true).expect("nothing new").is_none());

    learner.accept(&clicks(20..40), 1, text_of).expect("accepted");
    learner.learn(true).expect("learned").expect("a round");
    let replayed = replay(folder.path()).expect("the same way");
    let kept = learner.model(3).expect("kept").to_bytes().expect("bytes");
    assert_eq!((replayed.version, replayed.n_rounds), (3, 2));
    assert!(replayed.model.to_bytes().expect("bytes") == kept, "other bytes");

    assert_eq!(learner.roll_back(None).expect("one before"), 2);
    drop(learner);
    let learner = open(folder.path(), OnlineParams::default());
    let standing = learner.standing();
    assert_eq!((standing.current, standing.versions.len()), (2, 3));
    assert_eq!(replay(folder.path()).expect("the same way").version, 2);
    assert!(learner.roll_back(Some(9)).is_err());
}

#[test]
fn what_a_user_told_can_be_erased_and_old_feedback_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let params = OnlineParams { retain_days: Some(1.0), ..OnlineParams::default() };
    let learner = open(folder.path(), params.clone());
    for users in [0..15, 15..30, 30..40] {
        learner.accept(&clicks(users), 1, text_of).expect("accepted");
        learner.learn(true).expect("learned").expect("a round");
    }
    // All but the last ten are older than a day at this time.
    assert_eq!(learner.forget_old(86_400.0 + 30.0).expect("forgotten"), 30);
    let replayed = replay(folder.path()).expect("the rest of the way");
    assert_eq!((replayed.version, replayed.n_rounds), (4, 1));
    let before = learner.model(4).expect("kept").to_bytes().expect("bytes");
    assert!(replayed.model.to_bytes().expect("bytes") == before, "other bytes");

    assert_eq!(learner.erase("u35").expect("erased"), 1);
    let bytes = std::fs::read(folder.path().join("feedback.qwdlog")).expect("a log");
    assert!(!bytes.windows(5).any(|w| w == b"\"u35\""), "the user is still in the log");
    assert_eq!(learner.standing().current, 1, "learning starts again from the model that knows no feedback");
    assert!(learner.model(4).is_err(), "a model that learned from the user is gone");
    let round = learner.learn(true).expect("learned").expect("a round");
    assert_eq!(round.version, Some(5));
    drop(learner);
    assert_eq!(open(folder.path(), params).standing().current, 5);
}

#[test]
fn a_version_in_the_shadow_waits_and_only_the_latest_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let learner = open(folder.path(), OnlineParams { shadow: true, keep_versions: 2, ..OnlineParams::default() });
    for start in [0, 10, 20, 30] {
        learner.accept(&clicks(start..start + 10), 1, text_of).expect("accepted");
        assert!(!learner.learn(true).expect("learned").expect("a round").published);
    }
    let standing = learner.standing();
    assert_eq!((standing.current, standing.shadow), (1, Some(5)));
    let kept: Vec<u64> = standing.versions.iter().filter(|v| v.kept).map(|v| v.version).collect();
    assert_eq!(kept, [1, 4, 5]);
    learner.use_version(5).expect("kept");
    assert_eq!(learner.standing().current, 5);
    assert!(learner.roll_back(Some(2)).is_err(), "its file is gone");
    assert_eq!(learner.load(&base().expect("a model")).expect("loaded"), 6);
    assert_eq!(learner.standing().current, 6);
}

#[test]
fn feedback_on_unknown_documents_is_refused_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let learner = open(folder.path(), OnlineParams::default());
    let mut told = clicks(0..2);
    told.push(
        serde_json::from_value(json!({"query": "q", "preference": {"better": "car", "worse": "none"}})).expect("one"),
    );
    let message = learner.accept(&told, 1, text_of).expect_err("refused").to_string();
    assert!(message.contains("\"none\", which is not in the index"), "{message}");
    assert_eq!(learner.standing().n_records, 1);
    assert!(Learner::open(folder.path(), OnlineParams::default(), base).is_err(), "a second learner");
}

#[test]
fn pins_hold_from_the_moment_they_are_made_through_rounds_erasure_and_replay() {
    let folder = tempfile::tempdir().expect("a folder");
    let params = OnlineParams { retain_days: Some(1.0), ..OnlineParams::default() };
    let learner = open(folder.path(), params);
    let weight = |version: u64| {
        let model = learner.ranking(version).expect("kept");
        let terms =
            (model.term(Side::Query, "drive").expect("known"), model.term(Side::Document, "water").expect("known"));
        model.matrix().entry(terms.0, terms.1).expect("inside")
    };
    assert_eq!(weight(1), 0.0);
    learner.pin("drive", "water", Some(0.75)).expect("pinned");
    learner.pin("drive", "motor", Some(0.0)).expect("forbidden");
    assert_eq!(weight(1), 0.75);
    for users in [0..15, 15..30] {
        learner.accept(&clicks(users), 1, text_of).expect("accepted");
        let round = learner.learn(true).expect("learned").expect("a round");
        assert_eq!(weight(round.version.expect("better")), 0.75);
    }
    let drive_motor = |model: &Model| {
        let terms =
            (model.term(Side::Query, "drive").expect("known"), model.term(Side::Document, "motor").expect("known"));
        model.matrix().entry(terms.0, terms.1).expect("inside")
    };
    assert_eq!(drive_motor(&learner.ranking(3).expect("kept")), 0.0);
    assert!(drive_motor(&learner.model(3).expect("kept")) > 0.0, "learning goes on underneath");
    let same = |learner: &Learner| {
        let replayed = replay(folder.path()).expect("the same way");
        let ranks = learner.ranking(replayed.version).expect("kept").to_bytes().expect("bytes");
        assert!(replayed.ranking.to_bytes().expect("bytes") == ranks, "other bytes");
    };
    same(&learner);
    assert!(learner.forget_old(86_400.0 + 15.0).expect("forgotten") > 0);
    assert_eq!((weight(3), learner.pins().len()), (0.75, 2));
    same(&learner);
    learner.erase("u20").expect("erased");
    assert_eq!((weight(1), learner.standing().current), (0.75, 1));
    learner.pin("drive", "motor", None).expect("released");
    let pins = learner.pins();
    assert_eq!((pins.len(), pins[0].document.as_str(), pins[0].active), (1, "water", true));
    assert!(learner.pin("drive", "motor", None).is_err(), "it is released already");
    assert!(
        learner.pin("drive", "nowhere", Some(1.0)).is_err() && learner.pin("drive", "water", Some(f32::NAN)).is_err()
    );
    learner.learn(true).expect("learned").expect("a round");
    same(&learner);
}

#[test]
fn a_backup_of_a_learner_at_work_goes_on_by_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    let learner = open(&one, OnlineParams::default());
    learner.accept(&clicks(0..20), 1, text_of).expect("accepted");
    learner.learn(true).expect("learned").expect("a round");
    learner.pin("drive", "water", Some(0.75)).expect("pinned");
    learner.accept(&clicks(20..30), 1, text_of).expect("accepted");
    assert_eq!(back_up(&one, &other).expect("copied"), learner.standing().n_records);
    assert!(back_up(&one, &other).is_err(), "nothing is overwritten");
    let copy = open(&other, OnlineParams::default());
    assert_eq!(copy.standing().current, 2);
    for learner in [&learner, &copy] {
        assert_eq!(learner.learn(true).expect("learned").expect("a round").version, Some(3));
    }
    let bytes = |learner: &Learner| learner.ranking(3).expect("kept").to_bytes().expect("bytes");
    assert!(bytes(&learner) == bytes(&copy), "both learned the same");
}

#[test]
fn a_round_learns_from_so_much_and_leaves_the_rest_to_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let learner = open(folder.path(), OnlineParams { max_round: 15, ..OnlineParams::default() });
    learner.accept(&clicks(0..40), 1, text_of).expect("accepted");
    let mut n_told = Vec::new();
    while let Some(round) = learner.learn(true).expect("learned") {
        assert!(round.version.is_some(), "{round:?}");
        n_told.push(round.n_preferences);
    }
    // Three preferences of each click, but for queries that are held out.
    assert!(n_told.len() == 3 && n_told.iter().all(|n| *n <= 45 && n % 3 == 0), "{n_told:?}");
    let replayed = replay(folder.path()).expect("the same way");
    let kept = learner.model(replayed.version).expect("kept").to_bytes().expect("bytes");
    assert!(replayed.n_rounds == 3 && replayed.model.to_bytes().expect("bytes") == kept, "other bytes");
}
