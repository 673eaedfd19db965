//! Regularized mapping to latent structures as its paper writes it down: vectors w of Algorithm 1, the turns of
//! Algorithm 2, on plain numbers. Thresholds of the constrained form are found by halving an interval.

use crate::bilinear::Rows;
use crate::tuples::zeros;

/// What bounds the rows of one side.
#[derive(Debug, Clone, Copy)]
pub enum Bound {
    /// Equation (4): a charge on absolute values.
    Charge(f64),
    /// Equation (3): the largest absolute sum of a row.
    Sum(f64),
}

/// The cross-product matrix: (1/nˣ) Σ (1/nᵢ) Σ r xᵢ yⱼᵀ over (query, document, response), one for every pair.
pub fn cross_product(queries: &Rows, documents: &Rows, responses: &[(usize, usize, f64)]) -> Rows {
    let n_of = |query: usize| responses.iter().filter(|r| r.0 == query).count() as f64;
    let n_answered = (0..queries.len()).filter(|&i| n_of(i) > 0.0).count() as f64;
    let mut m = zeros(queries.first().map_or(0, Vec::len), documents.first().map_or(0, Vec::len));
    for &(i, j, r) in responses {
        for (row, x) in m.iter_mut().zip(&queries[i]) {
            for (sum, y) in row.iter_mut().zip(&documents[j]) {
                *sum += r * x * y / (n_answered * n_of(i));
            }
        }
    }
    m
}

/// tr(LₓᵀMLᵧ).
pub fn alignment(m: &Rows, x: &Rows, y: &Rows) -> f64 {
    let mut sum = 0.0;
    for (row, a) in m.iter().zip(x) {
        for (weight, b) in row.iter().zip(y) {
            sum += weight * a.iter().zip(b).map(|(p, q)| p * q).sum::<f64>();
        }
    }
    sum
}

/// The best rows of one side: M times the other side's rows, thresholded and scaled to a length.
pub fn best_rows(m: &Rows, other: &Rows, bound: Bound, length: f64) -> Rows {
    let width = other.first().map_or(0, Vec::len);
    let of_word = |weights: &Vec<f64>| {
        let omega: Vec<f64> =
            (0..width).map(|z| weights.iter().zip(other).map(|(w, row)| w * row[z]).sum::<f64>()).collect();
        let at = |t: f64| scaled(&omega, t, length);
        match bound {
            Bound::Charge(charge) => at(charge),
            Bound::Sum(most) => {
                let sum = |row: &[f64]| row.iter().map(|x| x.abs()).sum::<f64>();
                if sum(&at(0.0)) <= most {
                    return at(0.0);
                }
                let (mut low, mut high) = (0.0, omega.iter().fold(0.0f64, |a, b| a.max(b.abs())));
                for _ in 0..200 {
                    let middle = 0.5 * (low + high);
                    let row = at(middle);
                    let too_long = sum(&row) > most;
                    *(if too_long { &mut low } else { &mut high }) = middle;
                }
                at(0.5 * (low + high))
            }
        }
    };
    m.iter().map(of_word).collect()
}

fn scaled(omega: &[f64], threshold: f64, length: f64) -> Vec<f64> {
    let shrunk: Vec<f64> = omega.iter().map(|w| w.signum() * (w.abs() - threshold).max(0.0)).collect();
    let norm = shrunk.iter().map(|x| x * x).sum::<f64>().sqrt();
    shrunk.iter().map(|x| if norm > 0.0 { x * length / norm } else { 0.0 }).collect()
}

/// Takes so many turns from the rows of the documents' side.
pub fn rmls(m: &Rows, start: Rows, bounds: [Bound; 2], lengths: [f64; 2], iterations: usize) -> (Rows, Rows) {
    let transposed: Rows = (0..start.len()).map(|t| m.iter().map(|row| row[t]).collect()).collect();
    let (mut x, mut y) = (Vec::new(), start);
    for _ in 0..iterations {
        x = best_rows(m, &y, bounds[0], lengths[0]);
        y = best_rows(&transposed, &x, bounds[1], lengths[1]);
    }
    (x, y)
}
