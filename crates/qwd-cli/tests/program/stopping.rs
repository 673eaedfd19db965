//! Ctrl-C, closed pipes and huge lines.

use crate::folders::{Folder, preferences};
use crate::running::{Run, command, json, names};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

/// Interrupts the program after a moment and expects it to end soon, with code 130, leaving the folder as it was.
#[track_caller]
fn interrupted(folder: &Path, arguments: &str, after: Duration) {
    let before = names(folder);
    let arguments = arguments.split_whitespace();
    let child = command(folder).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    std::thread::sleep(after);
    interrupt(&child);
    let sent = Instant::now();
    let run = Run::of(child.wait_with_output().expect("ends"));
    assert!(sent.elapsed() < Duration::from_secs(20), "{:?}", sent.elapsed());
    let run = run.expect(130);
    assert!(run.stdout.is_empty(), "{}", run.stdout);
    assert_eq!(names(folder), before);
}

#[test]
fn ctrl_c_while_training_leaves_nothing() {
    let folder = Folder::new();
    json(folder.path(), "train demo --tuples 500 --out m.qwd");
    let before = folder.read("m.qwd");
    let train = "train demo --tuples 2000000 --passes 500 --set stop=false --out m.qwd";
    interrupted(folder.path(), train, Duration::from_millis(2500));
    assert!(folder.read("m.qwd") == before);
}

#[test]
fn ctrl_c_while_nothing_is_reported_leaves_nothing() {
    let folder = Folder::new().with_texts();
    folder.write("data/preferences.tsv", preferences(0..400));
    json(folder.path(), "train data --out m.qwd");
    // Waits for preferences that never come.
    let arguments = ["update", "m.qwd", "--data", "data", "--preferences", "-", "--out", "n.qwd"];
    let mut child = command(folder.path()).args(arguments).stdin(Stdio::piped()).spawn().expect("runs");
    // Waiting for a child closes its input, which would end it in another way.
    let input = child.stdin.take().expect("a pipe");
    std::thread::sleep(Duration::from_millis(500));
    interrupt(&child);
    let status = child.wait().expect("ends");
    drop(input);
    assert_eq!(status.code(), Some(130));
    assert_eq!(names(folder.path()), ["data", "m.qwd"]);
}

#[test]
fn ctrl_c_while_writing_a_folder_removes_its_parts() {
    let folder = Folder::new();
    let rows = "1 1:0.5 7:0.5\n2 2:1 9:0.25\n".repeat(3_000_000);
    folder.write("o/rcv1_train.multiclass", &rows).write("o/rcv1_test.multiclass", &rows);
    interrupted(folder.path(), "dataset get rcv1 --from o --out rcv1", Duration::from_millis(300));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = Folder::new();
    let mut child = command(folder.path())
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
    assert!(child.wait().expect("ends").success());
    assert_eq!(stderr, "");
}

/// The most memory a process has had, as far as it was seen.
fn peak_bytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_without_end_costs_bounded_memory() {
    let folder = Folder::new().with_texts();
    folder.write("data/preferences.tsv", preferences(0..400)).write("qrels", "q1 0 d1 1\n");
    json(folder.path(), "train data --out m.qwd");
    let update = ["update", "m.qwd", "--data", "data", "--preferences", "-", "--out", "n.qwd"];
    let eval = ["eval", "--run-file", "-", "--qrels", "qrels"];
    let skip = ["eval", "--run-file", "-", "--qrels", "qrels", "--on-error", "skip"];
    for arguments in [&update[..], &eval[..], &skip[..]] {
        let mut child = command(folder.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        let (piece, mut peak) = (vec![b'a'; 1 << 20], 0);
        for _ in 0..1024 {
            // The program may have seen enough.
            if stdin.write_all(&piece).is_err() {
                break;
            }
            peak = peak.max(peak_bytes(child.id()).unwrap_or(0));
        }
        drop(stdin);
        let run = Run::of(child.wait_with_output().expect("ends"));
        assert!(peak > 0 && peak < 100 << 20, "{arguments:?}: {} MiB", peak >> 20);
        run.fails(3, &[]);
    }
    assert!(!folder.file("n.qwd").exists());
}
