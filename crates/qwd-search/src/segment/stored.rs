//! Documents as they came, packed in blocks: one JSON line each, so that a block can be cut where lines end.

use super::container::{Container, u32_at, u64_at};
use qwd_core::{Error, Result};
use qwd_data::Document;

pub(crate) const BLOCKS: &str = "stored";
pub(crate) const TABLE: &str = "stored-table";

/// A block is packed when it has so many bytes.
const BLOCK_BYTES: usize = 1 << 14;

/// The most that a block may unpack to: one document of the longest line, and what came before it.
const MAX_BLOCK_BYTES: u32 = 1 << 27;

/// Compression of blocks: fast, as text is read far more often than packed.
const LEVEL: i32 = 1;

/// First document, unpacked size and place of a block.
const ENTRY_BYTES: usize = 16;

/// Packs documents one after the other.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    block: Vec<u8>,
    first: u32,
    next: u32,
    blocks: Vec<u8>,
    table: Vec<u8>,
}

/// The line of a document.
pub(crate) fn line(document: &Document) -> Result<Vec<u8>> {
    let mut line =
        serde_json::to_vec(document).map_err(|e| Error::internal(format!("a document that is no JSON: {e}")))?;
    line.push(b'\n');
    Ok(line)
}

impl Packer {
    /// Adds the line of the next document.
    pub(crate) fn push(&mut self, line: &[u8]) -> Result<()> {
        self.block.extend_from_slice(line);
        self.next += 1;
        if self.block.len() >= BLOCK_BYTES { self.pack() } else { Ok(()) }
    }

    /// Returns the sections.
    pub(crate) fn finish(mut self) -> Result<[(&'static str, Vec<u8>); 2]> {
        if !self.block.is_empty() {
            self.pack()?;
        }
        Ok([(BLOCKS, self.blocks), (TABLE, self.table)])
    }

    fn pack(&mut self) -> Result<()> {
        let packed = zstd::bulk::compress(&self.block, LEVEL).map_err(|e| Error::internal(format!("packing: {e}")))?;
        self.table.extend_from_slice(&self.first.to_le_bytes());
        self.table.extend_from_slice(&(self.block.len() as u32).to_le_bytes());
        self.table.extend_from_slice(&(self.blocks.len() as u64).to_le_bytes());
        self.blocks.extend_from_slice(&packed);
        self.block.clear();
        self.first = self.next;
        Ok(())
    }
}

/// The line of a stored document.
pub(crate) fn read(container: &Container, doc: u32) -> Result<Vec<u8>> {
    let damaged = |what: &str| container.damaged(BLOCKS, what);
    let (blocks, table) = (container.section(BLOCKS)?, container.section(TABLE)?);
    let n = table.len() / ENTRY_BYTES;
    let first = |i: usize| u32_at(table, i * ENTRY_BYTES).unwrap_or(u32::MAX);
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = (low + high) / 2;
        if first(middle) <= doc { low = middle + 1 } else { high = middle }
    }
    let i = low.checked_sub(1).ok_or_else(|| damaged("a document is in no block"))?;
    let n_bytes = u32_at(table, i * ENTRY_BYTES + 4).filter(|&n| n <= MAX_BLOCK_BYTES);
    let n_bytes = n_bytes.ok_or_else(|| damaged("a block is too large"))?;
    let place = |i: usize| u64_at(table, i * ENTRY_BYTES + 8).map(|at| at as usize);
    let (from, to) = (place(i).unwrap_or(usize::MAX), place(i + 1).unwrap_or(blocks.len()));
    let packed = blocks.get(from..to).ok_or_else(|| damaged("a block lies beyond the end"))?;
    let block = zstd::bulk::decompress(packed, n_bytes as usize).map_err(|_| damaged("a block does not unpack"))?;
    let line = block.split_inclusive(|&b| b == b'\n').nth((doc - first(i)) as usize);
    line.map(<[u8]>::to_vec).ok_or_else(|| damaged("a block has too few documents"))
}

/// Shows the lines of all documents in order.
pub(crate) fn for_each(container: &Container, mut show: impl FnMut(u32, &[u8]) -> Result<()>) -> Result<()> {
    let damaged = |what: &str| container.damaged(BLOCKS, what);
    let (blocks, table) = (container.section(BLOCKS)?, container.section(TABLE)?);
    let mut doc = 0;
    let (entries, _) = table.as_chunks::<ENTRY_BYTES>();
    for (i, entry) in entries.iter().enumerate() {
        let n_bytes = u32_at(entry, 4).filter(|&n| n <= MAX_BLOCK_BYTES);
        let n_bytes = n_bytes.ok_or_else(|| damaged("a block is too large"))?;
        let from = u64_at(entry, 8).unwrap_or(u64::MAX) as usize;
        let to = entries.get(i + 1).and_then(|next| u64_at(next, 8)).map_or(blocks.len(), |at| at as usize);
        let packed = blocks.get(from..to).ok_or_else(|| damaged("a block lies beyond the end"))?;
        let block = zstd::bulk::decompress(packed, n_bytes as usize).map_err(|_| damaged("a block does not unpack"))?;
        for line in block.split_inclusive(|&b| b == b'\n') {
            show(doc, line)?;
            doc += 1;
        }
    }
    Ok(())
}

/// Reads a line as a document.
pub(crate) fn parse(container: &Container, line: &[u8]) -> Result<Document> {
    serde_json::from_slice(line).map_err(|e| container.damaged(BLOCKS, format!("a document is not readable: {e}")))
}
