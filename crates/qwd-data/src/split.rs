//! Train, dev and test: given by the data, or drawn from a hash of the ids.
//!
//! A hash of the id gives each item its split without looking at the others: it stays there when the data grow or are
//! read in another order.

use crate::fingerprint::Fnv1a;
use qwd_core::random::mix;
use qwd_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A part of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// What models learn from.
    Train,
    /// What parameters are chosen on.
    #[serde(alias = "validation", alias = "valid", alias = "vali")]
    Dev,
    /// What is reported.
    Test,
}

impl Split {
    /// Every split, in the order of their use.
    pub const ALL: [Self; 3] = [Self::Train, Self::Dev, Self::Test];

    /// Returns the name of the split in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Dev => "dev",
            Self::Test => "test",
        }
    }

    /// Draws the split of an id.
    pub fn of_id(seed: u64, id: &str, shares: Shares) -> Self {
        let at = unit_of_id(seed, id);
        if at < shares.train {
            Self::Train
        } else if at < shares.train + shares.dev {
            Self::Dev
        } else {
            Self::Test
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A number in [0, 1) that an id always gets under a seed.
pub(crate) fn unit_of_id(seed: u64, id: &str) -> f64 {
    (mix(Fnv1a::of(id.as_bytes()) ^ mix(seed)) >> 11) as f64 / (1u64 << 53) as f64
}

/// How much of the data each split gets; the three add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    train: f64,
    dev: f64,
}

impl Shares {
    /// Takes shares in any proportion: (8, 1, 1) is (0.8, 0.1, 0.1).
    pub fn try_new(train: f64, dev: f64, test: f64) -> Result<Self> {
        let sum = train + dev + test;
        if [train, dev, test].iter().any(|s| *s < 0.0) || !(sum.is_finite() && sum > 0.0) {
            let value = format!("{train},{dev},{test}");
            return Err(Error::param("shares", value, "three numbers, none negative and not all zero"));
        }
        Ok(Self { train: train / sum, dev: dev / sum })
    }
}

impl Shares {
    /// Paper 2's: 70 % to learn from, of which a tenth serves to choose parameters, and 30 % to test.
    pub const SEVENTY_THIRTY: Self = Self { train: 0.63, dev: 0.07 };
}

impl Default for Shares {
    fn default() -> Self {
        Self { train: 0.8, dev: 0.1 }
    }
}

/// How items get a split that their data do not give them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SplitRule {
    /// The seed of the draw.
    pub seed: u64,
    /// What each split gets.
    pub shares: Shares,
    /// What is dealt out where links say which document suits which.
    pub links: LinkSplit,
}

/// What is dealt out to the splits of linked documents (paper 2, Table 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkSplit {
    /// The links one by one: every split has all documents.
    #[default]
    Links,
    /// The documents: a split has the links among its own documents, and links across splits are in none.
    Documents,
}

impl SplitRule {
    /// Draws the split of an id.
    pub fn of_id(&self, id: &str) -> Split {
        Split::of_id(self.seed, id, self.shares)
    }

    /// Tells whether an id of the training split is held out for validation: as many as dev has against train.
    pub fn holds_out(&self, id: &str) -> bool {
        let whole = self.shares.train + self.shares.dev;
        unit_of_id(self.seed, id) * whole >= self.shares.train
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_keeps_its_split() {
        let split = |id: &str| Split::of_id(0, id, Shares::default());
        assert_eq!(["d1", "d2", "d8"].map(split), [Split::Train, Split::Test, Split::Dev]);
    }

    #[test]
    fn shares_are_kept() {
        let shares = Shares::try_new(7.0, 1.0, 2.0).expect("valid shares");
        for seed in 0..3 {
            let mut n = [0u32; 3];
            for i in 0..100_000 {
                n[Split::of_id(seed, &format!("doc-{i}"), shares) as usize] += 1;
            }
            assert!(n[0].abs_diff(70_000) < 700 && n[1].abs_diff(10_000) < 500, "{n:?}");
        }
    }

    #[test]
    fn absurd_shares_are_refused() {
        for (a, b, c) in [(0.0, 0.0, 0.0), (-1.0, 1.0, 1.0), (f64::NAN, 1.0, 1.0), (f64::INFINITY, 1.0, 1.0)] {
            assert!(Shares::try_new(a, b, c).is_err(), "{a} {b} {c}");
        }
    }
}
