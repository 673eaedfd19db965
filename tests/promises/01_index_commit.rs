//! Promise 1 for the index: a commit is all or nothing, under kill -9.

mod indexes;

use qwd_core::Rng;
use qwd_data::Document;
use qwd_search::{Index, Query, Writer, verify};
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where the child's index lies.
const PATH: &str = "QWD_TEST_INDEX_PATH";

/// Documents of one commit.
const BATCH: u64 = 20;

#[test]
fn a_killed_writer_leaves_the_index_of_one_commit() {
    let folder = tempfile::tempdir().expect("a folder");
    indexes::small(folder.path(), &indexes::sparse());
    let mut rng = Rng::new(1);
    for round in 0..qwd_testkit::rounds(25) {
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "child_commits", "--ignored", "--nocapture"])
            .env(PATH, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert!(lines.any(|line| line.is_ok_and(|text| text.contains("committing"))), "the child commits");
        std::thread::sleep(Duration::from_micros(rng.below(40_000) as u64));
        child.kill().expect("killed");
        child.wait().expect("ended");
        // What was acknowledged before the kill is there, and what is there is whole.
        let acknowledged =
            lines.filter_map(|line| line.ok()?.rsplit(' ').next()?.parse::<u64>().ok()).max().unwrap_or(0);
        let sections = verify(folder.path()).expect("readable");
        assert!(sections.iter().all(|s| s.problem.is_none()), "round {round}: {sections:?}");
        let snapshot = Index::open(folder.path()).expect("a sound index").snapshot();
        let n = snapshot.n_documents() - 5;
        assert!(n.is_multiple_of(BATCH), "round {round}: {n} documents, not whole commits");
        assert!(n >= acknowledged, "round {round}: {n} documents, {acknowledged} were acknowledged");
        assert_eq!(snapshot.search(&Query::new("engine").top(3)).expect("answered").hits.len(), 3.min(n as usize + 1));
    }
}

#[test]
#[ignore = "the child of the test above"]
fn child_commits() {
    let Ok(path) = std::env::var(PATH) else { return };
    let mut writer = Writer::open(&path).expect("the lock of a killed writer is free");
    let mut next = Index::open(&path).expect("opened").snapshot().n_documents() - 5;
    writeln!(io::stdout(), "committing").expect("a parent");
    let start = Instant::now();
    // Should the parent die first, the child ends by itself.
    while start.elapsed() < Duration::from_secs(30) {
        for _ in 0..BATCH {
            let document = Document { id: format!("n{next}"), text: "engine of a ship".into(), ..Document::default() };
            writer.add(document).expect("added");
            next += 1;
        }
        writer.commit().expect("committed");
        writeln!(io::stdout(), "acknowledged {next}").expect("a parent");
    }
}
