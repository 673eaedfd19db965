//! A model of two words a side, spoken to in text.

use super::*;
use qwd_core::{Csr, Threads};
use qwd_text::{VectorizerParams, VocabularyParams, WeightingParams};

fn vectorizer(texts: [&str; 2]) -> Vectorizer {
    let weighting = WeightingParams::preset("bm25-query").expect("a preset");
    let params = VectorizerParams { weighting, ..VectorizerParams::default() };
    params.fit(&VocabularyParams::default(), texts, &Threads::default()).expect("words")
}

fn model() -> Model {
    let (queries, documents) =
        (vectorizer(["car car", "sea"]), vectorizer(["engine engine engine", "wheel wheel fish"]));
    let w = Csr::from_parts(3, vec![0, 2, 3], vec![0, 1, 2], vec![2.0, -1.0, 0.5]).expect("valid");
    Model::new(Matrix::sparse(w).expect("small"), Provenance::new("test"))
        .with_vectorizers(Some(queries), Some(documents))
        .expect("fits")
}

#[test]
fn texts_are_scored_and_explained_by_words() {
    let model = model();
    assert_eq!(model.score_text("Car sea", "engine wheel wheel").expect("words"), 0.0);
    let reasons = model.explain_text("Car", "engine wheel").expect("words");
    let reason = |document: &str, value| WordReason { query: "car".into(), document: document.into(), value };
    assert_eq!(reasons, [reason("engine", 2.0), reason("wheel", -1.0)]);
    assert_eq!(model.score_text("", "engine").expect("an empty query is ordinary"), 0.0);
    assert_eq!(model.score_text("unheard of", "engine").expect("unknown words are ordinary"), 0.0);
}

#[test]
fn related_words_go_both_ways() {
    let model = model();
    let related = |side, word| model.related(side, word, 5).expect("known");
    assert_eq!(related(Side::Query, "car")[0], RelatedWord { word: "engine".into(), weight: 2.0 });
    assert_eq!(related(Side::Query, "CAR")[1], RelatedWord { word: "wheel".into(), weight: -1.0 });
    assert_eq!(related(Side::Document, "fish"), [RelatedWord { word: "sea".into(), weight: 0.5 }]);
    let error = model.related(Side::Query, "engine", 5).expect_err("a document word");
    assert_eq!(error.to_string(), "the model knows no query word \"engine\"; give a word of its vocabulary");
}

#[test]
fn a_model_without_words_says_so_and_a_wrong_vocabulary_is_refused() {
    let model = Model::new(Matrix::identity(3).expect("small"), Provenance::new("identity"));
    let error = model.score_text("a", "b").expect_err("no words");
    assert!(error.to_string().starts_with("the model has no vocabulary for query words"), "{error}");
    assert!(model.with_vectorizers(Some(vectorizer(["a", "b"])), None).is_err());
}
