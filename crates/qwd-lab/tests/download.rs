//! Files from a home that is a server in this test: checked, unpacked, or not there at all.

use qwd_core::{Control, Error, Observer, Progress, Silent};
use qwd_lab::download::{Remote, fetch_files, sha256_of};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;

/// SHA-256 of "hello".
const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/// Serves files by name and returns the address.
fn serve(files: BTreeMap<&'static str, Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
            let (mut request, mut line) = (String::new(), String::new());
            reader.read_line(&mut request).expect("a request");
            while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
                line.clear();
            }
            let name = request.split(' ').nth(1).unwrap_or_default().rsplit('/').next().unwrap_or_default();
            let (status, body) = files.get(name).map_or(("404 Not Found", &[][..]), |bytes| ("200 OK", bytes));
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let sent = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
            // Whoever hangs up early has its reasons.
            if sent.is_ok() {
                let _ = stream.shutdown(std::net::Shutdown::Write);
                let _ = stream.read(&mut [0]);
            }
        }
    });
    address
}

fn remote(name: &'static str, sha256: Option<&'static str>) -> Remote {
    Remote { name, urls: &[], sha256, members: &[] }
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A tar archive of files.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, bytes) in files {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[156] = b'0';
        header[257..263].copy_from_slice(b"ustar\0");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&b| u32::from(b)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        archive.extend_from_slice(&header);
        archive.extend_from_slice(bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

#[test]
fn a_file_of_the_right_checksum_arrives() {
    let home = serve([("a.txt", b"hello".to_vec())].into());
    let folder = tempfile::tempdir().expect("a folder");
    let fetched = fetch_files(&[remote("a.txt", Some(HELLO))], Some(&format!("{home}/")), folder.path(), &Silent)
        .expect("arrives");
    assert!(fetched[0].checked);
    assert_eq!((fetched[0].n_bytes, fetched[0].sha256.as_str()), (5, HELLO));
    assert_eq!(sha256_of(&folder.path().join("a.txt")).expect("there"), HELLO);
}

#[test]
fn a_file_of_another_checksum_never_appears() {
    let home = serve([("a.txt", b"hallo".to_vec())].into());
    let folder = tempfile::tempdir().expect("a folder");
    let error = fetch_files(&[remote("a.txt", Some(HELLO))], Some(&home), folder.path(), &Silent).expect_err("altered");
    assert!(error.to_string().contains(HELLO), "{error}");
    let error = fetch_files(&[remote("b.txt", None)], Some(&home), folder.path(), &Silent).expect_err("missing");
    assert!(error.to_string().contains("404") && matches!(error, Error::Io { .. }), "{error}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn the_next_address_is_tried() {
    let bad: &'static str = serve(BTreeMap::new()).leak();
    let good: &'static str = serve([("a.txt", b"hello".to_vec())].into()).leak();
    let urls = Vec::leak(vec![&*format!("{bad}/a.txt").leak(), &*format!("{good}/a.txt").leak()]);
    let folder = tempfile::tempdir().expect("a folder");
    fetch_files(&[Remote { urls, ..remote("a.txt", Some(HELLO)) }], None, folder.path(), &Silent).expect("the second");
}

#[test]
fn an_archive_gives_what_is_wanted_of_it() {
    let archive = tar(&[("set/a.txt", b"hello"), ("set/other", b"x"), ("set/deep/b.txt", b"b")]);
    let home = serve([("set.tar", archive)].into());
    let fetch = |members: &'static [(&'static str, Option<&'static str>)]| {
        let folder = tempfile::tempdir().expect("a folder");
        let outcome =
            fetch_files(&[Remote { members, ..remote("set.tar", None) }], Some(&home), folder.path(), &Silent);
        (outcome, names(folder.path()))
    };
    let (outcome, found) = fetch(&[("a.txt", Some(HELLO)), ("b.txt", None)]);
    assert!(!outcome.expect("unpacked")[0].checked);
    assert_eq!(found, ["a.txt", "b.txt"]);
    let (outcome, found) = fetch(&[("b.txt", Some(HELLO))]);
    outcome.expect_err("another file of that name");
    assert_eq!(found, ["set.tar"]);
    let (outcome, _) = fetch(&[("a.txt", None), ("c.txt", None)]);
    assert!(outcome.expect_err("one is missing").to_string().contains("1 of the 2 files"));
}

struct Impatient;

impl Observer for Impatient {
    fn progress(&self, progress: &Progress) -> Control {
        assert_eq!((progress.stage, progress.total), ("downloading", 10_000_000));
        Control::Stop
    }
}

#[test]
fn whoever_stops_it_finds_nothing_half_written() {
    let home = serve([("large", vec![7; 10_000_000])].into());
    let folder = tempfile::tempdir().expect("a folder");
    let outcome = fetch_files(&[remote("large", None)], Some(&home), folder.path(), &Impatient);
    assert!(matches!(outcome, Err(Error::Interrupted)));
    assert!(names(folder.path()).is_empty());
}
