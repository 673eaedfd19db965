//! What stands in the log: all that is needed to come to the same model again.

use crate::course::LearnParams;
use crate::feedback::Feedback;
use crate::version::HeldOut;
use qwd_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// One record of the log, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Record {
    /// Learning starts from a version; the first record is one, and there is no other.
    Base {
        /// The version.
        version: u64,
        /// The version that knows no feedback at all: where learning starts again when feedback is erased.
        origin: u64,
        /// The number of the next version.
        next: u64,
    },
    /// The text of a document that feedback is about, as it is from here on.
    Text {
        /// The document.
        id: String,
        /// What is matched of it.
        text: String,
    },
    /// Something that a user told.
    Feedback(Feedback),
    /// The model learned from the feedback among the first `through` records.
    Round {
        /// How many records it saw.
        through: u64,
        /// How it learned.
        params: LearnParams,
        /// The seed by which queries were held out.
        seed: u64,
        /// The version that came of it, unless the held-out part got worse.
        version: Option<u64>,
        /// Whether the version took the place of the current one at once.
        published: bool,
        /// The held-out part before and after.
        held_out: HeldOut,
    },
    /// Another version takes the place of the current one.
    Use {
        /// The version.
        version: u64,
    },
    /// The weight of a word pair is set by hand, or released.
    Pin {
        /// The word of queries.
        query: String,
        /// The word of documents.
        document: String,
        /// The weight, 0 where the pair is forbidden; none where it is released.
        weight: Option<f32>,
    },
    /// A model from outside becomes a version and takes the place of the current one.
    Load {
        /// Its version.
        version: u64,
    },
}

impl Record {
    /// The record as the log holds it.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|e| Error::internal(format!("a record that is no JSON: {e}")))
    }

    /// Reads a record; its checksum holds, so only another version of the program can have written what is not understood.
    pub fn from_bytes(number: u64, bytes: &[u8]) -> Result<Self> {
        serde_json::from_slice(bytes).map_err(|e| {
            let what = format!("record {} of the feedback log is not understood: {e}", number + 1);
            Error::bad_data(what, "use the version of qwd that wrote it")
        })
    }
}
