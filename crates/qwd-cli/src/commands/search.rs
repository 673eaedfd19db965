//! `qwd search`: the best documents of an index for a query, with reasons; or the rankings of many queries.

use crate::data::{Strictness, tell_skipped};
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{percent, table};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::{Error, Result};
use qwd_data::{Input, corpus, create, run};
use qwd_model::WordReason;
use qwd_search::{Answer, Filter, Hit, Index, OnDamage, Query, Snapshot};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Queries that are answered together, whatever the number of threads.
const BATCH: usize = 256;

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// The folder of the index.
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// The query; words in double quotes must stand together.
    #[arg(value_name = "QUERY", required_unless_present = "queries")]
    query: Option<String>,
    /// How many documents to show.
    #[arg(short, long, value_name = "N", default_value_t = 10)]
    k: usize,
    /// Also list the word pairs that made each score.
    #[arg(long)]
    explain: bool,
    /// Only documents whose fields meet this: field=value, field!=value, field>=number, field<=number or field.
    #[arg(long, value_name = "CONDITION")]
    filter: Vec<String>,
    /// Take words as they are typed, even if the model does not know them.
    #[arg(long)]
    exact_words: bool,
    /// Also rank documents of a score of 0 or less.
    #[arg(long)]
    all: bool,
    /// Keep only so many terms of the expanded query, the strongest.
    #[arg(long, value_name = "N")]
    prune: Option<usize>,
    /// Look at so many groups of documents of a low-rank model's space only: faster, and no longer exact.
    #[arg(long, value_name = "N")]
    groups: Option<usize>,
    /// Answer the queries of this file (queries.jsonl) in place of one; quotes in them are text.
    #[arg(long, value_name = "FILE", requires = "run", conflicts_with_all = ["query", "explain"])]
    queries: Option<PathBuf>,
    /// Write the rankings of --queries in TREC's run layout.
    #[arg(long, value_name = "FILE", requires = "queries")]
    run: Option<PathBuf>,
    /// Serve what is sound of an index with damaged segments.
    #[arg(long)]
    leave_out_damaged: bool,
    #[command(flatten)]
    strictness: Strictness,
}

#[derive(Debug, Serialize)]
struct Answered<'a> {
    #[serde(flatten)]
    answer: &'a Answer,
    micros: u128,
}

#[derive(Debug, Serialize)]
struct Ranked<'a> {
    run: &'a Path,
    n_queries: usize,
    n_hits: usize,
    seconds: f64,
    queries_per_second: f64,
}

pub(crate) fn run(args: &SearchArgs, here: &Surroundings) -> Outcome {
    let on_damage = if args.leave_out_damaged { OnDamage::LeaveOut } else { OnDamage::Refuse };
    let index = Index::open_with(&args.index, on_damage)?;
    let snapshot = index.snapshot();
    snapshot.damaged().iter().for_each(|what| here.output.remark(format_args!("left out: {what}")));
    match (&args.query, &args.queries, &args.run) {
        (Some(text), ..) => args.answer(&snapshot, text, here),
        (None, Some(queries), Some(run)) => args.rank(&snapshot, queries, run, here),
        _ => Err(Error::internal("the argument parser let an incomplete command through").into()),
    }
}

impl SearchArgs {
    fn query(&self, text: &str) -> Result<Query> {
        let filters: Vec<Filter> = self.filter.iter().map(|f| Filter::parse(f)).collect::<Result<_>>()?;
        let mut query = Query::new(text).top(self.k);
        query.filter = (!filters.is_empty()).then_some(Filter::All(filters));
        query.all = self.all;
        query.prune = self.prune;
        query.groups = self.groups;
        query.correct_spelling = !self.exact_words;
        Ok(query)
    }

    fn answer(&self, snapshot: &Snapshot, text: &str, here: &Surroundings) -> Outcome {
        let mut query = self.query(text)?;
        query.explain = self.explain;
        query = query.with_documents();
        let start = Instant::now();
        let answer = snapshot.search(&query)?;
        let micros = start.elapsed().as_micros();
        for hit in &answer.hits {
            show(hit, here)?;
        }
        for correction in &answer.corrections {
            let (word, other) = (&correction.word, &correction.replaced_by);
            here.output.remark(format_args!("searched for {other:?} in place of {word:?}"));
        }
        let unknown = answer.unknown_words.iter().filter(|w| !answer.corrections.iter().any(|c| c.word == **w));
        let unknown: Vec<&str> = unknown.map(String::as_str).collect();
        if !unknown.is_empty() {
            here.output.remark(format_args!("the model does not know: {}", unknown.join(", ")));
        }
        if answer.lost > 0.0 {
            let lost = percent(answer.lost);
            here.output.remark(format_args!("pruning left out {lost} of the squared weights of the query"));
        }
        here.output.show(format_args!("{} documents in {micros} µs", answer.hits.len()))?;
        here.output.answer(&Answered { answer: &answer, micros })
    }

    fn rank(&self, snapshot: &Snapshot, queries: &Path, path: &Path, here: &Surroundings) -> Outcome {
        let mut reading = self.strictness.reading();
        let (queries, _) = corpus::read_queries(Input::open(queries)?, &mut reading)?;
        tell_skipped(&reading, here.output);
        interrupt::will_write(path);
        let mut out = create(path)?;
        let start = Instant::now();
        let mut n_hits = 0;
        for batch in queries.chunks(BATCH) {
            if interrupt::is_requested() {
                return Err(Error::Interrupted.into());
            }
            let answers = here.threads.map(batch.len(), |i| {
                let query = self.query(&batch[i].text)?;
                snapshot.search(&Query { phrases: false, ..query })
            });
            for (query, answer) in batch.iter().zip(answers) {
                let hits = answer?.hits;
                n_hits += hits.len();
                let places = hits.iter().map(|hit| (hit.id.as_str(), f64::from(hit.score)));
                run::write_ranking(&mut out, "qwd", &query.id, places)?;
            }
        }
        out.finish()?;
        let seconds = start.elapsed().as_secs_f64();
        let queries_per_second = queries.len() as f64 / seconds;
        here.output.show(format_args!(
            "{} queries answered in {seconds:.2} s ({queries_per_second:.0} a second), written to {}",
            queries.len(),
            path.display()
        ))?;
        here.output.answer(&Ranked { run: path, n_queries: queries.len(), n_hits, seconds, queries_per_second })
    }
}

fn show(hit: &Hit, here: &Surroundings) -> Outcome {
    let title = hit.document.as_ref().map_or("", |d| d.title.as_str());
    here.output.show(format_args!("{:+.4}  {}  {title}", hit.score, hit.id))?;
    if let Some(snippet) = hit.snippet.as_ref().filter(|s| !s.text.is_empty()) {
        let passage = snippet.marked("**", "**").split_whitespace().collect::<Vec<_>>().join(" ");
        here.output.show(format_args!("         {passage}"))?;
    }
    if let Some(reasons) = &hit.reasons {
        let row = |r: &WordReason| vec![r.query.clone(), r.document.clone(), format!("{:+.4}", r.value)];
        here.output.show(table(&["query", "document", "part of the score"], reasons.iter().map(row)))?;
    }
    Ok(())
}
