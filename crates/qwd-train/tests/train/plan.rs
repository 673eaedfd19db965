//! From a folder to figures: `evaluate` against figures worked out the slow way, identity against BM25 written by hand,
//! and a plan from end to end.

use crate::common::{ONE, rows_of};
use qwd_core::{Error, Silent, Threads};
use qwd_data::{Opened, Reading, Split, SplitRule};
use qwd_metrics::Metric;
use qwd_model::{Matrix, Model};
use qwd_testkit::bilinear::{self, Rows};
use qwd_testkit::random::Dice;
use qwd_text::{Idf, Norm, Tf, WeightingParams};
use qwd_train::plan::{RefitPlan, StopParams};
use qwd_train::{Plan, Prepared, TextParams, evaluate, update};
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;

/// Some words, the later ones rarer; few enough that many documents are scored alike.
fn text(dice: &mut Dice, len: usize, topic: usize) -> String {
    let word = |dice: &mut Dice| {
        let n = (12.0 * dice.unit().powi(2)) as usize;
        if dice.unit() < 0.4 { format!("topic{topic}x{}", n % 3) } else { format!("word{n}") }
    };
    (0..1 + dice.below(len)).map(|_| word(dice)).collect::<Vec<_>>().join(" ")
}

fn write(folder: &Path, name: &str, lines: &[String]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).expect("written");
}

fn open(folder: &Path) -> Opened {
    Opened::open(folder, &mut Reading::default()).expect("a data set")
}

/// Documents of three classes and one of a class of its own, some of the same text, in train and test.
fn labelled() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut dice = Dice::new(5);
    let mut lines = Vec::new();
    for i in 0..90 {
        let topic = dice.below(3);
        let (text, split) = (text(&mut dice, 9, topic), if i % 3 == 0 { "test" } else { "train" });
        lines.push(
            json!({ "_id": format!("d{i}"), "text": text, "label": format!("c{topic}"), "split": split }).to_string(),
        );
    }
    lines.push(json!({ "_id": "lonely", "text": "word1", "label": "alone", "split": "test" }).to_string());
    lines.push(json!({ "_id": "empty", "text": "", "label": "c0", "split": "test" }).to_string());
    write(folder.path(), "corpus.jsonl", &lines);
    folder
}

/// Queries of their own, with graded judgments of some documents.
fn judged() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut dice = Dice::new(6);
    let corpus: Vec<String> =
        (0..60).map(|i| json!({ "_id": format!("d{i}"), "text": text(&mut dice, 9, i % 3) }).to_string()).collect();
    write(folder.path(), "corpus.jsonl", &corpus);
    let queries: Vec<String> =
        (0..20).map(|i| json!({ "_id": format!("q{i}"), "text": text(&mut dice, 4, i % 3) }).to_string()).collect();
    write(folder.path(), "queries.jsonl", &queries);
    for (split, queries) in [("train", 0..12), ("test", 12..20)] {
        let mut lines = vec!["query-id\tcorpus-id\tscore".to_string()];
        for query in queries {
            for document in 0..60 {
                // Query 19 has no relevant document.
                let grade = if query == 19 { 0 } else { [0, 0, 1, 2][dice.below(4)] };
                if document % 3 == query % 3 && dice.unit() < 0.6 {
                    lines.push(format!("q{query}\td{document}\t{grade}"));
                }
            }
        }
        write(folder.path(), &format!("qrels/{split}.tsv"), &lines);
    }
    folder
}

/// Whole numbers, so that scores are exact and ties are ties.
fn counts() -> TextParams {
    let raw = WeightingParams { tf: Tf::Raw, idf: Idf::None, norm: Norm::None, ..WeightingParams::default() };
    TextParams { document: raw.clone(), query: raw, ..TextParams::default() }
}

/// A W of small whole numbers.
fn whole_numbers(n: usize) -> Matrix {
    let mut dice = Dice::new(n as u64);
    let weights = (0..n * n).map(|_| if dice.unit() < 0.8 { 0.0 } else { (dice.below(7) as f32) - 3.0 }).collect();
    Matrix::dense(n, n, weights).expect("finite")
}

/// What a document is to a query: its id, its score, its grade if it was judged.
type Hit = (String, f64, Option<i32>);

/// Average precision, by counting; ties go to the greater id.
fn slow_average_precision(hits: &[Hit]) -> f64 {
    let comes_before = |a: &Hit, b: &Hit| a.1 > b.1 || (a.1 == b.1 && a.0 > b.0);
    let is_relevant = |hit: &&Hit| hit.2.is_some_and(|grade| grade > 0);
    let rank = |hit: &Hit, among: &[&Hit]| 1 + among.iter().filter(|other| comes_before(other, hit)).count();
    let relevant: Vec<&Hit> = hits.iter().filter(is_relevant).collect();
    let all: Vec<&Hit> = hits.iter().collect();
    relevant.iter().map(|hit| rank(hit, &relevant) as f64 / rank(hit, &all) as f64).sum::<f64>() / relevant.len() as f64
}

/// The share of pairs of different grades that are the wrong way round or tied; unjudged documents have grade 0.
fn slow_pair_error(hits: &[Hit]) -> Option<f64> {
    let (mut n_pairs, mut n_wrong) = (0, 0);
    for better in hits {
        for worse in hits.iter().filter(|worse| better.2.unwrap_or(0) > worse.2.unwrap_or(0)) {
            n_pairs += 1;
            n_wrong += usize::from(better.1 <= worse.1);
        }
    }
    (n_pairs > 0).then(|| n_wrong as f64 / n_pairs as f64)
}

/// nDCG of the first k, with the grade as gain.
fn slow_ndcg(hits: &[Hit], k: usize) -> f64 {
    let gain = |hit: &Hit| f64::from(hit.2.unwrap_or(0).max(0));
    let dcg =
        |gains: Vec<f64>| (1u32..).zip(gains.iter().take(k)).map(|(i, g)| g / f64::from(i + 1).log2()).sum::<f64>();
    let mut ranked = hits.to_vec();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    let mut ideal: Vec<f64> = hits.iter().map(gain).collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    dcg(ranked.iter().map(gain).collect()) / dcg(ideal)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn written_out(x: qwd_core::SparseView<'_>, n: usize) -> Vec<f64> {
    qwd_testkit::dense(x.indices(), x.values(), n)
}

fn metrics(names: &[&str]) -> Vec<Metric> {
    names.iter().map(|name| name.parse().expect("a metric")).collect()
}

/// Evaluates W on the test split, with several threads.
fn figures(data: &Opened, text: &TextParams, matrix: &Matrix, names: &[&str]) -> (Vec<f64>, usize) {
    let prepared = Prepared::fit(data, text, SplitRule::default(), &ONE).expect("words");
    let (task, vectors) = prepared.task(Split::Test).expect("a test split");
    let names = metrics(names);
    let threads = Threads::new(3).expect("threads");
    let evaluation = evaluate(matrix, &task, vectors, &prepared, &names, &threads).expect("evaluates");
    let summary = evaluation.summary();
    (names.iter().map(|&metric| summary.metrics.get(metric).expect("a mean")).collect(), summary.n_queries)
}

fn n_words(data: &Opened, text: &TextParams) -> usize {
    let prepared = Prepared::fit(data, text, SplitRule::default(), &ONE).expect("words");
    prepared.train_vectors().documents.n_cols() as usize
}

#[test]
fn labelled_data_are_measured_as_by_hand() {
    let folder = labelled();
    let data = open(folder.path());
    let Opened::Texts(dataset) = &data else { panic!("texts") };
    let text = counts();
    let n = n_words(&data, &text);
    let prepared = Prepared::fit(&data, &text, SplitRule::default(), &ONE).expect("words");
    let rows = &prepared.train_vectors().documents;
    for matrix in [Matrix::identity(n).expect("small"), whole_numbers(n)] {
        let w: Rows = rows_of(&matrix);
        let test: Vec<usize> =
            (0..dataset.documents.len()).filter(|&i| dataset.documents[i].split == Some(Split::Test)).collect();
        let (mut precisions, mut errors) = (Vec::new(), Vec::new());
        for &q in &test {
            let query = written_out(rows.row(q), n);
            let of = |d: usize| {
                let score = bilinear::score(&w, &query, &written_out(rows.row(d), n));
                let same = dataset.documents[d].label == dataset.documents[q].label;
                (dataset.documents[d].id.clone(), score, Some(i32::from(same)))
            };
            let hits: Vec<Hit> = test.iter().filter(|&&d| d != q).map(|&d| of(d)).collect();
            if hits.iter().any(|hit| hit.2 == Some(1)) {
                precisions.push(slow_average_precision(&hits));
                errors.extend(slow_pair_error(&hits));
            }
        }
        let (figures, n_queries) = figures(&data, &text, &matrix, &["map", "error"]);
        assert_eq!(n_queries, 31, "all test documents but the one without a sibling");
        assert!((figures[0] - mean(&precisions)).abs() < 1e-12, "{} {}", figures[0], mean(&precisions));
        assert!((figures[1] - mean(&errors)).abs() < 1e-12, "{} {}", figures[1], mean(&errors));
        // With another metric beside them the figures come by another way, and are the same.
        let (again, _) = self::figures(&data, &text, &matrix, &["map", "error", "p@5"]);
        assert!((again[0] - figures[0]).abs() < 1e-12 && (again[1] - figures[1]).abs() < 1e-12);
    }
}

#[test]
fn judged_data_are_measured_as_by_hand() {
    let folder = judged();
    let data = open(folder.path());
    let Opened::Texts(dataset) = &data else { panic!("texts") };
    let text = counts();
    let n = n_words(&data, &text);
    let prepared = Prepared::fit(&data, &text, SplitRule::default(), &ONE).expect("words");
    let vectors = prepared.train_vectors();
    for matrix in [Matrix::identity(n).expect("small"), whole_numbers(n)] {
        let w: Rows = rows_of(&matrix);
        let (mut precisions, mut errors, mut ndcgs) = (Vec::new(), Vec::new(), Vec::new());
        for q in 12..20u32 {
            let query = written_out(vectors.queries.row(q as usize), n);
            let grade = |d: u32| {
                let judgments = &dataset.judgments[&Split::Test];
                judgments.iter().find(|j| (j.query, j.document) == (q, d)).map(|j| j.grade)
            };
            let of = |d: u32| {
                let score = bilinear::score(&w, &query, &written_out(vectors.documents.row(d as usize), n));
                (dataset.documents[d as usize].id.clone(), score, grade(d))
            };
            let hits: Vec<Hit> = (0..60).map(of).collect();
            if hits.iter().any(|hit| hit.2.is_some_and(|grade| grade > 0)) {
                precisions.push(slow_average_precision(&hits));
                errors.extend(slow_pair_error(&hits));
                ndcgs.push(slow_ndcg(&hits, 10));
            }
        }
        let (figures, n_queries) = figures(&data, &text, &matrix, &["map", "error", "ndcg@10"]);
        assert_eq!((n_queries, precisions.len()), (7, 7), "query 19 has nothing relevant");
        for (figure, expected) in figures.iter().zip([mean(&precisions), mean(&errors), mean(&ndcgs)]) {
            assert!((figure - expected).abs() < 1e-12, "{figure} {expected}");
        }
    }
}

/// Preferences can be measured by their own figure only, each query counting once.
#[test]
fn given_preferences_are_measured_by_query() {
    let folder = judged();
    std::fs::remove_dir_all(folder.path().join("qrels")).expect("removed");
    let mut dice = Dice::new(8);
    let preferences: Vec<(usize, usize, usize)> =
        (0..400).map(|_| (dice.below(20), dice.below(60), dice.below(60))).filter(|p| p.1 != p.2).collect();
    let lines: Vec<String> = preferences.iter().map(|(q, a, b)| format!("q{q}\td{a}\td{b}")).collect();
    write(folder.path(), "preferences.tsv", &lines);
    let data = open(folder.path());
    let text = counts();
    let n = n_words(&data, &text);
    let prepared = Prepared::fit(&data, &text, SplitRule::default(), &ONE).expect("words");
    let vectors = prepared.train_vectors();
    let matrix = whole_numbers(n);
    let score = |q: usize, d: usize| {
        let (q, d) = (written_out(vectors.queries.row(q), n), written_out(vectors.documents.row(d), n));
        bilinear::score(&rows_of(&matrix), &q, &d)
    };
    let mut errors = Vec::new();
    for q in (0..20).filter(|q| SplitRule::default().of_id(&format!("q{q}")) == Split::Test) {
        let own: Vec<_> = preferences.iter().filter(|p| p.0 == q).collect();
        let n_wrong = own.iter().filter(|p| score(q, p.1) <= score(q, p.2)).count();
        errors.push(n_wrong as f64 / own.len() as f64);
    }
    assert!(!errors.is_empty(), "some queries are in the test split");
    let (figures, n_queries) = figures(&data, &text, &matrix, &["error"]);
    assert_eq!(n_queries, errors.len());
    assert!((figures[0] - mean(&errors)).abs() < 1e-12);
    let (task, _) = prepared.task(Split::Test).expect("a test split");
    let refused = evaluate(&matrix, &task, vectors, &prepared, &metrics(&["map"]), &ONE).expect_err("no judgments");
    assert!(matches!(&refused, Error::InvalidParam { name, .. } if name == "metrics"), "{refused}");
}

/// BM25 as Robertson and Zaragoza write it, with Lucene's idf.
fn slow_bm25(query: &str, document: &str, collection: &[&str]) -> f64 {
    let (k1, b) = (1.2, 0.75);
    let terms = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<String>>();
    let n = collection.len() as f64;
    let average = collection.iter().map(|text| terms(text).len()).sum::<usize>() as f64 / n;
    let document = terms(document);
    let mut score = 0.0;
    for term in terms(query) {
        let df = collection.iter().filter(|text| terms(text).contains(&term)).count() as f64;
        let tf = document.iter().filter(|word| **word == term).count() as f64;
        if df > 0.0 {
            let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
            score += idf * tf * (k1 + 1.0) / (tf + k1 * (1.0 - b + b * document.len() as f64 / average));
        }
    }
    score
}

fn bm25() -> TextParams {
    let preset = |name| WeightingParams::preset(name).expect("a preset");
    TextParams { document: preset("bm25-document"), query: preset("bm25-query"), ..TextParams::default() }
}

/// The collection is what the vocabulary was counted on: the training documents where documents are split, else all
/// documents and the training queries.
#[test]
fn identity_with_bm25_weights_is_bm25() {
    let (labelled, judged) = (labelled(), judged());
    for folder in [&labelled, &judged] {
        let data = open(folder.path());
        let Opened::Texts(dataset) = &data else { panic!("texts") };
        let texts: Vec<&str> = dataset.documents.iter().map(|d| d.text.as_str()).collect();
        let own_queries = !dataset.queries_are_documents();
        let queries: Vec<&str> =
            if own_queries { dataset.queries.iter().map(|q| q.text.as_str()).collect() } else { texts.clone() };
        let collection: Vec<&str> = if own_queries {
            texts.iter().chain(&queries[..12]).copied().collect()
        } else {
            let of_train = dataset.documents.iter().filter(|d| d.split == Some(Split::Train));
            of_train.map(|d| d.text.as_str()).collect()
        };
        let prepared = Prepared::fit(&data, &bm25(), SplitRule::default(), &ONE).expect("words");
        let vectors = prepared.train_vectors();
        let identity = Matrix::identity(vectors.documents.n_cols() as usize).expect("small");
        for (q, query) in queries.iter().enumerate() {
            for (d, document) in texts.iter().enumerate() {
                let score = identity.score(vectors.queries.row(q), vectors.documents.row(d)).expect("fits");
                let expected = slow_bm25(query, document, &collection);
                assert!((score - expected).abs() < 1e-5, "{query} | {document}: {score} {expected}");
            }
        }
        // The plan's model says the same of raw text.
        let plan = Plan { train: crate::common::method("identity", json!({})), text: bm25(), ..Plan::default() };
        let model = plan.run(&data, &ONE, &Silent).expect("runs").model;
        let score = model.score_text(queries[3], texts[5]).expect("words");
        assert!((score - slow_bm25(queries[3], texts[5], &collection)).abs() < 1e-5);
    }
}

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
        let stop = StopParams { metric: metric.into(), every: 100, patience: 3 };
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
