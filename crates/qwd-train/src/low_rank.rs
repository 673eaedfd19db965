//! Low rank: W = UᵀV or UᵀU, alone, plus αI or plus D (section 2.2.1 of the supervised semantic indexing paper, trained as
//! in 2.3.2).
//!
//! The margin rank loss by SGD on U and V; the loop is in [`crate::latent`]. Training starts from I or from 0, and that is
//! also what decides whether W has a diagonal: from I, W = αI + UᵀV with α fixed, learned, or a learned weight for every
//! word; from 0 it has none, which is what two vocabularies need. U starts with small random numbers and V with 0, so
//! that W starts at I exactly: large random numbers on both sides would drown I on small data. UᵀU starts with small
//! random numbers. On request both start from the directions of latent semantic indexing instead, weighed against I as
//! the training tuples like it best, so that training begins with what the documents tell by themselves.
//!
//! A tuple costs (|q| + |e|) N, twice if it takes a step. Memory is N numbers for each embedded word of each side, and
//! those alone: at 2.5 million words and N = 50, one gigabyte.

use crate::batch_pairs::Loss;
use crate::cl_lsi::ClLsi;
use crate::engine::diverged;
use crate::latent::{Latent, Lesson, Settings, Shared};
use crate::lsi::LsiParams;
use crate::negatives::Negatives;
use crate::problem::Problem;
use crate::session::{Session, check_batch};
use crate::table::{Rates, Table};
use crate::trainer::{Start, Trained};
use qwd_core::parameters::{not_negative, positive};
use qwd_core::{Error, Result, parameters};
use qwd_model::{LowRankDiagonal, LowRankParts, Matrix, TrainingState};
use serde::{Deserialize, Serialize};

/// How the diagonal is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Diagonal {
    /// It stays as it starts: W = UᵀV + I.
    #[default]
    Fixed,
    /// One weight for all words: W = UᵀV + αI.
    Weight,
    /// A weight for every word: W = UᵀV + D.
    Words,
}

/// Where U and V start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Directions {
    /// U with small random numbers, V with 0.
    #[default]
    Random,
    /// Both with the directions of [`crate::lsi`], or of [`crate::cl_lsi`] for two vocabularies.
    Lsi,
}

parameters! {
    /// Parameters of the low-rank model.
    pub struct LowRankParams {
        /// The number of dimensions, at least 1; no more are used than there are words. Symbol: N.
        pub rank: usize = 100,
        /// W = UᵀU, for queries and documents of one kind.
        pub symmetric: bool = false,
        /// How the diagonal is learned, if training starts from I: `fixed`, `weight` or `words`.
        pub diagonal: Diagonal = Diagonal::Fixed,
        /// The weight of I at the start, above 0. Symbol: α.
        pub identity_weight: f64 = 1.0,
        /// Only so many words, the most frequent ones, are embedded; the others keep the diagonal alone. Symbol: n.
        pub words: Option<usize> = None,
        /// The rate η, above 0. Symbol: λ.
        pub learning_rate: f64 = 0.01,
        /// Whether all words learn at this rate (`fixed`), or each word (`word`) or number (`number`) at its own, which
        /// falls as it learns (AdaGrad).
        pub rates: Rates = Rates::Word,
        /// The margin by which the better document should win, above 0; 1 in the paper.
        pub margin: f64 = 0.1,
        /// Where U and V start: `random`, or `lsi` for the directions of latent semantic indexing.
        pub directions: Directions = Directions::Random,
        /// The loss of a pair: `hinge`, or `logistic` with the margin as its temperature, which only `batch` knows.
        pub loss: Loss = Loss::Hinge,
        /// The standard deviation of the random numbers at the start, at least 0.
        pub deviation: f64 = 0.05,
        /// Tuples that are scored against the same W before any of them takes its step; with more than 1, threads share
        /// the work.
        pub batch: u64 = 1,
        /// Where worse documents come from: `given`, `in-batch`, `hardest`, `warp` or `batch`, which compares
        /// with all of a mini-batch.
        pub negatives: Negatives = Negatives::Given,
        /// Documents that are looked at for each tuple with `hardest` and `warp`, or for each mini-batch besides its own with
        /// `batch`, at least 1.
        pub candidates: usize = 10,
        /// The seed of the start and of what is drawn.
        pub seed: u64 = 1,
    }
}

impl LowRankParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<LowRank> {
        if !(1..=65_536).contains(&self.rank) {
            return Err(Error::param("rank", self.rank, "1 to 65536 dimensions"));
        }
        if self.words == Some(0) {
            return Err(Error::param("words", 0, "at least 1 word"));
        }
        if !(1..=100_000).contains(&self.candidates) {
            return Err(Error::param("candidates", self.candidates, "1 to 100000 documents"));
        }
        if matches!(self.negatives, Negatives::InBatch | Negatives::Batch) && self.batch < 2 {
            return Err(Error::param(
                "negatives",
                "in-batch or batch",
                "a batch of at least 2 tuples, or other negatives",
            ));
        }
        if self.loss != Loss::Hinge && self.negatives != Negatives::Batch {
            return Err(Error::param("loss", "logistic", "hinge, or negatives = batch"));
        }
        positive("learning_rate", self.learning_rate)?;
        positive("margin", self.margin)?;
        positive("identity_weight", self.identity_weight)?;
        not_negative("deviation", self.deviation)?;
        check_batch(self.batch)?;
        Ok(LowRank { params: self })
    }
}

/// The trainer of the low-rank model, with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct LowRank {
    params: LowRankParams,
}

impl LowRank {
    /// Learns U, V and the diagonal from the problem's preferences, in their order.
    pub fn train(&self, problem: &Problem<'_>, start: Start<'_>, session: &mut Session<'_>) -> Result<Trained> {
        let size = [problem.n_query_words(), problem.n_document_words()];
        if self.params.symmetric && size[0] != size[1] {
            let expected = format!("false: W is rectangular, {} query words by {} document words", size[0], size[1]);
            return Err(Error::param("symmetric", true, expected));
        }
        let from = start.steps_done()?;
        let (parts, squares) = match (start, self.params.directions) {
            (Start::Identity | Start::Zero, Directions::Lsi) => {
                (self.of_documents(problem, start, session)?, NO_SQUARES)
            }
            _ => self.start(size, start)?,
        };
        let rank = parts.rank;
        let (tables, shared) = self.tables(parts, squares);
        let mut latent = Latent::new(self.settings(rank), tables);
        let places = if self.params.symmetric { [0, 0] } else { [0, 1] };
        let mut lessons = [Lesson::new(*problem, places, shared, self.params.negatives)];
        let (best, steps) = latent.run(&mut lessons, from, session, |latent, lesson, t, look| {
            let (matrix, squares) = self.lend(latent, lesson, size, t)?;
            let flow = look(&matrix);
            self.take_back(latent, lesson, matrix, squares);
            flow
        })?;
        if let Some(matrix) = best {
            return Ok(Trained { matrix, state: None, steps });
        }
        let [mut lesson] = lessons;
        let (matrix, squares) = self.lend(&mut latent, &mut lesson, size, steps)?;
        let state = state_of(steps, rank, squares)?;
        Ok(Trained { matrix, state: Some(state), steps })
    }

    pub(crate) fn settings(&self, rank: usize) -> Settings {
        let LowRankParams { learning_rate, rates, margin, loss, batch, candidates, seed, .. } = self.params;
        Settings { rank, rate: learning_rate, rates, margin, loss, batch, candidates, seed }
    }

    /// The W that training from random directions starts from.
    pub fn first_matrix(&self, size: [usize; 2], start: Start<'_>) -> Result<Matrix> {
        Matrix::low_rank(self.start(size, start)?.0)
    }

    /// The W that training starts from, and the sums of squares of an earlier run.
    fn start(&self, [n_rows, n_cols]: [usize; 2], start: Start<'_>) -> Result<(LowRankParts, Squares)> {
        if matches!(start, Start::Identity) && n_rows != n_cols {
            return Err(Error::param(
                "start",
                "identity",
                format!("zero: W is rectangular, {n_rows} query words by {n_cols} document words"),
            ));
        }
        let (matrix, state) = match start {
            Start::Identity => {
                return Ok((self.fresh(n_rows, n_cols, self.params.identity_weight as f32), NO_SQUARES));
            }
            Start::Zero => return Ok((self.fresh(n_rows, n_cols, 0.0), NO_SQUARES)),
            Start::Matrix(matrix) => (matrix, None),
            Start::Resume(matrix, state) => (matrix, Some(state)),
        };
        let misfit = |what: String| Error::bad_data(what, "go on with a low-rank model of these words and parameters");
        let Matrix::LowRank(low_rank) = matrix else {
            return Err(misfit(format!("training starts from a W of the form {}", matrix.name())));
        };
        let parts = low_rank.parts();
        if (parts.n_rows, parts.n_cols) != (n_rows, n_cols) || parts.v.is_none() != self.params.symmetric {
            return Err(misfit(format!(
                "training starts from a W of {} x {}{}, the data have {n_rows} query words and {n_cols} document words",
                parts.n_rows,
                parts.n_cols,
                if parts.v.is_none() { ", symmetric" } else { "" },
            )));
        }
        let Some(state) = state else { return Ok((parts.clone(), NO_SQUARES)) };
        let squares = SQUARES.map(|name| state.vectors.get(name).cloned().unwrap_or_default());
        let is_of_rank = state.numbers.get("rank") == Some(&(parts.rank as f64));
        if !is_of_rank || !self.squares_fit(parts, &squares) {
            return Err(misfit("the training state is not that of this low-rank model".to_string()));
        }
        Ok((parts.clone(), squares))
    }

    /// The directions of the documents, or of pairs of two languages.
    fn of_documents(&self, problem: &Problem<'_>, start: Start<'_>, session: &Session<'_>) -> Result<LowRankParts> {
        let LowRankParams { rank, words, seed, symmetric, .. } = self.params;
        let params = LsiParams { rank, seed, ..LsiParams::default() };
        let is_square = problem.n_query_words() == problem.n_document_words();
        let trained = if is_square {
            params.build()?.with_least_share(LEAST_SHARE).train(problem, start, session)?
        } else {
            ClLsi::new(params)?.train(problem, start, session)?
        };
        let Matrix::LowRank(low_rank) = trained.matrix else {
            return Err(Error::internal("latent semantic indexing of another form"));
        };
        let mut parts = low_rank.into_parts();
        if let LowRankDiagonal::Scaled(share) = parts.diagonal {
            // αVVᵀ + (1 − α)I, brought to the wanted weight of I; where LSI alone is best, I still gets a little.
            let scale = self.params.identity_weight / f64::from(share).max(LEAST_SHARE);
            parts.u.iter_mut().for_each(|x| *x = (f64::from(*x) * scale.sqrt()) as f32);
            parts.diagonal = self.diagonal(parts.n_rows, self.params.identity_weight as f32);
        }
        let n_numbers = words.map_or(usize::MAX, |words| words.saturating_mul(parts.rank));
        parts.u.truncate(n_numbers);
        match &mut parts.v {
            Some(v) => v.truncate(n_numbers),
            None if symmetric => {}
            None => parts.v = Some(parts.u.clone()),
        }
        Ok(parts)
    }

    /// The diagonal at the start.
    fn diagonal(&self, n: usize, alpha: f32) -> LowRankDiagonal {
        match self.params.diagonal {
            _ if alpha == 0.0 => LowRankDiagonal::None,
            Diagonal::Fixed | Diagonal::Weight => LowRankDiagonal::Scaled(alpha),
            Diagonal::Words => LowRankDiagonal::Weights(vec![alpha; n]),
        }
    }

    /// Small random numbers for U, zeros for V.
    fn fresh(&self, n_rows: usize, n_cols: usize, alpha: f32) -> LowRankParts {
        let LowRankParams { symmetric, words, deviation, seed, .. } = self.params;
        let rank = self.params.rank.min(n_rows).min(n_cols);
        let n_embedded = |n: usize| words.map_or(n, |words| words.min(n));
        let u = Table::random(n_embedded(n_rows), rank, deviation, seed, Rates::Fixed).numbers;
        let v = (!symmetric).then(|| vec![0.0; n_embedded(n_cols) * rank]);
        let diagonal = self.diagonal(n_rows, alpha);
        LowRankParts { n_rows, n_cols, rank, u, v, diagonal }
    }

    fn squares_fit(&self, parts: &LowRankParts, squares: &Squares) -> bool {
        let per_word = self.params.rates.squares_per_word(parts.rank);
        let n_squares = |numbers: &[f32]| numbers.len() / parts.rank * per_word;
        let of_diagonal = match &parts.diagonal {
            LowRankDiagonal::Weights(weights) if self.params.rates != Rates::Fixed => weights.len(),
            LowRankDiagonal::Scaled(_) if self.params.diagonal == Diagonal::Weight => 1,
            _ => 0,
        };
        let expected = [n_squares(&parts.u), parts.v.as_deref().map_or(0, n_squares), of_diagonal];
        squares.iter().zip(expected).all(|(squares, n)| squares.len() == n && squares.iter().all(|&x| x >= 0.0))
    }

    /// The parts of W as tables and diagonal; sums of squares that are not known yet are 0.
    fn tables(&self, parts: LowRankParts, [of_u, of_v, of_diagonal]: Squares) -> (Vec<Table>, Shared) {
        let rates = self.params.rates;
        let table = |numbers, squares: Vec<f32>| {
            let fresh = Table::new(numbers, parts.rank, rates);
            if squares.is_empty() { fresh } else { Table { squares, ..fresh } }
        };
        let mut tables = vec![table(parts.u, of_u)];
        tables.extend(parts.v.map(|v| table(v, of_v)));
        let shared = match parts.diagonal {
            LowRankDiagonal::None => Shared::Fixed(0.0),
            LowRankDiagonal::Scaled(alpha) if self.params.diagonal == Diagonal::Weight => {
                Shared::Scaled(alpha, of_diagonal.first().copied().unwrap_or(0.0))
            }
            LowRankDiagonal::Scaled(alpha) => Shared::Fixed(alpha),
            LowRankDiagonal::Weights(weights) => {
                let n_squares = if rates == Rates::Fixed { 0 } else { weights.len() };
                let squares = if of_diagonal.is_empty() { vec![0.0; n_squares] } else { of_diagonal };
                Shared::Weights(weights, squares)
            }
        };
        (tables, shared)
    }

    /// Moves U, V and the diagonal into a matrix: they may be too large for a copy.
    fn lend(
        &self,
        latent: &mut Latent,
        lesson: &mut Lesson<'_>,
        size: [usize; 2],
        t: u64,
    ) -> Result<(Matrix, Squares)> {
        let rank = latent.settings.rank;
        let mut tables = std::mem::take(&mut latent.tables).into_iter();
        let mut next = || tables.next().map(|table| (table.numbers, table.squares));
        let (u, of_u) = next().unwrap_or_default();
        let (v, of_v) = next().map_or((None, Vec::new()), |(v, squares)| (Some(v), squares));
        let (diagonal, of_diagonal) = match std::mem::replace(&mut lesson.shared, Shared::Fixed(0.0)) {
            Shared::Fixed(0.0) => (LowRankDiagonal::None, Vec::new()),
            Shared::Fixed(alpha) => (LowRankDiagonal::Scaled(alpha), Vec::new()),
            Shared::Scaled(alpha, square) => (LowRankDiagonal::Scaled(alpha), vec![square]),
            Shared::Weights(weights, squares) => (LowRankDiagonal::Weights(weights), squares),
        };
        let parts = LowRankParts { n_rows: size[0], n_cols: size[1], rank, u, v, diagonal };
        let matrix = Matrix::low_rank(parts).map_err(|_| diverged(t))?;
        Ok((matrix, [of_u, of_v, of_diagonal]))
    }

    /// Moves them back.
    fn take_back(&self, latent: &mut Latent, lesson: &mut Lesson<'_>, matrix: Matrix, squares: Squares) {
        if let Matrix::LowRank(low_rank) = matrix {
            (latent.tables, lesson.shared) = self.tables(low_rank.into_parts(), squares);
        }
    }
}

/// The sums of squares of U, V and the diagonal.
type Squares = [Vec<f32>; 3];

/// The least share of LSI, and of I, in a start from LSI.
const LEAST_SHARE: f64 = 0.05;

/// None yet.
const NO_SQUARES: Squares = [const { Vec::new() }; 3];

/// Their names in a training state.
const SQUARES: [&str; 3] = ["u_squares", "v_squares", "diagonal_squares"];

fn state_of(step: u64, rank: usize, squares: Squares) -> Result<TrainingState> {
    if squares.iter().flatten().any(|x| !x.is_finite()) {
        return Err(diverged(step));
    }
    let vectors = SQUARES.map(str::to_string).into_iter().zip(squares).filter(|(_, x)| !x.is_empty()).collect();
    let numbers = [("rank".to_string(), rank as f64)].into();
    Ok(TrainingState { step, numbers, vectors, ..TrainingState::default() })
}
