//! The ids of a segment's documents, by number and by name.

use super::container::{Container, u32_at};
use qwd_core::Result;

pub(crate) const BYTES: &str = "ids";
pub(crate) const OFFSETS: &str = "id-offsets";
pub(crate) const ORDER: &str = "id-order";

/// The sections of some ids.
pub(crate) fn encode(ids: &[String]) -> [(&'static str, Vec<u8>); 3] {
    let (mut bytes, mut offsets) = (Vec::new(), Vec::with_capacity(4 * ids.len() + 4));
    offsets.extend_from_slice(&0u32.to_le_bytes());
    for id in ids {
        bytes.extend_from_slice(id.as_bytes());
        offsets.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    }
    let mut order: Vec<u32> = (0..ids.len() as u32).collect();
    order.sort_unstable_by_key(|&doc| &ids[doc as usize]);
    let order = order.iter().flat_map(|doc| doc.to_le_bytes()).collect();
    [(BYTES, bytes), (OFFSETS, offsets), (ORDER, order)]
}

/// The id of a document.
pub(crate) fn name(container: &Container, doc: u32) -> Result<&str> {
    let (bytes, offsets) = (container.section(BYTES)?, container.section(OFFSETS)?);
    let at = |i: usize| u32_at(offsets, 4 * i).map(|at| at as usize);
    let range = at(doc as usize).zip(at(doc as usize + 1));
    let name = range.and_then(|(from, to)| bytes.get(from..to)).and_then(|name| std::str::from_utf8(name).ok());
    name.ok_or_else(|| container.damaged(BYTES, "an id lies beyond the end or is no text"))
}

/// The number of the document with an id.
pub(crate) fn find(container: &Container, id: &str) -> Result<Option<u32>> {
    let order = container.section(ORDER)?;
    let (mut low, mut high) = (0, order.len() / 4);
    while low < high {
        let middle = (low + high) / 2;
        let doc = u32_at(order, 4 * middle).unwrap_or(u32::MAX);
        match name(container, doc)?.cmp(id) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Ok(Some(doc)),
        }
    }
    Ok(None)
}
