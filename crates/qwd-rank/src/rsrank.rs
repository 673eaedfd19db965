//! RSRank: a sparse linear ranker on pairs that count as much as their order matters for NDCG, by truncated gradients.
//!
//! Minimises ‖w‖₁ + C Σ W(i, j, w) ψ(⟨w, x_i − x_j⟩) over pairs (equation 8.5 of the FenchelRank paper), with
//!
//! - ψ(z) = max(0, 1 − z)² for z ≥ −1 and −4z below: the modified Huber loss, which a few bad pairs do not dominate;
//! - W(i, j, w) = |2^{y_i} − 2^{y_j}| · |1/log₂(1+ρ_i) − 1/log₂(1+ρ_j)| / ideal DCG: what exchanging the two would change in
//!   NDCG, at the ranks ρ that the current w gives. W is held while a step is taken.
//!
//! Sun, Qin, Tao and Wang, "Robust Sparse Rank Learning for Non-Smooth Ranking Measures", SIGIR 2009: pairs weighted by
//! the measure, ℓ1 by truncated gradient. Variant: full gradients from w = 0 (their start is chosen among random ones),
//! weights from NDCG over the whole list, the rate η/√t on the weighted mean.
//!
//! Cost: every pair of a query is visited each iteration, since each has its own weight: O(n²) per query, no memory. When
//! not to use it: lists of thousands of documents.

use crate::feature_set::FeatureSet;
use crate::linear_algebra::Columns;
use crate::measure::Validation;
use crate::progress::Reports;
use crate::ranker::Ranker;
use crate::tgrank::truncate;
use crate::training_measure::{discount, gain, rank};
use qwd_core::parameters::positive;
use qwd_core::{Error, Observer, Result, Threads, parameters};

parameters! {
    /// Parameters of RSRank.
    pub struct RsRankParams {
        /// The weight of the pairs' loss against ‖w‖₁, above 0. Symbol: C.
        pub c: f64 = 1.0,
        /// The number of iterations, at least 1.
        pub iterations: u64 = 500,
        /// The rate at the first step, above 0; it falls with the root of the steps. Symbol: η.
        pub learning_rate: f64 = 1.0,
    }
}

impl RsRankParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<RsRank> {
        positive("c", self.c)?;
        positive("learning_rate", self.learning_rate)?;
        if self.iterations == 0 {
            return Err(Error::param("iterations", 0, "at least 1"));
        }
        Ok(RsRank { params: self })
    }
}

/// RSRank with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct RsRank {
    params: RsRankParams,
}

impl RsRank {
    /// Learns a ranker; nothing is chosen on validation documents.
    pub fn train(
        &self,
        train: &FeatureSet,
        _: Option<Validation<'_>>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        train.expect_order()?;
        let mut columns = Columns::varying(train);
        let (mut w, mut scores) = (vec![0.0; train.n_features()], vec![0.0; train.n_documents()]);
        let ideals: Vec<f64> = train.queries().map(|query| ideal(&train.grades()[query])).collect();
        let mut reports = Reports::new(observer, self.params.iterations);
        for iteration in 0..self.params.iterations {
            columns.product(&w, &mut scores);
            let parts = threads.map(train.n_queries(), |q| {
                let query = train.query(q);
                weighted_gradient(&scores[query.clone()], &train.grades()[query], ideals[q])
            });
            let (mut c, mut loss, mut weight) = (Vec::with_capacity(scores.len()), 0.0, 0.0);
            for (part, part_loss, part_weight) in parts {
                c.extend(part);
                loss += part_loss;
                weight += part_weight;
            }
            if !f64::is_finite(loss) {
                let remedy = "lower learning_rate, or scale the features to [0, 1]".to_string();
                return Err(Error::Diverged { step: iteration + 1, what: "the loss is not finite".into(), remedy });
            }
            reports.tell(iteration, Some(loss), None)?;
            let gradient = columns.transposed_product(&c, threads);
            let rate = self.params.learning_rate / ((iteration + 1) as f64).sqrt();
            // Everything divided by C times the pairs' whole weight, as TGRank divides by C times their number.
            let weight = f64::max(weight, f64::MIN_POSITIVE);
            for (w, g) in w.iter_mut().zip(gradient) {
                *w = truncate(*w - rate * g / weight, rate / (self.params.c * weight), None);
            }
        }
        Ok(Ranker::linear(w))
    }
}

fn ideal(grades: &[i32]) -> f64 {
    let mut grades = grades.to_vec();
    grades.sort_unstable_by(|a, b| b.cmp(a));
    grades.iter().enumerate().map(|(rank, &g)| gain(g) * discount(rank)).sum()
}

/// Each document's part of the gradient, the weighted loss, and the weights' sum.
fn weighted_gradient(scores: &[f64], grades: &[i32], ideal: f64) -> (Vec<f64>, f64, f64) {
    let mut order = Vec::new();
    rank(scores, &mut order);
    let mut discounts = vec![0.0; scores.len()];
    order.iter().enumerate().for_each(|(rank, &i)| discounts[i as usize] = discount(rank));
    let (mut c, mut loss, mut whole) = (vec![0.0; scores.len()], 0.0, 0.0);
    for i in 0..scores.len() {
        for j in (0..scores.len()).filter(|&j| grades[i] > grades[j]) {
            let weight = (gain(grades[i]) - gain(grades[j])) * (discounts[i] - discounts[j]).abs() / ideal;
            let (value, slope) = modified_huber(scores[i] - scores[j]);
            loss += weight * value;
            whole += weight;
            c[i] += weight * slope;
            c[j] -= weight * slope;
        }
    }
    (c, loss, whole)
}

/// ψ and its derivative.
fn modified_huber(z: f64) -> (f64, f64) {
    if z >= 1.0 {
        (0.0, 0.0)
    } else if z >= -1.0 {
        ((1.0 - z).powi(2), -2.0 * (1.0 - z))
    } else {
        (-4.0 * z, -4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_is_smooth_where_its_pieces_meet() {
        for z in [-1.0, 1.0] {
            let (below, above) = (modified_huber(z - 1e-9), modified_huber(z + 1e-9));
            assert!((below.0 - above.0).abs() < 1e-7 && (below.1 - above.1).abs() < 1e-7);
        }
    }
}
