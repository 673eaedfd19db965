//! Rankings in TREC's run layout: `query Q0 document rank score tag`.
//!
//! As trec_eval does, the rank column is ignored: the order is by falling score, and among equal scores by falling
//! document id.

use crate::id_map::IdMap;
use crate::input::Input;
use crate::lines::{CORRECT_OR_SKIP, Line, quote};
use crate::output::Output;
use crate::pairs::PairLines;
use crate::reading::Reading;
use crate::trec;
use qwd_core::{Error, Result};

/// Rankings of many queries.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// The name of the system, from the first line.
    pub tag: String,
    /// The ids of the queries.
    pub queries: IdMap,
    /// The ids of the documents.
    pub documents: IdMap,
    /// For each query, by its number, its documents: best first.
    pub rankings: Vec<Vec<RunHit>>,
}

/// One place in a ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunHit {
    /// The document's number in the run.
    pub document: u32,
    /// Its score, finite.
    pub score: f64,
}

/// Reads a run; a document that appears twice for a query is an error.
pub fn read(input: Input, reading: &mut Reading) -> Result<Run> {
    let mut run = Run::default();
    let mut seen = PairLines::default();
    reading.each_line(input, |line| {
        let (query_id, document_id, score, tag) = fields(line)?;
        let (query, is_new_query) = run.queries.insert(query_id)?;
        let (document, _) = run.documents.insert(document_id)?;
        if is_new_query {
            run.rankings.push(Vec::new());
        }
        seen.insert((query, document), line, || {
            format!("document {} for query {}", quote(document_id), quote(query_id))
        })?;
        if run.tag.is_empty() {
            run.tag = tag.to_string();
        }
        run.rankings[query as usize].push(RunHit { document, score });
        Ok(())
    })?;
    for ranking in &mut run.rankings {
        ranking.sort_unstable_by(|a, b| {
            let by_id = || run.documents.name(b.document).cmp(run.documents.name(a.document));
            b.score.total_cmp(&a.score).then_with(by_id)
        });
    }
    Ok(run)
}

/// Writes the ranking of one query, best first; ranks count from 1.
pub fn write_ranking<'a>(
    out: &mut Output,
    tag: &str,
    query: &str,
    hits: impl IntoIterator<Item = (&'a str, f64)>,
) -> Result<()> {
    let (tag, query) = (trec::id(tag)?, trec::id(query)?);
    for (i, (document, score)) in hits.into_iter().enumerate() {
        if !score.is_finite() {
            return Err(Error::internal(format!("document {document:?} has the score {score} for query {query:?}")));
        }
        out.line(format_args!("{query} Q0 {} {} {score} {tag}", trec::id(document)?, i + 1))?;
    }
    Ok(())
}

/// Writes a whole run.
pub fn write(out: &mut Output, run: &Run) -> Result<()> {
    for (query, ranking) in run.queries.names().zip(&run.rankings) {
        let hits = ranking.iter().map(|hit| (run.documents.name(hit.document), hit.score));
        write_ranking(out, &run.tag, query, hits)?;
    }
    Ok(())
}

fn fields<'a>(line: &Line<'a>) -> Result<(&'a str, &'a str, f64, &'a str)> {
    let layout = "query, Q0, document, rank, score and tag";
    let [query, _, document, _, score, tag] = trec::columns(line, layout, CORRECT_OR_SKIP)?;
    let number = score.text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| {
        let what = format!("score {} is not a finite number", quote(score.text));
        line.error(score.column, what, CORRECT_OR_SKIP)
    })?;
    Ok((query.text, document.text, number, tag.text))
}
