//! The steps of FenchelRank: w as a mixture of corners of the ℓ1 ball and the origin, moved towards one corner, away from
//! another, or from one to the other. `fenchel_rank.rs` has the formulas.

use crate::feature_set::FeatureSet;
use crate::fenchel_rank::{Direction, FenchelRankParams, Fit, StepRule, TracePoint};
use crate::line_search::exact_step;
use crate::linear_algebra::{Columns, add_column};
use crate::pairs::{Along, Pairs};
use crate::progress::Reports;
use crate::ranker::Ranker;
use qwd_core::{Error, Observer, Result, Threads};
use std::time::Instant;

/// A corner of the ball, or the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Atom {
    Origin,
    Plus(usize),
    Minus(usize),
}

/// w as a mixture of corners and the origin, and its scores.
pub(crate) struct State<'a> {
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
    pub(crate) fn new(set: &'a FeatureSet, pairs: &'a Pairs, threads: &'a Threads) -> Self {
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
    pub(crate) fn shrink(&mut self, factor: f64) {
        for weights in [&mut self.plus, &mut self.minus, &mut self.w, &mut self.scores] {
            weights.iter_mut().for_each(|x| *x *= factor);
        }
        self.origin = 1.0 - factor * (1.0 - self.origin);
    }

    pub(crate) fn run(&mut self, params: &FenchelRankParams, observer: &dyn Observer) -> Result<Fit> {
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

pub(crate) fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
