//! Promise 13: overload sheds, never sinks.

mod http;
mod indexes;

use http::Server;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[test]
fn many_connections_get_200_or_503_and_health_answers_throughout() {
    let folder = tempfile::tempdir().expect("a folder");
    indexes::small(&folder.path().join("index"), &indexes::sparse());
    let server = Server::start(folder.path(), "[limits]\nin_flight = 2\n");
    let before = server.memory();
    let lasts = Duration::from_secs(if qwd_testkit::rounds(1) > 1 { 10 } else { 2 });
    let (n_good, n_shed, is_over) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..500 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let answer = server.get("/search?q=red+car&explain=true&documents=true");
                    match answer.status {
                        200 => n_good.fetch_add(1, Ordering::Relaxed),
                        503 => n_shed.fetch_add(1, Ordering::Relaxed),
                        other => panic!("{other}: {}", answer.body),
                    };
                }
            });
        }
        let started = Instant::now();
        while started.elapsed() < lasts {
            assert_eq!(server.get("/healthz").status, 200);
            std::thread::sleep(Duration::from_millis(50));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let (n_good, n_shed) = (n_good.into_inner(), n_shed.into_inner());
    assert!(n_good > 0 && n_shed > 0, "{n_good} answered, {n_shed} turned away");
    assert!(server.memory() < before + (256 << 20), "memory grew from {before} to {}", server.memory());
    std::thread::sleep(Duration::from_secs(1));
    for _ in 0..20 {
        assert_eq!(server.get("/search?q=red+car").status, 200, "normal again");
    }
}

#[test]
fn connections_over_the_limit_are_told_so() {
    let folder = tempfile::tempdir().expect("a folder");
    indexes::small(&folder.path().join("index"), &indexes::sparse());
    let server = Server::start(folder.path(), "[limits]\nconnections = 3\nheader_seconds = 1.0\n");
    let idle: Vec<_> = (0..3).map(|_| server.connect()).collect();
    // The server may still be on its way to see them.
    std::thread::sleep(Duration::from_millis(200));
    let answer = server.get("/healthz");
    assert_eq!((answer.status, answer.head.contains("retry-after")), (503, true), "{answer:?}");
    drop(idle);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(server.get("/healthz").status, 200);
}
