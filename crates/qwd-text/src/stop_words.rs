//! Words to leave out, from the lists of Stopwords ISO.

use crate::normalize::Normalizer;
use qwd_core::{Error, Result};
use rustc_hash::FxHashSet;

/// Returns the codes of the languages that have a list of stop words, in order.
pub fn languages() -> &'static [&'static str] {
    stop_words::available_languages()
}

/// A set of words to leave out.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopWords(FxHashSet<String>);

impl StopWords {
    /// The list of a language (`none` for none) and some words more, spelled as the tokens will be.
    pub(crate) fn new(language: &str, extra: &[String], normalizer: Normalizer) -> Result<Self> {
        let list = match language {
            "none" => &[],
            _ => stop_words::lookup(language).ok_or_else(|| {
                Error::param("stop_words", language, format!("none or one of {}", languages().join(", ")))
            })?,
        };
        let words = list.iter().copied().chain(extra.iter().map(String::as_str));
        let normal = words.map(|word| {
            let mut out = String::new();
            normalizer.write(word, &mut out);
            out
        });
        Ok(Self(normal.collect()))
    }

    pub(crate) fn contains(&self, word: &str) -> bool {
        !self.0.is_empty() && self.0.contains(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NORMALIZER: Normalizer = Normalizer { nfkc: true, lower_case: true, fold_apostrophes: true };

    #[test]
    fn a_language_and_more() {
        let words = StopWords::new("en", &["Ｑｗｄ".to_owned()], NORMALIZER).expect("known language");
        assert!(words.contains("the") && words.contains("can't") && words.contains("qwd"));
        assert!(!words.contains("ranking"));
        assert!(!StopWords::new("none", &[], NORMALIZER).expect("none").contains("the"));
    }

    #[test]
    fn an_unknown_language_is_answered_with_the_known_ones() {
        let message = StopWords::new("english", &[], NORMALIZER).expect_err("unknown").to_string();
        assert!(message.starts_with("parameter stop_words = english: expected none or one of af, ar,"), "{message}");
        assert!(languages().iter().all(|code| code.len() == 2));
    }
}
