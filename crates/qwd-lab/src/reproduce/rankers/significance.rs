//! Tables of p-values: is the first method better than each of the others, query by query?
//!
//! One-sided paired t-tests, as the paper's look (its p = 0.5 stands where both methods have the same mean), and
//! randomisation tests beside them.

use super::Opened;
use super::cross_validation::add_tests;
use super::definition::Definition;
use crate::reproduce::{Row, Setting};
use qwd_core::{Error, Result};
use qwd_metrics::significance::Alternative;
use qwd_rank::compare;
use qwd_rank::cross_validation::CrossValidated;

pub(super) fn run(definition: &Definition, opened: &Opened, setting: Setting<'_>) -> Result<Vec<Row>> {
    let Some((first, others)) = definition.rows.split_first() else {
        return Err(Error::internal("a table of significance needs rows"));
    };
    let run = |row: &super::definition::RowDefinition| -> Result<CrossValidated> {
        row.protocol(definition, opened.collection)?.run(&opened.folds, setting.threads, setting.observer)
    };
    let best = run(first)?;
    let mut rows = Vec::new();
    for other in others.iter().filter(|row| setting.only.is_none_or(|only| only == row.method)) {
        let comparisons = compare(&best, &run(other)?, Alternative::Greater)?;
        let mut row = definition.empty_row(&other.method, opened.collection);
        add_tests(&mut row, &comparisons);
        for comparison in &comparisons {
            row.metrics.insert(format!("difference({})", comparison.metric), comparison.difference);
        }
        rows.push(row);
    }
    Ok(rows)
}
