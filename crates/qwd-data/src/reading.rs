//! One reading: what it does with a bad record, and what it can tell afterwards.

use crate::fingerprint::Fingerprint;
use crate::input::Input;
use crate::lines::{Line, Lines, MAX_LINE_BYTES};
use qwd_core::{Error, Result};

/// How many messages of skipped records are remembered.
const REMEMBERED: usize = 5;

/// What to do when a record is bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// Stop with an error.
    #[default]
    Fail,
    /// Leave the record out, count it and go on.
    Skip,
}

/// The records that were left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skipped {
    /// How many there were.
    pub n_records: u64,
    /// What was wrong with the first few.
    pub first_messages: Vec<String>,
}

/// The policy of a reading and its report; pass one through all files that belong together.
#[derive(Debug, Clone)]
pub struct Reading {
    /// What to do when a record is bad.
    pub on_error: OnError,
    /// The longest line accepted.
    pub max_line_bytes: usize,
    skipped: Skipped,
    files: Vec<Fingerprint>,
}

impl Default for Reading {
    fn default() -> Self {
        Self::new(OnError::Fail)
    }
}

impl Reading {
    /// Begins a reading with the usual limits.
    pub fn new(on_error: OnError) -> Self {
        Self { on_error, max_line_bytes: MAX_LINE_BYTES, skipped: Skipped::default(), files: Vec::new() }
    }

    /// Returns the records left out so far.
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// Returns the files read to their end so far, in order.
    pub fn files(&self) -> &[Fingerprint] {
        &self.files
    }

    /// Hands every line that is not blank to `record`, by the policy for those that it refuses.
    pub fn each_line(&mut self, input: Input, mut record: impl FnMut(&Line<'_>) -> Result<()>) -> Result<()> {
        let mut lines = Lines::new(input, self.max_line_bytes);
        loop {
            let outcome = match lines.next_line() {
                Ok(None) => break,
                Ok(Some(line)) if line.text.trim_ascii().is_empty() => Ok(()),
                Ok(Some(line)) => record(&line),
                Err(e) => Err(e),
            };
            self.settle(outcome)?;
        }
        self.finish(lines.into_input())
    }

    /// Notes an input that has been read to its end.
    pub(crate) fn finish(&mut self, input: Input) -> Result<()> {
        self.files.push(input.finish()?);
        Ok(())
    }

    /// Turns the error of one record into a count, if that is the policy.
    pub(crate) fn settle(&mut self, outcome: Result<()>) -> Result<()> {
        match outcome {
            Err(e) if self.on_error == OnError::Skip && concerns_one_record(&e) => {
                self.skipped.n_records += 1;
                if self.skipped.first_messages.len() < REMEMBERED {
                    self.skipped.first_messages.push(e.to_string());
                }
                Ok(())
            }
            outcome => outcome,
        }
    }
}

/// An error that names a line leaves the other lines good; damage of a whole file names none.
fn concerns_one_record(e: &Error) -> bool {
    match e {
        Error::Parse { place, .. } => place.line > 0,
        Error::Limit { .. } => true,
        _ => false,
    }
}
