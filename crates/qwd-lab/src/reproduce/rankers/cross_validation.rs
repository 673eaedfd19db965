//! Tables of cross-validated methods, set beside the paper and, if the table has a baseline, tested against it.

use super::Opened;
use super::definition::Definition;
use crate::reproduce::{Row, Setting};
use qwd_core::Result;
use qwd_metrics::significance::Alternative;
use qwd_rank::cross_validation::CrossValidated;
use qwd_rank::{Comparison, compare};

pub(super) fn run(definition: &Definition, opened: &Opened, setting: Setting<'_>) -> Result<Vec<Row>> {
    let baseline = definition.baseline.as_deref();
    let wanted = |name: &str| setting.only.is_none_or(|only| only == name || baseline == Some(name));
    let mut results: Vec<(&str, CrossValidated)> = Vec::new();
    for row in definition.rows.iter().filter(|row| wanted(&row.method)) {
        let run = row.protocol(definition, opened.collection)?;
        results.push((&row.method, run.run(&opened.folds, setting.threads, setting.observer)?));
    }
    let base = results.iter().find(|(name, _)| Some(*name) == baseline);
    let mut rows = Vec::new();
    for (name, result) in &results {
        let mut row = definition.empty_row(name, opened.collection);
        row.metrics = result.mean.0.iter().cloned().collect();
        let validation = result.folds.iter().map(|fold| fold.validation).sum::<f64>() / result.folds.len() as f64;
        row.metrics.insert("validation".into(), validation);
        row.features = result.feature_counts();
        if let Some((_, base)) = base.filter(|(baseline, _)| baseline != name) {
            add_tests(&mut row, &compare(result, base, Alternative::TwoSided)?);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Adds p-values by metric: `p(map)` of the t-test, `p-randomization(map)`.
pub(super) fn add_tests(row: &mut Row, comparisons: &[Comparison]) {
    for Comparison { metric, t_test, randomization, .. } in comparisons {
        row.metrics.insert(format!("p({metric})"), *t_test);
        row.metrics.insert(format!("p-randomization({metric})"), *randomization);
    }
}
