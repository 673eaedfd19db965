//! Bytes from outside: a plain or compressed file, or standard input.
//!
//! The compression is told by the first bytes, never by the name, so `gzip -c | qwd … -` works as a file does. Memory is
//! bounded by the buffers and by the decoder's window (at most 128 MiB for zstd, which refuses larger ones). A Parquet file
//! reads as JSON Lines, a row on each (`parquet.rs`).

use crate::fingerprint::{Fingerprint, Fnv1a, Hashing};
use crate::parquet;
use qwd_core::error::Place;
use qwd_core::{Error, Result};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

const BUFFER_BYTES: usize = 64 << 10;

/// How the bytes of an input are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    Plain,
    /// gzip, one member or several.
    Gzip,
    /// Zstandard, one frame or several.
    Zstd,
    /// bzip2, one stream or several.
    Bzip2,
}

impl Compression {
    /// Tells the compression from the first bytes of a file.
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // Three letters alone could begin a text, so the mark of the first block must follow.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..] => Self::Bzip2,
            _ => Self::Plain,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
        }
    }
}

/// An open input: decompressed bytes, and the name under which errors speak of it.
pub struct Input {
    path: PathBuf,
    compression: Compression,
    reader: BufReader<Hashing<Box<dyn Read + Send>>>,
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("path", &self.path).field("compression", &self.compression).finish()
    }
}

impl Input {
    /// Opens a file, or standard input for the path `-`.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path == Path::new("-") {
            return Self::from_reader(path, io::stdin());
        }
        let file = File::open(path).map_err(|e| Error::io(path, "open", e))?;
        match path.extension().is_some_and(|ending| ending == "parquet") {
            true => Self::from_reader(path, parquet::JsonLines::open(path, file)?),
            false => Self::from_reader(path, file),
        }
    }

    /// Reads from anything, under a name for its errors.
    pub fn from_reader(path: impl AsRef<Path>, mut source: impl Read + Send + 'static) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        let mut head = Vec::with_capacity(10);
        source.by_ref().take(10).read_to_end(&mut head).map_err(|e| Error::io(&path, "read", e))?;
        let compression = Compression::of(&head);
        let whole = BufReader::with_capacity(BUFFER_BYTES, Cursor::new(head).chain(source));
        let decoded: Box<dyn Read + Send> = match compression {
            Compression::Plain => Box::new(whole),
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(whole)),
            Compression::Zstd => {
                Box::new(zstd::Decoder::with_buffer(whole).map_err(|e| Error::io(&path, "decompress", e))?)
            }
            Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(whole)),
        };
        Ok(Self { path, compression, reader: BufReader::with_capacity(BUFFER_BYTES, Hashing::new(decoded)) })
    }

    /// Reads from bytes in memory, under a name for their errors.
    pub fn from_bytes(path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) -> Result<Self> {
        Self::from_reader(path, Cursor::new(bytes.into()))
    }

    /// Makes the fingerprint that of earlier bytes followed by these.
    pub fn continuing(mut self, earlier: Fnv1a) -> Self {
        self.reader.get_mut().resume(earlier);
        self
    }

    /// Returns the name under which errors speak of this input.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how the bytes are packed.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Appends at most `limit` bytes up to and with the next `stop`, and tells how many were appended.
    pub(crate) fn read_until(&mut self, stop: u8, limit: u64, buffer: &mut Vec<u8>) -> Result<usize> {
        let outcome = self.reader.by_ref().take(limit).read_until(stop, buffer);
        outcome.map_err(|e| self.failure(e))
    }

    /// Passes over everything up to and with the next `stop`.
    pub(crate) fn skip_until(&mut self, stop: u8) -> Result<usize> {
        self.reader.skip_until(stop).map_err(|e| self.failure(e))
    }

    /// Appends at most `limit` bytes, fewer only at the end. Memory grows with what arrives, not with `limit`.
    pub(crate) fn read_up_to(&mut self, limit: u64, buffer: &mut Vec<u8>) -> Result<usize> {
        let outcome = self.reader.by_ref().take(limit).read_to_end(buffer);
        outcome.map_err(|e| self.failure(e))
    }

    /// Passes over at most `limit` bytes, fewer only at the end.
    pub(crate) fn skip_bytes(&mut self, limit: u64) -> Result<u64> {
        let outcome = io::copy(&mut self.reader.by_ref().take(limit), &mut io::sink());
        outcome.map_err(|e| self.failure(e))
    }

    /// Reads to the end and returns the fingerprint of the whole content.
    pub fn finish(mut self) -> Result<Fingerprint> {
        self.skip_bytes(u64::MAX)?;
        Ok(self.reader.get_ref().fingerprint(self.path))
    }

    /// Names this input as a whole, for errors that belong to no line.
    pub(crate) fn place(&self) -> Place {
        Place::new(&self.path, 0, 0)
    }

    /// Tells damage of the compressed data (which has no code of the operating system) from a failing disk.
    fn failure(&self, e: io::Error) -> Error {
        if self.compression == Compression::Plain || e.raw_os_error().is_some() {
            return Error::io(&self.path, "read", e);
        }
        let name = self.compression.name();
        let what = match e.kind() {
            io::ErrorKind::UnexpectedEof => format!("the {name} data end too early: the file is cut short"),
            _ => format!("the {name} data are damaged ({e})"),
        };
        Error::parse(self.place(), what, "fetch or copy the file again")
    }
}

/// The error of two files of which one must be meant.
pub(crate) fn both_there(one: &Path, other: &Path) -> Error {
    Error::bad_data(format!("{} and {} are both there", one.display(), other.display()), "remove one of them")
}

/// Finds a file under its plain or a compressed name, and JSON Lines as Parquet; two of them together leave open which one
/// is meant.
pub(crate) fn find(folder: &Path, name: &str) -> Result<Option<PathBuf>> {
    let mut found: Option<PathBuf> = None;
    let plain = ["", ".gz", ".zst", ".bz2"].map(|ending| format!("{name}{ending}"));
    let table = name.strip_suffix(".jsonl").map(|stem| format!("{stem}.parquet"));
    for path in plain.into_iter().chain(table).map(|name| folder.join(name)) {
        match (&found, path.is_file()) {
            (_, false) => {}
            (None, true) => found = Some(path),
            (Some(first), true) => {
                return Err(both_there(first, &path));
            }
        }
    }
    Ok(found)
}
