//! `qwd backup` and `qwd restore`: a consistent copy of an index with all that was told and learned, and the way back.

use crate::exit::Outcome;
use crate::interrupt;
use crate::output::bytes;
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_server::backup::{Copied, copy_index};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The folder of the index; it may be served meanwhile.
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// The folder to make.
    #[arg(long, value_name = "BACKUP")]
    out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The folder of the backup.
    #[arg(value_name = "BACKUP")]
    backup: PathBuf,
    /// The folder to make; one that is there is never overwritten.
    #[arg(long, value_name = "INDEX")]
    out: PathBuf,
}

#[derive(Debug, Serialize)]
struct Answer<'a> {
    folder: &'a Path,
    #[serde(flatten)]
    copied: Copied,
}

pub(crate) fn back_up(args: &BackupArgs, here: &Surroundings) -> Outcome {
    copy(&args.index, &args.out, here)
}

pub(crate) fn restore(args: &RestoreArgs, here: &Surroundings) -> Outcome {
    copy(&args.backup, &args.out, here)
}

/// Both are the same copy, checked on its way.
fn copy(from: &Path, to: &Path, here: &Surroundings) -> Outcome {
    interrupt::will_write(to);
    let copied = copy_index(from, to)?;
    let records = copied.n_records.map_or_else(String::new, |n| format!(", {n} records of feedback and learning"));
    here.output.show(format_args!(
        "{}: commit {}, {} documents{records}, {}, all checked",
        to.display(),
        copied.generation,
        copied.n_documents,
        bytes(copied.n_bytes)
    ))?;
    here.output.answer(&Answer { folder: to, copied })
}
