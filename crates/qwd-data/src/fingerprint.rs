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

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fnv1a64:{:016x}", self.hash)
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
}
