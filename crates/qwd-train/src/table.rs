//! Words as points of a space of N dimensions: the tables of U and V, and how they take steps.
//!
//! A table holds N numbers for each of the first words of a side, one word after the other. A *push* moves the words of a
//! text in one direction, each by its value. The table is cut into runs of words; a run takes its pushes in order, so that a
//! word is changed by one thread, in one order, and the number of threads cannot change a bit.

use qwd_core::kernel::{add_scaled, dot};
use qwd_core::{Rng, SparseView, Threads};
use serde::{Deserialize, Serialize};

/// Whether all words learn at one rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rates {
    /// One rate for all.
    Fixed,
    /// AdaGrad with one sum of squares for each word.
    #[default]
    Word,
    /// AdaGrad with a sum of squares for each number of each word.
    Number,
}

impl Rates {
    /// The sums of squares that are kept for a word of `rank` numbers.
    pub(crate) fn squares_per_word(self, rank: usize) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Word => 1,
            Self::Number => rank,
        }
    }
}

/// Added to sums of squares, so that the first step of a word is finite.
const DELTA: f32 = 1e-8;

/// N numbers for each of the first words of a side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub(crate) numbers: Vec<f32>,
    /// The sums of squared steps: none, one for each word, or one for each number.
    pub(crate) squares: Vec<f32>,
}

impl Table {
    /// Numbers that have not been trained yet.
    pub(crate) fn new(numbers: Vec<f32>, rank: usize, rates: Rates) -> Self {
        let n_squares = numbers.len() / rank * rates.squares_per_word(rank);
        Self { numbers, squares: vec![0.0; n_squares] }
    }

    /// Random numbers of mean 0 for `n_words` words; a word's numbers depend on the seed and the word alone.
    pub(crate) fn random(n_words: usize, rank: usize, deviation: f64, seed: u64, rates: Rates) -> Self {
        let mut numbers = Vec::with_capacity(n_words * rank);
        for word in 0..n_words as u64 {
            let mut rng = Rng::part(seed, word);
            numbers.extend((0..rank).map(|_| (deviation * rng.normal()) as f32));
        }
        Self::new(numbers, rank, rates)
    }
}

/// The step for a gradient: at the rate as it is, or divided by the root of the squares so far, this one included.
#[inline]
pub(crate) fn adapted(gradient: f32, rate: f32, square: Option<&mut f32>) -> f32 {
    match square {
        None => rate * gradient,
        Some(square) => {
            *square += gradient * gradient;
            rate * gradient / (*square + DELTA).sqrt()
        }
    }
}

/// How a table takes its steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) rank: usize,
    pub(crate) rate: f32,
    pub(crate) rates: Rates,
}

impl Pace {
    /// Moves word `i` of a run by `scale` times a direction, whose mean square is given.
    #[inline]
    fn advance(self, run: &mut Run<'_>, i: usize, scale: f32, direction: &[f32], mean_square: f32) {
        let Self { rank, rate, rates } = self;
        let point = &mut run.numbers[i * rank..][..rank];
        match rates {
            Rates::Fixed => add_scaled(point, rate * scale, direction),
            Rates::Word => {
                let square = &mut run.squares[i];
                *square += scale * scale * mean_square;
                add_scaled(point, rate * scale / (*square + DELTA).sqrt(), direction);
            }
            Rates::Number => {
                let squares = &mut run.squares[i * rank..][..rank];
                for ((number, square), &x) in point.iter_mut().zip(squares).zip(direction) {
                    *number += adapted(scale * x, rate, Some(square));
                }
            }
        }
    }

    fn mean_square(self, direction: &[f32]) -> f32 {
        dot(direction, direction) / self.rank as f32
    }
}

/// Pushes the points of words in one direction, each by the word's value.
#[derive(Clone, Copy)]
pub(crate) struct Push<'a> {
    pub(crate) words: SparseView<'a>,
    pub(crate) weight: f32,
    pub(crate) towards: &'a [f32],
}

impl<'a> Push<'a> {
    /// The pushed words of a run, counted from its first, with the scale of their step.
    fn steps(&self, run: &Run<'_>) -> impl Iterator<Item = (usize, f32)> + use<'a> {
        let (first, weight) = (run.first, self.weight);
        self.words.within(first..first + run.n_words).iter().map(move |(word, x)| (word as usize - first, weight * x))
    }
}

/// A run of words of a table, for one thread at a time.
struct Run<'a> {
    first: usize,
    n_words: usize,
    numbers: &'a mut [f32],
    squares: &'a mut [f32],
}

impl Table {
    /// Takes a step for every push, in order.
    pub(crate) fn take(&mut self, pace: Pace, pushes: &[Push<'_>], threads: &Threads) {
        let work = |run: &mut Run<'_>| {
            for push in pushes {
                let mean_square = pace.mean_square(push.towards);
                for (i, scale) in push.steps(run) {
                    pace.advance(run, i, scale, push.towards, mean_square);
                }
            }
        };
        if threads.count() == 1 || pushes.len() < 2 {
            work(&mut self.whole(pace.rank));
        } else {
            threads.map_mut(&mut self.runs(pace), |_, run| work(run));
        }
    }

    /// Takes one step by the sum of all pushes: at its own rate, a word weighs them together.
    pub(crate) fn take_sum(&mut self, pace: Pace, pushes: &[Push<'_>], threads: &Threads) {
        let rank = pace.rank;
        threads.map_mut(&mut self.runs(pace), |_, run| {
            let mut sums = vec![0.0; run.numbers.len()];
            for push in pushes {
                push.steps(run).for_each(|(i, scale)| add_scaled(&mut sums[i * rank..][..rank], scale, push.towards));
            }
            for (i, sum) in sums.chunks(rank).enumerate().filter(|(_, sum)| sum.iter().any(|&x| x != 0.0)) {
                pace.advance(run, i, 1.0, sum, pace.mean_square(sum));
            }
        });
    }

    fn whole(&mut self, rank: usize) -> Run<'_> {
        let n_words = self.numbers.len() / rank;
        Run { first: 0, n_words, numbers: &mut self.numbers, squares: &mut self.squares }
    }

    /// Cuts the table into runs of words, longer and longer: words are numbered by frequency.
    fn runs(&mut self, pace: Pace) -> Vec<Run<'_>> {
        let per_word = pace.rates.squares_per_word(pace.rank);
        let Run { mut first, mut numbers, mut squares, .. } = self.whole(pace.rank);
        let mut runs = Vec::new();
        let mut longest = 16;
        while !numbers.is_empty() {
            let n_words = longest.min(numbers.len() / pace.rank);
            let (of_run, others) = numbers.split_at_mut(n_words * pace.rank);
            let (squares_of_run, other_squares) = squares.split_at_mut(n_words * per_word);
            runs.push(Run { first, n_words, numbers: of_run, squares: squares_of_run });
            (first, numbers, squares) = (first + n_words, others, other_squares);
            longest = longest * 4 / 3;
        }
        runs
    }
}
