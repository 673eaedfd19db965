//! CRC-32 (the polynomial of zlib and PNG), at once or while bytes pass by.

use std::io::{self, Read, Write};

/// Computes the CRC-32 of some bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// Passes bytes on to a writer and remembers their checksum.
#[derive(Debug)]
pub struct HashingWriter<W> {
    inner: W,
    hasher: crc32fast::Hasher,
    n_bytes: u64,
}

impl<W: Write> HashingWriter<W> {
    /// Starts with no bytes seen.
    pub fn new(inner: W) -> Self {
        Self { inner, hasher: crc32fast::Hasher::new(), n_bytes: 0 }
    }

    /// The checksum of the bytes written so far.
    pub fn crc32(&self) -> u32 {
        self.hasher.clone().finalize()
    }

    /// How many bytes were written so far.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Gives the writer back.
    pub fn into_inner(self) -> W {
        self.inner
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        self.n_bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Passes bytes on from a reader and remembers their checksum.
#[derive(Debug)]
pub struct HashingReader<R> {
    inner: R,
    hasher: crc32fast::Hasher,
    n_bytes: u64,
}

impl<R: Read> HashingReader<R> {
    /// Starts with no bytes seen.
    pub fn new(inner: R) -> Self {
        Self { inner, hasher: crc32fast::Hasher::new(), n_bytes: 0 }
    }

    /// The checksum of the bytes read so far.
    pub fn crc32(&self) -> u32 {
        self.hasher.clone().finalize()
    }

    /// How many bytes were read so far.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Gives the reader back.
    pub fn into_inner(self) -> R {
        self.inner
    }
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..n]);
        self.n_bytes += n as u64;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_polynomial() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn adapters_see_what_passes() {
        let text = b"a learned match";
        let mut writer = HashingWriter::new(Vec::new());
        writer.write_all(&text[..5]).expect("memory");
        writer.write_all(&text[5..]).expect("memory");
        assert_eq!((writer.crc32(), writer.n_bytes()), (crc32(text), text.len() as u64));

        let written = writer.into_inner();
        let mut reader = HashingReader::new(written.as_slice());
        io::copy(&mut reader, &mut io::sink()).expect("memory");
        assert_eq!((reader.crc32(), reader.n_bytes()), (crc32(text), text.len() as u64));
    }
}
