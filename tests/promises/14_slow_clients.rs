//! Promise 14: slow or oversized clients cannot hold the server.

mod http;
mod indexes;

use http::{Server, read_answer};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

const CONFIG: &str = "[limits]\nheader_seconds = 0.5\nrequest_seconds = 1.0\nbody_bytes = 10000\n";

fn server(folder: &std::path::Path) -> Server {
    indexes::small(&folder.join("index"), &indexes::sparse());
    Server::start(folder, CONFIG)
}

#[test]
fn half_open_connections_are_cut_off_and_others_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path());
    let started = Instant::now();
    let mut half_open: Vec<_> = (0..50).map(|_| server.connect()).collect();
    for (i, stream) in half_open.iter_mut().enumerate() {
        // Some say nothing at all, some stop in the middle of the head.
        let part: &[u8] = if i % 2 == 0 { b"" } else { b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-" };
        stream.write_all(part).expect("sent");
    }
    assert_eq!(server.get("/search?q=car").status, 200, "others are answered");
    for stream in &mut half_open {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).ok();
        assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    }
    let took = started.elapsed();
    assert!(took < Duration::from_secs(10), "the time limit is not live: {took:?}");
}

#[test]
fn a_slow_body_is_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path());
    let mut stream = server.connect();
    let head = format!(
        "POST /search HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let mut writer = stream.try_clone().expect("the same connection");
    let started = Instant::now();
    let dripping = std::thread::spawn(move || {
        while started.elapsed() < Duration::from_secs(20) && writer.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let answer = read_answer(&mut stream).expect("told");
    assert_eq!(answer.status, 408, "{answer:?}");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    drop(stream);
    dripping.join().expect("ended");
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn a_body_over_the_limit_is_refused_announced_or_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path());
    let body = format!("{{\"q\": \"{}\"}}", "x".repeat(20_000));
    assert_eq!(server.post("/search", &body).status, 413);
    let mut stream = server.connect();
    let head = format!(
        "POST /search HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
    // An endless body: the server stops reading at some point.
    for _ in 0..100 {
        if stream.write_all(chunk.as_bytes()).is_err() {
            break;
        }
    }
    if let Ok(answer) = read_answer(&mut stream) {
        assert_eq!(answer.status, 413, "{answer:?}");
    }
    assert_eq!(server.post("/search", "{\"q\": \"car\"}").status, 200);
}

#[test]
fn bad_requests_are_told_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path());
    for (path, body, status) in [
        ("/search", "{", 400),
        ("/search", "{\"q\": 1}", 400),
        ("/search", "{\"q\": \"a\", \"unknown\": 1}", 400),
        ("/search", "{\"q\": \"a\", \"k\": 100000000}", 400),
        ("/search", "{\"q\": \"a\", \"filter\": \"x>=y\"}", 400),
        ("/search?index=none", "{\"q\": \"a\", \"index\": \"none\"}", 404),
        ("/feedback", "{\"query\": \"a\", \"preference\": {\"better\": \"d0\", \"worse\": \"none\"}}", 422),
        ("/feedback", "[{\"query\": \"a\"}]", 400),
        ("/documents", "{\"_id\": \"\", \"text\": \"t\"}", 422),
        ("/score", "{\"query\": \"a\"}", 400),
    ] {
        let answer = server.post(path, body);
        assert_eq!(answer.status, status, "{path} {body}: {answer:?}");
        assert!(!answer.json()["error"]["message"].as_str().unwrap_or_default().is_empty(), "{answer:?}");
    }
    assert_eq!(server.ask("POST", "/search", &["content-type: text/plain"], b"{}").expect("answered").status, 415);
    assert_eq!(server.get("/nothing").status, 404);
    assert_eq!(server.ask("DELETE", "/search", &[], b"").expect("answered").status, 405);
}
