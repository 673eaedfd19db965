//! RankSVM-Primal: a dense linear ranker with squared hinge loss on pairs, by truncated Newton steps.
//!
//! Minimises ½‖w‖² + C Σ max(0, 1 − (Kw)_i)² over all pairs (equation 1 of the FenchelRank paper with the squared hinge).
//! Each step solves (I + 2C KᵀD K) b = −(w + 2C Kᵀd) by conjugate gradients, D marking the pairs that miss the margin,
//! and goes along b as far as is best. Chapelle and Keerthi, "Efficient Algorithms for Ranking with SVMs", *Information
//! Retrieval* 13(3), 2010. The sums over pairs are O(n log n) per query (`pairs.rs`), so nothing is enumerated.
//!
//! Cost: some tens of passes over the data per step, about ten steps. When not to use it: when few features must do;
//! every feature that varies gets a weight.

use crate::feature_set::FeatureSet;
use crate::line_search::exact_step;
use crate::linear_algebra::Columns;
use crate::measure::Validation;
use crate::pairs::{Along, Pairs};
use crate::progress::Reports;
use crate::ranker::Ranker;
use qwd_core::parameters::positive;
use qwd_core::{Error, Observer, Result, Threads, parameters};

parameters! {
    /// Parameters of RankSVM-Primal.
    pub struct RankSvmPrimalParams {
        /// The weight of the pairs' loss against ½‖w‖², above 0. Symbol: C.
        pub c: f64 = 0.001,
        /// The Newton decrement, relative to the objective, at which training ends; above 0.
        pub tolerance: f64 = 1e-6,
        /// The largest number of Newton steps, at least 1.
        pub max_iterations: u64 = 50,
        /// The largest number of conjugate gradient steps inside one, at least 1.
        pub max_inner_iterations: u64 = 50,
    }
}

impl RankSvmPrimalParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<RankSvmPrimal> {
        positive("c", self.c)?;
        positive("tolerance", self.tolerance)?;
        if self.max_iterations == 0 || self.max_inner_iterations == 0 {
            return Err(Error::param("max_iterations, max_inner_iterations", 0, "at least 1"));
        }
        Ok(RankSvmPrimal { params: self })
    }
}

/// RankSVM-Primal with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct RankSvmPrimal {
    params: RankSvmPrimalParams,
}

impl RankSvmPrimal {
    /// Learns a ranker; nothing is chosen on validation documents.
    pub fn train(
        &self,
        train: &FeatureSet,
        _: Option<Validation<'_>>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        self.objective_and_ranker(train, threads, observer).map(|(_, ranker)| ranker)
    }

    fn objective_and_ranker(
        &self,
        train: &FeatureSet,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<(f64, Ranker)> {
        let pairs = Pairs::new(train)?;
        let mut columns = Columns::varying(train);
        let n = train.n_documents();
        let (mut w, mut scores) = (vec![0.0; train.n_features()], vec![0.0; n]);
        let (mut c, mut direction) = (vec![0.0; n], vec![0.0; n]);
        let mut reports = Reports::new(observer, self.params.max_iterations);
        let twice_c = 2.0 * self.params.c;
        let mut objective = f64::INFINITY;
        for iteration in 0..self.params.max_iterations {
            let loss = pairs.gradient(&scores, 1.0, &mut c, threads);
            objective = 0.5 * inner(&w, &w) + self.params.c * loss;
            reports.tell(iteration, Some(objective), None)?;
            let mut gradient = columns.transposed_product(&c, threads);
            gradient.iter_mut().zip(&w).for_each(|(g, w)| *g = w + twice_c * *g);
            let b = solve(&gradient, self.params.max_inner_iterations, |v| {
                columns.product(v, &mut direction);
                pairs.curvature_product(&scores, &direction, 1.0, &mut c, threads);
                let mut product = columns.transposed_product(&c, threads);
                product.iter_mut().zip(v).for_each(|(p, v)| *p = v + twice_c * *p);
                product
            });
            columns.product(&b, &mut direction);
            let (b_b, b_w) = (inner(&b, &b), inner(&b, &w));
            let step = exact_step(1e6, |mu| {
                let along = pairs.along(&scores, &direction, mu, 1.0, threads);
                Along { slope: b_w + mu * b_b + twice_c * along.slope, curvature: b_b + twice_c * along.curvature }
            });
            w.iter_mut().zip(&b).for_each(|(w, b)| *w += step * b);
            scores.iter_mut().zip(&direction).for_each(|(s, d)| *s += step * d);
            if -inner(&gradient, &b) <= self.params.tolerance * objective || step == 0.0 {
                break;
            }
        }
        if !objective.is_finite() {
            return Err(Error::Diverged {
                step: 1,
                what: "the objective is not finite".into(),
                remedy: "scale the features to [0, 1]".into(),
            });
        }
        Ok((objective, Ranker::linear(w)))
    }
}

/// Solves H b = −gradient by conjugate gradients, to a tenth of the gradient's length at first and finer near the end.
fn solve(gradient: &[f64], max_iterations: u64, mut hessian: impl FnMut(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut b = vec![0.0; gradient.len()];
    let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut towards = residual.clone();
    let start = inner(&residual, &residual);
    let mut norm = start;
    // The squared residual to reach: Eisenstat and Walker's rule, which keeps Newton's convergence fast.
    let enough = start * start.sqrt().clamp(1e-8, 0.01);
    for _ in 0..max_iterations {
        if norm <= enough || norm == 0.0 {
            break;
        }
        let product = hessian(&towards);
        let step = norm / inner(&towards, &product);
        b.iter_mut().zip(&towards).for_each(|(b, t)| *b += step * t);
        residual.iter_mut().zip(&product).for_each(|(r, p)| *r -= step * p);
        let next = inner(&residual, &residual);
        towards.iter_mut().zip(&residual).for_each(|(t, r)| *t = r + next / norm * *t);
        norm = next;
    }
    b
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fenchel_rank::tests::problem;
    use qwd_core::Silent;

    #[test]
    fn no_small_change_of_a_weight_lowers_the_objective() {
        let set = problem(3, 10, 10, 6);
        let trainer = RankSvmPrimalParams { c: 0.1, tolerance: 1e-10, ..Default::default() }.build().expect("good");
        let (least, ranker) = trainer.objective_and_ranker(&set, &Threads::default(), &Silent).expect("trains");
        let Ranker::Linear(linear) = ranker else { panic!("a linear ranker") };
        let objective = |w: &[f64]| {
            let score = |i: usize| (0..w.len()).map(|j| w[j] * f64::from(set.column(j)[i])).sum::<f64>();
            let mut sum = 0.5 * inner(w, w);
            for query in set.queries() {
                for i in query.clone() {
                    for j in query.clone().filter(|&j| set.grades()[i] > set.grades()[j]) {
                        sum += 0.1 * (1.0 - score(i) + score(j)).max(0.0).powi(2);
                    }
                }
            }
            sum
        };
        let at = objective(linear.weights());
        assert!((at - least).abs() < 1e-4 * at);
        for j in 0..set.n_features() {
            for change in [-1e-2, 1e-2] {
                let mut w = linear.weights().to_vec();
                w[j] += change;
                assert!(objective(&w) >= at - 1e-6);
            }
        }
    }
}
