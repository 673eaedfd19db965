//! `qwd index`: documents and a model become an index on disk; documents are added to it, replaced and deleted.

use crate::data::{Strictness, open, tell_skipped};
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{bytes, percent};
use crate::surroundings::Surroundings;
use clap::{Args, ValueEnum};
use qwd_core::{Control, Error, Observer, Progress, Result};
use qwd_data::{Document, Input, Opened, Reading, corpus};
use qwd_model::Model;
use qwd_search::{Changes, Description, Expand, IndexParams, Writer, describe};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Documents between two reports of progress.
const REPORTED: u64 = 1024;

/// What is expanded by W.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Expanded {
    /// Queries, when they are asked: a small index.
    Queries,
    /// Documents, when they are indexed: fast short queries.
    Documents,
}

impl From<Expanded> for Expand {
    fn from(expanded: Expanded) -> Self {
        match expanded {
            Expanded::Queries => Self::Queries,
            Expanded::Documents => Self::Documents,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// The documents: a folder with a corpus.jsonl, such a file (`-` is standard input), or `demo`.
    #[arg(value_name = "DOCS", required_unless_present_any = ["delete", "merge", "new_model"])]
    documents: Option<PathBuf>,
    /// The model that ranks; a copy of it becomes part of the index.
    #[arg(long, value_name = "MODEL", required_unless_present_any = ["add", "delete", "merge", "new_model"])]
    model: Option<PathBuf>,
    /// The folder of the index.
    #[arg(long, value_name = "INDEX")]
    out: PathBuf,
    /// Add to an index that is there; documents with the ids of others replace them.
    #[arg(long, conflicts_with = "model")]
    add: bool,
    /// Delete the document with this id; may be given several times.
    #[arg(long, value_name = "ID", conflicts_with = "model")]
    delete: Vec<String>,
    /// Merge all segments into one, without what was deleted.
    #[arg(long)]
    merge: bool,
    /// Put another model in the place of the index's own.
    #[arg(long, value_name = "MODEL", conflicts_with = "model")]
    new_model: Option<PathBuf>,
    /// What is expanded by W.
    #[arg(long, value_name = "WHAT", default_value = "queries", requires = "model")]
    expand: Expanded,
    /// Keep only so many terms of an expanded query or document, the strongest.
    #[arg(long, value_name = "N", requires = "model")]
    prune: Option<usize>,
    #[command(flatten)]
    strictness: Strictness,
}

#[derive(Debug, Serialize)]
struct Answer<'a> {
    index: &'a Path,
    #[serde(flatten)]
    changes: Changes,
    #[serde(flatten)]
    description: &'a Description,
    seconds: f64,
    documents_per_second: f64,
}

pub(crate) fn run(args: &IndexArgs, here: &Surroundings) -> Outcome {
    let start = Instant::now();
    let mut writer = args.writer()?.with_threads(here.threads.count())?;
    let mut reading = args.strictness.reading();
    if let Some(path) = &args.documents {
        add_documents(path, &mut reading, &mut writer, here)?;
        tell_skipped(&reading, here.output);
    }
    for id in &args.delete {
        if !writer.delete(id)? {
            here.output.remark(format_args!("note: the index has no document {id:?}"));
        }
    }
    writer.commit()?;
    if let Some(path) = &args.new_model {
        writer.set_model(&Model::open_without_state(path)?)?;
    }
    if args.merge {
        writer.merge()?;
    }
    let (changes, seconds) = (writer.changes(), start.elapsed().as_secs_f64());
    let description = describe(&args.out)?;
    tell(&args.out, changes, &description, seconds, here)?;
    let documents_per_second = changes.added as f64 / seconds;
    here.output.answer(&Answer { index: &args.out, changes, description: &description, seconds, documents_per_second })
}

impl IndexArgs {
    fn writer(&self) -> Result<Writer> {
        let Some(path) = &self.model else { return Writer::open(&self.out) };
        let params = IndexParams { expand: self.expand.into(), prune: self.prune, ..IndexParams::default() };
        Writer::create(&self.out, &Model::open_without_state(path)?, &params)
    }
}

/// Adds the documents of a file as they are read, or those of a folder.
fn add_documents(path: &Path, reading: &mut Reading, writer: &mut Writer, here: &Surroundings) -> Result<()> {
    let mut n_added = 0;
    let mut add = |document: Document, writer: &mut Writer| {
        n_added += 1;
        if n_added % REPORTED == 0 {
            let progress = Progress { stage: "indexing", done: n_added, ..Progress::default() };
            if interrupt::is_requested() || here.bar.progress(&progress) == Control::Stop {
                return Err(Error::Interrupted);
            }
        }
        writer.add(document)
    };
    if path.is_file() || path == Path::new("-") {
        corpus::each_document(Input::open(path)?, reading, |document, _| add(document, writer))?;
        return Ok(());
    }
    match open(path, reading)? {
        Opened::Texts(dataset) => dataset.documents.into_iter().try_for_each(|document| add(document, writer)),
        Opened::Vectors(_) => {
            Err(Error::bad_data("the data are vectors, not texts", "index documents in a corpus.jsonl"))
        }
    }
}

fn tell(path: &Path, changes: Changes, description: &Description, seconds: f64, here: &Surroundings) -> Outcome {
    let Changes { added, deleted, lost } = changes;
    here.output.show(format_args!(
        "{}: {added} documents added, {deleted} deleted in {seconds:.1} s ({:.0} a second)",
        path.display(),
        added as f64 / seconds
    ))?;
    here.output.show(format_args!(
        "it has {} documents and {} postings of {:.2} bytes, {} in all",
        description.n_documents,
        description.n_postings,
        description.bytes_per_posting,
        bytes(description.n_bytes)
    ))?;
    if lost > 0.0 {
        here.output.show(format_args!("pruning left out {} of the squared weights of a document", percent(lost)))?;
    }
    Ok(())
}
