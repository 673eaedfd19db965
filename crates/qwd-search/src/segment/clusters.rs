//! Documents that lie near each other in the latent space, so that a query may look at the nearest few groups alone.
//!
//! An answer by groups is approximate: a document of a group that was not looked at is missed, unless it shares a word with
//! the query. What is found is scored exactly all the same. Groups are those of k-means, about √n of them, from a fixed seed:
//! the same documents give the same bytes. Segments of a build without the feature `approximate` have none, and are
//! scanned whole.

use super::container::{Container, u32_at};
use super::projections::Probe;
use qwd_core::{Result, Rng};

pub(crate) const SECTION: &str = "clusters";

/// Fewer documents are scanned as fast.
const LEAST_DOCUMENTS: usize = 256;
/// Centres move so often.
const ROUNDS: usize = 6;
/// Centres are learned from so many documents each, at most.
const SAMPLE_OF_CENTRE: usize = 64;

/// The section of the groups of documents, `rank` numbers each: how many, the centres, where each group begins, its documents.
pub(crate) fn encode(numbers: &[f32], rank: usize) -> Option<(&'static str, Vec<u8>)> {
    let n_documents = numbers.len().checked_div(rank).unwrap_or(0);
    if n_documents < LEAST_DOCUMENTS {
        return None;
    }
    let row = |document: usize| &numbers[document * rank..][..rank];
    let n_centres = (n_documents as f64).sqrt() as usize;
    let mut rng = Rng::new(1);
    let mut sample: Vec<usize> = (0..n_documents).collect();
    rng.shuffle(&mut sample);
    sample.truncate(SAMPLE_OF_CENTRE * n_centres);
    let mut centres: Vec<f32> = sample[..n_centres].iter().flat_map(|&document| row(document)).copied().collect();
    for _ in 0..ROUNDS {
        let (mut sums, mut counts) = (vec![0.0f64; n_centres * rank], vec![0u32; n_centres]);
        for &document in &sample {
            let nearest = nearest(&centres, row(document));
            counts[nearest] += 1;
            sums[nearest * rank..][..rank].iter_mut().zip(row(document)).for_each(|(sum, &x)| *sum += f64::from(x));
        }
        for (centre, (sum, &n)) in centres.chunks_exact_mut(rank).zip(sums.chunks_exact(rank).zip(&counts)) {
            if n > 0 {
                centre.iter_mut().zip(sum).for_each(|(x, &sum)| *x = (sum / f64::from(n)) as f32);
            }
        }
    }
    let mut groups = vec![Vec::new(); n_centres];
    (0..n_documents).for_each(|document| groups[nearest(&centres, row(document))].push(document as u32));
    let mut bytes = (n_centres as u32).to_le_bytes().to_vec();
    bytes.extend(centres.iter().flat_map(|x| x.to_le_bytes()));
    let mut start = 0u32;
    for group in &groups {
        bytes.extend(start.to_le_bytes());
        start += group.len() as u32;
    }
    bytes.extend(start.to_le_bytes());
    bytes.extend(groups.iter().flatten().flat_map(|document| document.to_le_bytes()));
    Some((SECTION, bytes))
}

/// The centre at the least distance.
fn nearest(centres: &[f32], x: &[f32]) -> usize {
    let distance = |centre: &[f32]| centre.iter().zip(x).map(|(c, x)| (c - x) * (c - x)).sum::<f32>();
    let distances = centres.chunks_exact(x.len()).map(distance).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at)
}

/// The documents of the `n_groups` groups whose centres score highest; `None` where there are no groups.
pub(crate) fn nearest_documents(container: &Container, probe: &Probe, n_groups: usize) -> Result<Option<Vec<u32>>> {
    if !container.sections().any(|(name, _)| name == SECTION) {
        return Ok(None);
    }
    let bytes = container.section(SECTION)?;
    let damaged = || container.damaged(SECTION, "its parts do not fit together");
    let n_centres = u32_at(bytes, 0).ok_or_else(damaged)? as usize;
    let row = 4 * probe.rank();
    let centres = bytes.get(4..4 + n_centres.saturating_mul(row)).ok_or_else(damaged)?;
    let mut by_score: Vec<(f64, usize)> = centres.chunks_exact(row).map(|c| probe.inner_product(c)).zip(0..).collect();
    by_score.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let starts = 4 + n_centres * row;
    let documents = starts + 4 * (n_centres + 1);
    let mut found = Vec::new();
    for &(_, centre) in by_score.iter().take(n_groups) {
        let start = |centre: usize| u32_at(bytes, starts + 4 * centre).map(|at| documents + 4 * at as usize);
        let (from, to) = (start(centre).ok_or_else(damaged)?, start(centre + 1).ok_or_else(damaged)?);
        let group = bytes.get(from..to).ok_or_else(damaged)?;
        found.extend(group.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)));
    }
    found.sort_unstable();
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hold_every_document_once_and_few_documents_have_none() {
        let rank = 3;
        let mut rng = Rng::new(7);
        let numbers: Vec<f32> = (0..1000 * rank).map(|_| rng.unit() as f32).collect();
        let (_, bytes) = encode(&numbers, rank).expect("groups");
        let n_centres = u32_at(&bytes, 0).expect("a number") as usize;
        assert_eq!(n_centres, 31);
        let documents = &bytes[4 + 4 * n_centres * rank + 4 * (n_centres + 1)..];
        let mut all: Vec<u32> = documents.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<u32>>());
        assert_eq!(encode(&numbers, rank).map(|s| s.1), Some(bytes), "the same bytes");
        assert!(encode(&numbers[..255 * rank], rank).is_none());
    }
}
