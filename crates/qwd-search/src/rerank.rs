//! The second stage: hits in a new order, by a ranker over features of each.

use crate::query::Hit;
use qwd_core::{Error, Result};
use qwd_rank::Ranker;

/// Scores hits by a ranker and puts them in its order; ties keep the order they came in.
///
/// `features` gives the values of a hit, feature 1 first, scaled as the ranker was trained.
pub fn rerank(hits: &mut [Hit], ranker: &Ranker, mut features: impl FnMut(&Hit) -> Result<Vec<f32>>) -> Result<()> {
    for hit in hits.iter_mut() {
        let values = features(hit)?;
        if values.len() < ranker.n_features() {
            let what = format!("{} features for a ranker of {}", values.len(), ranker.n_features());
            return Err(Error::bad_data(what, "give every hit the features that the ranker was trained with"));
        }
        hit.score = ranker.score(&values);
        if !hit.score.is_finite() {
            return Err(Error::bad_data("a ranker's score is not finite", "scale the features to [0, 1]"));
        }
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(())
}
