//! Blend: several rankers of different kinds, added up.
//!
//! score(x) = Σ_k s_k(x)/σ_k, with σ_k the deviation of member k's scores from their query's mean over the training documents,
//! so that each has the same say. Each member is trained over its own grid and chosen on the validation documents;
//! without any, it has its defaults. Rankers that err on different queries correct each other, at the price of being read
//! less easily. The default members are those of the highest mean validation NDCG@10 on MQ2008's folds among all subsets of
//! fenchel, rsrank, rankboost, coordinate-ascent and tgrank. Their weights are not searched for: weights fitted to a few hundred validation queries (Caruana et al.,
//! "Ensemble Selection from Libraries of Models", ICML 2004) were no better on MQ2008.
//!
//! Cost: that of the members with their grids. When not to use it: when a sparse ranker must come out.

use crate::feature_set::FeatureSet;
use crate::grid::Grid;
use crate::measure::Validation;
use crate::method::Method;
use crate::ranker::Ranker;
use qwd_core::{Error, Observer, Result, Threads, parameters};
use serde::{Deserialize, Serialize};
use std::ops::Range;

parameters! {
    /// Parameters of a blend.
    pub struct BlendParams {
        /// The methods, with + between them.
        pub members: String = "fenchel+rsrank+rankboost+tgrank".to_string(),
    }
}

impl BlendParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<BlendTrainer> {
        let members = self.members.split('+').map(|name| Method::from_name(name.trim()));
        let members = members.collect::<Result<Vec<Method>>>()?;
        if members.iter().any(|member| matches!(member, Method::Blend(_))) {
            return Err(Error::param("members", &self.members, "methods other than blend"));
        }
        Ok(BlendTrainer { members })
    }
}

/// A blend with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct BlendTrainer {
    members: Vec<Method>,
}

impl BlendTrainer {
    /// Learns the members; the parameters of each are chosen on validation documents if there are any.
    pub fn train(
        &self,
        train: &FeatureSet,
        validation: Option<Validation<'_>>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        let mut parts = Vec::with_capacity(self.members.len());
        for member in &self.members {
            let ranker = best_of_grid(member, train, validation, threads, observer)?;
            let spread = spread(train, &ranker.score_all(train, threads)?);
            // A member that scores all documents of a query alike has no say, however large its weight.
            parts.push(Part { weight: if spread > 0.0 { 1.0 / spread } else { 0.0 }, ranker });
        }
        Ok(Ranker::Blend(Blend { parts }))
    }
}

/// Trains every point of a method's grid and keeps the best on validation documents, the first of equals.
fn best_of_grid(
    method: &Method,
    train: &FeatureSet,
    validation: Option<Validation<'_>>,
    threads: &Threads,
    observer: &dyn Observer,
) -> Result<Ranker> {
    let Some(held_out) = validation else { return method.train(train, None, threads, observer) };
    let mut best: Option<(f64, Ranker)> = None;
    for point in Grid::default_of(method).methods(method)? {
        let ranker = point.train(train, validation, threads, observer)?;
        let figure = held_out.figure(&ranker.score_all(held_out.set, threads)?)?;
        if best.as_ref().is_none_or(|(highest, _)| figure > *highest) {
            best = Some((figure, ranker));
        }
    }
    best.map(|(_, ranker)| ranker).ok_or_else(|| Error::internal("a grid has at least one point"))
}

/// The root of the mean squared deviation of scores from their query's mean.
fn spread(set: &FeatureSet, scores: &[f32]) -> f64 {
    let squares = set.queries().map(|query| {
        let scores = &scores[query];
        let mean = scores.iter().map(|&s| f64::from(s)).sum::<f64>() / scores.len() as f64;
        scores.iter().map(|&s| (f64::from(s) - mean).powi(2)).sum::<f64>()
    });
    (squares.sum::<f64>() / scores.len().max(1) as f64).sqrt()
}

/// Rankers and how much each counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blend {
    parts: Vec<Part>,
}

/// One ranker of a blend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// What its score is multiplied by.
    pub weight: f64,
    /// The ranker.
    pub ranker: Ranker,
}

impl Blend {
    /// Returns the rankers and their weights.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    pub(crate) fn n_features(&self) -> usize {
        self.parts.first().map_or(0, |part| part.ranker.n_features())
    }

    pub(crate) fn score(&self, features: &[f32]) -> f32 {
        let scores = self.parts.iter().map(|part| part.weight * f64::from(part.ranker.score(features)));
        scores.sum::<f64>() as f32
    }

    pub(crate) fn score_rows(&self, set: &FeatureSet, rows: Range<usize>) -> Vec<f32> {
        let mut sums = vec![0.0; rows.len()];
        for part in &self.parts {
            let scores = part.ranker.score_rows(set, rows.clone());
            sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum += part.weight * f64::from(score));
        }
        sums.into_iter().map(|sum| sum as f32).collect()
    }

    /// What each feature weighs in the parts, each part's weights as shares of their sum.
    pub(crate) fn weights(&self) -> Vec<f64> {
        let mut weights = vec![0.0; self.n_features()];
        for part in self.parts.iter().filter(|part| part.weight != 0.0) {
            let chosen = part.ranker.features();
            let whole: f64 = chosen.iter().map(|feature| feature.weight.abs()).sum();
            chosen.iter().for_each(|f| weights[f.feature - 1] += f.weight.abs() / whole / self.parts.len() as f64);
        }
        weights
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        if self.parts.is_empty() {
            return Err("a blend of nothing".into());
        }
        for part in &self.parts {
            if !part.weight.is_finite() {
                return Err("a weight is not finite".into());
            }
            if matches!(part.ranker, Ranker::Blend(_)) {
                return Err("a blend inside a blend".into());
            }
            if part.ranker.n_features() != self.n_features() {
                return Err("parts with different numbers of features".into());
            }
            part.ranker.check()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fenchel_rank::tests::problem;
    use qwd_core::Silent;
    use qwd_metrics::{Depth, Metric};

    #[test]
    fn every_member_has_the_same_say() {
        let (train, held_out) = (problem(31, 30, 8, 5), problem(32, 20, 8, 5));
        let trainer = BlendParams { members: "fenchel + ranksvm-primal".into() }.build().expect("checked");
        let validation = Validation { set: &held_out, metric: Metric::ExponentialNdcg(Depth::at(5).expect("a depth")) };
        let ranker = trainer.train(&train, Some(validation), &Threads::default(), &Silent).expect("trains");
        let Ranker::Blend(blend) = &ranker else { panic!("a blend") };
        for part in blend.parts() {
            let scores = part.ranker.score_all(&train, &Threads::default()).expect("scores");
            assert!((part.weight * spread(&train, &scores) - 1.0).abs() < 1e-9);
        }
        let sum = |row: &[f32]| blend.parts().iter().map(|p| p.weight * f64::from(p.ranker.score(row))).sum::<f64>();
        let row = train.row(7);
        assert!((f64::from(ranker.score(&row)) - sum(&row)).abs() < 1e-5);
        assert!((blend.weights().iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for members in ["", "fenchel+nonsense", "blend", "fenchel+blend"] {
            assert!(BlendParams { members: members.into() }.build().is_err(), "{members}");
        }
        let part = |n: usize| Part { weight: 1.0, ranker: Ranker::linear(vec![1.0; n]) };
        assert!(Blend { parts: vec![part(2), part(2)] }.check().is_ok());
        let nested = Part { weight: 1.0, ranker: Ranker::Blend(Blend { parts: vec![part(2)] }) };
        for parts in [vec![], vec![part(2), part(3)], vec![nested], vec![Part { weight: f64::NAN, ..part(1) }]] {
            assert!(Blend { parts }.check().is_err());
        }
    }
}
