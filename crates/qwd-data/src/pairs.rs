//! Which pairs have been seen, and on which line: a repeated one can then name both.

use crate::lines::Line;
use qwd_core::Result;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// The pairs of a file so far. The numbers come from an [`crate::IdMap`], so the keys are small and nobody chooses them.
#[derive(Debug, Default)]
pub(crate) struct PairLines(FxHashMap<(u32, u32), u64>);

impl PairLines {
    /// Notes a pair, or refuses it as a repetition of `what`.
    pub(crate) fn insert(&mut self, pair: (u32, u32), line: &Line<'_>, what: impl FnOnce() -> String) -> Result<()> {
        match self.0.entry(pair) {
            Entry::Vacant(entry) => {
                entry.insert(line.number);
                Ok(())
            }
            Entry::Occupied(entry) => {
                let what = format!("{} appears twice, first on line {}", what(), entry.get());
                Err(line.error(1, what, "remove one of the two or pass --on-error skip"))
            }
        }
    }
}
