//! Fisher's randomisation test on paired values.
//!
//! If the two systems are equally good, each query's difference d could as well have had the other sign. p is the share of
//! all 2ⁿ assignments of signs whose sum of differences is at least as extreme as the one observed:
//!
//! p = |{s : |Σ sᵢ dᵢ| ≥ |Σ dᵢ|}| / 2ⁿ,   or, from N random assignments of which c are so, p = (c + 1) / (N + 1)
//!
//! All assignments are counted when at most 16 differences are not 0 (those that are 0 change no sum). The 1 added otherwise
//! stands for the assignment observed, so p is never 0 (Phipson and Smyth 2010).
//!
//! Citations: Fisher, *The Design of Experiments*, 1935, section 21; Smucker, Allan and Carterette, CIKM 2007.
//! Cost: O(N·n/8) by tables of the sums of eight differences under all their signs: 2 kB for each eight queries.

use super::{Alternative, differences};
use qwd_core::{Error, Result, Rng};
use serde::{Deserialize, Serialize};

/// The number of differences up to which all assignments of signs are counted.
const EXACT_UP_TO: usize = 16;

/// The parameters of the randomisation test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RandomizationParams {
    /// What is asked about the mean of `a - b`.
    pub alternative: Alternative,
    /// The number of random assignments of signs, N: 1 to 100 million.
    pub n_permutations: u32,
    /// The seed of the random assignments.
    pub seed: u64,
}

impl Default for RandomizationParams {
    fn default() -> Self {
        Self { alternative: Alternative::TwoSided, n_permutations: 100_000, seed: 1 }
    }
}

/// The outcome of a randomisation test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Randomization {
    /// The mean of `a - b`.
    pub mean_difference: f64,
    /// The probability of a mean at least this extreme if the systems are equally good.
    pub p_value: f64,
    /// Whether all assignments of signs were counted.
    pub exact: bool,
}

/// Tests whether the mean of `a - b` differs from 0; both hold values of the same queries in the same order.
pub fn randomization_test(a: &[f64], b: &[f64], params: &RandomizationParams) -> Result<Randomization> {
    if !(1..=100_000_000).contains(&params.n_permutations) {
        return Err(Error::param("n_permutations", params.n_permutations, "1 to 100000000"));
    }
    let differences = differences(a, b)?;
    let sum: f64 = differences.iter().sum();
    let nonzero: Vec<f64> = differences.iter().copied().filter(|&d| d != 0.0).collect();
    let extreme = Extreme::new(&nonzero, params.alternative);
    let exact = nonzero.len() <= EXACT_UP_TO;
    let p_value = if exact { extreme.exact_share() } else { extreme.random_share(params) };
    Ok(Randomization { mean_difference: sum / differences.len() as f64, p_value, exact })
}

/// Says which assignments of signs are at least as extreme as the one observed.
struct Extreme {
    n: usize,
    /// For each eight differences, their sum under each of the 256 assignments of signs.
    tables: Vec<[f64; 256]>,
    observed: f64,
    /// Equal sums added in another order differ by rounding; they must count as equal.
    tolerance: f64,
    alternative: Alternative,
}

impl Extreme {
    fn new(differences: &[f64], alternative: Alternative) -> Self {
        let signed = |eight: &[f64], signs: usize| -> f64 {
            eight.iter().enumerate().map(|(i, d)| if signs >> i & 1 == 1 { -d } else { *d }).sum()
        };
        let tables: Vec<_> =
            differences.chunks(8).map(|eight| std::array::from_fn(|signs| signed(eight, signs))).collect();
        let observed = tables.iter().map(|table: &[f64; 256]| table[0]).sum();
        let tolerance = 1e-12 * differences.iter().map(|d| d.abs()).sum::<f64>();
        Self { n: differences.len(), tables, observed, tolerance, alternative }
    }

    fn is_extreme(&self, sum: f64) -> bool {
        match self.alternative {
            Alternative::TwoSided => sum.abs() >= self.observed.abs() - self.tolerance,
            Alternative::Greater => sum >= self.observed - self.tolerance,
            Alternative::Less => sum <= self.observed + self.tolerance,
        }
    }

    fn exact_share(&self) -> f64 {
        let n_all = 1usize << self.n;
        let sum = |signs: usize| -> f64 {
            self.tables.iter().enumerate().map(|(t, table)| table[signs >> (8 * t) & 0xff]).sum()
        };
        (0..n_all).filter(|&signs| self.is_extreme(sum(signs))).count() as f64 / n_all as f64
    }

    fn random_share(&self, params: &RandomizationParams) -> f64 {
        let mut rng = Rng::new(params.seed);
        let mut n_extreme = 0u32;
        for _ in 0..params.n_permutations {
            let mut sum = 0.0;
            for tables in self.tables.chunks(8) {
                let signs = rng.bits().to_le_bytes();
                sum += tables.iter().zip(signs).map(|(table, s)| table[usize::from(s)]).sum::<f64>();
            }
            n_extreme += u32::from(self.is_extreme(sum));
        }
        f64::from(n_extreme + 1) / f64::from(params.n_permutations + 1)
    }
}
