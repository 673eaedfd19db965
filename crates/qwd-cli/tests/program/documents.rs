//! The commands that the documents show are run as a shell runs them, in the order in which they stand.

use crate::running::Run;
use std::path::Path;
use std::process::Command;

/// The lines `$ qwd …` of a document's `console` blocks.
fn commands(document: &str) -> Vec<&str> {
    let blocks = document.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("$ ")).collect()
}

#[test]
fn the_commands_of_the_readme_run() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(readme).expect("the README");
    let commands = commands(&text);
    assert!(commands.len() >= 7, "only {} commands found", commands.len());
    let folder = tempfile::tempdir().expect("a folder");
    let program = Path::new(env!("CARGO_BIN_EXE_qwd")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    for command in commands {
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", command]).current_dir(folder.path()).env("PATH", &path).output();
        let run = Run::of(output.expect("a shell"));
        assert_eq!(run.code, Some(0), "{command}: {}", run.stderr);
    }
}
