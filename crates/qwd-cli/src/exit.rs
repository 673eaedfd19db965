//! Which exit code has which end: the one table, and the guard that sees to it that a panic has one too.

use crate::output::to_people;
use qwd_core::{Error, Family};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::process::ExitCode;

/// The exit code of a negative answer: a file that is not sound, a model that is worse.
const NEGATIVE: u8 = 5;

/// How a command ends, if not well.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something went wrong.
    Error(Error),
    /// All went well and the answer, which has been given, is no.
    Negative,
    /// Nobody reads our output any more, so there is nothing left to do.
    NoReader,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The result of a command.
pub(crate) type Outcome = Result<(), Failure>;

/// The exit code of each family of errors.
fn code_of(family: Family) -> u8 {
    match family {
        Family::Environment | Family::Internal => 1,
        Family::Usage => 2,
        Family::Data => 3,
        Family::Damaged => 4,
        Family::Interrupted => crate::interrupt::EXIT_CODE,
    }
}

/// Runs the program; a panic is a bug, and says so.
pub(crate) fn guarded(program: impl FnOnce() -> Outcome) -> ExitCode {
    std::panic::set_hook(Box::new(report_bug));
    match catch_unwind(AssertUnwindSafe(program)) {
        Ok(outcome) => end(outcome),
        Err(_) => ExitCode::from(code_of(Family::Internal)),
    }
}

fn end(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) | Err(Failure::NoReader) => ExitCode::SUCCESS,
        Err(Failure::Negative) => ExitCode::from(NEGATIVE),
        Err(Failure::Error(error)) => {
            to_people(format_args!("error: {error}"));
            ExitCode::from(code_of(error.family()))
        }
    }
}

fn report_bug(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("(no message)");
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    to_people(format_args!(
        "error: internal error: {message} ({place}); this is a bug in qwd {}, please report it with the command that led here",
        env!("CARGO_PKG_VERSION")
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_has_its_code() {
        let code = |outcome: Outcome| format!("{:?}", guarded(|| outcome));
        let expected = |code: u8| format!("{:?}", ExitCode::from(code));
        assert_eq!(code(Ok(())), expected(0));
        assert_eq!(code(Err(Failure::NoReader)), expected(0));
        assert_eq!(code(Err(Failure::Negative)), expected(5));
        assert_eq!(code(Err(Error::param("a", 1, "2").into())), expected(2));
        assert_eq!(code(Err(Error::bad_data("a", "b").into())), expected(3));
        assert_eq!(code(Err(Error::corrupt("a", "b", "c").into())), expected(4));
        assert_eq!(code(Err(Error::Interrupted.into())), expected(130));
        assert_eq!(format!("{:?}", guarded(|| panic!("a bug"))), expected(1));
    }
}
