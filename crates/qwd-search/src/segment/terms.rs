//! The table of a segment's terms: sorted numbers, then as many entries.

use super::container::{u32_at, u64_at};

pub(crate) const SECTION: &str = "terms";

const ENTRY_BYTES: usize = 28;

/// The ranks whose weights every term tells.
const RANKS: [usize; 2] = [10, 100];

/// What is known of a term without looking at its list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    /// Where the list begins, and where the next one does.
    pub(crate) from: u64,
    pub(crate) to: Option<u64>,
    /// In how many documents the term is.
    pub(crate) df: u32,
    /// The greatest weight, at least 0.
    pub(crate) max: f32,
    /// The least weight, at most 0: only expanded documents have weights below 0.
    pub(crate) min: f32,
    /// The 10th and 100th greatest; 0 where there are fewer.
    greatest: [f32; 2],
}

impl Entry {
    /// A weight that at least `k` postings have; 0 if none is known.
    pub(crate) fn weight_of(&self, k: usize) -> f32 {
        let rank = RANKS.iter().position(|&rank| k <= rank);
        if k == 1 { self.max } else { rank.map_or(0.0, |i| self.greatest[i]) }
    }
}

/// Writes the table, term by term.
#[derive(Debug, Default)]
pub(crate) struct Table {
    terms: Vec<u8>,
    entries: Vec<u8>,
}

impl Table {
    /// Adds a term, greater than those before, whose list of these weights begins at a place.
    pub(crate) fn push(&mut self, term: u32, from: u64, weights: &mut [f32]) {
        self.terms.extend_from_slice(&term.to_le_bytes());
        self.entries.extend_from_slice(&from.to_le_bytes());
        self.entries.extend_from_slice(&(weights.len() as u32).to_le_bytes());
        let max = weights.iter().fold(0.0f32, |a, &b| a.max(b));
        let min = weights.iter().fold(0.0f32, |a, &b| a.min(b));
        let mut greatest = [0.0f32; 2];
        for (i, &rank) in RANKS.iter().enumerate().rev() {
            if weights.len() >= rank {
                let (_, of_rank, _) = weights.select_nth_unstable_by(rank - 1, |a, b| b.total_cmp(a));
                greatest[i] = of_rank.max(0.0);
            }
        }
        for weight in [max, min, greatest[0], greatest[1]] {
            self.entries.extend_from_slice(&weight.to_le_bytes());
        }
    }

    pub(crate) fn finish(mut self) -> (&'static str, Vec<u8>) {
        self.terms.append(&mut self.entries);
        (SECTION, self.terms)
    }
}

/// Finds a term; an error says what is wrong with the table.
pub(crate) fn find(bytes: &[u8], n_terms: usize, term: u32) -> Result<Option<Entry>, &'static str> {
    if bytes.len() as u64 != (4 + ENTRY_BYTES as u64) * n_terms as u64 {
        return Err("it has another size than its terms ask for");
    }
    let (terms, entries) = bytes.split_at(4 * n_terms);
    let terms = terms.as_chunks::<4>().0;
    let Ok(i) = terms.binary_search_by_key(&term, |b| u32::from_le_bytes(*b)) else { return Ok(None) };
    entry(entries, i).map(Some)
}

/// The terms in order.
pub(crate) fn all(bytes: &[u8], n_terms: usize) -> Result<Vec<u32>, &'static str> {
    if bytes.len() as u64 != (4 + ENTRY_BYTES as u64) * n_terms as u64 {
        return Err("it has another size than its terms ask for");
    }
    Ok(bytes[..4 * n_terms].as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
}

fn entry(entries: &[u8], i: usize) -> Result<Entry, &'static str> {
    let at = i * ENTRY_BYTES;
    let weight = |place| u32_at(entries, at + place).map_or(0.0, f32::from_bits);
    let (max, min, greatest) = (weight(12), weight(16), [weight(20), weight(24)]);
    if ![max, -min, greatest[0], greatest[1]].iter().all(|w| w.is_finite() && *w >= 0.0) {
        return Err("a greatest weight is no weight");
    }
    Ok(Entry {
        from: u64_at(entries, at).unwrap_or(u64::MAX),
        to: u64_at(entries, at + ENTRY_BYTES),
        df: u32_at(entries, at + 8).unwrap_or(0),
        max,
        min,
        greatest,
    })
}
