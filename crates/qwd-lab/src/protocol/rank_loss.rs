//! The share of tuples that are scored in the wrong order, or tied.

use super::Scorer;
use qwd_core::{Error, Result, Threads};
use qwd_data::Preference;

/// Returns the rank loss of a method.
pub fn rank_loss(tuples: &[Preference], scorer: &dyn Scorer, threads: &Threads) -> Result<f64> {
    if tuples.is_empty() {
        return Err(Error::param("n_tuples", 0, "at least 1"));
    }
    let n_wrong = scored_pairs(tuples, scorer, threads)?.iter().filter(|[better, worse]| better <= worse).count();
    Ok(n_wrong as f64 / tuples.len() as f64)
}

/// The scores of every tuple's better and worse document; tuples of one query that stand together are scored together.
pub(crate) fn scored_pairs(tuples: &[Preference], scorer: &dyn Scorer, threads: &Threads) -> Result<Vec<[f32; 2]>> {
    let of_queries: Vec<&[Preference]> = tuples.chunk_by(|a, b| a.query == b.query).collect();
    let pairs = threads.map(of_queries.len(), |i| pairs_of_query(of_queries[i], scorer));
    Ok(pairs.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

fn pairs_of_query(tuples: &[Preference], scorer: &dyn Scorer) -> Result<Vec<[f32; 2]>> {
    let documents: Vec<u32> = tuples.iter().flat_map(|tuple| [tuple.better, tuple.worse]).collect();
    let scores = scorer.scores(tuples[0].query, &documents)?;
    if scores.len() != documents.len() || scores.iter().any(|score| score.is_nan()) {
        let what = format!("{} documents got {} scores, or one that is no number", documents.len(), scores.len());
        return Err(Error::bad_data(what, "give one number for each document"));
    }
    Ok(scores.as_chunks::<2>().0.to_vec())
}
