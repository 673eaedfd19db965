//! Word pairs whose weight is set by hand: whatever is learned, a version ranks with them.
//!
//! Versions are kept as they were learned, and the pins are put in when one is to rank or to be measured. So a pin holds from
//! the moment it is made, through every round, rollback and erasure, for every form of W; and a pair that is released has
//! the weight that was learned for it meanwhile.

use crate::record::Record;
use qwd_core::{Error, Result};
use qwd_model::{Model, Side, pinned};
use serde::Serialize;
use std::collections::BTreeMap;

/// A word pair with its weight set by hand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pin {
    /// The word of queries.
    pub query: String,
    /// The word of documents.
    pub document: String,
    /// Its weight; 0 forbids the pair.
    pub weight: f32,
    /// Whether the current version knows both words; a pin that it does not know waits for one that does.
    pub active: bool,
}

/// What a log says of pins, in its order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pins {
    /// The number of each record with its words and its weight, none where they were released.
    changes: Vec<(u64, [String; 2], Option<f32>)>,
}

impl Pins {
    pub(crate) fn take(&mut self, number: u64, record: &Record) {
        if let Record::Pin { query, document, weight } = record {
            self.changes.push((number, [query.clone(), document.clone()], *weight));
        }
    }

    /// The pins after the first `through` records.
    pub(crate) fn at(&self, through: u64) -> BTreeMap<&[String; 2], f32> {
        let mut pins = BTreeMap::new();
        for (_, words, weight) in self.changes.iter().filter(|(number, ..)| *number < through) {
            match weight {
                Some(weight) => pins.insert(words, *weight),
                None => pins.remove(words),
            };
        }
        pins
    }

    /// A model as it ranks: with the pins after the first `through` records, and without its state of training.
    pub(crate) fn applied(&self, model: &Model, through: u64) -> Result<Model> {
        let mut known = BTreeMap::new();
        for (words, weight) in self.at(through) {
            if let Ok(terms) = terms(model, words) {
                known.insert(terms, weight);
            }
        }
        if known.is_empty() {
            return Ok(model.clone().without_state());
        }
        let [query, document] = [Side::Query, Side::Document].map(|side| model.vectorizer(side).cloned());
        Model::new(pinned(model.matrix(), &known)?, model.provenance().clone()).with_vectorizers(query, document)
    }
}

/// The row and the column of two words.
pub(crate) fn terms(model: &Model, [query, document]: &[String; 2]) -> Result<(u32, u32)> {
    Ok((model.term(Side::Query, query)?, model.term(Side::Document, document)?))
}

/// Refuses a weight that is no number.
pub(crate) fn check(weight: f32) -> Result<()> {
    match weight.is_finite() {
        true => Ok(()),
        false => Err(Error::param("weight", weight, "a finite number; 0 forbids the pair")),
    }
}
