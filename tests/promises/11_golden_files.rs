//! Promise 11: files outlive versions. The files in `golden/` were written by the version in their names and are never
//! written again; `QWD_BLESS=1` writes only those that are missing.

mod forge;
mod samples;

use forge::Forge;
use qwd_core::{Error, SparseVec};
use qwd_model::{Model, Side, inspect, verify};
use std::path::PathBuf;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("golden/model-v1-{name}.qwd"))
}

#[test]
fn missing_golden_files_are_written_when_asked_for() {
    for (name, model) in samples::all() {
        let path = golden(name);
        if std::env::var_os("QWD_BLESS").is_some() && !path.exists() {
            model.save(&path).expect("saved");
        }
        assert!(path.exists(), "{}: run once with QWD_BLESS=1", path.display());
    }
}

#[test]
fn every_golden_file_is_sound() {
    let folder = golden("any").parent().expect("a folder").to_path_buf();
    let files: Vec<PathBuf> = std::fs::read_dir(folder).expect("a folder").map(|f| f.expect("a file").path()).collect();
    assert!(files.len() >= 6);
    for path in files {
        assert!(verify(&path).expect("readable").is_sound(), "{}", path.display());
        assert_eq!(inspect(&path).expect("readable").format_version, "1");
    }
}

#[test]
fn golden_models_score_as_they_did() {
    let open = |name| Model::open(golden(name)).expect("sound");
    let score = |name, query, document| open(name).score_text(query, document).expect("words");
    assert_eq!(score("identity", "car car the sea", "Car, sea!"), 3.0);
    assert_eq!(score("dense", "ship wheel", "meer räder auto Ü"), 8.0);
    assert_eq!(score("dense", "engine", "meer"), -0.8125);
    assert_eq!(score("sparse", "engine car", "engine fish fish car"), 2.0);
    assert_eq!(score("sparse-state", "engine car", "engine fish fish car"), 2.125);

    let q = SparseVec::try_new(vec![0, 1], vec![2.0, 4.0]).expect("finite");
    assert_eq!(open("diagonal").matrix().score(q.view(), q.view()).expect("fits"), -4.0);
    let d = SparseVec::try_new(vec![300, 65_536], vec![4.0, 1.0]).expect("finite");
    assert_eq!(open("sparse-wide").matrix().score(q.view(), d.view()).expect("fits"), 8.0);
    assert_eq!(score("low-rank", "engine", "meer"), 0.0625);
    assert_eq!(score("low-rank", "wheel", "meer räder auto Ü"), 0.0);
    assert_eq!(open("low-rank-symmetric").matrix().score(q.view(), q.view()).expect("fits"), 99.25);
    assert_eq!(open("hashed").matrix().score(q.view(), q.view()).expect("fits"), 13.0);
    assert_eq!(score("binned", "engine", "engine car"), -0.125);
    assert_eq!(open("mixture").matrix().score(q.view(), q.view()).expect("fits"), 40.5);
    assert_eq!(open("sparse").related(Side::Query, "engine", 1).expect("known")[0].word, "engine");
}

#[test]
fn golden_models_hold_what_was_put_in() {
    for (name, sample) in samples::all() {
        let model = Model::open(golden(name)).expect("sound");
        assert_eq!(model.matrix(), sample.matrix(), "{name}");
        assert_eq!(model.provenance(), sample.provenance(), "{name}");
        assert_eq!(model.state(), sample.state(), "{name}");
        for side in [Side::Query, Side::Document] {
            let words = |m: &Model| m.vectorizer(side).map(|v| (v.params().clone(), v.vocabulary().to_parts()));
            assert_eq!(words(&model), words(&sample), "{name}");
        }
    }
}

#[test]
fn a_newer_version_is_refused_by_name() {
    let mut forge = Forge::new(&samples::sparse());
    forge.metadata.insert("format_version".into(), "2".into());
    // A newer version may describe its tensors in ways of its own.
    forge.add("w.quants", "I3", serde_json::json!("packed"), vec![1, 2, 3]);
    let error = Model::from_bytes(&forge.build()).expect_err("from the future");
    assert!(matches!(error, Error::Unsupported { .. }));
    assert_eq!(
        error.to_string(),
        "<memory>: a qwd model of format version \"2\", this program reads version 1; use a newer qwd"
    );
}

#[test]
fn the_worked_example_of_the_specification_is_a_golden_file() {
    let specification = include_str!("../../FORMAT.md");
    let bytes = std::fs::read(golden("sparse-wide")).expect("a file");
    let n_header = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let header = String::from_utf8(bytes[8..8 + n_header].to_vec()).expect("text");
    let in_specification: String = specification.split_whitespace().collect();
    let in_file: String = header.split_whitespace().collect();
    assert!(in_specification.contains(&in_file), "{header}");
    let dump: Vec<String> = bytes[8 + n_header..].iter().map(|b| format!("{b:02x}")).collect();
    for line in dump.chunks(8) {
        assert!(specification.contains(&line.join(" ")), "{line:?}");
    }
}
