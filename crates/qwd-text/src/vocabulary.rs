//! Terms with numbers and their frequencies.

use crate::word_table::{MAX_WORDS, WordTable};
use qwd_core::{Error, Result};

/// The terms that vectors have places for, with what the weighting needs to know of each.
///
/// [`crate::VocabularyBuilder`] numbers them by falling frequency, so the first n are the n most frequent.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    words: WordTable,
    df: Vec<u32>,
    cf: Vec<u64>,
    n_documents: u64,
    n_tokens: u64,
}

/// What a vocabulary is made of, for files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VocabularyParts {
    /// All words one after the other, in UTF-8.
    pub bytes: Vec<u8>,
    /// Where each word begins in `bytes`, and the end of the last: one more than there are words.
    pub offsets: Vec<u64>,
    /// In how many documents each word occurs; 1 to `n_documents`.
    pub df: Vec<u32>,
    /// How often each word occurs; at least `df`.
    pub cf: Vec<u64>,
    /// The number of documents counted.
    pub n_documents: u64,
    /// The number of terms in all of them, with those that got no place; at least the sum of `cf`.
    pub n_tokens: u64,
}

impl Vocabulary {
    /// Checks parts from outside: UTF-8, offsets, unique words, possible frequencies.
    pub fn from_parts(parts: VocabularyParts) -> Result<Self> {
        let VocabularyParts { bytes, offsets, df, cf, n_documents, n_tokens } = parts;
        let n_words = df.len() as u64;
        if n_words > MAX_WORDS {
            return Err(Error::limit("the number of words", MAX_WORDS, n_words, "take a smaller vocabulary"));
        }
        if cf.len() != df.len() || offsets.len() != df.len() + 1 {
            return Err(broken("tables of different lengths"));
        }
        let text = String::from_utf8(bytes).map_err(|_| broken("a word that is not UTF-8"))?;
        check_offsets(&text, &offsets)?;
        check_frequencies(&df, &cf, n_documents, n_tokens)?;
        Ok(Self { words: WordTable::from_parts(text, offsets)?, df, cf, n_documents, n_tokens })
    }

    /// Copies the parts that [`Vocabulary::from_parts`] takes.
    pub fn to_parts(&self) -> VocabularyParts {
        VocabularyParts {
            bytes: self.bytes().to_vec(),
            offsets: self.offsets().to_vec(),
            df: self.df.clone(),
            cf: self.cf.clone(),
            n_documents: self.n_documents,
            n_tokens: self.n_tokens,
        }
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.df.len()
    }

    /// Returns whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.df.is_empty()
    }

    /// Returns the number of a word.
    pub fn get(&self, word: &str) -> Option<u32> {
        self.words.get(word)
    }

    /// Returns a word by its number, which must be below [`Vocabulary::len`].
    pub fn word(&self, id: u32) -> &str {
        self.words.word(id)
    }

    /// Whether a term is a run of several words: its words are joined by spaces, which no single word has.
    pub fn is_ngram(&self, term: u32) -> bool {
        self.word(term).contains(' ')
    }

    /// Returns all words in the order of their numbers.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|id| self.words.word(id as u32))
    }

    /// Returns in how many documents each word occurs.
    pub fn document_frequencies(&self) -> &[u32] {
        &self.df
    }

    /// Returns how often each word occurs.
    pub fn collection_frequencies(&self) -> &[u64] {
        &self.cf
    }

    /// Returns the words one after the other, in UTF-8.
    pub fn bytes(&self) -> &[u8] {
        self.words.text().as_bytes()
    }

    /// Returns where each word begins in [`Vocabulary::bytes`], and the end of the last.
    pub fn offsets(&self) -> &[u64] {
        self.words.offsets()
    }

    /// Returns the number of documents counted.
    pub fn n_documents(&self) -> u64 {
        self.n_documents
    }

    /// Returns the number of terms in all documents, with those that got no place.
    pub fn n_tokens(&self) -> u64 {
        self.n_tokens
    }

    /// Returns the mean number of terms of a document; 0 without documents.
    pub fn average_length(&self) -> f64 {
        if self.n_documents == 0 { 0.0 } else { self.n_tokens as f64 / self.n_documents as f64 }
    }
}

fn broken(what: &str) -> Error {
    Error::bad_data(format!("the vocabulary has {what}"), "make the vocabulary anew")
}

fn check_offsets(text: &str, offsets: &[u64]) -> Result<()> {
    if offsets.first() != Some(&0) || offsets.last() != Some(&(text.len() as u64)) {
        return Err(broken("offsets that do not span its words"));
    }
    if !offsets.windows(2).all(|w| w[0] < w[1]) {
        return Err(broken("an empty word or offsets out of order"));
    }
    if !offsets.iter().all(|&at| text.is_char_boundary(at as usize)) {
        return Err(broken("an offset inside a character"));
    }
    Ok(())
}

fn check_frequencies(df: &[u32], cf: &[u64], n_documents: u64, n_tokens: u64) -> Result<()> {
    if !df.iter().all(|&df| df > 0 && u64::from(df) <= n_documents) {
        return Err(broken("a word in no document or in more than there are"));
    }
    if !df.iter().zip(cf).all(|(&df, &cf)| cf >= u64::from(df)) {
        return Err(broken("a word that occurs less often than in how many documents"));
    }
    let sum = cf.iter().try_fold(0u64, |sum, &cf| sum.checked_add(cf));
    if sum.is_none_or(|sum| sum > n_tokens) {
        return Err(broken("words that occur more often than all words together"));
    }
    Ok(())
}

#[cfg(test)]
#[path = "vocabulary_tests.rs"]
mod tests;
