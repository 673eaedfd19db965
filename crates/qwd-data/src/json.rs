//! JSON records, one on each line, with the column of what is wrong.

use crate::lines::{CORRECT_OR_SKIP, Line};
use qwd_core::Result;
use serde::Deserialize;

/// Reads a line as one JSON value.
pub(crate) fn parse<'a, T: Deserialize<'a>>(line: &Line<'a>) -> Result<T> {
    serde_json::from_str(line.text).map_err(|e| {
        let column = (e.column() as u64).max(1);
        line.error(column, format!("not a usable JSON record: {}", message(&e)), CORRECT_OR_SKIP)
    })
}

/// The message of a JSON error without its own, second, statement of the place.
pub(crate) fn message(e: &serde_json::Error) -> String {
    let text = e.to_string();
    text.rsplit_once(" at line ").map_or_else(|| text.clone(), |(what, _)| what.to_string())
}
