//! Settings, configurations, reports, constraints, and the same bytes at any number of threads.

use crate::folders::Folder;
use crate::running::{json, number, qwd};
use serde_json::Value;

#[test]
fn every_method_gives_the_same_bytes_at_any_number_of_threads() {
    let folder = Folder::new().with_texts().with_judgments();
    let entries = ["identity", "diagonal", "sgd", "sparse-sgd", "adagrad", "ftrl", "group-lasso"];
    let others = ["low-rank", "hash-kernels", "sparse-projection", "lsi", "cl-lsi"];
    for method in entries.into_iter().chain(others) {
        let mut first = None;
        for threads in [1, 2, 3, 8] {
            let train = format!("train data --method {method} --tuples 2000 --threads {threads} --out m.qwd");
            assert_eq!(json(folder.path(), &train)["method"], method);
            let bytes = folder.read("m.qwd");
            assert!(first.get_or_insert_with(|| bytes.clone()) == &bytes, "{method} at {threads} threads");
        }
    }
}

#[test]
fn refitting_and_batches_give_the_same_bytes_at_any_number_of_threads() {
    let folder = Folder::new().with_labels();
    let mut first = None;
    for threads in [1, 2, 3, 8] {
        json(folder.path(), &format!("train data --tuples 3000 --set batch=64 --threads {threads} --out m.qwd"));
        let bytes = folder.read("m.qwd");
        assert!(first.get_or_insert_with(|| bytes.clone()) == &bytes, "{threads} threads");
    }
}

#[test]
fn what_is_learned_beats_cosine_by_far() {
    let folder = Folder::new().with_texts().with_judgments();
    let train = json(folder.path(), "train data --tuples 5000 --out m.qwd");
    assert_eq!(number(&train, "/tuples"), 5000.0);
    assert!(number(&train, "/validation/metrics/map") > 0.9, "{train}");
    let compare = json(folder.path(), "compare data --model cosine --model m.qwd --fail-if-worse");
    assert!(number(&compare, "/differences/0/difference") > 0.5, "{compare}");
    let related = json(folder.path(), "related m.qwd casual3 -k 2");
    let words = related.pointer("/words/0/related").and_then(Value::as_array).expect("a list");
    let found: Vec<&str> = words.iter().filter_map(|w| w["word"].as_str()).collect();
    assert!(found.contains(&"formal3") || found.contains(&"official3"), "{related}");
}

#[test]
fn settings_configurations_and_options_agree() {
    let folder = Folder::new().with_texts().with_judgments();
    folder.write("c.toml", "tuples = 1500\nseed = 9\n[train]\nmethod = \"ftrl\"\nparams = { l1 = 0.5 }\n");
    folder.write("c.json", "{\"tuples\":1500,\"seed\":9,\"train\":{\"method\":\"ftrl\",\"params\":{\"l1\":0.5}}}");
    json(folder.path(), "train data --config c.toml --out a.qwd");
    json(folder.path(), "train data --config c.json --out b.qwd");
    json(folder.path(), "train data --method ftrl --set l1=0.5 --set tuples=1500 --seed 9 --out c.qwd");
    assert!(folder.read("a.qwd") == folder.read("b.qwd"));
    assert!(folder.read("a.qwd") == folder.read("c.qwd"));
    let plan = json(folder.path(), "inspect c.qwd");
    assert_eq!(plan.pointer("/provenance/params/train/params/l1"), Some(&0.5.into()));
    assert_eq!(number(&plan, "/provenance/seed"), 9.0);
}

#[test]
fn the_best_of_a_grid_is_a_configuration() {
    let folder = Folder::new().with_texts().with_judgments();
    let grid = "--grid l1=10,1e-6 --grid text.query.idf=none,plain --metric map,ndcg@10";
    let tuning =
        json(folder.path(), &format!("tune data --set stop=false --tuples 1500 {grid} --out best.json --path p.svg"));
    let path = String::from_utf8(folder.read("p.svg")).expect("SVG");
    assert!(path.contains("text.query.idf") && path.contains("density"), "{path}");
    qwd(folder.path(), "tune data --grid learning_rate=1 --path q.svg").fails(2, &["l1"]);
    assert_eq!(tuning["trials"].as_array().map(Vec::len), Some(4));
    let best = number(&tuning, "/best") as usize;
    let figures: Vec<f64> = (0..4).map(|i| number(&tuning, &format!("/trials/{i}/validation/metrics/map"))).collect();
    assert!(figures.iter().all(|&f| f <= figures[best]), "{tuning}");
    assert_eq!(number(&tuning["trials"][best], "/settings/l1"), 1e-6);
    let train = json(folder.path(), "train data --config best.json --out m.qwd");
    assert_eq!(number(&train, "/validation/metrics/map"), figures[best]);
}

#[test]
fn a_grid_of_labelled_data_holds_a_part_out() {
    let folder = Folder::new().with_labels();
    let grid = "--grid learning_rate=1,1e30 --grid refit=true,false --metric map,error";
    let tuning = json(folder.path(), &format!("tune data --tuples 500 {grid}"));
    assert!(number(&tuning, "/trials/0/validation/n_queries") < 20.0, "{tuning}");
    assert!(tuning.pointer("/trials/2/failure").is_some_and(|f| f.as_str().is_some_and(|f| f.contains("diverged"))));
}

#[test]
fn a_report_tells_the_whole_story_and_can_be_drawn() {
    let folder = Folder::new().with_texts().with_judgments();
    let train = "train data --tuples 4000 --set stop.every=500 --set stop.metric=error --out m.qwd --report r.json";
    let answer = json(folder.path(), train);
    let report: Value = serde_json::from_slice(&folder.read("r.json")).expect("JSON");
    assert_eq!(report["model"], answer["model"]);
    assert_eq!(report.pointer("/plan/stop/metric"), Some(&"error".into()));
    assert!(report["history"].as_array().is_some_and(|looks| looks.len() > 2), "{report}");
    json(folder.path(), "plot learning-curve r.json --out r.svg");
    assert!(folder.read("r.svg").starts_with(b"<svg") || folder.read("r.svg").starts_with(b"<?xml"));
    json(folder.path(), "train data --tuples 4000 --set stop=false --out m.qwd --report s.json");
    let report: Value = serde_json::from_slice(&folder.read("s.json")).expect("JSON");
    assert!(report["progress"].as_array().is_some_and(|samples| !samples.is_empty()), "{report}");
    json(folder.path(), "plot learning_curve s.json --title Loss --out s.png");
    assert!(folder.read("s.png").starts_with(b"\x89PNG"));
}

#[test]
fn pinned_forbidden_and_supported_pairs_are_kept() {
    let folder = Folder::new().with_texts().with_judgments();
    folder.write("pinned.tsv", "casual1\tformal2\t0.75\n").write("forbidden.tsv", "casual3\tformal3\n");
    folder.write("support.tsv", "casual4\tofficial4\n");
    let train = "train data --tuples 2000 --set stop=false --out m.qwd";
    let weight = |query: &str, document: &str| {
        let related = json(folder.path(), &format!("related m.qwd {query} -k 500"));
        let all = related.pointer("/words/0/related").and_then(Value::as_array).expect("a list").clone();
        all.iter().find(|w| w["word"] == document).map(|w| number(w, "/weight"))
    };
    json(folder.path(), &format!("{train} --pinned pinned.tsv --forbidden forbidden.tsv"));
    assert_eq!(weight("casual1", "formal2"), Some(0.75));
    assert_eq!(weight("casual3", "formal3"), None);
    assert!(weight("casual3", "official3").is_some());
    json(folder.path(), &format!("{train} --pinned pinned.tsv --set refit=true --set refit.params.learning_rate=1"));
    assert_eq!(weight("casual1", "formal2"), Some(0.75), "after refitting");
    json(folder.path(), &format!("{train} --support support.tsv --set start=zero"));
    assert!(weight("casual4", "official4").is_some_and(|w| w > 0.0));
    assert_eq!(json(folder.path(), "inspect m.qwd")["n_parameters"], 1);
    let dense = json(folder.path(), train);
    let sparse = json(folder.path(), &format!("{train} --support cooccur"));
    assert!(number(&sparse, "/density") < number(&dense, "/density"), "{sparse} {dense}");
}

#[test]
fn a_hierarchy_needs_the_group_lasso() {
    let folder = Folder::new().with_texts().with_judgments();
    folder.write("groups.tsv", "casual1\tquestions/odd\ncasual3\tquestions/odd\ncasual2\tquestions/even\n");
    let train = "train data --tuples 500 --hierarchy groups.tsv --out m.qwd";
    qwd(folder.path(), train).fails(2, &["group-lasso"]);
    json(folder.path(), &format!("{train} --method group-lasso"));
}

#[test]
fn help_lists_every_method_with_its_parameters() {
    let folder = Folder::new();
    let help = qwd(folder.path(), "train --help").expect(0).stdout;
    for text in ["sparse-sgd", "group_l1", "Symbol: λ", "text.vocabulary.n_words", "stop.patience", "--on-error"] {
        assert!(help.contains(text), "{text} is missing");
    }
}

#[test]
fn models_are_mixed_and_made_sparse() {
    let folder = Folder::new().with_texts().with_judgments();
    json(folder.path(), "train data --method low-rank --set rank=8 --tuples 3000 --out low.qwd");
    json(folder.path(), "train data --method sparse-sgd --tuples 3000 --out sparse.qwd");
    let mixed = json(folder.path(), "mix data --model low.qwd --model sparse.qwd --tuples 500 --out both.qwd");
    let weights: Vec<f64> = (0..2).map(|i| number(&mixed, &format!("/parts/{i}/weight"))).collect();
    assert!(weights.iter().all(|w| w.is_finite()) && weights[1] > 0.0, "{mixed}");
    let map = |model: &str| number(&json(folder.path(), &format!("eval data --model {model}")), "/metrics/map");
    assert!(map("both.qwd") > map("low.qwd").min(map("sparse.qwd")) - 0.01);
    qwd(folder.path(), "mix data --model low.qwd --out x.qwd").fails(2, &["at least 2 models"]);
    json(folder.path(), "train data --method identity --set text.vocabulary.n_words=5 --out few.qwd");
    qwd(folder.path(), "mix data --model low.qwd --model few.qwd --out x.qwd")
        .fails(3, &["reads texts in another way"]);

    let sparse = json(folder.path(), "sparsify both.qwd --per-row 5 --data data --metrics map --out small.qwd");
    let (before, after) = (number(&sparse, "/before/metrics/map"), number(&sparse, "/after/metrics/map"));
    assert_eq!((before, after), (map("both.qwd"), map("small.qwd")));
    let whole = json(folder.path(), "sparsify both.qwd --per-row 100000 --data data --metrics map --out whole.qwd");
    assert!(number(&whole, "/left_out") < 1e-3 && number(&sparse, "/left_out") > number(&whole, "/left_out"));
    assert!((number(&whole, "/after/metrics/map") - before).abs() < 1e-9, "{whole}");
    qwd(folder.path(), "sparsify both.qwd --per-row 0 --out x.qwd").fails(2, &["per_row"]);
}

/// Pages of two languages: page i speaks of topic i % 12 and links to the other pages of its topic.
fn two_languages() -> Folder {
    let folder = Folder::new();
    let (mut corpus, mut queries, mut mates, mut links) = Default::default();
    let add = |text: &mut String, line: String| text.push_str(&(line + "\n"));
    for i in 0..96 {
        let (topic, other) = (i % 12, i % 7);
        add(&mut corpus, format!("{{\"_id\":\"d{i}\",\"text\":\"english{topic} english{topic} word{other}\"}}"));
        add(&mut queries, format!("{{\"_id\":\"q{i}\",\"text\":\"nihon{topic} nihon{topic} kotoba{other}\"}}"));
        add(&mut mates, format!("q{i}\td{i}"));
        (0..96).filter(|j| j % 12 == topic && *j != i).for_each(|j| add(&mut links, format!("d{i}\td{j}")));
    }
    folder.write("data/corpus.jsonl", corpus).write("data/queries.jsonl", queries);
    folder.write("data/mates.tsv", mates).write("data/links.tsv", links);
    folder
}

#[test]
fn tasks_inside_one_language_help_across_two() {
    let folder = two_languages();
    let small = "--method low-rank --set rank=8 --set batch=32 --tuples 4000";
    json(folder.path(), &format!("train data {small} --out plain.qwd"));
    let map = |model: &str| number(&json(folder.path(), &format!("eval data --model {model}")), "/metrics/map");
    assert!(map("plain.qwd") > 0.9, "{}", map("plain.qwd"));
    for helpers in ["[\"target\"]", "[\"source\"]", "[\"target-with-own-queries\",\"source\"]"] {
        let few = format!("train data {small} --set share=0.05 --set helpers={helpers} --out helped.qwd");
        json(folder.path(), &few);
        let one = folder.read("helped.qwd");
        json(folder.path(), &format!("{few} --threads 3"));
        assert!(one == folder.read("helped.qwd"), "the same bytes at any number of threads");
        assert!(map("helped.qwd") > 0.3, "{helpers}: {}", map("helped.qwd"));
    }
    qwd(folder.path(), "train data --set helpers=[\"target\"] --out x.qwd").fails(2, &["helpers", "low-rank"]);
    qwd(folder.path(), "train data --set share=0 --out x.qwd").fails(2, &["share"]);
    let alone = Folder::new().with_texts().with_judgments();
    let asked = "train data --method low-rank --set start=zero --set helpers=[\"target\"] --tuples 100 --out x.qwd";
    qwd(alone.path(), asked).fails(3, &["no links within one language"]);
}

#[test]
fn queries_are_translated_word_by_word() {
    let folder = two_languages();
    let answer = json(folder.path(), "translate data --out english.jsonl");
    assert_eq!(number(&answer, "/n_queries"), 96.0);
    let text = String::from_utf8(folder.read("english.jsonl")).expect("text");
    assert!(text.contains("english3 english3 word3"), "{text}");
    json(folder.path(), "train data --method identity --out i.qwd");
    let map = |more: &str| number(&json(folder.path(), &format!("eval data --model i.qwd {more}")), "/metrics/map");
    assert!(map("--queries english.jsonl") > map("") + 0.3);
    folder.write("few.jsonl", "{\"_id\":\"q1\",\"text\":\"one\"}\n");
    qwd(folder.path(), "eval data --model i.qwd --queries few.jsonl").fails(3, &["has no text for query"]);
    let unmated = Folder::new().with_texts().with_judgments();
    qwd(unmated.path(), "translate data --out x.jsonl").fails(3, &["no mates"]);
}

#[test]
fn without_a_method_the_data_choose_and_never_end_below_the_start() {
    let folder = Folder::new().with_texts().with_judgments();
    let answer = json(folder.path(), "train data --budget 20 --out m.qwd --report r.json");
    let report: Value = serde_json::from_slice(&folder.read("r.json")).expect("JSON");
    let tried = report["search"]["tried"].as_array().expect("trials");
    let figures: Vec<f64> = tried.iter().filter_map(|trial| trial["figure"].as_f64()).collect();
    let best = report["search"]["best"].as_u64().expect("a place") as usize;
    let best = tried[best]["figure"].as_f64().expect("a figure");
    assert!(tried.len() >= 4 && figures.iter().all(|&figure| figure <= best), "{tried:?}");
    assert_eq!(report["search"]["metric"], "ndcg@10");
    assert!((number(&answer, "/validation/metrics/ndcg@10") - best).abs() < 1e-9, "{answer}");
    let run = qwd(folder.path(), "train data --budget 0 --out cut.qwd").expect(0);
    assert!(run.stdout.contains("time ran out") && run.stdout.contains("kept"), "{}", run.stdout);
}
