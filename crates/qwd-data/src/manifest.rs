//! `dataset.json`: what a folder says of itself.

use crate::fingerprint::Fingerprint;
use crate::input::Input;
use crate::json;
use crate::output::create;
use qwd_core::error::Place;
use qwd_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The file's name.
pub const FILE_NAME: &str = "dataset.json";

const MAX_BYTES: u64 = 1 << 20;

/// The name and description of a data set, and the hashes of its files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Manifest {
    /// The data set's name.
    pub name: String,
    /// What it is, in a sentence.
    pub description: String,
    /// The number of the first feature in `.svm` files, 1 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_base: Option<u8>,
    /// For files by their name in the folder, the hash of their content after decompression.
    pub files: BTreeMap<String, String>,
}

impl Manifest {
    /// Reads the manifest of a folder; a folder without one is named after itself.
    pub fn of_folder(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE_NAME);
        if !path.is_file() {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Ok(Self { name, ..Self::default() });
        }
        let mut text = Vec::new();
        Input::open(&path)?.read_up_to(MAX_BYTES + 1, &mut text)?;
        if text.len() as u64 > MAX_BYTES {
            let what = format!("{}: the size in bytes", path.display());
            return Err(Error::limit(what, MAX_BYTES, text.len() as u64, "remove what does not belong there"));
        }
        serde_json::from_slice(&text).map_err(|e| {
            let what = format!("not a usable description of a data set: {}", json::message(&e));
            Error::parse(Place::new(&path, e.line() as u64, e.column() as u64), what, "correct or remove the file")
        })
    }

    /// Notes the hash of a file that was written into a folder.
    pub fn note(&mut self, folder: &Path, fingerprint: &Fingerprint) {
        self.files.insert(name_in(folder, &fingerprint.path), fingerprint.to_string());
    }

    /// Compares the files that were read with what is noted about them.
    pub fn check(&self, folder: &Path, files: &[Fingerprint]) -> Result<()> {
        for file in files {
            let noted = self.files.get(&name_in(folder, &file.path));
            if noted.is_some_and(|noted| *noted != file.to_string()) {
                let what = format!("{} is not the file that {FILE_NAME} describes", file.path.display());
                return Err(Error::bad_data(what, "make the data set anew, or remove the file's hash from there"));
            }
        }
        Ok(())
    }

    /// Writes the manifest into a folder.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| Error::internal(format!("a manifest cannot be written as JSON: {e}")))?;
        let mut out = create(folder.join(FILE_NAME))?;
        out.line(format_args!("{text}"))?;
        out.finish().map(drop)
    }
}

/// The file's name relative to the folder, with `/` on every system.
fn name_in(folder: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(folder).unwrap_or(path);
    relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
