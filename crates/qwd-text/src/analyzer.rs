//! From a text to its terms: normalise, cut into tokens, leave some out, stem, join neighbours.

use crate::char_ngrams::CharNgrams;
use crate::normalize::Normalizer;
use crate::stemmer::Stemmer;
use crate::stop_words::StopWords;
use crate::tokenizer::{Tokenizer, letters};
use crate::unicode_words::UnicodeWords;
use crate::word_ngrams::WordNgrams;
use qwd_core::{Error, Result, parameters};

parameters! {
    /// How a text is turned into terms.
    #[derive(Eq)]
    pub struct AnalyzerParams {
        /// Where tokens begin and end: `unicode`, `letters`, `whitespace` or `characters`.
        pub tokenizer: Tokenizer = Tokenizer::Unicode,
        /// Whether capitals count as small letters.
        pub lower_case: bool = true,
        /// Whether typographic apostrophes count as straight ones.
        pub fold_apostrophes: bool = true,
        /// The language whose stop words are left out, as a two-letter code, or `none`. The lists are in lower case.
        pub stop_words: String = "none".to_owned(),
        /// More words to leave out.
        pub extra_stop_words: Vec<String> = Vec::new(),
        /// The language whose endings are cut off, as a two-letter code, `porter` for Porter's first stemmer, or `none`.
        pub stemmer: String = "none".to_owned(),
        /// The least number of characters of a token, before stemming; shorter ones are left out. At least 1.
        pub min_token_length: usize = 1,
        /// The greatest number of characters of a token, before stemming; longer ones (encoded files, keys) are left out.
        pub max_token_length: usize = 255,
        /// The greatest number of neighbouring words joined to one term, with spaces between them. 1 to 8.
        pub ngrams: usize = 1,
        /// The least number of characters of a term, with the tokenizer `characters` only. 1 to 16.
        pub min_char_ngram: usize = 2,
        /// The greatest number of characters of a term, with the tokenizer `characters` only. `min_char_ngram` to 16.
        pub max_char_ngram: usize = 4,
    }
}

impl AnalyzerParams {
    /// Checks the parameters and makes the analyzer.
    pub fn build(&self) -> Result<Analyzer> {
        self.check_ranges()?;
        let nfkc = matches!(self.tokenizer, Tokenizer::Unicode | Tokenizer::Characters);
        let normalizer = Normalizer { nfkc, lower_case: self.lower_case, fold_apostrophes: self.fold_apostrophes };
        Ok(Analyzer {
            normalizer,
            unicode_words: UnicodeWords::new(),
            stop_words: StopWords::new(&self.stop_words, &self.extra_stop_words, normalizer)?,
            stemmer: Stemmer::new(&self.stemmer)?,
            params: self.clone(),
        })
    }

    fn check_ranges(&self) -> Result<()> {
        if self.min_token_length == 0 {
            return Err(Error::param("min_token_length", 0, "at least 1"));
        }
        if self.max_token_length < self.min_token_length {
            return Err(Error::param("max_token_length", self.max_token_length, "at least min_token_length"));
        }
        if !(1..=8).contains(&self.ngrams) {
            return Err(Error::param("ngrams", self.ngrams, "1 to 8"));
        }
        if !(1..=16).contains(&self.min_char_ngram) {
            return Err(Error::param("min_char_ngram", self.min_char_ngram, "1 to 16"));
        }
        if !(self.min_char_ngram..=16).contains(&self.max_char_ngram) {
            return Err(Error::param("max_char_ngram", self.max_char_ngram, "min_char_ngram to 16"));
        }
        let wants_words =
            self.stemmer != "none" || self.stop_words != "none" || !self.extra_stop_words.is_empty() || self.ngrams > 1;
        if self.tokenizer == Tokenizer::Characters && wants_words {
            return Err(Error::param(
                "tokenizer",
                "characters",
                "another tokenizer, or no stemmer, no stop words and ngrams = 1: runs of characters are not words",
            ));
        }
        Ok(())
    }
}

/// Turns texts into terms.
#[derive(Debug, Clone)]
pub struct Analyzer {
    params: AnalyzerParams,
    normalizer: Normalizer,
    unicode_words: UnicodeWords,
    stop_words: StopWords,
    stemmer: Option<Stemmer>,
}

/// Memory that an analyzer uses again from text to text.
#[derive(Debug, Default)]
pub struct Scratch {
    text: String,
    piece: String,
    char_ngrams: CharNgrams,
    word_ngrams: WordNgrams,
}

impl Analyzer {
    /// Returns the parameters it was built from.
    pub fn params(&self) -> &AnalyzerParams {
        &self.params
    }

    /// Calls `f` with every term of `text` in order. A run of words comes after the shorter ones that end where it ends.
    pub fn for_each_term(&self, text: &str, scratch: &mut Scratch, mut f: impl FnMut(&str)) {
        let Scratch { text: buffer, piece, char_ngrams, word_ngrams } = scratch;
        let max = self.params.ngrams;
        if max == 1 {
            return self.for_each_token(text, buffer, piece, char_ngrams, |token| self.filter(token, &mut f));
        }
        word_ngrams.clear();
        self.for_each_token(text, buffer, piece, char_ngrams, |token| {
            self.filter(token, |word| word_ngrams.push(word, max, &mut f));
        });
    }

    /// Returns every term of `text` in order.
    pub fn terms(&self, text: &str) -> Vec<String> {
        let mut out = Vec::new();
        self.for_each_term(text, &mut Scratch::default(), |term| out.push(term.to_owned()));
        out
    }

    fn for_each_token(
        &self,
        text: &str,
        buffer: &mut String,
        piece: &mut String,
        char_ngrams: &mut CharNgrams,
        mut f: impl FnMut(&str),
    ) {
        match self.params.tokenizer {
            Tokenizer::Unicode => self.unicode_words.for_each(self.normalizer, text, buffer, piece, f),
            Tokenizer::Letters if self.params.lower_case => {
                // Only ASCII letters are tokens, and only they may become such: Unicode would lower K (kelvin) to k.
                buffer.clear();
                buffer.push_str(text);
                buffer.make_ascii_lowercase();
                letters(buffer, f);
            }
            Tokenizer::Letters => letters(text, f),
            Tokenizer::Whitespace => {
                self.normalizer.write(text, buffer);
                buffer.split_whitespace().for_each(f);
            }
            Tokenizer::Characters => {
                self.normalizer.write(text, buffer);
                let (min, max) = (self.params.min_char_ngram, self.params.max_char_ngram);
                for word in buffer.split_whitespace() {
                    char_ngrams.for_each(word, min, max, &mut f);
                }
            }
        }
    }

    /// Calls `f` with the stem of a token that is worth keeping.
    fn filter(&self, token: &str, mut f: impl FnMut(&str)) {
        let (min, max) = (self.params.min_token_length, self.params.max_token_length);
        // There are at most as many characters as bytes, so most tokens need no counting.
        if (min > 1 || token.len() > max) && !(min..=max).contains(&token.chars().count()) {
            return;
        }
        if self.stop_words.contains(token) {
            return;
        }
        match &self.stemmer {
            Some(stemmer) => f(&stemmer.stem(token)),
            None => f(token),
        }
    }
}

#[cfg(test)]
#[path = "analyzer_tests.rs"]
mod tests;
