//! Public data sets in the form of their makers, turned into the folders that qwd reads.
//!
//! Each data set has a file of its own here. Fetching the originals is done elsewhere; what is needed for it (names,
//! homes, checksums) is in [`DATASETS`]. The same originals always give the same bytes, and a folder appears whole or
//! not at all.

mod folder;
pub mod insuranceqa;
pub mod mdn_docs;
pub mod mnist;
pub mod nfcorpus;
mod pages;
pub mod rcv1;
pub mod reuters21578;
mod sgml;
pub mod sogou_sample;
pub mod tar;
pub mod twenty_newsgroups;
pub mod wikispeedia;
pub mod zzquerylog;

use crate::corpus::Document;
use crate::reading::Reading;
use qwd_core::{Error, Result};
use std::path::{Path, PathBuf};

/// A public data set.
#[derive(Debug, Clone, Copy)]
pub struct Original {
    /// Its name.
    pub name: &'static str,
    /// The folder of its originals among those of other data sets; several data sets may be made of the same originals.
    pub folder: &'static str,
    /// What it is, in a sentence.
    pub description: &'static str,
    /// The files that are needed; each may also be plain or compressed otherwise.
    pub files: &'static [OriginalFile],
    /// Where its makers offer it.
    pub homes: &'static [&'static str],
    /// What is known of its licence.
    pub licence: &'static str,
    convert: fn(from: &Path, to: &Path, options: Options, reading: &mut Reading) -> Result<Vec<Count>>,
}

/// What a user may choose about a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether links to calendar years stay. Paper 2 removed them: there are many, and they say little.
    pub keep_year_links: bool,
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
pub const DATASETS: &[Original] = &[
    twenty_newsgroups::ORIGINAL,
    mnist::ORIGINAL,
    reuters21578::ORIGINAL,
    nfcorpus::ORIGINAL,
    rcv1::ORIGINAL,
    wikispeedia::ORIGINAL,
    mdn_docs::ENGLISH,
    mdn_docs::JAPANESE,
    mdn_docs::FRENCH,
    insuranceqa::ORIGINAL,
    zzquerylog::ORIGINAL,
    sogou_sample::ORIGINAL,
];

impl Original {
    /// Finds a data set by its name.
    pub fn named(name: &str) -> Result<&'static Self> {
        DATASETS.iter().find(|original| original.name == name).ok_or_else(|| {
            let names: Vec<&str> = DATASETS.iter().map(|original| original.name).collect();
            Error::param("dataset", name, format!("one of {}", names.join(", ")))
        })
    }

    /// Returns the folder of the originals in one that holds several data sets, or else that folder itself.
    pub fn find_in(&self, folder: &Path) -> PathBuf {
        let own = folder.join(self.folder);
        if own.is_dir() { own } else { folder.to_path_buf() }
    }

    /// Turns the originals in the folder `from` into the new folder `to`.
    pub fn convert(&self, from: &Path, to: &Path, reading: &mut Reading) -> Result<Converted> {
        self.convert_with(from, to, Options::default(), reading)
    }

    /// Does what [`Self::convert`] does, in a way that the user chose.
    pub fn convert_with(&self, from: &Path, to: &Path, options: Options, reading: &mut Reading) -> Result<Converted> {
        let counts = (self.convert)(from, to, options, reading)?;
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
