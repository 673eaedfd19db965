//! Linear combinations of what several matchers say of the documents of one query, as RW + BM25 and LSI + BM25 of the RMLS
//! paper: Σ wᵢ sᵢ, with the scores as they are or brought to the range from 0 to 1 first.
//!
//! Matchers that are W's are better mixed as matrices ([`crate::Matrix::mixture`]): then the combination explains itself.

use qwd_core::error::{Error, Result};

/// What is done to a matcher's scores of one query before they are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// Nothing.
    None,
    /// The lowest becomes 0, the highest 1; where all are the same, all become 0.
    Range,
}

/// The weights among which [`best_weight`] chooses.
pub const WEIGHTS: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// The weighted sum of the scores that several matchers give to the same documents.
pub fn combine(parts: &[(f64, &[f32])], scaling: Scaling) -> Result<Vec<f32>> {
    let n = parts.first().map_or(0, |(_, scores)| scores.len());
    if parts.iter().any(|(weight, scores)| scores.len() != n || !weight.is_finite()) {
        return Err(Error::bad_data(
            "matchers that scored different documents, or a weight that is no number",
            "combine scores of the same documents by finite weights",
        ));
    }
    let mut sums = vec![0.0f64; n];
    for (weight, scores) in parts {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        scores.iter().for_each(|&s| (low, high) = (low.min(f64::from(s)), high.max(f64::from(s))));
        let (from, scale) = match scaling {
            Scaling::None => (0.0, 1.0),
            Scaling::Range => (low, if high > low { 1.0 / (high - low) } else { 0.0 }),
        };
        sums.iter_mut().zip(*scores).for_each(|(sum, &s)| *sum += weight * (f64::from(s) - from) * scale);
    }
    let combined: Vec<f32> = sums.into_iter().map(|sum| sum as f32).collect();
    if combined.iter().all(|s| s.is_finite()) { Ok(combined) } else { Err(crate::matrix::out_of_range("a score")) }
}

/// The weight of the first of two matchers, the second having the rest, with the highest figure on validation data; the
/// smallest of equals.
pub fn best_weight(mut figure: impl FnMut(f64) -> Result<f64>) -> Result<(f64, f64)> {
    let mut best = (f64::NAN, f64::NEG_INFINITY);
    for weight in WEIGHTS {
        let found = figure(weight)?;
        if found > best.1 {
            best = (weight, found);
        }
    }
    if best.0.is_nan() {
        return Err(Error::bad_data("no weight has a figure", "give validation queries with relevant documents"));
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_add_up() {
        let (a, b): (&[f32], &[f32]) = (&[1.0, 3.0, 2.0], &[10.0, -10.0, 0.0]);
        assert_eq!(combine(&[(0.5, a), (0.1, b)], Scaling::None).expect("fit"), [1.5, 0.5, 1.0]);
        assert_eq!(combine(&[(0.5, a), (0.25, b)], Scaling::Range).expect("fit"), [0.25, 0.5, 0.375]);
        assert_eq!(combine(&[(1.0, &[7.0, 7.0])], Scaling::Range).expect("fit"), [0.0, 0.0]);
        assert!(combine(&[], Scaling::None).expect("nothing").is_empty());
        assert!(combine(&[(1.0, a), (1.0, &b[1..])], Scaling::None).is_err());
        assert!(combine(&[(f64::NAN, a)], Scaling::None).is_err());
        assert!(combine(&[(1e300, a)], Scaling::None).is_err());
    }

    #[test]
    fn the_best_weight_is_the_smallest_of_equals() {
        let peak = |weight: f64| Ok(-(weight - 0.34).abs());
        assert_eq!(best_weight(peak).expect("a figure").0, 0.3);
        assert_eq!(best_weight(|_| Ok(1.0)).expect("a figure"), (0.1, 1.0));
        assert!(best_weight(|_| Ok(f64::NAN)).is_err());
        assert!(best_weight(|_| Err(Error::internal("stop"))).is_err());
    }
}
