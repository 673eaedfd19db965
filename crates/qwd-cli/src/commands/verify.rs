//! `qwd verify`: whether a model file is sound; a file that is not is a negative answer.

use crate::exit::{Failure, Outcome};
use crate::output::table;
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_model::{Section, verify};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The model file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Serialize)]
struct Answer<'a> {
    file: &'a Path,
    sound: bool,
    sections: &'a [Section],
}

pub(crate) fn run(args: &VerifyArgs, here: &Surroundings) -> Outcome {
    let found = verify(&args.file)?;
    let row = |s: &Section| vec![s.name.clone(), s.problem.clone().unwrap_or_else(|| "sound".to_string())];
    here.output.show(table(&["section", "state"], found.sections.iter().map(row)))?;
    here.output.answer(&Answer { file: &args.file, sound: found.is_sound(), sections: &found.sections })?;
    if found.is_sound() {
        return Ok(());
    }
    let remark = "is damaged; restore it from a copy or train it anew";
    here.output.remark(format_args!("{} {remark}", args.file.display()));
    Err(Failure::Negative)
}
