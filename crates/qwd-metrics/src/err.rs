//! Expected reciprocal rank: the reader goes down the ranking and stops at the first document that satisfies.
//!
//! ERR@k = Σ over ranks i ≤ k of (1/i) · R(gᵢ) · Π over j < i of (1 − R(gⱼ)),   R(g) = (2^g − 1) / 2^G
//!
//! with G the highest grade of the collection's scale. G is a property of the judgments, not of a query: it is given in the
//! metric's name (`err(4)@20`) or by [`Ranking::with_max_grade`]; [`evaluate`](crate::evaluate) takes the highest grade of all
//! judgments. Grades above G count as G; unjudged documents never satisfy.
//!
//! Citation: Chapelle, Metzler, Zhang and Grinspan, "Expected Reciprocal Rank for Graded Relevance", CIKM 2009, algorithm 2.
//! Cost: O(k).

use crate::depth::Depth;
use crate::ranking::Ranking;

/// Returns the expected reciprocal rank on a scale of grades up to `max_grade`, or the ranking's own if none is given.
pub fn expected_reciprocal_rank(ranking: &Ranking, depth: Depth, max_grade: Option<i32>) -> f64 {
    let top = max_grade.unwrap_or(ranking.max_grade());
    let (mut still_reading, mut sum) = (1.0, 0.0);
    for (i, &grade) in depth.cut(ranking.grades()).iter().enumerate() {
        let satisfied = satisfaction(grade.min(top), top);
        sum += still_reading * satisfied / (i + 1) as f64;
        still_reading *= 1.0 - satisfied;
    }
    sum
}

/// R(g), written so that no power of two overflows.
fn satisfaction(grade: i32, top: i32) -> f64 {
    if grade < 1 { 0.0 } else { f64::from(grade - top).exp2() - f64::from(-top).exp2() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Judged;

    #[test]
    fn a_small_case_by_hand() {
        // On the scale 0..2: R(2) = 3/4, R(1) = 1/4.
        let ranking = Ranking::from_grades(vec![1, -1, 2], Judged::new([1, 2]));
        let expected = 0.25 + (1.0 / 3.0) * 0.75 * 0.75;
        assert!((expected_reciprocal_rank(&ranking, Depth::WHOLE, None) - expected).abs() < 1e-15);
        // On the scale 0..4: R(2) = 3/16, R(1) = 1/16.
        let expected = 1.0 / 16.0 + (1.0 / 3.0) * (15.0 / 16.0) * (3.0 / 16.0);
        let collection = ranking.with_max_grade(4);
        assert!((expected_reciprocal_rank(&collection, Depth::WHOLE, None) - expected).abs() < 1e-15);
        assert!(expected_reciprocal_rank(&collection, Depth::WHOLE, Some(i32::MAX)).abs() < 1e-9);
    }
}
