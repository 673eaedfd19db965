//! Promise 6: a huge line costs bounded memory. 1 GiB without a newline on standard input: exit 3, under 100 MiB resident.

use std::io::Write;
use std::process::Stdio;

#[test]
fn a_gigabyte_without_a_newline_is_refused_in_bounded_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = promises::program()
        .args(["eval", "--run-file", "-", "--qrels"])
        .arg(qrels(folder.path()))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    let chunk = vec![b'x'; 1 << 20];
    let mut peak_kib = 0;
    for _ in 0..1024 {
        // The program may stop reading as soon as it has seen enough.
        if input.write_all(&chunk).is_err() {
            break;
        }
        peak_kib = peak_kib.max(resident_kib(child.id()));
    }
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{message}");
    assert!(message.contains("limit"), "{message}");
    assert!(peak_kib < 100 * 1024, "{peak_kib} KiB resident");
}

fn qrels(folder: &std::path::Path) -> std::path::PathBuf {
    let path = folder.join("test.tsv");
    std::fs::write(&path, "query-id\tcorpus-id\tscore\nq\td\t1\n").expect("written");
    path
}

/// The peak resident size of a process so far; 0 when it is gone already.
fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)).and_then(|n| n.parse().ok()).unwrap_or(0)
}
