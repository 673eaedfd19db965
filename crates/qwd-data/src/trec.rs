//! What TREC's files share: columns between white space, and ids that therefore cannot hold any.

use crate::lines::{Field, Line, quote};
use qwd_core::{Error, Result};

/// Splits a line into exactly the columns that `layout` names.
pub(crate) fn columns<'a, const N: usize>(line: &Line<'a>, layout: &str, remedy: &str) -> Result<[Field<'a>; N]> {
    // Counting stops behind the first column too many: a hostile line may have millions.
    let words: Vec<Field<'a>> = line.words().take(N + 1).collect();
    words.try_into().map_err(|words: Vec<Field<'a>>| {
        let found = match words.len() {
            1 => "1 column".to_string(),
            n if n > N => format!("{n} columns or more"),
            n => format!("{n} columns"),
        };
        line.error(1, format!("expected {layout}, found {found}"), remedy)
    })
}

/// Checks that an id can stand between the spaces of a file.
pub(crate) fn id(id: &str) -> Result<&str> {
    if id.is_empty() || id.contains(|c: char| c.is_whitespace() || c.is_control()) {
        let what = format!("the id {} is empty or has white space, which TREC files cannot hold", quote(id));
        return Err(Error::bad_data(what, "give the documents and queries other ids"));
    }
    Ok(id)
}
