//! p-values corrected for the number of comparisons.
//!
//! With p₁ ≤ … ≤ pₘ, each at most 1 and never falling with its rank:
//!
//! Bonferroni: m·pᵢ          Holm: max over j ≤ i of (m − j + 1)·pⱼ          Benjamini–Hochberg: min over j ≥ i of (m/j)·pⱼ
//!
//! The first two bound the chance of any false discovery, Holm's never being the weaker; the third bounds the expected
//! share of false ones among the discoveries, for independent or positively dependent tests.
//!
//! Citations: Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979;
//! Benjamini and Hochberg, "Controlling the False Discovery Rate", JRSS B 57, 1995. Cost: O(m log m).

use qwd_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// A way of correcting p-values for many comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Correction {
    /// Multiplies each by their number.
    Bonferroni,
    /// Bounds the same chance with more power.
    #[default]
    Holm,
    /// Bounds the share of false discoveries.
    BenjaminiHochberg,
}

impl Correction {
    /// Returns the corrected p-values, in the order given.
    pub fn adjust(self, p_values: &[f64]) -> Result<Vec<f64>> {
        if let Some(p) = p_values.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            return Err(Error::param("p-value", p, "0 to 1"));
        }
        let m = p_values.len() as f64;
        let mut ascending: Vec<usize> = (0..p_values.len()).collect();
        ascending.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
        let mut adjusted = vec![0.0; p_values.len()];
        match self {
            Self::Bonferroni => adjusted = p_values.iter().map(|p| (m * p).min(1.0)).collect(),
            Self::Holm => {
                let mut highest = 0.0f64;
                for (rank, &i) in ascending.iter().enumerate() {
                    highest = highest.max((m - rank as f64) * p_values[i]).min(1.0);
                    adjusted[i] = highest;
                }
            }
            Self::BenjaminiHochberg => {
                let mut lowest = 1.0f64;
                for (rank, &i) in ascending.iter().enumerate().rev() {
                    lowest = lowest.min(m / (rank + 1) as f64 * p_values[i]);
                    adjusted[i] = lowest;
                }
            }
        }
        Ok(adjusted)
    }
}
