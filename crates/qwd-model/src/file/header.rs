//! The header: the length, then JSON, as in any safetensors file, with qwd's metadata and a checksum over all of it.
//!
//! The header's own checksum lies at a fixed place, so that it can be checked before anything is parsed.

use qwd_core::error::{Error, Result};
use qwd_store::crc32;
use safetensors::tensor::{Metadata, TensorInfo};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// The name of the format in the metadata.
pub const FORMAT: &str = "qwd-model";

/// The version of the format that this program writes, the newest that it reads.
pub const FORMAT_VERSION: &str = "1";

/// The longest header that is read: parsed JSON takes up to thirty times its text in memory.
pub const MAX_HEADER_BYTES: u64 = 1 << 20;

/// How every header begins; the checksum's eight digits follow.
const OPENING: &[u8] = br#"{"__metadata__":{"header_crc32":""#;

/// The digits that stand in the checksum's place while it is computed.
const NO_CHECKSUM: &[u8; 8] = b"00000000";

/// The bytes before the header: its length.
pub(super) const LENGTH_BYTES: u64 = 8;

/// What a header says, checked as far as it can be without reading tensors.
#[derive(Debug)]
pub(super) struct Header {
    /// qwd's metadata.
    pub(super) metadata: BTreeMap<String, String>,
    /// Types, shapes and places of the tensors.
    pub(super) tensors: Metadata,
    /// The checksum of each tensor, for exactly the tensors there are.
    pub(super) checksums: BTreeMap<String, String>,
    /// Where the tensors begin in the file.
    pub(super) data_start: u64,
}

/// The metadata alone, whatever the tensors look like.
#[derive(Deserialize)]
struct MetadataOnly {
    #[serde(rename = "__metadata__")]
    metadata: BTreeMap<String, String>,
}

impl Header {
    /// Reads the header of a file of `n_bytes` bytes.
    pub(super) fn read(input: &mut impl Read, n_bytes: u64, path: &Path) -> Result<Self> {
        let damaged = |what: String| Error::corrupt(path, "header", what);
        let text = read_text(input, n_bytes, path)?;
        let parsed: MetadataOnly = serde_json::from_slice(&text).map_err(|e| damaged(format!("not JSON: {e}")))?;
        let metadata = parsed.metadata;
        check_version(&metadata, path)?;

        let tensors: Metadata =
            serde_json::from_slice(&text).map_err(|e| damaged(format!("no table of tensors: {e}")))?;
        let data_start = LENGTH_BYTES + text.len() as u64;
        let data_bytes = tensors.data_len() as u64;
        if data_start.checked_add(data_bytes) != Some(n_bytes) {
            return Err(damaged(format!("{data_bytes} bytes of tensors in {} bytes", n_bytes - data_start)));
        }
        let listed = metadata.get("crc32").ok_or_else(|| damaged("no checksums".into()))?;
        let checksums: BTreeMap<String, String> =
            serde_json::from_str(listed).map_err(|e| damaged(format!("unreadable checksums: {e}")))?;
        let mut names = tensors.offset_keys();
        names.sort_unstable();
        if !names.iter().eq(checksums.keys()) {
            return Err(damaged("checksums of other tensors than there are".into()));
        }
        Ok(Self { metadata, tensors, checksums, data_start })
    }
}

/// Reads the header's text and checks its size, its opening and its checksum.
fn read_text(input: &mut impl Read, n_bytes: u64, path: &Path) -> Result<Vec<u8>> {
    let damaged = |what: String| Error::corrupt(path, "header", what);
    let mut length = [0; LENGTH_BYTES as usize];
    let n_header = if n_bytes < LENGTH_BYTES {
        None
    } else {
        read_exactly(input, &mut length, path)?;
        Some(u64::from_le_bytes(length)).filter(|&n| n <= n_bytes - LENGTH_BYTES)
    };
    let n_header = n_header.ok_or_else(|| damaged("the file is cut short, or is no model".into()))?;

    let mut text = vec![0; n_header.min(OPENING.len() as u64) as usize];
    read_exactly(input, &mut text, path)?;
    if text != OPENING {
        let what = "not a qwd model (a safetensors file of another kind?); give a file that qwd train wrote";
        return Err(Error::Unsupported { path: path.to_path_buf(), what: what.into() });
    }
    if n_header > MAX_HEADER_BYTES {
        return Err(damaged(format!("{n_header} bytes; at most {MAX_HEADER_BYTES} are read")));
    }
    text.resize(n_header as usize, 0);
    read_exactly(input, &mut text[OPENING.len()..], path)?;

    let digits = OPENING.len()..OPENING.len() + NO_CHECKSUM.len();
    let stored = text.get(digits.clone()).ok_or_else(|| damaged("no checksum".into()))?.to_vec();
    text[digits.clone()].copy_from_slice(NO_CHECKSUM);
    if checksum(&text).as_bytes() != stored {
        return Err(damaged("the checksum does not match".into()));
    }
    text[digits].copy_from_slice(&stored);
    Ok(text)
}

fn check_version(metadata: &BTreeMap<String, String>, path: &Path) -> Result<()> {
    let unsupported = |what: String| Err(Error::Unsupported { path: path.to_path_buf(), what });
    match (metadata.get("format").map(String::as_str), metadata.get("format_version").map(String::as_str)) {
        (Some(FORMAT), Some(FORMAT_VERSION)) => Ok(()),
        (Some(FORMAT), Some(version)) => unsupported(format!(
            "a qwd model of format version {version:?}, this program reads version {FORMAT_VERSION}; use a newer qwd"
        )),
        (format, _) => unsupported(format!(
            "of the format {:?}, not {FORMAT:?}; give a file that qwd train wrote",
            format.unwrap_or("unknown")
        )),
    }
}

/// Writes the header of tensors that lie one after the other, with its length before it.
pub(super) fn write(metadata: &BTreeMap<String, String>, tensors: &[(&str, TensorInfo)]) -> Result<Vec<u8>> {
    let json = |e: serde_json::Error| Error::internal(format!("a header that is not JSON: {e}"));
    let mut text = OPENING.to_vec();
    text.extend_from_slice(NO_CHECKSUM);
    text.push(b'"');
    for (key, value) in metadata {
        push_pair(&mut text, key, value).map_err(json)?;
    }
    text.push(b'}');
    for (name, info) in tensors {
        push_pair(&mut text, name, info).map_err(json)?;
    }
    text.push(b'}');
    // Tensors then begin at a multiple of eight bytes.
    text.resize(text.len().next_multiple_of(8), b' ');
    if text.len() as u64 > MAX_HEADER_BYTES {
        let remedy = "shorten the notes, the parameters or the list of stop words";
        return Err(Error::limit("length of the model's header", MAX_HEADER_BYTES, text.len() as u64, remedy));
    }
    let digits = checksum(&text);
    text[OPENING.len()..OPENING.len() + NO_CHECKSUM.len()].copy_from_slice(digits.as_bytes());
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.append(&mut text);
    Ok(bytes)
}

fn push_pair(text: &mut Vec<u8>, key: &str, value: &impl serde::Serialize) -> serde_json::Result<()> {
    text.push(b',');
    serde_json::to_writer(&mut *text, key)?;
    text.push(b':');
    serde_json::to_writer(text, value)
}

/// The checksum of a header whose checksum digits are zeros, its length included.
fn checksum(text: &[u8]) -> String {
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(text);
    digits(crc32(&bytes))
}

/// A checksum as it stands in the metadata.
pub(super) fn digits(crc32: u32) -> String {
    format!("{crc32:08x}")
}

/// Fills the buffer; a file that ends too early is damaged, not unreadable.
pub(super) fn read_exactly(input: &mut impl Read, buffer: &mut [u8], path: &Path) -> Result<()> {
    input.read_exact(buffer).map_err(|e| match e.kind() {
        std::io::ErrorKind::UnexpectedEof => Error::corrupt(path, "file", "it is cut short"),
        _ => Error::io(path, "read", e),
    })
}
