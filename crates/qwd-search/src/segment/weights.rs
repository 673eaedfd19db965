//! What a posting weighs. Where postings carry counts, the weight follows from the count, the document and the term exactly
//! as the model's vectorizer makes it; where they carry weights, it is that.

use super::postings::RANGE;
use qwd_model::{Model, Side};
use qwd_text::{Norm, Tf, Vocabulary, Weighting, WeightingParams};
use std::sync::Arc;

/// Counts below this have their part of the weight in a table.
const TABLED: usize = 256;

/// How counts become weights, for all segments of an index.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    params: WeightingParams,
    weighting: Weighting,
    vocabulary: Arc<Vocabulary>,
}

impl Recipe {
    /// The recipe of a model's documents; `None` if it knows no words of documents.
    pub(crate) fn of_documents(model: &Model) -> Option<Self> {
        let vectorizer = model.vectorizer(Side::Document)?;
        Some(Self {
            params: vectorizer.params().weighting.clone(),
            weighting: vectorizer.weighting().clone(),
            vocabulary: Arc::clone(vectorizer.vocabulary()),
        })
    }

    /// The part of a weight that the term decides.
    pub(crate) fn idf(&self, term: u32) -> f64 {
        let df = self.vocabulary.document_frequencies().get(term as usize).copied().unwrap_or(1);
        self.weighting.idf(df, self.vocabulary.n_documents())
    }

    /// What the weights of a document with these counts are divided by: the sum runs as the vectorizer's does.
    pub(crate) fn norm(&self, counts: &[(u32, u32)], n_tokens: u64) -> f64 {
        let relative_length = self.relative_length(n_tokens);
        let weight = |&(term, n): &(u32, u32)| self.weighting.tf(n, relative_length) * self.idf(term);
        match self.params.norm {
            Norm::None => 1.0,
            Norm::L2 => counts.iter().map(weight).map(|w| w * w).sum::<f64>().sqrt(),
        }
    }

    /// The weight of a term with this idf that occurs `n` times in a document of so many tokens and such a norm.
    pub(crate) fn weight(&self, idf: f64, n: u32, n_tokens: u64, norm: f64) -> f32 {
        ((self.weighting.tf(n, self.relative_length(n_tokens)) * idf) / norm) as f32
    }

    fn relative_length(&self, n_tokens: u64) -> f64 {
        n_tokens as f64 / self.vocabulary.average_length()
    }
}

/// Weights to the precision of `f32` arithmetic, for the first pass: `finish(doc, Σ coefficient · part(payload, doc))`.
pub(crate) trait Approximate {
    /// Whether postings carry weights.
    const VALUES: bool;

    /// The part of a weight that the posting decides.
    fn part(&self, payload: u32, doc: usize) -> f32;

    /// What the sums of parts in documents are multiplied with; nothing if they stay as they are.
    fn inverse_norms(&self) -> &[f32];

    /// What the sum of parts in a document amounts to.
    #[inline(always)]
    fn finish(&self, doc: usize, sum: f32) -> f32 {
        self.inverse_norms().get(doc).map_or(sum, |inverse| sum * inverse)
    }

    /// The same for a range of documents.
    #[inline(always)]
    fn finish_range(&self, first: usize, sums: &mut [f32; RANGE]) {
        multiply(sums, self.inverse_norms(), first);
    }

    /// The greatest of what the sums of a range amount to.
    #[inline(always)]
    fn greatest(&self, first: usize, sums: &[f32; RANGE]) -> f32 {
        let mut finished = *sums;
        self.finish_range(first, &mut finished);
        greatest(&finished)
    }
}

/// Counts whose part does not depend on the document: raw, logarithmic, binary.
#[derive(Debug)]
pub(crate) struct Tabled {
    parts: Vec<f32>,
    weighting: Weighting,
    inverse_norms: Vec<f32>,
}

/// Counts that saturate, the later the longer the document.
#[derive(Debug)]
pub(crate) struct Saturating {
    /// k1 + 1.
    scale: f32,
    /// k1 (1 - b + b L / A) of every document.
    halves: Vec<f32>,
    inverse_norms: Vec<f32>,
}

/// Weights as they are.
#[derive(Debug)]
pub(crate) struct Valued;

/// One of the ways to weigh, chosen once for a segment.
#[derive(Debug)]
pub(crate) enum Approximation {
    Tabled(Tabled),
    Saturating(Saturating),
    Valued(Valued),
}

impl Approximation {
    /// Prepares the tables for the documents of a segment: their numbers of tokens and their norms.
    pub(crate) fn of_counts(
        recipe: &Recipe,
        lengths: impl Iterator<Item = u32>,
        norms: impl Iterator<Item = f64>,
    ) -> Self {
        let inverse_norms = match recipe.params.norm {
            Norm::None => Vec::new(),
            Norm::L2 => norms.map(|norm| if norm > 0.0 { (1.0 / norm) as f32 } else { 0.0 }).collect(),
        };
        if recipe.params.tf == Tf::Bm25 {
            let (k1, b) = (recipe.params.k1, recipe.params.b);
            let half = |n: u32| (k1 * (1.0 - b + b * recipe.relative_length(u64::from(n)))) as f32;
            return Self::Saturating(Saturating {
                scale: (k1 + 1.0) as f32,
                halves: lengths.map(half).collect(),
                inverse_norms,
            });
        }
        let parts = (0..TABLED as u32).map(|n| recipe.weighting.tf(n, 1.0) as f32).collect();
        Self::Tabled(Tabled { parts, weighting: recipe.weighting.clone(), inverse_norms })
    }
}

impl Approximate for Tabled {
    const VALUES: bool = false;

    #[inline(always)]
    fn part(&self, payload: u32, _: usize) -> f32 {
        match self.parts.get(payload as usize) {
            Some(&part) => part,
            None => self.weighting.tf(payload, 1.0) as f32,
        }
    }

    #[inline(always)]
    fn inverse_norms(&self) -> &[f32] {
        &self.inverse_norms
    }
}

impl Approximate for Saturating {
    const VALUES: bool = false;

    #[inline(always)]
    fn part(&self, payload: u32, doc: usize) -> f32 {
        let n = payload as f32;
        self.halves.get(doc).map_or(0.0, |half| n * self.scale / (n + half))
    }

    #[inline(always)]
    fn inverse_norms(&self) -> &[f32] {
        &self.inverse_norms
    }
}

impl Approximate for Valued {
    const VALUES: bool = true;

    #[inline(always)]
    fn part(&self, payload: u32, _: usize) -> f32 {
        f32::from_bits(payload)
    }

    #[inline(always)]
    fn inverse_norms(&self) -> &[f32] {
        &[]
    }
}

/// The greatest of some numbers: eight at a time, so that the machine compares them at once.
#[inline(always)]
pub(crate) fn greatest(numbers: &[f32; RANGE]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; 8];
    for chunk in numbers.as_chunks::<8>().0 {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = if x > *lane { x } else { *lane };
        }
    }
    lanes.iter().fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a })
}

/// Multiplies the sums of a range with the factors of its documents, if documents have any.
#[inline(always)]
fn multiply(sums: &mut [f32; RANGE], factors: &[f32], first: usize) {
    let of_range = factors.get(first..).unwrap_or(&[]);
    match of_range.first_chunk::<RANGE>() {
        Some(whole) => sums.iter_mut().zip(whole).for_each(|(sum, factor)| *sum *= factor),
        None => sums.iter_mut().zip(of_range).for_each(|(sum, factor)| *sum *= factor),
    }
}
