//! Exact scores of queries against every document: the oracle of search, and what evaluation uses.
//!
//! A query is expanded once, `e = qᵀW`, into a buffer with a place for every column; a document's score is then a sparse
//! inner product with that buffer. Many queries are taken four at a time with their buffers interleaved, so that a
//! document's entry is read once and meets all of them in one line of cache. Both ways add in the order of
//! [`gather_dot`], so a query has the same scores, to the bit, alone or among others, at any number of threads.
//!
//! Costs: the entries of the documents per query; `LANES` (2 columns + documents) floats of memory per thread.

use crate::matrix::{LANES, Matrix, Side, out_of_range};
use qwd_core::error::{Error, Result};
use qwd_core::kernel::gather_dot;
use qwd_core::top_k::{Scored, top_k};
use qwd_core::{Csr, SparseView, Threads};

/// How many sums a document's entries are dealt to in turn, as in [`gather_dot`].
const SUMS: usize = 8;

/// Scores every document for one query.
pub fn score_all(matrix: &Matrix, query: SparseView<'_>, documents: &Csr) -> Result<Vec<f32>> {
    check_documents(matrix, documents)?;
    let mut expanded = vec![0.0; matrix.n_cols()];
    matrix.expand_into(query, &mut expanded)?;
    let scores: Vec<f32> = documents.rows().map(|d| gather_dot(d, &expanded)).collect();
    check_scores(&scores)?;
    Ok(scores)
}

/// Returns the best `k` documents for one query, best first, ties to the smaller document number.
pub fn rank_all(matrix: &Matrix, query: SparseView<'_>, documents: &Csr, k: usize) -> Result<Vec<Scored>> {
    Ok(best(&score_all(matrix, query, documents)?, k))
}

/// Returns the best `k` documents for each query, in the order of the queries.
pub fn rank_all_batch(
    matrix: &Matrix,
    queries: &Csr,
    documents: &Csr,
    k: usize,
    threads: &Threads,
) -> Result<Vec<Vec<Scored>>> {
    map_scores(matrix, queries, documents, threads, |_, scores| best(scores, k))
}

/// Applies `f` to the number of each query and its scores of all documents; the results come in the order of the queries.
pub fn map_scores<T: Send>(
    matrix: &Matrix,
    queries: &Csr,
    documents: &Csr,
    threads: &Threads,
    f: impl Fn(usize, &[f32]) -> T + Sync + Send,
) -> Result<Vec<T>> {
    check_documents(matrix, documents)?;
    let n_groups = queries.n_rows().div_ceil(LANES);
    let groups = threads.map(n_groups, |group| {
        let numbers = group * LANES..((group + 1) * LANES).min(queries.n_rows());
        let scores = score_group(matrix, numbers.clone().map(|i| queries.row(i)), documents)?;
        Ok(numbers.zip(&scores).map(|(i, of_query)| f(i, of_query)).collect::<Vec<T>>())
    });
    let mut out = Vec::with_capacity(queries.n_rows());
    for group in groups {
        out.extend(group?);
    }
    Ok(out)
}

/// Scores every document for up to [`LANES`] queries.
fn score_group<'a>(
    matrix: &Matrix,
    queries: impl Iterator<Item = SparseView<'a>>,
    documents: &Csr,
) -> Result<Vec<Vec<f32>>> {
    let queries: Vec<SparseView<'_>> = queries.collect();
    let mut expanded = vec![vec![0.0f32; matrix.n_cols()]; queries.len()];
    matrix.expand_each_into(&queries, &mut expanded)?;
    let mut interleaved = vec![[0.0f32; LANES]; matrix.n_cols()];
    for (lane, weights) in expanded.iter().enumerate() {
        for (places, &weight) in interleaved.iter_mut().zip(weights) {
            places[lane] = weight;
        }
    }
    let mut scores = vec![Vec::with_capacity(documents.n_rows()); queries.len()];
    for document in documents.rows() {
        let of_document = gather_dots(document, &interleaved);
        for (of_query, score) in scores.iter_mut().zip(of_document) {
            of_query.push(score);
        }
    }
    scores.iter().try_for_each(|of_query| check_scores(of_query))?;
    Ok(scores)
}

/// Does what [`gather_dot`] does for [`LANES`] dense vectors at once, each in the same order of additions.
fn gather_dots(x: SparseView<'_>, dense: &[[f32; LANES]]) -> [f32; LANES] {
    let mut sums = [[0.0f32; LANES]; SUMS];
    let (whole_indices, last_indices) = x.indices().as_chunks::<SUMS>();
    let (whole_values, last_values) = x.values().as_chunks::<SUMS>();
    for (indices, values) in whole_indices.iter().zip(whole_values) {
        for part in 0..SUMS {
            add_scaled(&mut sums[part], values[part], &dense[indices[part] as usize]);
        }
    }
    for (sum, (&i, &v)) in sums.iter_mut().zip(last_indices.iter().zip(last_values)) {
        add_scaled(sum, v, &dense[i as usize]);
    }
    let s = sums;
    std::array::from_fn(|l| ((s[0][l] + s[4][l]) + (s[2][l] + s[6][l])) + ((s[1][l] + s[5][l]) + (s[3][l] + s[7][l])))
}

#[inline(always)]
fn add_scaled(sum: &mut [f32; LANES], scale: f32, x: &[f32; LANES]) {
    for lane in 0..LANES {
        sum[lane] += scale * x[lane];
    }
}

/// The best `k` of a full list of scores.
fn best(scores: &[f32], k: usize) -> Vec<Scored> {
    let items = scores.iter().zip(0u32..).map(|(&score, item)| Scored { item, score });
    if k < scores.len() / 8 {
        return top_k(items, k);
    }
    let mut sorted: Vec<Scored> = items.collect();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    sorted.truncate(k);
    sorted
}

fn check_documents(matrix: &Matrix, documents: &Csr) -> Result<()> {
    let (n, expected) = (documents.n_cols() as usize, matrix.n_terms(Side::Document));
    if n != expected {
        let what = format!("document vectors of {n} terms for a model of {expected} document terms");
        return Err(Error::bad_data(what, "make the vectors with the model's own vocabulary"));
    }
    if u32::try_from(documents.n_rows()).is_err() {
        return Err(Error::limit("number of documents", u64::from(u32::MAX), documents.n_rows() as u64, "split them"));
    }
    Ok(())
}

fn check_scores(scores: &[f32]) -> Result<()> {
    if scores.iter().all(|s| s.is_finite()) { Ok(()) } else { Err(out_of_range("a score")) }
}

#[cfg(test)]
#[path = "rank_all_tests.rs"]
mod tests;
