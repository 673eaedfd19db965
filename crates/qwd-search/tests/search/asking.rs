//! Filters, phrases, passages, typing mistakes, reasons, a second stage.

use crate::samples;
use qwd_core::{Rng, Threads};
use qwd_data::Document;
use qwd_model::{Matrix, Model};
use qwd_rank::Ranker;
use qwd_search::{Filter, Index, IndexParams, Query, rerank};
use qwd_text::{VectorizerParams, VocabularyParams};
use serde_json::{Value, json};
use std::path::Path;

fn library() -> Vec<Document> {
    let book = |id: &str, text: &str, extra: Value| Document {
        id: id.into(),
        text: text.into(),
        extra: extra.as_object().expect("an object").clone(),
        ..Document::default()
    };
    vec![
        book(
            "ship",
            "The red ship sailed over the open sea to a far harbour.",
            json!({"year": 1990, "tags": ["sea", "red"], "new": false}),
        ),
        book(
            "car",
            "A red car and a fast car drove along the open road.",
            json!({"year": 2001.5, "tags": ["road"], "new": true}),
        ),
        book("sea", "The sea is open, and red at dusk. No harbour is far from a ship.", json!({"year": "2001"})),
        book("none", "Nothing of the kind.", json!({})),
    ]
}

fn indexed(folder: &Path) -> (Index, Model) {
    let documents = library();
    let texts = documents.iter().map(|d| d.text.as_str());
    let words =
        VectorizerParams::default().fit(&VocabularyParams::default(), texts, &Threads::default()).expect("words");
    let identity = Matrix::identity(words.vocabulary().len()).expect("small");
    let model = samples::model(identity, &words, &words);
    samples::index(folder, &model, &documents, &IndexParams::default(), 3);
    (Index::open(folder).expect("opened"), model)
}

fn ids(index: &Index, query: &Query) -> Vec<String> {
    let mut ids: Vec<String> =
        index.snapshot().search(query).expect("answered").hits.into_iter().map(|h| h.id).collect();
    ids.sort();
    ids
}

#[test]
fn filters_on_fields() {
    let folder = tempfile::tempdir().expect("a folder");
    let (index, _) = indexed(folder.path());
    for (filter, expected) in [
        ("year=1990", vec!["ship"]),
        ("year=1990.0", vec!["ship"]),
        ("year=2001", vec!["sea"]),
        ("year>=1995", vec!["car"]),
        ("year<=2000", vec!["ship"]),
        ("tags=red", vec!["ship"]),
        ("new=true", vec!["car"]),
        ("new!=true", vec!["sea", "ship"]),
        ("tags", vec!["car", "ship"]),
        ("missing", vec![]),
        ("yea", vec![]),
    ] {
        let query = Query::new("red").among(Filter::parse(filter).expect("a filter"));
        assert_eq!(ids(&index, &query), expected, "{filter}");
    }
    let both =
        Filter::All(vec![Filter::Has("year".into()), Filter::Not(Box::new(Filter::parse("tags=sea").expect("ok")))]);
    assert_eq!(ids(&index, &Query::new("red").among(both)), ["car", "sea"]);
    for bad in ["", "=", "year>=x", "year<=NaN", "!=3"] {
        assert!(Filter::parse(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn filtered_answers_equal_the_filtered_full_sort() {
    let mut documents = samples::documents(6, 600, 70);
    for (i, d) in documents.iter_mut().enumerate() {
        d.extra.insert("third".into(), json!(i % 3));
    }
    let words = samples::vectorizer(&documents, "bm25-document");
    let sparse = samples::matrices(6, words.vocabulary().len()).swap_remove(2);
    let model = samples::model(sparse, &words, &words);
    let folder = tempfile::tempdir().expect("a folder");
    samples::index(folder.path(), &model, &documents, &IndexParams::default(), 350);
    let index = Index::open(folder.path()).expect("opened");
    let mut rng = Rng::new(60);
    for _ in 0..20 {
        let text = samples::text(&mut rng, 70, 3);
        let all = index.snapshot().search(&Query::new(text.clone()).top(600)).expect("answered").hits;
        let query = Query::new(text).top(15).among(Filter::parse("third=1").expect("a filter"));
        let hits = index.snapshot().search(&query).expect("answered").hits;
        let expected: Vec<_> =
            all.into_iter().filter(|h| h.id[1..].parse::<usize>().expect("a number") % 3 == 1).take(15).collect();
        assert_eq!(hits, expected);
    }
}

#[test]
fn phrases_must_be_in_the_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let (index, _) = indexed(folder.path());
    assert_eq!(ids(&index, &Query::new("open sea")).len(), 3);
    assert_eq!(ids(&index, &Query::new("\"open sea\"")), ["ship"]);
    assert_eq!(ids(&index, &Query { phrases: false, ..Query::new("\"open sea\"") }).len(), 3);
    assert_eq!(ids(&index, &Query::new("\"sea is open\" harbour")), ["sea"]);
    assert_eq!(ids(&index, &Query::new("\"open car\"")), Vec::<String>::new());
    assert_eq!(ids(&index, &Query::new("\"never heard\" sea")), Vec::<String>::new());
    assert_eq!(ids(&index, &Query::new("\"red\"").among(Filter::parse("new=true").expect("ok"))), ["car"]);
}

#[test]
fn passages_hold_the_words_and_documents_come_along() {
    let folder = tempfile::tempdir().expect("a folder");
    let (index, _) = indexed(folder.path());
    let answer = index.snapshot().search(&Query::new("harbour").with_documents()).expect("answered");
    for hit in &answer.hits {
        let snippet = hit.snippet.as_ref().expect("a passage");
        assert!(snippet.marked("<", ">").contains("<harbour>"), "{snippet:?}");
        assert_eq!(hit.document.as_ref().map(|d| d.id.as_str()), Some(hit.id.as_str()));
    }
    assert_eq!(answer.hits.len(), 2);
}

#[test]
fn typing_mistakes_are_met_by_near_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let (index, _) = indexed(folder.path());
    let answer = |text: &str| index.snapshot().search(&Query::new(text).correcting_spelling()).expect("answered");
    let corrected = answer("Habrour");
    assert_eq!(corrected.unknown_words, ["habrour"]);
    assert_eq!((corrected.corrections[0].replaced_by.as_str(), corrected.hits.len()), ("harbour", 2));
    assert!(answer("qqqqqq").hits.is_empty() && answer("qqqqqq").corrections.is_empty());
    let plain = index.snapshot().search(&Query::new("habrour")).expect("answered");
    assert!(plain.hits.is_empty());
}

#[test]
fn empty_blank_and_unknown_queries_find_nothing_and_reasons_add_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let (index, _) = indexed(folder.path());
    for text in ["", "   ", "zzz", "\"\"", "\"", "🦀"] {
        assert!(index.snapshot().search(&Query::new(text)).expect("answered").hits.is_empty(), "{text:?}");
    }
    let documents = samples::documents(8, 200, 40);
    let words = samples::vectorizer(&documents, "log-tfidf");
    for matrix in samples::matrices(8, words.vocabulary().len()) {
        let model = samples::model(matrix, &words, &words);
        let folder = tempfile::tempdir().expect("a folder");
        samples::index(folder.path(), &model, &documents, &IndexParams::default(), 200);
        let snapshot = Index::open(folder.path()).expect("opened").snapshot();
        for hit in snapshot.search(&Query::new("w1 w7 w3").explained()).expect("answered").hits {
            let sum: f64 = hit.reasons.expect("asked for").iter().map(|r| f64::from(r.value)).sum();
            assert!((sum - f64::from(hit.score)).abs() < 1e-4, "{sum} {}", hit.score);
        }
    }
}

#[test]
fn a_second_stage_puts_hits_in_another_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let (index, _) = indexed(folder.path());
    let mut hits = index.snapshot().search(&Query::new("red sea")).expect("answered").hits;
    let first: Vec<String> = hits.iter().map(|h| h.id.clone()).collect();
    let ranker = Ranker::linear(vec![-1.0, 0.0]);
    rerank(&mut hits, &ranker, |hit| Ok(vec![hit.score, 1.0])).expect("ranked");
    let reversed: Vec<String> = hits.iter().rev().map(|h| h.id.clone()).collect();
    assert_eq!(reversed, first);
    assert!(rerank(&mut hits, &ranker, |hit| Ok(vec![hit.score])).is_err());
    assert!(rerank(&mut hits, &ranker, |_| Ok(vec![f32::INFINITY, 0.0])).is_err());
}
