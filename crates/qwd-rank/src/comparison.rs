//! Two rankers or cross-validated methods compared, query by query: paired t-test and randomisation test.
//!
//! The paper's t-tests look one-sided ("is FenchelRank better?"); both alternatives can be had.

use crate::cross_validation::CrossValidated;
use qwd_core::Result;
use qwd_metrics::significance::{Alternative, RandomizationParams, paired_t_test, randomization_test};
use qwd_metrics::{Evaluation, Metric};
use serde::Serialize;

/// One row of a significance table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The metric's name.
    pub metric: String,
    /// The mean of the first method's figures minus the second's, over queries.
    pub difference: f64,
    /// The p-value of the paired t-test.
    pub t_test: f64,
    /// The p-value of the randomisation test.
    pub randomization: f64,
    /// The number of queries.
    pub n_queries: usize,
}

/// Compares two methods on every metric that both report.
pub fn compare(a: &CrossValidated, b: &CrossValidated, alternative: Alternative) -> Result<Vec<Comparison>> {
    let both: Vec<(String, Metric)> = a.named.iter().filter(|named| b.named.contains(named)).cloned().collect();
    compare_evaluations(&a.evaluation, &b.evaluation, &both, alternative)
}

/// Compares two evaluations of the same queries on some metrics.
pub fn compare_evaluations(
    a: &Evaluation,
    b: &Evaluation,
    named: &[(String, Metric)],
    alternative: Alternative,
) -> Result<Vec<Comparison>> {
    let mut rows = Vec::with_capacity(named.len());
    for (name, metric) in named {
        let (first, second) = a.paired(b, *metric)?;
        let t_test = paired_t_test(&first, &second, alternative)?;
        let randomization =
            randomization_test(&first, &second, &RandomizationParams { alternative, ..Default::default() })?;
        rows.push(Comparison {
            metric: name.clone(),
            difference: t_test.mean_difference,
            t_test: t_test.p_value,
            randomization: randomization.p_value,
            n_queries: first.len(),
        });
    }
    Ok(rows)
}
