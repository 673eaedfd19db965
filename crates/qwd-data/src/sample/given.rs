//! Preferences as they were given: in their order, or shuffled anew in every pass.

use crate::preference::Preference;
use qwd_core::{Error, Result, Rng};
use serde::{Deserialize, Serialize};

/// In which order given preferences come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As in the file.
    AsGiven,
    /// In a random order, another one in each pass.
    #[default]
    Shuffled,
}

/// Passes through given preferences, again and again.
#[derive(Debug, Clone)]
pub struct GivenSampler {
    given: Vec<Preference>,
    order: Order,
}

impl GivenSampler {
    /// Takes the preferences, of which there must be at least one.
    pub fn try_new(given: Vec<Preference>, order: Order) -> Result<Self> {
        if given.is_empty() || u32::try_from(given.len()).is_err() {
            let what = format!("{} preferences cannot be sampled", given.len());
            return Err(Error::bad_data(what, "give at least one and at most 4 billion"));
        }
        Ok(Self { given, order })
    }

    pub(super) fn len(&self) -> usize {
        self.given.len()
    }

    pub(super) fn get(&self, i: u32) -> Preference {
        self.given[i as usize]
    }

    pub(super) fn order_of_pass(&self, seed: u64, pass: u64) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.given.len() as u32).collect();
        if self.order == Order::Shuffled {
            Rng::part(seed, pass).shuffle(&mut order);
        }
        order
    }
}
