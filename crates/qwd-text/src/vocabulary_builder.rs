//! Counting terms and choosing those that get a number.

use crate::analyzer::{Analyzer, Scratch};
use crate::vocabulary::{Vocabulary, VocabularyParts};
use crate::word_table::WordTable;
use qwd_core::{Error, Result, Threads, parameters};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// What "frequent" means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Frequency {
    /// How often a word occurs.
    #[default]
    Collection,
    /// In how many documents it occurs.
    Document,
}

parameters! {
    /// Which of the words met get a place in the vocabulary.
    pub struct VocabularyParams {
        /// The greatest number of words: the most frequent stay; 0 keeps all.
        pub n_words: u32 = 0,
        /// The least number of documents with the word. At least 1.
        pub min_df: u32 = 1,
        /// The greatest share of all documents with the word. Above 0, at most 1.
        pub max_df: f64 = 1.0,
        /// What the words are ordered by: `collection` (how often) or `document` (in how many documents).
        pub frequency: Frequency = Frequency::Collection,
    }
}

impl VocabularyParams {
    /// Checks the parameters and makes an empty builder.
    pub fn build(&self) -> Result<VocabularyBuilder> {
        if self.min_df == 0 {
            return Err(Error::param("min_df", 0, "at least 1"));
        }
        if !(self.max_df > 0.0 && self.max_df <= 1.0) {
            return Err(Error::param("max_df", self.max_df, "above 0, at most 1"));
        }
        Ok(VocabularyBuilder::new(self.clone()))
    }

    /// Counts the terms of all texts and chooses; the result does not depend on the number of threads.
    pub fn fit(&self, analyzer: &Analyzer, texts: &[&str], threads: &Threads) -> Result<Vocabulary> {
        let mut total = self.build()?;
        let blocks: Vec<&[&str]> = texts.chunks(texts.len().div_ceil(threads.count()).max(1)).collect();
        let counted = threads.map(blocks.len(), |i| {
            let mut block = VocabularyBuilder::new(self.clone());
            blocks[i].iter().try_for_each(|text| block.add(analyzer, text))?;
            Ok(block)
        });
        for block in counted {
            total.merge(&block?)?;
        }
        total.finish()
    }
}

/// Counts terms document by document.
#[derive(Debug)]
pub struct VocabularyBuilder {
    params: VocabularyParams,
    words: WordTable,
    counts: Vec<Count>,
    n_documents: u32,
    n_tokens: u64,
    scratch: Scratch,
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    cf: u64,
    df: u32,
    /// The last document with the word, from 1.
    seen_in: u32,
}

impl VocabularyBuilder {
    fn new(params: VocabularyParams) -> Self {
        let words = WordTable::with_capacity(0);
        Self { params, words, counts: Vec::new(), n_documents: 0, n_tokens: 0, scratch: Scratch::default() }
    }

    /// Counts the terms of one more document.
    pub fn add(&mut self, analyzer: &Analyzer, text: &str) -> Result<()> {
        self.begin_documents(1)?;
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut outcome = Ok(());
        analyzer.for_each_term(text, &mut scratch, |term| {
            if outcome.is_ok() {
                outcome = self.count(term);
            }
        });
        self.scratch = scratch;
        outcome
    }

    /// Counts one more document that is already a list of terms.
    pub fn add_terms<'a>(&mut self, terms: impl IntoIterator<Item = &'a str>) -> Result<()> {
        self.begin_documents(1)?;
        terms.into_iter().filter(|term| !term.is_empty()).try_for_each(|term| self.count(term))
    }

    /// Adds what another builder has counted in other documents.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.begin_documents(other.n_documents)?;
        self.n_tokens += other.n_tokens;
        for (id, theirs) in other.counts.iter().enumerate() {
            let count = self.entry(other.words.word(id as u32))?;
            count.cf += theirs.cf;
            count.df += theirs.df;
        }
        Ok(())
    }

    /// Chooses the words and numbers them by falling frequency, equal ones by their bytes.
    pub fn finish(self) -> Result<Vocabulary> {
        let max_df = self.params.max_df * f64::from(self.n_documents);
        let mut chosen: Vec<u32> = (0..self.words.len() as u32)
            .filter(|&id| {
                let df = self.counts[id as usize].df;
                df >= self.params.min_df && f64::from(df) <= max_df
            })
            .collect();
        chosen.sort_unstable_by_key(|&id| {
            let count = self.counts[id as usize];
            let frequency = match self.params.frequency {
                Frequency::Collection => count.cf,
                Frequency::Document => u64::from(count.df),
            };
            (Reverse(frequency), self.words.word(id))
        });
        if self.params.n_words > 0 {
            chosen.truncate(self.params.n_words as usize);
        }
        let mut parts = VocabularyParts {
            offsets: vec![0],
            n_documents: u64::from(self.n_documents),
            n_tokens: self.n_tokens,
            ..VocabularyParts::default()
        };
        for id in chosen {
            parts.bytes.extend_from_slice(self.words.word(id).as_bytes());
            parts.offsets.push(parts.bytes.len() as u64);
            parts.df.push(self.counts[id as usize].df);
            parts.cf.push(self.counts[id as usize].cf);
        }
        Vocabulary::from_parts(parts)
    }

    fn begin_documents(&mut self, n: u32) -> Result<()> {
        let sum = u64::from(self.n_documents) + u64::from(n);
        self.n_documents = u32::try_from(sum)
            .map_err(|_| Error::limit("the number of documents", u32::MAX.into(), sum, "count a sample of them"))?;
        Ok(())
    }

    fn count(&mut self, term: &str) -> Result<()> {
        self.n_tokens += 1;
        let document = self.n_documents;
        let count = self.entry(term)?;
        count.cf += 1;
        count.df += u32::from(count.seen_in != document);
        count.seen_in = document;
        Ok(())
    }

    fn entry(&mut self, word: &str) -> Result<&mut Count> {
        let id = self.words.intern(word)? as usize;
        if id == self.counts.len() {
            self.counts.push(Count::default());
        }
        Ok(&mut self.counts[id])
    }
}

#[cfg(test)]
#[path = "vocabulary_builder_tests.rs"]
mod tests;
