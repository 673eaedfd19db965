//! Lines of bounded length, checked to be UTF-8, that know where they stand.

use crate::input::Input;
use qwd_core::error::Place;
use qwd_core::{Error, Result};
use std::path::Path;

/// The usual limit of a line: 16 MiB.
pub const MAX_LINE_BYTES: usize = 16 << 20;

/// What to do about a bad record that cannot be repaired by qwd.
pub(crate) const CORRECT_OR_SKIP: &str = "correct the line or pass --on-error skip";

/// Reads an input line by line.
#[derive(Debug)]
pub struct Lines {
    input: Input,
    max_bytes: usize,
    buffer: Vec<u8>,
    number: u64,
    inside_long_line: bool,
}

impl Lines {
    /// Begins at the first line; a longer line than `max_bytes` is an error.
    pub fn new(input: Input, max_bytes: usize) -> Self {
        Self { input, max_bytes, buffer: Vec::new(), number: 0, inside_long_line: false }
    }

    /// Reads the next line without its end (`\n` or `\r\n`); after an error about one line, the next call goes on
    /// behind it.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>> {
        if std::mem::take(&mut self.inside_long_line) {
            self.input.skip_until(b'\n')?;
        }
        self.buffer.clear();
        // Two more bytes than allowed, so that a line of exactly the limit may still carry its `\r\n`.
        let limit = (self.max_bytes as u64).saturating_add(2);
        if self.input.read_until(b'\n', limit, &mut self.buffer)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let ended = self.buffer.last() == Some(&b'\n');
        let text = trim_end(&self.buffer);
        if text.len() > self.max_bytes {
            self.inside_long_line = !ended;
            let what = format!("{}: a line's length in bytes", Place::new(self.input.path(), self.number, 0));
            let remedy = "break the line up, raise the limit or pass --on-error skip";
            return Err(Error::limit(what, self.max_bytes as u64, text.len() as u64, remedy));
        }
        let text = if self.number == 1 { text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) } else { text };
        match std::str::from_utf8(text) {
            Ok(text) => Ok(Some(Line { text, number: self.number, path: self.input.path() })),
            Err(e) => {
                let at = e.valid_up_to();
                let place = Place::new(self.input.path(), self.number, at as u64 + 1);
                let what = format!("byte 0x{:02x} is not valid UTF-8", text[at]);
                Err(Error::parse(place, what, "convert the file to UTF-8 or pass --on-error skip"))
            }
        }
    }

    /// Gives back the input behind the last line read.
    pub fn into_input(self) -> Input {
        self.input
    }
}

fn trim_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// One line of an input.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The line without its end.
    pub text: &'a str,
    /// Its number, from 1.
    pub number: u64,
    path: &'a Path,
}

impl<'a> Line<'a> {
    /// Makes an error about this line, from a column (in bytes, from 1) on.
    pub fn error(&self, column: u64, what: impl Into<String>, remedy: impl Into<String>) -> Error {
        Error::parse(Place::new(self.path, self.number, column), what, remedy)
    }

    /// Splits at tabs into the columns that `layout` describes; those beyond `n_required` may be missing.
    pub(crate) fn columns<const N: usize>(&self, n_required: usize, layout: &str) -> Result<[Option<Field<'a>>; N]> {
        let mut columns = [None; N];
        let mut n = 0;
        let mut start = 0;
        for text in self.text.split('\t') {
            if let Some(column) = columns.get_mut(n) {
                *column = Some(Field { text, column: start as u64 + 1 });
            }
            n += 1;
            start += text.len() + 1;
        }
        if n < n_required || n > N {
            let what = format!("expected {layout}, found {n} column{}", if n == 1 { "" } else { "s" });
            return Err(self.error(1, what, "put one tab between columns or pass --on-error skip"));
        }
        Ok(columns)
    }

    /// Splits at white space.
    pub(crate) fn words(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        words(self.text)
    }
}

/// Splits a text at ASCII white space, counting columns from its start.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Field<'_>> {
    text.split(|c: char| c.is_ascii_whitespace())
        .scan(0, |start, word| {
            let column = *start as u64 + 1;
            *start += word.len() + 1;
            Some(Field { text: word, column })
        })
        .filter(|field| !field.text.is_empty())
}

/// A piece of a line and the column where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    /// The text of the piece.
    pub text: &'a str,
    /// Its first column, in bytes, from 1.
    pub column: u64,
}

/// Quotes a piece of input in a message: escaped, and cut where it grows long.
pub(crate) fn quote(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{:?}…", &text[..at]),
        None => format!("{text:?}"),
    }
}
