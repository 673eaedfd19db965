//! Large-margin RMLS, the future work of the RMLS paper (section 6.5.2): in place of the alignment of clicked pairs, the hinge
//! loss between a clicked document and others, max(0, m − xᵀLₓLᵧᵀ(y⁺ − y⁻)), within the same bounds on rows (equation 3).
//!
//! The bounds make Frank and Wolfe's method the natural one: the best rows for a linear objective are what RMLS computes
//! anyway (thresholded, scaled ω), so a step goes from the rows at hand towards those, by 2/(t + 2) of the way, and never
//! leaves the bounds. It starts from RMLS, and takes turns between the sides as RMLS does. Only pairs that miss the margin
//! pull, so that head queries, whose documents are soon in order, stop drowning the others. The worse documents are drawn at
//! random, anew at every iteration, from the seed and the pair alone.
//!
//! Cost of an iteration: that of RMLS with the pairs that miss the margin as responses, and a projection of every text.

use crate::click_problem::{ClickProblem, damped};
use crate::cross_product::CrossProduct;
use crate::latent_rows::{LatentRows, latent_matrix};
use crate::mix_with_identity::mix_with_identity;
use crate::problem::Problem;
use crate::rmls::{Form, Rmls, RmlsParams};
use crate::session::{Session, Tally};
use crate::trainer::{Start, Trained};
use qwd_core::parameters::positive;
use qwd_core::{Csr, Error, Result, Rng, SparseVec, Threads, parameters};

parameters! {
    /// Parameters of large-margin RMLS.
    pub struct RmlsMarginParams {
        /// The RMLS that it starts from; its bounds hold to the end.
        pub rmls: RmlsParams = RmlsParams::default(),
        /// What a clicked document's score should be above another's, above 0. Symbol: m.
        pub margin: f64 = 0.5,
        /// Other documents for each clicked one, 1 to 1000, anew at every iteration.
        pub negatives: usize = 3,
        /// Iterations after those of RMLS, 1 to 1000.
        pub iterations: usize = 10,
    }
}

impl RmlsMarginParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<RmlsMargin> {
        if self.rmls.form != Form::Constrained {
            return Err(Error::param("rmls", "penalised", "the constrained form: a margin needs bounds to hold it"));
        }
        positive("margin", self.margin)?;
        if !(1..=1000).contains(&self.negatives) {
            return Err(Error::param("negatives", self.negatives, "1 to 1000 documents"));
        }
        if !(1..=1000).contains(&self.iterations) {
            return Err(Error::param("iterations", self.iterations, "1 to 1000"));
        }
        Ok(RmlsMargin { rmls: self.rmls.clone().build()?, params: self })
    }
}

/// Large-margin RMLS, with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct RmlsMargin {
    rmls: Rmls,
    params: RmlsMarginParams,
}

/// Lₓ and Lᵧ, and how they came about.
#[derive(Debug, Clone, PartialEq)]
pub struct MarginMapping {
    /// A row for every query feature.
    pub queries: LatentRows,
    /// A row for every document feature.
    pub documents: LatentRows,
    /// The mean hinge loss before each iteration, on that iteration's pairs.
    pub course: Vec<f64>,
}

impl RmlsMargin {
    /// Learns W from the problem's responses, alone or mixed with I.
    pub fn train(&self, problem: &Problem<'_>, start: Start<'_>, session: &mut Session<'_>) -> Result<Trained> {
        let response = problem.response()?;
        let clicks = ClickProblem::try_new(problem.queries(), problem.documents(), &response)?;
        let mapping = self.fit(&clicks, session)?;
        let steps = mapping.course.len() as u64;
        let latent = latent_matrix(mapping.queries, mapping.documents)?;
        let matrix = mix_with_identity(latent, self.params.rmls.alpha, 0.0, problem, start, session)?;
        Ok(Trained { matrix, state: None, steps })
    }

    /// Learns Lₓ and Lᵧ.
    pub fn fit(&self, problem: &ClickProblem<'_>, session: &mut Session<'_>) -> Result<MarginMapping> {
        let threads = session.threads();
        let start = self.rmls.fit(problem, session)?;
        let response = damped(problem.response, self.params.rmls.damping)?;
        let problem = &ClickProblem { response: &response, ..*problem };
        let mut mapping = MarginMapping { queries: start.queries, documents: start.documents, course: Vec::new() };
        for t in 0..self.params.iterations {
            let step = 2.0 / (t as f64 + 2.0) / 2.0;
            let (missed, loss) = self.missed(problem, &mapping, t as u64, threads)?;
            mapping.course.push(loss);
            session.report(&mut Tally::default(), t as u64 + 1, self.params.iterations as u64)?;
            if missed.nnz() == 0 {
                break;
            }
            let pull = CrossProduct::of_signed(problem.queries, &missed, problem.documents);
            let towards = self.rmls.best_queries(&pull, &mapping.documents, threads)?;
            mapping.queries = between(&mapping.queries, &towards, step, threads)?;
            let towards = self.rmls.best_documents(&pull, &mapping.queries, threads)?;
            mapping.documents = between(&mapping.documents, &towards, step, threads)?;
        }
        Ok(mapping)
    }

    /// The pairs that miss the margin as signed responses, + for the clicked and − for the other document, and the mean
    /// hinge loss of all pairs.
    fn missed(
        &self,
        problem: &ClickProblem<'_>,
        mapping: &MarginMapping,
        t: u64,
        threads: &Threads,
    ) -> Result<(Csr, f64)> {
        let documents = projected(problem.documents, &mapping.documents, threads);
        let rank = mapping.queries.width();
        let n_documents = problem.documents.n_rows();
        let total: f64 = problem.response.parts().2.iter().map(|&r| f64::from(r)).sum();
        let rows = threads.map(problem.response.n_rows(), |i| {
            let clicked = problem.response.row(i);
            let mut query = vec![0.0; rank];
            mapping.queries.add(problem.queries.row(i), &mut query);
            let score = |j: u32| f64::from(qwd_core::kernel::dot(&query, &documents[j as usize * rank..][..rank]));
            let mut rng = Rng::part(self.params.rmls.seed ^ (t + 1).wrapping_mul(0x9e37_79b9), i as u64);
            let (mut pulls, mut loss) = (Vec::new(), 0.0);
            for (better, r) in clicked.iter() {
                let weight = f64::from(r) / (total * self.params.negatives as f64);
                let of_better = score(better);
                for _ in 0..self.params.negatives {
                    let worse = rng.below(n_documents) as u32;
                    if clicked.indices().binary_search(&worse).is_ok() {
                        continue;
                    }
                    let missing = self.params.margin - (of_better - score(worse));
                    if missing > 0.0 {
                        loss += weight * missing;
                        pulls.extend([(better, weight as f32), (worse, -weight as f32)]);
                    }
                }
            }
            Ok((SparseVec::from_pairs(pulls)?, loss))
        });
        let (mut missed, mut loss) = (Csr::empty(n_documents as u32), 0.0);
        for row in rows {
            let row: (SparseVec, f64) = row?;
            missed.push(row.0.view())?;
            loss += row.1;
        }
        Ok((missed, loss))
    }
}

/// The images of texts, row after row.
fn projected(texts: &Csr, rows: &LatentRows, threads: &Threads) -> Vec<f32> {
    let width = rows.width();
    let mut images = vec![0.0; texts.n_rows() * width];
    let mut chunks: Vec<&mut [f32]> = images.chunks_mut(256 * width).collect();
    threads.map_mut(&mut chunks, |chunk, images| {
        for (i, image) in images.chunks_mut(width).enumerate() {
            rows.add(texts.row(chunk * 256 + i), image);
        }
    });
    images
}

/// (1 − step) a + step b.
fn between(a: &LatentRows, b: &LatentRows, step: f64, threads: &Threads) -> Result<LatentRows> {
    let (keep, go) = ((1.0 - step) as f32, step as f32);
    let (rows, _) = LatentRows::make([a.n_rows(), a.width()], a.is_dense(), threads, |i, row| {
        a.visit(i, |z, x| row[z] += keep * x);
        b.visit(i, |z, x| row[z] += go * x);
        [0.0; 2]
    })?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six kinds of queries, each with its own kind of document; the first kind has nearly all clicks.
    fn graph() -> [Csr; 3] {
        let features = || {
            let mut rng = Rng::new(2);
            let mut csr = Csr::empty(16);
            for i in 0..120 {
                let pairs = vec![((i % 6 * 2 + rng.below(2)) as u32, 0.8), (12 + rng.below(4) as u32, 0.6)];
                csr.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
            }
            csr
        };
        let (queries, documents) = (features(), features());
        let n_clicks = (0..120).map(|i| if i % 6 == 0 { 1000.0 } else { 1.0 }).collect();
        let clicks = Csr::from_parts(120, (0..=120).collect(), (0..120).collect(), n_clicks).expect("valid");
        [queries, documents, clicks]
    }

    #[test]
    fn the_margin_is_met_more_and_more() {
        let [queries, documents, response] = graph();
        let problem = ClickProblem { queries: &queries, documents: &documents, response: &response };
        let rmls =
            RmlsParams { rank: 12, bound_query: 3.0, bound_document: 3.0, damping: 0.0, ..RmlsParams::default() };
        let params = RmlsMarginParams { rmls, iterations: 40, ..RmlsMarginParams::default() };
        let trainer = params.build().expect("good");
        let mapping = trainer.fit(&problem, &mut Session::quiet(&Threads::default())).expect("fits");
        let last = mapping.course[mapping.course.len() - 1];
        assert!(last < 0.7 * mapping.course[0], "{:?}", mapping.course);
        // Steps between rows inside the bounds stay inside.
        for rows in [&mapping.queries, &mapping.documents] {
            for i in 0..rows.n_rows() {
                let (mut sum, mut squares) = (0.0, 0.0);
                rows.visit(i, |_, x| {
                    sum += f64::from(x.abs());
                    squares += f64::from(x * x);
                });
                assert!(sum < 3.001 && squares < 1.001, "{sum} {squares}");
            }
        }
    }

    #[test]
    fn the_bytes_are_the_same_at_any_number_of_threads() {
        let [queries, documents, response] = graph();
        let problem = ClickProblem { queries: &queries, documents: &documents, response: &response };
        let rmls = RmlsParams { rank: 8, bound_query: 2.0, bound_document: 2.0, ..RmlsParams::default() };
        let trainer = RmlsMarginParams { rmls, ..RmlsMarginParams::default() }.build().expect("good");
        let fit = |n| {
            let threads = Threads::new(n).expect("threads");
            trainer.fit(&problem, &mut Session::quiet(&threads)).expect("fits")
        };
        assert!(fit(1) == fit(2) && fit(1) == fit(3));
        let penalised = RmlsParams { form: Form::Penalised, ..RmlsParams::default() };
        assert!(RmlsMarginParams { rmls: penalised, ..RmlsMarginParams::default() }.build().is_err());
    }
}
