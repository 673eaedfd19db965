//! Figure 1: NDCG@10 of every feature alone, and of random predictors that use all of them.
//!
//! Over the documents of all test parts together, which are the whole collection. The random predictors are those of
//! section 1: ten weight vectors, evenly spread over all that are not negative and sum to 1, and the mean of their NDCG@10.

use super::Opened;
use crate::reproduce::{Row, Setting};
use qwd_core::{Result, Rng};
use qwd_metrics::{Depth, Metric};
use qwd_rank::measure::mean;
use qwd_rank::{Fold, Ranker};

/// The number of random predictors.
const N_RANDOM: u64 = 10;
/// The seed of their weights.
const SEED: u64 = 1;

pub(super) fn run(opened: &Opened, setting: Setting<'_>) -> Result<Vec<Row>> {
    let metric = opened.collection.metrics.ndcg(Depth::at(10)?);
    let n_features = opened.folds.iter().map(|fold| fold.test.n_features()).max().unwrap_or(0);
    let figures = setting.threads.map(n_features, |j| {
        let mut weights = vec![0.0; n_features];
        weights[j] = 1.0;
        of_all(&opened.folds, &Ranker::linear(weights), metric, setting)
    });
    let row = |method: String, figure: f64| Row {
        method,
        dataset: opened.collection.name.to_string(),
        metrics: [("ndcg@10".to_string(), figure)].into(),
        ..Row::default()
    };
    let mut rows = Vec::with_capacity(n_features + 1);
    for (j, figure) in figures.into_iter().enumerate() {
        rows.push(row(format!("feature-{}", j + 1), figure?));
    }
    let random =
        (0..N_RANDOM).map(|n| of_all(&opened.folds, &Ranker::linear(random_weights(n_features, n)), metric, setting));
    let sum: f64 = random.collect::<Result<Vec<f64>>>()?.iter().sum();
    rows.push(row("random".into(), sum / N_RANDOM as f64));
    Ok(rows)
}

/// The mean over all test queries.
fn of_all(folds: &[Fold], ranker: &Ranker, metric: Metric, setting: Setting<'_>) -> Result<f64> {
    let (mut sum, mut n) = (0.0, 0);
    for fold in folds {
        let mut test = fold.test.clone();
        test.widen(ranker.n_features());
        let scores = ranker.score_all(&test, setting.threads)?;
        sum += mean(&test, &scores, metric)? * test.n_queries() as f64;
        n += test.n_queries();
    }
    Ok(sum / n.max(1) as f64)
}

/// Exponential variables over their sum are evenly spread over the simplex.
fn random_weights(n: usize, number: u64) -> Vec<f64> {
    let mut rng = Rng::part(SEED, number);
    let weights: Vec<f64> = (0..n).map(|_| -(1.0 - rng.unit()).ln()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|w| w / sum).collect()
}
