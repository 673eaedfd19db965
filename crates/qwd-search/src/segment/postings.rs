//! Posting lists: which documents have a term, how often (or with what weight), and bounds that let a search pass over most
//! of them.
//!
//! Documents stand in ranges of [`RANGE`] = 64. A term in at least one of every [`DENSE_SHARE`] documents has a *dense*
//! list: for every range the greatest weight (one byte, rounded up) and where its postings begin, then the postings, a byte
//! each for most: six bits of place in the range and two of count. Other terms have *sparse* lists: differences of document
//! numbers with the same two bits, in bytes of seven bits, with a skip every [`SKIP`] postings. A count above 3 follows in
//! bytes of its own; where postings carry weights in place of counts, the four bytes of an `f32` follow each.
//!
//! Reading never trusts the bytes: what does not fit ends the list.

use super::container::u32_at;

/// Documents in a range.
pub(crate) const RANGE: usize = 64;

/// Lists of at least every so manieth document are dense. Fewer dense lists make the index smaller (at 32, by a third) and
/// queries slower (twice and more): what is sparse is decoded whole.
const DENSE_SHARE: u64 = 256;

/// Ranges that share the upper half of their offsets: 64 ranges of 64 postings of at most 6 bytes stay below 2¹⁶.
const SUPER: usize = 64;

/// Postings between two skips of a sparse list.
const SKIP: usize = 128;

/// The bytes of a skip: the last document before it, and where the next posting begins.
const SKIP_BYTES: usize = 8;

/// How many ranges so many documents have.
pub(crate) fn n_ranges(n_docs: usize) -> usize {
    n_docs.div_ceil(RANGE)
}

/// Whether a term in `df` of `n_docs` documents has a dense list.
pub(crate) fn is_dense(df: usize, n_docs: usize) -> bool {
    df as u64 * DENSE_SHARE >= n_docs as u64 && n_docs >= RANGE
}

/// A posting list, borrowed from its segment.
#[derive(Debug, Clone, Copy)]
pub(crate) enum List<'a> {
    Dense(Dense<'a>),
    Sparse(Sparse<'a>),
}

/// A list with an entry for every range.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dense<'a> {
    /// For every range, its greatest weight in 255ths of the list's, rounded up; 0 where no weight is above 0.
    pub(crate) maxima: &'a [u8],
    supers: &'a [[u8; 4]],
    offsets: &'a [[u8; 2]],
    postings: &'a [u8],
}

/// A list of few documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sparse<'a> {
    n: usize,
    skips: &'a [u8],
    postings: &'a [u8],
}

impl<'a> List<'a> {
    /// Finds the parts of a list of `df` documents; `None` where the bytes cannot be such a list.
    pub(crate) fn new(bytes: &'a [u8], df: usize, n_docs: usize) -> Option<Self> {
        if is_dense(df, n_docs) {
            let n = n_ranges(n_docs);
            let (maxima, rest) = bytes.split_at_checked(n)?;
            let (supers, rest) = rest.split_at_checked(4 * (n + 1).div_ceil(SUPER))?;
            let (offsets, postings) = rest.split_at_checked(2 * (n + 1))?;
            let (supers, offsets) = (supers.as_chunks().0, offsets.as_chunks().0);
            return Some(Self::Dense(Dense { maxima, supers, offsets, postings }));
        }
        let (skips, postings) = bytes.split_at_checked(SKIP_BYTES * (df.max(1) - 1).div_euclid(SKIP))?;
        Some(Self::Sparse(Sparse { n: df, skips, postings }))
    }

    /// Shows every posting in order of the documents.
    pub(crate) fn for_each<const VALUES: bool>(&self, mut show: impl FnMut(u32, u32)) {
        match self {
            Self::Sparse(sparse) => sparse.for_each::<VALUES>(show),
            Self::Dense(dense) => {
                for range in 0..dense.maxima.len() {
                    let first = (range * RANGE) as u32;
                    dense.for_each::<VALUES>(range, |place, payload| show(first + place as u32, payload));
                }
            }
        }
    }

    /// The payload of one document.
    pub(crate) fn find<const VALUES: bool>(&self, doc: u32) -> Option<u32> {
        match self {
            Self::Sparse(sparse) => sparse.find::<VALUES>(doc),
            Self::Dense(dense) => dense.find::<VALUES>(doc),
        }
    }
}

impl<'a> Dense<'a> {
    /// Shows the postings of a range: places 0 to 63 and payloads.
    #[inline(always)]
    pub(crate) fn for_each<const VALUES: bool>(&self, range: usize, mut show: impl FnMut(usize, u32)) {
        let bytes = self.range(range);
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            let payload = payload::<VALUES>(u32::from(byte & 3), bytes, &mut at);
            show(usize::from(byte >> 2), payload);
        }
    }

    #[inline]
    fn range(&self, range: usize) -> &'a [u8] {
        let (from, to) = (self.offset(range), self.offset(range + 1));
        self.postings.get(from..to).unwrap_or(&[])
    }

    #[inline]
    fn offset(&self, range: usize) -> usize {
        let upper = self.supers.get(range / SUPER).map_or(0, |b| u32::from_le_bytes(*b));
        let lower = self.offsets.get(range).map_or(0, |b| u16::from_le_bytes(*b));
        upper as usize + usize::from(lower)
    }

    fn find<const VALUES: bool>(&self, doc: u32) -> Option<u32> {
        let (range, wanted) = (doc as usize / RANGE, doc as usize % RANGE);
        let mut found = None;
        self.for_each::<VALUES>(range, |place, payload| {
            if place == wanted {
                found = Some(payload);
            }
        });
        found
    }
}

impl Sparse<'_> {
    /// How many postings there are.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Shows every posting in order.
    #[inline(always)]
    pub(crate) fn for_each<const VALUES: bool>(&self, mut show: impl FnMut(u32, u32)) {
        read_run::<VALUES>(self.postings, 0, 0, self.n, |doc, payload| {
            show(doc, payload);
            true
        });
    }

    /// The payload of one document: a search among the skips, then a walk.
    pub(crate) fn find<const VALUES: bool>(&self, doc: u32) -> Option<u32> {
        let skip = |i: usize| u32_at(self.skips, i * SKIP_BYTES).unwrap_or(u32::MAX);
        let (mut low, mut high) = (0, self.skips.len() / SKIP_BYTES);
        while low < high {
            let middle = (low + high) / 2;
            if skip(middle) < doc { low = middle + 1 } else { high = middle }
        }
        let (before, at) = match low.checked_sub(1) {
            None => (0, 0),
            Some(i) => (skip(i).wrapping_add(1), u32_at(self.skips, i * SKIP_BYTES + 4)? as usize),
        };
        let mut found = None;
        read_run::<VALUES>(self.postings, at, before, SKIP.min(self.n - low * SKIP), |d, payload| {
            if d == doc {
                found = Some(payload);
            }
            d < doc
        });
        found
    }
}

/// Reads up to `n` postings from a place on, while `show` wants more; `next` is the least document that can come.
#[inline(always)]
fn read_run<const VALUES: bool>(
    bytes: &[u8],
    mut at: usize,
    mut next: u32,
    n: usize,
    mut show: impl FnMut(u32, u32) -> bool,
) {
    for _ in 0..n {
        let Some(number) = varint(bytes, &mut at) else { return };
        let doc = next.wrapping_add(number >> 2);
        let payload = payload::<VALUES>(number & 3, bytes, &mut at);
        if !show(doc, payload) {
            return;
        }
        next = doc.wrapping_add(1);
    }
}

#[inline(always)]
fn payload<const VALUES: bool>(code: u32, bytes: &[u8], at: &mut usize) -> u32 {
    if VALUES {
        let bits = u32_at(bytes, *at).unwrap_or(0);
        *at += 4;
        return bits;
    }
    if code > 0 { code } else { varint(bytes, at).unwrap_or(0) }
}

/// A number in bytes of seven bits, the lowest first; the eighth bit says that more follow.
#[inline(always)]
fn varint(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let first = *bytes.get(*at)?;
    *at += 1;
    if first < 128 {
        return Some(u32::from(first));
    }
    let second = *bytes.get(*at)?;
    *at += 1;
    let low = u32::from(first & 127) | u32::from(second & 127) << 7;
    if second < 128 {
        return Some(low);
    }
    let mut number = low;
    for shift in [14, 21, 28] {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u32::from(byte & 127) << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

fn push_varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

fn code<const VALUES: bool>(payload: u32) -> u32 {
    if !VALUES && payload <= 3 { payload } else { 0 }
}

fn push_payload<const VALUES: bool>(out: &mut Vec<u8>, payload: u32) {
    if VALUES {
        out.extend_from_slice(&payload.to_le_bytes());
    } else if payload > 3 {
        push_varint(out, payload);
    }
}

/// Writes a list: documents strictly rising, as many payloads (counts of at least 1, or bits of weights) and weights.
pub(crate) fn encode<const VALUES: bool>(
    docs: &[u32],
    payloads: &[u32],
    weights: &[f32],
    n_docs: usize,
    out: &mut Vec<u8>,
) {
    if is_dense(docs.len(), n_docs) {
        encode_dense::<VALUES>(docs, payloads, weights, n_docs, out);
    } else {
        encode_sparse::<VALUES>(docs, payloads, out);
    }
}

fn encode_dense<const VALUES: bool>(docs: &[u32], payloads: &[u32], weights: &[f32], n_docs: usize, out: &mut Vec<u8>) {
    let max = weights.iter().fold(0.0f32, |a, &b| a.max(b));
    let n = n_ranges(n_docs);
    let (mut supers, mut offsets, mut postings) = (Vec::new(), Vec::with_capacity(2 * n + 2), Vec::new());
    let (mut at, mut start) = (0, 0usize);
    for range in 0..=n {
        if range % SUPER == 0 {
            start = postings.len();
            supers.extend_from_slice(&(start as u32).to_le_bytes());
        }
        offsets.extend_from_slice(&((postings.len() - start) as u16).to_le_bytes());
        if range == n {
            break;
        }
        let mut greatest = 0.0f32;
        while let Some(&doc) = docs.get(at).filter(|&&doc| doc as usize / RANGE == range) {
            postings.push(((doc as usize % RANGE) as u8) << 2 | code::<VALUES>(payloads[at]) as u8);
            push_payload::<VALUES>(&mut postings, payloads[at]);
            greatest = greatest.max(weights[at]);
            at += 1;
        }
        out.push(rounded_up(greatest, max));
    }
    out.extend_from_slice(&supers);
    out.extend_from_slice(&offsets);
    out.extend_from_slice(&postings);
}

/// A weight in 255ths of the greatest, never less than it is.
fn rounded_up(weight: f32, max: f32) -> u8 {
    if weight <= 0.0 {
        return 0;
    }
    (f64::from(weight) / f64::from(max) * 255.0).ceil().min(255.0) as u8
}

fn encode_sparse<const VALUES: bool>(docs: &[u32], payloads: &[u32], out: &mut Vec<u8>) {
    let (mut skips, mut postings) = (Vec::new(), Vec::new());
    let mut next = 0;
    for (i, (&doc, &payload)) in docs.iter().zip(payloads).enumerate() {
        if i > 0 && i % SKIP == 0 {
            skips.extend_from_slice(&(next - 1u32).to_le_bytes());
            skips.extend_from_slice(&(postings.len() as u32).to_le_bytes());
        }
        push_varint(&mut postings, (doc - next) << 2 | code::<VALUES>(payload));
        push_payload::<VALUES>(&mut postings, payload);
        next = doc + 1;
    }
    out.extend_from_slice(&skips);
    out.extend_from_slice(&postings);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn check<const VALUES: bool>(postings: &BTreeMap<u32, u32>, n_docs: usize) {
        let (docs, payloads): (Vec<u32>, Vec<u32>) = postings.iter().unzip();
        let weights: Vec<f32> = payloads.iter().map(|&p| p as f32).collect();
        let mut bytes = Vec::new();
        encode::<VALUES>(&docs, &payloads, &weights, n_docs, &mut bytes);
        let list = List::new(&bytes, docs.len(), n_docs).expect("a list");
        let mut read = Vec::new();
        list.for_each::<VALUES>(|doc, payload| read.push((doc, payload)));
        assert_eq!(read, postings.iter().map(|(&d, &p)| (d, p)).collect::<Vec<_>>());
        for doc in 0..n_docs as u32 {
            assert_eq!(list.find::<VALUES>(doc), postings.get(&doc).copied());
        }
        if let List::Dense(dense) = list {
            let max = weights.iter().fold(0.0f32, |a, &b| a.max(b));
            for (&doc, &payload) in postings {
                let bound = f64::from(dense.maxima[doc as usize / RANGE]) * f64::from(max) / 255.0;
                assert!(bound * 1.000001 >= f64::from(payload), "{bound} {payload}");
            }
        }
    }

    proptest! {
        #[test]
        fn lists_come_back(
            postings in proptest::collection::btree_map(0u32..2000, 1u32..9, 0..400),
            wide in proptest::collection::btree_map(0u32..2_000, 1u32..u32::MAX, 1..4),
        ) {
            check::<false>(&postings, 2000);
            check::<true>(&postings, 2000);
            check::<false>(&wide, 2000);
            check::<true>(&wide, 2000);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), df in 0usize..300) {
            for n_docs in [10, 100, 5000] {
                if let Some(list) = List::new(&bytes, df, n_docs) {
                    let mut n = 0;
                    list.for_each::<false>(|_, _| n += 1);
                    list.for_each::<true>(|_, _| n += 1);
                    for doc in [0, 63, 64, 4999, u32::MAX] {
                        list.find::<false>(doc);
                        list.find::<true>(doc);
                    }
                }
            }
        }
    }
}
