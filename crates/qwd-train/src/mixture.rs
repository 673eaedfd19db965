//! Mixtures: W = Σ αᵢ Wᵢ over given matrices, with the weights learned from preferences.
//!
//! The scores that each part gives a tuple are worked out once; the margin rank loss over them is a problem of a handful
//! of numbers, solved by AdaGrad in some passes, of whose steps the mean is taken. Parts should be over the same words;
//! a matcher with a smaller vocabulary can be widened by [`qwd_model::Matrix::binned`].

use crate::problem::Problem;
use crate::session::Session;
use crate::trainer::Trained;
use crate::vectors::Prepared;
use qwd_core::parameters::positive;
use qwd_core::{Error, Observer, Result, SparseVec, Threads, parameters};
use qwd_data::{Opened, SampleParams, Sampler, SplitRule};
use qwd_model::{Matrix, Model, Provenance, Side};

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

impl MixtureTrainer {
    /// Mixes models that read texts in the same way, with weights that fit `n_tuples` tuples of the validation part: the
    /// parts may know their own training tuples by heart.
    pub fn mix(
        &self,
        models: &[Model],
        data: &Opened,
        n_tuples: usize,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Model> {
        let Some(first) = models.first() else { return Err(Error::param("models", 0, "at least 1")) };
        if let Some(i) = models.iter().position(|model| !reads_like(first, model)) {
            let what = format!("model {} reads texts in another way than model 1", i + 1);
            return Err(Error::bad_data(what, "train the parts on the same data with the same text parameters"));
        }
        let seed = first.provenance().seed;
        let rule = SplitRule { seed, ..SplitRule::default() };
        let prepared = Prepared::with_model(data, first, rule, threads)?;
        let (_, validation, vectors) = prepared.train_and_validation()?;
        let sample = SampleParams { seed, ..SampleParams::default() };
        let tuples = Sampler::of_task(&validation, &sample)?.sample(n_tuples)?;
        let problem = Problem::try_new(&vectors.queries, &vectors.documents, &tuples)?;
        let parts = models.iter().map(|model| model.matrix().clone()).collect();
        let trained = self.train(parts, &problem, &mut Session::new(threads, observer))?;
        let mut provenance = Provenance { method: "mixture".to_string(), ..first.provenance().clone() };
        provenance.n_tuples = tuples.len() as u64;
        provenance.notes = models.iter().map(|model| format!("a part by {}", model.provenance().method)).collect();
        first.with_matrix(trained.matrix, provenance)
    }
}

/// Whether two models make the same vectors of texts.
fn reads_like(one: &Model, other: &Model) -> bool {
    [Side::Query, Side::Document].iter().all(|&side| match (one.vectorizer(side), other.vectorizer(side)) {
        (Some(a), Some(b)) => a.params() == b.params() && a.vocabulary().to_parts() == b.vocabulary().to_parts(),
        (None, None) => one.matrix().n_terms(side) == other.matrix().n_terms(side),
        _ => false,
    })
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
