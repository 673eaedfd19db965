//! How far down a ranking a metric looks: the `@10` of `ndcg@10`.

use qwd_core::{Error, Result};
use std::fmt;

/// A number of top ranks, at least 1, or the whole ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Depth(usize);

impl Depth {
    /// Looks at the whole ranking.
    pub const WHOLE: Self = Self(usize::MAX);

    /// Looks at the first `k` ranks; `k` must be at least 1.
    pub fn at(k: usize) -> Result<Self> {
        if k == 0 || k == usize::MAX {
            return Err(Error::param("cutoff", k, "a number of ranks, at least 1"));
        }
        Ok(Self(k))
    }

    /// Returns the number of ranks, or nothing for the whole ranking.
    pub fn ranks(self) -> Option<usize> {
        (self != Self::WHOLE).then_some(self.0)
    }

    /// Returns the part of a ranking that is looked at.
    pub fn cut<T>(self, ranked: &[T]) -> &[T] {
        &ranked[..ranked.len().min(self.0)]
    }
}

impl fmt::Display for Depth {
    /// Writes `@k`, or nothing for the whole ranking.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ranks() {
            Some(k) => write!(f, "@{k}"),
            None => Ok(()),
        }
    }
}
