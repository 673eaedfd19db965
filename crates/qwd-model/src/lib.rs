//! The forms of W in `score(q, d) = qᵀWd`, models made of one, and the model file.
//!
//! | module | question it answers |
//! |---|---|
//! | [`matrix`] | how does a form of W score, expand and explain? |
//! | [`rank_all`] | what are the exact scores of all documents? |
//! | [`combination`] | how are the scores of several matchers added up? |
//! | [`random_walk`] | what do the clicks of others say? |
//! | [`query_expansion`] | what do the best documents add to a query? |
//! | [`mod@sparsify`] | how does any W become a sparse one, and at what loss? |
//! | [`mod@pinned`] | how are entries of W set by hand? |
//! | [`model`] | what does a model know besides its W, and what does it say of words? |
//! | [`mod@bounds`] | how well does what was aligned in training hold elsewhere? |
//! | [`provenance`] | where does a model come from? |
//! | [`state`] | what does training need to go on where it stopped? |
//! | [`mod@file`] | how does a model lie on disk? (FORMAT.md) |
//!
//! ```
//! use qwd_core::Threads;
//! use qwd_model::{Matrix, Model, Provenance};
//! use qwd_text::{VectorizerParams, VocabularyParams};
//!
//! let texts = ["a fast car", "a red car", "the open sea"];
//! let words = VectorizerParams::default().fit(&VocabularyParams::default(), texts, &Threads::default())?;
//! let cosine = Model::new(Matrix::identity(words.vocabulary().len())?, Provenance::new("identity"))
//!     .with_vectorizers(Some(words.clone()), Some(words))?;
//! assert!(cosine.score_text("car", "a red car")? > cosine.score_text("car", "the open sea")?);
//!
//! let again = Model::from_bytes(&cosine.to_bytes()?)?;
//! assert_eq!(again.explain_text("red sea", "a red car")?[0].document, "red");
//! # Ok::<(), qwd_core::Error>(())
//! ```

pub mod bounds;
pub mod combination;
pub mod file;
pub mod matrix;
pub mod model;
pub mod pinned;
pub mod provenance;
pub mod query_expansion;
pub mod random_walk;
pub mod rank_all;
pub mod sparsify;
pub mod state;

pub use bounds::{Bounds, bounds};
pub use file::{Section, Summary, Verification, inspect, verify};
pub use matrix::{LowRankDiagonal, LowRankParts, Matrix, Partner, Reason, Side};
pub use model::{Model, RelatedWord, WordReason};
pub use pinned::pinned;
pub use provenance::Provenance;
pub use query_expansion::QueryExpansion;
pub use random_walk::{RandomWalk, RandomWalkParams};
pub use sparsify::{Sparsified, sparsify};
pub use state::{LazyWeights, TrainingState};
