//! The paired t-test.
//!
//! t = mean(d) / (s/√n),   d = a − b query by query,   s the sample deviation,   n − 1 degrees of freedom
//!
//! If all differences are 0 there is nothing to tell: t = 0 and p = 1, one-sided too. If they all have one other value, t is
//! infinite and p is 0 or 1.
//!
//! Citation: Student, "The Probable Error of a Mean", Biometrika 6(1), 1908. Cost: O(n). When not to use it: a handful of
//! queries with skewed differences; the randomisation test is exact there.

use super::{Alternative, differences};
use crate::evaluation::{mean, standard_error};
use qwd_core::{Error, Result};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The outcome of a paired t-test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TTest {
    /// The mean of `a - b`.
    pub mean_difference: f64,
    /// The statistic t; infinite if all differences are equal and not 0.
    pub statistic: f64,
    /// The degrees of freedom: the number of queries minus 1.
    pub degrees_of_freedom: usize,
    /// The probability of a statistic at least this extreme if the systems are equally good.
    pub p_value: f64,
}

/// Tests whether the mean of `a - b` differs from 0; both hold values of the same queries in the same order.
pub fn paired_t_test(a: &[f64], b: &[f64], alternative: Alternative) -> Result<TTest> {
    let differences = differences(a, b)?;
    let degrees_of_freedom = differences.len() - 1;
    let mean_difference = mean(&differences).unwrap_or(0.0);
    if differences.iter().all(|&d| d == 0.0) {
        return Ok(TTest { mean_difference, statistic: 0.0, degrees_of_freedom, p_value: 1.0 });
    }
    let statistic = mean_difference / standard_error(&differences).unwrap_or(0.0);
    let student = StudentsT::new(0.0, 1.0, degrees_of_freedom as f64)
        .map_err(|e| Error::internal(format!("t distribution with {degrees_of_freedom} degrees of freedom: {e}")))?;
    // Only the lower tail is accurate for small probabilities, and the distribution is symmetric.
    let p_value = match alternative {
        Alternative::TwoSided => 2.0 * student.cdf(-statistic.abs()),
        Alternative::Greater => student.cdf(-statistic),
        Alternative::Less => student.cdf(statistic),
    };
    Ok(TTest { mean_difference, statistic, degrees_of_freedom, p_value })
}
