//! A file as memory: the system reads what is looked at, when it is looked at.
//!
//! Only files that are never changed in place may be mapped: a file that shrinks under its map ends the process. qwd's
//! index segments are such files: written once under a temporary name, renamed, and only ever removed.
#![expect(unsafe_code, reason = "the system offers maps through a call that trusts the file to stay as it is")]

use crate::limits::open_regular;
use qwd_core::error::{Error, Result};
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file.
#[derive(Debug)]
pub struct Mapped {
    map: Option<memmap2::Mmap>,
}

impl Mapped {
    /// Maps a regular file that nobody changes in place.
    pub fn open(path: &Path) -> Result<Self> {
        let (file, n_bytes) = open_regular(path)?;
        if n_bytes == 0 {
            return Ok(Self { map: None });
        }
        // SAFETY: the caller's promise above; the bytes are read as plain numbers and checked, never trusted as types.
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(|e| Error::io(path, "map", e))?;
        Ok(Self { map: Some(map) })
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_has_the_bytes_of_its_file_and_an_empty_file_has_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bytes");
        for bytes in [&b""[..], b"some bytes"] {
            std::fs::write(&path, bytes).expect("written");
            assert_eq!(&*Mapped::open(&path).expect("mapped"), bytes);
        }
        assert!(Mapped::open(folder.path()).is_err());
    }
}
