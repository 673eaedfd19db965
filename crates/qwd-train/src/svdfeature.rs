//! Factorisation with features (SVDFeature: Chen et al., JMLR 2012): W = P Qᵀ, fitted to responses by stochastic gradient
//! descent. A query's factors are the sum of its features' rows of P, a document's those of Q.
//!
//! Two variants: `squared` fits p·q to the response less the mean response (the global bias), over the pairs with a response
//! in random order, once an epoch; `pairwise` makes a query's document score higher than a random document, by the logistic
//! loss, the response being the weight. The biases of single features are left out, having no place in a bilinear W.
//!
//! Cost of an epoch: pairs times features of both times d, on one thread: each step needs the one before. Responses that
//! differ by orders of magnitude make `squared` diverge: damp them or take their logarithms.

use crate::click_problem::{ClickProblem, damped};
use crate::latent_rows::{LatentRows, latent_matrix};
use crate::mix_with_identity::{check_alpha, mix_with_identity};
use crate::problem::Problem;
use crate::session::{Session, Tally};
use crate::trainer::{Start, Trained};
use qwd_core::kernel::{add_rows, add_scaled, dot};
use qwd_core::parameters::{not_negative, positive};
use qwd_core::{Error, Result, Rng, SparseView, parameters};
use serde::{Deserialize, Serialize};

/// What is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// Responses, by squared errors.
    Squared,
    /// The order of a query's document and a random one, by the logistic loss.
    #[default]
    Pairwise,
}

parameters! {
    /// Parameters of the factorisation with features.
    pub struct SvdFeatureParams {
        /// The number of dimensions, 1 to 65536. Symbol: d.
        pub rank: usize = 100,
        /// `squared` (responses) or `pairwise` (orders).
        pub fit: Fit = Fit::Pairwise,
        /// Passes over the pairs, 1 to 1000.
        pub epochs: usize = 10,
        /// The step size, above 0.
        pub learning_rate: f64 = 0.1,
        /// The penalty on squared factors, at least 0.
        pub l2: f64 = 1e-4,
        /// The deviation of the random start, at least 0, divided by the root of the dimensions.
        pub deviation: f64 = 1.0,
        /// How much less queries with many responses weigh, 0 (as given) to 1 (every query the same).
        pub damping: f64 = 1.0,
        /// If training starts from I, the share of the factors, 0 to 1; without it, chosen on the training tuples.
        pub alpha: Option<f64> = None,
        /// The seed of all random choices.
        pub seed: u64 = 1,
    }
}

impl SvdFeatureParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<SvdFeature> {
        if !(1..=65_536).contains(&self.rank) {
            return Err(Error::param("rank", self.rank, "1 to 65536 dimensions"));
        }
        if !(1..=1000).contains(&self.epochs) {
            return Err(Error::param("epochs", self.epochs, "1 to 1000"));
        }
        positive("learning_rate", self.learning_rate)?;
        not_negative("l2", self.l2)?;
        not_negative("deviation", self.deviation)?;
        if !(0.0..=1.0).contains(&self.damping) {
            return Err(Error::param("damping", self.damping, "0 to 1"));
        }
        check_alpha(self.alpha)?;
        Ok(SvdFeature { params: self })
    }
}

/// The factorisation with features, with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct SvdFeature {
    params: SvdFeatureParams,
}

/// P and Q.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors {
    /// A row for every query feature.
    pub queries: LatentRows,
    /// A row for every document feature.
    pub documents: LatentRows,
    /// The mean loss of each epoch.
    pub course: Vec<f64>,
}

impl SvdFeature {
    /// Learns W from the problem's responses, alone or mixed with I.
    pub fn train(&self, problem: &Problem<'_>, start: Start<'_>, session: &mut Session<'_>) -> Result<Trained> {
        let response = problem.response()?;
        let factors = self.fit(&ClickProblem::try_new(problem.queries(), problem.documents(), &response)?, session)?;
        let steps = (self.params.epochs * response.nnz()) as u64;
        let latent = latent_matrix(factors.queries, factors.documents)?;
        let matrix = mix_with_identity(latent, self.params.alpha, 0.0, problem, start, session)?;
        Ok(Trained { matrix, state: None, steps })
    }

    /// Learns P and Q.
    pub fn fit(&self, problem: &ClickProblem<'_>, session: &mut Session<'_>) -> Result<Factors> {
        problem.check()?;
        let rank = self.params.rank;
        let response = damped(problem.response, self.params.damping)?;
        let mut pairs: Vec<(u32, u32, f32)> = Vec::with_capacity(response.nnz());
        for (query, row) in (0u32..).zip(response.rows()) {
            pairs.extend(row.iter().map(|(document, r)| (query, document, r)));
        }
        let mean = pairs.iter().map(|pair| f64::from(pair.2)).sum::<f64>() / pairs.len() as f64;
        let mut rng = Rng::new(self.params.seed);
        let mut table = |n: usize| -> Vec<f32> {
            let deviation = self.params.deviation / (rank as f64).sqrt();
            (0..n * rank).map(|_| (deviation * rng.normal()) as f32).collect()
        };
        let mut p = table(problem.queries.n_cols() as usize);
        let mut q = table(problem.documents.n_cols() as usize);
        let mut course = Vec::with_capacity(self.params.epochs);
        for epoch in 0..self.params.epochs {
            rng.shuffle(&mut pairs);
            let mut loss = 0.0;
            for &(query, document, r) in &pairs {
                let x = problem.queries.row(query as usize);
                let y = problem.documents.row(document as usize);
                loss += match self.params.fit {
                    Fit::Squared => self.fit_response(x, y, f64::from(r) - mean, &mut p, &mut q),
                    Fit::Pairwise => {
                        let other = problem.documents.row(rng.below(problem.documents.n_rows()));
                        let difference = y.minus(other);
                        self.fit_order(x, difference.view(), f64::from(r) / mean, &mut p, &mut q)
                    }
                };
            }
            let mean_loss = loss / pairs.len() as f64;
            if !mean_loss.is_finite() {
                return Err(Error::Diverged {
                    step: (epoch + 1) as u64,
                    what: "the loss is no finite number".to_owned(),
                    remedy: "take a smaller learning_rate, or damp the responses".to_owned(),
                });
            }
            course.push(mean_loss);
            session.report(&mut Tally::default(), (epoch + 1) as u64, self.params.epochs as u64)?;
        }
        let rows = |numbers| LatentRows::Dense { width: rank, numbers };
        Ok(Factors { queries: rows(p), documents: rows(q), course })
    }

    /// A step towards p·q = target; returns the squared error before it.
    fn fit_response(&self, x: SparseView<'_>, y: SparseView<'_>, target: f64, p: &mut [f32], q: &mut [f32]) -> f64 {
        let [a, b] = self.factors(x, y, p, q);
        let error = target - f64::from(dot(&a, &b));
        self.step(x, y, error, [&a, &b], p, q);
        error * error
    }

    /// A step that makes the score of a better document less a worse one larger; returns the logistic loss before it.
    fn fit_order(&self, x: SparseView<'_>, y: SparseView<'_>, weight: f64, p: &mut [f32], q: &mut [f32]) -> f64 {
        let [a, b] = self.factors(x, y, p, q);
        let score = f64::from(dot(&a, &b));
        self.step(x, y, weight / (1.0 + score.exp()), [&a, &b], p, q);
        weight * ((-score.abs()).exp().ln_1p() + (-score).max(0.0))
    }

    fn factors(&self, x: SparseView<'_>, y: SparseView<'_>, p: &[f32], q: &[f32]) -> [Vec<f32>; 2] {
        let (mut a, mut b) = (vec![0.0; self.params.rank], vec![0.0; self.params.rank]);
        add_rows(x, p, &mut a);
        add_rows(y, q, &mut b);
        [a, b]
    }

    fn step(
        &self,
        x: SparseView<'_>,
        y: SparseView<'_>,
        slope: f64,
        [a, b]: [&[f32]; 2],
        p: &mut [f32],
        q: &mut [f32],
    ) {
        let rank = self.params.rank;
        let rate = self.params.learning_rate;
        let keep = (1.0 - rate * self.params.l2).max(0.0) as f32;
        for (words, table, towards) in [(x, p, b), (y, q, a)] {
            for (word, value) in words.iter() {
                let row = &mut table[word as usize * rank..][..rank];
                row.iter_mut().for_each(|x| *x *= keep);
                add_scaled(row, (rate * slope * f64::from(value)) as f32, towards);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_core::{Csr, SparseVec, Threads};

    fn one(pairs: &[(u32, f32)]) -> SparseVec {
        SparseVec::from_pairs(pairs.to_vec()).expect("finite")
    }

    /// Steps go down the slope of the loss, by central differences.
    #[test]
    fn steps_follow_the_gradient() {
        let params = SvdFeatureParams { rank: 3, learning_rate: 1e-3, l2: 0.0, ..SvdFeatureParams::default() };
        let trainer = params.build().expect("good");
        let (x, y) = (one(&[(0, 0.7), (2, -0.4)]), one(&[(1, 0.9), (3, 0.2)]));
        let mut rng = Rng::new(4);
        let p: Vec<f32> = (0..9).map(|_| rng.normal() as f32).collect();
        let q: Vec<f32> = (0..12).map(|_| rng.normal() as f32).collect();
        for fit in [Fit::Squared, Fit::Pairwise] {
            let loss = |p: &[f32], q: &[f32]| -> f64 {
                let [a, b] = trainer.factors(x.view(), y.view(), p, q);
                let score: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                match fit {
                    // Half the square: its slope is the error itself.
                    Fit::Squared => 0.5 * (0.3 - score).powi(2),
                    Fit::Pairwise => 1.7 * (-score).exp().ln_1p(),
                }
            };
            let (mut new_p, mut new_q) = (p.clone(), q.clone());
            match fit {
                Fit::Squared => trainer.fit_response(x.view(), y.view(), 0.3, &mut new_p, &mut new_q),
                Fit::Pairwise => trainer.fit_order(x.view(), y.view(), 1.7, &mut new_p, &mut new_q),
            };
            for i in 0..9 {
                let at = |by: f32| {
                    let mut moved = p.clone();
                    moved[i] += by;
                    loss(&moved, &q)
                };
                let slope = (at(1e-2) - at(-1e-2)) / 2e-2;
                let step = f64::from(new_p[i] - p[i]) / 1e-3;
                assert!((step + slope).abs() < 5e-3, "{fit:?} {i}: {step} {slope}");
            }
        }
    }

    #[test]
    fn a_planted_match_is_learned() {
        // Query word i goes with document word i.
        let rows = |shift: usize| {
            let mut csr = Csr::empty(6);
            (0..60).for_each(|i| csr.push(one(&[((i + shift) as u32 % 6, 1.0)]).view()).expect("in range"));
            csr
        };
        let (queries, documents) = (rows(0), rows(0));
        let clicks = Csr::from_parts(60, (0..=60).collect(), (0..60).collect(), vec![1.0; 60]).expect("valid");
        let problem = ClickProblem { queries: &queries, documents: &documents, response: &clicks };
        let params = SvdFeatureParams { rank: 6, epochs: 60, learning_rate: 0.3, ..SvdFeatureParams::default() };
        let trainer = params.build().expect("good");
        let factors = trainer.fit(&problem, &mut Session::quiet(&Threads::default())).expect("fits");
        assert!(factors.course[59] < 0.5 * factors.course[0], "{:?}", factors.course);
        let matrix = latent_matrix(factors.queries, factors.documents).expect("fits");
        for s in 0..6 {
            let best = (0..6).max_by(|&a, &b| {
                let entry = |t| matrix.entry(s, t).expect("in range");
                entry(a).total_cmp(&entry(b))
            });
            assert_eq!(best, Some(s));
        }
    }

    #[test]
    fn an_absurd_rate_diverges() {
        let x = Csr::from_parts(1, vec![0, 1, 2], vec![0, 0], vec![1.0, 1.0]).expect("valid");
        let clicks = Csr::from_parts(2, vec![0, 1, 2], vec![0, 1], vec![1.0, 5000.0]).expect("valid");
        let problem = ClickProblem { queries: &x, documents: &x, response: &clicks };
        let params = SvdFeatureParams { fit: Fit::Squared, learning_rate: 10.0, ..SvdFeatureParams::default() };
        let outcome = params.build().expect("good").fit(&problem, &mut Session::quiet(&Threads::default()));
        assert!(matches!(outcome, Err(Error::Diverged { .. })), "{outcome:?}");
    }
}
