//! Choices on navigation paths: `path<TAB>page<TAB>article<TAB>target`, one on each line.
//!
//! On a page, a player who looks for the target chose the link to the article. `-` stands for a target that is not known.

use crate::id_map::IdMap;
use crate::input::Input;
use crate::lines::{CORRECT_OR_SKIP, quote};
use crate::output::Output;
use crate::reading::Reading;
use qwd_core::{Error, Result};

/// What stands for a target that is not known.
pub const UNKNOWN: &str = "-";

/// One choice, by the rows of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The number of the path.
    pub path: u32,
    /// Where the choice was made.
    pub page: u32,
    /// What was chosen.
    pub article: u32,
    /// What was looked for.
    pub target: Option<u32>,
}

/// Reads all choices between the pages of `ids`, in the order of the file.
pub fn read(input: Input, ids: &IdMap, reading: &mut Reading) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    reading.each_line(input, |line| {
        let layout = "path<TAB>page<TAB>article<TAB>target";
        let [Some(path), Some(page), Some(article), Some(target)] = line.columns::<4>(4, layout)? else {
            return Err(Error::internal("four columns were promised"));
        };
        let row = |field: crate::lines::Field<'_>| {
            ids.get(field.text)
                .ok_or_else(|| line.error(field.column, format!("unknown page {}", quote(field.text)), CORRECT_OR_SKIP))
        };
        let number = path.text.parse().map_err(|_| {
            line.error(path.column, format!("path {} is not a number", quote(path.text)), CORRECT_OR_SKIP)
        })?;
        let target = if target.text == UNKNOWN { None } else { Some(row(target)?) };
        steps.push(Step { path: number, page: row(page)?, article: row(article)?, target });
        Ok(())
    })?;
    Ok(steps)
}

/// Writes one choice.
pub fn write(out: &mut Output, path: u32, page: &str, article: &str, target: &str) -> Result<()> {
    out.line(format_args!("{path}\t{page}\t{article}\t{target}"))
}
