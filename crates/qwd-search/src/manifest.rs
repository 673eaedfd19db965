//! The manifest: which files an index is made of. It is the last file that a commit writes, in one rename, so an index is
//! always that of one commit.

use crate::matching::Expand;
use qwd_core::{Error, Result};
use qwd_store::{crc32, read_file, save_atomically};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The name of the manifest in an index's folder.
pub(crate) const MANIFEST: &str = "index.json";

const FORMAT: &str = "qwd-index";
const VERSION: u32 = 1;
const MAX_BYTES: u64 = 1 << 26;

/// What an index is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// Counts the commits.
    pub(crate) generation: u64,
    pub(crate) expand: Expand,
    pub(crate) prune: Option<usize>,
    pub(crate) model: FileRecord,
    pub(crate) segments: Vec<SegmentRecord>,
    pub(crate) next_segment: u64,
}

/// A file and its checksum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileRecord {
    pub(crate) file: String,
    pub(crate) n_bytes: u64,
    /// Of the whole file; of a segment, that of its header, which holds those of its sections.
    pub(crate) crc32: u32,
}

/// A segment and what was deleted from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SegmentRecord {
    #[serde(flatten)]
    pub(crate) file: FileRecord,
    pub(crate) n_docs: u32,
    pub(crate) deleted: Option<FileRecord>,
}

#[derive(Serialize, Deserialize)]
struct Envelope {
    format: String,
    version: u32,
    crc32: u32,
    body: Box<serde_json::value::RawValue>,
}

impl Manifest {
    /// Whether there is an index at a path.
    pub(crate) fn is_at(folder: &Path) -> bool {
        folder.join(MANIFEST).is_file()
    }

    /// The error of a folder in which there is no index, if there is none.
    pub(crate) fn require(folder: &Path) -> Result<()> {
        if Self::is_at(folder) { Ok(()) } else { Err(no_index(folder, ErrorKind::NotFound.into())) }
    }

    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let bytes = read_file(&path, MAX_BYTES).map_err(|e| match e {
            Error::Io { source, .. } if matches!(source.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                no_index(folder, source)
            }
            other => other,
        })?;
        let damaged = |what: String| Error::corrupt(&path, "manifest", what);
        let envelope: Envelope = serde_json::from_slice(&bytes).map_err(|e| damaged(format!("not readable: {e}")))?;
        let body = envelope.body.get().as_bytes();
        if envelope.format != FORMAT || crc32(body) != envelope.crc32 {
            return Err(damaged("its checksum does not hold".into()));
        }
        if envelope.version != VERSION {
            let what = format!("an index of version {}; a newer qwd reads it", envelope.version);
            return Err(Error::Unsupported { path, what });
        }
        let manifest: Self = serde_json::from_slice(body).map_err(|e| damaged(format!("not readable: {e}")))?;
        // What is written is the one way to write it: nothing outside the checksum can differ either.
        if manifest.encode()? != bytes {
            return Err(damaged("it is not as it was written".into()));
        }
        let files = manifest.files();
        if let Some(name) = files.iter().find(|name| !is_plain(name)) {
            return Err(damaged(format!("{name:?} is no file of an index")));
        }
        Ok(manifest)
    }

    pub(crate) fn save(&self, folder: &Path) -> Result<()> {
        let path = folder.join(MANIFEST);
        let bytes = self.encode()?;
        save_atomically(&path, |w| w.write_all(&bytes).map_err(|e| Error::io(&path, "write", e)))
    }

    /// The names of all files but the manifest.
    pub(crate) fn files(&self) -> Vec<&str> {
        let mut files = vec![self.model.file.as_str()];
        for segment in &self.segments {
            files.push(&segment.file.file);
            files.extend(segment.deleted.as_ref().map(|d| d.file.as_str()));
        }
        files
    }

    fn encode(&self) -> Result<Vec<u8>> {
        let encoded = || -> serde_json::Result<Vec<u8>> {
            let body = serde_json::value::to_raw_value(self)?;
            let crc32 = crc32(body.get().as_bytes());
            let mut bytes = serde_json::to_vec(&Envelope { format: FORMAT.into(), version: VERSION, crc32, body })?;
            bytes.push(b'\n');
            Ok(bytes)
        };
        encoded().map_err(|e| Error::internal(format!("a manifest that is no JSON: {e}")))
    }
}

fn no_index(folder: &Path, source: std::io::Error) -> Error {
    Error::io(folder, "open as an index (`qwd index` makes one)", source)
}

/// Whether a name is one that an index gives its files: no path leads out of its folder.
fn is_plain(name: &str) -> bool {
    let is_one = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    !name.is_empty() && name.chars().all(is_one) && !name.starts_with('.')
}

/// Saves bytes as a file of an index.
pub(crate) fn save_file(folder: &Path, name: String, bytes: &[u8]) -> Result<FileRecord> {
    let path: PathBuf = folder.join(&name);
    save_atomically(&path, |w| w.write_all(bytes).map_err(|e| Error::io(&path, "write", e)))?;
    Ok(FileRecord { file: name, n_bytes: bytes.len() as u64, crc32: crc32(bytes) })
}

/// Reads a whole file of an index and checks it.
pub(crate) fn load_file(folder: &Path, record: &FileRecord) -> Result<Vec<u8>> {
    let path = folder.join(&record.file);
    let bytes = read_file(&path, record.n_bytes.max(1))?;
    if bytes.len() as u64 != record.n_bytes || crc32(&bytes) != record.crc32 {
        return Err(Error::corrupt(&path, "file", "its checksum does not hold"));
    }
    Ok(bytes)
}
