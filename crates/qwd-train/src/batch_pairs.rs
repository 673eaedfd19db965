//! A better document against all worse ones of a mini-batch: the rank loss of every pair at once.
//!
//! A tuple (q, d⁺, d⁻) of a mini-batch is asked to score d⁺ above each c of the worse documents C of all its tuples and some
//! more that are drawn, but for those that are known to suit q. With x_c = score(q, d⁺) − score(q, c), its loss is
//!
//!   (1/|C|) Σ_c max(0, m − x_c)   or   (1/|C|) Σ_c m ln(1 + exp(−x_c / m)),
//!
//! the paper's hinge or its smooth relative, the margin m being the latter's temperature. Better documents of other tuples
//! do not count: what is linked or clicked often would be pushed down everywhere. A softmax over C would learn most
//! from the highest-scoring c, which are often right ones that nobody has judged; here every c counts alike.
//!
//! One mini-batch of B tuples compares B · |C| pairs but projects each of its queries and documents only once: that is why
//! it learns more in the same time than tuples one by one. With p_c the loss's slope at x_c, Uq moves towards
//! Σ_c p_c (Vd⁺ − Vc), and Vc towards −Σ_q p_c Uq; a word takes one step by the sum of what its texts ask for.
//!
//! **Cost** of a mini-batch: its texts' words × N twice, B · |C| · N twice, and the words that queries and documents share.
//! **Threads.** A row of scores belongs to one thread, a document's sum over the rows to one thread, in order.

use crate::engine::diverged;
use crate::latent::{Latent, Lesson, Shared};
use crate::negatives::Pool;
use crate::session::Tally;
use crate::sums::LARGEST;
use crate::table::{Push, adapted};
use qwd_core::kernel::{add_scaled, dot};
use qwd_core::{Csr, Result, Rng, SparseView, Threads};
use qwd_data::Preference;
use serde::{Deserialize, Serialize};

/// The documents of a mini-batch, each once, and which of them have a word.
struct Candidates<'a> {
    rows: Vec<u32>,
    /// Whether a document is the worse one of a tuple, or drawn.
    is_worse: Vec<bool>,
    texts: Vec<SparseView<'a>>,
    /// By word: the candidates that have it, with their values.
    by_word: Csr,
}

impl<'a> Candidates<'a> {
    fn new(tuples: &[Preference], drawn: Vec<u32>, documents: &'a Csr) -> Result<Self> {
        let mut worse = drawn;
        worse.extend(tuples.iter().map(|tuple| tuple.worse));
        worse.sort_unstable();
        let mut rows: Vec<u32> = tuples.iter().map(|tuple| tuple.better).chain(worse.iter().copied()).collect();
        rows.sort_unstable();
        rows.dedup();
        let is_worse = rows.iter().map(|row| worse.binary_search(row).is_ok()).collect();
        let texts: Vec<SparseView<'a>> = rows.iter().map(|&row| documents.row(row as usize)).collect();
        let mut matrix = Csr::empty(documents.n_cols());
        texts.iter().try_for_each(|text| matrix.push(*text))?;
        Ok(Self { rows, is_worse, texts, by_word: matrix.transpose() })
    }

    fn number(&self, row: u32) -> usize {
        self.rows.partition_point(|&other| other < row)
    }

    fn with_word(&self, word: u32) -> impl Iterator<Item = (u32, f32)> {
        self.by_word.row(word as usize).iter()
    }

    /// What the diagonal gives every candidate.
    fn add_shared(&self, q: SparseView<'_>, shared: &Shared, scores: &mut [f32]) {
        if matches!(shared, Shared::Fixed(0.0)) {
            return;
        }
        for (word, x) in q.iter() {
            let weight = x * shared.weight(word as usize);
            self.with_word(word).for_each(|(c, y)| scores[c as usize] += weight * y);
        }
    }

    /// How strongly the shared words of the query and the candidates are drawn, word by word.
    fn for_shared(&self, q: SparseView<'_>, pulls: &[f32], mut f: impl FnMut(usize, f32)) {
        for (word, x) in q.iter() {
            let sum: f32 = self.with_word(word).map(|(c, y)| pulls[c as usize] * y).sum();
            f(word as usize, x * sum);
        }
    }
}

/// One tuple of a mini-batch.
struct Asked {
    /// Uq.
    query: Vec<f32>,
    /// How strongly every candidate is drawn towards the query: Σ p_c for d⁺, −p_c for the others, times the tuple's weight.
    pulls: Vec<f32>,
    /// The sum of the candidates' projections, each as strong as it is drawn.
    towards: Vec<f32>,
    /// `None` where numbers have grown beyond all measure.
    loss: Option<f64>,
}

impl Latent {
    /// Takes the steps of a mini-batch, the first tuple of which is step `t` + 1.
    pub(crate) fn learn_pairs(
        &mut self,
        lesson: &mut Lesson<'_>,
        tuples: &[Preference],
        pool: &Pool,
        t: u64,
        threads: &Threads,
        tally: &mut Tally,
    ) -> Result<()> {
        let mut rng = Rng::part(self.settings.seed, t);
        let drawn = (0..self.settings.candidates).map(|_| pool.any(&mut rng)).collect();
        let candidates = Candidates::new(tuples, drawn, lesson.problem.documents())?;
        let [left, right] = lesson.tables;
        let projected = threads.map(candidates.texts.len(), |c| self.projection(right, candidates.texts[c]));
        let asked = threads.map(tuples.len(), |i| {
            let query = self.projection(left, lesson.problem.query(&tuples[i]));
            self.ask(lesson, &tuples[i], query, &candidates, &projected, pool)
        });
        for ((asked, tuple), t) in asked.iter().zip(tuples).zip(t + 1..) {
            let loss = asked.loss.ok_or_else(|| diverged(t))?;
            tally.add(loss, lesson.problem.query(tuple).len() * candidates.rows.len());
        }
        let of_documents = threads.map(candidates.rows.len(), |c| {
            let mut towards = vec![0.0; self.settings.rank];
            asked.iter().for_each(|asked| add_scaled(&mut towards, asked.pulls[c], &asked.query));
            towards
        });
        self.learn_shared(lesson, tuples, &asked, &candidates);
        let queries = tuples.iter().zip(&asked);
        let push = |words, towards| Push { words, weight: 1.0, towards };
        let queries = queries.map(|(tuple, asked)| push(lesson.problem.query(tuple), asked.towards.as_slice()));
        let documents = candidates.texts.iter().zip(&of_documents).map(|(&text, towards)| push(text, towards));
        let (mut queries, documents): (Vec<_>, Vec<_>) = (queries.collect(), documents.collect());
        let pace = self.settings.pace();
        if left == right {
            queries.extend(documents);
            self.tables[left].take_sum(pace, &queries, threads);
        } else {
            self.tables[left].take_sum(pace, &queries, threads);
            self.tables[right].take_sum(pace, &documents, threads);
        }
        Ok(())
    }

    fn projection(&self, table: usize, x: SparseView<'_>) -> Vec<f32> {
        let mut out = Vec::new();
        self.project(table, x, &mut out);
        out
    }

    fn ask(
        &self,
        lesson: &Lesson<'_>,
        tuple: &Preference,
        query: Vec<f32>,
        candidates: &Candidates<'_>,
        projected: &[Vec<f32>],
        pool: &Pool,
    ) -> Asked {
        let mut scores: Vec<f32> = projected.iter().map(|document| dot(&query, document)).collect();
        candidates.add_shared(lesson.problem.query(tuple), &lesson.shared, &mut scores);
        let better = candidates.number(tuple.better);
        if scores.iter().any(|score| score.is_nan() || f64::from(score.abs()) > LARGEST) {
            return Asked { query, pulls: Vec::new(), towards: Vec::new(), loss: None };
        }
        for ((score, &row), &is_worse) in scores.iter_mut().zip(&candidates.rows).zip(&candidates.is_worse) {
            if row != tuple.better && !(is_worse && pool.is_worse(tuple.query, row)) {
                *score = f32::NEG_INFINITY;
            }
        }
        let loss = self.settings.loss.slopes(&mut scores, better, self.settings.margin);
        let mut pulls = scores;
        pulls.iter_mut().for_each(|pull| *pull *= tuple.weight);
        let mut towards = vec![0.0; self.settings.rank];
        for (&pull, document) in pulls.iter().zip(projected).filter(|(pull, _)| **pull != 0.0) {
            add_scaled(&mut towards, pull, document);
        }
        Asked { query, pulls, towards, loss: Some(loss) }
    }

    fn learn_shared(
        &self,
        lesson: &mut Lesson<'_>,
        tuples: &[Preference],
        asked: &[Asked],
        candidates: &Candidates<'_>,
    ) {
        let rate = self.settings.rate as f32;
        let problem = lesson.problem;
        match &mut lesson.shared {
            Shared::Fixed(_) => {}
            Shared::Scaled(alpha, square) => {
                let mut gradient = 0.0;
                for (tuple, asked) in tuples.iter().zip(asked) {
                    candidates.for_shared(problem.query(tuple), &asked.pulls, |_, pull| gradient += pull);
                }
                *alpha += adapted(gradient, rate, Some(square));
            }
            Shared::Weights(weights, squares) => {
                for (tuple, asked) in tuples.iter().zip(asked) {
                    candidates.for_shared(problem.query(tuple), &asked.pulls, |word, pull| {
                        weights[word] += adapted(pull, rate, squares.get_mut(word));
                    });
                }
            }
        }
    }
}

/// What a pair of documents in the wrong order, or nearly so, costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// max(0, m − x).
    #[default]
    Hinge,
    /// m ln(1 + exp(−x / m)).
    Logistic,
}

impl Loss {
    /// Turns scores into how strongly each document is drawn towards the query, and returns the loss. Documents that do
    /// not count have the score −∞.
    fn slopes(self, scores: &mut [f32], better: usize, margin: f64) -> f64 {
        let n = (scores.iter().filter(|score| score.is_finite()).count() - 1).max(1) as f64;
        let own = f64::from(scores[better]);
        let (mut loss, mut slope) = (0.0, 0.0);
        for (c, score) in scores.iter_mut().enumerate() {
            if c == better {
                continue;
            }
            let (l, p) = self.of(own - f64::from(*score), margin);
            loss += l;
            slope += p;
            *score = (-p / n) as f32;
        }
        scores[better] = (slope / n) as f32;
        loss / n
    }

    /// The loss of a pair with the difference x, and its slope.
    fn of(self, x: f64, margin: f64) -> (f64, f64) {
        match self {
            Self::Hinge if x < margin => (margin - x, 1.0),
            Self::Hinge => (0.0, 0.0),
            Self::Logistic => {
                let e = (-(x / margin).abs()).exp();
                let slope = if x < 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) };
                (margin * ((-x / margin).max(0.0) + e.ln_1p()), slope)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_loss() {
        for loss in [Loss::Hinge, Loss::Logistic] {
            let scores = [0.3f32, 0.28, f32::NEG_INFINITY, 0.9, -0.4];
            let mut slopes = scores;
            loss.slopes(&mut slopes, 0, 0.1);
            for i in 0..scores.len() {
                let moved = |by: f32| {
                    let mut moved = scores;
                    moved[i] += by;
                    loss.slopes(&mut moved, 0, 0.1)
                };
                let numeric = if i == 2 { 0.0 } else { (moved(1e-3) - moved(-1e-3)) / 2e-3 };
                assert!((numeric + f64::from(slopes[i])).abs() < 1e-2, "{loss:?} {i}: {numeric} {}", slopes[i]);
            }
            assert_eq!(slopes[2], 0.0);
        }
    }

    #[test]
    fn far_scores_cost_what_they_are_apart() {
        let (loss, slope) = Loss::Logistic.of(-50.0, 0.1);
        assert!((loss - 50.0).abs() < 1e-9 && (slope - 1.0).abs() < 1e-9);
        assert_eq!(Loss::Logistic.of(f64::INFINITY, 0.1), (0.0, 0.0));
        assert_eq!(Loss::Hinge.of(0.02, 0.1), (0.1 - 0.02, 1.0));
        assert_eq!(Loss::Hinge.of(f64::INFINITY, 0.1), (0.0, 0.0));
    }
}
