use super::*;
use proptest::prelude::*;

fn analyzer(change: impl FnOnce(&mut AnalyzerParams)) -> Analyzer {
    let mut params = AnalyzerParams::default();
    change(&mut params);
    params.build().expect("valid parameters")
}

#[test]
fn every_tokenizer_cuts_its_own_way() {
    let text = "Don’t sort  x2: naïve \u{212a}";
    let terms = |tokenizer| analyzer(|p| p.tokenizer = tokenizer).terms(text);
    assert_eq!(terms(Tokenizer::Unicode), ["don't", "sort", "x2", "naïve", "k"]);
    assert_eq!(terms(Tokenizer::Letters), ["don", "t", "sort", "x", "na", "ve"]);
    assert_eq!(terms(Tokenizer::Whitespace), ["don't", "sort", "x2:", "naïve", "k"]);
    let pairs = analyzer(|p| {
        (p.tokenizer, p.min_char_ngram, p.max_char_ngram) = (Tokenizer::Characters, 2, 2);
    });
    assert_eq!(pairs.terms("Ａb c"), [" a", "ab", "b ", " c", "c "]);
}

#[test]
fn capitals_stay_when_asked() {
    for tokenizer in [Tokenizer::Unicode, Tokenizer::Letters, Tokenizer::Whitespace] {
        let keep = analyzer(|p| (p.tokenizer, p.lower_case) = (tokenizer, false));
        assert_eq!(keep.terms("The Cat"), ["The", "Cat"]);
    }
    let keep = analyzer(|p| (p.lower_case, p.fold_apostrophes) = (false, false));
    assert_eq!(keep.terms("Ｌ’Été"), ["L’Été"]);
}

#[test]
fn filters_come_before_stems_and_stems_before_runs() {
    let english = analyzer(|p| {
        (p.stop_words, p.stemmer) = ("en".to_owned(), "en".to_owned());
        p.extra_stop_words = vec!["Foxes".to_owned()];
        (p.min_token_length, p.ngrams) = (2, 2);
    });
    let terms = english.terms("The foxes and the hounds are running, x kings");
    assert_eq!(terms, ["hound", "run", "hound run", "king", "run king"]);
    assert!(english.terms("the and of foxes").is_empty());
    assert!(english.terms("").is_empty());
}

#[test]
fn length_is_counted_in_characters() {
    let two_to_three = analyzer(|p| (p.min_token_length, p.max_token_length) = (2, 3));
    assert_eq!(two_to_three.terms("é éé ééé éééé a ab abc abcd"), ["éé", "ééé", "ab", "abc"]);
    assert!(analyzer(|_| ()).terms(&"x".repeat(256)).is_empty());
}

#[test]
fn parameters_out_of_range_are_named() {
    let refused = |name: &str, change: fn(&mut AnalyzerParams)| {
        let mut params = AnalyzerParams::default();
        change(&mut params);
        let message = params.build().expect_err(name).to_string();
        assert!(message.starts_with(&format!("parameter {name} = ")), "{message}");
    };
    refused("min_token_length", |p| p.min_token_length = 0);
    refused("max_token_length", |p| (p.min_token_length, p.max_token_length) = (3, 2));
    refused("ngrams", |p| p.ngrams = 0);
    refused("ngrams", |p| p.ngrams = 9);
    refused("min_char_ngram", |p| p.min_char_ngram = 0);
    refused("max_char_ngram", |p| p.max_char_ngram = 1);
    refused("max_char_ngram", |p| p.max_char_ngram = usize::MAX);
    refused("stop_words", |p| p.stop_words = "EN".to_owned());
    refused("stemmer", |p| p.stemmer = String::new());
    refused("tokenizer", |p| (p.tokenizer, p.ngrams) = (Tokenizer::Characters, 2));
}

#[test]
fn parameters_are_text_in_files() {
    let params: AnalyzerParams =
        serde_json::from_str(r#"{"tokenizer": "letters", "stemmer": "de"}"#).expect("the others have defaults");
    assert_eq!((params.tokenizer, params.stemmer.as_str(), params.ngrams), (Tokenizer::Letters, "de", 1));
    let text = serde_json::to_string(&params).expect("plain values");
    assert_eq!(serde_json::from_str::<AnalyzerParams>(&text).expect("its own text"), params);
    assert!(serde_json::from_str::<AnalyzerParams>(r#"{"tokeniser": "letters"}"#).is_err());
}

fn any_params() -> impl Strategy<Value = AnalyzerParams> {
    let tokenizers = [Tokenizer::Unicode, Tokenizer::Letters, Tokenizer::Whitespace];
    let languages = proptest::sample::select(vec!["none", "en", "fr", "ar"]);
    (proptest::sample::select(tokenizers.to_vec()), any::<bool>(), any::<bool>(), languages, 1usize..4, 1usize..4)
        .prop_map(|(tokenizer, lower_case, fold_apostrophes, language, min_token_length, ngrams)| AnalyzerParams {
            tokenizer,
            lower_case,
            fold_apostrophes,
            stop_words: language.to_owned(),
            stemmer: language.to_owned(),
            min_token_length,
            ngrams,
            ..AnalyzerParams::default()
        })
}

proptest! {
    #[test]
    fn runs_of_words_equal_the_obvious_way(text in "[ab ,]{0,30}", ngrams in 1usize..5) {
        let words = analyzer(|_| ()).terms(&text);
        let mut expected = Vec::new();
        for end in 1..=words.len() {
            for n in 1..=ngrams.min(end) {
                expected.push(words[end - n..end].join(" "));
            }
        }
        prop_assert_eq!(analyzer(|p| p.ngrams = ngrams).terms(&text), expected);
    }

    #[test]
    fn memory_used_again_changes_nothing(params in any_params(), texts in proptest::collection::vec("\\PC{0,40}", 1..4)) {
        let analyzer = params.build().expect("valid parameters");
        let mut scratch = Scratch::default();
        for text in &texts {
            let mut terms = Vec::new();
            analyzer.for_each_term(text, &mut scratch, |term| terms.push(term.to_owned()));
            prop_assert!(terms.iter().all(|term| !term.is_empty()));
            prop_assert_eq!(terms, analyzer.terms(text));
        }
    }

    #[test]
    fn letters_are_the_pattern_of_the_papers(text in "\\PC{0,60}") {
        let expected: Vec<String> = text
            .split(|c: char| !c.is_ascii_alphabetic())
            .filter(|run| !run.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        prop_assert_eq!(analyzer(|p| p.tokenizer = Tokenizer::Letters).terms(&text), expected);
    }
}
