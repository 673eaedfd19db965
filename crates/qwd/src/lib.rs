//! `qwd` learns the matrix **W** in `score(q, d) = qᵀWd` from raw words and from what says which document suits a query
//! better: preferences, judgments or class labels. This crate is the door to the library; it has nothing of its own.
//!
//! | module | stage |
//! |---|---|
//! | [`text`] | text to sparse vectors |
//! | [`data`] | files to records to preferences |
//! | [`train`] | preferences to a model: one module per algorithm, and plans from a data set to a model |
//! | [`model`] | W, what it says of words, the model file |
//! | [`rank`] | feature vectors to a ranker: the second stage, one module per algorithm |
//! | [`search`] | documents and a model to an index on disk, and exact best hits with their reasons |
//! | [`online`] | feedback to a better model, with a log and versions |
//! | [`metrics`] | rankings and judgments to figures; tests of significance |
//! | [`core`] | vectors, threads, errors, progress |
//! | [`store`] | files that are written whole or not at all |
//! | `lab` | data sets, experiments, plots (feature `lab`) |
//!
//! # Quickstart
//!
//! Four articles, what people asked, and which article suited them better:
//!
//! ```
//! use qwd::model::rank_all::rank_all;
//! use qwd::prelude::*;
//!
//! let articles = ["Paying your invoice", "Cancelling a contract", "Restarting the router", "Moving house"];
//! let questions = ["settle my bill", "quit my plan", "wifi is down", "new home"];
//! let preferences: Vec<Preference> = (0..4u32)
//!     .flat_map(|q| (1..4).map(move |k| Preference { query: q, better: q, worse: (q + k) % 4, weight: 1.0 }))
//!     .collect();
//!
//! // Text to vectors: one vocabulary for both sides.
//! let threads = Threads::new(0)?;
//! let texts = articles.into_iter().chain(questions);
//! let words = VectorizerParams::default().fit(&VocabularyParams::default(), texts, &threads)?;
//! let (queries, documents) = (words.matrix(&questions, &threads), words.matrix(&articles, &threads));
//!
//! // Preferences to W, from I on.
//! let problem = Problem::try_new(&queries, &documents, &preferences)?;
//! let sgd = SparseSgdParams { learning_rate: 1.0, ..SparseSgdParams::default() }.build()?;
//! let trained = sgd.train(&problem, Start::Identity, &Constraints::default(), &mut Session::quiet(&threads))?;
//! let model = Model::new(trained.matrix, Provenance::new("sparse-sgd")).with_vectorizers(Some(words.clone()), Some(words))?;
//!
//! // It ranks words it has never seen together in one text, and says why.
//! let query = model.vector(Side::Query, "my wifi")?;
//! let best = rank_all(model.matrix(), query.view(), &documents, 1)?;
//! assert_eq!(articles[best[0].item as usize], "Restarting the router");
//! let why = &model.explain_text("my wifi", "Restarting the router")?[0];
//! assert_eq!((why.query.as_str(), why.document.as_str()), ("wifi", "restarting"));
//!
//! // A model file is all that scoring text needs.
//! # let folder = tempfile::tempdir().expect("a folder");
//! # let path = folder.path().join("help.qwd");
//! model.save(&path)?;
//! let again = Model::open(&path)?;
//! assert_eq!(again.score_text("my bill", "an invoice")?, model.score_text("my bill", "an invoice")?);
//! # Ok::<(), qwd::core::Error>(())
//! ```
//!
//! From a folder of files to a model in one call: [`train::Plan`]. Runnable examples, one per task, are in `examples/`.

pub use qwd_core as core;
pub use qwd_data as data;
#[cfg(feature = "lab")]
pub use qwd_lab as lab;
pub use qwd_metrics as metrics;
pub use qwd_model as model;
pub use qwd_online as online;
pub use qwd_rank as rank;
pub use qwd_search as search;
pub use qwd_store as store;
pub use qwd_text as text;
pub use qwd_train as train;

pub use qwd_core::{Error, Result};

/// What most programs need.
pub mod prelude {
    pub use qwd_core::{Control, Error, Family, Observer, Progress, Result, Silent, Threads};
    pub use qwd_data::{Dataset, Input, Opened, Preference, Reading, Split, SplitRule};
    pub use qwd_metrics::Metric;
    pub use qwd_model::{Matrix, Model, Provenance, Side};
    pub use qwd_search::{Index, IndexParams, Query, Writer};
    pub use qwd_text::{Vectorizer, VectorizerParams, VocabularyParams};
    pub use qwd_train::{
        Constraints, Method, Plan, Prepared, Problem, Session, SparseSgdParams, Start, TextParams, evaluate,
    };
}

/// The README's Rust code, run as a test of documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
