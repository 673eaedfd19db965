//! Mates: which document says in its own words or language what a query says. `query<TAB>document` on each line.
//!
//! A translation and its original are mates (paper 2, section 4.3), and so are keywords and the document they were taken
//! from (section 4.2). A query has one mate; a document may be the mate of several.

use crate::id_map::IdMap;
use crate::input::Input;
use crate::lines::{CORRECT_OR_SKIP, Field, Line, quote};
use crate::output::Output;
use crate::reading::Reading;
use qwd_core::{Error, Result};

/// Hands query and document of every pair to `record`; a query that has a mate already is an error.
pub fn each_mate(
    input: Input,
    reading: &mut Reading,
    mut record: impl FnMut([Field<'_>; 2], &Line<'_>) -> Result<()>,
) -> Result<()> {
    let (mut queries, mut lines) = (IdMap::new(), Vec::new());
    reading.each_line(input, |line| {
        let [Some(query), Some(document)] = line.columns::<2>(2, "query<TAB>document")? else {
            return Err(Error::internal("two columns were promised"));
        };
        for (field, kind) in [(query, "query"), (document, "document")] {
            if field.text.is_empty() {
                return Err(line.error(field.column, format!("empty {kind} id"), CORRECT_OR_SKIP));
            }
        }
        if let Some(earlier) = queries.get(query.text) {
            let first: u64 = lines[earlier as usize];
            let what = format!("query {} has a mate already, on line {first}", quote(query.text));
            return Err(line.error(1, what, "keep one of the two or pass --on-error skip"));
        }
        record([query, document], line)?;
        queries.insert(query.text)?;
        lines.push(line.number);
        Ok(())
    })
}

/// Reads all pairs of ids.
pub fn read(input: Input, reading: &mut Reading) -> Result<Vec<(String, String)>> {
    let mut mates = Vec::new();
    each_mate(input, reading, |[query, document], _| {
        mates.push((query.text.to_string(), document.text.to_string()));
        Ok(())
    })?;
    Ok(mates)
}

/// Writes pairs of query and document, one on each line.
pub fn write<'a>(out: &mut Output, mates: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<()> {
    mates.into_iter().try_for_each(|(query, document)| out.line(format_args!("{query}\t{document}")))
}
