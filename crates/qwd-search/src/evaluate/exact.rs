//! Scores to the last bit: the definition that every other path is held to.

use super::View;
use super::plan::Plan;
use crate::segment::Segment;
use crate::segment::postings::List;
use crate::segment::projections::Probe;
use qwd_core::top_k::Scored;
use qwd_core::{Error, Result};

/// A short list is walked through for all documents at once, if it has fewer postings than so many for each.
const WALKED: usize = 24;

/// The scores of some documents, in rising order of their numbers.
pub(super) fn score(view: &View<'_>, plan: &Plan<'_>, probe: Option<&Probe>, docs: &[u32]) -> Result<Vec<f32>> {
    let segment = view.segment;
    let mut sums = vec![0.0f64; docs.len()];
    let mut payloads: Vec<Option<u32>> = vec![None; docs.len()];
    for term in &plan.terms {
        payloads.fill(None);
        if term.entry.df as usize <= WALKED * docs.len() && matches!(term.list, List::Sparse(_)) {
            walk(segment, &term.list, docs, &mut payloads);
        } else {
            payloads.iter_mut().zip(docs).for_each(|(payload, &doc)| *payload = segment.payload(&term.list, doc));
        }
        for ((sum, &doc), payload) in sums.iter_mut().zip(docs).zip(&payloads) {
            if let Some(payload) = *payload {
                *sum += f64::from(term.query) * f64::from(segment.weight(term.idf, payload, doc)?);
            }
        }
    }
    if let Some(probe) = probe {
        for (sum, &doc) in sums.iter_mut().zip(docs) {
            *sum += probe.exact(segment.container(), doc)?;
        }
    }
    sums.into_iter().map(finite).collect()
}

/// Notes the payloads of some documents on a walk through a list.
fn walk(segment: &Segment, list: &List<'_>, docs: &[u32], payloads: &mut [Option<u32>]) {
    let mut next = 0;
    let mut note = |doc: u32, payload: u32| {
        while docs.get(next).is_some_and(|&wanted| wanted < doc) {
            next += 1;
        }
        if docs.get(next) == Some(&doc) {
            payloads[next] = Some(payload);
        }
    };
    match segment.meta().values {
        true => list.for_each::<true>(&mut note),
        false => list.for_each::<false>(&mut note),
    }
}

/// The scores of all documents, or of those with a score above 0: lists are read one after the other.
pub(super) fn score_all(views: &[View<'_>], plans: &[Plan<'_>], all: bool) -> Result<Vec<Scored>> {
    let mut scored = Vec::new();
    for (view, plan) in views.iter().zip(plans) {
        let segment = view.segment;
        let mut sums = vec![0.0f64; segment.n_docs()];
        for term in &plan.terms {
            let mut outcome = Ok(());
            let mut add =
                |doc: u32, payload: u32| match (sums.get_mut(doc as usize), segment.weight(term.idf, payload, doc)) {
                    (Some(sum), Ok(weight)) => *sum += f64::from(term.query) * f64::from(weight),
                    (_, Err(e)) => outcome = Err(e),
                    (None, _) => {}
                };
            match segment.meta().values {
                true => term.list.for_each::<true>(&mut add),
                false => term.list.for_each::<false>(&mut add),
            }
            outcome?;
        }
        for (doc, &sum) in (0u32..).zip(&sums) {
            let score = finite(sum)?;
            if (all || score > 0.0) && view.allows(doc) {
                scored.push(Scored { item: view.base + doc, score });
            }
        }
    }
    Ok(scored)
}

fn finite(sum: f64) -> Result<f32> {
    let score = sum as f32;
    if score.is_finite() {
        return Ok(score);
    }
    Err(Error::bad_data("a score is beyond the range of f32", "scale the weights of the model down"))
}
