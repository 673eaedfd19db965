//! `qwd verify`: whether a model, a ranker or an index is sound; one that is not is a negative answer.

use crate::exit::{Failure, Outcome};
use crate::output::table;
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::{Error, Result};
use qwd_model::{Section, verify};
use qwd_rank::RankerFile;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The model, ranker or index.
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
    let sections = sections(&args.file)?;
    let sound = sections.iter().all(|section| section.problem.is_none());
    let row = |s: &Section| vec![s.name.clone(), s.problem.clone().unwrap_or_else(|| "sound".to_string())];
    here.output.show(table(&["section", "state"], sections.iter().map(row)))?;
    here.output.answer(&Answer { file: &args.file, sound, sections: &sections })?;
    if sound {
        return Ok(());
    }
    let remark = "is damaged; restore it from a copy or train it anew";
    here.output.remark(format_args!("{} {remark}", args.file.display()));
    Err(Failure::Negative)
}

/// The parts of a file or folder and what is wrong with each; a ranker has one.
fn sections(path: &Path) -> Result<Vec<Section>> {
    if path.is_dir() {
        return qwd_search::verify(path);
    }
    if !RankerFile::is_at(path) {
        return Ok(verify(path)?.sections);
    }
    let problem = match RankerFile::load(path) {
        Err(Error::Corrupt { what, .. }) => Some(what),
        loaded => loaded.map(|_| None)?,
    };
    Ok(vec![Section { name: "body".into(), problem }])
}
