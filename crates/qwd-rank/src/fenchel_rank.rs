//! FenchelRank: a sparse linear ranker, by greedy coordinate steps inside an ℓ1 ball, stopped by the duality gap.
//!
//! Minimises, over ‖w‖₁ ≤ 1, G(w) = (r²/p) Σ max(0, 1/r − (Kw)_i)², one row of K per pair of documents of one query with
//! different grades: better minus worse (equation 4). The ranker is r·w. Algorithm 1, for t = 1 … T:
//!
//! - d_i = (2r²/p) max(0, 1/r − (Kw)_i),  g = dᵀK;  stop when the gap ‖g‖_∞ − ⟨d, Kw⟩ ≤ ε (equation 17);
//! - j = argmax |g_j|;  w ← (1 − μ) w + μ sign(g_j) e_j, with the μ in [0, 1] of least G (equations 18 to 21), or with
//!   μ = min(max(0, p⟨d, Kb⟩ / (2r²‖Kb‖²)), 1), b = sign(g_j) e_j − w (section 5.6, where max and min changed places and
//!   the scale is missing).
//!
//! Past the paper: *away steps* and *pairwise* steps, which take weight back from a feature chosen too early and so reach
//! a small gap in fewer passes (Lacoste-Julien and Jaggi, "On the Global Linear Convergence of Frank-Wolfe Optimization
//! Variants", NIPS 2015; the origin is one more point to step away from); an ℓ2 term (λ/2)‖r·w‖² beside the ball; and
//! [`FenchelRank::path`], one fit after another over growing radii, each from the last one's weights.
//!
//! Lai, Pan, Liu, Lin and Wu, "Sparse Learning-to-Rank via an Efficient Primal-Dual Algorithm", *IEEE Transactions on
//! Computers* 62(6), 2013. Cost per iteration: O(documents · features) for the gradient and a few O(n log n) per query
//! for the step; no pair is stored. Memory beside the data: 30 bytes per document. At most 16r²/ε − 1 iterations if
//! features are in [0, 1]. When not to use it: many correlated weak features that should all count; RankSVM-Primal keeps
//! them.

use crate::feature_set::FeatureSet;
use crate::frank_wolfe::State;
use crate::measure::Validation;
use crate::pairs::Pairs;
use crate::ranker::Ranker;
use qwd_core::parameters::{not_negative, positive};
use qwd_core::{Error, Observer, Result, Threads, parameters};
use serde::{Deserialize, Serialize};

/// How long a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepRule {
    /// As long as lowers the objective most: exact line search (equation 20).
    #[default]
    Exact,
    /// By the quadratic bound of section 5.6, as corrected: no search, more iterations.
    Bound,
}

/// Which way a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Towards the best feature: Algorithm 1.
    #[default]
    Towards,
    /// Towards the best feature, or away from the worst one in use.
    Away,
    /// From the worst feature in use to the best one.
    Pairwise,
}

parameters! {
    /// Parameters of FenchelRank.
    pub struct FenchelRankParams {
        /// The radius of the ball: the largest ‖w‖₁, above 0. Symbol: r.
        pub radius: f64 = 16.0,
        /// The duality gap at which training ends, at least 0. Symbol: ε.
        pub tolerance: f64 = 0.001,
        /// The largest number of iterations, at least 1. Symbol: T.
        pub max_iterations: u64 = 1000,
        /// The step: `exact` or `bound`. Symbol: μ.
        pub step: StepRule = StepRule::Exact,
        /// The direction: `towards` (Algorithm 1), `away` or `pairwise`.
        pub direction: Direction = Direction::Towards,
        /// The weight of ½‖w‖₂² beside the ball, at least 0; 0 in the paper.
        pub l2: f64 = 0.0,
    }
}

impl FenchelRankParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<FenchelRank> {
        positive("radius", self.radius)?;
        not_negative("tolerance", self.tolerance)?;
        not_negative("l2", self.l2)?;
        if self.max_iterations == 0 {
            return Err(Error::param("max_iterations", 0, "at least 1"));
        }
        Ok(FenchelRank { params: self })
    }
}

/// FenchelRank with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct FenchelRank {
    params: FenchelRankParams,
}

/// One look at the training: what figures of objective and gap are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TracePoint {
    /// The number of steps taken before.
    pub iteration: u64,
    /// G(w), with its ℓ2 term.
    pub objective: f64,
    /// The duality gap: the objective is at most so much above the best.
    pub gap: f64,
    /// The number of features with a weight.
    pub n_features: usize,
    /// The time since training began.
    pub seconds: f64,
}

/// A fit with its course.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fit {
    /// The radius of the ball.
    pub radius: f64,
    /// The ranker.
    pub ranker: Ranker,
    /// Every iteration; the last point is that of the ranker.
    pub trace: Vec<TracePoint>,
}

impl FenchelRank {
    /// Returns the parameters.
    pub fn params(&self) -> &FenchelRankParams {
        &self.params
    }

    /// Learns a ranker; nothing is chosen on validation documents.
    pub fn train(
        &self,
        train: &FeatureSet,
        _: Option<Validation<'_>>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        self.fit(train, threads, observer).map(|fit| fit.ranker)
    }

    /// Learns a ranker and tells how it went.
    pub fn fit(&self, train: &FeatureSet, threads: &Threads, observer: &dyn Observer) -> Result<Fit> {
        let pairs = Pairs::new(train)?;
        let mut state = State::new(train, &pairs, threads);
        state.run(&self.params, observer)
    }

    /// Learns one ranker for each radius, in ascending order, each from the weights of the one before.
    pub fn path(
        &self,
        train: &FeatureSet,
        radii: &[f64],
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Vec<Fit>> {
        let mut radii = radii.to_vec();
        radii.iter().try_for_each(|&r| positive("radius", r))?;
        radii.sort_by(f64::total_cmp);
        let pairs = Pairs::new(train)?;
        let mut state = State::new(train, &pairs, threads);
        let mut fits: Vec<Fit> = Vec::with_capacity(radii.len());
        for radius in radii {
            if let Some(last) = fits.last() {
                state.shrink(last.radius / radius);
            }
            fits.push(state.run(&FenchelRankParams { radius, ..self.params.clone() }, observer)?);
        }
        Ok(fits)
    }
}

#[cfg(test)]
#[path = "fenchel_rank_tests.rs"]
pub(crate) mod tests;
