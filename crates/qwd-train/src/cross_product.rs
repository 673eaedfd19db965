//! The cross-product matrix of matching, M = (1/nˣ) Σᵢ (1/nᵢ) Σⱼ rᵢⱼ xᵢ yⱼᵀ: query features by document features
//! (the vectors w of Algorithm 1 of the RMLS paper are its rows and columns).
//!
//! M is multiplied out, or kept as XᵀR'Y, or as Xᵀ(R'Y), whichever has the fewest entries to go through: with few
//! documents per query and heavy features, M has many times more entries than its factors. R' is R with each row divided
//! by nˣ times its number of documents. Products with M run row by row and never build what they do not need.

use crate::click_problem::{ClickProblem, damped};
use crate::latent_rows::LatentRows;
use qwd_core::kernel::{add_rows, add_scaled};
use qwd_core::{Csr, Result, SparseVec, Threads};
use std::sync::Arc;

/// M, for products with both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossProduct {
    /// M itself: query features from document features.
    pub(crate) of_documents: Chain,
    /// Mᵀ: document features from query features.
    pub(crate) of_queries: Chain,
}

/// A product of sparse matrices, first to last, that is not multiplied out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chain {
    factors: Vec<Csr>,
    /// Two means, of the rows' and of the columns' side, whose product is taken off.
    means: Option<[Arc<Vec<f32>>; 2]>,
}

/// A product with a table, row by row.
pub(crate) struct Source<'a> {
    outer: &'a Csr,
    /// All factors but the first times the table; none where there is one factor only.
    inner: Option<LatentRows>,
    table: &'a LatentRows,
    /// What is taken off each row, times its mean.
    off: Option<(&'a [f32], Vec<f32>)>,
}

impl Source<'_> {
    /// Adds row `i` of the product.
    pub(crate) fn add(&self, i: usize, row: &mut [f32]) {
        self.inner.as_ref().unwrap_or(self.table).add(self.outer.row(i), row);
        if let Some((means, off)) = &self.off {
            add_scaled(row, -means[i], off);
        }
    }
}

/// How M is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// As one sparse matrix.
    Whole,
    /// As Xᵀ(R'Y).
    TwoFactors,
    /// As XᵀR'Y.
    ThreeFactors,
}

impl CrossProduct {
    /// M as a method wants it: of damped responses, of centred features.
    pub fn of(problem: &ClickProblem<'_>, damping: f64, centred: bool, threads: &Threads) -> Result<Self> {
        let response = damped(problem.response, damping)?;
        let problem = &ClickProblem { response: &response, ..*problem };
        let product = Self::new(problem, threads)?;
        if centred { product.centred(problem) } else { Ok(product) }
    }

    /// Makes M, kept as has the fewest entries.
    pub fn new(problem: &ClickProblem<'_>, threads: &Threads) -> Result<Self> {
        problem.check()?;
        let response = mean_response(problem)?;
        let n_three = problem.queries.nnz() + response.nnz() + problem.documents.nnz();
        // Upper bounds, so that nothing large is built only to be dropped.
        let of_queries =
            response.rows().map(|row| row.iter().map(|(j, _)| problem.documents.row(j as usize).len()).sum());
        let of_queries: Vec<usize> = of_queries.collect();
        let n_two = problem.queries.nnz() + of_queries.iter().sum::<usize>();
        let n_whole: usize = problem.queries.rows().zip(&of_queries).map(|(x, n)| x.len() * n).sum();
        let kept = if n_whole <= n_two.min(n_three) {
            Kept::Whole
        } else if n_two <= n_three {
            Kept::TwoFactors
        } else {
            Kept::ThreeFactors
        };
        Self::kept_as(kept, problem, threads)
    }

    /// Makes M, kept in a given way.
    pub fn kept_as(kept: Kept, problem: &ClickProblem<'_>, threads: &Threads) -> Result<Self> {
        problem.check()?;
        let response = mean_response(problem)?;
        let factors = match kept {
            Kept::ThreeFactors => vec![problem.queries.transpose(), response, problem.documents.clone()],
            Kept::TwoFactors => {
                vec![problem.queries.transpose(), product(&response, problem.documents, threads)?]
            }
            Kept::Whole => {
                let of_documents = product(&response, problem.documents, threads)?;
                vec![product(&problem.queries.transpose(), &of_documents, threads)?]
            }
        };
        let of_queries = factors.iter().rev().map(Csr::transpose).collect();
        Ok(Self { of_documents: Chain::new(factors), of_queries: Chain::new(of_queries) })
    }

    /// Takes the product of the means off, which is M of centred features (the paper's footnote 2): what all queries have
    /// in common with all documents no longer counts. Of the documents' side it is the mean of what queries answer to. A
    /// single query has nothing in common with others: M stays as it is.
    pub fn centred(mut self, problem: &ClickProblem<'_>) -> Result<Self> {
        let n_answered = problem.n_answered() as f64;
        if n_answered < 2.0 {
            return Ok(self);
        }
        let mut of_queries = vec![0.0f64; problem.queries.n_cols() as usize];
        let mut of_documents = vec![0.0f64; problem.documents.n_cols() as usize];
        let response = mean_response(problem)?;
        for (query, row) in response.rows().enumerate().filter(|(_, row)| !row.is_empty()) {
            problem.queries.row(query).iter().for_each(|(u, x)| of_queries[u as usize] += f64::from(x) / n_answered);
            for (document, r) in row.iter() {
                let words = problem.documents.row(document as usize).iter();
                words.for_each(|(v, y)| of_documents[v as usize] += f64::from(r) * f64::from(y));
            }
        }
        let narrow = |means: Vec<f64>| Arc::new(means.into_iter().map(|x| x as f32).collect::<Vec<f32>>());
        let [x, y] = [narrow(of_queries), narrow(of_documents)];
        self.of_documents.means = Some([Arc::clone(&x), Arc::clone(&y)]);
        self.of_queries.means = Some([y, x]);
        Ok(self)
    }

    /// XᵀSY for weights S of pairs that may be below 0, as they are.
    pub(crate) fn of_signed(queries: &Csr, weights: &Csr, documents: &Csr) -> Self {
        let factors = vec![queries.transpose(), weights.clone(), documents.clone()];
        let of_queries = factors.iter().rev().map(Csr::transpose).collect();
        Self { of_documents: Chain::new(factors), of_queries: Chain::new(of_queries) }
    }

    /// The matrix itself as its own cross-product: with it, partial least squares is latent semantic indexing.
    pub fn of_matrix(matrix: Csr) -> Self {
        let transposed = matrix.transpose();
        Self { of_documents: Chain::new(vec![matrix]), of_queries: Chain::new(vec![transposed]) }
    }

    /// The number of query features.
    pub fn n_rows(&self) -> usize {
        self.of_documents.n_rows()
    }

    /// The number of document features.
    pub fn n_cols(&self) -> usize {
        self.of_queries.n_rows()
    }

    /// M as one matrix, where it is kept so.
    pub fn whole(&self) -> Option<&Csr> {
        self.of_documents.factors.first().filter(|_| self.of_documents.factors.len() == 1)
    }

    /// Entries that one product goes through.
    pub fn entries(&self) -> usize {
        self.of_documents.factors.iter().map(Csr::nnz).sum()
    }
}

impl Chain {
    fn new(factors: Vec<Csr>) -> Self {
        Self { factors, means: None }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.factors[0].n_rows()
    }

    /// Prepares the product with a table; rows that it does not need are never made.
    pub(crate) fn source<'a>(&'a self, table: &'a LatentRows, threads: &Threads) -> Result<Source<'a>> {
        let mut inner: Option<LatentRows> = None;
        for factor in self.factors[1..].iter().rev() {
            let source = inner.as_ref().unwrap_or(table);
            let size = [factor.n_rows(), table.width()];
            let (next, _) = LatentRows::make(size, source.is_dense(), threads, |i, row| {
                source.add(factor.row(i), row);
                [0.0; 2]
            })?;
            inner = Some(next);
        }
        let off = self.means.as_ref().map(|[of_rows, of_columns]| {
            let off = weighted_sum(of_columns, table.width(), threads, |i, add| table.visit(i, add));
            (of_rows.as_slice(), off)
        });
        Ok(Source { outer: &self.factors[0], inner, table, off })
    }

    /// The product of all factors with a dense table of rows of `width` numbers.
    pub(crate) fn times(&self, numbers: &[f32], width: usize, threads: &Threads) -> Vec<f32> {
        const CHUNK: usize = 256;
        let through = |factor: &Csr, numbers: &[f32]| {
            let mut out = vec![0.0f32; factor.n_rows() * width];
            let mut chunks: Vec<&mut [f32]> = out.chunks_mut((CHUNK * width).max(1)).collect();
            threads.map_mut(&mut chunks, |chunk, rows| {
                for (i, row) in rows.chunks_mut(width).enumerate() {
                    add_rows(factor.row(chunk * CHUNK + i), numbers, row);
                }
            });
            out
        };
        let mut factors = self.factors.iter().rev();
        let first = factors.next().map(|factor| through(factor, numbers)).unwrap_or_default();
        let mut product = factors.fold(first, |numbers, factor| through(factor, &numbers));
        if let Some([of_rows, of_columns]) = &self.means {
            let off = weighted_sum(of_columns, width, threads, |i, add| {
                numbers[i * width..(i + 1) * width].iter().enumerate().for_each(|(z, &x)| add(z, x));
            });
            for (row, mean) in product.chunks_mut(width.max(1)).zip(of_rows.iter()) {
                add_scaled(row, -mean, &off);
            }
        }
        product
    }
}

/// Σ weight · row, in `f64` and in the order of fixed chunks.
fn weighted_sum(
    weights: &[f32],
    width: usize,
    threads: &Threads,
    visit: impl Fn(usize, &mut dyn FnMut(usize, f32)) + Sync + Send,
) -> Vec<f32> {
    const CHUNK: usize = 4096;
    let parts = threads.map(weights.len().div_ceil(CHUNK), |chunk| {
        let mut sum = vec![0.0f64; width];
        for i in (chunk * CHUNK..((chunk + 1) * CHUNK).min(weights.len())).filter(|&i| weights[i] != 0.0) {
            visit(i, &mut |z, x| sum[z] += f64::from(weights[i]) * f64::from(x));
        }
        sum
    });
    let mut total = vec![0.0f64; width];
    for part in parts {
        total.iter_mut().zip(part).for_each(|(total, x)| *total += x);
    }
    total.into_iter().map(|x| x as f32).collect()
}

/// R': each row of R divided by the number of answered queries times its own number of documents.
fn mean_response(problem: &ClickProblem<'_>) -> Result<Csr> {
    let n_answered = problem.n_answered() as f64;
    let response = problem.response;
    let (indptr, indices, values) = response.parts();
    let mut scaled = Vec::with_capacity(values.len());
    for row in response.rows() {
        let scale = 1.0 / (n_answered * row.len() as f64);
        scaled.extend(row.values().iter().map(|&r| (f64::from(r) * scale) as f32));
    }
    Csr::from_parts(response.n_cols(), indptr.to_vec(), indices.to_vec(), scaled)
}

/// The product of two sparse matrices, in `f64` inside a row.
pub(crate) fn product(a: &Csr, b: &Csr, threads: &Threads) -> Result<Csr> {
    const CHUNK: usize = 1024;
    let parts = threads.map(a.n_rows().div_ceil(CHUNK), |chunk| {
        let mut sums = vec![0.0f64; b.n_cols() as usize];
        let mut is_touched = vec![false; b.n_cols() as usize];
        let mut touched: Vec<u32> = Vec::new();
        let mut out = Csr::empty(b.n_cols());
        for i in chunk * CHUNK..((chunk + 1) * CHUNK).min(a.n_rows()) {
            for (j, x) in a.row(i).iter() {
                for (k, y) in b.row(j as usize).iter() {
                    if !std::mem::replace(&mut is_touched[k as usize], true) {
                        touched.push(k);
                    }
                    sums[k as usize] += f64::from(x) * f64::from(y);
                }
            }
            touched.sort_unstable();
            let (mut columns, mut values) = (Vec::with_capacity(touched.len()), Vec::with_capacity(touched.len()));
            for k in touched.drain(..) {
                let sum = std::mem::take(&mut sums[k as usize]) as f32;
                is_touched[k as usize] = false;
                if sum != 0.0 {
                    columns.push(k);
                    values.push(sum);
                }
            }
            out.push(SparseVec::try_new(columns, values)?.view())?;
        }
        Ok(out)
    });
    let mut product = Csr::with_capacity(b.n_cols(), a.n_rows(), 0);
    for part in parts {
        let part: Csr = part?;
        part.rows().try_for_each(|row| product.push(row))?;
    }
    Ok(product)
}
