//! Tensors on their way from the disk: each is read once, in pieces, with its checksum, into memory that was found to be
//! no more than the file can fill.

use super::header::{self, Header};
use qwd_core::error::{Error, Result};
use qwd_store::HashingReader;
use safetensors::tensor::{Dtype, TensorInfo};
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// How many bytes are read at a time; a multiple of every element's size.
const CHUNK_BYTES: usize = 1 << 16;

/// Reads the parts of a model file.
#[derive(Debug)]
pub(super) struct Decoder<R> {
    input: R,
    path: PathBuf,
    header: Header,
    unread: BTreeSet<String>,
}

impl<R> Decoder<R> {
    /// The header.
    pub(super) fn header(&self) -> &Header {
        &self.header
    }
}

impl<R: Read + Seek> Decoder<R> {
    /// The number of weights in all tensors of W; shares of bins are none.
    pub(super) fn n_weights(&self) -> u64 {
        let is_share = |name: &str| name.ends_with(".query.values") || name.ends_with(".document.values");
        let of_w = |name: &&String| name.starts_with("w.") || *name == "w";
        let names = self.header.checksums.keys().filter(of_w).filter(|name| !is_share(name));
        let infos = names.filter_map(|name| self.header.tensors.info(name)).filter(|info| info.dtype == Dtype::F32);
        infos.map(|info| info.shape.iter().product::<usize>() as u64).sum()
    }

    /// Reads and checks the header of a file of `n_bytes` bytes.
    pub(super) fn new(mut input: R, n_bytes: u64, path: &Path) -> Result<Self> {
        let header = Header::read(&mut input, n_bytes, path)?;
        let unread = header.checksums.keys().cloned().collect();
        Ok(Self { input, path: path.to_path_buf(), header, unread })
    }

    /// Tells of damage in a section.
    pub(super) fn corrupt(&self, section: &str, what: impl Into<String>) -> Error {
        Error::corrupt(&self.path, section, what)
    }

    /// Tells of damage that a check of the parts found, unless the machine is at fault.
    pub(super) fn damaged(&self, section: &str, found: &Error) -> Error {
        let what = match found {
            Error::BadData { what, .. } | Error::Internal { what } => what.clone(),
            other => other.to_string(),
        };
        self.corrupt(section, what)
    }

    /// Tells of something sound that this version does not know.
    pub(super) fn unsupported(&self, what: impl Into<String>) -> Error {
        Error::Unsupported { path: self.path.clone(), what: what.into() }
    }

    /// Whether the metadata has a key.
    pub(super) fn has_key(&self, key: &str) -> bool {
        self.header.metadata.contains_key(key)
    }

    /// A value of the metadata, which is a string of JSON.
    pub(super) fn json<T: DeserializeOwned>(&self, key: &str) -> Result<T> {
        let text = self.header.metadata.get(key).ok_or_else(|| self.corrupt("header", format!("no {key}")))?;
        // The header's checksum held, so this is what was written, by a stranger or by another version.
        serde_json::from_str(text).map_err(|e| {
            self.unsupported(format!(
                "its {key} is not what this version of qwd writes: {e}; use the one that wrote it"
            ))
        })
    }

    /// Whether there is a tensor of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.header.tensors.info(name).is_some()
    }

    /// The length of a tensor of one dimension.
    pub(super) fn len_of(&self, name: &str) -> Result<usize> {
        match self.info(name)?.shape.as_slice() {
            &[n] => Ok(n),
            _ => Err(self.corrupt(name, "a tensor of one dimension was expected")),
        }
    }

    /// Rows and columns of a tensor of two dimensions.
    pub(super) fn shape_of(&self, name: &str) -> Result<[usize; 2]> {
        match self.info(name)?.shape.as_slice() {
            &[n_rows, n_cols] => Ok([n_rows, n_cols]),
            _ => Err(self.corrupt(name, "a tensor of two dimensions was expected")),
        }
    }

    /// The bytes of a tensor of `n` bytes.
    pub(super) fn u8s(&mut self, name: &str, n: usize) -> Result<Vec<u8>> {
        self.elements(name, Dtype::U8, &[n], |[byte]: [u8; 1]| byte)
    }

    /// The elements of a tensor of `n` numbers stored in two bytes each.
    pub(super) fn u16s(&mut self, name: &str, n: usize) -> Result<Vec<u32>> {
        self.elements(name, Dtype::U16, &[n], |bytes| u32::from(u16::from_le_bytes(bytes)))
    }

    /// The elements of a tensor of `n` numbers stored in four bytes each.
    pub(super) fn u32s(&mut self, name: &str, n: usize) -> Result<Vec<u32>> {
        self.elements(name, Dtype::U32, &[n], u32::from_le_bytes)
    }

    /// The elements of a tensor of `n` numbers stored in eight bytes each.
    pub(super) fn u64s(&mut self, name: &str, n: usize) -> Result<Vec<u64>> {
        self.elements(name, Dtype::U64, &[n], u64::from_le_bytes)
    }

    /// The weights of a tensor of a given shape.
    pub(super) fn f32s(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        self.elements(name, Dtype::F32, shape, f32::from_le_bytes)
    }

    /// Reads a tensor without keeping it, to check it.
    pub(super) fn check(&mut self, name: &str) -> Result<()> {
        let (from, to) = self.info(name)?.data_offsets;
        self.pieces(name, (to - from) as u64, |_| ())
    }

    /// Counts all tensors as not yet read.
    pub(super) fn forget(&mut self) {
        self.unread = self.header.checksums.keys().cloned().collect();
    }

    /// Counts the tensors whose names begin with `prefix` as read.
    pub(super) fn skip(&mut self, prefix: &str) {
        self.unread.retain(|name| !name.starts_with(prefix));
    }

    /// Refuses a file with tensors that no part of the model asked for.
    pub(super) fn finish(&self) -> Result<()> {
        match self.unread.first() {
            None => Ok(()),
            Some(name) => Err(self.corrupt(name, "no part of this model has such a tensor")),
        }
    }

    fn info(&self, name: &str) -> Result<&TensorInfo> {
        self.header.tensors.info(name).ok_or_else(|| self.corrupt(name, "it is missing"))
    }

    fn elements<T, const N: usize>(
        &mut self,
        name: &str,
        dtype: Dtype,
        shape: &[usize],
        element: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>> {
        let info = self.info(name)?;
        if info.dtype != dtype || info.shape != shape {
            let what =
                format!("{} of shape {:?} where {dtype} of shape {shape:?} was expected", info.dtype, info.shape);
            return Err(self.corrupt(name, what));
        }
        // The header was checked against the size of the file, so this is at most what the file holds.
        let n_bytes = info.data_offsets.1 - info.data_offsets.0;
        let mut out = Vec::new();
        let out_of_memory = || Error::io(&self.path, "read", io::ErrorKind::OutOfMemory.into());
        out.try_reserve_exact(n_bytes / N).map_err(|_| out_of_memory())?;
        self.pieces(name, n_bytes as u64, |piece| out.extend(piece.as_chunks::<N>().0.iter().map(|&b| element(b))))?;
        Ok(out)
    }

    /// Shows a tensor's bytes in pieces of [`CHUNK_BYTES`], then checks its checksum.
    fn pieces(&mut self, name: &str, n_bytes: u64, mut piece: impl FnMut(&[u8])) -> Result<()> {
        let start = self.header.data_start + self.info(name)?.data_offsets.0 as u64;
        // A header that names a large tensor many times would cost hours.
        if !self.unread.remove(name) {
            return Err(self.corrupt(name, "two parts of the model claim it"));
        }
        self.input.seek(SeekFrom::Start(start)).map_err(|e| Error::io(&self.path, "read", e))?;
        let mut reader = HashingReader::new(&mut self.input);
        let mut buffer = vec![0; n_bytes.min(CHUNK_BYTES as u64) as usize];
        let mut left = n_bytes;
        while left > 0 {
            let n = left.min(CHUNK_BYTES as u64);
            header::read_exactly(&mut reader, &mut buffer[..n as usize], &self.path)?;
            piece(&buffer[..n as usize]);
            left -= n;
        }
        let digits = header::digits(reader.crc32());
        if self.header.checksums.get(name) != Some(&digits) {
            return Err(self.corrupt(name, "the checksum does not match"));
        }
        Ok(())
    }
}
