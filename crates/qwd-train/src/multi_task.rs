//! Multi-task training of a cross-language W: U_F V_E learns from pairs of two languages, and by turns with tasks inside
//! one language that share its tables (section 2.4.2 of the supervised semantic indexing paper, equations 9 and 10).
//!
//! | task | scores | shares |
//! |---|---|---|
//! | across | q_F U_F V_E d_E (equation 9) | |
//! | target language, symmetric | q_E V_E V_E d_E (equation 10) | V_E |
//! | target language | q_E U_E V_E d_E | V_E, with a U_E of its own |
//! | source language | q_F U_F U_F d_F | U_F |
//!
//! Pairs within a language are plentiful where those across are rare; the shared tables keep both sides from fitting the
//! few to the letter. One mini-batch of each task comes after the other; tasks with fewer tuples than the first begin
//! anew.

use crate::engine::diverged;
use crate::latent::{Latent, Lesson, Shared};
use crate::low_rank::{LowRank, LowRankParams};
use crate::negatives::Negatives;
use crate::problem::Problem;
use crate::session::Session;
use crate::table::Table;
use crate::trainer::Trained;
use crate::vectors::{Prepared, Vectors};
use qwd_core::{Error, Result};
use qwd_data::{Opened, Preference, Signal, Split, Task};
use qwd_model::{LowRankDiagonal, LowRankParts, Matrix};
use serde::{Deserialize, Serialize};

/// The tasks inside one language that a data set of mates and links brings with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Help {
    /// Links between documents, V_E on both sides (equation 10).
    Target,
    /// Links between documents, with a U_E of its own.
    TargetWithOwnQueries,
    /// Links between queries, through their mates; U_F on both sides.
    Source,
}

impl Help {
    /// The task of the training split.
    pub fn task(self, prepared: &Prepared<'_>) -> Result<Task> {
        let Opened::Texts(dataset) = prepared.data() else {
            return Err(Error::param("helpers", "given", "none: vectors have no mates and links"));
        };
        let rule = prepared.rule();
        let task = match self {
            Self::Source => dataset.linked_queries(Split::Train, rule),
            Self::Target | Self::TargetWithOwnQueries => dataset.task_of(Signal::Links, Split::Train, rule)?,
        };
        task.ok_or_else(|| {
            let what = format!("{} has no links within one language to help with", dataset.manifest.name);
            Error::bad_data(what, "give links.tsv and mates.tsv, or no helpers")
        })
    }
}

/// A helping task with its tuples.
#[derive(Debug, Clone)]
pub(crate) struct Helping {
    pub(crate) help: Help,
    pub(crate) tuples: Vec<Preference>,
    pub(crate) documents: Vec<u32>,
}

impl Helping {
    pub(crate) fn helper<'a>(&'a self, vectors: &'a Vectors) -> Result<Helper<'a>> {
        let rows = if self.help == Help::Source { &vectors.queries } else { &vectors.documents };
        let problem = Problem::try_new(rows, rows, &self.tuples)?.with_candidates(&self.documents)?;
        Ok(match self.help {
            Help::Target => Helper::Target(problem),
            Help::TargetWithOwnQueries => Helper::TargetWithOwnQueries(problem),
            Help::Source => Helper::Source(problem),
        })
    }
}

/// A task inside one language that helps the one across.
#[derive(Debug, Clone, Copy)]
pub enum Helper<'a> {
    /// In the language of the documents, V_E on both sides (equation 10).
    Target(Problem<'a>),
    /// In the language of the documents, with a U_E of its own: only V_E is shared.
    TargetWithOwnQueries(Problem<'a>),
    /// In the language of the queries, U_F on both sides.
    Source(Problem<'a>),
}

/// Trains a cross-language W with the help of tasks inside its languages.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiTask {
    low_rank: LowRank,
    params: LowRankParams,
}

impl MultiTask {
    /// Takes the parameters of [`LowRank`]; W has no diagonal.
    pub fn new(params: LowRankParams) -> Result<Self> {
        if params.symmetric {
            return Err(Error::param("symmetric", true, "false: the two languages have tables of their own"));
        }
        Ok(Self { low_rank: params.clone().build()?, params })
    }

    /// Learns U_F and V_E from the problem's preferences, in their order, with the helpers' in turn.
    pub fn train(&self, across: &Problem<'_>, helpers: &[Helper<'_>], session: &mut Session<'_>) -> Result<Trained> {
        let size = [across.n_query_words(), across.n_document_words()];
        let LowRankParams { words, deviation, seed, rates, negatives, .. } = self.params;
        let rank = self.params.rank.min(size[0]).min(size[1]);
        let table = |n: usize, number: u64| {
            let n_words = words.map_or(n, |words| words.min(n));
            Table::random(n_words, rank, deviation, seed.wrapping_add(number), rates)
        };
        // All tables start with random numbers: a table that meets itself would never leave 0.
        let mut tables = vec![table(size[0], 0), table(size[1], 1)];
        let mut lessons = vec![lesson(*across, [0, 1], negatives)];
        for helper in helpers {
            let (problem, places, expected) = match helper {
                Helper::Target(problem) => (problem, [1, 1], [size[1]; 2]),
                Helper::TargetWithOwnQueries(problem) => {
                    tables.push(table(problem.n_query_words(), tables.len() as u64));
                    (problem, [tables.len() - 1, 1], [problem.n_query_words(), size[1]])
                }
                Helper::Source(problem) => (problem, [0, 0], [size[0]; 2]),
            };
            if [problem.n_query_words(), problem.n_document_words()] != expected {
                let what = "a helping task has another vocabulary than the side that it helps";
                return Err(Error::bad_data(what, "make its vectors with the vocabulary of that side"));
            }
            lessons.push(lesson(*problem, places, negatives));
        }
        let mut latent = Latent::new(self.low_rank.settings(rank), tables);
        let (best, steps) = latent.run(&mut lessons, 0, session, |latent, _, t, look| {
            let matrix = lend(latent, size, t)?;
            let flow = look(&matrix);
            take_back(latent, matrix);
            flow
        })?;
        let matrix = match best {
            Some(matrix) => matrix,
            None => lend(&mut latent, size, steps)?,
        };
        Ok(Trained { matrix, state: None, steps })
    }
}

fn lesson(problem: Problem<'_>, places: [usize; 2], negatives: Negatives) -> Lesson<'_> {
    Lesson::new(problem, places, Shared::Fixed(0.0), negatives)
}

/// Moves U_F and V_E into a matrix: they may be too large for a copy.
fn lend(latent: &mut Latent, [n_rows, n_cols]: [usize; 2], t: u64) -> Result<Matrix> {
    let rank = latent.settings.rank;
    let [u, v] = [0, 1].map(|i| std::mem::take(&mut latent.tables[i].numbers));
    let parts = LowRankParts { n_rows, n_cols, rank, u, v: Some(v), diagonal: LowRankDiagonal::None };
    Matrix::low_rank(parts).map_err(|_| diverged(t))
}

/// Moves them back.
fn take_back(latent: &mut Latent, matrix: Matrix) {
    if let Matrix::LowRank(low_rank) = matrix {
        let parts = low_rank.into_parts();
        latent.tables[0].numbers = parts.u;
        latent.tables[1].numbers = parts.v.unwrap_or_default();
    }
}
