//! Snowball's stemmers: "ranking", "ranked" and "ranks" become "rank".

use qwd_core::{Error, Result};
use std::borrow::Cow;
use std::fmt;

/// Two-letter codes of the languages with a stemmer, and Porter's first one for English, which older papers used.
const CODES: [&str; 36] = [
    "ar", "ca", "cs", "da", "de", "el", "en", "eo", "es", "et", "eu", "fa", "fi", "fr", "ga", "hi", "hu", "hy", "id",
    "it", "lt", "ne", "nl", "no", "pl", "porter", "pt", "ro", "ru", "sr", "st", "sv", "ta", "tr", "uk", "yi",
];

/// Returns the codes of the languages that have a stemmer, in order.
pub fn languages() -> &'static [&'static str] {
    &CODES
}

/// Cuts the endings off words.
#[derive(Clone, Copy)]
pub(crate) struct Stemmer(frostem::Stemmer);

impl Stemmer {
    /// The stemmer of a language; `none` gives none.
    pub(crate) fn new(language: &str) -> Result<Option<Self>> {
        if language == "none" {
            return Ok(None);
        }
        // frostem also knows long names and spellings with capitals; one code per language keeps saved parameters equal.
        let known = CODES.contains(&language).then(|| frostem::Stemmer::try_from_name(language).ok()).flatten();
        known
            .map(|stemmer| Some(Self(stemmer)))
            .ok_or_else(|| Error::param("stemmer", language, format!("none or one of {}", CODES.join(", "))))
    }

    /// The stem of a word; the word itself when nothing would be left of it.
    pub(crate) fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        let stem = self.0.stem(word);
        if stem.is_empty() { Cow::Borrowed(word) } else { stem }
    }
}

impl fmt::Debug for Stemmer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stemmer({})", self.0.algorithm().name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stemmer(code: &str) -> Stemmer {
        Stemmer::new(code).expect("known language").expect("not none")
    }

    #[test]
    fn endings_fall() {
        for word in ["ranking", "ranked", "ranks"] {
            assert_eq!(stemmer("en").stem(word), "rank");
        }
        assert_eq!(stemmer("fr").stem("continuellement"), "continuel");
        assert_eq!(stemmer("porter").stem("s"), "s");
    }

    #[test]
    fn an_unknown_language_is_answered_with_the_known_ones() {
        let message = Stemmer::new("xx").expect_err("unknown").to_string();
        assert!(message.starts_with("parameter stemmer = xx: expected none or one of ar, ca,"), "{message}");
        assert!(Stemmer::new("English").is_err());
    }

    proptest! {
        #[test]
        fn no_word_breaks_a_stemmer(word in "[a-z']{1,12}|\\PC{1,12}") {
            for code in CODES {
                prop_assert!(!stemmer(code).stem(&word).is_empty());
            }
        }
    }
}
