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
use crate::line_search::exact_step;
use crate::linear_algebra::{Columns, add_column};
use crate::measure::Validation;
use crate::pairs::{Along, Pairs};
use crate::progress::Reports;
use crate::ranker::Ranker;
use qwd_core::parameters::{not_negative, positive};
use qwd_core::{Error, Observer, Result, Threads, parameters};
use serde::{Deserialize, Serialize};
use std::time::Instant;

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

/// A corner of the ball, or the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Atom {
    Origin,
    Plus(usize),
    Minus(usize),
}

/// w as a mixture of corners and the origin, and its scores.
struct State<'a> {
    set: &'a FeatureSet,
    pairs: &'a Pairs,
    threads: &'a Threads,
    columns: Columns<'a>,
    origin: f64,
    plus: Vec<f64>,
    minus: Vec<f64>,
    w: Vec<f64>,
    scores: Vec<f64>,
    begun: Instant,
}

/// What a step does: w ← w + μ b, 0 ≤ μ ≤ `max`.
struct Move {
    to: Option<Atom>,
    from: Option<Atom>,
    max: f64,
}

impl<'a> State<'a> {
    fn new(set: &'a FeatureSet, pairs: &'a Pairs, threads: &'a Threads) -> Self {
        let (m, n) = (set.n_features(), set.n_documents());
        let columns = Columns::varying(set);
        let zeros = || vec![0.0; m];
        Self {
            set,
            pairs,
            threads,
            columns,
            origin: 1.0,
            plus: zeros(),
            minus: zeros(),
            w: zeros(),
            scores: vec![0.0; n],
            begun: Instant::now(),
        }
    }

    /// Rescales to a larger ball: the same ranker has smaller weights there.
    fn shrink(&mut self, factor: f64) {
        for weights in [&mut self.plus, &mut self.minus, &mut self.w, &mut self.scores] {
            weights.iter_mut().for_each(|x| *x *= factor);
        }
        self.origin = 1.0 - factor * (1.0 - self.origin);
    }

    fn run(&mut self, params: &FenchelRankParams, observer: &dyn Observer) -> Result<Fit> {
        let mut reports = Reports::new(observer, params.max_iterations);
        let mut gradient = vec![0.0; self.scores.len()];
        let mut direction = vec![0.0; self.scores.len()];
        let mut trace = Vec::new();
        let r = params.radius;
        // Half the derivative of the pairs' loss, times this, is the derivative of G.
        let scale = 2.0 * r * r / self.pairs.n_pairs();
        let ridge = params.l2 * r * r;
        for iteration in 0..=params.max_iterations {
            let loss = self.pairs.gradient(&self.scores, 1.0 / r, &mut gradient, self.threads);
            let mut g = self.columns.transposed_product(&gradient, self.threads);
            g.iter_mut().zip(&self.w).for_each(|(g, w)| *g = -scale * *g - ridge * w);
            let norm: f64 = self.w.iter().map(|w| w * w).sum();
            let g_w = -scale * gradient.iter().zip(&self.scores).map(|(c, s)| c * s).sum::<f64>() - ridge * norm;
            let best = best_corner(&g, self.columns.features());
            let gap = best.map_or(0.0, |(_, g)| g) - g_w;
            let objective = 0.5 * scale * loss + 0.5 * ridge * norm;
            let n_features = self.w.iter().filter(|w| **w != 0.0).count();
            trace.push(TracePoint {
                iteration,
                objective,
                gap,
                n_features,
                seconds: self.begun.elapsed().as_secs_f64(),
            });
            if !objective.is_finite() {
                let what = "the objective is not finite".to_string();
                return Err(Error::Diverged {
                    step: iteration + 1,
                    what,
                    remedy: "scale the features to [0, 1]".into(),
                });
            }
            reports.tell(iteration, Some(objective), None)?;
            let Some((corner, _)) = best.filter(|_| gap > params.tolerance && iteration < params.max_iterations) else {
                break;
            };
            let step = self.choose(params.direction, corner, gap, &g, g_w);
            self.walk(params, &step, &g, g_w, (ridge / scale, &mut direction));
        }
        let weights = self.w.iter().map(|w| r * w).collect();
        Ok(Fit { radius: r, ranker: Ranker::linear(weights), trace })
    }

    fn weight(&self, atom: Atom) -> f64 {
        match atom {
            Atom::Origin => self.origin,
            Atom::Plus(j) => self.plus[j],
            Atom::Minus(j) => self.minus[j],
        }
    }

    /// The corner in use that the objective would most like to be rid of.
    fn worst(&self, g: &[f64]) -> (Atom, f64) {
        let corners = self.columns.features().iter().flat_map(|&j| [(Atom::Plus(j), g[j]), (Atom::Minus(j), -g[j])]);
        let used = [(Atom::Origin, 0.0)].into_iter().chain(corners).filter(|&(atom, _)| self.weight(atom) > 0.0);
        used.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((Atom::Origin, 0.0))
    }

    fn choose(&self, direction: Direction, best: Atom, gap: f64, g: &[f64], g_w: f64) -> Move {
        let towards = Move { to: Some(best), from: None, max: 1.0 };
        let (worst, g_worst) = match direction {
            Direction::Towards => return towards,
            Direction::Away | Direction::Pairwise => self.worst(g),
        };
        let weight = self.weight(worst);
        match direction {
            Direction::Pairwise => Move { to: Some(best), from: Some(worst), max: weight },
            _ if g_w - g_worst > gap && weight < 1.0 => {
                Move { to: None, from: Some(worst), max: weight / (1.0 - weight) }
            }
            _ => towards,
        }
    }

    /// Takes a step of the best length.
    fn walk(
        &mut self,
        params: &FenchelRankParams,
        step: &Move,
        g: &[f64],
        g_w: f64,
        (ridge, direction): (f64, &mut Vec<f64>),
    ) {
        // b = (to or w) − (from or w), and its scores.
        let mut b: Vec<f64> = vec![0.0; self.w.len()];
        let keeps = step.to.is_some() && step.from.is_some();
        let sign = if step.to.is_some() { -1.0 } else { 1.0 };
        let factor = if keeps { 0.0 } else { sign };
        b.iter_mut().zip(&self.w).for_each(|(b, w)| *b = factor * w);
        direction.iter_mut().zip(&self.scores).for_each(|(d, s)| *d = factor * s);
        for (atom, way) in [(step.to, 1.0), (step.from, -1.0)] {
            let (j, way) = match atom {
                Some(Atom::Plus(j)) => (j, way),
                Some(Atom::Minus(j)) => (j, -way),
                _ => continue,
            };
            b[j] += way;
            add_column(direction, way, self.set.column(j));
        }
        let (b_b, b_w) = (inner(&b, &b), inner(&b, &self.w));
        let mu = match params.step {
            StepRule::Exact => exact_step(step.max, |mu| {
                let along = self.pairs.along(&self.scores, direction, mu, 1.0 / params.radius, self.threads);
                Along { slope: along.slope + ridge * (b_w + mu * b_b), curvature: along.curvature + ridge * b_b }
            }),
            StepRule::Bound => {
                let g_b = inner(g, &b) + if keeps { 0.0 } else { factor * (g_w - inner(g, &self.w)) };
                let scale = 2.0 * params.radius.powi(2) / self.pairs.n_pairs();
                let bound = scale * (self.pairs.squared_differences(direction, self.threads) + ridge * b_b);
                if bound > 0.0 { (g_b / bound).clamp(0.0, step.max) } else { step.max }
            }
        };
        self.apply(step, mu, direction);
    }

    fn apply(&mut self, step: &Move, mu: f64, direction: &[f64]) {
        let keep = match (step.to, step.from) {
            (Some(_), Some(_)) => 1.0,
            (Some(_), None) => 1.0 - mu,
            _ => 1.0 + mu,
        };
        if keep != 1.0 {
            self.origin *= keep;
            for weights in [&mut self.plus, &mut self.minus] {
                weights.iter_mut().for_each(|x| *x *= keep);
            }
        }
        let dropped = mu >= step.max;
        for (atom, change, drop) in [(step.to, mu, false), (step.from, -mu, dropped)] {
            let slot = match atom {
                Some(Atom::Origin) => &mut self.origin,
                Some(Atom::Plus(j)) => &mut self.plus[j],
                Some(Atom::Minus(j)) => &mut self.minus[j],
                None => continue,
            };
            *slot = if drop { 0.0 } else { (*slot + change).max(0.0) };
        }
        self.w.iter_mut().zip(self.plus.iter().zip(&self.minus)).for_each(|(w, (plus, minus))| *w = plus - minus);
        self.scores.iter_mut().zip(direction).for_each(|(s, d)| *s += mu * d);
    }
}

/// The corner of steepest ascent and its g; the first of equals.
fn best_corner(g: &[f64], features: &[usize]) -> Option<(Atom, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for &j in features {
        if best.is_none_or(|(_, largest)| g[j].abs() > largest) {
            best = Some((j, g[j].abs()));
        }
    }
    best.map(|(j, largest)| (if g[j] >= 0.0 { Atom::Plus(j) } else { Atom::Minus(j) }, largest))
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
#[path = "fenchel_rank_tests.rs"]
pub(crate) mod tests;
