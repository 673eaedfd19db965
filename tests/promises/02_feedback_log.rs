//! Promise 2: an acknowledged click is never lost, and a torn tail never blocks the start.

use qwd_core::{Error, Rng};
use qwd_store::Log;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where the child's log lies.
const PATH: &str = "QWD_TEST_LOG_PATH";

const RECORDS: [&str; 5] = ["{\"click\":1}", "", "two\nlines", "a longer record, with some more text in it", "{}"];

fn open(path: &Path) -> qwd_core::Result<Vec<String>> {
    let mut records = Vec::new();
    Log::open(path, |_, record| {
        records.push(String::from_utf8_lossy(record).into_owned());
        Ok(())
    })?;
    Ok(records)
}

/// A log, and the lengths at which a whole number of records ends.
fn small(path: &Path) -> (Vec<u8>, Vec<usize>) {
    let mut ends = Vec::new();
    for n in 0..=RECORDS.len() {
        Log::write_new(path, &RECORDS[..n]).expect("written");
        ends.push(std::fs::read(path).expect("read").len());
    }
    (std::fs::read(path).expect("read"), ends)
}

#[test]
fn a_log_cut_at_any_byte_opens_with_its_whole_records_and_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let (bytes, ends) = small(&path);
    for length in ends[0]..=bytes.len() {
        std::fs::write(&path, &bytes[..length]).expect("written");
        let n_whole = ends.iter().filter(|&&end| end <= length).count() - 1;
        assert_eq!(open(&path).expect("a torn tail"), RECORDS[..n_whole], "cut to {length} bytes");
        let (log, found) = Log::open(&path, |_, _| Ok(())).expect("opened again");
        assert_eq!(found.torn_bytes, 0, "the tail was cut off");
        log.append(&["next"]).expect("appended");
        drop(log);
        assert_eq!(open(&path).expect("sound").last().map(String::as_str), Some("next"));
    }
}

#[test]
fn a_flip_anywhere_is_reported_and_nothing_is_cut_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let (bytes, _) = small(&path);
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &flipped).expect("written");
        let error = open(&path).expect_err("a flipped bit");
        assert!(matches!(error, Error::Corrupt { .. }), "bit {bit}: {error}");
        assert_eq!(std::fs::read(&path).expect("read"), flipped, "bit {bit}: the file was changed");
    }
}

#[test]
fn a_killed_server_has_every_record_that_it_acknowledged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let mut rng = Rng::new(2);
    for round in 0..qwd_testkit::rounds(15) {
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "child_appends", "--ignored", "--nocapture"])
            .env(PATH, &path)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert!(lines.any(|line| line.is_ok_and(|text| text.contains("appending"))), "the child appends");
        std::thread::sleep(Duration::from_micros(rng.below(60_000) as u64));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let kept: std::collections::HashSet<String> = open(&path).expect("the log opens").into_iter().collect();
        for line in lines.map_while(Result::ok) {
            // A line that the kill cut short names no record.
            if let Some(record) = line.strip_prefix("acknowledged ").and_then(|l| l.strip_suffix(" .")) {
                assert!(kept.contains(record), "round {round}: {record} was acknowledged and is lost");
            }
        }
    }
    assert!(!open(&path).expect("sound").is_empty());
}

#[test]
#[ignore = "the child of the test above"]
fn child_appends() {
    let Ok(path) = std::env::var(PATH) else { return };
    let (log, found) = Log::open(path, |_, _| Ok(())).expect("the lock of a killed process is free");
    writeln!(io::stdout(), "appending").expect("a parent");
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let log = &log;
            scope.spawn(move || {
                // Should the parent die first, the child ends by itself.
                for i in 0.. {
                    let record = format!("{}-{thread}-{i}", found.n_records);
                    log.append(&[&record]).expect("appended");
                    writeln!(io::stdout(), "acknowledged {record} .").expect("a parent");
                    if start.elapsed() > Duration::from_secs(30) {
                        return;
                    }
                }
            });
        }
    });
}
