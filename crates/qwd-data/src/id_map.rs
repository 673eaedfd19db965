//! Ids and their numbers: the n-th id to appear has the number n, from 0.
//!
//! All ids lie in one string, found through a table of numbers: about 14 bytes an id beyond its own. The hash is keyed
//! afresh in every process, so that no list of ids can be made to collide; the numbers do not depend on it.

use qwd_core::{Error, Result};
use std::hash::{BuildHasher, RandomState};

const EMPTY: u32 = u32::MAX;

/// A compact two-way map between ids and numbers.
#[derive(Debug, Clone, Default)]
pub struct IdMap {
    text: String,
    ends: Vec<usize>,
    slots: Vec<u32>,
    hasher: RandomState,
}

impl IdMap {
    /// Makes an empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of ids.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Tells whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of an id, giving it the next one if it is new; the flag tells whether it was.
    pub fn insert(&mut self, id: &str) -> Result<(u32, bool)> {
        if self.slots.len() * 3 <= self.len() * 4 {
            self.grow();
        }
        match self.find(id) {
            Ok(number) => Ok((number, false)),
            Err(slot) => {
                let number = self.next_number()?;
                self.slots[slot] = number;
                self.text.push_str(id);
                self.ends.push(self.text.len());
                Ok((number, true))
            }
        }
    }

    /// Returns the number of an id.
    pub fn get(&self, id: &str) -> Option<u32> {
        if self.is_empty() { None } else { self.find(id).ok() }
    }

    /// Returns the id of a number that this map gave.
    ///
    /// # Panics
    /// If it did not.
    pub fn name(&self, number: u32) -> &str {
        let i = number as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    /// Returns all ids in the order of their numbers.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|i| self.name(i as u32))
    }

    fn next_number(&self) -> Result<u32> {
        let n = self.len() as u64;
        if n >= u64::from(EMPTY) {
            return Err(Error::limit("the number of different ids", u64::from(EMPTY), n + 1, "split the data"));
        }
        Ok(n as u32)
    }

    /// The number of an id, or the slot where it belongs. There is always an empty slot.
    fn find(&self, id: &str) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(id) as usize & mask;
        loop {
            match self.slots[slot] {
                EMPTY => return Err(slot),
                number if self.name(number) == id => return Ok(number),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; (self.slots.len() * 2).max(16)];
        for number in 0..self.len() as u32 {
            if let Err(slot) = self.find(self.name(number)) {
                self.slots[slot] = number;
            }
        }
    }
}

impl PartialEq for IdMap {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends && self.text == other.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn agrees_with_a_hash_map(ids in proptest::collection::vec("[ab]{0,4}", 0..200)) {
            let (mut map, mut plain) = (IdMap::new(), HashMap::new());
            for id in &ids {
                let next = plain.len() as u32;
                let expected = *plain.entry(id.clone()).or_insert(next);
                prop_assert_eq!(map.insert(id)?, (expected, expected == next));
            }
            prop_assert_eq!(map.len(), plain.len());
            for (id, number) in plain {
                prop_assert_eq!(map.get(&id), Some(number));
                prop_assert_eq!(map.name(number), id);
            }
            prop_assert_eq!(map.get("c"), None);
        }
    }
}
