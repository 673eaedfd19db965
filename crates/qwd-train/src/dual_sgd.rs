//! SGD on an unconstrained W by its coefficients: for few and long texts, hundreds of times faster than word pair by word
//! pair, with the same result up to rounding.
//!
//! Every step adds η q eᵀ with e = d⁺ − d⁻ ([`crate::sgd`]), so W = W₀ + Σ `A[q][d]` q dᵀ over queries and documents, and a
//! score needs only products of texts with each other:
//!
//! qᵀWd = qᵀW₀d + Σ_p (q·p) `F[p][d]`, with `F[p][d]` = Σ_c `A[p][c]` (c·d)
//!
//! The products are worked out once. A score is one inner product over the queries; a step on (q, d⁺, d⁻) changes row q of F
//! by η (products of d⁺ − products of d⁻). So a tuple costs about three times the number of texts, whatever their length,
//! where pairs of words cost |q| |e|. Where W must have no diagonal, the diagonal is kept besides and taken off the scores.
//!
//! Memory: 4 bytes for each pair of texts, three times over (once where queries are documents), and W itself at the end.

use crate::engine::diverged;
use crate::problem::Problem;
use crate::rate::Rate;
use crate::session::{Session, Tally};
use crate::trainer::{Start, Trained};
use qwd_core::kernel::{add_scaled, dot, gather_dot};
use qwd_core::{Csr, Error, Result, SparseView, Threads};
use qwd_data::Preference;
use qwd_model::Matrix;

/// The most pairs of texts: their products take 1 GiB.
const MAX_PAIRS: usize = 1 << 28;

/// The most entries of the dense W that is made at the end: 8 GiB.
const MAX_ENTRIES: usize = 1 << 31;

/// SGD over the coefficients of texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DualSgd {
    pub(crate) rate: Rate,
    pub(crate) margin: f64,
    pub(crate) zero_diagonal: bool,
}

impl DualSgd {
    /// Learns W from the problem's preferences, in their order.
    pub(crate) fn train(&self, problem: &Problem<'_>, start: Start<'_>, session: &mut Session<'_>) -> Result<Trained> {
        let identity = match start {
            Start::Identity => true,
            Start::Zero => false,
            Start::Matrix(_) | Start::Resume(..) => {
                return Err(Error::bad_data("the dual form starts from I or from 0", "set form = primal"));
            }
        };
        if session.is_watched() {
            return Err(Error::bad_data("the dual form has no W to look at on the way", "train it without `stop`"));
        }
        if (identity || self.zero_diagonal) && problem.n_query_words() != problem.n_document_words() {
            return Err(Error::bad_data("a diagonal needs one vocabulary", "start from zero"));
        }
        let mut state = State::new(problem, identity && !self.zero_diagonal, session.threads())?;
        let mut diagonal = vec![0.0f32; if self.zero_diagonal { problem.n_query_words() } else { 0 }];
        let (mut tally, total) = (Tally::default(), problem.preferences().len() as u64);
        for (t, tuple) in (1u64..).zip(problem.preferences()) {
            let (q, e) =
                (problem.query(tuple), [tuple.better, tuple.worse].map(|d| problem.documents().row(d as usize)));
            let on_diagonal = |d: SparseView<'_>| diagonal_score(&diagonal, q, d);
            let score = state.margin_of(tuple) - (on_diagonal(e[0]) - on_diagonal(e[1]));
            let missing = self.margin - score;
            tally.add(missing, q.len() * (e[0].len() + e[1].len()));
            if !score.is_finite() {
                return Err(diverged(t));
            }
            if missing > 0.0 {
                let step = (self.rate.at(t) * f64::from(tuple.weight)) as f32;
                state.step(tuple, step);
                if self.zero_diagonal {
                    add_to_diagonal(&mut diagonal, step, q, e[0]);
                    add_to_diagonal(&mut diagonal, -step, q, e[1]);
                }
            }
            session.report(&mut tally, t, total)?;
        }
        let mut matrix = state.weights(problem, session.threads())?;
        for s in 0..problem.n_query_words().min(problem.n_document_words()) {
            let entry = &mut matrix[s * problem.n_document_words() + s];
            if self.zero_diagonal {
                *entry = 0.0;
            } else if identity {
                *entry += 1.0;
            }
        }
        let matrix = Matrix::dense(problem.n_query_words(), problem.n_document_words(), matrix);
        Ok(Trained { matrix: matrix.map_err(|_| diverged(total))?, state: None, steps: total })
    }
}

fn diagonal_score(diagonal: &[f32], q: SparseView<'_>, d: SparseView<'_>) -> f64 {
    if diagonal.is_empty() { 0.0 } else { shared_words(q, d).map(|(s, x)| f64::from(diagonal[s] * x)).sum() }
}

fn add_to_diagonal(diagonal: &mut [f32], step: f32, q: SparseView<'_>, d: SparseView<'_>) {
    shared_words(q, d).for_each(|(s, x)| diagonal[s] += step * x);
}

/// The words of both texts, with the product of their values.
fn shared_words<'a>(q: SparseView<'a>, d: SparseView<'a>) -> impl Iterator<Item = (usize, f32)> + use<'a> {
    let mut others = d.iter().peekable();
    q.iter().filter_map(move |(s, x)| {
        while others.next_if(|other| other.0 < s).is_some() {}
        others.next_if(|other| other.0 == s).map(|(_, y)| (s as usize, x * y))
    })
}

/// Texts by their places among those that some preference names.
struct Places {
    rows: Vec<u32>,
}

impl Places {
    fn new(mut rows: Vec<u32>) -> Self {
        rows.sort_unstable();
        rows.dedup();
        Self { rows }
    }

    fn of(&self, row: u32) -> usize {
        self.rows.partition_point(|&known| known < row)
    }
}

/// Products of texts, and what has been learned.
struct State {
    queries: Places,
    documents: Places,
    /// q·p, query by query.
    between_queries: Vec<f32>,
    /// c·d, document by document.
    between_documents: Vec<f32>,
    /// q·d, query by query, if W starts from I.
    across: Option<Vec<f32>>,
    /// F, document by document, so that a score reads a run of numbers.
    sums: Vec<f32>,
    /// A: the steps on each document, query by query.
    steps: Vec<Vec<(u32, f32)>>,
}

impl State {
    fn new(problem: &Problem<'_>, identity: bool, threads: &Threads) -> Result<Self> {
        let queries = Places::new(problem.preferences().iter().map(|p| p.query).collect());
        let documents = Places::new(problem.preferences().iter().flat_map(|p| [p.better, p.worse]).collect());
        let (n, m) = (queries.rows.len(), documents.rows.len());
        let pairs = n.max(m).saturating_mul(n.max(m));
        if pairs > MAX_PAIRS {
            return Err(Error::limit(
                "pairs of texts in the dual form",
                MAX_PAIRS as u64,
                pairs as u64,
                "set form = primal",
            ));
        }
        let entries = problem.n_query_words().saturating_mul(problem.n_document_words());
        if entries > MAX_ENTRIES {
            let fix = "take a smaller vocabulary, or another method";
            return Err(Error::limit("entries of an unconstrained W", MAX_ENTRIES as u64, entries as u64, fix));
        }
        let (x, y) = ((problem.queries(), &queries), (problem.documents(), &documents));
        Ok(Self {
            between_queries: products(x, x, threads),
            between_documents: products(y, y, threads),
            across: identity.then(|| products(x, y, threads)),
            sums: vec![0.0; n * m],
            steps: vec![Vec::new(); n],
            queries,
            documents,
        })
    }

    /// qᵀW(d⁺ − d⁻).
    fn margin_of(&self, tuple: &Preference) -> f64 {
        let (n, m) = (self.queries.rows.len(), self.documents.rows.len());
        let q = self.queries.of(tuple.query);
        let products = &self.between_queries[q * n..][..n];
        let score = |row: u32| {
            let d = self.documents.of(row);
            let base = self.across.as_ref().map_or(0.0, |across| across[q * m + d]);
            f64::from(dot(products, &self.sums[d * n..][..n])) + f64::from(base)
        };
        score(tuple.better) - score(tuple.worse)
    }

    fn step(&mut self, tuple: &Preference, step: f32) {
        let (n, m) = (self.queries.rows.len(), self.documents.rows.len());
        let q = self.queries.of(tuple.query);
        let [better, worse] = [tuple.better, tuple.worse].map(|row| self.documents.of(row));
        let products = |d: usize| &self.between_documents[d * m..][..m];
        for (d, (b, w)) in products(better).iter().zip(products(worse)).enumerate() {
            self.sums[d * n + q] += step * (b - w);
        }
        self.steps[q].extend([(better as u32, step), (worse as u32, -step)]);
    }

    /// Σ `A[q][d]` q dᵀ, row by row.
    fn weights(&self, problem: &Problem<'_>, threads: &Threads) -> Result<Vec<f32>> {
        let n_cols = problem.n_document_words();
        let of_query = threads.map(self.steps.len(), |q| {
            let mut sum = vec![0.0f32; n_cols];
            for &(d, step) in &self.steps[q] {
                let words = problem.documents().row(self.documents.rows[d as usize] as usize);
                words.iter().for_each(|(t, y)| sum[t as usize] += step * y);
            }
            sum
        });
        let mut used = Csr::empty(problem.n_query_words() as u32);
        for &row in &self.queries.rows {
            used.push(problem.queries().row(row as usize))?;
        }
        let by_word = used.transpose();
        let mut weights = qwd_core::memory::zeroed::<f32>(problem.n_query_words() * n_cols);
        let mut rows: Vec<&mut [f32]> = weights.chunks_mut(n_cols.max(1)).collect();
        threads.map_mut(&mut rows, |s, row| {
            by_word.row(s).iter().for_each(|(q, x)| add_scaled(row, x, &of_query[q as usize]));
        });
        Ok(weights)
    }
}

/// The inner products of some rows with some rows.
fn products((x, some): (&Csr, &Places), (y, others): (&Csr, &Places), threads: &Threads) -> Vec<f32> {
    let of_rows = threads.map(some.rows.len(), |i| {
        let mut dense = vec![0.0f32; x.n_cols().max(y.n_cols()) as usize];
        x.row(some.rows[i] as usize).iter().for_each(|(word, value)| dense[word as usize] = value);
        others.rows.iter().map(|&row| gather_dot(y.row(row as usize), &dense)).collect::<Vec<f32>>()
    });
    of_rows.concat()
}
