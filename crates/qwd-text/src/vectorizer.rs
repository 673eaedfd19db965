//! Text to sparse vectors in one call: analyzer, vocabulary and weighting together.

use crate::analyzer::{Analyzer, AnalyzerParams, Scratch};
use crate::vocabulary::Vocabulary;
use crate::vocabulary_builder::VocabularyParams;
use crate::weighting::{Weighting, WeightingParams};
use qwd_core::{Csr, Error, Result, SparseVec, Threads};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;

/// Texts per piece of parallel work, whatever the number of threads.
const BLOCK: usize = 256;

/// What a vectorizer is besides its vocabulary: small enough for the header of a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VectorizerParams {
    /// From text to terms.
    pub analyzer: AnalyzerParams,
    /// From terms to weights.
    pub weighting: WeightingParams,
}

impl VectorizerParams {
    /// Counts the terms of the texts and makes a vectorizer of those that `vocabulary` chooses.
    pub fn fit<'a>(
        &self,
        vocabulary: &VocabularyParams,
        texts: impl IntoIterator<Item = &'a str>,
        threads: &Threads,
    ) -> Result<Vectorizer> {
        let texts: Vec<&str> = texts.into_iter().collect();
        self.with_words(vocabulary.fit(&self.analyzer.build()?, &texts, threads)?)
    }

    /// Makes a vectorizer of words that are counted already, of which there must be some.
    pub fn with_words(&self, words: Vocabulary) -> Result<Vectorizer> {
        if words.is_empty() {
            return Err(Error::bad_data(
                format!("none of the words in {} texts is left for the vocabulary", words.n_documents()),
                "give more text, lower min_df, raise max_df or leave fewer words out",
            ));
        }
        Vectorizer::from_parts(self.clone(), Arc::new(words))
    }
}

/// The words of one text that have a number, and how often each occurs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BagOfWords {
    counts: Vec<(u32, u32)>,
    n_tokens: u64,
}

impl BagOfWords {
    /// Returns the words by rising number, each with its frequency.
    pub fn counts(&self) -> &[(u32, u32)] {
        &self.counts
    }

    /// Returns the number of terms of the text, unknown ones too.
    pub fn n_tokens(&self) -> u64 {
        self.n_tokens
    }

    /// Returns how many terms of the text the vocabulary does not have.
    pub fn n_unknown(&self) -> u64 {
        self.n_tokens - self.counts.iter().map(|&(_, n)| u64::from(n)).sum::<u64>()
    }
}

/// Turns texts into sparse vectors.
///
/// The two sides of a match have one each; they may share a vocabulary.
#[derive(Debug, Clone)]
pub struct Vectorizer {
    params: VectorizerParams,
    analyzer: Analyzer,
    weighting: Weighting,
    vocabulary: Arc<Vocabulary>,
}

impl Vectorizer {
    /// Checks the parameters and joins them with a vocabulary.
    pub fn from_parts(params: VectorizerParams, vocabulary: Arc<Vocabulary>) -> Result<Self> {
        let (analyzer, weighting) = (params.analyzer.build()?, params.weighting.build()?);
        Ok(Self { params, analyzer, weighting, vocabulary })
    }

    /// Returns the parameters.
    pub fn params(&self) -> &VectorizerParams {
        &self.params
    }

    /// Returns the analyzer.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// Returns the vocabulary.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// Returns the weighting.
    pub fn weighting(&self) -> &Weighting {
        &self.weighting
    }

    /// Returns the vector of a text; words that the vocabulary does not have are ignored.
    pub fn vector(&self, text: &str) -> SparseVec {
        self.weighting.weigh(&self.bag(text), &self.vocabulary)
    }

    /// Returns the counted words of a text.
    pub fn bag(&self, text: &str) -> BagOfWords {
        self.bag_with(text, &mut Scratch::default(), &mut Vec::new())
    }

    /// Returns the terms of a text that the vocabulary does not have, each once, in the order of the text.
    pub fn unknown_words(&self, text: &str) -> Vec<String> {
        let (mut unknown, mut seen) = (Vec::new(), HashSet::new());
        self.analyzer.for_each_term(text, &mut Scratch::default(), |term| {
            if self.vocabulary.get(term).is_none() && seen.insert(term.to_owned()) {
                unknown.push(term.to_owned());
            }
        });
        unknown
    }

    /// Returns the vectors of many texts as rows, in order; the bytes are the same at any number of threads.
    pub fn matrix<T: AsRef<str> + Sync>(&self, texts: &[T], threads: &Threads) -> Csr {
        let blocks: Vec<&[T]> = texts.chunks(BLOCK).collect();
        let vectors = threads.map(blocks.len(), |i| {
            let (mut scratch, mut ids) = (Scratch::default(), Vec::new());
            let vector = |text: &T| {
                self.weighting.weigh(&self.bag_with(text.as_ref(), &mut scratch, &mut ids), &self.vocabulary)
            };
            blocks[i].iter().map(vector).collect::<Vec<SparseVec>>()
        });
        let mut matrix = Csr::empty(self.vocabulary.len() as u32);
        for vector in vectors.into_iter().flatten() {
            matrix.push(vector.view()).expect("a vector of this vocabulary");
        }
        matrix
    }

    fn bag_with(&self, text: &str, scratch: &mut Scratch, ids: &mut Vec<u32>) -> BagOfWords {
        ids.clear();
        let mut n_tokens = 0;
        self.analyzer.for_each_term(text, scratch, |term| {
            n_tokens += 1;
            ids.extend(self.vocabulary.get(term));
        });
        ids.sort_unstable();
        let counts = ids.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect();
        BagOfWords { counts, n_tokens }
    }
}

#[cfg(test)]
#[path = "vectorizer_tests.rs"]
mod tests;
