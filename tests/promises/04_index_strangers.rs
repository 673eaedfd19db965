//! Promise 4 for the index: one from a stranger is safe to open and to ask. Every attack has checksums that hold.

mod indexes;

use indexes::{forge_manifest, forge_segment};
use qwd_core::{Family, Rng};
use serde_json::{Value, json};
use std::path::Path;

type Sections = Vec<(String, Vec<u8>)>;

fn section<'a>(sections: &'a mut Sections, name: &str) -> &'a mut Vec<u8> {
    &mut sections.iter_mut().find(|(n, _)| n == name).expect("a section").1
}

/// Puts a number of four bytes at a place of a section.
fn put(name: &'static str, at: usize, number: u32) -> Box<dyn Fn(&Path)> {
    Box::new(move |folder| {
        forge_segment(folder, |s| section(s, name)[at..at + 4].copy_from_slice(&number.to_le_bytes()));
    })
}

fn replace(name: &'static str, bytes: Vec<u8>) -> Box<dyn Fn(&Path)> {
    Box::new(move |folder| forge_segment(folder, |s| *section(s, name) = bytes.clone()))
}

fn meta(key: &'static str, value: Value) -> Box<dyn Fn(&Path)> {
    Box::new(move |folder| {
        forge_segment(folder, |s| {
            let bytes = section(s, "meta");
            let text = String::from_utf8(bytes.clone()).expect("text");
            let old: Value = serde_json::from_str(&text).expect("JSON");
            let (from, to) = (format!("\"{key}\":{}", old[key]), format!("\"{key}\":{value}"));
            *bytes = text.replace(&from, &to).into_bytes();
        });
    })
}

fn manifest(change: impl Fn(&mut Value) + 'static) -> Box<dyn Fn(&Path)> {
    Box::new(move |folder| forge_manifest(folder, |body| change(body)))
}

/// A name, and what it does to the folder of an index.
type Attack = (&'static str, Box<dyn Fn(&Path)>);

fn attacks() -> Vec<Attack> {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let nan = f32::NAN.to_bits();
    vec![
        ("documents without end", meta("n_docs", json!(u32::MAX))),
        ("no documents", meta("n_docs", json!(0))),
        ("terms without end", meta("n_terms", json!(u32::MAX))),
        ("weights that are counts", meta("values", json!(true))),
        ("a latent space that is not there", meta("rank", json!(1 << 30))),
        ("an unknown key", replace("meta", br#"{"n_docs":6,"evil":1}"#.to_vec())),
        ("deep JSON", replace("meta", deep.clone().into_bytes())),
        ("a list far beyond the end", put("terms", 4 * 11, u32::MAX)),
        ("the first term is the last", put("terms", 0, u32::MAX)),
        ("empty postings", replace("postings", Vec::new())),
        ("endless numbers", replace("postings", vec![0xff; 4000])),
        ("zeros for postings", replace("postings", vec![0; 4000])),
        ("no lengths", replace("lengths", Vec::new())),
        ("norms of 0", replace("norms", vec![0; 48])),
        ("norms that are no numbers", replace("norms", vec![0xff; 48])),
        ("lengths without end", replace("lengths", vec![0xff; 24])),
        ("ids beyond the end", put("id-offsets", 4, u32::MAX)),
        ("ids backwards", put("id-offsets", 8, 0)),
        ("an order of documents that are not there", replace("id-order", vec![0xff; 24])),
        ("ids that are no text", replace("ids", vec![0xff; 12])),
        ("blocks that do not unpack", replace("stored", vec![7; 100])),
        ("a block that unpacks to gigabytes", put("stored-table", 4, u32::MAX)),
        ("a block beyond the end", put("stored-table", 8, u32::MAX)),
        ("no blocks", replace("stored-table", Vec::new())),
        ("fields without end", put("fields", 0, u32::MAX)),
        ("a field beyond the end", put("fields", 4, u32::MAX)),
        (
            "a set of documents that is none",
            Box::new(|folder| {
                forge_segment(folder, |s| {
                    let fields = section(s, "fields");
                    let n = fields.len();
                    fields[n - 8..].fill(0xff);
                })
            }),
        ),
        ("a path out of the folder", manifest(|m| m["model"]["file"] = json!("../model.qwd"))),
        ("a segment that is not there", manifest(|m| m["segments"][0]["file"] = json!("segment-9.qws"))),
        ("another number of documents", manifest(|m| m["segments"][0]["n_docs"] = json!(7))),
        ("a model of another size", manifest(|m| m["model"]["n_bytes"] = json!(u64::MAX))),
        (
            "greatest weights that are no numbers",
            Box::new(move |folder| {
                forge_segment(folder, |s| {
                    let terms = section(s, "terms");
                    let n_terms = terms.len() / 32;
                    for i in 0..n_terms {
                        let at = 4 * n_terms + 28 * i + 12;
                        terms[at..at + 4].copy_from_slice(&nan.to_le_bytes());
                    }
                })
            }),
        ),
        (
            "lists of all documents and more",
            Box::new(|folder| {
                forge_segment(folder, |s| {
                    let terms = section(s, "terms");
                    let n_terms = terms.len() / 32;
                    for i in 0..n_terms {
                        let at = 4 * n_terms + 28 * i + 8;
                        terms[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
                    }
                })
            }),
        ),
        (
            "a document that is deep JSON",
            Box::new(move |folder| {
                forge_segment(folder, |s| {
                    let line = format!("{deep}\n");
                    *section(s, "stored") = zstd::bulk::compress(line.as_bytes(), 1).expect("packed");
                    let table = section(s, "stored-table");
                    table[4..8].copy_from_slice(&(line.len() as u32).to_le_bytes());
                })
            }),
        ),
    ]
}

#[test]
fn attacks_are_refused_or_harmless() {
    let attacks = attacks();
    assert!(attacks.len() >= 20);
    for (name, attack) in attacks {
        let folder = tempfile::tempdir().expect("a folder");
        indexes::small(folder.path(), &indexes::sparse());
        attack(folder.path());
        if let Err(e) = indexes::ask_everything(folder.path()) {
            let family = e.family();
            assert!(matches!(family, Family::Damaged | Family::Data | Family::Environment), "{name}: {e}");
        }
        if let Ok(mut writer) = qwd_search::Writer::open(folder.path()) {
            // A merge reads everything: it may fail, it may not panic.
            drop(writer.merge());
        }
    }
}

#[test]
fn random_bytes_in_any_section_are_harmless() {
    let mut rng = Rng::new(4);
    for round in 0..qwd_testkit::rounds(100) {
        let folder = tempfile::tempdir().expect("a folder");
        let model = if round % 2 == 0 { indexes::sparse() } else { indexes::low_rank() };
        indexes::small(folder.path(), &model);
        forge_segment(folder.path(), |sections| {
            let i = rng.below(sections.len());
            let bytes = &mut sections[i].1;
            for _ in 0..1 + rng.below(6) {
                let at = rng.below(bytes.len().max(1));
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = rng.below(256) as u8;
                }
            }
        });
        drop(indexes::ask_everything(folder.path()));
    }
}
