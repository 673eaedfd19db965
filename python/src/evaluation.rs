//! Runs and judgments: figures, and TREC's files.

use crate::errors::OrRaise;
use crate::text_training::figures;
use pyo3::prelude::*;
use qwd::data::{Input, Reading, create, qrels, run};
use qwd::lab::metrics::parse_metrics;
use qwd::metrics::{Coverage, evaluate};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// For each query, documents and scores.
type Run = BTreeMap<String, BTreeMap<String, f32>>;
/// For each query, documents and grades.
type Qrels = BTreeMap<String, BTreeMap<String, i32>>;

/// Measures a run by trec_eval's rules; JSON.
#[pyfunction]
pub(crate) fn evaluate_run(py: Python<'_>, run: Run, qrels: Qrels, metrics: &str, complete: bool) -> PyResult<String> {
    let metrics = parse_metrics(metrics).or_raise()?;
    let coverage = if complete { Coverage::AllJudged } else { Coverage::Answered };
    let evaluation = py.detach(move || {
        let run = run.into_iter().map(|(query, hits)| (query, hits.into_iter().collect())).collect();
        evaluate(&run, &qrels, &metrics, coverage)
    });
    Ok(figures(&evaluation.or_raise()?).to_string())
}

/// Reads a run in TREC's layout.
#[pyfunction]
pub(crate) fn read_run(py: Python<'_>, path: PathBuf) -> PyResult<BTreeMap<String, Vec<(String, f64)>>> {
    let read = py.detach(|| run::read(Input::open(&path)?, &mut Reading::default())).or_raise()?;
    let hits = |ranking: &Vec<run::RunHit>| {
        ranking.iter().map(|hit| (read.documents.name(hit.document).to_string(), hit.score)).collect()
    };
    Ok(read.queries.names().zip(&read.rankings).map(|(query, ranking)| (query.to_string(), hits(ranking))).collect())
}

/// Writes a run in TREC's layout, whole or not at all; hits must be best first.
#[pyfunction]
pub(crate) fn write_run(
    py: Python<'_>,
    path: PathBuf,
    run: Vec<(String, Vec<(String, f64)>)>,
    tag: &str,
) -> PyResult<()> {
    let write = || {
        let mut out = create(&path)?;
        for (query, hits) in &run {
            run::write_ranking(&mut out, tag, query, hits.iter().map(|(id, score)| (id.as_str(), *score)))?;
        }
        out.finish().map(drop)
    };
    py.detach(write).or_raise()
}

/// Reads judgments in BEIR's or TREC's layout.
#[pyfunction]
pub(crate) fn read_qrels(py: Python<'_>, path: PathBuf) -> PyResult<Vec<(String, String, i32)>> {
    let read = || qrels::read(Input::open(&path)?, qrels::Layout::default(), &mut Reading::default());
    let read = py.detach(read).or_raise()?;
    let name = |ids: &qwd::data::IdMap, number| ids.name(number).to_string();
    let judgment = |j: &qwd::data::Judgment| (name(&read.queries, j.query), name(&read.documents, j.document), j.grade);
    Ok(read.judgments.iter().map(judgment).collect())
}
