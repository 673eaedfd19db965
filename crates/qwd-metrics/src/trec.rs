//! A whole run against its judgments, under trec_eval's rules of which queries count.
//!
//! A query counts if it has judgments and the run holds documents for it; with [`Coverage::AllJudged`] (trec_eval's `-c`)
//! every judged query counts, a missing one as an empty ranking: value 0, and 1 for `error`. A query of the run without
//! judgments never counts. A judged query without relevant documents counts with value 0 (it has no `error`).

use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::ranking::{Judged, Ranking};
use qwd_core::{Error, Result};
use std::collections::BTreeMap;

/// A run: for each query id, document ids with their scores in any order.
pub type Run = BTreeMap<String, Vec<(String, f32)>>;

/// Judgments: for each query id, the grades of its judged documents by document id.
pub type Qrels = BTreeMap<String, BTreeMap<String, i32>>;

/// Which queries a mean is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coverage {
    /// The queries that are both in the run and judged: trec_eval's default.
    #[default]
    Answered,
    /// All judged queries, those missing from the run as empty rankings: trec_eval's `-c`.
    AllJudged,
}

/// Evaluates a run; the scale of grades that ERR needs is taken from all judgments.
pub fn evaluate(run: &Run, qrels: &Qrels, metrics: &[Metric], coverage: Coverage) -> Result<Evaluation> {
    let mut evaluation = Evaluation::new(metrics)?;
    let max_grade = qrels.values().flat_map(BTreeMap::values).copied().max().unwrap_or(0);
    for (query, grades) in qrels {
        let hits = run.get(query).map_or(&[][..], Vec::as_slice);
        if hits.is_empty() && coverage == Coverage::Answered {
            continue;
        }
        let judged = Judged::new(grades.values().copied());
        let ranking = Ranking::of_documents(hits, |id| grades.get(id).copied(), judged)?;
        evaluation.add(query, &ranking.with_max_grade(max_grade))?;
    }
    if evaluation.n_queries() == 0 {
        return Err(Error::bad_data(
            "no query is both in the run and judged",
            "compare the query ids of the two files",
        ));
    }
    Ok(evaluation)
}
