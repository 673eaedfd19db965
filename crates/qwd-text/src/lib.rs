//! Text becomes sparse vectors.
//!
//! | module | question it answers |
//! |---|---|
//! | [`analyzer`] | which terms does a text have? |
//! | [`tokenizer`] | where does one token end and the next begin? |
//! | [`language`] | what is known of a language? |
//! | [`stop_words`], [`stemmer`] | which words say nothing, and which count as the same? |
//! | [`vocabulary`] | which terms have a number, and how frequent are they? |
//! | [`vocabulary_builder`] | how are they counted and chosen? |
//! | [`weighting`] | how much does a term weigh in a text? |
//! | [`vectorizer`] | all of the above in one call |
//!
//! ```
//! use qwd_core::Threads;
//! use qwd_text::{VectorizerParams, VocabularyParams};
//!
//! let texts = ["The cat sat.", "The dog sat and sat.", "Two birds"];
//! let vectorizer = VectorizerParams::default().fit(&VocabularyParams::default(), texts, &Threads::default())?;
//! assert_eq!(vectorizer.vocabulary().word(0), "sat");
//! assert_eq!(vectorizer.vector("a cat, a dog").view().len(), 2);
//! assert_eq!(vectorizer.unknown_words("a cat, a dog"), ["a"]);
//! # Ok::<(), qwd_core::Error>(())
//! ```

pub mod analyzer;
mod char_ngrams;
pub mod language;
mod normalize;
pub mod stemmer;
pub mod stop_words;
pub mod tokenizer;
mod unicode_words;
pub mod vectorizer;
pub mod vocabulary;
pub mod vocabulary_builder;
pub mod weighting;
mod word_ngrams;
mod word_table;

pub use analyzer::{Analyzer, AnalyzerParams, Scratch};
pub use language::{Language, languages};
pub use tokenizer::Tokenizer;
pub use vectorizer::{BagOfWords, Vectorizer, VectorizerParams};
pub use vocabulary::{Vocabulary, VocabularyParts};
pub use vocabulary_builder::{Frequency, VocabularyBuilder, VocabularyParams};
pub use weighting::{Idf, Norm, Tf, Weighting, WeightingParams};
