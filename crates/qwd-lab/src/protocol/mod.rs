//! How paper 2 measures (section 4): rank loss on test tuples; MAP and P@10 on a fixed set of queries, each against its
//! relevant documents and random others.
//!
//! rank loss = |{(q, d⁺, d⁻) : f(q, d⁺) ≤ f(q, d⁻)}| / |tuples|
//!
//! A [`Protocol`] is chosen once from a task: tuples, queries and their candidates depend on the seed and the data alone,
//! so that all methods are measured on the same. Queries and candidates are chosen by a hash of their ids; they stay the
//! same when the data are in another order, and mostly stay when documents are added. What is known to training (the
//! links of earlier splits, a query's own document) is no candidate. Whatever scores documents can be measured: a
//! [`Scorer`] is a W with its vectors, or a closure.
//!
//! Cost: the scores of 2 documents per tuple and of all candidates per query; 4 bytes of memory per candidate and query.

mod candidates;
mod rank_loss;
mod scorer;

#[cfg(test)]
mod tests;

pub use candidates::{Candidates, Question};
pub use rank_loss::rank_loss;
pub(crate) use rank_loss::scored_pairs;
pub use scorer::{MatrixScorer, Scorer};

use qwd_core::{Error, Result, Threads, parameters};
use qwd_data::sample::judgments::Unjudged;
use qwd_data::{Dataset, Preference, SampleParams, Sampler, Task};
use qwd_metrics::{Depth, Evaluation, Metric, Ranking, TieOrder};
use std::collections::BTreeMap;

parameters! {
    /// What is measured on.
    #[derive(Copy)]
    pub struct ProtocolParams {
        /// The seed of every choice.
        pub seed: u64 = 0,
        /// The number of tuples for the rank loss.
        pub n_tuples: usize = 100_000,
        /// The greatest number of queries for the other metrics.
        pub n_queries: usize = 1_000,
        /// What a query is asked against: {"others": n} for its relevant documents and up to n random others, `judged` for
        /// the judged documents only.
        pub candidates: Candidates = Candidates::Others(10_000),
    }
}

/// Tuples, queries and candidates, chosen once for all methods.
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    tuples: Vec<Preference>,
    questions: Vec<Question>,
}

/// The figures of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The share of tuples in the wrong order or tied.
    pub rank_loss: f64,
    /// The values of every query.
    pub evaluation: Evaluation,
}

impl Protocol {
    /// Chooses from a task of a data set.
    pub fn of_task(task: &Task, dataset: &Dataset, params: &ProtocolParams) -> Result<Self> {
        let unjudged = match params.candidates {
            Candidates::Others(_) => Unjudged::Only,
            Candidates::Judged => Unjudged::Never,
        };
        let sampler = Sampler::of_task(task, &SampleParams { seed: params.seed, unjudged, ..SampleParams::default() })?;
        let mut tuples = sampler.sample(params.n_tuples)?;
        tuples.sort_by_key(|tuple| tuple.query);
        let questions = candidates::questions(task, dataset, params);
        if questions.is_empty() {
            let what = format!("none of {} queries has a relevant document", task.queries.len());
            return Err(Error::bad_data(what, "add links or judgments"));
        }
        Ok(Self { tuples, questions })
    }

    /// Returns the tuples, in the order of their queries.
    pub fn tuples(&self) -> &[Preference] {
        &self.tuples
    }

    /// Returns the queries, in the order of their ids.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Measures a method by the paper's figures.
    pub fn measure(&self, scorer: &dyn Scorer, threads: &Threads) -> Result<Measured> {
        self.measure_by(&paper_metrics()?, scorer, threads)
    }

    /// Measures a method by any metrics, beside the rank loss.
    pub fn measure_by(&self, metrics: &[Metric], scorer: &dyn Scorer, threads: &Threads) -> Result<Measured> {
        let rank_loss = rank_loss(&self.tuples, scorer, threads)?;
        let mut evaluation = Evaluation::new(metrics)?;
        let values = threads.map(self.questions.len(), |i| -> Result<Vec<Option<f64>>> {
            let ranking = self.questions[i].rank(scorer)?;
            Ok(metrics.iter().map(|metric| metric.value(&ranking)).collect())
        });
        for (question, values) in self.questions.iter().zip(values) {
            evaluation.add_values(question.name.clone(), values?)?;
        }
        Ok(Measured { rank_loss, evaluation })
    }
}

impl Question {
    /// Ranks the candidates, ties as trec_eval breaks them.
    fn rank(&self, scorer: &dyn Scorer) -> Result<Ranking> {
        let scores = scorer.scores(self.query, &self.candidates)?;
        // The candidates come with the greatest id first, which is who wins a tie.
        Ranking::of_items(&scores, &self.grades, &TieOrder::by_number(self.candidates.len() as u32))
    }
}

impl Measured {
    /// Returns the figures by name, as a table's row has them: `rank_loss`, the means of the metrics, and their standard
    /// errors under `NAME_error`.
    pub fn figures(&self) -> BTreeMap<String, f64> {
        let summary = self.evaluation.summary();
        let means = summary.metrics.iter().map(|(metric, mean)| (metric.to_string(), mean));
        let errors = summary.standard_errors.iter().map(|(metric, error)| (format!("{metric}_error"), error));
        means.chain(errors).chain([("rank_loss".to_string(), self.rank_loss)]).collect()
    }
}

/// MAP and P@10.
pub fn paper_metrics() -> Result<[Metric; 2]> {
    Ok([Metric::AveragePrecision(Depth::WHOLE), Metric::Precision(Depth::at(10)?)])
}
