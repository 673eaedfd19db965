//! W = UᵀV plus a diagonal by SGD, all of U and V written out (section 2.3.2 of the supervised semantic indexing paper).

use crate::bilinear::Rows;
use crate::tuples::{Course, Judge, Tuple, batches, zeros};

/// How far a step goes for a gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rates {
    /// η times the gradient.
    Fixed,
    /// η times the gradient by the root of δ + the sum over steps of the word's mean squared gradient.
    Word,
    /// η times the gradient by the root of δ + the sum of the number's squared gradients.
    Number,
}

/// What is learned of the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagonal {
    /// Nothing.
    Fixed,
    /// One weight for all words.
    Weight,
    /// A weight for every word.
    Words,
}

/// What the algorithm is given besides the tuples.
#[derive(Debug, Clone)]
pub struct Settings {
    /// η.
    pub rate: f64,
    /// Whether η is adapted.
    pub rates: Rates,
    /// δ.
    pub delta: f64,
    /// The margin.
    pub margin: f64,
    /// Tuples that are scored before any of them takes its step.
    pub batch: usize,
    /// Whether V is U.
    pub symmetric: bool,
    /// What is learned of the diagonal.
    pub diagonal: Diagonal,
}

/// The numbers of each word of both sides, and the diagonal.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors {
    /// One row for each query word.
    pub u: Rows,
    /// One row for each document word; the same as `u` where W is symmetric.
    pub v: Rows,
    /// One weight for each word; none for two vocabularies.
    pub diagonal: Vec<f64>,
}

impl Factors {
    /// W written out.
    pub fn product(&self) -> Rows {
        let mut w = zeros(self.u.len(), self.v.len());
        for (s, a) in self.u.iter().enumerate() {
            for (t, b) in self.v.iter().enumerate() {
                w[s][t] = a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
            }
        }
        for (i, d) in self.diagonal.iter().enumerate() {
            w[i][i] += d;
        }
        w
    }

    /// The loss of a tuple as a function of every number, differentiated by central differences.
    pub fn gradient(&self, tuple: &Tuple, margin: f64, symmetric: bool, h: f64) -> Self {
        let mut gradient = self.clone();
        let slope = |change: &dyn Fn(&mut Self, f64)| {
            let loss = |by: f64| {
                let mut moved = self.clone();
                change(&mut moved, by);
                if symmetric {
                    moved.v = moved.u.clone();
                }
                tuple.loss(&moved.product(), margin)
            };
            (loss(h) - loss(-h)) / (2.0 * h)
        };
        for s in 0..self.u.len() {
            for k in 0..self.u[s].len() {
                gradient.u[s][k] = slope(&|f, by| f.u[s][k] += by);
            }
        }
        for t in 0..self.v.len() {
            for k in 0..self.v[t].len() {
                gradient.v[t][k] = slope(&|f, by| f.v[t][k] += by);
            }
        }
        for i in 0..self.diagonal.len() {
            gradient.diagonal[i] = slope(&|f, by| f.diagonal[i] += by);
        }
        gradient
    }
}

/// Runs the algorithm from `start`; where U and V are one, each tuple pushes its query's words first.
pub fn low_rank(start: Factors, tuples: &[Tuple], settings: &Settings) -> (Factors, Course) {
    let mut f = start;
    let rank = f.u.first().map_or(0, Vec::len);
    let mut squares = [zeros(f.u.len(), rank), zeros(f.v.len(), rank)];
    let mut diagonal_squares = vec![0.0; f.diagonal.len()];
    let mut judge = Judge::new(settings.margin);
    for batch in batches(tuples.len(), settings.batch, usize::MAX) {
        let w = f.product();
        let before = f.clone();
        for i in batch {
            let tuple = &tuples[i];
            if !judge.misses(i, tuple, &w) {
                continue;
            }
            let project = |x: &[f64], rows: &Rows| -> Vec<f64> {
                (0..rank).map(|k| x.iter().zip(rows).map(|(x, row)| x * row[k]).sum()).collect()
            };
            let of_query = project(&tuple.query, &before.u);
            let of_difference = project(&tuple.difference, &before.v);
            let [of_u, of_v] = &mut squares;
            push(&mut f.u, of_u, &tuple.query, tuple.weight, &of_difference, settings);
            if settings.symmetric {
                push(&mut f.u, of_u, &tuple.difference, tuple.weight, &of_query, settings);
                f.v = f.u.clone();
            } else {
                push(&mut f.v, of_v, &tuple.difference, tuple.weight, &of_query, settings);
            }
            let shared = |i: usize| tuple.weight * tuple.query[i] * tuple.difference[i];
            let adapted = |g: f64, square: &mut f64, adapts: bool| {
                *square += g * g;
                if adapts { settings.rate * g / (*square + settings.delta).sqrt() } else { settings.rate * g }
            };
            match settings.diagonal {
                Diagonal::Fixed => {}
                Diagonal::Weight => {
                    let g = (0..f.diagonal.len()).map(shared).sum();
                    let step = adapted(g, &mut diagonal_squares[0], true);
                    f.diagonal.iter_mut().for_each(|d| *d += step);
                }
                Diagonal::Words => {
                    let adapts = settings.rates != Rates::Fixed;
                    for (i, (d, square)) in f.diagonal.iter_mut().zip(&mut diagonal_squares).enumerate() {
                        *d += adapted(shared(i), square, adapts);
                    }
                }
            }
        }
    }
    let weights = f.product();
    (f, judge.course(weights))
}

fn push(rows: &mut Rows, squares: &mut Rows, words: &[f64], weight: f64, towards: &[f64], settings: &Settings) {
    let mean_square = towards.iter().map(|x| x * x).sum::<f64>() / towards.len() as f64;
    for (word, &x) in words.iter().enumerate().filter(|(_, x)| **x != 0.0) {
        for k in 0..towards.len() {
            let g = weight * x * towards[k];
            squares[word][k] += if settings.rates == Rates::Word { (weight * x).powi(2) * mean_square } else { g * g };
            let root = (squares[word][k] + settings.delta).sqrt();
            rows[word][k] += settings.rate * if settings.rates == Rates::Fixed { g } else { g / root };
        }
    }
}
