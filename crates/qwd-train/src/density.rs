//! Ask for a density, not for λ.
//!
//! Every thousand steps or so the share of non-zero entries is estimated on some rows, and λ is raised or lowered so
//! that it ends a little above the target; a last shrinkage, as large as needed, brings it to the target.

use crate::entry::Entry;
use crate::row::EntryRow;

/// The course towards a density.
#[derive(Debug, Clone)]
pub(crate) struct Steering {
    target: f64,
    n_cols: usize,
    next: u64,
}

/// Steps between two corrections of λ.
const EVERY: u64 = 1000;
/// Rows on which the density is estimated.
const SAMPLE: usize = 200;
/// Aim above the target, so that the last shrinkage has something to take away.
const AIM: f64 = 1.15;

impl Steering {
    pub(crate) fn new(target: f64, n_cols: usize) -> Self {
        Self { target, n_cols, next: EVERY }
    }

    /// Takes up the course after step `t` of an earlier run.
    pub(crate) fn go_on_after(&mut self, t: u64) {
        self.next = (t / EVERY + 1) * EVERY;
    }

    /// The λ to go on with after step `t`.
    pub(crate) fn steer<E: Entry<Moment = f32>>(
        &mut self,
        rows: &[EntryRow<'_, E>],
        cumulated: f32,
        t: u64,
        l1: f64,
    ) -> f64 {
        if t < self.next {
            return l1;
        }
        self.next = t + EVERY;
        let ratio = estimate(rows, cumulated, self.n_cols) / (self.target * AIM).min(1.0);
        // The density answers to λ with some delay, so the course is corrected by half.
        (l1.max(1e-12) * ratio.max(1e-3).sqrt().clamp(0.5, 2.0)).min(1.0)
    }

    /// The cumulated threshold at which just the target's number of entries is left, at least `cumulated`.
    pub(crate) fn finish<E: Entry<Moment = f32>>(&self, rows: &[EntryRow<'_, E>], cumulated: f64) -> f64 {
        let wanted = (self.target * rows.len() as f64 * self.n_cols as f64).round() as usize;
        let moment = cumulated as f32;
        let mut sizes: Vec<f32> = Vec::new();
        for row in rows {
            sizes.extend(row.entries(moment).map(|(_, entry)| entry.weight(moment).abs()));
        }
        if sizes.len() <= wanted {
            return cumulated;
        }
        let (_, largest_dropped, _) = sizes.select_nth_unstable_by(wanted, |a, b| b.total_cmp(a));
        cumulated + f64::from(*largest_dropped)
    }
}

/// The share of non-zero entries on evenly spaced rows.
fn estimate<E: Entry<Moment = f32>>(rows: &[EntryRow<'_, E>], cumulated: f32, n_cols: usize) -> f64 {
    let every = rows.len().div_ceil(SAMPLE).max(1);
    let sampled = rows.iter().step_by(every);
    let n = sampled.len();
    let n_nonzero: usize = sampled.map(|row| row.n_nonzero(cumulated)).sum();
    n_nonzero as f64 / (n * n_cols).max(1) as f64
}
