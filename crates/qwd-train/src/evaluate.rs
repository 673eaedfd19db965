//! A W and a task to figures: every query of the task against every document of the task.

use crate::vectors::{Prepared, Vectors};
use qwd_core::{Error, Result, Threads};
use qwd_data::{Preference, Task, Truth};
use qwd_metrics::{Evaluation, Metric, Ranking, TieOrder, measure_labelled};
use qwd_model::Matrix;
use qwd_model::rank_all::map_scores;

/// Evaluates W on a task; ties are broken as trec_eval does, by descending document id.
pub fn evaluate(
    matrix: &Matrix,
    task: &Task,
    vectors: &Vectors,
    prepared: &Prepared<'_>,
    metrics: &[Metric],
    threads: &Threads,
) -> Result<Evaluation> {
    let mut evaluation = Evaluation::new(metrics)?;
    if let Truth::Preferences(preferences) = &task.truth {
        return of_preferences(evaluation, matrix, preferences, vectors, prepared);
    }
    let queries = vectors.queries.select(&task.queries)?;
    let documents = vectors.documents.select(&task.documents)?;
    let names: Vec<String> = task.documents.iter().map(|&row| prepared.document_name(row)).collect();
    let ties = TieOrder::by_descending_id(&names)?;
    let values =
        map_scores(matrix, &queries, &documents, threads, |i, scores| measure(task, i, scores, &ties, metrics))?;
    for (&row, of_query) in task.queries.iter().zip(values) {
        if let Some(of_query) = of_query? {
            evaluation.add_values(prepared.query_name(row), of_query)?;
        }
    }
    Ok(evaluation)
}

/// The figures of one query, or `None` if nothing is relevant to it or nothing is left to rank.
fn measure(
    task: &Task,
    i: usize,
    scores: &[f32],
    ties: &TieOrder,
    metrics: &[Metric],
) -> Result<Option<Vec<Option<f64>>>> {
    if let (Truth::Classes { class_of, .. }, true) = (&task.truth, task.known.is_empty())
        && metrics.iter().all(|m| matches!(m, Metric::PairError) || *m == MAP)
    {
        let relevant: Vec<bool> = class_of.iter().map(|&class| class == class_of[i]).collect();
        let own = task.documents.binary_search(&task.queries[i]).ok().map(|at| at as u32);
        let figures = measure_labelled(scores, &relevant, own, ties)?;
        let of = |metric: &Metric| match metric {
            Metric::PairError => figures.pair_error,
            _ => Some(figures.average_precision),
        };
        return Ok((figures.n_relevant > 0).then(|| metrics.iter().map(of).collect()));
    }
    let grades = task.grades(i);
    if !grades.iter().any(|&(_, grade)| grade > 0) {
        return Ok(None);
    }
    let ranking = ranking(task, i, scores, &grades, ties)?;
    Ok(Some(metrics.iter().map(|metric| metric.value(&ranking)).collect()))
}

/// The mean average precision over the whole ranking.
const MAP: Metric = Metric::AveragePrecision(qwd_metrics::Depth::WHOLE);

/// Ranks the documents of a query, leaving out what is hidden; unjudged documents have no grade.
fn ranking(task: &Task, i: usize, scores: &[f32], grades: &[(u32, i32)], ties: &TieOrder) -> Result<Ranking> {
    let mut grade_of = vec![qwd_metrics::UNJUDGED; task.documents.len()];
    for &(row, grade) in grades {
        if let Ok(at) = task.documents.binary_search(&row) {
            grade_of[at] = grade;
        }
    }
    let hidden = task.hidden(i);
    let order = ties.rank(scores)?;
    let shown = order.iter().map(|&at| at as usize).filter(|&at| hidden.binary_search(&task.documents[at]).is_err());
    let (ranked_grades, ranked_scores): (Vec<i32>, Vec<f32>) = shown.map(|at| (grade_of[at], scores[at])).unzip();
    let judged = qwd_metrics::Judged::new(grades.iter().map(|&(_, grade)| grade));
    Ranking::try_new(ranked_grades, ranked_scores, judged)
}

/// With given preferences only one figure makes sense: the share that W scores the wrong way round, query by query.
fn of_preferences(
    mut evaluation: Evaluation,
    matrix: &Matrix,
    preferences: &[Preference],
    vectors: &Vectors,
    prepared: &Prepared<'_>,
) -> Result<Evaluation> {
    if evaluation.metrics() != [Metric::PairError] {
        return Err(Error::param(
            "metrics",
            evaluation.metrics().iter().map(Metric::to_string).collect::<Vec<_>>().join(","),
            "error: the data hold preferences only, no judgments",
        ));
    }
    let mut by_query: Vec<&Preference> = preferences.iter().collect();
    by_query.sort_by_key(|p| p.query);
    for of_query in by_query.chunk_by(|a, b| a.query == b.query) {
        let query = vectors.queries.row(of_query[0].query as usize);
        let mut wrong = 0usize;
        for p in of_query {
            let better = matrix.score(query, vectors.documents.row(p.better as usize))?;
            let worse = matrix.score(query, vectors.documents.row(p.worse as usize))?;
            wrong += usize::from(better <= worse);
        }
        let error = wrong as f64 / of_query.len() as f64;
        evaluation.add_values(prepared.query_name(of_query[0].query), vec![Some(error)])?;
    }
    Ok(evaluation)
}
