//! Promise 16: stop means stop cleanly, and a reload under load answers with one model or the other.

mod http;
mod indexes;

use http::Server;
use qwd_model::{Matrix, Model, Provenance, Side};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[test]
fn sigterm_finishes_what_was_asked_and_exits_0() {
    let folder = tempfile::tempdir().expect("a folder");
    indexes::small(&folder.path().join("index"), &indexes::sparse());
    let mut server = Server::start(folder.path(), "");
    let mut stream = server.connect();
    let body = "{\"q\": \"car\"}";
    let head = format!(
        "POST /search HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        server.address,
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(&body.as_bytes()[..3]).expect("sent");
    std::thread::sleep(Duration::from_millis(300));
    server.terminate();
    std::thread::sleep(Duration::from_millis(300));
    stream.write_all(&body.as_bytes()[3..]).expect("the connection is still served");
    let answer = http::read_answer(&mut stream).expect("answered");
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(server.exit_code(Duration::from_secs(20)), Some(0));
    let log = std::fs::read_to_string(folder.path().join("log")).expect("a log");
    assert!(log.contains("\"stopped\""), "{log}");
    // The next one starts on what this one left.
    let server = Server::start(folder.path(), "");
    assert_eq!(server.get("/readyz").status, 200);
}

#[test]
fn a_model_loaded_under_load_is_seen_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (indexes::sparse(), identity(&indexes::sparse()));
    indexes::small(&folder.path().join("index"), &one);
    let server = Server::start(folder.path(), "");
    let ask = || {
        let answer = server.get("/search?q=red+car+ship+sea&k=5&all=true");
        (answer.status == 200).then(|| answer.json()["hits"].to_string())
    };
    let load = |model: &Model| {
        let bytes = model.to_bytes().expect("bytes");
        let headers = ["content-type: application/octet-stream"];
        let answer = server.ask("POST", "/models", &headers, &bytes).expect("answered");
        assert_eq!(answer.status, 200, "{answer:?}");
    };
    let mut expected = BTreeSet::new();
    for model in [&one, &other] {
        load(model);
        expected.insert(ask().expect("answered"));
    }
    assert_eq!(expected.len(), 2, "the two models answer differently");
    let (seen, is_over) = (Mutex::new(BTreeSet::new()), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    seen.lock().expect("a list").extend(ask());
                }
            });
        }
        for _ in 0..qwd_testkit::rounds(4) {
            load(&one);
            load(&other);
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let seen = seen.into_inner().expect("a list");
    assert!(seen.is_subset(&expected), "a mix of models: {seen:?}");
}

/// The words of a model, ranked by cosine.
fn identity(model: &Model) -> Model {
    let words = model.vectorizer(Side::Query).expect("words").clone();
    let matrix = Matrix::identity(words.vocabulary().len()).expect("small");
    Model::new(matrix, Provenance::new("identity")).with_vectorizers(Some(words.clone()), Some(words)).expect("fits")
}
