//! Which bytes were read or written: a hash of a file's content, for provenance and to notice change.
//!
//! FNV-1a in 64 bits. It notices accidents, it does not resist an attacker; files that must be trusted are compared by
//! their SHA-256 before they get here.

use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;

/// Hashes bytes by FNV-1a in 64 bits; the hash of an id that chooses its split is the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv1a {
    /// Takes in more bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Returns the hash of all bytes so far.
    pub fn value(self) -> u64 {
        self.0
    }

    /// Goes on from the hash of earlier bytes: the hash of several files is that of the files one after the other.
    pub fn resume(value: u64) -> Self {
        Self(value)
    }

    /// Hashes one run of bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut hash = Self::default();
        hash.update(bytes);
        hash.value()
    }
}

/// A file's content in brief: its length and hash after decompression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The file, `-` for standard input.
    pub path: PathBuf,
    /// The number of bytes after decompression.
    pub n_bytes: u64,
    /// Their hash.
    pub hash: u64,
}

/// How a hash is written, so that it names its kind.
const PREFIX: &str = "fnv1a64:";

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{:016x}", self.hash)
    }
}

impl Fingerprint {
    /// Reads the hash of a fingerprint as it is written.
    pub fn parse_hash(text: &str) -> Option<u64> {
        u64::from_str_radix(text.strip_prefix(PREFIX)?, 16).ok()
    }
}

/// Passes bytes on and hashes them.
pub(crate) struct Hashing<R> {
    inner: R,
    hash: Fnv1a,
    n_bytes: u64,
}

impl<R> Hashing<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, hash: Fnv1a::default(), n_bytes: 0 }
    }

    /// Counts the bytes to come as the continuation of others.
    pub(crate) fn resume(&mut self, hash: Fnv1a) {
        self.hash = hash;
    }

    pub(crate) fn fingerprint(&self, path: PathBuf) -> Fingerprint {
        Fingerprint { path, n_bytes: self.n_bytes, hash: self.hash.value() }
    }

    pub(crate) fn into_inner(self) -> R {
        self.inner
    }

    fn take_in(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.n_bytes += bytes.len() as u64;
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.take_in(&buffer[..n]);
        Ok(n)
    }
}

impl<W: io::Write> io::Write for Hashing<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(buffer)?;
        self.take_in(&buffer[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_test_values_hold() {
        assert_eq!(Fnv1a::of(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fnv1a::of(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fnv1a::of(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_written_hash_goes_on_where_it_stopped() {
        let foo = Fingerprint { path: PathBuf::new(), n_bytes: 3, hash: Fnv1a::of(b"foo") };
        let mut hash = Fnv1a::resume(Fingerprint::parse_hash(&foo.to_string()).expect("as written"));
        hash.update(b"bar");
        assert_eq!(hash.value(), Fnv1a::of(b"foobar"));
        assert_eq!(Fingerprint::parse_hash("crc32:00000000"), None);
    }
}
