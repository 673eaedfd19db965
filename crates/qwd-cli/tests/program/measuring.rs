//! Figures, runs and comparisons.

use crate::folders::Folder;
use crate::running::{json, number, qwd};
use serde_json::Value;

#[test]
fn a_run_measured_by_itself_has_the_figures_of_its_model() {
    let folder = Folder::new().with_texts().with_judgments();
    json(folder.path(), "train data --tuples 2000 --out m.qwd");
    let of_model = json(folder.path(), "eval data --model m.qwd --metrics map,ndcg@10,mrr,error --run r.trec");
    let of_run =
        json(folder.path(), "eval --run-file r.trec --qrels data/qrels/test.tsv --metrics map,ndcg@10,mrr,error");
    assert_eq!(of_run["n_queries"], of_model["n_queries"]);
    for metric in ["map", "ndcg@10", "mrr", "error"] {
        let figure = |of: &Value| number(of, &format!("/metrics/{metric}"));
        assert!((figure(&of_model) - figure(&of_run)).abs() < 1e-12, "{metric}: {of_model} {of_run}");
    }
    assert!(of_model.pointer("/standard_errors/map").is_some());
    let shallow = json(folder.path(), "eval data --model m.qwd --run top.trec --depth 3");
    assert_eq!(shallow["metrics"].as_object().map(serde_json::Map::len), Some(5));
    assert_eq!(String::from_utf8_lossy(&folder.read("top.trec")).lines().count(), 3 * 18);
}

#[test]
fn a_missing_answer_counts_if_asked_to() {
    let folder = Folder::new();
    folder.write("r.trec", "q1 Q0 d1 1 2.5 tag\n").write("qrels", "q1 0 d1 1\nq2 0 d2 1\n");
    let eval = "eval --run-file r.trec --qrels qrels --metrics map";
    assert_eq!(number(&json(folder.path(), eval), "/metrics/map"), 1.0);
    assert_eq!(number(&json(folder.path(), &format!("{eval} --complete")), "/metrics/map"), 0.5);
}

#[test]
fn labelled_documents_are_each_others_queries() {
    let folder = Folder::new().with_labels();
    let train = json(folder.path(), "train data --tuples 2000 --out m.qwd");
    assert_eq!(train["validation"], Value::Object(serde_json::Map::new()));
    let eval = json(folder.path(), "eval data --model m.qwd");
    assert_eq!(number(&eval, "/n_queries"), 40.0);
    assert!(number(&eval, "/metrics/map") > 0.9, "{eval}");
    qwd(folder.path(), "eval data --model m.qwd --split dev").fails(3, &["the dev split"]);
}

#[test]
fn preferences_are_measured_by_their_error() {
    let folder = Folder::new().with_texts().with_preferences();
    let train = json(folder.path(), "train data --out m.qwd");
    assert!(number(&train, "/validation/metrics/error") < 0.5, "{train}");
    let eval = json(folder.path(), "eval data --model m.qwd");
    assert!(number(&eval, "/metrics/error") < 0.5, "{eval}");
    qwd(folder.path(), "eval data --model m.qwd --metrics map").fails(2, &["preferences only"]);
}

#[test]
fn a_worse_model_is_a_negative_answer_if_asked_for() {
    let folder = Folder::new().with_texts().with_judgments();
    json(folder.path(), "train data --tuples 2000 --out m.qwd");
    let compare = "compare data --model m.qwd --model cosine --model bm25 --metrics map,ndcg@10";
    let answer = json(folder.path(), compare);
    assert_eq!(answer["systems"].as_array().map(Vec::len), Some(3));
    let differences = answer["differences"].as_array().expect("a list");
    assert_eq!(differences.len(), 4);
    for difference in differences {
        assert!(number(difference, "/holm_p") >= number(difference, "/randomization_p"), "{difference}");
        assert_eq!(difference["better"], false);
    }
    let failed = qwd(folder.path(), &format!("{compare} --fail-if-worse --json")).expect(5);
    assert_eq!(failed.stdout.lines().count(), 1);
    assert!(failed.stderr.contains("cosine is worse than m.qwd"), "{}", failed.stderr);
    qwd(folder.path(), &format!("{compare} --fail-if-worse --level 1e-9")).expect(0);
    qwd(folder.path(), "compare data --model m.qwd --model m.qwd --fail-if-worse").expect(0);
    qwd(folder.path(), "compare data --model cosine --model m.qwd --fail-if-worse").expect(0);
}

#[test]
fn expanded_queries_are_a_baseline() {
    let folder = Folder::new().with_texts().with_judgments();
    let compare = "compare data --model cosine --model query-expansion --metrics map --split";
    // Tuned on dev, where no expansion is among the choices, it cannot be worse there.
    let dev = json(folder.path(), &format!("{compare} dev"));
    let map = |answer: &serde_json::Value, i: usize| number(answer, &format!("/systems/{i}/metrics/map"));
    assert!(map(&dev, 1) >= map(&dev, 0), "{dev}");
    assert_eq!(json(folder.path(), &format!("{compare} test"))["systems"].as_array().map(Vec::len), Some(2));
}

#[test]
fn two_models_can_be_drawn_query_by_query() {
    let folder = Folder::new().with_texts().with_judgments();
    json(folder.path(), "train data --tuples 2000 --out m.qwd");
    json(folder.path(), "compare data --model cosine --model m.qwd --scatter s.svg");
    assert!(String::from_utf8_lossy(&folder.read("s.svg")).contains("m.qwd"));
    qwd(folder.path(), "compare data --model m.qwd --scatter t.svg").fails(2, &["two models"]);
    qwd(folder.path(), "compare data --model cosine --model m.qwd --scatter s.pdf").fails(2, &[".svg or .png"]);
}

#[test]
fn models_that_hold_different_queries_out_are_not_compared() {
    let folder = Folder::new().with_texts().with_preferences();
    json(folder.path(), "train data --out a.qwd");
    json(folder.path(), "train data --seed 2 --out b.qwd");
    let compare = "compare data --model a.qwd --model b.qwd --metrics error";
    qwd(folder.path(), compare).fails(3, &["b.qwd", "same --seed"]);
}

#[test]
fn a_task_in_files_is_what_models_are_measured_on() {
    let folder = Folder::new().with_texts().with_judgments();
    json(folder.path(), "train data --method identity --out m.qwd");
    let own = json(folder.path(), "eval data --model m.qwd --metrics map,ndcg@10 --run m.run --depth 100000");
    let counts = json(folder.path(), "dataset task data --out task");
    let lines = |name: &str| folder.read(name).iter().filter(|&&byte| byte == b'\n').count() as f64;
    assert_eq!(number(&counts, "/queries"), lines("task/queries.jsonl"));
    assert_eq!(number(&counts, "/documents"), lines("task/corpus.jsonl"));
    assert_eq!(number(&counts, "/judgments"), lines("task/qrels.tsv") - 1.0);
    let run = json(folder.path(), "eval --run-file m.run --qrels task/qrels.tsv --metrics map,ndcg@10");
    for metric in ["/metrics/map", "/metrics/ndcg@10"] {
        assert_eq!(number(&own, metric), number(&run, metric), "{metric}");
    }
}
