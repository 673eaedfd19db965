//! Exact line search on a convex, piecewise quadratic function of one variable.
//!
//! min φ(μ), 0 ≤ μ ≤ μmax, with φ(μ) = Σ max(0, a_i − μ b_i)² over pairs (equation 20 of the FenchelRank paper). The paper
//! sorts the points where a pair enters or leaves, one per pair, and solves every piece. Here a Newton step from the
//! current piece lands on the minimum as soon as the piece is the right one; steps that leave the bracket are halved. A
//! handful of passes over the documents, each O(n log n), and the answer is the same to rounding.

use crate::pairs::Along;

/// The slope at which the minimum is taken to be reached, relative to the slope at the start.
const PRECISION: f64 = 1e-11;
const MAX_PASSES: usize = 60;

/// The step of least φ in [0, `max`]; `along` gives slope and curvature.
pub(crate) fn exact_step(max: f64, along: impl Fn(f64) -> Along) -> f64 {
    let start = along(0.0);
    if start.slope >= 0.0 || max <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high, mut high_tried) = (0.0, max, false);
    let mut step = newton(0.0, start, low, high);
    for _ in 0..MAX_PASSES {
        let here = along(step);
        if here.slope.abs() <= PRECISION * start.slope.abs() || (step >= max && here.slope <= 0.0) {
            return step;
        }
        if here.slope < 0.0 {
            low = step;
        } else {
            (high, high_tried) = (step, true);
        }
        let next = newton(step, here, low, high);
        let stuck = next <= low || (high_tried && next >= high);
        let next = if stuck { 0.5 * (low + high) } else { next };
        if (next - step).abs() <= 1e-15 * (low + high) {
            return next;
        }
        step = next;
    }
    step
}

/// A Newton step, kept inside the bracket.
fn newton(step: f64, here: Along, low: f64, high: f64) -> f64 {
    let next = step - here.slope / here.curvature;
    if next.is_finite() { next.clamp(low, high) } else { high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Equation 21: the best of the minima of all pieces.
        #[test]
        fn the_step_is_that_of_solving_every_piece(
            pairs in proptest::collection::vec((-2.0f64..2.0, -2.0f64..2.0), 1..30),
        ) {
            let phi = |x: f64| pairs.iter().map(|(a, b)| (a - x * b).max(0.0).powi(2)).sum::<f64>();
            let along = |x: f64| pairs.iter().fold(Along::default(), |sum, (a, b)| {
                let missing = a - x * b;
                if missing <= 0.0 { return sum; }
                Along { slope: sum.slope - missing * b, curvature: sum.curvature + b * b }
            });
            let mut ends: Vec<f64> = pairs.iter().map(|(a, b)| a / b).filter(|c| (0.0..=1.0).contains(c)).collect();
            ends.extend([0.0, 1.0]);
            ends.sort_by(f64::total_cmp);
            let mut best = f64::INFINITY;
            for piece in ends.windows(2) {
                let middle = 0.5 * (piece[0] + piece[1]);
                let here = along(middle);
                let bottom = if here.curvature > 0.0 { middle - here.slope / here.curvature } else { middle };
                best = best.min(phi(bottom.clamp(piece[0], piece[1])));
            }
            prop_assert!(phi(exact_step(1.0, along)) <= best + 1e-10);
        }
    }
}
