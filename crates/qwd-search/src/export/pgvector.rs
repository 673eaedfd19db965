//! SQL for PostgreSQL with pgvector: a table with a column `sparsevec`, and a query for each query. `<#>` is the negative inner
//! product, of weights of either sign, so the ranking is ours, ties included: documents are numbered as they were added.

use super::Words;
use qwd_core::{Error, Result};
use qwd_data::Document;
use std::fmt::Write;

/// The most entries of a `sparsevec`.
const MAX_ENTRIES: usize = 16_000;

pub(super) fn head(n_terms: usize, out: &mut String) {
    let _ = write!(
        out,
        "CREATE EXTENSION IF NOT EXISTS vector;\n\
         CREATE TABLE documents (number bigint PRIMARY KEY, id text UNIQUE, title text, body text, words sparsevec({n_terms}));\n\
         COPY documents FROM stdin;\n"
    );
}

pub(super) fn tail(out: &mut String) {
    out.push_str("\\.\nANALYZE documents;\n");
}

pub(super) fn document(document: &Document, number: u64, words: &Words<'_>, out: &mut String) -> Result<()> {
    let [id, title, body] = [&document.id, &document.title, &document.text].map(|text| escaped(text));
    let _ = writeln!(out, "{number}\t{id}\t{title}\t{body}\t{}", sparsevec(words)?);
    Ok(())
}

pub(super) fn query(id: &str, k: usize, words: &Words<'_>, out: &mut String) -> Result<()> {
    let (id, asked) = (id.replace('\0', "").replace('\'', "''"), sparsevec(words)?);
    let _ = writeln!(
        out,
        "SELECT '{id}' AS query, id, -(words <#> '{asked}') AS score FROM documents \
         ORDER BY words <#> '{asked}', number LIMIT {k};"
    );
    Ok(())
}

/// Entries from 1 on, and the number of dimensions.
fn sparsevec(words: &Words<'_>) -> Result<String> {
    let view = words.vector.view();
    if view.len() > MAX_ENTRIES {
        let remedy = "keep fewer terms with --prune";
        return Err(Error::limit("entries of a sparsevec", MAX_ENTRIES as u64, view.len() as u64, remedy));
    }
    let entries: Vec<String> = view.iter().map(|(term, weight)| format!("{}:{weight}", term + 1)).collect();
    Ok(format!("{{{}}}/{}", entries.join(","), words.n_terms()))
}

/// A text as COPY reads it; PostgreSQL has no zero bytes in texts.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\0' => {}
            c => out.push(c),
        }
    }
    out
}
