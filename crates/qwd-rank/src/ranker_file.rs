//! A ranker on disk: one JSON object, saved whole or not at all, with a checksum.
//!
//! `{"format": "qwd-ranker", "version": 1, "crc32": 305419896, "body": {"ranker": …, "scaler": …, "method": …, "params": …}}`
//!
//! The checksum is that of the body's bytes as they stand in the file. Numbers are written with as many digits as bring
//! them back bit for bit. A file from a stranger is safe to open: its size is bounded, its trees are checked to end.

use crate::feature_set::FeatureSet;
use crate::lightgbm;
use crate::ranker::Ranker;
use crate::scaling::Scaler;
use qwd_core::{Error, Result, Threads};
use qwd_store::{crc32, read_file, save_atomically};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

const FORMAT: &str = "qwd-ranker";
const VERSION: u32 = 1;
/// What our own files begin with.
const START: &[u8; 22] = br#"{"format":"qwd-ranker""#;
/// What a model in LightGBM's text format begins with.
const LIGHTGBM: &[u8] = b"tree\n";
/// The largest file that is opened.
const MAX_BYTES: u64 = 4 << 30;

/// A ranker and what belongs to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankerFile {
    /// The ranker.
    pub ranker: Ranker,
    /// What is done to features before they are scored.
    pub scaler: Scaler,
    /// The method that made it, by name.
    pub method: String,
    /// The method's parameters.
    pub params: serde_json::Value,
}

#[derive(Serialize, Deserialize)]
struct Envelope<'a> {
    format: Cow<'a, str>,
    version: u32,
    crc32: u32,
    #[serde(borrow)]
    body: Cow<'a, RawValue>,
}

impl RankerFile {
    /// Saves the ranker.
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes()?;
        save_atomically(path, |out| out.write_all(&bytes).map_err(|e| Error::io(path, "write", e)))
    }

    /// Returns the file's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let unwritable = |e: serde_json::Error| Error::internal(format!("a ranker cannot be written: {e}"));
        let body = RawValue::from_string(serde_json::to_string(self).map_err(unwritable)?).map_err(unwritable)?;
        let crc32 = crc32(body.get().as_bytes());
        let envelope = Envelope { format: FORMAT.into(), version: VERSION, crc32, body: Cow::Owned(body) };
        let mut bytes = serde_json::to_vec(&envelope).map_err(unwritable)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Loads a ranker.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_bytes(&read_file(path, MAX_BYTES)?, path)
    }

    /// Reads a file's bytes; errors name `path`.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self> {
        let envelope: Envelope<'_> =
            serde_json::from_slice(bytes).map_err(|e| Error::corrupt(path, "file", e.to_string()))?;
        if envelope.format != FORMAT || envelope.version != VERSION {
            let what = format!(
                "a file of format {:?}, version {}; this program reads {FORMAT:?}, version {VERSION}",
                envelope.format, envelope.version
            );
            return Err(Error::Unsupported { path: path.to_path_buf(), what });
        }
        let text = envelope.body.get();
        if crc32(text.as_bytes()) != envelope.crc32 {
            return Err(Error::corrupt(path, "body", "the checksum does not match"));
        }
        let file: Self = serde_json::from_str(text).map_err(|e| Error::corrupt(path, "body", e.to_string()))?;
        let damaged = |what| Error::corrupt(path, "body", what);
        file.ranker.check().and_then(|()| file.scaler.check()).map_err(damaged)?;
        Ok(file)
    }

    /// Tells by its first bytes whether a file is a ranker of our own.
    pub fn is_at(path: &Path) -> bool {
        let mut start = [0; START.len()];
        let opened = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
        opened.is_ok() && start == *START
    }

    /// Opens a ranker of our own, or a model in LightGBM's text format.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = read_file(path, MAX_BYTES)?;
        if !bytes.starts_with(LIGHTGBM) {
            return Self::from_bytes(&bytes, path);
        }
        let text = std::str::from_utf8(&bytes).map_err(|e| Error::corrupt(path, "file", e.to_string()))?;
        let ranker = Ranker::Trees(lightgbm::from_text(text, path)?);
        ranker.check().map_err(|what| Error::corrupt(path, "trees", what))?;
        Ok(Self { ranker, scaler: Scaler::None, method: "lightgbm".into(), params: serde_json::Value::Null })
    }

    /// Scales a set as the training documents were and scores it.
    pub fn score_all(&self, set: &FeatureSet, threads: &Threads) -> Result<Vec<f32>> {
        if self.scaler == Scaler::None {
            return self.ranker.score_all(set, threads);
        }
        let mut scaled = set.clone();
        self.scaler.apply(&mut scaled);
        self.ranker.score_all(&scaled, threads)
    }
}
