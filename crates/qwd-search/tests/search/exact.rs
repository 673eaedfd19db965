//! The best k equal a full sort: ids, scores to the last bit, ties to the document that was added first.

use crate::samples;
use qwd_core::Rng;
use qwd_core::top_k::Scored;
use qwd_data::Document;
use qwd_model::rank_all::score_all;
use qwd_model::{Matrix, Model, Side};
use qwd_search::{Expand, Index, IndexParams, Query, Strategy};

/// The scores of all documents by the definition: `f32` weights, products and sums in `f64` in the order of the terms.
fn slow_scores(model: &Model, query: &str, documents: &[Document]) -> Vec<f32> {
    let q = model.vector(Side::Query, query).expect("words");
    let has_latent_part = matches!(model.matrix(), Matrix::LowRank(_) | Matrix::Mixture(_));
    let expanded = model.matrix().expand(q.view()).expect("finite");
    let score = |d: &Document| {
        let d = model.vector(Side::Document, &d.full_text()).expect("words");
        match has_latent_part {
            true => model.matrix().score(q.view(), d.view()).expect("finite") as f32,
            false => expanded.view().dot(d.view()) as f32,
        }
    };
    documents.iter().map(score).collect()
}

fn sorted(scores: &[f32], is_hit: impl Fn(usize) -> bool, k: usize) -> Vec<(u32, f32)> {
    let mut all: Vec<Scored> = scores.iter().zip(0u32..).map(|(&score, item)| Scored { item, score }).collect();
    all.retain(|s| is_hit(s.item as usize));
    all.sort_unstable_by(|a, b| b.cmp(a));
    all.truncate(k);
    all.iter().map(|s| (s.item, s.score)).collect()
}

fn number(id: &str) -> u32 {
    id[1..].parse().expect("a number")
}

#[test]
fn the_best_k_equal_a_full_sort_for_every_form_weighting_and_strategy() {
    for (seed, weighting) in [(1, "log-tfidf"), (2, "bm25-document"), (3, "tfidf")] {
        let documents = samples::documents(seed, 700, 120);
        let document_side = samples::vectorizer(&documents, weighting);
        let query_side = samples::vectorizer(&documents, "tfidf");
        let n = document_side.vocabulary().len();
        let mut rng = Rng::new(seed + 10);
        for matrix in samples::matrices(seed, n) {
            let name = matrix.name();
            let is_latent = matches!(matrix, Matrix::LowRank(_) | Matrix::Mixture(_));
            let model = samples::model(matrix, &query_side, &document_side);
            let folder = tempfile::tempdir().expect("a folder");
            samples::index(folder.path(), &model, &documents, &IndexParams::default(), 300);
            let index = Index::open(folder.path()).expect("opened");
            let snapshot = index.snapshot();
            for round in 0..6 {
                let n_words = 1 + rng.below(5);
                let text = samples::text(&mut rng, 120, n_words);
                let scores = slow_scores(&model, &text, &documents);
                let k = [1, 3, 10, 50, 800][round % 5];
                for strategy in [Strategy::Auto, Strategy::Bounds, Strategy::Scan] {
                    for all in [false, true] {
                        let query = Query { strategy, all, ..Query::new(text.clone()).top(k) };
                        let answer = snapshot.search(&query).expect("answered");
                        let hits: Vec<(u32, f32)> = answer.hits.iter().map(|h| (number(&h.id), h.score)).collect();
                        let expected = sorted(&scores, |i| all || scores[i] > 0.0, k);
                        let context = format!("{name} {weighting} {strategy:?} all={all} k={k} {text:?}");
                        if is_latent {
                            close(&hits, &expected, &context);
                        } else {
                            assert_eq!(hits, expected, "{context}");
                        }
                    }
                }
            }
        }
    }
}

/// The same ranking but for scores closer than 1e-6.
#[track_caller]
fn close(hits: &[(u32, f32)], expected: &[(u32, f32)], context: &str) {
    assert!(hits.len().abs_diff(expected.len()) <= usize::from(hits.len() != expected.len()), "{context}");
    for ((doc, score), (other, of_other)) in hits.iter().zip(expected) {
        let tolerance = 1e-6 * (1.0 + score.abs());
        assert!((score - of_other).abs() < tolerance, "{context}: {doc} {score}, {other} {of_other}");
    }
}

#[cfg(feature = "approximate")]
#[test]
fn the_nearest_groups_find_most_of_the_best_and_all_groups_find_all() {
    let documents = samples::documents(8, 900, 120);
    let words = samples::vectorizer(&documents, "log-tfidf");
    let low_rank = samples::matrices(8, words.vocabulary().len()).into_iter().find(|m| matches!(m, Matrix::LowRank(_)));
    let model = samples::model(low_rank.expect("one of them"), &words, &words);
    let folder = tempfile::tempdir().expect("a folder");
    samples::index(folder.path(), &model, &documents, &IndexParams::default(), 900);
    let snapshot = Index::open(folder.path()).expect("opened").snapshot();
    let mut rng = Rng::new(9);
    let (mut n_found, mut n_best, mut differs) = (0, 0, false);
    for _ in 0..40 {
        let text = samples::text(&mut rng, 120, 4);
        let ids = |groups: Option<usize>| {
            let query = Query { groups, ..Query::new(text.clone()) };
            snapshot.search(&query).expect("answered").hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
        };
        let best = ids(None);
        assert_eq!(ids(Some(30)), best, "all groups");
        let found = ids(Some(6));
        differs |= found != best;
        n_found += best.iter().filter(|id| found.contains(id)).count();
        n_best += best.len();
    }
    assert!(differs && n_found * 10 >= n_best * 8, "{n_found} of {n_best}");
}

#[test]
fn scores_are_those_of_the_full_scan_of_the_model() {
    let documents = samples::documents(5, 300, 80);
    let words = samples::vectorizer(&documents, "log-tfidf");
    for matrix in samples::matrices(5, words.vocabulary().len()) {
        let model = samples::model(matrix, &words, &words);
        let folder = tempfile::tempdir().expect("a folder");
        samples::index(folder.path(), &model, &documents, &IndexParams::default(), 300);
        let texts: Vec<&str> = documents.iter().map(|d| d.text.as_str()).collect();
        let vectors = words.matrix(&texts, &qwd_core::Threads::default());
        let q = model.vector(Side::Query, "w1 w5 w9").expect("words");
        let scores = score_all(model.matrix(), q.view(), &vectors).expect("finite");
        let query = Query { all: true, ..Query::new("w1 w5 w9").top(300) };
        let answer = Index::open(folder.path()).expect("opened").snapshot().search(&query).expect("answered");
        assert_eq!(answer.hits.len(), 300);
        for hit in &answer.hits {
            let of_scan = scores[number(&hit.id) as usize];
            assert!((hit.score - of_scan).abs() < 1e-5, "{} {of_scan} {}", hit.score, model.matrix().name());
        }
    }
}

#[test]
fn expanded_documents_rank_as_expanded_queries_do() {
    let documents = samples::documents(7, 400, 60);
    let words = samples::vectorizer(&documents, "log-tfidf");
    let mut rng = Rng::new(70);
    for matrix in samples::matrices(7, words.vocabulary().len()) {
        let model = samples::model(matrix, &words, &words);
        let folder = tempfile::tempdir().expect("a folder");
        let params = IndexParams { expand: Expand::Documents, ..IndexParams::default() };
        samples::index(folder.path(), &model, &documents, &params, 250);
        let index = Index::open(folder.path()).expect("opened");
        for _ in 0..6 {
            let text = samples::text(&mut rng, 60, 3);
            let q = model.vector(Side::Query, &text).expect("words");
            let score = |d: &Document| {
                let d = model.vector(Side::Document, &d.text).expect("words");
                model.matrix().score(q.view(), d.view()).expect("finite") as f32
            };
            let scores: Vec<f32> = documents.iter().map(score).collect();
            for strategy in [Strategy::Bounds, Strategy::Scan] {
                let query = Query { strategy, ..Query::new(text.clone()).top(20) };
                let answer = index.snapshot().search(&query).expect("answered");
                let hits: Vec<(u32, f32)> = answer.hits.iter().map(|h| (number(&h.id), h.score)).collect();
                let expected = sorted(&scores, |i| scores[i] > 0.0, 20);
                close(&hits, &expected, &format!("{} {text:?}", model.matrix().name()));
            }
        }
    }
}

#[test]
fn pruned_expansions_tell_their_loss_and_keep_the_strongest() {
    let documents = samples::documents(9, 300, 60);
    let words = samples::vectorizer(&documents, "log-tfidf");
    let sparse = samples::matrices(9, words.vocabulary().len()).swap_remove(2);
    let model = samples::model(sparse, &words, &words);
    let folder = tempfile::tempdir().expect("a folder");
    samples::index(folder.path(), &model, &documents, &IndexParams::default(), 300);
    let snapshot = Index::open(folder.path()).expect("opened").snapshot();
    let lost = |prune| snapshot.search(&Query { prune, ..Query::new("w2 w7") }).expect("answered").lost;
    assert_eq!(lost(None), 0.0);
    assert!(lost(Some(2)) > lost(Some(6)) && lost(Some(6)) > 0.0 && lost(Some(2)) < 1.0);
    let q = model.vector(Side::Query, "w2 w7").expect("words");
    let mut terms: Vec<(u32, f32)> = model.matrix().expand(q.view()).expect("finite").view().iter().collect();
    terms.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let kept = qwd_core::SparseVec::from_pairs(terms[..4].to_vec()).expect("finite");
    let scores: Vec<f32> = documents
        .iter()
        .map(|d| kept.view().dot(model.vector(Side::Document, &d.text).expect("words").view()) as f32)
        .collect();
    let answer = snapshot.search(&Query { prune: Some(4), ..Query::new("w2 w7") }).expect("answered");
    let hits: Vec<(u32, f32)> = answer.hits.iter().map(|h| (number(&h.id), h.score)).collect();
    assert_eq!(hits, sorted(&scores, |i| scores[i] > 0.0, 10));
}
