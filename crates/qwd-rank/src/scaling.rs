//! Features brought to [0, 1], which the rates and radii of the linear rankers assume.
//!
//! x ← (x − min) / (max − min), with the minimum and maximum of the feature among the documents of the same query
//! (`per-query`, LETOR's QueryLevelNorm), or over the training part (`overall`; later values are cut off at 0 and 1).
//! A feature without range becomes 0. Cost: two passes over the values.

use crate::feature_set::FeatureSet;
use qwd_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// How features are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// Not at all.
    #[default]
    None,
    /// By the range within the document's query.
    PerQuery,
    /// By the range over the training part.
    Overall,
}

impl Scaling {
    /// Returns the scaling of a name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "none" => Ok(Self::None),
            "per-query" => Ok(Self::PerQuery),
            "overall" => Ok(Self::Overall),
            _ => Err(Error::param("scaling", name, "one of none, per-query, overall")),
        }
    }
}

/// A scaling tied to the ranges it was fitted to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "scaling", rename_all = "kebab-case")]
pub enum Scaler {
    /// Leaves everything as it is.
    #[default]
    None,
    /// Scales within each query.
    PerQuery,
    /// Scales by known ranges.
    Overall {
        /// The smallest and largest value of each feature.
        ranges: Vec<(f32, f32)>,
    },
}

impl Scaler {
    /// Fits a scaling to the training part.
    pub fn fit(scaling: Scaling, train: &FeatureSet) -> Self {
        match scaling {
            Scaling::None => Self::None,
            Scaling::PerQuery => Self::PerQuery,
            Scaling::Overall => Self::Overall { ranges: train.columns().iter().map(|column| range(column)).collect() },
        }
    }

    /// Scales a set in place; a feature beyond those fitted becomes 0.
    pub fn apply(&self, set: &mut FeatureSet) {
        match self {
            Self::None => {}
            Self::PerQuery => {
                let queries: Vec<_> = set.queries().collect();
                for column in set.columns_mut() {
                    for query in &queries {
                        let values = &mut column[query.clone()];
                        scale(values, range(values));
                    }
                }
            }
            Self::Overall { ranges } => {
                let of = |j: usize| ranges.get(j).copied().unwrap_or((0.0, 0.0));
                set.columns_mut().iter_mut().enumerate().for_each(|(j, column)| scale(column, of(j)));
            }
        }
    }

    /// Checks a scaler that came from a file.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Self::Overall { ranges } if ranges.iter().any(|(low, high)| !(low.is_finite() && high.is_finite())) => {
                Err("a range is not finite".into())
            }
            _ => Ok(()),
        }
    }
}

fn range(values: &[f32]) -> (f32, f32) {
    let first = values.first().copied().unwrap_or(0.0);
    values.iter().fold((first, first), |(low, high), &x| (low.min(x), high.max(x)))
}

fn scale(values: &mut [f32], (low, high): (f32, f32)) {
    // In double precision, so that a range as wide as f32 itself does not overflow.
    let width = f64::from(high) - f64::from(low);
    for x in values {
        *x = if width > 0.0 { ((f64::from(*x) - f64::from(low)) / width).clamp(0.0, 1.0) as f32 } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> FeatureSet {
        let columns = vec![vec![1.0, 3.0, 10.0, 20.0], vec![7.0; 4]];
        FeatureSet::from_parts(columns, vec![0, 1, 0, 1], vec![("a".into(), 2), ("b".into(), 2)]).expect("fits")
    }

    #[test]
    fn each_query_has_its_own_range_and_a_constant_becomes_zero() {
        let mut set = set();
        Scaler::fit(Scaling::PerQuery, &set).apply(&mut set);
        assert_eq!(set.columns(), [vec![0.0, 1.0, 0.0, 1.0], vec![0.0; 4]]);
    }

    #[test]
    fn an_overall_range_is_remembered_and_cuts_later_values_off() {
        let scaler = Scaler::fit(Scaling::Overall, &set());
        let mut later =
            FeatureSet::from_parts(vec![vec![-5.0, 29.0, 10.5]], vec![0, 0, 1], vec![("c".into(), 3)]).expect("fits");
        scaler.apply(&mut later);
        assert_eq!(later.column(0), [0.0, 1.0, 0.5]);
    }
}
