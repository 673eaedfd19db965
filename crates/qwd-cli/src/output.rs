//! What goes where: with `--json` one object on standard output and nothing else; without it the answer, as text and
//! tables, on standard output. Remarks, progress and errors go to standard error always.

use crate::exit::{Failure, Outcome};
use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use qwd_core::Error;
use serde::Serialize;
use std::fmt::{Arguments, Display};
use std::io::{self, ErrorKind, Write};

/// The two ways to answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether the answer is for a script.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Tells people something on the way.
    pub(crate) fn remark(self, text: impl Display) {
        to_people(format_args!("{text}"));
    }

    /// Gives a part of the answer to people; scripts have it in the object.
    pub(crate) fn show(self, text: impl Display) -> Outcome {
        if self.json { Ok(()) } else { write(format_args!("{text}\n")) }
    }

    /// Gives the answer to scripts; people have been told.
    pub(crate) fn answer(self, value: &impl Serialize) -> Outcome {
        if !self.json {
            return Ok(());
        }
        let text =
            serde_json::to_string(value).map_err(|e| Error::internal(format!("an answer that is not JSON: {e}")))?;
        write(format_args!("{text}\n"))
    }
}

/// Writes to standard output; that nobody reads it any more is no error.
fn write(text: Arguments<'_>) -> Outcome {
    let mut out = io::stdout().lock();
    out.write_fmt(text).and_then(|()| out.flush()).map_err(|e| match e.kind() {
        ErrorKind::BrokenPipe => Failure::NoReader,
        _ => Error::io("standard output", "write", e).into(),
    })
}

/// Writes a line to standard error; if that is gone, nobody is left to tell.
pub(crate) fn to_people(text: Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A table with a line under its header; columns of numbers are set to the right.
pub(crate) fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    let mut table = Table::new();
    table.load_style(STYLE).set_header(header);
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    for (i, column) in table.column_iter_mut().enumerate() {
        let is_number = |row: &Vec<String>| row.get(i).is_none_or(|cell| cell.is_empty() || is_numeric(cell));
        if !rows.is_empty() && rows.iter().all(is_number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for row in rows {
        table.add_row(row);
    }
    table
}

fn is_numeric(cell: &str) -> bool {
    cell.starts_with(|c: char| c.is_ascii_digit() || "+-−<".contains(c)) && cell.contains(|c: char| c.is_ascii_digit())
}

/// A figure with four decimals.
pub(crate) fn figure(x: f64) -> String {
    format!("{x:.4}")
}

/// A figure and its standard error.
pub(crate) fn with_error(mean: Option<f64>, error: Option<f64>) -> String {
    match (mean, error) {
        (Some(mean), Some(error)) => format!("{mean:.4} ± {error:.4}"),
        (Some(mean), None) => figure(mean),
        _ => "–".to_string(),
    }
}

/// A p-value.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_string() } else { format!("{p:.4}") }
}

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.3} %", 100.0 * share)
}

/// A number of bytes.
pub(crate) fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} B"),
        1_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        _ => format!("{:.1} MB", n as f64 / 1e6),
    }
}
