//! `qwd dataset`: public data sets in the layout that qwd reads.

use super::eval::SplitName;
use crate::data::{DataArgs, Strictness, tell_skipped};
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::table;
use crate::surroundings::Surroundings;
use clap::{Args, Subcommand};
use qwd_core::{Error, Result};
use qwd_data::convert::{DATASETS, Options, Original};
use qwd_data::task_files::{self, TaskCounts};
use qwd_data::{Opened, SplitRule};
use qwd_lab::download::{Fetched, fetch};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct DatasetArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the data sets that qwd knows.
    List,
    /// Bring a data set into the layout that qwd reads.
    Get(GetArgs),
    /// Write what a split asks as files that other engines read: corpus.jsonl, queries.jsonl, qrels.tsv, and hidden.tsv with the
    /// pairs that are not ranked. What they answer can be measured by `qwd eval --run-file --qrels`.
    Task(TaskArgs),
}

#[derive(Debug, Args)]
struct TaskArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The part of the data.
    #[arg(long, value_name = "SPLIT", default_value = "test")]
    split: SplitName,
    /// The seed of the splits, where the data bring none.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The folder to write to.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Debug, Args)]
struct GetArgs {
    /// The data set.
    #[arg(value_name = "NAME")]
    name: String,
    /// The folder with the originals, or one that holds it under the data set's name; without it they are downloaded.
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// The folder to make, which must not be there yet.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Download from here in place of the data set's home; the files have the same names and checksums.
    #[arg(long, value_name = "URL", conflicts_with = "from")]
    mirror: Option<String>,
    /// Keep the downloaded originals in this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "from")]
    keep: Option<PathBuf>,
    /// Keep links to calendar years, of which there are many and which say little.
    #[arg(long)]
    keep_year_links: bool,
    #[command(flatten)]
    strictness: Strictness,
}

#[derive(Debug, Serialize)]
struct Answer<'a> {
    name: &'a str,
    folder: &'a Path,
    counts: BTreeMap<&'static str, u64>,
}

pub(crate) fn run(args: &DatasetArgs, here: &Surroundings) -> Outcome {
    match &args.action {
        Action::List => list(here),
        Action::Get(args) => get(args, here),
        Action::Task(args) => task(args, here),
    }
}

fn list(here: &Surroundings) -> Outcome {
    let row = |o: &Original| vec![o.name.to_string(), o.description.to_string(), o.licence.to_string()];
    here.output.show(table(&["name", "what it is", "licence"], DATASETS.iter().map(row)))?;
    let entry = |o: &Original| {
        let files: Vec<&str> = o.files.iter().map(|f| f.name).collect();
        json!({ "name": o.name, "description": o.description, "licence": o.licence, "homes": o.homes, "files": files })
    };
    here.output.answer(&json!({ "datasets": DATASETS.iter().map(entry).collect::<Vec<_>>() }))
}

fn task(args: &TaskArgs, here: &Surroundings) -> Outcome {
    let Opened::Texts(dataset) = args.data.open(here.output)? else {
        return Err(Error::bad_data("vectors have no texts to write", "give a data set of texts").into());
    };
    let rule = SplitRule { seed: args.seed, ..SplitRule::default() };
    let task = dataset.task(args.split.into(), &rule)?;
    let counts = task_files::write(&dataset, &task, &args.out)?;
    let TaskCounts { queries, documents, judgments, hidden } = counts;
    here.output.show(format_args!(
        "{queries} queries, {documents} documents, {judgments} judgments, {hidden} hidden pairs in {}",
        args.out.display()
    ))?;
    here.output.answer(&counts)
}

fn get(args: &GetArgs, here: &Surroundings) -> Outcome {
    let original = Original::named(&args.name)?;
    interrupt::will_write(&args.out);
    let originals = Originals::of(args, original, here)?;
    let mut reading = args.strictness.reading();
    let options = Options { keep_year_links: args.keep_year_links };
    let converted = original.convert_with(&originals.folder, &args.out, options, &mut reading)?;
    tell_skipped(&reading, here.output);
    let row = |count: &qwd_data::convert::Count| vec![count.what.to_string(), count.n.to_string()];
    here.output.show(table(&[original.name, "count"], converted.counts.iter().map(row)))?;
    here.output.show(format_args!("in {}", converted.folder.display()))?;
    let counts = converted.counts.iter().map(|count| (count.what, count.n)).collect();
    here.output.answer(&Answer { name: original.name, folder: &converted.folder, counts })
}

/// The folder of the originals; one that was only downloaded for the conversion goes with this value.
struct Originals {
    folder: PathBuf,
    is_temporary: bool,
}

impl Originals {
    fn of(args: &GetArgs, original: &Original, here: &Surroundings) -> Result<Self> {
        if let Some(from) = &args.from {
            return Ok(Self { folder: original.find_in(from), is_temporary: false });
        }
        let originals = match &args.keep {
            Some(folder) => Self { folder: folder.clone(), is_temporary: false },
            None => {
                let name = args.out.file_name().unwrap_or_default().to_string_lossy();
                let hidden = format!(".{name}.originals-{}", std::process::id());
                Self { folder: args.out.with_file_name(hidden), is_temporary: true }
            }
        };
        let fetched = fetch(original, args.mirror.as_deref(), &originals.folder, &here.bar)?;
        here.bar.finish();
        for Fetched { path, sha256, .. } in fetched.iter().filter(|f| !f.checked) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            here.output.remark(format_args!("note: no checksum of {name} is known to qwd; its SHA-256 is {sha256}"));
        }
        Ok(originals)
    }
}

impl Drop for Originals {
    fn drop(&mut self) {
        if self.is_temporary {
            // What cannot be removed stays under a hidden name.
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}
