//! Tuples from classes, as in paper 1 (section IV.A): query and better document share a class, the worse one does not.
//!
//! The query is uniform over all items, the better one uniform over the other items of its class, the worse one uniform
//! over the items of all other classes. Items lie sorted by class, so each choice is one random number: O(1) a tuple,
//! O(n) memory.

use crate::classes::Classes;
use crate::preference::Preference;
use qwd_core::{Error, Result, Rng};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What happens to a class that has only one item, for which there is no better document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Singletons {
    /// It is an error that names the class.
    #[default]
    Refuse,
    /// The item is never a query, but may be a worse document.
    Skip,
}

/// Draws tuples from items with classes.
#[derive(Debug, Clone)]
pub struct LabelSampler {
    /// The rows of all items, class by class.
    rows: Vec<u32>,
    /// The positions of each class in `rows`.
    classes: Vec<Range<u32>>,
    /// The positions that can be queries, each with its class.
    queries: Vec<(u32, u32)>,
}

impl LabelSampler {
    /// Prepares to draw from items (by their rows) and their classes.
    pub fn try_new(rows: &[u32], class_of: &[u32], names: &Classes, singletons: Singletons) -> Result<Self> {
        let mut items: Vec<(u32, u32)> = class_of.iter().copied().zip(rows.iter().copied()).collect();
        items.sort_unstable();
        let mut sampler = Self { rows: Vec::with_capacity(items.len()), classes: Vec::new(), queries: Vec::new() };
        for class in items.chunk_by(|a, b| a.0 == b.0) {
            let start = sampler.rows.len() as u32;
            let number = sampler.classes.len() as u32;
            sampler.rows.extend(class.iter().map(|&(_, row)| row));
            let range = start..sampler.rows.len() as u32;
            match (class.len(), singletons) {
                (1, Singletons::Refuse) => return Err(singleton(names.label(class[0].0))),
                (1, Singletons::Skip) => {}
                _ => sampler.queries.extend(range.clone().map(|position| (position, number))),
            }
            sampler.classes.push(range);
        }
        if sampler.classes.len() < 2 {
            let what = format!("preferences need two classes, the documents have {}", sampler.classes.len());
            return Err(Error::bad_data(what, "add documents of another class"));
        }
        if sampler.queries.is_empty() {
            return Err(Error::bad_data("no class has two documents", "add documents to the classes"));
        }
        Ok(sampler)
    }

    pub(super) fn n_skipped(&self) -> usize {
        self.rows.len() - self.queries.len()
    }

    pub(super) fn draw(&self, rng: &mut Rng) -> Preference {
        let (query, class) = self.queries[rng.below(self.queries.len())];
        let Range { start, end } = self.classes[class as usize];
        let size = end - start;
        let better = start + rng.below(size as usize - 1) as u32;
        let better = if better >= query { better + 1 } else { better };
        let worse = rng.below(self.rows.len() - size as usize) as u32;
        let worse = if worse >= start { worse + size } else { worse };
        let row = |position: u32| self.rows[position as usize];
        Preference { query: row(query), better: row(better), worse: row(worse), weight: 1.0 }
    }
}

fn singleton(label: &str) -> Error {
    let what = format!("class {label:?} has only one document, so no better one for it");
    Error::bad_data(what, "add documents to the class, remove it, or pass --set sample.singletons=skip")
}
