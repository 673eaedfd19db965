//! TGRank: a sparse linear ranker with squared hinge loss on pairs, by truncated gradient descent.
//!
//! Minimises ‖w‖₁ + C Σ max(0, 1 − (Kw)_i)² (equation 2 of the FenchelRank paper). Divided by Cp, the loss is a mean over
//! the p pairs, and for t = 1 … T
//!
//! w ← truncate(w − η ∇ mean loss, η/(Cp), θ),   truncate(v, a, θ) = v moved towards 0 by a, not past it, where |v| ≤ θ.
//!
//! Langford, Li and Zhang, "Sparse Online Learning via Truncated Gradient", JMLR 10, 2009, here with the full gradient,
//! as section 8.5.1 compares it. Two remarks. The paper prints C Σ 1/p; with its C = 0.1 that has w = 0 as its solution,
//! so the sum without 1/p must be meant, and is used. The rate is not given: η = 1/L is used unless set, L being the
//! largest curvature of the mean loss (a few power iterations).
//!
//! Cost: one pass over the data per iteration. When not to use it: always when FenchelRank is at hand; it is here for the
//! comparison.

use crate::feature_set::FeatureSet;
use crate::linear_algebra::Columns;
use crate::measure::Validation;
use crate::pairs::Pairs;
use crate::progress::Reports;
use crate::ranker::Ranker;
use qwd_core::parameters::positive;
use qwd_core::{Error, Observer, Result, Threads, parameters};

parameters! {
    /// Parameters of TGRank.
    pub struct TgRankParams {
        /// The weight of the pairs' loss against ‖w‖₁, above 0. Symbol: C.
        pub c: f64 = 0.1,
        /// The number of iterations, at least 1. Symbol: T.
        pub iterations: u64 = 1000,
        /// The rate η, above 0; left out, one over the largest curvature.
        pub learning_rate: Option<f64> = None,
        /// Weights beyond this are not moved towards 0; above 0, left out for no limit. Symbol: θ.
        pub threshold: Option<f64> = None,
    }
}

impl TgRankParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<TgRank> {
        positive("c", self.c)?;
        self.learning_rate.map_or(Ok(()), |rate| positive("learning_rate", rate))?;
        self.threshold.map_or(Ok(()), |threshold| positive("threshold", threshold))?;
        if self.iterations == 0 {
            return Err(Error::param("iterations", 0, "at least 1"));
        }
        Ok(TgRank { params: self })
    }
}

/// TGRank with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct TgRank {
    params: TgRankParams,
}

impl TgRank {
    /// Learns a ranker; nothing is chosen on validation documents.
    pub fn train(
        &self,
        train: &FeatureSet,
        _: Option<Validation<'_>>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        let pairs = Pairs::new(train)?;
        let mut columns = Columns::varying(train);
        let n = train.n_documents();
        let (mut w, mut scores, mut c) = (vec![0.0; train.n_features()], vec![0.0; n], vec![0.0; n]);
        let rate = match self.params.learning_rate {
            Some(rate) => rate,
            None => 1.0 / largest_curvature(&pairs, &mut columns, n, threads),
        };
        let shrinkage = rate / (self.params.c * pairs.n_pairs());
        let mut reports = Reports::new(observer, self.params.iterations);
        for iteration in 0..self.params.iterations {
            columns.product(&w, &mut scores);
            let loss = pairs.gradient(&scores, 1.0, &mut c, threads) / pairs.n_pairs();
            if !loss.is_finite() {
                let remedy = "lower learning_rate, or scale the features to [0, 1]".to_string();
                return Err(Error::Diverged { step: iteration + 1, what: "the loss is not finite".into(), remedy });
            }
            reports.tell(iteration, Some(loss), None)?;
            let gradient = columns.transposed_product(&c, threads);
            for (w, g) in w.iter_mut().zip(gradient) {
                *w = truncate(*w - rate * 2.0 / pairs.n_pairs() * g, shrinkage, self.params.threshold);
            }
        }
        Ok(Ranker::linear(w))
    }
}

/// Moves `v` towards 0 by `by`, not past it, unless it is beyond the threshold.
pub(crate) fn truncate(v: f64, by: f64, threshold: Option<f64>) -> f64 {
    if threshold.is_some_and(|threshold| v.abs() > threshold) { v } else { v - v.clamp(-by, by) }
}

/// The largest eigenvalue of (2/p) KᵀK, a little above it: no step of one over it can overshoot.
fn largest_curvature(pairs: &Pairs, columns: &mut Columns<'_>, n: usize, threads: &Threads) -> f64 {
    let mut v = vec![0.0; columns.features().iter().max().map_or(0, |j| j + 1)];
    columns.features().iter().for_each(|&j| v[j] = 1.0);
    let (mut direction, mut product, zeros) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut largest = 0.0;
    for _ in 0..20 {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length == 0.0 {
            break;
        }
        v.iter_mut().for_each(|x| *x /= length);
        columns.product(&v, &mut direction);
        pairs.curvature_product(&zeros, &direction, 1.0, &mut product, threads);
        v = columns.transposed_product(&product, threads);
        largest = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    }
    (1.1 * 2.0 * largest / pairs.n_pairs()).max(1e-12)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fenchel_rank::tests::problem;
    use crate::fenchel_rank::{Direction, FenchelRankParams};
    use qwd_core::Silent;

    /// Section 4: both problems have the same solution when r = ‖w‖₁.
    #[test]
    fn it_reaches_fenchel_ranks_objective_at_the_same_radius() {
        let set = problem(7, 10, 10, 6);
        let params = TgRankParams { c: 0.05, iterations: 20_000, ..Default::default() };
        let ranker = params.build().expect("good").train(&set, None, &Threads::default(), &Silent).expect("trains");
        let Ranker::Linear(linear) = &ranker else { panic!("a linear ranker") };
        let radius = linear.weights().iter().map(|w| w.abs()).sum();
        let params = FenchelRankParams {
            radius,
            tolerance: 1e-7,
            max_iterations: 20_000,
            direction: Direction::Pairwise,
            ..Default::default()
        };
        let fit = params.build().expect("good").fit(&set, &Threads::default(), &Silent).expect("trains");
        let pairs = Pairs::new(&set).expect("ordered");
        let mut scores = vec![0.0; set.n_documents()];
        Columns::varying(&set).product(linear.weights(), &mut scores);
        let loss =
            pairs.gradient(&scores, 1.0, &mut vec![0.0; set.n_documents()], &Threads::default()) / pairs.n_pairs();
        let other = fit.trace.last().expect("a point").objective;
        assert!((loss - other).abs() < 1e-3, "{loss} and {other}");
    }
}
