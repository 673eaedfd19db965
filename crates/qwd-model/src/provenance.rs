//! Where a model comes from. It carries no time of day: the same inputs give the same bytes.

use crate::bounds::Sample;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a model was made of, by which method and with which parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The algorithm, as `qwd train --method` names it.
    pub method: String,
    /// Its parameters, all of them, as an object.
    pub params: serde_json::Value,
    /// The seed of its random choices.
    pub seed: u64,
    /// The version of qwd that trained it.
    pub qwd_version: String,
    /// The number of training tuples seen, over all updates.
    pub n_tuples: u64,
    /// The data sets it saw: name to hash.
    #[serde(default)]
    pub data: BTreeMap<String, String>,
    /// Remarks, oldest first.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What bounds on the model need to know of its training sample, where it was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
}

impl Provenance {
    /// The provenance of a method of this version of qwd, with nothing seen yet.
    pub fn new(method: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            params: serde_json::Value::Object(serde_json::Map::new()),
            seed: 0,
            qwd_version: env!("CARGO_PKG_VERSION").to_string(),
            n_tuples: 0,
            data: BTreeMap::new(),
            notes: Vec::new(),
            sample: None,
        }
    }
}
