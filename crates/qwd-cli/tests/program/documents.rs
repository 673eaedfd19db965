//! The commands that the documents show are run as a shell runs them, in the order in which they stand.

use crate::running::Run;
use std::path::Path;
use std::process::Command;

/// The lines `$ qwd …` of a document's `console` blocks.
fn commands(document: &str) -> Vec<&str> {
    let blocks = document.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("$ ")).collect()
}

/// Runs a document's commands in a folder of its own; there are at least so many.
fn all_run(document: &str, at_least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document);
    let text = std::fs::read_to_string(path).expect(document);
    let commands = commands(&text);
    assert!(commands.len() >= at_least, "{document}: only {} commands found", commands.len());
    let folder = tempfile::tempdir().expect("a folder");
    let program = Path::new(env!("CARGO_BIN_EXE_qwd")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    for command in commands {
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", command]).current_dir(folder.path()).env("PATH", &path).output();
        let run = Run::of(output.expect("a shell"));
        assert_eq!(run.code, Some(0), "{document}: {command}: {}", run.stderr);
    }
}

#[test]
fn the_commands_of_the_readme_run() {
    all_run("README.md", 30);
}

#[test]
fn the_commands_for_search_engineers_run() {
    all_run("docs/guides/clicks.md", 8);
}

#[test]
fn the_commands_for_researchers_run() {
    all_run("docs/guides/letor.md", 14);
}

#[test]
fn the_commands_for_operators_run() {
    all_run("docs/guides/operator.md", 10);
}
