//! Mixtures: W = Σ αᵢ Wᵢ over given matrices, with the weights learned from preferences.
//!
//! The scores that each part gives a tuple are worked out once; the margin rank loss over them is a problem of a handful
//! of numbers, solved by AdaGrad in some passes, of whose steps the mean is taken. Parts should be over the same words;
//! a matcher with a smaller vocabulary can be widened by [`qwd_model::Matrix::binned`].

use crate::problem::Problem;
use crate::session::Session;
use crate::trainer::Trained;
use qwd_core::parameters::positive;
use qwd_core::{Error, Result, SparseVec, parameters};
use qwd_model::Matrix;

parameters! {
    /// Parameters of a mixture.
    pub struct MixtureParams {
        /// The rate η, above 0.
        pub learning_rate: f64 = 0.1,
        /// The margin by which the better document should win, in units of the parts' mean absolute scores; above 0.
        pub margin: f64 = 0.5,
        /// Passes over the tuples, at least 1.
        pub passes: u32 = 5,
    }
}

impl MixtureParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<MixtureTrainer> {
        positive("learning_rate", self.learning_rate)?;
        positive("margin", self.margin)?;
        if self.passes == 0 {
            return Err(Error::param("passes", 0, "at least 1"));
        }
        Ok(MixtureTrainer { params: self })
    }
}

/// Learns the weights of a mixture, with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct MixtureTrainer {
    params: MixtureParams,
}

/// Tuples that are scored by one thread at a time.
const CHUNK: usize = 256;

impl MixtureTrainer {
    /// Mixes matrices with weights that fit the problem's preferences; at first all weigh the same.
    pub fn train(&self, parts: Vec<Matrix>, problem: &Problem<'_>, session: &mut Session<'_>) -> Result<Trained> {
        let margins = margins(&parts, problem, session)?;
        let n = parts.len();
        let n_tuples = problem.preferences().len();
        // Each part is measured by its own scores, so that one rate suits all.
        let units: Vec<f64> = (0..n)
            .map(|i| {
                let sum: f64 = margins.iter().skip(i).step_by(n).map(|x| x.abs()).sum();
                if sum > 0.0 { sum / n_tuples as f64 } else { 1.0 }
            })
            .collect();
        let mut weights = vec![1.0 / n.max(1) as f64; n];
        let mut squares = vec![0.0; n];
        let mut sums = vec![0.0; n];
        let mut n_steps = 0u64;
        for _ in 0..self.params.passes {
            for (of_tuple, tuple) in margins.chunks(n.max(1)).zip(problem.preferences()) {
                let score: f64 = (0..n).map(|i| weights[i] * of_tuple[i] / units[i]).sum();
                if score < self.params.margin {
                    for i in 0..n {
                        let gradient = f64::from(tuple.weight) * of_tuple[i] / units[i];
                        squares[i] += gradient * gradient;
                        if squares[i] > 0.0 {
                            weights[i] += self.params.learning_rate * gradient / squares[i].sqrt();
                        }
                    }
                }
                sums.iter_mut().zip(&weights).for_each(|(sum, w)| *sum += w);
                n_steps += 1;
            }
        }
        let mean = |i: usize| if n_steps == 0 { weights[i] } else { sums[i] / n_steps as f64 };
        let weighted = (0..n).map(|i| (mean(i) / units[i]) as f32).zip(parts).collect();
        Ok(Trained { matrix: Matrix::mixture(weighted)?, state: None, steps: n_steps })
    }
}

/// score(q, d⁺) − score(q, d⁻) of every part for every tuple, tuple after tuple.
fn margins(parts: &[Matrix], problem: &Problem<'_>, session: &Session<'_>) -> Result<Vec<f64>> {
    let chunks: Vec<_> = problem.preferences().chunks(CHUNK).collect();
    let scored = session.threads().map(chunks.len(), |i| {
        let mut difference = SparseVec::default();
        let mut margins = Vec::with_capacity(chunks[i].len() * parts.len());
        for tuple in chunks[i] {
            problem.difference(tuple, &mut difference);
            for part in parts {
                margins.push(part.score(problem.query(tuple), difference.view())?);
            }
        }
        Ok(margins)
    });
    Ok(scored.into_iter().collect::<Result<Vec<_>>>()?.concat())
}
