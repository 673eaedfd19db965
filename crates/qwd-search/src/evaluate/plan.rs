//! A query's lists in one segment, and how much each can give.

use super::View;
use crate::segment::postings::List;
use crate::segment::terms::Entry;
use qwd_core::{Result, SparseView};

/// One term of the query.
#[derive(Debug)]
pub(super) struct Term<'a> {
    /// Its weight in the query.
    pub(super) query: f32,
    /// The part of the weights in documents that the term decides.
    pub(super) idf: f64,
    /// What a posting's part is multiplied with.
    pub(super) coefficient: f32,
    pub(super) entry: Entry,
    pub(super) list: List<'a>,
}

impl Term<'_> {
    /// The most that the term can add to a score.
    pub(super) fn bound(&self) -> f32 {
        (self.query * self.entry.max).max(0.0)
    }
}

/// The terms that occur in the segment, in rising order.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) terms: Vec<Term<'a>>,
    /// How far an approximate score can be from the exact one.
    pub(super) error: f32,
}

impl<'a> Plan<'a> {
    pub(super) fn new(view: &View<'a>, query: SparseView<'_>) -> Result<Self> {
        let segment = view.segment;
        let mut terms = Vec::with_capacity(query.len());
        for (number, weight) in query.iter() {
            let Some(entry) = segment.entry(number)? else { continue };
            let idf = segment.idf(number);
            let coefficient = (f64::from(weight) * idf) as f32;
            terms.push(Term { query: weight, idf, coefficient, entry, list: segment.list(&entry)? });
        }
        // Every part is right to a few units of its last place, and a sum of n parts to n more.
        let greatest = |entry: &Entry| f64::from(entry.max.max(-entry.min));
        let sum: f64 = terms.iter().map(|t: &Term<'_>| f64::from(t.query.abs()) * greatest(&t.entry)).sum();
        let error = (sum * (terms.len() as f64 + 16.0) * 2.0f64.powi(-23)) as f32;
        Ok(Self { terms, error })
    }

    /// Whether a term can take something from a score.
    pub(super) fn has_negative(&self) -> bool {
        self.terms.iter().any(|t| t.query < 0.0 || t.entry.min < 0.0)
    }

    /// Whether two negatives can make a positive, which the bounds of lists do not know of.
    pub(super) fn has_no_bounds(&self) -> bool {
        self.terms.iter().any(|t| t.query < 0.0 && t.entry.min < 0.0)
    }

    /// A score that at least `k` documents reach, as far as the heaviest postings of single terms tell.
    pub(super) fn reached_by(&self, k: usize) -> f32 {
        if self.has_negative() {
            return 0.0;
        }
        self.terms.iter().map(|t| t.query * t.entry.weight_of(k)).fold(0.0, f32::max)
    }
}
