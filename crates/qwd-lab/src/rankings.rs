//! Rankings as files: a W's answers to the queries of a split in TREC's run layout, and runs measured against judgments.

use crate::contender::Entrant;
use qwd_core::{Result, Threads};
use qwd_data::qrels::{self, Layout};
use qwd_data::{Input, Reading, Split, create, run};
use qwd_metrics::{Coverage, Evaluation, Metric, Qrels, Run, TieOrder};
use qwd_model::rank_all::map_scores;
use std::path::Path;

/// The usual depth of a run.
pub const DEPTH: usize = 1000;

/// Writes the best `depth` documents for every query of a split; ties are in trec_eval's order.
pub fn write_run(
    entrant: &Entrant<'_>,
    split: Split,
    depth: usize,
    tag: &str,
    path: &Path,
    threads: &Threads,
) -> Result<()> {
    let prepared = entrant.prepared();
    let (task, vectors) = entrant.task_and_vectors(split, threads)?;
    let names: Vec<String> = task.documents.iter().map(|&row| prepared.document_name(row)).collect();
    let ties = TieOrder::by_descending_id(&names)?;
    let queries = vectors.queries.select(&task.queries)?;
    let documents = vectors.documents.select(&task.documents)?;
    let ranked = map_scores(entrant.matrix(), &queries, &documents, threads, |i, scores| {
        let hidden = task.hidden(i);
        let shown = |&at: &u32| hidden.binary_search(&task.documents[at as usize]).is_err();
        let order = ties.rank(scores)?;
        let best = order.into_iter().filter(shown).take(depth);
        Ok(best.map(|at| (at, f64::from(scores[at as usize]))).collect::<Vec<_>>())
    })?;
    let mut out = create(path)?;
    for (&query, hits) in task.queries.iter().zip(ranked) {
        let hits = hits?.into_iter().map(|(at, score)| (names[at as usize].as_str(), score)).collect::<Vec<_>>();
        run::write_ranking(&mut out, tag, &prepared.query_name(query), hits)?;
    }
    out.finish().map(drop)
}

/// Measures a run against judgments, both in their files.
pub fn evaluate_run(
    run_file: &Path,
    qrels_file: &Path,
    metrics: &[Metric],
    coverage: Coverage,
    reading: &mut Reading,
) -> Result<Evaluation> {
    let run = run::read(Input::open(run_file)?, reading)?;
    let judged = qrels::read(Input::open(qrels_file)?, Layout::ByHeader, reading)?;
    let mut rankings = Run::new();
    for (query, hits) in run.queries.names().zip(&run.rankings) {
        let hits = hits.iter().map(|hit| (run.documents.name(hit.document).to_string(), hit.score as f32)).collect();
        rankings.insert(query.to_string(), hits);
    }
    let mut grades = Qrels::new();
    for j in &judged.judgments {
        let of_query = grades.entry(judged.queries.name(j.query).to_string()).or_default();
        of_query.insert(judged.documents.name(j.document).to_string(), j.grade);
    }
    qwd_metrics::evaluate(&rankings, &grades, metrics, coverage)
}
