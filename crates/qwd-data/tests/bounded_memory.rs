//! A huge line costs bounded memory. This file is one test, so that the process measured is its own.

#![cfg(target_os = "linux")]

use qwd_core::{Error, Family};
use qwd_data::{Input, OnError, Reading};
use std::io::{Cursor, Read, Write};

const GIB: u64 = 1 << 30;

/// The most memory that this process ever had resident, in MiB.
fn peak_resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells about processes");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak is told");
    let kib: u64 = line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number");
    kib / 1024
}

/// A gzip file of a few MB whose text is 1 GiB without a line end.
fn bomb() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let piece = vec![b'a'; 1 << 20];
    for _ in 0..64 {
        encoder.write_all(&piece).expect("writing to memory");
    }
    encoder.finish().expect("writing to memory").repeat(16)
}

#[test]
fn a_gibibyte_without_a_line_end_stays_under_100_mib() {
    let read = |source: Box<dyn Read + Send>, on_error| {
        let input = Input::from_reader("-", source).expect("a source");
        let mut reading = Reading::new(on_error);
        let outcome = reading.each_line(input, |_| Ok(()));
        (outcome, reading)
    };
    let endless = || -> Box<dyn Read + Send> { Box::new(std::io::repeat(b'a').take(GIB)) };
    let (outcome, _) = read(endless(), OnError::Fail);
    let e = outcome.expect_err("the line is too long");
    assert!(matches!(e, Error::Limit { .. }) && e.family() == Family::Data);
    assert_eq!(
        e.to_string(),
        "-:1: a line's length in bytes exceeds the limit of 16777216 (got 16777218); break the line up, raise the limit or pass --on-error skip"
    );
    let (outcome, reading) = read(endless(), OnError::Skip);
    assert!(outcome.is_ok() && reading.skipped().n_records == 1);
    assert_eq!(reading.files()[0].n_bytes, GIB);
    let (outcome, reading) = read(Box::new(Cursor::new(bomb())), OnError::Skip);
    assert!(outcome.is_ok() && reading.skipped().n_records == 1, "{outcome:?}");
    assert_eq!(reading.files()[0].n_bytes, GIB);
    let peak = peak_resident_mib();
    assert!(peak < 100, "{peak} MiB were resident");
}
