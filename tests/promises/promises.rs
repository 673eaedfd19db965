//! What the tests of promises share: the program under test.

use std::path::PathBuf;
use std::process::Command;

/// The program `qwd` that was built beside the tests.
///
/// # Panics
/// If it has not been built.
pub fn program() -> Command {
    let mut folder = std::env::current_exe().expect("this test has a path");
    folder.pop();
    if folder.ends_with("deps") {
        folder.pop();
    }
    let path: PathBuf = folder.join("qwd");
    assert!(path.exists(), "{} is not there; build it first: cargo build -p qwd-cli", path.display());
    Command::new(path)
}
