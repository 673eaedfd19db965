//! The word pairs that occur together: a prior on where W may have weights.
//!
//! A query word and a document word occur together in a text if the text has both; where queries have texts of their own,
//! also if the query has one and a document that suits it has the other. Of data with labels only the texts count: "of the
//! same class" would join nearly every pair. A word always occurs with itself.
//!
//! Cost: the word pairs of all texts, once; memory: the pairs that are kept.

use qwd_core::{Csr, Result, SparseVec, SparseView, Threads};
use qwd_data::{Split, Task, Truth};
use qwd_train::{Prepared, Vectors};
use std::sync::Arc;

/// Rows that one thread counts at a time.
const BLOCK: usize = 64;

/// The pairs that occur together in at least `times` texts of the training part, as a matrix of ones.
pub fn cooccurring(prepared: &Prepared<'_>, times: u32, threads: &Threads) -> Result<Csr> {
    let (train, vectors) = prepared.task(Split::Train)?;
    let pairs = texts_together(prepared, &train, vectors);
    let n_rows = vectors.queries.n_cols() as usize;
    let n_cols = vectors.documents.n_cols() as usize;
    let mut pairs_of = vec![Vec::new(); n_rows];
    for (pair, (left, _)) in (0u32..).zip(&pairs) {
        left.indices().iter().for_each(|&word| pairs_of[word as usize].push(pair));
    }
    let blocks = threads.map(n_rows.div_ceil(BLOCK), |block| {
        let mut counts = vec![0u32; n_cols];
        (block * BLOCK..((block + 1) * BLOCK).min(n_rows))
            .map(|row| partners(row, &pairs_of[row], &pairs, times, n_rows == n_cols, &mut counts))
            .collect::<Vec<_>>()
    });
    let mut support = Csr::empty(n_cols as u32);
    for columns in blocks.into_iter().flatten() {
        let ones = vec![1.0; columns.len()];
        support.push(SparseVec::try_new(columns, ones)?.view())?;
    }
    Ok(support)
}

/// The pairs of texts in which words meet: left with the words of queries, right with those of documents.
fn texts_together<'v>(
    prepared: &Prepared<'_>,
    train: &Task,
    vectors: &'v Vectors,
) -> Vec<(SparseView<'v>, SparseView<'v>)> {
    let document = |row: u32| vectors.documents.row(row as usize);
    let query = |row: u32| vectors.queries.row(row as usize);
    if train.queries_are_documents {
        return train.documents.iter().map(|&row| (query(row), document(row))).collect();
    }
    let one_vocabulary = match prepared.vectorizers() {
        (Some(q), Some(d)) => Arc::ptr_eq(q.vocabulary(), d.vocabulary()),
        _ => false,
    };
    let documents = train.documents.iter().filter(|_| one_vocabulary).map(|&row| (document(row), document(row)));
    let mut suited: Vec<(u32, u32)> = match &train.truth {
        Truth::Judgments(judgments) => {
            judgments.iter().filter(|j| j.grade > 0).map(|j| (j.query, j.document)).collect()
        }
        Truth::Preferences(preferences) => preferences.iter().map(|p| (p.query, p.better)).collect(),
        Truth::Classes { .. } => Vec::new(),
    };
    suited.sort_unstable();
    suited.dedup();
    documents.chain(suited.into_iter().map(|(q, d)| (query(q), document(d)))).collect()
}

/// The document words that meet the query word `row` often enough, in order.
fn partners(
    row: usize,
    with_word: &[u32],
    pairs: &[(SparseView<'_>, SparseView<'_>)],
    times: u32,
    one_vocabulary: bool,
    counts: &mut [u32],
) -> Vec<u32> {
    let mut met = Vec::new();
    for &pair in with_word {
        for &word in pairs[pair as usize].1.indices() {
            if counts[word as usize] == 0 {
                met.push(word);
            }
            counts[word as usize] += 1;
        }
    }
    let own = row as u32;
    if one_vocabulary && counts[row] == 0 {
        met.push(own);
    }
    met.sort_unstable();
    let is_kept = |&word: &u32| counts[word as usize] >= times || (one_vocabulary && word == own);
    let kept = met.iter().copied().filter(is_kept).collect();
    met.iter().for_each(|&word| counts[word as usize] = 0);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo;
    use qwd_data::SplitRule;
    use qwd_train::TextParams;

    #[test]
    fn words_of_a_text_meet_and_each_word_meets_itself() {
        let data = demo::dataset().expect("sound");
        let threads = Threads::new(2).expect("two threads");
        let params = TextParams::default();
        let prepared = Prepared::fit(&data, &params, SplitRule::default(), &threads).expect("fits");
        let once = cooccurring(&prepared, 1, &threads).expect("counted");
        let thrice = cooccurring(&prepared, 3, &Threads::default()).expect("counted");
        assert!(thrice.nnz() < once.nnz() && once.nnz() < once.n_rows() * once.n_rows());
        assert!((0..once.n_rows()).all(|s| thrice.get(s, s as u32) == 1.0));
        let words = prepared.vectorizers().0.expect("texts");
        let number = |word: &str| words.vocabulary().get(word).expect("a word of the demo");
        assert_eq!(once.get(number("bill") as usize, number("invoice")), 1.0);
        assert_eq!(once, cooccurring(&prepared, 1, &Threads::default()).expect("counted"));
    }
}
