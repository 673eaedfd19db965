//! The data of a command: a folder, or the data set inside the program.

use crate::output::Output;
use clap::{Args, ValueEnum};
use qwd_core::{Error, Result};
use qwd_data::{Dataset, Input, OnError, Opened, Reading};
use qwd_lab::demo;
use std::path::{Path, PathBuf};

/// What happens to bad records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BadRecords {
    /// Stop with an error that names the line.
    Fail,
    /// Leave them out, count them and go on.
    Skip,
}

/// Which data, and how strictly they are read.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// A folder in one of the layouts of `qwd dataset`, or `demo` for the data set inside the program.
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) queries: QueryTexts,
    #[command(flatten)]
    pub(crate) strictness: Strictness,
}

/// Other texts for the queries of a data set.
#[derive(Debug, Args)]
pub(crate) struct QueryTexts {
    /// Other texts for the queries, such as translations: a queries.jsonl with the same ids.
    #[arg(long = "queries", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl QueryTexts {
    /// Puts the other texts, if there are any, in the place of those of the data set.
    pub(crate) fn put_into(&self, data: Opened, reading: &mut Reading) -> Result<Opened> {
        match (&self.file, data) {
            (None, data) => Ok(data),
            (Some(file), Opened::Texts(dataset)) => {
                Ok(Opened::Texts(Box::new(dataset.with_query_texts(Input::open(file)?, reading)?)))
            }
            (Some(_), Opened::Vectors(_)) => {
                Err(Error::bad_data("vectors have no texts of queries", "give a data set of texts, or no --queries"))
            }
        }
    }
}

/// How strictly records are read.
#[derive(Debug, Args)]
pub(crate) struct Strictness {
    /// What to do about a bad record.
    #[arg(long, value_name = "WHAT", default_value = "fail")]
    on_error: BadRecords,
}

impl Strictness {
    /// Begins a reading.
    pub(crate) fn reading(&self) -> Reading {
        Reading::new(match self.on_error {
            BadRecords::Fail => OnError::Fail,
            BadRecords::Skip => OnError::Skip,
        })
    }
}

impl DataArgs {
    /// Opens the data and tells of what was left out.
    pub(crate) fn open(&self, output: Output) -> Result<Opened> {
        let mut reading = self.strictness.reading();
        let data = self.queries.put_into(open(&self.data, &mut reading)?, &mut reading)?;
        tell_skipped(&reading, output);
        if let Opened::Texts(dataset) = &data {
            tell_empty(dataset, output);
        }
        Ok(data)
    }
}

/// Opens a folder, or the data set inside the program.
pub(crate) fn open(path: &Path, reading: &mut Reading) -> Result<Opened> {
    if path == Path::new("demo") && !path.exists() {
        return demo::dataset();
    }
    Opened::open(path, reading)
}

/// Tells people which records were left out.
pub(crate) fn tell_skipped(reading: &Reading, output: Output) {
    let skipped = reading.skipped();
    if skipped.n_records > 0 {
        output.remark(format_args!("left out {} bad records, the first of them:", skipped.n_records));
        skipped.first_messages.iter().for_each(|message| output.remark(format_args!("  {message}")));
    }
}

/// Tells people of documents that nothing can be learned from.
fn tell_empty(dataset: &Dataset, output: Output) {
    let is_empty = |d: &&qwd_data::Document| d.title.trim().is_empty() && d.text.trim().is_empty();
    let mut empty = dataset.documents.iter().filter(is_empty);
    if let Some(first) = empty.next() {
        let n = 1 + empty.count();
        output.remark(format_args!("note: {n} documents are empty, the first is {:?}; they match nothing", first.id));
    }
}
