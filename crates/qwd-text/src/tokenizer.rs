//! The ways to cut a text into tokens.

use serde::{Deserialize, Serialize};

/// How a text is cut into tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tokenizer {
    /// Words after Unicode's annex 29, in normal form KC; Japanese, Chinese, Thai, Lao, Khmer and Burmese by dictionary.
    #[default]
    Unicode,
    /// Maximal runs of the letters a to z and A to Z, everything else separates: the protocol of the papers.
    Letters,
    /// What stands between white space, for text that is already tokenised.
    Whitespace,
    /// Runs of n characters inside the words between white space, each word with a space before and after it: for any
    /// language, and forgiving to misspelling.
    Characters,
}

/// Calls `f` with every run of ASCII letters.
pub(crate) fn letters(text: &str, mut f: impl FnMut(&str)) {
    for run in text.split(|c: char| !c.is_ascii_alphabetic()) {
        if !run.is_empty() {
            f(run);
        }
    }
}
