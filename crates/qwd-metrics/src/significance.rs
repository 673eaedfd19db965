//! Is the difference between two systems, measured on the same queries, more than luck?
//!
//! | file | what it gives | when |
//! |---|---|---|
//! | [`t_test`] | the paired t-test | many queries: the sum of their differences is nearly normal |
//! | [`randomization`] | Fisher's randomisation test | any number of queries, no assumption but exchangeability |
//! | [`bootstrap`] | an interval for the mean difference | how large the difference is, not only whether |
//! | [`correction`] | p-values corrected for many comparisons | more than one pair of systems |
//!
//! Smucker, Allan and Carterette ("A Comparison of Statistical Significance Tests for Information Retrieval Evaluation",
//! CIKM 2007) find the first three in close agreement, and the sign and Wilcoxon tests not fit for retrieval; those are not here.

pub mod bootstrap;
pub mod correction;
pub mod randomization;
pub mod t_test;

pub use bootstrap::{BootstrapParams, Interval, bootstrap_interval};
pub use correction::Correction;
pub use randomization::{Randomization, RandomizationParams, randomization_test};
pub use t_test::{TTest, paired_t_test};

use qwd_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// What the test asks about the mean of `a - b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alternative {
    /// Is it different from 0?
    #[default]
    TwoSided,
    /// Is it above 0?
    Greater,
    /// Is it below 0?
    Less,
}

/// The differences of two systems, query by query, of which there must be at least two.
fn differences(a: &[f64], b: &[f64]) -> Result<Vec<f64>> {
    if a.len() != b.len() || a.len() < 2 {
        let what = format!("the systems have {} and {} values to compare", a.len(), b.len());
        return Err(Error::bad_data(what, "give values of the same queries, at least two"));
    }
    let differences: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    if differences.iter().any(|d| !d.is_finite()) {
        return Err(Error::bad_data("a value to compare is not finite", "measure it anew"));
    }
    Ok(differences)
}
