//! Several segments to one, without the documents that were deleted; the texts need not be read anew.

use super::build::{About, Lists};
use super::weights::Recipe;
use super::{LENGTHS, NORMS, Segment, fields, projections, stored, terms};
use qwd_core::Result;
use roaring::RoaringBitmap;

/// A segment with its deleted documents.
pub(crate) type Part<'a> = (&'a Segment, &'a RoaringBitmap);

/// The bytes of the merged segment: documents in the order of the parts.
pub(crate) fn merge(parts: &[Part<'_>], recipe: Option<&Recipe>, rank: usize) -> Result<Vec<u8>> {
    let mut about = About::default();
    let mut numbers = Vec::new();
    for (segment, deleted) in parts {
        numbers.push(take_documents(segment, deleted, &mut about)?);
    }
    let mut of_parts = Vec::new();
    for (segment, _) in parts {
        let container = segment.container();
        let terms = terms::all(container.section(terms::SECTION)?, segment.meta().n_terms as usize);
        of_parts.extend(terms.map_err(|what| container.damaged(terms::SECTION, what))?);
    }
    of_parts.sort_unstable();
    of_parts.dedup();
    let mut lists = Lists::new(about.ids.len(), recipe);
    let (mut docs, mut payloads) = (Vec::new(), Vec::new());
    for term in of_parts {
        docs.clear();
        payloads.clear();
        for ((segment, _), numbers) in parts.iter().zip(&numbers) {
            let Some(entry) = segment.entry(term)? else { continue };
            let list = segment.list(&entry)?;
            let mut take = |doc: u32, payload: u32| {
                if let Some(&Some(number)) = numbers.get(doc as usize) {
                    docs.push(number);
                    payloads.push(payload);
                }
            };
            match segment.meta().values {
                true => list.for_each::<true>(&mut take),
                false => list.for_each::<false>(&mut take),
            }
        }
        if !docs.windows(2).all(|w| w[0] < w[1]) {
            return Err(parts[0].0.container().damaged(super::POSTINGS, "the documents of a term are out of order"));
        }
        lists.push(term, &docs, &payloads, &about);
    }
    lists.finish(about, rank)
}

/// Copies what is kept of a segment's living documents; returns the new number of each.
fn take_documents(segment: &Segment, deleted: &RoaringBitmap, about: &mut About) -> Result<Vec<Option<u32>>> {
    let container = segment.container();
    let lengths = container.section(LENGTHS)?.as_chunks::<4>().0;
    let norms = container.section(NORMS)?.as_chunks::<8>().0;
    let row = segment.meta().rank as usize;
    let projected = if row > 0 { container.section(projections::NUMBERS)? } else { &[] };
    let projected = projected.as_chunks::<4>().0;
    let mut numbers = vec![None; segment.n_docs()];
    stored::for_each(container, |doc, line| {
        if deleted.contains(doc) {
            return Ok(());
        }
        let at = doc as usize;
        let number = about.ids.len() as u32;
        let (Some(place), Some(length)) = (numbers.get_mut(at), lengths.get(at)) else {
            return Err(container.damaged(stored::BLOCKS, "it has too many documents"));
        };
        *place = Some(number);
        about.lengths.push(u32::from_le_bytes(*length));
        about.norms.push(norms.get(at).map_or(1.0, |norm| f64::from_le_bytes(*norm)));
        let of_document = projected.get(at * row..(at + 1) * row).unwrap_or(&[]);
        about.projections.extend(of_document.iter().map(|b| f32::from_le_bytes(*b)));
        about.stored.push(line)?;
        about.fields.push(number, fields::keys(&stored::parse(container, line)?));
        about.ids.push(segment.id(doc)?.to_string());
        Ok(())
    })?;
    Ok(numbers)
}
