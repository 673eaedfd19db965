use super::*;
use crate::analyzer::AnalyzerParams;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The slow twin: a map of counts, filtered and sorted in the open.
fn twin(params: &VocabularyParams, texts: &[String]) -> Vec<(String, u32, u64)> {
    let mut counts: BTreeMap<&str, (u32, u64)> = BTreeMap::new();
    for text in texts {
        for word in text.split_whitespace() {
            counts.entry(word).or_default().1 += 1;
        }
        for word in text.split_whitespace().collect::<BTreeSet<_>>() {
            counts.entry(word).or_default().0 += 1;
        }
    }
    let mut words: Vec<(String, u32, u64)> = counts
        .into_iter()
        .map(|(word, (df, cf))| (word.to_owned(), df, cf))
        .filter(|&(_, df, _)| df >= params.min_df && f64::from(df) / texts.len() as f64 <= params.max_df)
        .collect();
    // A map is in order of bytes and the sort is stable, so ties need no second key.
    words.sort_by_key(|&(_, df, cf)| {
        Reverse(if params.frequency == Frequency::Collection { cf } else { u64::from(df) })
    });
    if params.n_words > 0 {
        words.truncate(params.n_words as usize);
    }
    words
}

fn listed(vocabulary: &Vocabulary) -> Vec<(String, u32, u64)> {
    let frequencies = vocabulary.document_frequencies().iter().zip(vocabulary.collection_frequencies());
    vocabulary.words().zip(frequencies).map(|(word, (&df, &cf))| (word.to_owned(), df, cf)).collect()
}

fn any_params() -> impl Strategy<Value = VocabularyParams> {
    let frequencies = proptest::sample::select(vec![Frequency::Collection, Frequency::Document]);
    (0u32..12, 1u32..4, proptest::sample::select(vec![0.25, 0.5, 1.0]), frequencies)
        .prop_map(|(n_words, min_df, max_df, frequency)| VocabularyParams { n_words, min_df, max_df, frequency })
}

proptest! {
    #[test]
    fn equals_the_obvious_way_at_any_number_of_threads(
        params in any_params(),
        texts in proptest::collection::vec("[abé ]{0,20}", 0..16),
    ) {
        let analyzer = AnalyzerParams::default().build().expect("default parameters");
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        for n in [1, 2, 3] {
            let vocabulary = params.fit(&analyzer, &borrowed, &Threads::new(n).expect("pool")).expect("valid parameters");
            prop_assert_eq!(listed(&vocabulary), twin(&params, &texts));
            prop_assert_eq!(vocabulary.n_documents(), texts.len() as u64);
            let n_tokens: usize = texts.iter().map(|t| t.split_whitespace().count()).sum();
            prop_assert_eq!(vocabulary.n_tokens(), n_tokens as u64);
        }
    }
}

#[test]
fn lists_of_terms_count_like_texts() {
    let mut builder = VocabularyParams::default().build().expect("default parameters");
    builder.add_terms(["new york", "b", "", "b"]).expect("room");
    builder.add_terms(["a", "new york"]).expect("room");
    let vocabulary = builder.finish().expect("three words");
    let expected = [("b".to_owned(), 1, 2), ("new york".to_owned(), 2, 2), ("a".to_owned(), 1, 1)];
    assert_eq!(listed(&vocabulary), expected);
}

#[test]
fn parameters_out_of_range_are_refused() {
    let refused = |params: VocabularyParams| assert!(params.build().is_err());
    refused(VocabularyParams { min_df: 0, ..VocabularyParams::default() });
    for max_df in [0.0, -1.0, 1.5, f64::NAN] {
        refused(VocabularyParams { max_df, ..VocabularyParams::default() });
    }
    assert!(serde_json::from_str::<VocabularyParams>(r#"{"n_word": 3}"#).is_err());
}
