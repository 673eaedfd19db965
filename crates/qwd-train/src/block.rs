//! Some consecutive tuples, turned on their side: for each row of W, the tuples that need it.
//!
//! A row of W belongs to a query word. Going through the rows, and for each row through the tuples that need it, loads
//! the row once for all of them, where going through the tuples would load it once for each.
//!
//! A step of a tuple adds a multiple of q eᵀ to W, e = d⁺ − d⁻: in the row of each word of q, a multiple of e. When W is
//! to stay symmetric it adds e qᵀ as well: in the row of each word of e, a multiple of q.

use crate::problem::Problem;
use qwd_core::{SparseVec, SparseView};
use qwd_data::Preference;

/// A tuple's share in a row: which of the block's vectors to multiply the row with or to add to it, and how much.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    /// The tuple's number in the block.
    pub(crate) tuple: u32,
    /// The weight of the row's word in the tuple's other vector.
    pub(crate) weight: f32,
    /// Whether the vector is q, for a row of a word of e; else it is e, for a row of a word of q.
    pub(crate) mirrored: bool,
}

/// A block of tuples, by rows of W.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// q and e of each tuple; longer than the block where memory is kept for reuse.
    vectors: Vec<[SparseVec; 2]>,
    n_tuples: usize,
    /// For each word of a query: the tuples to score.
    scores: ByRow,
    /// For each row: the steps to take, where they are not simply those of `scores`.
    mirrored_steps: Option<ByRow>,
}

impl Block {
    /// An empty block, for W that stays symmetric or not.
    pub(crate) fn new(symmetric: bool) -> Self {
        Self { mirrored_steps: symmetric.then(ByRow::default), ..Self::default() }
    }

    /// Fills the block with tuples, reusing its memory.
    pub(crate) fn fill(&mut self, problem: &Problem<'_>, tuples: &[Preference]) {
        self.n_tuples = tuples.len();
        if self.vectors.len() < tuples.len() {
            self.vectors.resize_with(tuples.len(), Default::default);
        }
        for (p, [query, difference]) in tuples.iter().zip(&mut self.vectors) {
            query.copy_from(problem.query(p));
            problem.difference(p, difference);
        }
        let vectors = &self.vectors[..tuples.len()];
        self.scores.fill(vectors, false);
        if let Some(steps) = &mut self.mirrored_steps {
            steps.fill(vectors, true);
        }
    }

    /// Empties the block.
    pub(crate) fn fill_with_nothing(&mut self) {
        self.n_tuples = 0;
        self.scores.fill(&[], false);
        if let Some(steps) = &mut self.mirrored_steps {
            steps.fill(&[], true);
        }
    }

    /// Forgets the tuples from number `n` on. Their shares stay in the lists, but without a step they change nothing.
    pub(crate) fn truncate(&mut self, n: usize) {
        self.n_tuples = self.n_tuples.min(n);
    }

    pub(crate) fn n_tuples(&self) -> usize {
        self.n_tuples
    }

    /// q of a tuple.
    pub(crate) fn query(&self, tuple: usize) -> SparseView<'_> {
        self.vectors[tuple][0].view()
    }

    /// e = d⁺ − d⁻ of a tuple.
    pub(crate) fn difference(&self, tuple: usize) -> SparseView<'_> {
        self.vectors[tuple][1].view()
    }

    /// The vector that a share is about.
    pub(crate) fn direction(&self, share: Share) -> SparseView<'_> {
        self.vectors[share.tuple as usize][usize::from(!share.mirrored)].view()
    }

    /// What is to be scored, by row.
    pub(crate) fn scores(&self) -> &ByRow {
        &self.scores
    }

    /// Where steps are to be taken, by row.
    pub(crate) fn steps(&self) -> &ByRow {
        self.mirrored_steps.as_ref().unwrap_or(&self.scores)
    }
}

/// Shares sorted by row.
#[derive(Debug, Default)]
pub(crate) struct ByRow {
    rows: Vec<u32>,
    starts: Vec<u32>,
    shares: Vec<Share>,
    keys: Vec<(u64, f32)>,
}

impl ByRow {
    fn fill(&mut self, vectors: &[[SparseVec; 2]], mirrored: bool) {
        self.keys.clear();
        // Sorted by row, then by tuple, then the mirrored share after the plain one.
        for (k, [query, difference]) in vectors.iter().enumerate() {
            let key = |row: u32, mirrored: u64| u64::from(row) << 32 | (k as u64) << 1 | mirrored;
            self.keys.extend(query.view().iter().map(|(row, weight)| (key(row, 0), weight)));
            if mirrored {
                self.keys.extend(difference.view().iter().map(|(row, weight)| (key(row, 1), weight)));
            }
        }
        self.keys.sort_unstable_by_key(|&(key, _)| key);
        self.rows.clear();
        self.starts.clear();
        self.shares.clear();
        for &(key, weight) in &self.keys {
            let row = (key >> 32) as u32;
            if self.rows.last() != Some(&row) {
                self.rows.push(row);
                self.starts.push(self.shares.len() as u32);
            }
            self.shares.push(Share { tuple: (key as u32) >> 1, weight, mirrored: key & 1 == 1 });
        }
        self.starts.push(self.shares.len() as u32);
    }

    /// The rows that occur, increasing.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The shares in the `i`-th of these rows, by tuple.
    pub(crate) fn shares(&self, i: usize) -> &[Share] {
        &self.shares[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}
