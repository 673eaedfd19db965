//! Scores to the last bit: the definition that every other path is held to.

use super::View;
use super::plan::Plan;
use crate::segment::projections::Probe;
use qwd_core::top_k::Scored;
use qwd_core::{Error, Result};

/// The score of one document.
pub(super) fn score(view: &View<'_>, plan: &Plan<'_>, probe: Option<&Probe>, doc: u32) -> Result<f32> {
    let segment = view.segment;
    let mut sum = 0.0f64;
    for term in &plan.terms {
        if let Some(payload) = segment.payload(&term.list, doc) {
            sum += f64::from(term.query) * f64::from(segment.weight(term.idf, payload, doc)?);
        }
    }
    if let Some(probe) = probe {
        sum += probe.exact(segment.container(), doc)?;
    }
    finite(sum)
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
