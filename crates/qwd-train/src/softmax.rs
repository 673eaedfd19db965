//! A better document against all worse ones of a mini-batch: the loss of a softmax over them.
//!
//! A tuple (q, d⁺, d⁻) of a mini-batch is asked to score d⁺ above the worse documents of all its tuples and some more that
//! are drawn, but for those that are known to suit q; with d⁺ they are its C:
//!
//!   loss = −ln p(d⁺),   p(c) = exp(score(q, c) / τ) / Σ_{c' ∈ C} exp(score(q, c') / τ)
//!
//! with the margin as the temperature τ. Better documents of other tuples do not count: what is linked or clicked often
//! would be pushed down everywhere. One mini-batch of B tuples compares B · |C| pairs, but projects each of its queries and
//! documents only once: that is why it learns more in the same time than tuples one by one. With
//! g_c = [c = d⁺] − p(c), Uq moves towards Σ_c g_c Vc, and Vc towards Σ_q g_c Uq.
//!
//! **Cost** of a mini-batch: its texts' words × N twice, B · |C| · N twice, and the words that queries and documents share.
//! **Threads.** A row of scores belongs to one thread, a document's sum over the rows to one thread, in order.

use crate::engine::diverged;
use crate::latent::{Latent, Lesson, Push, Shared, adapted, take};
use crate::negatives::Pool;
use crate::session::Tally;
use crate::sums::LARGEST;
use qwd_core::kernel::{add_rows, add_scaled, dot};
use qwd_core::{Csr, Result, Rng, SparseView, Threads};
use qwd_data::Preference;

/// The documents of a mini-batch, each once, and which of them have a word.
struct Candidates<'a> {
    rows: Vec<u32>,
    /// Whether a document is the worse one of a tuple, or drawn.
    is_worse: Vec<bool>,
    texts: Vec<SparseView<'a>>,
    /// By word: the candidates that have it, with their values.
    starts: Vec<u32>,
    postings: Vec<(u32, f32)>,
}

impl<'a> Candidates<'a> {
    fn new(tuples: &[Preference], drawn: Vec<u32>, documents: &'a Csr) -> Self {
        let mut worse = drawn;
        worse.extend(tuples.iter().map(|tuple| tuple.worse));
        worse.sort_unstable();
        let mut rows: Vec<u32> = tuples.iter().map(|tuple| tuple.better).chain(worse.iter().copied()).collect();
        rows.sort_unstable();
        rows.dedup();
        let is_worse = rows.iter().map(|row| worse.binary_search(row).is_ok()).collect();
        let texts: Vec<SparseView<'a>> = rows.iter().map(|&row| documents.row(row as usize)).collect();
        let mut starts = vec![0u32; documents.n_cols() as usize + 1];
        texts.iter().flat_map(|text| text.indices()).for_each(|&word| starts[word as usize + 1] += 1);
        (1..starts.len()).for_each(|word| starts[word] += starts[word - 1]);
        let mut next = starts.clone();
        let mut postings = vec![(0, 0.0); starts.last().map_or(0, |&n| n as usize)];
        for (c, text) in (0u32..).zip(&texts) {
            for (word, value) in text.iter() {
                let at = &mut next[word as usize];
                postings[*at as usize] = (c, value);
                *at += 1;
            }
        }
        Self { rows, is_worse, texts, starts, postings }
    }

    fn number(&self, row: u32) -> usize {
        self.rows.partition_point(|&other| other < row)
    }

    fn with_word(&self, word: u32) -> &[(u32, f32)] {
        &self.postings[self.starts[word as usize] as usize..self.starts[word as usize + 1] as usize]
    }

    /// What the diagonal gives every candidate.
    fn add_shared(&self, q: SparseView<'_>, shared: &Shared, scores: &mut [f32]) {
        if matches!(shared, Shared::Fixed(0.0)) {
            return;
        }
        for (word, x) in q.iter() {
            let weight = x * shared.weight(word as usize);
            self.with_word(word).iter().for_each(|&(c, y)| scores[c as usize] += weight * y);
        }
    }

    /// Σ_c g_c q·c over the words that they share, word by word.
    fn for_shared(&self, q: SparseView<'_>, pulls: &[f32], mut f: impl FnMut(usize, f32)) {
        for (word, x) in q.iter() {
            let sum: f32 = self.with_word(word).iter().map(|&(c, y)| pulls[c as usize] * y).sum();
            f(word as usize, x * sum);
        }
    }
}

/// One tuple of a mini-batch.
struct Asked {
    /// Uq.
    query: Vec<f32>,
    /// g_c for every candidate, times the tuple's weight.
    pulls: Vec<f32>,
    /// Σ_c g_c Vc.
    towards: Vec<f32>,
    /// −ln p(d⁺); `None` where numbers have grown beyond all measure.
    loss: Option<f64>,
}

impl Latent {
    /// Takes the steps of a mini-batch, the first tuple of which is step `t` + 1.
    pub(crate) fn learn_softmax(
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
        let candidates = Candidates::new(tuples, drawn, lesson.problem.documents());
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
        let queries = queries.map(|(tuple, asked)| Push::new(lesson.problem.query(tuple), &asked.towards));
        let documents = candidates.texts.iter().zip(&of_documents).map(|(&text, towards)| Push::new(text, towards));
        let (mut queries, documents): (Vec<_>, Vec<_>) = (queries.collect(), documents.collect());
        if left == right {
            queries.extend(documents);
            take(&mut self.tables[left], &self.settings, &queries, threads);
        } else {
            take(&mut self.tables[left], &self.settings, &queries, threads);
            take(&mut self.tables[right], &self.settings, &documents, threads);
        }
        Ok(())
    }

    fn projection(&self, table: usize, x: SparseView<'_>) -> Vec<f32> {
        let mut out = vec![0.0; self.settings.rank];
        add_rows(x, &self.tables[table].numbers, &mut out);
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
        let loss = softmax(&mut scores, better, self.settings.margin);
        let mut pulls = scores;
        pulls.iter_mut().for_each(|p| *p *= -tuple.weight);
        pulls[better] += tuple.weight;
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

/// Turns scores into probabilities at a temperature; returns −ln of one of them.
fn softmax(scores: &mut [f32], of: usize, temperature: f64) -> f64 {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let scale = (1.0 / temperature) as f32;
    let own = f64::from(highest - scores[of]) / temperature;
    let mut sum = 0.0f64;
    for score in scores.iter_mut() {
        *score = ((*score - highest) * scale).exp();
        sum += f64::from(*score);
    }
    scores.iter_mut().for_each(|p| *p = (f64::from(*p) / sum) as f32);
    own + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_and_the_loss_is_that_of_one() {
        let mut scores = [0.3, -0.2, f32::NEG_INFINITY, 0.1];
        let loss = softmax(&mut scores, 1, 0.5);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(scores[2], 0.0);
        assert!((loss + f64::from(scores[1]).ln()).abs() < 1e-6);
        assert!((f64::from(scores[0] / scores[1]).ln() - 1.0).abs() < 1e-5, "(0.3 + 0.2) / 0.5");
    }
}
