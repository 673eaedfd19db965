//! The best documents by bounds of ranges.
//!
//! Sparse lists are short: those that matter are decoded and added up for every document. Dense lists know the greatest
//! weight in every range of 64 documents, so a range can score at most the best sum of sparse lists in it plus the greatest
//! weights of the dense ones. Ranges are opened from the highest bound down, until none can reach the k-th best.
//!
//! A term of negative weight adds nothing to a bound and is taken off when a range is opened, so signed queries are exact.
//! A sparse list that cannot lift a document over the k-th best by itself, nor together with its like, is not decoded: it
//! is looked up for the few documents that come near (the "non-essential" lists of MaxScore).

use super::candidates::Candidates;
use super::plan::{Plan, Term};
use super::{Scratch, Strategy, View};
use crate::segment::postings::{Dense, List, RANGE, Sparse, n_ranges};
use crate::segment::weights::{Approximate, Approximation, greatest};
use qwd_core::Result;
use qwd_core::top_k::{Scored, top_k};

/// So many of the highest ranges are opened before the others are sorted: they raise the floor, and most others drop out.
const FIRST_RANGES: usize = 48;

/// Of every so many ranges the first few are watched for whether they can be left before all lists are added; the others are
/// watched only if some could. Where none can, as in queries of thousands of terms, watching costs more than adding.
const PERIOD: usize = 64;
const TRIED: usize = 8;

/// Dense lists that are added before a range is looked at again.
const GROUP: usize = 4;

/// With more postings of sparse lists than this it pays to score some documents early.
const SEEDED: usize = 8192;

/// More lists than this are decoded, whether they matter or not: looking each of them up for a document costs more.
const MOST_LOOKED_UP: usize = 256;

/// So many documents are scored in full to know early which lists matter.
const MAX_SEEDS: usize = 16;

/// Adds the documents of one segment that may be among the best.
pub(super) fn find(
    view: &View<'_>,
    plan: &Plan<'_>,
    strategy: Strategy,
    scratch: &mut Scratch,
    candidates: &mut Candidates,
) -> Result<()> {
    if plan.terms.is_empty() {
        return Ok(());
    }
    let by_bounds = strategy != Strategy::Scan && !plan.has_no_bounds();
    let seeded = if strategy == Strategy::Bounds { RANGE } else { SEEDED };
    match view.segment.approximation() {
        Approximation::Tabled(a) => Finder::new(a, view, plan, seeded, scratch, candidates).run(by_bounds),
        Approximation::Saturating(a) => Finder::new(a, view, plan, seeded, scratch, candidates).run(by_bounds),
        Approximation::Valued(a) => Finder::new(a, view, plan, seeded, scratch, candidates).run(by_bounds),
    }
    Ok(())
}

struct Finder<'s, 'a, A> {
    a: &'s A,
    view: &'s View<'a>,
    plan: &'s Plan<'a>,
    /// With more postings of sparse lists than this, the strongest lists come first.
    seeded: usize,
    scratch: &'s mut Scratch,
    candidates: &'s mut Candidates,
    /// Dense lists, from the most that one can add down.
    dense: Vec<Opened<'a>>,
    /// Sparse lists that are looked up document by document, from the most that one can add down, and the most that they
    /// can add together.
    looked_up: Vec<LookedUp<'a>>,
    looked_up_bound: f32,
}

/// A dense list.
struct Opened<'a> {
    list: Dense<'a>,
    coefficient: f32,
    /// What one unit of its greatest weights can add, and the whole of them.
    scale: f32,
    bound: f32,
}

/// A list that is not decoded.
struct LookedUp<'a> {
    list: Sparse<'a>,
    coefficient: f32,
    bound: f32,
}

impl<'s, 'a, A: Approximate> Finder<'s, 'a, A> {
    fn new(
        a: &'s A,
        view: &'s View<'a>,
        plan: &'s Plan<'a>,
        seeded: usize,
        scratch: &'s mut Scratch,
        candidates: &'s mut Candidates,
    ) -> Self {
        let dense = plan.terms.iter().filter_map(|t| match t.list {
            // A dense list's byte is in 255ths of its greatest weight.
            List::Dense(list) => Some(Opened {
                list,
                coefficient: t.coefficient,
                scale: t.bound() / 255.0 * 1.000_001,
                bound: t.bound(),
            }),
            List::Sparse(_) => None,
        });
        let mut dense: Vec<Opened<'_>> = dense.collect();
        dense.sort_by(|a, b| b.bound.total_cmp(&a.bound));
        Self { a, view, plan, seeded, scratch, candidates, dense, looked_up: Vec::new(), looked_up_bound: 0.0 }
    }

    fn run(mut self, by_bounds: bool) {
        let n_ranges = n_ranges(self.view.segment.n_docs());
        self.scratch.sums.resize((n_ranges * RANGE).max(self.scratch.sums.len()), 0.0);
        self.scratch.bounds.resize(n_ranges.max(self.scratch.bounds.len()), 0.0);
        if by_bounds && self.view.allowed.is_none() {
            let reached = self.plan.reached_by(self.candidates.k());
            self.candidates.raise(reached * 0.999_999);
        }
        let essential = self.add_sparse_lists(by_bounds);
        if by_bounds {
            self.bound_ranges(n_ranges, &essential);
            self.open_best_ranges(n_ranges);
        } else {
            for range in 0..n_ranges {
                self.open(range, false);
            }
        }
        self.clear(n_ranges);
    }

    /// Which terms a document must have one of to be among the best.
    fn essential(&self) -> Vec<bool> {
        let mut order: Vec<(f32, usize)> = self.plan.terms.iter().map(Term::bound).zip(0..).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut essential = vec![true; self.plan.terms.len()];
        let (mut sum, floor) = (0.0, self.candidates.floor() - self.candidates.error());
        for (bound, i) in order {
            sum += bound;
            if sum >= floor {
                break;
            }
            essential[i] = false;
        }
        essential
    }

    /// Adds up the sparse lists that matter, and notes the others. With many postings to add, the strongest lists come
    /// first, and what their best documents score tells which of the others matter.
    fn add_sparse_lists(&mut self, by_bounds: bool) -> Vec<bool> {
        let plan = self.plan;
        let is_sparse = |t: &Term<'_>| matches!(t.list, List::Sparse(_));
        let mut order: Vec<usize> = (0..plan.terms.len()).filter(|&i| is_sparse(&plan.terms[i])).collect();
        let mut n_strong = 0;
        if by_bounds {
            order.sort_by(|&i, &j| plan.terms[j].bound().total_cmp(&plan.terms[i].bound()));
            let total: usize = order.iter().map(|&i| plan.terms[i].entry.df as usize).sum();
            // Seeds are looked up in all lists, which many lists do not pay back.
            if total > self.seeded && plan.terms.len() <= MOST_LOOKED_UP {
                while self.scratch.docs.len() < total / 4 && n_strong < order.len() {
                    self.add(&plan.terms[order[n_strong]]);
                    n_strong += 1;
                }
                self.raise_by_seeds(&order[n_strong..]);
            }
        }
        let mut essential = if by_bounds { self.essential() } else { vec![true; plan.terms.len()] };
        if order.iter().filter(|&&i| !essential[i]).count() > MOST_LOOKED_UP {
            order.iter().for_each(|&i| essential[i] = true);
        }
        for (at, &i) in order.iter().enumerate() {
            let term = &plan.terms[i];
            if at < n_strong {
                essential[i] = true;
            } else if essential[i] {
                self.add(term);
            } else if let List::Sparse(list) = term.list {
                let (coefficient, bound) = (term.coefficient, term.bound());
                self.looked_up.push(LookedUp { list, coefficient, bound });
                self.looked_up_bound += bound;
            }
        }
        self.looked_up.sort_by(|a, b| b.bound.total_cmp(&a.bound));
        essential
    }

    /// Adds a sparse list to the sums.
    fn add(&mut self, term: &Term<'_>) {
        let List::Sparse(list) = term.list else { return };
        let (a, coefficient) = (self.a, term.coefficient);
        let Scratch { sums, docs, .. } = &mut *self.scratch;
        let sums = &mut sums[..self.view.segment.n_docs()];
        docs.reserve(list.len());
        let mut add = |doc: u32, payload: u32| {
            if let Some(sum) = sums.get_mut(doc as usize) {
                *sum += coefficient * a.part(payload, doc as usize);
                docs.push(doc);
            }
        };
        match A::VALUES {
            true => list.for_each::<true>(&mut add),
            false => list.for_each::<false>(&mut add),
        }
    }

    /// Scores the documents with the highest sums so far in full; the k-th best of them is a score that k documents reach.
    fn raise_by_seeds(&mut self, not_added: &[usize]) {
        let k = self.candidates.k();
        if k > MAX_SEEDS {
            return;
        }
        let sums = &self.scratch.sums;
        let score = |doc: u32| Scored { item: doc, score: self.a.finish(doc as usize, sums[doc as usize]) };
        let mut seeds =
            top_k(self.scratch.docs.iter().filter(|&&doc| self.view.allows(doc)).map(|&doc| score(doc)), 4 * MAX_SEEDS);
        seeds.dedup_by_key(|seed| seed.item);
        seeds.truncate(MAX_SEEDS);
        if seeds.len() < k {
            return;
        }
        let dense = self.plan.terms.iter().filter(|t| matches!(t.list, List::Dense(_)));
        let lists: Vec<&Term<'_>> = dense.chain(not_added.iter().map(|&i| &self.plan.terms[i])).collect();
        let mut scores: Vec<f32> =
            seeds.iter().map(|seed| lists.iter().fold(seed.score, |sum, t| sum + self.part_of(t, seed.item))).collect();
        scores.sort_unstable_by(|a, b| b.total_cmp(a));
        self.candidates.raise(scores[k - 1]);
    }

    /// What a term gives to the score of one document.
    fn part_of(&self, term: &Term<'_>, doc: u32) -> f32 {
        let payload = match A::VALUES {
            true => term.list.find::<true>(doc),
            false => term.list.find::<false>(doc),
        };
        payload.map_or(0.0, |p| self.a.finish(doc as usize, term.coefficient * self.a.part(p, doc as usize)))
    }

    /// Gathers the ranges that may hold one of the best, with their bounds.
    fn bound_ranges(&mut self, n_ranges: usize, essential: &[bool]) {
        let Scratch { sums, bounds, docs, ranges, touched, .. } = &mut *self.scratch;
        for &doc in docs.iter() {
            let score = self.a.finish(doc as usize, sums[doc as usize]);
            let range = doc as usize / RANGE;
            if score > bounds[range] {
                if bounds[range] == 0.0 {
                    touched.push(range as u32);
                }
                bounds[range] = score;
            }
        }
        let is_dense = |t: &Term<'_>| matches!(t.list, List::Dense(_));
        let least = self.candidates.floor() - self.looked_up_bound - self.candidates.error();
        let positive = self.dense.iter().filter(|o| o.bound > 0.0).map(|o| (o.list, o.scale));
        ranges.clear();
        if self.plan.terms.iter().zip(essential).any(|(t, &e)| e && t.query > 0.0 && is_dense(t)) {
            let bounds = &mut bounds[..n_ranges];
            for (list, scale) in positive {
                add_bytes(bounds, list.maxima, scale);
            }
            let high = (0u32..).zip(bounds.iter()).filter(|&(_, &bound)| bound >= least);
            ranges.extend(high.map(|(range, &bound)| (bound, range)));
            bounds.fill(0.0);
        } else {
            let positive: Vec<(Dense<'_>, f32)> = positive.collect();
            for &range in touched.iter() {
                let at = |&(list, scale): &(Dense<'_>, f32)| {
                    scale * f32::from(list.maxima.get(range as usize).copied().unwrap_or(0))
                };
                let bound = bounds[range as usize] + positive.iter().map(at).sum::<f32>();
                bounds[range as usize] = 0.0;
                if bound >= least {
                    ranges.push((bound, range));
                }
            }
        }
        touched.clear();
    }

    /// Opens ranges from the highest bound down.
    fn open_best_ranges(&mut self, n_ranges: usize) {
        let mut ranges = std::mem::take(&mut self.scratch.ranges);
        if ranges.len() > 2 * FIRST_RANGES {
            ranges.select_nth_unstable_by(FIRST_RANGES, |a, b| b.0.total_cmp(&a.0));
            ranges[..FIRST_RANGES].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            for &(bound, range) in &ranges[..FIRST_RANGES] {
                if bound < self.least_bound() {
                    break;
                }
                self.open(range as usize, true);
            }
            ranges.drain(..FIRST_RANGES);
            let least = self.least_bound();
            ranges.retain(|&(bound, _)| bound >= least);
        }
        if ranges.len() > n_ranges / 2 {
            // Most must be opened anyway: in their order, lists are read from front to back.
            ranges.sort_unstable_by_key(|&(_, range)| range);
        } else {
            ranges.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        }
        let mut n_left = 0;
        for (i, &(bound, range)) in ranges.iter().enumerate() {
            if i % PERIOD == 0 {
                n_left = 0;
            }
            if bound >= self.least_bound() {
                let watched = i % PERIOD < TRIED || n_left >= TRIED / 4;
                n_left += usize::from(self.open(range as usize, watched));
            }
        }
        ranges.clear();
        self.scratch.ranges = ranges;
    }

    /// The least bound of a range that is worth opening.
    fn least_bound(&self) -> f32 {
        self.candidates.floor() - self.looked_up_bound - self.candidates.error()
    }

    /// Scores the documents of a range; if it is watched, as long as one of them can still be good enough. Returns whether it was
    /// left before the end.
    #[inline]
    fn open(&mut self, range: usize, watched: bool) -> bool {
        let mask = match self.view.allowed {
            None => u64::MAX,
            Some(words) => words.get(range).copied().unwrap_or(0),
        };
        if mask == 0 {
            return false;
        }
        let first = range * RANGE;
        let mut sums = [0.0f32; RANGE];
        sums.copy_from_slice(&self.scratch.sums[first..first + RANGE]);
        let least = self.candidates.floor() - self.looked_up_bound;
        let bound = |o: &Opened<'_>| o.scale * f32::from(o.list.maxima.get(range).copied().unwrap_or(0));
        let mut rest = if watched { self.dense.iter().map(bound).sum::<f32>() } else { 0.0 };
        for group in self.dense.chunks(GROUP) {
            if watched && self.a.greatest(first, &sums) + rest < least - self.candidates.error() {
                return true;
            }
            for Opened { list, coefficient, .. } in group {
                let add = |place: usize, payload: u32| sums[place] += coefficient * self.a.part(payload, first + place);
                match A::VALUES {
                    true => list.for_each::<true>(range, add),
                    false => list.for_each::<false>(range, add),
                }
            }
            if watched {
                rest -= group.iter().map(bound).sum::<f32>();
            }
        }
        self.a.finish_range(first, &mut sums);
        if greatest(&sums) < least {
            return false;
        }
        for (place, &sum) in sums.iter().enumerate() {
            if sum >= self.candidates.floor() - self.looked_up_bound && mask >> place & 1 == 1 {
                self.propose(first + place, sum);
            }
        }
        false
    }

    /// Adds what was not decoded, and proposes a document that is still good enough.
    fn propose(&mut self, doc: usize, sum: f32) {
        let (mut score, mut rest) = (sum, self.looked_up_bound);
        for LookedUp { list, coefficient, bound } in &self.looked_up {
            if score + rest < self.candidates.floor() - self.candidates.error() {
                return;
            }
            rest -= bound;
            let payload = match A::VALUES {
                true => list.find::<true>(doc as u32),
                false => list.find::<false>(doc as u32),
            };
            if let Some(payload) = payload {
                score += self.a.finish(doc, coefficient * self.a.part(payload, doc));
            }
        }
        if score >= self.candidates.floor() && doc < self.view.segment.n_docs() {
            self.candidates.push(self.view.number, doc as u32, score);
        }
    }

    /// Leaves the scratch memory as it was found.
    fn clear(self, n_ranges: usize) {
        let Scratch { sums, docs, .. } = self.scratch;
        if docs.len() > n_ranges * 8 {
            sums[..n_ranges * RANGE].fill(0.0);
        } else {
            docs.iter().for_each(|&doc| sums[doc as usize] = 0.0);
        }
        docs.clear();
    }
}

/// Adds bytes, scaled, to the bounds of all ranges.
fn add_bytes(bounds: &mut [f32], bytes: &[u8], scale: f32) {
    for (bound, &byte) in bounds.iter_mut().zip(bytes) {
        *bound += scale * f32::from(byte);
    }
}
