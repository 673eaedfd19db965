//! What each command answers, to people and to scripts.

use crate::folders::Folder;
use crate::running::{json, names, number, qwd};
use serde_json::Value;

fn trained() -> Folder {
    let folder = Folder::new().with_texts().with_judgments();
    json(folder.path(), "train data --tuples 2000 --out m.qwd");
    folder
}

#[test]
fn the_demo_needs_nothing_and_beats_cosine() {
    let folder = Folder::new();
    let run = qwd(folder.path(), "demo").expect(0);
    for text in ["240 help-centre articles", "learned W", "ndcg@10", "a question says"] {
        assert!(run.stdout.contains(text), "{text:?} is missing in: {}", run.stdout);
    }
    let answer = json(folder.path(), "demo --ask wifi");
    for i in 0..3 {
        let difference = &answer["differences"][i];
        assert!(number(difference, "/difference") > 0.1 && number(difference, "/holm_p") < 0.001, "{difference}");
    }
    assert!(answer["pairs"].as_array().is_some_and(|pairs| pairs.len() > 5), "{answer}");
    assert_eq!(answer.pointer("/answers/0/hits").and_then(Value::as_array).map(Vec::len), Some(3));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn the_demo_corpus_is_a_data_set_like_any_other() {
    let folder = Folder::new();
    let train = json(folder.path(), "train demo --tuples 20000 --out m.qwd");
    assert!(number(&train, "/validation/metrics/ndcg@10") > 0.3, "{train}");
    let eval = json(folder.path(), "eval demo --model m.qwd");
    assert!(number(&eval, "/n_queries") > 200.0);
}

#[test]
fn training_tells_people_what_it_made() {
    let folder = Folder::new().with_texts().with_judgments();
    let run = qwd(folder.path(), "train data --tuples 2000 --out m.qwd").expect(0);
    assert!(run.stdout.contains("sparse-sgd trained on 2000 tuples"), "{}", run.stdout);
    assert!(run.stdout.contains("validation"), "{}", run.stdout);
    let answer = json(folder.path(), "train data --tuples 2000 --out m.qwd");
    let keys: Vec<&str> = answer.as_object().expect("an object").keys().map(String::as_str).collect();
    for key in ["model", "method", "tuples", "seconds", "density", "bytes", "validation"] {
        assert!(keys.contains(&key), "{keys:?}");
    }
    assert_eq!(number(&answer, "/bytes"), folder.read("m.qwd").len() as f64);
}

#[test]
fn words_have_partners_on_both_sides() {
    let folder = trained();
    let run = qwd(folder.path(), "related m.qwd casual1 Casual2 -k 3").expect(0);
    assert!(run.stdout.contains("official1") || run.stdout.contains("formal1"), "{}", run.stdout);
    let back = json(folder.path(), "related m.qwd formal1 --side document -k 2").to_string();
    assert!(back.contains("casual1"), "{back}");
    qwd(folder.path(), "related m.qwd nonsense").fails(3, &["knows no query word \"nonsense\""]);
}

#[test]
fn raw_text_is_scored_and_explained() {
    let folder = trained();
    let arguments =
        ["score", "m.qwd", "--query", "casual1 never seen", "--document", "formal1 text", "--json", "--explain"];
    let run = crate::running::command(folder.path()).args(arguments).output().expect("runs");
    let answer = crate::running::Run::of(run).json();
    let reasons = answer["reasons"].as_array().expect("a list");
    let sum: f64 = reasons.iter().map(|r| number(r, "/value")).sum();
    assert!((sum - number(&answer, "/score")).abs() < 1e-4, "{answer}");
    assert_eq!(answer["unknown_words"], serde_json::json!(["never", "seen"]));
}

#[test]
fn a_model_file_is_described_and_verified() {
    let folder = trained();
    let summary = json(folder.path(), "inspect m.qwd");
    assert_eq!(summary["form"], "sparse");
    assert_eq!(summary.pointer("/provenance/method"), Some(&"sparse-sgd".into()));
    assert!(qwd(folder.path(), "inspect m.qwd").expect(0).stdout.contains("one vocabulary for both sides"));
    assert_eq!(json(folder.path(), "verify m.qwd")["sound"], true);
    let mut bytes = folder.read("m.qwd");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    folder.write("damaged.qwd", bytes);
    let verified = qwd(folder.path(), "verify damaged.qwd --json").expect(5);
    let answer: Value = serde_json::from_str(&verified.stdout).expect("one object");
    assert_eq!(answer["sound"], false);
    qwd(folder.path(), "related damaged.qwd casual1").fails(4, &["damaged.qwd", "damaged"]);
    qwd(folder.path(), "verify missing.qwd").fails(1, &["missing.qwd: cannot open"]);
}

#[test]
fn a_heat_map_shows_the_strongest_words() {
    let folder = trained();
    json(folder.path(), "plot heat-map --model m.qwd --words 8 --title W --out w.svg");
    assert!(String::from_utf8_lossy(&folder.read("w.svg")).contains("casual"));
    let bars = r#"{"metrics":["map"],"groups":[]}"#;
    folder.write("bars.json", bars);
    qwd(folder.path(), "plot bars bars.json --out b.svg").expect(3);
    qwd(folder.path(), "plot pie bars.json --out b.svg").fails(2, &["heat_map"]);
    assert!(!folder.file("b.svg").exists());
}

#[test]
fn lines_are_drawn_from_their_numbers() {
    let folder = Folder::new();
    let figure = r#"{"x":{"label":"k"},"y":{"label":"ndcg"},"series":[{"name":"a","points":[[1,0.5],[2,0.6]]}]}"#;
    folder.write("f.json", figure);
    assert_eq!(json(folder.path(), "plot lines f.json --out f.png")["kind"], "lines");
    assert!(folder.read("f.png").starts_with(b"\x89PNG"));
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let folder = Folder::new();
    let script = qwd(folder.path(), "completions bash").expect(0).stdout;
    let page = qwd(folder.path(), "man").expect(0).stdout;
    for name in ["demo", "dataset", "train", "tune", "update", "eval", "compare", "related", "verify", "reproduce"] {
        assert!(script.contains(name) && page.contains(name), "{name}");
    }
    assert!(json(folder.path(), "man train")["page"].as_str().is_some_and(|page| page.contains("pinned")));
    assert_eq!(json(folder.path(), "completions zsh")["shell"], "zsh");
}

#[test]
fn an_unknown_experiment_is_told_what_exists() {
    let folder = Folder::new();
    qwd(folder.path(), "reproduce 9-table9").fails(2, &["1-table2-20ng", "1-table3"]);
}
