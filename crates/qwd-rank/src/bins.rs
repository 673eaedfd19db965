//! Features cut into at most 255 bins, for methods that look for thresholds.
//!
//! A feature with few values has a bin for each; one with more has bins of about equal numbers of documents, a value
//! never being divided between two. A threshold lies halfway between the values next to it. Cost: one sort per feature,
//! one byte per value.

use crate::feature_set::FeatureSet;
use qwd_core::{Error, Result, Threads};

/// A binned feature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BinnedColumn {
    /// The feature, from 0.
    pub(crate) feature: usize,
    /// Between the bins: bin b holds the values above threshold b − 1 and up to threshold b.
    pub(crate) thresholds: Vec<f64>,
    /// The bin of each document.
    pub(crate) bins: Vec<u8>,
}

/// Checks a number of bins.
pub(crate) fn check_max_bins(max_bins: usize) -> Result<()> {
    if (2..=255).contains(&max_bins) { Ok(()) } else { Err(Error::param("max_bins", max_bins, "2 to 255")) }
}

/// Bins the features that have two values or more.
pub(crate) fn bin_features(set: &FeatureSet, max_bins: usize, threads: &Threads) -> Vec<BinnedColumn> {
    let columns = threads.map(set.n_features(), |feature| {
        let column = set.column(feature);
        let thresholds = thresholds(column, max_bins);
        let bin = |&x: &f32| thresholds.partition_point(|&t| t < f64::from(x)) as u8;
        let bins = if thresholds.is_empty() { Vec::new() } else { column.iter().map(bin).collect() };
        BinnedColumn { feature, thresholds, bins }
    });
    columns.into_iter().filter(|column| !column.thresholds.is_empty()).collect()
}

fn thresholds(column: &[f32], max_bins: usize) -> Vec<f64> {
    let mut sorted = column.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let runs: Vec<&[f32]> = sorted.chunk_by(|a, b| a == b).collect();
    let mut thresholds = Vec::new();
    let (mut rest, mut rest_bins, mut filled) = (sorted.len(), max_bins, 0);
    for pair in runs.windows(2) {
        filled += pair[0].len();
        let few = runs.len() <= max_bins;
        if few || (filled * rest_bins >= rest && rest_bins > 1) {
            thresholds.push(0.5 * (f64::from(pair[0][0]) + f64::from(pair[1][0])));
            rest -= filled;
            rest_bins = rest_bins.saturating_sub(1).max(1);
            filled = 0;
        }
    }
    thresholds
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bins_keep_the_order_and_are_few(values in proptest::collection::vec(-40i32..40, 1..300), max_bins in 2usize..60) {
            let column: Vec<f32> = values.iter().map(|&v| v as f32 * 0.1).collect();
            let thresholds = thresholds(&column, max_bins);
            prop_assert!(thresholds.len() < max_bins && thresholds.is_sorted());
            let mut distinct = values.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() <= max_bins {
                prop_assert_eq!(thresholds.len(), distinct.len() - 1);
            }
        }
    }
}
