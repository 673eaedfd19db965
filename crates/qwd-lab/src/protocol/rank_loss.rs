//! The share of tuples that are scored in the wrong order, or tied.

use super::Scorer;
use qwd_core::{Error, Result, Threads};
use qwd_data::Preference;

/// Returns the rank loss of a method; tuples of one query that stand together are scored together.
pub fn rank_loss(tuples: &[Preference], scorer: &dyn Scorer, threads: &Threads) -> Result<f64> {
    if tuples.is_empty() {
        return Err(Error::param("n_tuples", 0, "at least 1"));
    }
    let of_queries: Vec<&[Preference]> = tuples.chunk_by(|a, b| a.query == b.query).collect();
    let wrong = threads.map(of_queries.len(), |i| n_wrong(of_queries[i], scorer));
    let n_wrong = wrong.into_iter().sum::<Result<usize>>()?;
    Ok(n_wrong as f64 / tuples.len() as f64)
}

fn n_wrong(tuples: &[Preference], scorer: &dyn Scorer) -> Result<usize> {
    let documents: Vec<u32> = tuples.iter().flat_map(|tuple| [tuple.better, tuple.worse]).collect();
    let scores = scorer.scores(tuples[0].query, &documents)?;
    if scores.len() != documents.len() || scores.iter().any(|score| score.is_nan()) {
        let what = format!("{} documents got {} scores, or one that is no number", documents.len(), scores.len());
        return Err(Error::bad_data(what, "give one number for each document"));
    }
    let (pairs, _) = scores.as_chunks::<2>();
    Ok(pairs.iter().filter(|[better, worse]| better <= worse).count())
}
