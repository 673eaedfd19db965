//! A file of named sections, each with its checksum: what a segment lies in (FORMAT.md, "The index").
//!
//! The header and the table of sections are checked when the file is opened; a section is checked when it is first asked
//! for. Sections follow each other without gaps to the end of the file, so that no byte is outside a checksum.

use qwd_core::{Error, Result};
use qwd_store::{Mapped, crc32};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

const MAGIC: &[u8; 8] = b"qwd-segm";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 32;
const NAME_BYTES: usize = 12;
const MAX_SECTIONS: usize = 64;

/// An opened file of sections.
#[derive(Debug)]
pub(crate) struct Container {
    path: PathBuf,
    bytes: Mapped,
    sections: Vec<Section>,
}

/// The place of a section in a container's table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place(usize);

#[derive(Debug)]
struct Section {
    name: String,
    range: Range<usize>,
    crc32: u32,
    is_checked: AtomicBool,
}

impl Container {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let bytes = Mapped::open(path)?;
        let sections = read_table(&bytes, path)?;
        Ok(Self { path: path.to_path_buf(), bytes, sections })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The checksum of the header: it covers the checksums of all sections, and so stands for the whole file.
    pub(crate) fn header_crc32(&self) -> u32 {
        u32_at(&self.bytes, 16).unwrap_or(0)
    }

    /// The names of the sections and their sizes, in the order of the file.
    pub(crate) fn sections(&self) -> impl Iterator<Item = (&str, u64)> {
        self.sections.iter().map(|s| (s.name.as_str(), s.range.len() as u64))
    }

    /// The bytes of a section, checked the first time.
    pub(crate) fn section(&self, name: &str) -> Result<&[u8]> {
        self.bytes(self.place(name)?)
    }

    /// The place of a section in the table, for those who ask for it often.
    pub(crate) fn place(&self, name: &str) -> Result<Place> {
        let place = self.sections.iter().position(|s| s.name == name);
        place.map(Place).ok_or_else(|| self.damaged(name, "it is missing"))
    }

    /// The bytes of the section at a place, checked the first time.
    #[inline]
    pub(crate) fn bytes(&self, place: Place) -> Result<&[u8]> {
        let section = &self.sections[place.0];
        let bytes = &self.bytes[section.range.clone()];
        if !section.is_checked.load(Ordering::Acquire) {
            if crc32(bytes) != section.crc32 {
                return Err(self.damaged(&section.name, "its checksum does not hold"));
            }
            section.is_checked.store(true, Ordering::Release);
        }
        Ok(bytes)
    }

    /// All bytes of the file, every section checked.
    pub(crate) fn whole(&self) -> Result<&[u8]> {
        for place in 0..self.sections.len() {
            self.bytes(Place(place))?;
        }
        Ok(&self.bytes)
    }

    /// The error of a section that is not what it should be.
    pub(crate) fn damaged(&self, section: &str, what: impl Into<String>) -> Error {
        Error::corrupt(&self.path, format!("section {section}"), what)
    }
}

/// Puts sections together; the same sections give the same bytes.
pub(crate) fn encode(sections: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let start = HEADER_BYTES + ENTRY_BYTES * sections.len();
    let n_bytes = start + sections.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
    let mut out = Vec::with_capacity(n_bytes);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(&(n_bytes as u64).to_le_bytes());
    let mut offset = start as u64;
    for (name, bytes) in sections {
        let mut padded = [0; NAME_BYTES];
        padded[..name.len()].copy_from_slice(name.as_bytes());
        out.extend_from_slice(&padded);
        out.extend_from_slice(&crc32(bytes).to_le_bytes());
        out.extend_from_slice(&offset.to_le_bytes());
        out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        offset += bytes.len() as u64;
    }
    let crc = crc32(&out);
    out[16..20].copy_from_slice(&crc.to_le_bytes());
    sections.iter().for_each(|(_, bytes)| out.extend_from_slice(bytes));
    out
}

fn read_table(bytes: &[u8], path: &Path) -> Result<Vec<Section>> {
    let damaged = |what: &str| Error::corrupt(path, "header", what);
    if bytes.get(..8) != Some(MAGIC) {
        return Err(damaged("it is not that of a segment"));
    }
    let n_sections = u32_at(bytes, 12).ok_or_else(|| damaged("it is cut short"))? as usize;
    if n_sections > MAX_SECTIONS {
        return Err(damaged("it names too many sections"));
    }
    let end = HEADER_BYTES + ENTRY_BYTES * n_sections;
    let mut header = bytes.get(..end).ok_or_else(|| damaged("it is cut short"))?.to_vec();
    header[16..20].fill(0);
    if u32_at(bytes, 16) != Some(crc32(&header)) {
        return Err(damaged("its checksum does not hold"));
    }
    match u32_at(bytes, 8) {
        Some(VERSION) => {}
        other => {
            let what = format!("a segment of version {}; a newer qwd reads it", other.unwrap_or(0));
            return Err(Error::Unsupported { path: path.to_path_buf(), what });
        }
    }
    if u64_at(bytes, 24) != Some(bytes.len() as u64) {
        return Err(damaged("the file has another length than it says"));
    }
    let (mut sections, mut expected) = (Vec::new(), end as u64);
    for entry in header[HEADER_BYTES..].chunks_exact(ENTRY_BYTES) {
        let (from, n) = (u64_at(entry, 16).unwrap_or(0), u64_at(entry, 24).unwrap_or(0));
        let to = from.checked_add(n).filter(|&to| from == expected && to <= bytes.len() as u64);
        let to = to.ok_or_else(|| damaged("its sections do not follow each other"))?;
        let name = entry[..NAME_BYTES].split(|&b| b == 0).next().unwrap_or_default();
        let name = std::str::from_utf8(name).map_err(|_| damaged("a section's name is not text"))?.to_string();
        let crc32 = u32_at(entry, NAME_BYTES).unwrap_or(0);
        sections.push(Section { name, range: from as usize..to as usize, crc32, is_checked: AtomicBool::new(false) });
        expected = to;
    }
    if expected != bytes.len() as u64 {
        return Err(damaged("bytes lie behind the last section"));
    }
    Ok(sections)
}

/// A number of 4 bytes at a place.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// A number of 8 bytes at a place.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
