//! Promise 3 for the index: damage is found, never served. Every bit of every file is flipped, and every length is cut.

mod indexes;

use qwd_core::Family;
use qwd_search::{Index, OnDamage, Query, verify};
use std::path::Path;

/// What a damaged index may do: fail with the right kind of error, or answer as the sound one does.
fn check(folder: &Path, sound: &[(String, f32, String)], what: &str) {
    match indexes::ask_everything(folder) {
        Ok(answers) => assert_eq!(answers, sound, "{what}: a wrong answer is served"),
        Err(e) => assert_eq!(e.family(), Family::Damaged, "{what}: {e}"),
    }
    let is_found = match verify(folder) {
        Ok(sections) => sections.iter().any(|s| s.problem.is_some()),
        Err(e) => e.family() == Family::Damaged,
    };
    assert!(is_found, "{what}: verify does not find it");
}

#[test]
fn every_flipped_bit_is_found_and_none_is_served() {
    for model in [indexes::sparse(), indexes::low_rank()] {
        let folder = tempfile::tempdir().expect("a folder");
        indexes::small(folder.path(), &model);
        let sound = indexes::ask_everything(folder.path()).expect("sound");
        let is_long_run = qwd_testkit::rounds(1) > 1;
        for path in indexes::files(folder.path()) {
            let bytes = std::fs::read(&path).expect("read");
            // One checksum covers the whole model file, and all bits of a byte lie under the same one: some of them in turn,
            // all of them in a long run.
            let is_model = path.extension().is_some_and(|e| e == "qwd");
            for at in (0..bytes.len()).step_by(if is_model && !is_long_run { 17 } else { 1 }) {
                let bits = if is_long_run { 0..8 } else { at % 8..at % 8 + 1 };
                for bit in bits {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= 1 << bit;
                    std::fs::write(&path, &damaged).expect("written");
                    check(folder.path(), &sound, &format!("{} byte {at} bit {bit}", path.display()));
                }
            }
            std::fs::write(&path, &bytes).expect("written");
        }
        assert_eq!(indexes::ask_everything(folder.path()).expect("sound again"), sound);
    }
}

#[test]
fn every_cut_and_every_addition_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    indexes::small(folder.path(), &indexes::sparse());
    let sound = indexes::ask_everything(folder.path()).expect("sound");
    for path in indexes::files(folder.path()) {
        let bytes = std::fs::read(&path).expect("read");
        for n in (0..bytes.len()).step_by(if bytes.len() > 1000 { 5 } else { 1 }) {
            std::fs::write(&path, &bytes[..n]).expect("written");
            check(folder.path(), &sound, &format!("{} cut to {n}", path.display()));
        }
        std::fs::write(&path, [bytes.as_slice(), b"x"].concat()).expect("written");
        check_longer(folder.path(), &path);
        std::fs::write(&path, &bytes).expect("written");
    }
}

/// A longer file is damage, or larger than its record allows.
fn check_longer(folder: &Path, path: &Path) {
    let error = indexes::ask_everything(folder).expect_err("too long");
    assert!(matches!(error.family(), Family::Damaged | Family::Data), "{}: {error}", path.display());
}

#[test]
fn a_damaged_segment_is_named_and_the_rest_is_served_when_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    indexes::small(folder.path(), &indexes::sparse());
    let mut writer = qwd_search::Writer::open(folder.path()).expect("opened");
    let more = qwd_data::Document { id: "more".into(), text: "red engine".into(), ..Default::default() };
    writer.add(more).expect("added");
    writer.commit().expect("committed");
    let path = indexes::files(folder.path()).into_iter().find(|p| p.ends_with("segment-1.qws")).expect("the first");
    let mut bytes = std::fs::read(&path).expect("read");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).expect("written");
    let index = Index::open_with(folder.path(), OnDamage::LeaveOut).expect("the rest");
    let snapshot = index.snapshot();
    assert!(snapshot.damaged()[0].contains("segment-1.qws"), "{:?}", snapshot.damaged());
    let hits = snapshot.search(&Query::new("red")).expect("answered").hits;
    assert_eq!(hits.iter().map(|h| h.id.as_str()).collect::<Vec<_>>(), ["more"]);
    let found = verify(folder.path()).expect("readable");
    let problems: Vec<_> = found.iter().filter(|s| s.problem.is_some()).collect();
    assert!(problems.len() == 1 && problems[0].name.starts_with("segment-1.qws"), "{problems:?}");
}
