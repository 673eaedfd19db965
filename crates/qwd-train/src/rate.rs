//! The learning rate η as a function of the step t = 1, 2, …

use serde::{Deserialize, Serialize};

/// How the learning rate changes with the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// η stays as it is.
    Fixed,
    /// η = C/√t, the suggestion of section II-B of the sparse preference paper.
    #[default]
    Decaying,
}

/// A schedule with its constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rate {
    pub(crate) schedule: Schedule,
    pub(crate) constant: f64,
}

impl Rate {
    /// η at step `t`, counted from 1.
    pub(crate) fn at(self, t: u64) -> f64 {
        match self.schedule {
            Schedule::Fixed => self.constant,
            Schedule::Decaying => self.constant / (t as f64).sqrt(),
        }
    }

    /// The sum of η over the steps after `from`, up to and with `to`.
    pub(crate) fn sum(self, from: u64, to: u64) -> f64 {
        (from + 1..=to).map(|t| self.at(t)).sum()
    }
}
