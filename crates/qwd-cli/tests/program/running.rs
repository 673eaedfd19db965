//! Running the program and looking at what it said.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a run of the program left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program, to be run in a folder.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qwd"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs the program in a folder; arguments are separated by spaces.
pub(crate) fn qwd(folder: &Path, arguments: &str) -> Run {
    let output = command(folder).args(arguments.split_whitespace()).output().expect("the program runs");
    Run::of(output)
}

/// Runs the program with `--json` and returns the one object it printed.
pub(crate) fn json(folder: &Path, arguments: &str) -> Value {
    qwd(folder, &format!("{arguments} --json")).json()
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Expects an exit code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// Expects a failure whose message holds all of some texts, and no panic.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, texts: &[&str]) {
        let run = self.expect(code);
        assert!(!run.stderr.contains("this is a bug"), "{}", run.stderr);
        for text in texts {
            assert!(run.stderr.contains(text), "{text:?} is missing in: {}", run.stderr);
        }
    }

    /// The one object on standard output of a successful run.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        let run = self.expect(0);
        assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
        serde_json::from_str(&run.stdout).expect("one object")
    }
}

/// The names in a folder, hidden ones too.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A number inside a JSON value.
#[track_caller]
pub(crate) fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer} in {value}"))
}
