//! One error type for the whole house, and the families its variants belong to.
//!
//! A message says what failed, why, and what to do about it. The family decides the exit code of the program, the
//! status of the server and the exception in Python; that table lives with each of those doors, the families live here.

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of anything in qwd that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Whose fault an error is, and so what a caller can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// A parameter or a request that makes no sense: correct the call.
    Usage,
    /// Input records that cannot be used: correct the data.
    Data,
    /// A qwd file that is damaged, or written by a version this one does not know.
    Damaged,
    /// The disk, the network, the memory: try again elsewhere.
    Environment,
    /// The caller asked to stop.
    Interrupted,
    /// A bug in qwd.
    Internal,
}

/// A position in an input: file, line and column, each counted from 1; 0 means that it is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, `-` for standard input.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// The column in bytes, from 1.
    pub column: u64,
}

impl Place {
    /// Names a line and column of a file.
    pub fn new(path: impl AsRef<Path>, line: u64, column: u64) -> Self {
        Self { path: path.as_ref().to_path_buf(), line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if self.line > 0 && self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        Ok(())
    }
}

/// Everything that can go wrong in qwd.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A record of an input file cannot be read as what it should be.
    #[error("{place}: {what}; {remedy}")]
    Parse {
        /// Where the offending text begins.
        place: Place,
        /// What is wrong with it.
        what: String,
        /// What to do about it.
        remedy: String,
    },
    /// The data as a whole cannot be used for what was asked.
    #[error("{what}; {remedy}")]
    BadData {
        /// What is wrong with the data.
        what: String,
        /// What to do about it.
        remedy: String,
    },
    /// A parameter is outside its range, or does not fit the others.
    #[error("parameter {name} = {value}: expected {expected}")]
    InvalidParam {
        /// The parameter's name, as the user writes it.
        name: String,
        /// The value given.
        value: String,
        /// The values it may take.
        expected: String,
    },
    /// An input is larger than a limit that protects the machine.
    #[error("{what} exceeds the limit of {limit} (got {got}); {remedy}")]
    Limit {
        /// What is too large.
        what: String,
        /// The largest that is allowed.
        limit: u64,
        /// What was met (at least this much).
        got: u64,
        /// What to do about it.
        remedy: String,
    },
    /// Training left the range of finite numbers.
    #[error("training diverged at step {step}: {what}; {remedy}")]
    Diverged {
        /// The step, from 1.
        step: u64,
        /// What was seen.
        what: String,
        /// What to do about it.
        remedy: String,
    },
    /// A file of qwd's own is damaged.
    #[error("{path}: damaged {section}: {what}; restore the file from a copy or make it anew", path = path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The part of the file, by its name in FORMAT.md.
        section: String,
        /// What is wrong with it.
        what: String,
    },
    /// A file is sound but of a kind or version that this program does not read.
    #[error("{path}: {what}", path = path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What it is, and what would read it.
        what: String,
    },
    /// The operating system refused.
    #[error("{path}: cannot {action}: {source}", path = path.display())]
    Io {
        /// The file or address.
        path: PathBuf,
        /// What was tried, as a verb: "read", "write", "create".
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A bug: a state that qwd's own code promises never to reach.
    #[error("internal error: {what}; this is a bug, please report it with the command that led here")]
    Internal {
        /// The broken promise.
        what: String,
    },
}

impl Error {
    /// A record that cannot be read.
    pub fn parse(place: Place, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Parse { place, what: what.into(), remedy: remedy.into() }
    }

    /// Data that cannot be used.
    pub fn bad_data(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::BadData { what: what.into(), remedy: remedy.into() }
    }

    /// A parameter outside its range.
    pub fn param(name: impl Into<String>, value: impl fmt::Display, expected: impl Into<String>) -> Self {
        Self::InvalidParam { name: name.into(), value: value.to_string(), expected: expected.into() }
    }

    /// Something larger than a limit.
    pub fn limit(what: impl Into<String>, limit: u64, got: u64, remedy: impl Into<String>) -> Self {
        Self::Limit { what: what.into(), limit, got, remedy: remedy.into() }
    }

    /// A refusal of the operating system.
    pub fn io(path: impl AsRef<Path>, action: &'static str, source: std::io::Error) -> Self {
        Self::Io { path: path.as_ref().to_path_buf(), action, source }
    }

    /// Damage in one of qwd's own files.
    pub fn corrupt(path: impl AsRef<Path>, section: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Corrupt { path: path.as_ref().to_path_buf(), section: section.into(), what: what.into() }
    }

    /// A broken promise inside qwd.
    pub fn internal(what: impl Into<String>) -> Self {
        Self::Internal { what: what.into() }
    }

    /// The family of this error.
    pub fn family(&self) -> Family {
        match self {
            Self::InvalidParam { .. } => Family::Usage,
            Self::Parse { .. } | Self::BadData { .. } | Self::Limit { .. } | Self::Diverged { .. } => Family::Data,
            Self::Corrupt { .. } | Self::Unsupported { .. } => Family::Damaged,
            Self::Io { .. } => Family::Environment,
            Self::Interrupted => Family::Interrupted,
            Self::Internal { .. } => Family::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_place_and_remedy() {
        let e = Error::parse(
            Place::new("train.tsv", 1841, 17),
            "preference names unknown document \"d93\"",
            "add it to the corpus or pass --on-error skip",
        );
        assert_eq!(
            e.to_string(),
            "train.tsv:1841:17: preference names unknown document \"d93\"; add it to the corpus or pass --on-error skip"
        );
        assert_eq!(e.family(), Family::Data);
    }

    #[test]
    fn a_place_without_line_is_just_the_file() {
        assert_eq!(Place::new("x.tsv", 0, 5).to_string(), "x.tsv");
        assert_eq!(Place::new("x.tsv", 3, 0).to_string(), "x.tsv:3");
    }
}
