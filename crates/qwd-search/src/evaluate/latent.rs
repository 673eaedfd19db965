//! The best documents where each has a part in a latent space: all of them are scanned in codes of a byte a number, and those
//! that may be among the best are scored exactly. Sparse parts of the score are added up beforehand. If only the nearest
//! groups are asked for, the documents of these and those with a sparse part are looked at, and no others.

use super::candidates::Candidates;
use super::plan::Plan;
use super::{Scratch, View};
use crate::segment::clusters;
use crate::segment::projections::{CODES, Probe, SCALES};
use crate::segment::weights::{Approximate, Approximation};
use qwd_core::Result;

/// Adds the documents of one segment that may be among the best.
pub(super) fn find(
    view: &View<'_>,
    plan: &Plan<'_>,
    probe: &Probe,
    groups: Option<usize>,
    scratch: &mut Scratch,
    candidates: &mut Candidates,
) -> Result<()> {
    let n_docs = view.segment.n_docs();
    let container = view.segment.container();
    let (codes, scales) = (container.section(CODES)?, container.section(SCALES)?);
    if codes.len() != n_docs * probe.rank() || scales.len() != 8 * n_docs {
        return Err(container.damaged(CODES, "it has another size than its documents ask for"));
    }
    scratch.sums.resize(n_docs.max(scratch.sums.len()), 0.0);
    let sums = &mut scratch.sums[..n_docs];
    match view.segment.approximation() {
        Approximation::Tabled(a) => add_lists(a, plan, sums),
        Approximation::Saturating(a) => add_lists(a, plan, sums),
        Approximation::Valued(a) => add_lists(a, plan, sums),
    }
    let of_sums = candidates.error();
    // The k-th best of what documents score at least: whoever cannot reach it is out.
    let mut found = Vec::new();
    let some = match groups {
        Some(n) => clusters::nearest_documents(container, probe, n)?.map(|near| with_sparse_part(near, sums)),
        None => None,
    };
    let look = |doc: usize, latent: f32, error: f32| {
        let (score, error) = (latent + sums[doc], error + of_sums);
        if view.allows(doc as u32) && score + error >= candidates.floor() {
            candidates.note(score - error);
            found.push((doc as u32, score + error));
        }
    };
    match &some {
        Some(docs) => probe.scan_some(docs, codes, scales, look),
        None => probe.scan(codes, scales, look),
    }
    for (doc, most) in found {
        if most >= candidates.floor() {
            candidates.keep(view.number, doc, most);
        }
    }
    sums.fill(0.0);
    Ok(())
}

/// Near documents and those with a sparse part, in order.
fn with_sparse_part(mut near: Vec<u32>, sums: &[f32]) -> Vec<u32> {
    near.extend((0u32..).zip(sums).filter(|(_, sum)| **sum != 0.0).map(|(doc, _)| doc));
    near.sort_unstable();
    near.dedup();
    near
}

fn add_lists<A: Approximate>(a: &A, plan: &Plan<'_>, sums: &mut [f32]) {
    for term in &plan.terms {
        let mut add = |doc: u32, payload: u32| {
            if let Some(sum) = sums.get_mut(doc as usize) {
                *sum += a.finish(doc as usize, term.coefficient * a.part(payload, doc as usize));
            }
        };
        match A::VALUES {
            true => term.list.for_each::<true>(&mut add),
            false => term.list.for_each::<false>(&mut add),
        }
    }
}
