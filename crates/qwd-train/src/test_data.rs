//! Random problems for the tests beside the code.

use crate::{Constraints, Method, Problem, RefitParams, Session, Start, Trained};
use qwd_core::{Csr, Result, SparseVec, Threads};
use qwd_data::Preference;
use qwd_model::{Matrix, Model, Provenance};
use qwd_testkit::random::{Plain, Shape};

/// Rows and tuples of a random problem.
pub(crate) struct TestData {
    queries: Csr,
    documents: Csr,
    preferences: Vec<Preference>,
}

impl TestData {
    /// A square problem; queries and documents have up to so many words.
    pub(crate) fn new(n_words: usize, n_tuples: usize, query_len: usize, document_len: usize) -> Self {
        let shape = Shape {
            n_query_words: n_words,
            n_document_words: n_words,
            n_queries: 100,
            n_tuples,
            query_len,
            document_len,
            skew: 1.5,
            wild: true,
        };
        let plain = Plain::random(7, &shape);
        let rows = |vectors: &[Vec<(u32, f32)>]| {
            let mut csr = Csr::empty(n_words as u32);
            for x in vectors {
                let (words, values) = x.iter().copied().unzip();
                csr.push(SparseVec::try_new(words, values).expect("sorted").view()).expect("in range");
            }
            csr
        };
        let preference = |&(query, better, worse, weight): &_| Preference { query, better, worse, weight };
        let preferences = plain.tuples.iter().map(preference).collect();
        Self { queries: rows(&plain.queries), documents: rows(&plain.documents), preferences }
    }

    pub(crate) fn problem(&self) -> Problem<'_> {
        Problem::try_new(&self.queries, &self.documents, &self.preferences).expect("a good problem")
    }

    /// The bytes of the model that a job trains.
    pub(crate) fn bytes(&self, job: &Job, threads: &Threads) -> Vec<u8> {
        let trained = job.train(&self.problem(), &mut Session::quiet(threads)).expect("trains");
        let model = Model::new(trained.matrix, Provenance::new("test"));
        let model = match trained.state {
            Some(state) => model.with_state(state).expect("the state of this matrix"),
            None => model,
        };
        model.to_bytes().expect("finite")
    }
}

/// A training to run: a method within constraints, or a refit.
pub(crate) enum Job {
    Method(Method, Constraints),
    Refit(RefitParams, Matrix),
}

impl Job {
    /// A method with its parameters, unconstrained.
    pub(crate) fn free(name: &str, params: serde_json::Value) -> Self {
        Self::Method(Method::from_json(name, params).expect("a method"), Constraints::default())
    }

    fn train(&self, problem: &Problem<'_>, session: &mut Session<'_>) -> Result<Trained> {
        match self {
            Self::Method(method, constraints) => method.train(problem, Start::Identity, constraints, None, session),
            Self::Refit(params, fitted) => params.clone().build()?.train(problem, fitted, session),
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Method(method, constraints) => format!("{method:?}, constrained: {}", !constraints.is_empty()),
            Self::Refit(params, _) => format!("{params:?}"),
        }
    }
}
