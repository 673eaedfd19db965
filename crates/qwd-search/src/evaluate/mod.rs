//! An expanded query against the segments of an index: the exact best k.
//!
//! The score of a document is Σ `q[t] · d[t]` over the terms in rising order, of `f32` weights, in `f64`, rounded once to
//! `f32`; with a latent part, its inner product (in `f64`, too) comes last. That order is the definition; whatever finds the
//! documents may add in any other.
//!
//! | module | question it answers |
//! |---|---|
//! | `plan` | which lists does the query touch, and how much can each give? |
//! | `ranges` | which ranges of documents can hold one of the best, and what do they hold? |
//! | `latent` | the same where every document has a part in a latent space |
//! | `exact` | what is the score of a document, to the last bit? |
//! | `candidates` | which documents may still be among the best k? |
//!
//! Finding works in `f32` with a bound on its error: a document whose approximate score is within twice that bound of the
//! k-th best is kept and scored exactly in the end. So the answer does not depend on how it was found.

mod candidates;
mod exact;
mod latent;
mod plan;
mod ranges;

use crate::matching::Asked;
use crate::segment::Segment;
use crate::segment::projections::Probe;
use candidates::Candidates;
use plan::Plan;
use qwd_core::Result;
use qwd_core::top_k::Scored;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;

/// How the best documents are found; the answer is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// By what costs less.
    #[default]
    Auto,
    /// By bounds of ranges: most of the index is passed over.
    Bounds,
    /// By adding up all lists.
    Scan,
}

/// What is wanted of a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) k: usize,
    /// Whether documents of no or negative score count.
    pub(crate) all: bool,
    pub(crate) strategy: Strategy,
    /// How many groups of a latent space are looked at; without it, all of it.
    pub(crate) groups: Option<usize>,
}

/// A segment as a query sees it: which of its documents may be found, as bits of 64 documents a word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) segment: &'a Segment,
    /// The number of its first document in the index.
    pub(crate) base: u32,
    /// Its place among the segments.
    pub(crate) number: u32,
    pub(crate) allowed: Option<&'a [u64]>,
}

impl View<'_> {
    fn allows(&self, doc: u32) -> bool {
        self.allowed.is_none_or(|words| words.get(doc as usize / 64).is_some_and(|word| word >> (doc % 64) & 1 == 1))
    }
}

/// Memory that queries use again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Sums of sparse lists, a place for every document; all 0 between queries.
    sums: Vec<f32>,
    /// Bounds of ranges; all 0 between queries.
    bounds: Vec<f32>,
    /// The documents of decoded lists.
    docs: Vec<u32>,
    /// Ranges to look at, with their bounds.
    ranges: Vec<(f32, u32)>,
    touched: Vec<u32>,
}

/// Scratch memory for as many queries as run at once.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    free: Mutex<Vec<Scratch>>,
}

impl Pool {
    fn with<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let taken = self.free.lock().ok().and_then(|mut free| free.pop());
        let mut scratch = taken.unwrap_or_default();
        let result = work(&mut scratch);
        if let Ok(mut free) = self.free.lock() {
            free.push(scratch);
        }
        result
    }
}

/// The best documents of an index for a query, numbered through all segments, best first.
pub(crate) fn best(views: &[View<'_>], asked: &Asked, wanted: Wanted, pool: &Pool) -> Result<Vec<Scored>> {
    if wanted.k == 0 {
        return Ok(Vec::new());
    }
    let probe = (!asked.probe.is_empty()).then(|| Probe::new(asked.probe.clone()));
    let plans = views.iter().map(|view| Plan::new(view, asked.terms.view())).collect::<Result<Vec<Plan<'_>>>>()?;
    let error = plans.iter().map(|plan| plan.error).fold(0.0, f32::max);
    let mut candidates = Candidates::new(wanted.k, error, probe.is_some());
    pool.with(|scratch| {
        for (view, plan) in views.iter().zip(&plans) {
            match &probe {
                Some(probe) => latent::find(view, plan, probe, wanted.groups, scratch, &mut candidates)?,
                None => ranges::find(view, plan, wanted.strategy, scratch, &mut candidates)?,
            }
        }
        Result::Ok(())
    })?;
    let mut scored = Vec::new();
    for of_segment in candidates.finish().chunk_by(|a, b| a.0 == b.0) {
        let at = of_segment[0].0;
        let docs: Vec<u32> = of_segment.iter().map(|&(_, doc)| doc).collect();
        let scores = exact::score(&views[at], &plans[at], probe.as_ref(), &docs)?;
        let number = |(doc, score): (u32, f32)| Scored { item: views[at].base + doc, score };
        scored.extend(docs.into_iter().zip(scores).map(number));
    }
    scored.retain(|s| wanted.all || s.score > 0.0);
    // Where positive and negative parts cancel, rounding can hide a document of a tiny score; and documents that match
    // nothing are wanted rarely. Either way all are scored exactly.
    let may_lack = wanted.all || plans.iter().any(Plan::has_negative);
    if scored.len() < wanted.k && may_lack && probe.is_none() {
        scored = exact::score_all(views, &plans, wanted.all)?;
    }
    scored.sort_unstable_by(|a, b| b.cmp(a));
    scored.truncate(wanted.k);
    Ok(scored)
}
