//! Words and their numbers: one string holds them all, a table of hashes finds them.
//!
//! A word costs its letters, 8 bytes of offset and 16 to 32 bytes of table. Words come from outside, and whoever knows
//! the hash can make words that collide; so no word may lie further than [`MAX_PROBES`] from where it belongs. At half
//! full, honest words stay within a hundred.

use qwd_core::{Error, Result};
use rustc_hash::FxHasher;
use std::hash::Hasher;

const MAX_PROBES: usize = 4096;

/// The greatest number of words: indices of sparse vectors stay below `u32::MAX`.
pub(crate) const MAX_WORDS: u64 = u32::MAX as u64 - 1;

/// Distinct words, numbered from 0 in the order in which they came.
#[derive(Debug, Clone)]
pub(crate) struct WordTable {
    text: String,
    /// Where each word begins, and the end of the last.
    offsets: Vec<u64>,
    /// The hash of a word in the upper half, its number plus 1 in the lower; 0 where there is none.
    slots: Vec<u64>,
}

impl WordTable {
    /// A table with room for `n` words.
    pub(crate) fn with_capacity(n: usize) -> Self {
        Self { text: String::new(), offsets: vec![0], slots: vec![0; slots_for(n)] }
    }

    /// Takes words that lie in one string; the offsets must be those of whole, non-empty words.
    pub(crate) fn from_parts(text: String, offsets: Vec<u64>) -> Result<Self> {
        let n = offsets.len() - 1;
        let mut table = Self { text, offsets, slots: vec![0; slots_for(n)] };
        for id in 0..n as u32 {
            let word = table.word(id);
            if table.get(word).is_some() {
                return Err(Error::bad_data(
                    format!("the vocabulary has the word {word:?} twice"),
                    "make the vocabulary anew",
                ));
            }
            let hash = hash(word);
            place(&mut table.slots, hash, id)?;
        }
        Ok(table)
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of a word.
    pub(crate) fn get(&self, word: &str) -> Option<u32> {
        self.find(word, hash(word))
    }

    /// The number of a word, a new one if it has none.
    pub(crate) fn intern(&mut self, word: &str) -> Result<u32> {
        let hash = hash(word);
        if let Some(id) = self.find(word, hash) {
            return Ok(id);
        }
        let n = self.len() as u64;
        if n >= MAX_WORDS {
            return Err(Error::limit("the number of distinct words", MAX_WORDS, n + 1, "give less text"));
        }
        if slots_for(n as usize + 1) > self.slots.len() {
            self.grow()?;
        }
        place(&mut self.slots, hash, n as u32)?;
        self.text.push_str(word);
        self.offsets.push(self.text.len() as u64);
        Ok(n as u32)
    }

    pub(crate) fn word(&self, id: u32) -> &str {
        let id = id as usize;
        &self.text[self.offsets[id] as usize..self.offsets[id + 1] as usize]
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    fn find(&self, word: &str, hash: u32) -> Option<u32> {
        let mask = self.slots.len() - 1;
        for probe in 0..MAX_PROBES {
            let slot = self.slots[(hash as usize + probe) & mask];
            if slot == 0 {
                return None;
            }
            let id = slot as u32 - 1;
            if (slot >> 32) as u32 == hash && self.word(id) == word {
                return Some(id);
            }
        }
        None
    }

    fn grow(&mut self) -> Result<()> {
        let mut slots = vec![0; self.slots.len() * 2];
        for &slot in self.slots.iter().filter(|&&slot| slot != 0) {
            place(&mut slots, (slot >> 32) as u32, slot as u32 - 1)?;
        }
        self.slots = slots;
        Ok(())
    }
}

/// A power of two that keeps the table at most half full.
fn slots_for(n: usize) -> usize {
    (n * 2).next_power_of_two().max(16)
}

fn place(slots: &mut [u64], hash: u32, id: u32) -> Result<()> {
    let mask = slots.len() - 1;
    for probe in 0..MAX_PROBES {
        let slot = &mut slots[(hash as usize + probe) & mask];
        if *slot == 0 {
            *slot = u64::from(hash) << 32 | u64::from(id + 1);
            return Ok(());
        }
    }
    Err(Error::bad_data(
        format!("more than {MAX_PROBES} words share one place in the table of words"),
        "look for text that was made to do so",
    ))
}

fn hash(word: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn equals_a_hash_map(words in proptest::collection::vec("[ab東]{1,4}", 0..200)) {
            let mut table = WordTable::with_capacity(0);
            let mut twin: HashMap<&str, u32> = HashMap::new();
            for word in &words {
                let next = twin.len() as u32;
                prop_assert_eq!(table.intern(word).expect("room"), *twin.entry(word).or_insert(next));
            }
            prop_assert_eq!(table.len(), twin.len());
            for (word, &id) in &twin {
                prop_assert_eq!(table.get(word), Some(id));
                prop_assert_eq!(table.word(id), *word);
            }
            prop_assert_eq!(table.get("never there"), None);
        }
    }

    #[test]
    fn a_crowd_is_refused() {
        let mut slots = vec![0; 1 << 14];
        let placed = (0..).take_while(|&id| place(&mut slots, 7, id).is_ok()).count();
        assert_eq!(placed, MAX_PROBES);
    }
}
