//! Scores to the last bit: the definition that every other path is held to.

use super::View;
use super::plan::{Plan, Term};
use crate::segment::Segment;
use crate::segment::postings::List;
use crate::segment::projections::Probe;
use qwd_core::top_k::Scored;
use qwd_core::{Error, Result};

/// A list is walked through for all documents at once, if it has fewer postings than so many for each: sparse lists must be
/// searched for a document, dense ones tell it at once.
const WALKED_IF_SPARSE: usize = 24;
const WALKED_IF_DENSE: usize = 2;

/// If one document in so many is asked for, all are scored: that touches every posting once and looks nothing up.
const ALL_SCORED: usize = 16;

/// The scores of some documents, in rising order of their numbers.
pub(super) fn score(view: &View<'_>, plan: &Plan<'_>, probe: Option<&Probe>, docs: &[u32]) -> Result<Vec<f32>> {
    let segment = view.segment;
    let mut sums = if docs.len() * ALL_SCORED >= segment.n_docs() {
        let all = sums_of_all(segment, plan)?;
        docs.iter().map(|&doc| all.get(doc as usize).copied().unwrap_or(0.0)).collect()
    } else {
        sums_of(segment, plan, docs)?
    };
    if let Some(probe) = probe {
        for (sum, &doc) in sums.iter_mut().zip(docs) {
            *sum += probe.exact(segment.container(), doc)?;
        }
    }
    sums.into_iter().map(finite).collect()
}

/// The scores of all documents, or those above 0.
pub(super) fn score_all(views: &[View<'_>], plans: &[Plan<'_>], all: bool) -> Result<Vec<Scored>> {
    let mut scored = Vec::new();
    for (view, plan) in views.iter().zip(plans) {
        for (doc, sum) in (0u32..).zip(sums_of_all(view.segment, plan)?) {
            let score = finite(sum)?;
            if (all || score > 0.0) && view.allows(doc) {
                scored.push(Scored { item: view.base + doc, score });
            }
        }
    }
    Ok(scored)
}

/// What the terms give to some documents.
fn sums_of(segment: &Segment, plan: &Plan<'_>, docs: &[u32]) -> Result<Vec<f64>> {
    let mut sums = vec![0.0f64; docs.len()];
    for term in &plan.terms {
        let walked = if matches!(term.list, List::Sparse(_)) { WALKED_IF_SPARSE } else { WALKED_IF_DENSE };
        if term.entry.df as usize <= walked * docs.len() {
            let mut places = Places { docs, next: 0, by_halves: term.entry.df as usize * 8 < docs.len() };
            each_weight(segment, term, |doc| places.of(doc), |place, part| sums[place] += part)?;
        } else {
            for (sum, &doc) in sums.iter_mut().zip(docs) {
                if let Some(payload) = segment.payload(&term.list, doc) {
                    *sum += part(segment, term, payload, doc)?;
                }
            }
        }
    }
    Ok(sums)
}

/// What the terms give to every document: lists are read one after the other.
fn sums_of_all(segment: &Segment, plan: &Plan<'_>) -> Result<Vec<f64>> {
    let mut sums = vec![0.0f64; segment.n_docs()];
    let n_docs = sums.len();
    for term in &plan.terms {
        let place = |doc: u32| Some(doc as usize).filter(|&doc| doc < n_docs);
        each_weight(segment, term, place, |doc, part| sums[doc] += part)?;
    }
    Ok(sums)
}

/// Walks through a list and tells what it gives to the documents that have a place.
fn each_weight(
    segment: &Segment,
    term: &Term<'_>,
    mut place_of: impl FnMut(u32) -> Option<usize>,
    mut add: impl FnMut(usize, f64),
) -> Result<()> {
    let mut outcome = Ok(());
    let mut note = |doc: u32, payload: u32| {
        if let Some(place) = place_of(doc) {
            match part(segment, term, payload, doc) {
                Ok(part) => add(place, part),
                Err(e) => outcome = Err(e),
            }
        }
    };
    match segment.meta().values {
        true => term.list.for_each::<true>(&mut note),
        false => term.list.for_each::<false>(&mut note),
    }
    outcome
}

/// What a posting gives to the score of its document.
fn part(segment: &Segment, term: &Term<'_>, payload: u32, doc: u32) -> Result<f64> {
    Ok(f64::from(term.query) * f64::from(segment.weight(term.idf, payload, doc)?))
}

/// The places of documents that come in rising order, among those that are asked for.
struct Places<'a> {
    docs: &'a [u32],
    next: usize,
    /// Whether few come, so that the next place is searched for.
    by_halves: bool,
}

impl Places<'_> {
    fn of(&mut self, doc: u32) -> Option<usize> {
        let rest = &self.docs[self.next..];
        self.next += if self.by_halves {
            rest.partition_point(|&wanted| wanted < doc)
        } else {
            rest.iter().take_while(|&&wanted| wanted < doc).count()
        };
        (self.docs.get(self.next) == Some(&doc)).then_some(self.next)
    }
}

fn finite(sum: f64) -> Result<f32> {
    let score = sum as f32;
    if score.is_finite() {
        return Ok(score);
    }
    Err(Error::bad_data("a score is beyond the range of f32", "scale the weights of the model down"))
}
