//! The versions of a model: files in a folder, and what is known of each.

use qwd_core::{Error, Result};
use qwd_model::Model;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One version, as it is listed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Version {
    /// Its number, from 1.
    pub version: u64,
    /// Where it comes from.
    pub from: From,
    /// The version that learning went on from.
    pub parent: Option<u64>,
    /// Whether it ranks now.
    pub current: bool,
    /// Whether its file is still there, so that one can go back to it.
    pub kept: bool,
    /// The held-out part before and after, if it was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
}

/// Where a version comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum From {
    /// Learning started from it.
    Base,
    /// It was learned from feedback.
    Feedback,
    /// It was loaded.
    Loaded,
}

/// The held-out preferences, and how many of them two models get wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldOut {
    /// The preferences.
    pub n: u64,
    /// Wrong or tied before learning.
    pub wrong_before: u64,
    /// Wrong or tied after.
    pub wrong_after: u64,
}

pub(crate) fn path(folder: &Path, version: u64) -> PathBuf {
    folder.join(format!("model-{version:06}.qwd"))
}

pub(crate) fn open(folder: &Path, version: u64) -> Result<Model> {
    let path = path(folder, version);
    if !path.exists() {
        let what = format!("version {version} of the model is not kept");
        return Err(Error::bad_data(what, "choose one that `qwd models list` shows as kept"));
    }
    Model::open(path)
}
