//! What the tests share: problems as rows and as plain numbers, and comparisons.

use qwd_core::{Csr, Result, SparseVec, Threads};
use qwd_data::Preference;
use qwd_model::{Matrix, Model, Provenance};
use qwd_testkit::bilinear::Rows;
use qwd_testkit::random::{Plain, Shape};
use qwd_testkit::tuples::{Course, Tuple};
use qwd_train::{Constraints, Method, Problem, Session, Start, Trained};
use std::sync::LazyLock;

/// One thread.
pub(crate) static ONE: LazyLock<Threads> = LazyLock::new(Threads::default);

/// A problem, as rows of matrices and as plain numbers.
pub(crate) struct Data {
    pub(crate) plain: Plain,
    pub(crate) queries: Csr,
    pub(crate) documents: Csr,
    pub(crate) preferences: Vec<Preference>,
}

impl Data {
    pub(crate) fn of(plain: Plain) -> Self {
        let rows = |vectors: &[Vec<(u32, f32)>], n: usize| {
            let mut csr = Csr::empty(n as u32);
            for x in vectors {
                let (words, values) = x.iter().copied().unzip();
                csr.push(SparseVec::try_new(words, values).expect("sorted").view()).expect("in range");
            }
            csr
        };
        let queries = rows(&plain.queries, plain.n_query_words);
        let documents = rows(&plain.documents, plain.n_document_words);
        let tuple = |&(query, better, worse, weight): &_| Preference { query, better, worse, weight };
        let preferences = plain.tuples.iter().map(tuple).collect();
        Self { plain, queries, documents, preferences }
    }

    pub(crate) fn random(seed: u64, shape: &Shape) -> Self {
        Self::of(Plain::random(seed, shape))
    }

    pub(crate) fn problem(&self) -> Problem<'_> {
        self.part(&self.preferences)
    }

    pub(crate) fn first(&self, n: usize) -> Problem<'_> {
        self.part(&self.preferences[..n])
    }

    pub(crate) fn part<'a>(&'a self, preferences: &'a [Preference]) -> Problem<'a> {
        Problem::try_new(&self.queries, &self.documents, preferences).expect("a good problem")
    }

    /// As [`Data::of`], from single vectors: (words and values of queries, of documents, tuples).
    pub(crate) fn small(
        [n_query_words, n_document_words]: [usize; 2],
        queries: &[&[(u32, f32)]],
        documents: &[&[(u32, f32)]],
        tuples: &[(u32, u32, u32, f32)],
    ) -> Self {
        let owned = |vectors: &[&[(u32, f32)]]| vectors.iter().map(|x| x.to_vec()).collect();
        let (queries, documents) = (owned(queries), owned(documents));
        Self::of(Plain { n_query_words, n_document_words, queries, documents, tuples: tuples.to_vec() })
    }

    /// The share of fresh tuples that W scores the wrong way round or ties.
    pub(crate) fn pair_error(&self, matrix: &Matrix) -> f64 {
        let wrong = self.preferences.iter().filter(|p| {
            let score = |d: u32| {
                matrix.score(self.queries.row(p.query as usize), self.documents.row(d as usize)).expect("fits")
            };
            score(p.better) <= score(p.worse)
        });
        wrong.count() as f64 / self.preferences.len() as f64
    }
}

/// A square problem of some words and tuples.
pub(crate) fn square(n_words: usize, n_tuples: usize) -> Shape {
    Shape {
        n_query_words: n_words,
        n_document_words: n_words,
        n_queries: 40,
        n_tuples,
        query_len: 5,
        document_len: 7,
        skew: 1.5,
        wild: true,
    }
}

/// A method by name with some of its parameters.
pub(crate) fn method(name: &str, params: serde_json::Value) -> Method {
    let method = Method::from_json(name, params).expect("a method");
    method.check().expect("good parameters");
    method
}

/// Trains on one thread, unwatched and unconstrained.
pub(crate) fn train(method: &Method, problem: &Problem<'_>, start: Start<'_>) -> Result<Trained> {
    method.train(problem, start, &Constraints::default(), None, &mut Session::quiet(&ONE))
}

/// The bytes of a model with the trained W and, where there is one, the training state.
pub(crate) fn bytes(trained: &Trained) -> Vec<u8> {
    let model = model(trained);
    model.to_bytes().expect("finite numbers")
}

pub(crate) fn model(trained: &Trained) -> Model {
    let mut provenance = Provenance::new("test");
    provenance.n_tuples = trained.steps;
    let model = Model::new(trained.matrix.clone(), provenance);
    match &trained.state {
        Some(state) => model.with_state(state.clone()).expect("the state of this matrix"),
        None => model,
    }
}

/// W written out.
pub(crate) fn rows_of(matrix: &Matrix) -> Rows {
    let entry = |s, t| f64::from(matrix.entry(s, t).expect("in range"));
    (0..matrix.n_rows() as u32).map(|s| (0..matrix.n_cols() as u32).map(|t| entry(s, t)).collect()).collect()
}

/// A sparse W of numbers written out.
pub(crate) fn matrix_of(rows: &Rows) -> Matrix {
    let mut csr = Csr::empty(rows[0].len() as u32);
    for row in rows {
        let pairs = (0u32..).zip(row.iter().map(|&w| w as f32)).collect();
        csr.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
    }
    Matrix::sparse(csr).expect("small")
}

/// The number of tuples, all of them or those before the first one that rounding might decide, and the W they lead to.
pub(crate) fn surely(tuples: &[Tuple], run: impl Fn(&[Tuple]) -> Course) -> (usize, Rows) {
    let course = run(tuples);
    match course.first_doubt {
        None => (tuples.len(), course.weights),
        Some(n) => (n, run(&tuples[..n]).weights),
    }
}

/// Checks that W is the expected one within a tolerance, and zero where that is, but for entries within the tolerance.
pub(crate) fn compare(w: &Matrix, expected: &Rows, tolerance: f64) -> Result<(), String> {
    let w = rows_of(w);
    for (s, (row, of_expected)) in w.iter().zip(expected).enumerate() {
        for (t, (&a, &b)) in row.iter().zip(of_expected).enumerate() {
            if (a - b).abs() > tolerance {
                return Err(format!("W[{s}][{t}] is {a}, expected {b}, tolerance {tolerance}"));
            }
            if (a == 0.0) != (b == 0.0) && a.abs().max(b.abs()) > tolerance {
                return Err(format!("W[{s}][{t}] is {a}, expected {b}"));
            }
        }
    }
    Ok(())
}

/// The largest absolute value.
pub(crate) fn largest(w: &Rows) -> f64 {
    w.iter().flatten().fold(0.0, |max, x| x.abs().max(max))
}

/// Properties with a number of cases that `QWD_ROUNDS` can raise.
pub(crate) fn cases(at_least: u32) -> proptest::test_runner::Config {
    proptest::test_runner::Config {
        cases: qwd_testkit::rounds(at_least),
        failure_persistence: None,
        ..Default::default()
    }
}
