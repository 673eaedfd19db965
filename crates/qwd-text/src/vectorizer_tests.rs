use super::*;
use crate::vocabulary::VocabularyParts;
use crate::weighting::{Idf, Norm, Tf};
use proptest::prelude::*;
use qwd_testkit::dense;

const TEXTS: [&str; 4] = ["the cat the dog", "the bird sings", "the dog barks at the dog", "the end"];

fn fitted(weighting: WeightingParams) -> Vectorizer {
    let params = VectorizerParams { weighting, ..VectorizerParams::default() };
    params.fit(&VocabularyParams::default(), TEXTS, &Threads::default()).expect("four texts")
}

fn any_weighting() -> impl Strategy<Value = WeightingParams> {
    let tf = proptest::sample::select(vec![Tf::Raw, Tf::Log, Tf::Binary, Tf::Bm25]);
    let idf = proptest::sample::select(vec![Idf::None, Idf::Plain, Idf::Smooth, Idf::Bm25]);
    let norm = proptest::sample::select(vec![Norm::None, Norm::L2]);
    (tf, idf, norm, 0.0f64..3.0, 0.0f64..=1.0).prop_map(|(tf, idf, norm, k1, b)| WeightingParams {
        tf,
        idf,
        norm,
        k1,
        b,
    })
}

/// The slow twin: the formulas of the table in `weighting`, written out over every word of the vocabulary.
fn twin(params: &WeightingParams, texts: &[String], words: &[&str], text: &str) -> Vec<f64> {
    let split = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let n_documents = texts.len() as f64;
    let average = texts.iter().map(|t| split(t).len()).sum::<usize>() as f64 / n_documents;
    let length = split(text).len() as f64;
    let mut weights: Vec<f64> = words
        .iter()
        .map(|word| {
            let n = split(text).iter().filter(|w| w == word).count() as f64;
            let df = texts.iter().filter(|t| split(t).iter().any(|w| w == word)).count() as f64;
            if n == 0.0 {
                return 0.0;
            }
            let tf = match params.tf {
                Tf::Raw => n,
                Tf::Log => 1.0 + n.ln(),
                Tf::Binary => 1.0,
                Tf::Bm25 => n * (params.k1 + 1.0) / (n + params.k1 * (1.0 - params.b + params.b * length / average)),
            };
            let idf = match params.idf {
                Idf::None => 1.0,
                Idf::Plain => (n_documents / df).ln(),
                Idf::Smooth => ((1.0 + n_documents) / (1.0 + df)).ln() + 1.0,
                Idf::Bm25 => (1.0 + (n_documents - df + 0.5) / (df + 0.5)).ln(),
            };
            tf * idf
        })
        .collect();
    let norm = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
    if params.norm == Norm::L2 && norm > 0.0 {
        weights.iter_mut().for_each(|w| *w /= norm);
    }
    weights
}

proptest! {
    #[test]
    fn weights_equal_the_formulas(
        params in any_weighting(),
        texts in proptest::collection::vec("[ab]{1,2}( [ab]{1,2}){0,8}", 1..8),
        text in "[abc ]{0,24}",
    ) {
        let vectorizer = VectorizerParams { weighting: params.clone(), ..VectorizerParams::default() }
            .fit(&VocabularyParams::default(), texts.iter().map(String::as_str), &Threads::default())
            .expect("some words");
        let words: Vec<&str> = vectorizer.vocabulary().words().collect();
        let vector = vectorizer.vector(&text);
        prop_assert!(vector.view().values().iter().all(|&v| v.is_finite() && v > 0.0));
        let expected = twin(&params, &texts, &words, &text);
        for (got, want) in dense(vector.view().indices(), vector.view().values(), words.len()).iter().zip(&expected) {
            prop_assert!((got - want).abs() <= 1e-6 * (1.0 + want.abs()), "{} for {}", got, want);
        }
    }

    #[test]
    fn no_frequencies_give_more_than_numbers(
        params in any_weighting(), df in 1u32.., more in 0u64.., cf in 0u64..1 << 40, n_repeats in 0usize..50,
    ) {
        let cf = cf + u64::from(df);
        let n_documents = u64::from(df).saturating_add(more);
        let parts = VocabularyParts {
            bytes: b"ab".into(), offsets: vec![0, 1, 2], df: vec![df, 1], cf: vec![cf, 1], n_documents, n_tokens: cf + 1,
        };
        let vocabulary = Arc::new(Vocabulary::from_parts(parts).expect("possible frequencies"));
        let params = VectorizerParams { weighting: params, ..VectorizerParams::default() };
        let vectorizer = Vectorizer::from_parts(params, vocabulary).expect("valid parameters");
        let vector = vectorizer.vector(&format!("b {}", "a ".repeat(n_repeats)));
        prop_assert!(vector.view().values().iter().all(|v| v.is_finite() && *v > 0.0));
    }

    #[test]
    fn a_matrix_is_its_vectors_at_any_number_of_threads(texts in proptest::collection::vec("[a-e ]{0,12}", 0..600)) {
        let vectorizer = fitted(WeightingParams::default());
        let alone = vectorizer.matrix(&texts, &Threads::new(1).expect("pool"));
        prop_assert_eq!(alone.n_rows(), texts.len());
        for (row, text) in alone.rows().zip(&texts) {
            prop_assert_eq!(row.to_owned(), vectorizer.vector(text));
        }
        for n in [2, 3] {
            prop_assert_eq!(&vectorizer.matrix(&texts, &Threads::new(n).expect("pool")), &alone);
        }
    }
}

#[test]
fn presets_have_the_weights_of_their_names() {
    // "dog" is in 2 of 4 documents; "the" in all, so it weighs nothing.
    let vector = fitted(WeightingParams::preset("tfidf").expect("preset")).vector("the dog dog cat");
    let (dog, cat) = (2.0 * 2f64.ln(), 4f64.ln());
    assert_eq!(vector.view().len(), 2);
    assert!((f64::from(vector.view().values()[0]) - dog / dog.hypot(cat)).abs() < 1e-6);
    assert!(WeightingParams::preset("tf-idf").is_err());
    for name in WeightingParams::PRESETS {
        assert!(WeightingParams::preset(name).is_ok());
    }
    assert_eq!(WeightingParams::preset("log-tfidf").expect("preset"), WeightingParams::default());
}

#[test]
fn bm25_is_a_product_of_two_vectors() {
    let document = fitted(WeightingParams::preset("bm25-document").expect("preset"));
    let query = VectorizerParams {
        weighting: WeightingParams::preset("bm25-query").expect("preset"),
        ..VectorizerParams::default()
    };
    let query = Vectorizer::from_parts(query, Arc::clone(document.vocabulary())).expect("shared vocabulary");
    let score = query.vector("dog dog cat").view().dot(document.vector(TEXTS[0]).view());
    // TEXTS[0] has 4 words where the mean is 15 / 4; "dog" is in 2 of 4 documents, "cat" in 1.
    let saturated = 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 4.0 / 3.75));
    let expected = saturated * (2.0 * (1.0 + 2.5 / 2.5f64).ln() + (1.0 + 3.5 / 1.5f64).ln());
    assert!((score - expected).abs() < 1e-6, "{score} for {expected}");
}

#[test]
fn unknown_words_are_told_once() {
    let vectorizer = fitted(WeightingParams::default());
    assert_eq!(vectorizer.unknown_words("Zebra dog Emu zebra"), ["zebra", "emu"]);
    let bag = vectorizer.bag("Zebra dog emu zebra dog");
    assert_eq!((bag.n_tokens(), bag.n_unknown(), bag.counts().len()), (5, 3, 1));
    assert!(vectorizer.vector("").view().is_empty());
    assert!(vectorizer.vector("the the").view().is_empty());
}

#[test]
fn parameters_and_vocabulary_make_it_again() {
    let params = VectorizerParams {
        analyzer: AnalyzerParams { ngrams: 2, stemmer: "en".to_owned(), ..AnalyzerParams::default() },
        weighting: WeightingParams::preset("bm25-document").expect("preset"),
    };
    let first = params.fit(&VocabularyParams::default(), TEXTS, &Threads::default()).expect("four texts");
    let header = serde_json::to_string(first.params()).expect("plain values");
    let vocabulary = Vocabulary::from_parts(first.vocabulary().to_parts()).expect("its own parts");
    let second = Vectorizer::from_parts(serde_json::from_str(&header).expect("its own text"), Arc::new(vocabulary))
        .expect("valid parts");
    let text = "dogs bark at the dog";
    assert_eq!(second.vector(text), first.vector(text));
    assert!(second.vector(text).view().len() > 4);
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (k1, b) in [(-0.1, 0.5), (f64::NAN, 0.5), (f64::INFINITY, 0.5), (1.2, 1.1), (1.2, f64::NAN)] {
        assert!(WeightingParams { k1, b, ..WeightingParams::default() }.build().is_err());
    }
    let none = VectorizerParams::default().fit(&VocabularyParams::default(), ["", "--"], &Threads::default());
    assert!(none.expect_err("no words").to_string().starts_with("none of the words in 2 texts"));
}
