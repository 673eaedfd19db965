//! All pairs of a query's documents with different grades, without writing them down: sums over pairs in O(n log n).
//!
//! With s the scores, m the margin, and a pair (i, j) for every two documents of one query with grade i > grade j:
//!
//! loss = Σ max(0, m − (s_i − s_j))²,   ½ ∂loss/∂s_i = −Σ_j max(0, …),   ½ ∂loss/∂s_j = Σ_i max(0, …)
//!
//! Sorted by score, the violated partners of each document are a prefix, and as one walks along the list the prefix only
//! grows: a count and a few running sums of the partners give every total. One sort and one walk per grade,
//! O(n (log n + grades)) time and O(n) memory per query (the idea: Joachims, KDD 2006, for the hinge; Airola, Pahikkala
//! and Salakoski, *Pattern Recognition Letters* 2011, and Lee and Lin, *Neural Computation* 2014, for its square). In a
//! short list comparing costs less than sorting: where the pairs are fewer than [`SORT_FACTOR`]·n·log₂n they are visited
//! one by one, in order, still without memory.
//!
//! Queries are gathered into chunks by their sizes alone and added up in order: the same bytes at any number of threads.

use crate::feature_set::FeatureSet;
use crate::pair_sums::Work;
use qwd_core::{Result, Threads};

/// How many comparisons cost as much as one document's part of a sort, per binary digit of the length.
const SORT_FACTOR: f64 = 6.0;

/// The number of documents from which on a chunk of queries is full.
const CHUNK_DOCUMENTS: usize = 4096;

/// The pairs of a feature set.
#[derive(Debug)]
pub(crate) struct Pairs {
    chunks: Vec<Chunk>,
    n_documents: usize,
    n_pairs: u64,
}

/// Neighbouring queries, worked off together.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// The documents of the chunk, by row.
    pub(crate) rows: std::ops::Range<usize>,
    lists: Vec<List>,
    /// The documents that are in pairs, query by query, each query's by ascending grade; relative to `rows`.
    pub(crate) documents: Vec<u32>,
}

/// The documents of one query with two grades or more.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) documents: std::ops::Range<usize>,
    /// Where each grade but the lowest begins, relative to the list's beginning.
    grade_starts: Vec<usize>,
    pub(crate) by_sorting: bool,
}

/// The slope and curvature of ½ loss along a direction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Along {
    pub(crate) slope: f64,
    pub(crate) curvature: f64,
}

impl Pairs {
    /// Finds the pairs of a set; a set without any is refused.
    pub(crate) fn new(set: &FeatureSet) -> Result<Self> {
        Self::with_sorting(set, None)
    }

    fn with_sorting(set: &FeatureSet, always: Option<bool>) -> Result<Self> {
        set.expect_order()?;
        let mut pairs = Self { chunks: Vec::new(), n_documents: set.n_documents(), n_pairs: 0 };
        let mut chunk = Chunk::default();
        for query in set.queries() {
            let start = chunk.rows.start;
            let n_pairs = chunk.add(&set.grades()[query.clone()], query.start - start, always);
            pairs.n_pairs += n_pairs;
            chunk.rows.end = query.end;
            if chunk.rows.len() >= CHUNK_DOCUMENTS {
                pairs.chunks.push(std::mem::take(&mut chunk));
                chunk.rows = query.end..query.end;
            }
        }
        pairs.chunks.push(chunk);
        Ok(pairs)
    }

    /// The number of pairs. Symbol: p.
    pub(crate) fn n_pairs(&self) -> f64 {
        self.n_pairs as f64
    }

    /// Sets each document's ½ ∂loss/∂s, and returns the loss.
    pub(crate) fn gradient(&self, scores: &[f64], margin: f64, gradient: &mut [f64], threads: &Threads) -> f64 {
        self.each_chunk(gradient, threads, |chunk, out| {
            let mut work = Work::default();
            chunk.lists.iter().map(|list| work.gradient(chunk, list, scores, margin, out)).sum()
        })
    }

    /// The slope and curvature of ½ loss at the scores `s + step · direction`.
    pub(crate) fn along(&self, scores: &[f64], direction: &[f64], step: f64, margin: f64, threads: &Threads) -> Along {
        let parts = threads.map(self.chunks.len(), |at| {
            let chunk = &self.chunks[at];
            let mut work = Work::default();
            chunk.lists.iter().fold(Along::default(), |sum, list| {
                let part = work.along(chunk, list, scores, direction, step, margin);
                Along { slope: sum.slope + part.slope, curvature: sum.curvature + part.curvature }
            })
        });
        parts.into_iter().fold(Along::default(), |sum, part| Along {
            slope: sum.slope + part.slope,
            curvature: sum.curvature + part.curvature,
        })
    }

    /// Sets each document's part of ½ (∂²loss/∂s²) · direction, over the pairs that miss the margin at `scores`.
    pub(crate) fn curvature_product(
        &self,
        scores: &[f64],
        direction: &[f64],
        margin: f64,
        product: &mut [f64],
        threads: &Threads,
    ) {
        self.each_chunk(product, threads, |chunk, out| {
            let mut work = Work::default();
            chunk.lists.iter().for_each(|list| work.curvature_product(chunk, list, scores, direction, margin, out));
            0.0
        });
    }

    /// Σ over all pairs of (direction_i − direction_j)²: ‖K b‖².
    pub(crate) fn squared_differences(&self, direction: &[f64], threads: &Threads) -> f64 {
        // With an endless margin every pair misses it, and only the curvature is finite and of interest.
        self.along(&vec![0.0; self.n_documents], direction, 0.0, f64::MAX, threads).curvature
    }

    /// Counts the pairs that miss the margin: for the hinge loss each better document −1, each worse one +1, per pair.
    /// Returns Σ max(0, m − (s_i − s_j)).
    pub(crate) fn hinge(&self, scores: &[f64], margin: f64, counts: &mut [f64], threads: &Threads) -> f64 {
        self.each_chunk(counts, threads, |chunk, out| {
            let mut work = Work::default();
            chunk.lists.iter().map(|list| work.hinge(chunk, list, scores, margin, out)).sum()
        })
    }

    /// Hands every chunk its part of `out`, set to 0, and adds up what it returns.
    fn each_chunk(
        &self,
        out: &mut [f64],
        threads: &Threads,
        f: impl Fn(&Chunk, &mut [f64]) -> f64 + Sync + Send,
    ) -> f64 {
        let mut rest = out;
        let mut parts = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            let (part, behind) = rest.split_at_mut(chunk.rows.len());
            part.fill(0.0);
            parts.push((chunk, part));
            rest = behind;
        }
        threads.map_mut(&mut parts, |_, (chunk, part)| f(chunk, part)).into_iter().sum()
    }
}

impl Chunk {
    /// Adds a query whose first document stands at `offset` in the chunk, and returns its number of pairs.
    fn add(&mut self, grades: &[i32], offset: usize, always: Option<bool>) -> u64 {
        let mut order: Vec<usize> = (0..grades.len()).collect();
        order.sort_by_key(|&i| grades[i]);
        let grade_starts: Vec<usize> = (1..order.len()).filter(|&i| grades[order[i - 1]] != grades[order[i]]).collect();
        let n = order.len();
        let ends = grade_starts.iter().skip(1).copied().chain([n]);
        let n_pairs: u64 = grade_starts.iter().zip(ends).map(|(&start, end)| ((end - start) * start) as u64).sum();
        if n_pairs > 0 {
            let by_sorting = n_pairs as f64 > SORT_FACTOR * n as f64 * (n as f64).log2();
            let start = self.documents.len();
            self.documents.extend(order.iter().map(|&i| (offset + i) as u32));
            let documents = start..self.documents.len();
            self.lists.push(List { documents, grade_starts, by_sorting: always.unwrap_or(by_sorting) });
        }
        n_pairs
    }
}

impl List {
    /// Beginning and end of every grade but the lowest.
    pub(crate) fn grades(&self, n: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let ends = self.grade_starts.iter().skip(1).copied().chain([n]);
        self.grade_starts.iter().copied().zip(ends)
    }
}

#[cfg(test)]
#[path = "pairs_tests.rs"]
mod tests;
