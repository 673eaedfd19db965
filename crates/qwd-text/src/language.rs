//! What is known of each language: a code stands for its stop words and its endings, as far as there are lists.
//!
//! Words are found by [`crate::Tokenizer::Unicode`] in every language: scripts with spaces by Unicode's annex 29;
//! Japanese, Chinese, Thai, Lao, Khmer and Burmese by dictionaries that are part of the program. So a code is never needed
//! to cut a text into words, and a text may mix languages.

use crate::analyzer::AnalyzerParams;
use crate::{stemmer, stop_words};
use qwd_core::{Error, Result};
use std::collections::BTreeSet;

/// A language by its two-letter code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language {
    /// The code, as ISO 639-1 has it.
    pub code: &'static str,
    /// Whether its stop words are known.
    pub has_stop_words: bool,
    /// Whether its endings can be cut off.
    pub has_stemmer: bool,
}

/// Returns the languages of which anything is known beyond where words end, in the order of their codes.
pub fn languages() -> Vec<Language> {
    let codes: BTreeSet<&str> = stop_words::languages().iter().chain(stemmer::languages()).copied().collect();
    let of = |code: &'static str| Language {
        code,
        has_stop_words: stop_words::languages().contains(&code),
        has_stemmer: stemmer::languages().contains(&code),
    };
    codes.into_iter().filter(|code| code.len() == 2).map(of).collect()
}

impl AnalyzerParams {
    /// Puts the stop words and the stemmer of a language where there are none yet; `none` changes nothing.
    pub fn in_language(mut self, code: &str) -> Result<Self> {
        if code == "none" {
            return Ok(self);
        }
        let known = languages();
        let Some(language) = known.iter().find(|language| language.code == code) else {
            let codes: Vec<&str> = known.iter().map(|language| language.code).collect();
            return Err(Error::param("language", code, format!("none or one of {}", codes.join(", "))));
        };
        for (field, is_known) in
            [(&mut self.stop_words, language.has_stop_words), (&mut self.stemmer, language.has_stemmer)]
        {
            if field == "none" && is_known {
                *field = code.to_string();
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(code: &str, text: &str) -> Vec<String> {
        AnalyzerParams::default().in_language(code).and_then(|params| params.build()).expect("known").terms(text)
    }

    #[test]
    fn a_code_stands_for_stop_words_and_endings() {
        assert_eq!(terms("en", "the documents and the queries"), ["document", "queri"]);
        assert_eq!(terms("fr", "les documents et la page"), ["docu", "pag"]);
        assert_eq!(terms("ja", "検索エンジンのランキング学習"), ["検索", "エンジン", "ランキング", "学習"]);
        assert_eq!(terms("none", "the documents"), ["the", "documents"]);
    }

    #[test]
    fn what_was_chosen_stays() {
        let chosen = AnalyzerParams { stemmer: "porter".into(), ..AnalyzerParams::default() };
        let params = chosen.in_language("en").expect("known");
        assert_eq!((params.stemmer.as_str(), params.stop_words.as_str()), ("porter", "en"));
    }

    #[test]
    fn an_unknown_code_is_answered_with_the_known_ones() {
        for code in ["xx", "EN", "porter", ""] {
            let message = AnalyzerParams::default().in_language(code).expect_err("unknown").to_string();
            assert!(
                message.starts_with(&format!("parameter language = {code}: expected none or one of af, ar,")),
                "{message}"
            );
        }
        let known = languages();
        assert!(known.is_sorted_by(|a, b| a.code < b.code) && known.len() > 50, "{}", known.len());
        let japanese = Language { code: "ja", has_stop_words: true, has_stemmer: false };
        assert!(known.contains(&japanese));
        assert!(known.iter().all(|language| language.has_stop_words || language.has_stemmer));
    }

    #[test]
    fn every_language_makes_an_analyzer() {
        for language in languages() {
            AnalyzerParams::default()
                .in_language(language.code)
                .and_then(|params| params.build())
                .expect(language.code);
        }
    }
}
