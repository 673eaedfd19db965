//! `evaluate` against figures worked out the slow way, and identity against BM25 written by hand.

use crate::common::{ONE, rows_of};
use crate::folders::{judged, labelled, open, write};
use qwd_core::{Error, Silent, Threads};
use qwd_data::{Opened, Split, SplitRule};
use qwd_metrics::Metric;
use qwd_model::Matrix;
use qwd_testkit::bilinear::{self, Rows};
use qwd_testkit::random::Dice;
use qwd_text::{Idf, Norm, Tf, WeightingParams};
use qwd_train::{Plan, Prepared, TextParams, evaluate};
use serde_json::json;

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
pub(crate) fn figures(data: &Opened, text: &TextParams, matrix: &Matrix, names: &[&str]) -> (Vec<f64>, usize) {
    let prepared = Prepared::fit(data, text, SplitRule::default(), &ONE).expect("words");
    let (task, vectors) = prepared.task(Split::Test).expect("a test split");
    let names = metrics(names);
    let threads = Threads::new(3).expect("threads");
    let evaluation = evaluate(matrix, &task, vectors, &prepared, &names, &threads).expect("evaluates");
    let summary = evaluation.summary();
    (names.iter().map(|&metric| summary.metrics.get(metric).expect("a mean")).collect(), summary.n_queries)
}

pub(crate) fn n_words(data: &Opened, text: &TextParams) -> usize {
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
