//! What holds for any bytes: one function for each property. The fuzzer and, with mutated samples, the promises' tests call
//! them; whatever is wrong is a panic.

#[path = "../tests/promises/indexes/mod.rs"]
mod indexes;

use qwd_model::Model;
use qwd_online::record::Record;
use qwd_search::{Filter, Index, Query, Snapshot};
use qwd_server::{Config, IndexConfig, serve};
use qwd_store::Log;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;

/// A folder of this process alone, gone when the system cleans up.
fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A model is refused, or scores and comes back from its own bytes.
pub fn a_model_from_a_stranger_is_safe(bytes: &[u8]) {
    let Ok(model) = Model::from_bytes(bytes) else { return };
    if let Ok(score) = model.score_text("red car", "a red ship on the sea") {
        assert!(!score.is_nan(), "a score that is no number");
    }
    let again = model.to_bytes().expect("a model has bytes");
    assert!(Model::from_bytes(&again).is_ok(), "a model does not read its own bytes");
}

/// A segment whose checksums hold, with one section of other bytes, is refused or answers; the first byte says which section.
pub fn a_segment_from_a_stranger_is_safe(bytes: &[u8]) {
    let Some((&which, rest)) = bytes.split_first() else { return };
    let folder = folder();
    indexes::small(folder.path(), &indexes::sparse());
    indexes::forge_segment(folder.path(), |sections| {
        let n = sections.len();
        sections[usize::from(which) % n].1 = rest.to_vec();
    });
    let _ = indexes::ask_everything(folder.path());
}

/// The bytes of a sound segment's section, as a start.
pub fn section(which: u8) -> Vec<u8> {
    let folder = folder();
    indexes::small(folder.path(), &indexes::sparse());
    let mut found = vec![which];
    indexes::forge_segment(folder.path(), |sections| {
        let n = sections.len();
        found.extend_from_slice(&sections[usize::from(which) % n].1);
    });
    found
}

/// A manifest is refused or answers.
pub fn a_manifest_from_a_stranger_is_safe(bytes: &[u8]) {
    let folder = folder();
    indexes::small(folder.path(), &indexes::sparse());
    std::fs::write(folder.path().join("index.json"), bytes).expect("written");
    let _ = indexes::ask_everything(folder.path());
    let _ = qwd_search::verify(folder.path());
}

/// The bytes of a sound manifest, or of a sound model, as a start.
pub fn sound(name: &str) -> Vec<u8> {
    let folder = folder();
    indexes::small(folder.path(), &indexes::sparse());
    match name {
        "model" => indexes::sparse().to_bytes().expect("bytes"),
        name => std::fs::read(folder.path().join(name)).expect("a file"),
    }
}

/// A log is refused, or opening it keeps exactly the records that reading it shows, and it can be appended to.
pub fn a_log_keeps_its_whole_records(bytes: &[u8]) {
    let folder = folder();
    let path = folder.path().join("log");
    std::fs::write(&path, bytes).expect("written");
    let records = |path: &PathBuf| {
        let mut records = Vec::new();
        Log::read(path, |number, bytes| {
            let _ = Record::from_bytes(number, bytes);
            records.push(bytes.to_vec());
            Ok(())
        })
        .map(|_| records)
    };
    let Ok(mut before) = records(&path) else {
        assert!(Log::open(&path, |_, _| Ok(())).is_err(), "a log that cannot be read was opened");
        return;
    };
    let (log, found) = Log::open(&path, |_, _| Ok(())).expect("what can be read can be opened");
    assert_eq!(found.n_records, before.len() as u64);
    log.append(&[b"one more"]).expect("appended");
    before.push(b"one more".to_vec());
    assert_eq!(records(&path).expect("still readable"), before);
}

/// A log with some records, as a start.
pub fn log() -> Vec<u8> {
    let folder = folder();
    let path = folder.path().join("log");
    let record = |i: u64| Record::Use { version: i }.to_bytes().expect("JSON");
    Log::write_new(&path, (0..4).map(record)).expect("written");
    std::fs::read(path).expect("a file")
}

/// The routes that take a body.
pub const ROUTES: [&str; 7] =
    ["POST /search", "POST /score", "POST /explain", "POST /documents", "POST /feedback", "POST /pins", "GET /search?"];

/// A request with any body gets an answer that blames the request, if anyone; the first byte says which route.
pub fn a_request_never_breaks_the_server(bytes: &[u8]) {
    static SERVER: LazyLock<SocketAddr> = LazyLock::new(start);
    let Some((&which, body)) = bytes.split_first() else { return };
    let route = ROUTES[usize::from(which) % ROUTES.len()];
    // Behind the question mark any byte may stand, escaped.
    let (route, body) = match route.strip_suffix('?') {
        Some(path) => (format!("{path}?q={}", escaped(body)), &[][..]),
        None => (route.to_string(), body),
    };
    let mut stream = TcpStream::connect(*SERVER).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let head = format!(
        "{route} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        *SERVER,
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(body).ok();
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer);
    let status: u16 =
        text.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or_else(|| panic!("{route}: {read:?}"));
    assert!(matches!(status, 200..=499 | 503), "{route} was answered {text}");
}

fn escaped(bytes: &[u8]) -> String {
    bytes.iter().take(2000).map(|byte| format!("%{byte:02x}")).collect()
}

/// A server of this process, for as long as it lives.
fn start() -> SocketAddr {
    let folder = folder().keep();
    let path = folder.join("index");
    indexes::small(&path, &indexes::sparse());
    let index = IndexConfig { name: "main".into(), path, model: None, leave_out_damaged: false };
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let config = Config { listen, indexes: vec![index], learn_every_seconds: 3600.0, ..Config::default() };
    let (say, hear) = channel();
    std::thread::spawn(move || {
        serve(config, Box::new(std::io::sink()), move |address| say.send(address).expect("somebody waits"))
            .expect("it serves");
    });
    hear.recv_timeout(Duration::from_secs(60)).expect("it listens")
}

/// Any text is a query with an answer whose reasons add up, and a filter or none.
pub fn a_query_gets_an_answer_that_adds_up(bytes: &[u8]) {
    static SNAPSHOT: LazyLock<Arc<Snapshot>> = LazyLock::new(|| {
        let folder = folder();
        indexes::small(folder.path(), &indexes::sparse());
        // The files stay open after the folder is gone.
        Index::open(folder.path()).expect("an index").snapshot()
    });
    let text = String::from_utf8_lossy(bytes);
    let mut query = Query { all: true, ..Query::new(text.as_ref()).explained().with_documents().correcting_spelling() };
    let answer = SNAPSHOT.search(&query).expect("any text is a query");
    for hit in &answer.hits {
        let sum: f32 = hit.reasons.iter().flatten().map(|r| r.value).sum();
        assert!((sum - hit.score).abs() <= 1e-4 * (1.0 + hit.score.abs()), "{text:?}: {sum} is not {}", hit.score);
    }
    if let Ok(filter) = Filter::parse(&text) {
        query.filter = Some(filter);
        SNAPSHOT.search(&query).expect("any filter is answered");
    }
}
