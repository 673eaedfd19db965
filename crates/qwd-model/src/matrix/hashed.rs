//! W whose entries share H weights by a hash of their place, W[s][t] = w[(sP + t) mod H], perhaps plus αI: "hash kernels"
//! (equation 5 of the supervised semantic indexing paper). Memory is chosen freely; words that share a weight by chance
//! share no meaning.

use super::check_finite;
use super::form::Form;
use qwd_core::SparseView;
use qwd_core::error::{Error, Result};

/// The prime P. Its low digits are well mixed in base 2 and base 10, so that tables of such sizes are filled evenly.
const PRIME: u64 = 2_654_435_761;

/// A matrix of shared weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Hashed {
    n_rows: usize,
    n_cols: usize,
    weights: Vec<f32>,
    identity: Option<f32>,
}

/// The place of the pair (s, t) among `n_weights` weights.
#[inline]
pub fn place(s: u32, t: u32, n_weights: usize) -> usize {
    ((u64::from(s) * PRIME + u64::from(t)) % n_weights as u64) as usize
}

impl Hashed {
    pub(super) fn try_new(n_rows: usize, n_cols: usize, weights: Vec<f32>, identity: Option<f32>) -> Result<Self> {
        if weights.is_empty() {
            return Err(Error::bad_data("a hashed matrix without weights", "give at least one"));
        }
        if identity.is_some() && n_rows != n_cols {
            let what = format!("a weight of I for {n_rows} x {n_cols} terms");
            return Err(Error::bad_data(what, "add I to square matrices only"));
        }
        check_finite(&weights)?;
        check_finite(identity.as_slice())?;
        Ok(Self { n_rows, n_cols, weights, identity })
    }

    /// The shared weights.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Gives the weights away.
    pub fn into_weights(self) -> Vec<f32> {
        self.weights
    }

    /// The weight α of I.
    pub fn identity(&self) -> Option<f32> {
        self.identity
    }

    /// The share of word pairs that share their weight with another pair.
    pub fn collision_rate(&self) -> f64 {
        let n_weights = self.weights.len();
        let n_pairs = self.n_rows as f64 * self.n_cols as f64;
        if n_pairs == 0.0 {
            return 0.0;
        }
        // A row that is longer than the weights takes all of them so many times, and then some.
        let (n_whole, n_rest) = (self.n_cols / n_weights, self.n_cols % n_weights);
        // A row takes a run of weights, which begins anew at their end: +1 where it begins, -1 behind it.
        let mut changes = vec![0i64; n_weights + 1];
        for s in 0..self.n_rows as u32 {
            let from = place(s, 0, n_weights);
            let to = from + n_rest;
            changes[from] += 1;
            changes[to.min(n_weights)] -= 1;
            if to > n_weights {
                changes[0] += 1;
                changes[to - n_weights] -= 1;
            }
        }
        let mut n_here = (self.n_rows * n_whole) as i64;
        let alone = changes[..n_weights].iter().filter(|change| {
            n_here += **change;
            n_here == 1
        });
        1.0 - alone.count() as f64 / n_pairs
    }

    #[inline]
    fn shared(&self, s: u32, t: u32) -> f32 {
        self.weights[place(s, t, self.weights.len())]
    }
}

/// Numbers of an expanded query that are worked on at once.
const PART: usize = 4096;

impl Form for Hashed {
    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn n_cols(&self) -> usize {
        self.n_cols
    }

    fn entry(&self, s: u32, t: u32) -> f32 {
        let alpha = if s == t { self.identity.unwrap_or(0.0) } else { 0.0 };
        (f64::from(self.shared(s, t)) + f64::from(alpha)) as f32
    }

    fn score(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64 {
        let mut sum = self.identity.map_or(0.0, |alpha| f64::from(alpha) * q.dot(d));
        for (s, x) in q.iter() {
            let of_row: f64 = d.iter().map(|(t, y)| f64::from(self.shared(s, t)) * f64::from(y)).sum();
            sum += f64::from(x) * of_row;
        }
        sum
    }

    fn add_expanded(&self, q: SparseView<'_>, buffer: &mut [f32]) {
        let n_weights = self.weights.len();
        // A part of the buffer stays in the nearest cache while all rows pass by.
        for (part, sums) in buffer.chunks_mut(PART).enumerate() {
            for (s, x) in q.iter() {
                // A row walks through the weights one by one and begins anew at their end.
                let (mut at, mut rest) = (place(s, (part * PART) as u32, n_weights), &mut *sums);
                while !rest.is_empty() {
                    let (run, later) = rest.split_at_mut(rest.len().min(n_weights - at));
                    for (sum, weight) in run.iter_mut().zip(&self.weights[at..]) {
                        *sum += x * weight;
                    }
                    (at, rest) = (0, later);
                }
            }
        }
        for (s, x) in q.iter() {
            if let Some(alpha) = self.identity {
                buffer[s as usize] += x * alpha;
            }
        }
    }

    fn n_parameters(&self) -> u64 {
        (self.weights.len() + usize::from(self.identity.is_some())) as u64
    }

    /// Counted row by row from running sums over the shared weights.
    fn n_nonzero(&self) -> u64 {
        let n_weights = self.weights.len() as u64;
        let mut before = Vec::with_capacity(self.weights.len() + 1);
        before.push(0u64);
        for &w in &self.weights {
            before.push(before[before.len() - 1] + u64::from(w != 0.0));
        }
        let all = before[self.weights.len()];
        let up_to = |end: u64| end / n_weights * all + before[(end % n_weights) as usize];
        let mut n_nonzero = 0;
        for s in 0..self.n_rows as u32 {
            let from = place(s, 0, self.weights.len()) as u64;
            n_nonzero += up_to(from + self.n_cols as u64) - up_to(from);
            if self.identity.is_some() {
                n_nonzero += u64::from(self.entry(s, s) != 0.0);
                n_nonzero -= u64::from(self.shared(s, s) != 0.0);
            }
        }
        n_nonzero
    }

    fn memory_bytes(&self) -> u64 {
        size_of_val(self.weights.as_slice()) as u64
    }
}
