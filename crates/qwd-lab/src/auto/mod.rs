//! A method and its parameters chosen by the data: successive halving over a few plans that won elsewhere.
//!
//! All candidates are trained on a ninth of their tuples and measured on what is held out; the best three go on to a third
//! of them, and the best two of these to all. W as it starts (cosine, BM25) is measured too, and what comes out is the best of all
//! that was measured, so a search never ends below where it began. If the winner was still learning, it is trained once more on
//! three times its tuples. Where there is no time for all tuples of a rung, a candidate is trained on as many as there is time
//! for, and one that turns out to be far too slow is given up.
//!
//! | data | candidates |
//! |---|---|
//! | judged queries | sparse W over words and over stems; over BM25's weights of stems and pairs of them, against what BM25 ranks high; low rank |
//! | links | low rank, of raw and of damped counts, of rank 100 and 200; sparse W |
//! | labels | sparse W of paper 1; symmetric, without stop words, its largest tenth refitted; the diagonal |
//! | two languages | low rank; the strongest common directions |
//! | preferences | none: they are learned in the order that they were given in, so that training can go on later |

mod bench;
mod candidates;

use crate::prepared_texts::PreparedTexts;
use bench::Bench;
pub use candidates::{Candidate, candidates};
use qwd_core::{Observer, Result, Threads};
use qwd_data::{Opened, SplitRule};
use qwd_metrics::{Depth, Metric};
use qwd_train::{Outcome, Plan};
use serde::Serialize;
use std::time::Duration;

/// The parts of their tuples that candidates are trained on, and how many go on to each.
const RUNGS: [(u64, usize); 3] = [(9, usize::MAX), (3, 3), (1, 2)];

/// What was tried, for people and scripts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Search {
    /// What decided.
    pub metric: Metric,
    /// All trials, in order.
    pub tried: Vec<Tried>,
    /// The place of the best trial.
    pub best: usize,
    /// Whether time ran out before all was tried that should have been.
    pub cut_short: bool,
}

/// One trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// The candidate.
    pub name: &'static str,
    /// The tuples that it was trained on.
    pub tuples: u64,
    /// The figure on what was held out; nothing if training diverged or was given up.
    pub figure: Option<f64>,
    /// Whether it was given up, because it took far too long.
    pub too_slow: bool,
    /// How long it took.
    pub seconds: f64,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The model, and how it came to be.
    pub outcome: Outcome,
    /// Its plan.
    pub plan: Plan,
    /// What else was tried.
    pub search: Search,
}

/// Tries candidates for about as long as `budget` and returns the best model.
pub fn search(
    data: &Opened,
    candidates: &[Candidate],
    rule: SplitRule,
    budget: Duration,
    threads: &Threads,
    observer: &dyn Observer,
) -> Result<Found> {
    let mut bench = Bench::new(deciding_metric(data), PreparedTexts::new(data, rule), budget, threads, observer);
    let (starts, mut running): (Vec<_>, Vec<_>) = candidates.iter().partition(|c| !c.learns());
    for candidate in starts {
        bench.measure(candidate, 0)?;
    }
    for (part, n_kept) in RUNGS {
        running.truncate(n_kept);
        let mut figures = Vec::new();
        for candidate in running {
            if let Some(figure) = bench.measure(candidate, (candidate.plan.tuples / part).max(1))? {
                figures.push((figure, candidate));
            }
        }
        figures.sort_by(|a, b| b.0.total_cmp(&a.0));
        running = figures.into_iter().map(|(_, candidate)| candidate).collect();
    }
    if let Some((winner, tuples)) = bench.still_learning(candidates) {
        bench.measure(winner, tuples.saturating_mul(3))?;
    }
    bench.found()
}

/// Grades of few documents matter most where queries are asked; where documents are, all that suit them.
fn deciding_metric(data: &Opened) -> Metric {
    match data {
        Opened::Texts(dataset) if !dataset.queries_are_documents() => {
            Metric::Ndcg(Depth::at(10).unwrap_or(Depth::WHOLE))
        }
        _ => Metric::AveragePrecision(Depth::WHOLE),
    }
}
