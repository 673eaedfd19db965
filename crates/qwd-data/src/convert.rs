//! Public data sets in the form of their makers, turned into the folders that qwd reads.
//!
//! Each data set has a file of its own here. Fetching the originals is done elsewhere; what is needed for it (names,
//! homes, checksums) is in [`DATASETS`]. The same originals always give the same bytes, and a folder appears whole or
//! not at all.

mod folder;
pub mod mnist;
pub mod nfcorpus;
pub mod rcv1;
pub mod reuters21578;
mod sgml;
pub mod tar;
pub mod twenty_newsgroups;

use crate::corpus::Document;
use crate::reading::Reading;
use qwd_core::{Error, Result};
use std::path::{Path, PathBuf};

/// A public data set.
#[derive(Debug, Clone, Copy)]
pub struct Original {
    /// Its name, which is also that of its folder.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub description: &'static str,
    /// The files that are needed; each may also be plain or compressed otherwise.
    pub files: &'static [OriginalFile],
    /// Where its makers offer it.
    pub homes: &'static [&'static str],
    /// What is known of its licence.
    pub licence: &'static str,
    convert: fn(from: &Path, to: &Path, reading: &mut Reading) -> Result<Vec<Count>>,
}

/// One file of a public data set.
#[derive(Debug, Clone, Copy)]
pub struct OriginalFile {
    /// Its name.
    pub name: &'static str,
    /// Its SHA-256, where a copy was at hand.
    pub sha256: Option<&'static str>,
}

/// A number worth telling about a conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// What was counted: "train documents".
    pub what: &'static str,
    /// How many there are.
    pub n: u64,
}

/// What a conversion made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// The new folder.
    pub folder: PathBuf,
    /// What is in it.
    pub counts: Vec<Count>,
}

/// The data sets that qwd knows.
pub const DATASETS: &[Original] =
    &[twenty_newsgroups::ORIGINAL, mnist::ORIGINAL, reuters21578::ORIGINAL, nfcorpus::ORIGINAL, rcv1::ORIGINAL];

impl Original {
    /// Finds a data set by its name.
    pub fn named(name: &str) -> Result<&'static Self> {
        DATASETS.iter().find(|original| original.name == name).ok_or_else(|| {
            let names: Vec<&str> = DATASETS.iter().map(|original| original.name).collect();
            Error::param("dataset", name, format!("one of {}", names.join(", ")))
        })
    }

    /// Turns the originals in the folder `from` into the new folder `to`.
    pub fn convert(&self, from: &Path, to: &Path, reading: &mut Reading) -> Result<Converted> {
        let counts = (self.convert)(from, to, reading)?;
        Ok(Converted { folder: to.to_path_buf(), counts })
    }
}

const fn file(name: &'static str, sha256: &'static str) -> OriginalFile {
    OriginalFile { name, sha256: Some(sha256) }
}

/// Refuses an original in which nothing was found.
fn not_empty(documents: &[Document], from: &Path) -> Result<()> {
    if documents.is_empty() {
        let what = format!("the originals in {} hold no documents", from.display());
        return Err(Error::bad_data(what, "check that they are the right files"));
    }
    Ok(())
}

fn count(what: &'static str, n: usize) -> Count {
    Count { what, n: n as u64 }
}

/// Reads bytes as Latin-1, in which every byte is a character.
fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}
