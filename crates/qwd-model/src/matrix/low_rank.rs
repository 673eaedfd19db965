//! W = UᵀV plus a diagonal: words that go together lie near each other in a space of few dimensions (section 2.2.1 of the
//! supervised semantic indexing paper).
//!
//! A word's column of U or V lies in memory as one row of N numbers. Only the n most frequent words may have one, which
//! are the first n; the others have the diagonal alone. Costs: (|q| + |d|) N to score a pair, (|q| + n) N to expand a
//! query. An index of projected documents scores at N per document.

use super::form::Form;
use super::{LANES, Side, check_finite};
use qwd_core::SparseView;
use qwd_core::error::{Error, Result};
use qwd_core::kernel::{add_rows, dot, dots};

/// The most dimensions: a projection of one text takes that many numbers.
const MAX_RANK: usize = 1 << 16;

/// What a low-rank W has on its diagonal besides UᵀV.
#[derive(Debug, Clone, PartialEq)]
pub enum Diagonal {
    /// Nothing.
    None,
    /// αI.
    Scaled(f32),
    /// D, a weight for every word.
    Weights(Vec<f32>),
}

/// The parts of a low-rank matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct LowRankParts {
    /// The number of query terms.
    pub n_rows: usize,
    /// The number of document terms.
    pub n_cols: usize,
    /// The number N of dimensions.
    pub rank: usize,
    /// N numbers for each of the first query terms.
    pub u: Vec<f32>,
    /// N numbers for each of the first document terms; without them W = UᵀU.
    pub v: Option<Vec<f32>>,
    /// The diagonal.
    pub diagonal: Diagonal,
}

/// A low-rank matrix with a diagonal.
#[derive(Debug, Clone, PartialEq)]
pub struct LowRank {
    parts: LowRankParts,
}

impl LowRank {
    pub(super) fn try_new(parts: LowRankParts) -> Result<Self> {
        let LowRankParts { n_rows, n_cols, rank, u, v, diagonal } = &parts;
        let wrong = |what: String| Err(Error::bad_data(what, "give N numbers for each word and one diagonal"));
        if !(1..=MAX_RANK).contains(rank) {
            return wrong(format!("a low-rank matrix of {rank} dimensions, not 1 to {MAX_RANK}"));
        }
        for (numbers, n) in [(Some(u), n_rows), (v.as_ref(), n_cols)] {
            let Some(numbers) = numbers else { continue };
            if !numbers.len().is_multiple_of(*rank) || numbers.len() / rank > *n {
                return wrong(format!("{} numbers for {n} words of {rank} dimensions", numbers.len()));
            }
            check_finite(numbers)?;
        }
        let is_square = n_rows == n_cols;
        match diagonal {
            Diagonal::None if is_square || v.is_some() => {}
            Diagonal::Scaled(weight) if is_square => check_finite(&[*weight])?,
            Diagonal::Weights(weights) if is_square && weights.len() == *n_rows => check_finite(weights)?,
            _ => return wrong(format!("a diagonal or UᵀU that does not fit {n_rows} x {n_cols} terms")),
        }
        Ok(Self { parts })
    }

    /// U, V and the diagonal.
    pub fn parts(&self) -> &LowRankParts {
        &self.parts
    }

    /// Gives the parts away.
    pub fn into_parts(self) -> LowRankParts {
        self.parts
    }

    /// The number N of dimensions.
    pub fn rank(&self) -> usize {
        self.parts.rank
    }

    /// The N numbers of a query (Uq) or a document (Vd): what a dense index keeps. The inner product of the two is the
    /// score but for the diagonal.
    pub fn project(&self, side: Side, x: SparseView<'_>) -> Vec<f32> {
        let mut sum = vec![0.0; self.rank()];
        add_rows(x, self.numbers(side), &mut sum);
        sum
    }

    /// What the diagonal gives to a score.
    pub fn diagonal_score(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64 {
        match &self.parts.diagonal {
            Diagonal::None => 0.0,
            Diagonal::Scaled(weight) => f64::from(*weight) * q.dot(d),
            Diagonal::Weights(weights) => super::diagonal::score(weights, q, d),
        }
    }

    fn numbers(&self, side: Side) -> &[f32] {
        match (side, &self.parts.v) {
            (Side::Document, Some(v)) => v,
            _ => &self.parts.u,
        }
    }

    /// The numbers of all embedded words.
    fn embeddings(&self, side: Side) -> impl Iterator<Item = &[f32]> {
        self.numbers(side).chunks_exact(self.rank())
    }

    /// Adds what the diagonal gives to an expanded query.
    fn add_diagonal(&self, q: SparseView<'_>, buffer: &mut [f32]) {
        if self.parts.diagonal != Diagonal::None {
            for (s, x) in q.iter() {
                buffer[s as usize] += x * self.diagonal_weight(s);
            }
        }
    }

    /// The numbers of a word; none for a word beyond the embedded ones.
    fn embedding(&self, side: Side, term: u32) -> &[f32] {
        let rank = self.rank();
        self.numbers(side).get(term as usize * rank..(term as usize + 1) * rank).unwrap_or(&[])
    }

    fn diagonal_weight(&self, term: u32) -> f32 {
        match &self.parts.diagonal {
            Diagonal::None => 0.0,
            Diagonal::Scaled(weight) => *weight,
            Diagonal::Weights(weights) => weights[term as usize],
        }
    }

    /// The projection in `f64`, where no product of finite `f32` can leave the range.
    fn wide_projection(&self, side: Side, x: SparseView<'_>) -> Vec<f64> {
        let mut sum = vec![0.0; self.rank()];
        for (term, value) in x.iter() {
            for (sum, &w) in sum.iter_mut().zip(self.embedding(side, term)) {
                *sum += f64::from(value) * f64::from(w);
            }
        }
        sum
    }
}

impl Form for LowRank {
    fn n_rows(&self) -> usize {
        self.parts.n_rows
    }

    fn n_cols(&self) -> usize {
        self.parts.n_cols
    }

    fn entry(&self, s: u32, t: u32) -> f32 {
        let (a, b) = (self.embedding(Side::Query, s), self.embedding(Side::Document, t));
        let product: f64 = a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
        let on_diagonal = if s == t { self.diagonal_weight(s) } else { 0.0 };
        (product + f64::from(on_diagonal)) as f32
    }

    fn score(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64 {
        let (a, b) = (self.wide_projection(Side::Query, q), self.wide_projection(Side::Document, d));
        a.iter().zip(&b).map(|(x, y)| x * y).sum::<f64>() + self.diagonal_score(q, d)
    }

    fn add_expanded(&self, q: SparseView<'_>, buffer: &mut [f32]) {
        let projected = self.project(Side::Query, q);
        if projected.iter().any(|&x| x != 0.0) {
            for (sum, row) in buffer.iter_mut().zip(self.embeddings(Side::Document)) {
                *sum += dot(&projected, row);
            }
        }
        self.add_diagonal(q, buffer);
    }

    /// Reads V, which is what expanding costs, once for [`LANES`] queries.
    fn add_expanded_each(&self, queries: &[SparseView<'_>], buffers: &mut [Vec<f32>]) {
        let (of_queries, _) = queries.as_chunks::<LANES>();
        let (of_buffers, _) = buffers.as_chunks_mut::<LANES>();
        for (queries, buffers) in of_queries.iter().zip(of_buffers) {
            let projected = queries.map(|q| self.project(Side::Query, q));
            let projected = projected.each_ref().map(Vec::as_slice);
            for (word, row) in self.embeddings(Side::Document).enumerate() {
                for (buffer, product) in buffers.iter_mut().zip(dots(projected, row)) {
                    buffer[word] += product;
                }
            }
            queries.iter().zip(buffers).for_each(|(&q, buffer)| self.add_diagonal(q, buffer));
        }
        let n_done = of_queries.len() * LANES;
        queries[n_done..].iter().zip(&mut buffers[n_done..]).for_each(|(&q, buffer)| self.add_expanded(q, buffer));
    }

    fn n_parameters(&self) -> u64 {
        let on_diagonal = match &self.parts.diagonal {
            Diagonal::None => 0,
            Diagonal::Scaled(_) => 1,
            Diagonal::Weights(weights) => weights.len(),
        };
        (self.parts.u.len() + self.parts.v.as_ref().map_or(0, Vec::len) + on_diagonal) as u64
    }

    /// Every pair of embedded words counts: that a product of theirs is just 0 is not looked into.
    fn n_nonzero(&self) -> u64 {
        let embedded = |side| {
            let is_used = |(_, row): &(usize, &[f32])| row.iter().any(|&x| x != 0.0);
            self.embeddings(side).enumerate().filter(is_used).map(|(i, _)| i as u32)
        };
        let (n_rows, n_cols) = (embedded(Side::Query).count(), embedded(Side::Document).count());
        let mut is_embedded = vec![0u8; self.parts.n_rows.min(self.parts.n_cols)];
        for term in embedded(Side::Query).chain(embedded(Side::Document)) {
            if let Some(sides) = is_embedded.get_mut(term as usize) {
                *sides += 1;
            }
        }
        let alone = |&(term, &sides): &(u32, &u8)| sides < 2 && self.diagonal_weight(term) != 0.0;
        (n_rows * n_cols + (0u32..).zip(&is_embedded).filter(alone).count()) as u64
    }

    fn memory_bytes(&self) -> u64 {
        self.n_parameters() * size_of::<f32>() as u64
    }
}
