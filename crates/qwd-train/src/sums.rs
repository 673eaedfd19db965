//! Scores added up in fixed point, so that the order of addition cannot matter.
//!
//! Each row adds its part of a score, and rows are visited by several threads in any order. Parts are rounded to
//! multiples of 2⁻⁴⁰ and added as integers, wide enough for any number of parts: exact, so the same bits at any number
//! of threads and any cut of the rows.

const UNIT: f64 = (1u64 << 40) as f64;

/// The largest part that is still taken for sound; beyond it training has diverged.
pub(crate) const LARGEST: f64 = 1e5;

/// The scores of a block's tuples, while they are being added up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    units: Vec<i128>,
    diverged: bool,
}

impl Sums {
    /// `n` sums of 0.
    pub(crate) fn reset(&mut self, n: usize) {
        self.units.clear();
        self.units.resize(n, 0);
        self.diverged = false;
    }

    /// Adds to one sum.
    #[inline]
    pub(crate) fn add(&mut self, tuple: usize, part: f64) {
        if part.abs() <= LARGEST {
            self.units[tuple] += i128::from((part * UNIT).round_ties_even() as i64);
        } else {
            self.diverged = true;
        }
    }

    /// Adds all of another's sums.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.units.iter_mut().zip(&other.units) {
            *mine += theirs;
        }
        self.diverged |= other.diverged;
    }

    /// One sum, or `None` where numbers have grown beyond all measure.
    pub(crate) fn get(&self, tuple: usize) -> Option<f64> {
        (!self.diverged).then(|| self.units[tuple] as f64 / UNIT)
    }
}
