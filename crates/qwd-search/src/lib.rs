//! Documents and a learned match to an index on disk, and exact best hits with their reasons.
//!
//! | module | question it answers |
//! |---|---|
//! | [`writer`] | how do documents come into an index, and out of it? |
//! | [`index`] | how is an index opened, and how does it follow its writer? |
//! | [`snapshot`] | what does an index answer? |
//! | [`query`] | what is asked, and what is answered? |
//! | [`filter`], [`snippet`], [`spelling`] | which documents, which passage, which word was meant? |
//! | [`rerank`](mod@rerank) | how does a second stage put hits in another order? |
//! | `backup` | how is an index copied while it is read and written? |
//! | [`description`] | what is in an index, and is it sound? |
//! | [`export`] | how do other engines read documents and queries? |
//! | [`matching`] | what does a model ask of an index? |
//! | [`evaluate`] | how are the best k found without looking at most documents? |
//! | `manifest`, `segment` | how does an index lie on disk? (FORMAT.md) |
//!
//! An index is a folder: a manifest, a model, and segments that never change. A [`Writer`] adds, replaces and deletes
//! documents; a commit makes all of it visible in one rename. An [`Index`] gives out [`Snapshot`]s, which are immutable and
//! shared: a query runs on one, whatever the writer does meanwhile.
//!
//! The answer is exact for every form of W, signed weights included: the best k of all documents by `qᵀWd`, ties to the
//! document that was added first. [`evaluate`] says in which order a score is summed.
//!
//! ```
//! use qwd_core::Threads;
//! use qwd_data::Document;
//! use qwd_model::{Matrix, Model, Provenance};
//! use qwd_search::{Index, IndexParams, Query, Writer};
//! use qwd_text::{VectorizerParams, VocabularyParams};
//!
//! # let folder = tempfile::tempdir().expect("a folder");
//! # let folder = folder.path().join("index");
//! let texts = ["a fast red car", "a red ship", "the open sea"];
//! let words = VectorizerParams::default().fit(&VocabularyParams::default(), texts, &Threads::default())?;
//! let model = Model::new(Matrix::identity(words.vocabulary().len())?, Provenance::new("identity"))
//!     .with_vectorizers(Some(words.clone()), Some(words))?;
//!
//! let mut writer = Writer::create(&folder, &model, &IndexParams::default())?;
//! for (i, text) in texts.iter().enumerate() {
//!     writer.add(Document { id: format!("d{i}"), text: text.to_string(), ..Document::default() })?;
//! }
//! writer.commit()?;
//!
//! let index = Index::open(&folder)?;
//! let answer = index.snapshot().search(&Query::new("red ship").top(2).explained())?;
//! assert_eq!(answer.hits[0].id, "d1");
//! assert_eq!(answer.hits[0].reasons.as_ref().map(Vec::len), Some(2));
//!
//! writer.delete("d1")?;
//! writer.commit()?;
//! assert!(index.reload()?);
//! assert_eq!(index.snapshot().search(&Query::new("red ship"))?.hits[0].id, "d0");
//! # Ok::<(), qwd_core::Error>(())
//! ```

mod backup;
pub mod description;
pub mod evaluate;
pub mod export;
pub mod filter;
pub mod index;
mod manifest;
pub mod matching;
mod phrase;
pub mod query;
pub mod rerank;
mod segment;
pub mod snapshot;
pub mod snippet;
pub mod spelling;
pub mod writer;

pub use description::{Description, describe, verify};
pub use evaluate::Strategy;
pub use export::{Engine, Exporter, Loss, SynonymParams};
pub use filter::Filter;
pub use index::Index;
pub use matching::Expand;
pub use query::{Answer, Hit, Query};
pub use rerank::rerank;
pub use snapshot::{OnDamage, Snapshot};
pub use snippet::Snippet;
pub use spelling::Correction;
pub use writer::{Changes, IndexParams, Writer};
