//! Random problems: sparse queries and documents of length 1, and tuples between them.

use crate::tuples::Tuple;

/// A small generator of its own (splitmix64), so that tests do not lean on the one they test.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// The dice of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// A number from `-1` to `1`, never 0.
    pub fn signed(&mut self) -> f64 {
        let x = 0.05 + 0.95 * self.unit();
        if self.bits() & 1 == 0 { x } else { -x }
    }
}

/// What a random problem looks like.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Rows and columns of W.
    pub n_query_words: usize,
    /// Columns of W.
    pub n_document_words: usize,
    /// Different queries, and as many documents again twice.
    pub n_queries: usize,
    /// Tuples.
    pub n_tuples: usize,
    /// Words of a query, at most.
    pub query_len: usize,
    /// Words of a document, at most.
    pub document_len: usize,
    /// How much more frequent the first words are: 1 for not at all; a word's number is n·uᵏ for a random u in [0, 1).
    pub skew: f64,
    /// Whether values may be negative and tuples have weights of their own.
    pub wild: bool,
}

/// Queries, documents and tuples as plain numbers.
#[derive(Debug, Clone)]
pub struct Plain {
    /// Rows of W.
    pub n_query_words: usize,
    /// Columns of W.
    pub n_document_words: usize,
    /// Word and value, by rising word.
    pub queries: Vec<Vec<(u32, f32)>>,
    /// Word and value, by rising word.
    pub documents: Vec<Vec<(u32, f32)>>,
    /// Query, better and worse document, and weight.
    pub tuples: Vec<(u32, u32, u32, f32)>,
}

impl Plain {
    /// A problem in which the better document is a matter of chance.
    pub fn random(seed: u64, shape: &Shape) -> Self {
        Self::draw(seed, shape, |_, _, _| None)
    }

    /// A problem in which the better document is the one with the higher score qᵀWd under the planted W.
    pub fn planted(seed: u64, shape: &Shape, planted: &[(u32, u32, f32)]) -> Self {
        Self::draw(seed, shape, |q, a, b| {
            let value = |x: &[(u32, f32)], word: u32| x.iter().find(|(w, _)| *w == word).map_or(0.0, |(_, v)| *v);
            let part = |&(s, t, w): &(u32, u32, f32)| f64::from(value(q, s) * w) * f64::from(value(a, t) - value(b, t));
            Some(planted.iter().map(part).sum())
        })
    }

    fn draw(
        seed: u64,
        shape: &Shape,
        lead: impl Fn(&[(u32, f32)], &[(u32, f32)], &[(u32, f32)]) -> Option<f64>,
    ) -> Self {
        let mut dice = Dice::new(seed);
        let vectors = |dice: &mut Dice, n: usize, n_words: usize, len: usize| -> Vec<Vec<(u32, f32)>> {
            (0..n).map(|_| unit_vector(dice, n_words, len, shape)).collect()
        };
        let queries = vectors(&mut dice, shape.n_queries, shape.n_query_words, shape.query_len);
        let documents = vectors(&mut dice, 2 * shape.n_queries, shape.n_document_words, shape.document_len);
        let mut tuples = Vec::with_capacity(shape.n_tuples);
        let mut tries = 0;
        while tuples.len() < shape.n_tuples && tries < 1000 * shape.n_tuples {
            tries += 1;
            let [q, a, b] = [queries.len(), documents.len(), documents.len()].map(|n| dice.below(n));
            let (better, worse) = match lead(&queries[q], &documents[a], &documents[b]) {
                Some(lead) if lead.abs() < 1e-3 => continue,
                Some(lead) if lead < 0.0 => (b, a),
                _ => (a, b),
            };
            let weight = if shape.wild { (0.25 + 2.0 * dice.unit()) as f32 } else { 1.0 };
            tuples.push((q as u32, better as u32, worse as u32, weight));
        }
        let Shape { n_query_words, n_document_words, .. } = *shape;
        Self { n_query_words, n_document_words, queries, documents, tuples }
    }

    /// Tuple number `i` written out.
    pub fn tuple(&self, i: usize) -> Tuple {
        let (q, better, worse, weight) = self.tuples[i];
        let written = |x: &[(u32, f32)], n: usize| {
            let (words, values): (Vec<u32>, Vec<f32>) = x.iter().copied().unzip();
            crate::dense(&words, &values, n)
        };
        let [better, worse] = [better, worse].map(|d| written(&self.documents[d as usize], self.n_document_words));
        Tuple {
            query: written(&self.queries[q as usize], self.n_query_words),
            difference: better.iter().zip(&worse).map(|(a, b)| a - b).collect(),
            weight: f64::from(weight),
        }
    }

    /// All tuples written out.
    pub fn all(&self) -> Vec<Tuple> {
        (0..self.tuples.len()).map(|i| self.tuple(i)).collect()
    }
}

fn unit_vector(dice: &mut Dice, n_words: usize, len: usize, shape: &Shape) -> Vec<(u32, f32)> {
    let mut words: Vec<u32> =
        (0..1 + dice.below(len)).map(|_| (n_words as f64 * dice.unit().powf(shape.skew)) as u32).collect();
    words.sort_unstable();
    words.dedup();
    let values: Vec<f64> = words.iter().map(|_| if shape.wild { dice.signed() } else { 0.1 + dice.unit() }).collect();
    let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
    words.into_iter().zip(values.into_iter().map(|v| (v / length) as f32)).collect()
}
