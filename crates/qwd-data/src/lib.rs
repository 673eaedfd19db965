//! Files to records to preferences: everything that enters qwd from outside passes through here, and is checked here.
//!
//! | module | question it answers |
//! |---|---|
//! | [`input`], [`lines`] | how are bytes read, whatever their compression, in bounded memory? |
//! | [`fingerprint`] | which bytes were they? |
//! | [`reading`] | what happens to a bad record, and what has been read so far? |
//! | [`output`] | how is a file written, whole or not at all? |
//! | [`id_map`], [`split`], [`classes`] | which number has an id, which split, which class? |
//! | [`corpus`], [`qrels`], [`run`], [`preferences`], [`links`], [`mates`], [`svmlight`], [`idx`] | how is each format read and written? |
//! | [`clicks`], [`sessions`] | how are clicks read and written, added up or list by list? |
//! | [`steps`] | which links did players choose on their way? |
//! | [`click_rules`], [`click_filters`], [`response`] | what does a click say, which ones say nothing, and how much is one worth? |
//! | [`folder`], [`dataset`], [`vectors`], [`manifest`] | what does a folder hold? |
//! | [`task`], [`preference`] | who are the queries, who the documents, and which suits which? |
//! | [`sample`] | how do labels, judgments or given preferences become training tuples? |
//! | [`convert`] | how does a public data set become such a folder? |
//!
//! A format is read as a stream of records: `each_…` hands every record to a closure together with its [`Line`], so
//! that whoever finds the record wrong can say where it stands; `read_…` collects them.
//!
//! ```
//! use qwd_data::{Dataset, Reading, SampleParams, Sampler, Split, SplitRule};
//!
//! # let folder = tempfile::tempdir()?;
//! # let line = |i: i32| format!("{{\"_id\":\"d{i}\",\"text\":\"t\",\"label\":\"{}\",\"split\":\"train\"}}\n", i % 2);
//! # std::fs::write(folder.path().join("corpus.jsonl"), (0..4).map(line).collect::<String>())?;
//! # let folder = folder.path();
//! let dataset = Dataset::open(folder, &mut Reading::default())?;
//! let train = dataset.task(Split::Train, &SplitRule::default())?;
//! let tuples = Sampler::of_task(&train, &SampleParams::default())?.sample(100)?;
//! assert!(tuples.iter().all(|t| t.query % 2 == t.better % 2 && t.query % 2 != t.worse % 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod classes;
pub mod click_filters;
pub mod click_rules;
pub mod clicks;
pub mod convert;
pub mod corpus;
pub mod dataset;
pub mod fingerprint;
pub mod folder;
pub mod id_map;
pub mod idx;
pub mod input;
mod json;
pub mod lines;
pub mod links;
pub mod manifest;
pub mod mates;
pub mod output;
mod pairs;
mod parquet;
pub mod preference;
pub mod preferences;
pub mod qrels;
pub mod reading;
pub mod response;
pub mod run;
pub mod sample;
pub mod sessions;
pub mod split;
pub mod steps;
pub mod svmlight;
pub mod task;
pub mod task_files;
mod trec;
pub mod vectors;

pub use classes::Classes;
pub use click_filters::ClickFilterParams;
pub use click_rules::{Agreement, ClickRule};
pub use clicks::Click;
pub use corpus::{Document, Query};
pub use dataset::{Dataset, Signal};
pub use fingerprint::Fingerprint;
pub use folder::Opened;
pub use id_map::IdMap;
pub use input::Input;
pub use lines::{Field, Line};
pub use manifest::Manifest;
pub use output::{Output, create};
pub use preference::{Judgment, Preference};
pub use reading::{OnError, Reading, Skipped};
pub use response::{ResponseKind, ResponseParams};
pub use sample::{SampleParams, Sampler};
pub use sessions::{Session, SessionRecord};
pub use split::{LinkSplit, Shares, Split, SplitRule};
pub use task::{Task, Truth};
pub use vectors::VectorDataset;
