//! The documents that may be among the best k, by approximate scores of known error.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Candidates are thinned out when there are so many more than k.
const SPARE: usize = 1024;

/// Keeps what may be among the best.
#[derive(Debug)]
pub(super) struct Candidates {
    k: usize,
    error: f32,
    /// The best k approximate scores, the least on top, as numbers that order as they do.
    best: BinaryHeap<Reverse<u32>>,
    found: Vec<Candidate>,
    /// With more than so many found they are thinned out.
    most: usize,
    floor: f32,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    score: f32,
    segment: u32,
    doc: u32,
}

impl Candidates {
    /// Begins with none; `error` bounds how far an approximate score is from the exact one. With `negative`, documents of
    /// a score below 0 count as well.
    pub(super) fn new(k: usize, error: f32, negative: bool) -> Self {
        let floor = if negative { f32::NEG_INFINITY } else { f32::from_bits(1) };
        let most = k.saturating_mul(2).saturating_add(SPARE);
        Self { k, error, best: BinaryHeap::with_capacity(k.min(1 << 16) + 1), found: Vec::new(), most, floor }
    }

    /// The least approximate score that is still of interest.
    #[inline(always)]
    pub(super) fn floor(&self) -> f32 {
        self.floor
    }

    /// How many documents are wanted.
    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// The greatest error of a score.
    pub(super) fn error(&self) -> f32 {
        self.error
    }

    /// Notes that at least k documents have a score as high as this.
    pub(super) fn raise(&mut self, score: f32) {
        self.floor = self.floor.max(score - 2.0 * self.error);
    }

    /// Adds a document of a segment whose approximate score is not below the floor.
    pub(super) fn push(&mut self, segment: u32, doc: u32, score: f32) {
        self.found.push(Candidate { score, segment, doc });
        self.note(score);
        if self.found.len() > self.most {
            self.thin_out();
            // Where scores are closer than their error, most stay: to look at them again with every document would take its square.
            self.most = self.most.max(2 * self.found.len());
        }
    }

    /// Adds a document that may score as much as `most`, whatever its approximate score.
    pub(super) fn keep(&mut self, segment: u32, doc: u32, most: f32) {
        self.found.push(Candidate { score: most, segment, doc });
    }

    /// Counts a score that some document has, but for the error.
    pub(super) fn note(&mut self, score: f32) {
        let key = ordered(score);
        if self.best.len() < self.k {
            self.best.push(Reverse(key));
        } else if self.best.peek().is_some_and(|least| key > least.0) {
            self.best.pop();
            self.best.push(Reverse(key));
        }
        if self.best.len() == self.k
            && let Some(least) = self.best.peek()
        {
            self.raise(unordered(least.0));
        }
    }

    fn thin_out(&mut self) {
        let floor = self.floor;
        self.found.retain(|c| c.score >= floor);
    }

    /// Segments and documents that may be among the best, in order.
    pub(super) fn finish(mut self) -> Vec<(usize, u32)> {
        self.thin_out();
        let mut found: Vec<(usize, u32)> = self.found.iter().map(|c| (c.segment as usize, c.doc)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A number that orders as the score does.
fn ordered(score: f32) -> u32 {
    let bits = score.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

fn unordered(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_order_as_scores_do(a in -1e9f32..1e9, b in -1e9f32..1e9) {
            prop_assert_eq!(ordered(a).cmp(&ordered(b)), a.total_cmp(&b));
            prop_assert_eq!(unordered(ordered(a)), a);
        }

        #[test]
        fn whoever_may_be_best_is_kept(scores in proptest::collection::vec(1u8..50, 0..4000), k in 1usize..20) {
            let mut candidates = Candidates::new(k, 0.4, false);
            for (doc, &score) in scores.iter().enumerate() {
                if f32::from(score) >= candidates.floor() {
                    candidates.push(0, doc as u32, f32::from(score));
                }
            }
            let kept: Vec<u32> = candidates.finish().iter().map(|&(_, doc)| doc).collect();
            let mut sorted: Vec<u8> = scores.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let least = sorted.get(k - 1).copied().unwrap_or(0);
            let best = scores.iter().enumerate().filter(|&(_, &s)| s >= least).map(|(doc, _)| doc as u32);
            prop_assert_eq!(kept, best.collect::<Vec<_>>());
        }
    }
}
