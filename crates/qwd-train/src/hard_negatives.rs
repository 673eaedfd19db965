//! Worse documents that are hard to tell from the right ones: those that rank best before anything is learned.
//!
//! A document drawn at random teaches the topic; where the right answer differs from others of its topic in single words,
//! only those others can teach it. Scores are those of W = I, so with BM25 weights the ranking is BM25's.

use crate::vectors::Vectors;
use qwd_core::top_k::{Scored, top_k};
use qwd_core::{Csr, Error, Result, SparseView, Threads};
use qwd_data::{Judgment, Task, Truth};

/// Puts the best `n` documents of each query that are not known to suit it, by W = I, in the place of the task's judgments
/// of grade 0 and below.
pub(crate) fn with_hard_negatives(task: Task, vectors: &Vectors, n: usize, threads: &Threads) -> Result<Task> {
    let Truth::Judgments(judgments) = &task.truth else {
        return Err(Error::param("hard", n, "0: worse documents can be chosen for judgments alone"));
    };
    if vectors.queries.n_cols() != vectors.documents.n_cols() {
        return Err(Error::param("hard", n, "0: W = I needs one vocabulary"));
    }
    let by_word = postings(&vectors.documents, &task.documents)?;
    let found = threads.map(task.queries.len(), |i| {
        let query = task.queries[i];
        let scores = scores(vectors.queries.row(query as usize), &by_word, task.documents.len());
        let mut left_out = task.hidden(i);
        left_out.extend(task.grades(i).iter().filter(|(_, grade)| *grade > 0).map(|(row, _)| *row));
        left_out.sort_unstable();
        let others = (0u32..)
            .zip(scores)
            .filter(|(place, score)| *score > 0.0 && left_out.binary_search(&task.documents[*place as usize]).is_err());
        let best = top_k(others.map(|(item, score)| Scored { item, score }), n);
        best.into_iter().map(|hit| Judgment { query, document: task.documents[hit.item as usize], grade: 0 }).collect()
    });
    let right = judgments.iter().filter(|judgment| judgment.grade > 0).copied();
    let all = right.chain(found.into_iter().flat_map(|of_query: Vec<Judgment>| of_query)).collect();
    Ok(Task { known: task.known, ..Task::of_judgments(all, task.documents, task.queries_are_documents) })
}

/// For each word, the places of the documents that have it.
fn postings(documents: &Csr, rows: &[u32]) -> Result<Csr> {
    Ok(documents.select(rows)?.transpose())
}

fn scores(query: SparseView<'_>, by_word: &Csr, n_documents: usize) -> Vec<f32> {
    let mut scores = vec![0.0f32; n_documents];
    for (word, x) in query.iter() {
        by_word.row(word as usize).iter().for_each(|(place, y)| scores[place as usize] += x * y);
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_core::SparseVec;
    use std::sync::Arc;

    fn rows(texts: &[&[(u32, f32)]]) -> Arc<Csr> {
        let mut rows = Csr::empty(4);
        for text in texts {
            rows.push(SparseVec::from_pairs(text.to_vec()).expect("finite").view()).expect("fits");
        }
        Arc::new(rows)
    }

    #[test]
    fn the_best_of_the_others_are_taken() {
        let documents = rows(&[&[(0, 1.0)], &[(0, 3.0), (1, 1.0)], &[(1, 2.0)], &[(3, 9.0)], &[(0, 2.0)]]);
        let vectors = Vectors { queries: rows(&[&[(0, 1.0), (1, 0.5)], &[(3, 1.0)]]), documents };
        let judged = |query, document, grade| Judgment { query, document, grade };
        let task =
            Task::of_judgments(vec![judged(0, 1, 2), judged(0, 3, 0), judged(1, 3, 1)], vec![0, 1, 2, 3, 4], false);
        let hard = with_hard_negatives(task, &vectors, 2, &Threads::default()).expect("judgments");
        // By W = I the first query has 1.0, 3.5, 1.0, 0.0, 2.0; the second finds nothing but its right answer.
        assert_eq!(
            hard.truth,
            Truth::Judgments(vec![judged(0, 0, 0), judged(0, 1, 2), judged(0, 4, 0), judged(1, 3, 1)])
        );
        assert_eq!(hard.queries, [0, 1]);
    }
}
