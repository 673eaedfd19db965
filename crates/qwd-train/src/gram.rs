//! What an update inside a block does to the later tuples of the same block.
//!
//! A step c of tuple u adds c·q_u e_uᵀ to W (e = d⁺ − d⁻), which changes the score of a later tuple k by
//! c·(q_k·q_u)(e_k·e_u); its mirror image adds c·e_u q_uᵀ and changes it by c·(q_k·e_u)(e_k·q_u). With tables of these
//! inner products, all scores of a block can be taken against the W at its start, and the decisions are still those of
//! the sequential algorithm.

use crate::block::Block;
use qwd_core::SparseView;

/// Inner products between the tuples of a block.
#[derive(Debug, Default)]
pub(crate) struct Gram {
    n: usize,
    /// q_k·q_u, e_k·e_u for u < k.
    queries: Vec<f32>,
    differences: Vec<f32>,
    /// q_k·e_u for all k, u, when W stays symmetric.
    crossed: Option<Vec<f32>>,
    by_query_word: ByWord,
    by_document_word: ByWord,
}

impl Gram {
    pub(crate) fn new(symmetric: bool) -> Self {
        Self { crossed: symmetric.then(Vec::new), ..Self::default() }
    }

    /// Computes the tables, in time proportional to the pairs of tuples that share a word.
    pub(crate) fn fill(&mut self, block: &Block, n_query_words: usize, n_document_words: usize) {
        let n = block.n_tuples();
        self.n = n;
        if n < 2 {
            return;
        }
        self.by_query_word.fill(n, n_query_words, |k| block.query(k));
        self.by_document_word.fill(n, n_document_words, |k| block.difference(k));
        add_products(&mut self.queries, n, &self.by_query_word);
        add_products(&mut self.differences, n, &self.by_document_word);
        if let Some(crossed) = &mut self.crossed {
            reset(crossed, n);
            for (queries, differences) in self.by_query_word.columns().zip(self.by_document_word.columns()) {
                for &(k, x) in queries {
                    let row = &mut crossed[k as usize * n..][..n];
                    differences.iter().for_each(|&(u, y)| row[u as usize] += x * y);
                }
            }
        }
    }

    /// What steps of the given sizes (0: none) in the earlier tuples add to the score of tuple `k`: the sum, and the
    /// sum of absolute values as a scale for its rounding error.
    pub(crate) fn correction(&self, k: usize, steps: &[f32]) -> (f64, f64) {
        let (mut sum, mut scale) = (0.0f64, 0.0f64);
        for (u, &step) in steps.iter().enumerate().take(k).filter(|(_, step)| **step != 0.0) {
            let mut product = self.product(&self.queries, k, u) * self.product(&self.differences, k, u);
            if let Some(crossed) = &self.crossed {
                product += self.product(crossed, k, u) * self.product(crossed, u, k);
            }
            let term = f64::from(step) * product;
            sum += term;
            scale += term.abs();
        }
        (sum, scale)
    }

    fn product(&self, table: &[f32], k: usize, u: usize) -> f64 {
        f64::from(table[k * self.n + u])
    }
}

fn reset(table: &mut Vec<f32>, n: usize) {
    table.clear();
    table.resize(n * n, 0.0);
}

/// Fills the part below the diagonal of a table of inner products.
fn add_products(table: &mut Vec<f32>, n: usize, by_word: &ByWord) {
    reset(table, n);
    for column in by_word.columns() {
        for (at, &(later, x)) in column.iter().enumerate() {
            let row = &mut table[later as usize * n..][..n];
            column[..at].iter().for_each(|&(earlier, y)| row[earlier as usize] += x * y);
        }
    }
}

/// Vectors of a block by word: a transposition by counting.
#[derive(Debug, Default)]
struct ByWord {
    ends: Vec<u32>,
    entries: Vec<(u32, f32)>,
}

impl ByWord {
    fn fill<'a>(&mut self, n: usize, n_words: usize, vector: impl Fn(usize) -> SparseView<'a>) {
        self.ends.clear();
        self.ends.resize(n_words + 1, 0);
        for k in 0..n {
            for &word in vector(k).indices() {
                self.ends[word as usize + 1] += 1;
            }
        }
        for word in 0..n_words {
            self.ends[word + 1] += self.ends[word];
        }
        self.entries.clear();
        self.entries.resize(self.ends[n_words] as usize, (0, 0.0));
        for k in 0..n {
            for (word, value) in vector(k).iter() {
                let at = &mut self.ends[word as usize];
                self.entries[*at as usize] = (k as u32, value);
                *at += 1;
            }
        }
        // Each word's start has now moved to its end, which is what `columns` reads.
    }

    fn columns(&self) -> impl Iterator<Item = &[(u32, f32)]> {
        let mut from = 0usize;
        self.ends.iter().map(move |&end| {
            let column = &self.entries[from..end as usize];
            from = end as usize;
            column
        })
    }
}
