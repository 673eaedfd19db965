//! Small indexes, always the same, and what a stranger can do to one: change a section so that all checksums hold.

#![allow(dead_code, reason = "each test uses some of it")]

use qwd_core::{Csr, SparseVec, Threads};
use qwd_data::Document;
use qwd_model::{LowRankDiagonal, LowRankParts, Matrix, Model, Provenance};
use qwd_search::{Index, IndexParams, Query, Snapshot, Writer};
use qwd_store::crc32;
use qwd_text::{Vectorizer, VectorizerParams, VocabularyParams};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const TEXTS: [&str; 6] =
    ["a red car", "the open sea", "a red ship on the sea", "car and ship", "engine of a car", "an open road"];

fn words() -> Vectorizer {
    VectorizerParams::default().fit(&VocabularyParams::default(), TEXTS, &Threads::default()).expect("words")
}

/// A signed sparse W.
pub(crate) fn sparse() -> Model {
    let words = words();
    let n = words.vocabulary().len();
    let mut w = Csr::empty(n as u32);
    for s in 0..n as u32 {
        let row = vec![(s, 1.0), ((s + 1) % n as u32, 0.5), ((s + 3) % n as u32, -0.25)];
        w.push(SparseVec::from_pairs(row).expect("finite").view()).expect("in range");
    }
    let model = Model::new(Matrix::sparse(w).expect("small"), Provenance::new("sparse-sgd"));
    model.with_vectorizers(Some(words.clone()), Some(words)).expect("fits")
}

/// UᵀU + I.
pub(crate) fn low_rank() -> Model {
    let words = words();
    let n = words.vocabulary().len();
    let u = (0..n * 2).map(|i| (i % 5) as f32 / 5.0 - 0.3).collect();
    let parts = LowRankParts { n_rows: n, n_cols: n, rank: 2, u, v: None, diagonal: LowRankDiagonal::Scaled(1.0) };
    let model = Model::new(Matrix::low_rank(parts).expect("fits"), Provenance::new("low-rank"));
    model.with_vectorizers(Some(words.clone()), Some(words)).expect("fits")
}

/// An index of some documents, one of them deleted.
pub(crate) fn small(folder: &Path, model: &Model) {
    let mut writer = Writer::create(folder, model, &IndexParams::default()).expect("created");
    for (i, text) in TEXTS.iter().enumerate() {
        let extra = json!({"year": 2000 + i}).as_object().expect("an object").clone();
        writer
            .add(Document { id: format!("d{i}"), text: text.to_string(), extra, ..Document::default() })
            .expect("added");
    }
    writer.commit().expect("committed");
    writer.delete("d5").expect("deleted");
    writer.commit().expect("committed");
}

/// Everything that can be asked of an index; scores are finite or there is an error.
pub(crate) fn ask_everything(folder: &Path) -> qwd_core::Result<Vec<(String, f32, String)>> {
    let index = Index::open(folder)?;
    let snapshot = index.snapshot();
    let mut answers = Vec::new();
    for text in ["red car", "sea ship", "\"open sea\"", "", "engine road"] {
        let query = Query { all: true, ..Query::new(text).explained().with_documents() };
        answers.extend(answer(&snapshot, &query)?);
        let among = Query::new(text).among(qwd_search::Filter::Within("year".into(), 2001.0, 2003.0));
        answers.extend(answer(&snapshot, &among)?);
    }
    for id in ["d0", "d4", "d5", "none"] {
        let found = snapshot.document(id)?;
        answers.push((id.to_string(), 0.0, found.map(|d| d.text).unwrap_or_default()));
    }
    Ok(answers)
}

fn answer(snapshot: &Snapshot, query: &Query) -> qwd_core::Result<Vec<(String, f32, String)>> {
    let hits = snapshot.search(query)?.hits;
    assert!(hits.iter().all(|h| h.score.is_finite()), "a score that is no number");
    Ok(hits.into_iter().map(|h| (h.id, h.score, h.document.map(|d| d.text).unwrap_or_default())).collect())
}

/// The files of an index but the lock.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path());
    let mut files: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e != "lock")).collect();
    files.sort();
    files
}

/// Changes the sections of the one segment, seals it and the manifest again.
pub(crate) fn forge_segment(folder: &Path, change: impl FnOnce(&mut Vec<(String, Vec<u8>)>)) {
    let path = files(folder).into_iter().find(|p| p.extension().is_some_and(|e| e == "qws")).expect("a segment");
    let bytes = std::fs::read(&path).expect("read");
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")) as usize;
    let n = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    let mut sections: Vec<(String, Vec<u8>)> = (0..n)
        .map(|i| {
            let entry = 32 + 32 * i;
            let name: Vec<u8> = bytes[entry..entry + 12].iter().copied().take_while(|&b| b != 0).collect();
            let (from, len) = (number(entry + 16), number(entry + 24));
            (String::from_utf8(name).expect("text"), bytes[from..from + len].to_vec())
        })
        .collect();
    change(&mut sections);
    let mut header = bytes[..16].to_vec();
    header[12..16].copy_from_slice(&(sections.len() as u32).to_le_bytes());
    let start = 32 + 32 * sections.len();
    let total = start + sections.iter().map(|(_, b)| b.len()).sum::<usize>();
    header.extend_from_slice(&[0; 8]);
    header.extend_from_slice(&(total as u64).to_le_bytes());
    let mut offset = start as u64;
    for (name, section) in &sections {
        let mut padded = [0; 12];
        padded[..name.len()].copy_from_slice(name.as_bytes());
        header.extend_from_slice(&padded);
        header.extend_from_slice(&crc32(section).to_le_bytes());
        header.extend_from_slice(&offset.to_le_bytes());
        header.extend_from_slice(&(section.len() as u64).to_le_bytes());
        offset += section.len() as u64;
    }
    let crc = crc32(&header);
    header[16..20].copy_from_slice(&crc.to_le_bytes());
    sections.iter().for_each(|(_, section)| header.extend_from_slice(section));
    std::fs::write(&path, &header).expect("written");
    forge_manifest(folder, |body| {
        body["segments"][0]["crc32"] = json!(crc);
        body["segments"][0]["n_bytes"] = json!(header.len());
    });
}

/// Changes the manifest and seals it again. Keys keep their order, which is that of the file.
pub(crate) fn forge_manifest(folder: &Path, change: impl FnOnce(&mut Value)) {
    let path = folder.join("index.json");
    let text = std::fs::read_to_string(&path).expect("text");
    let at = text.find("\"body\":").expect("a body") + 7;
    let mut body: Value = serde_json::from_str(text[at..].trim_end().trim_end_matches('}'))
        .or_else(|_| {
            let end = text.trim_end().len() - 1;
            serde_json::from_str(&text[at..end])
        })
        .expect("JSON");
    change(&mut body);
    // The order of keys is part of the format: written by hand, as maps of this crate sort theirs.
    let record = |r: &Value| format!("\"file\":{},\"n_bytes\":{},\"crc32\":{}", r["file"], r["n_bytes"], r["crc32"]);
    let segment = |s: &Value| {
        let deleted = if s["deleted"].is_null() { "null".into() } else { format!("{{{}}}", record(&s["deleted"])) };
        format!("{{{},\"n_docs\":{},\"deleted\":{deleted}}}", record(s), s["n_docs"])
    };
    let segments: Vec<String> = body["segments"].as_array().expect("a list").iter().map(segment).collect();
    let body = format!(
        "{{\"generation\":{},\"expand\":{},\"prune\":{},\"model\":{{{}}},\"segments\":[{}],\"next_segment\":{}}}",
        body["generation"],
        body["expand"],
        body["prune"],
        record(&body["model"]),
        segments.join(","),
        body["next_segment"]
    );
    let crc = crc32(body.as_bytes());
    let text = format!("{{\"format\":\"qwd-index\",\"version\":1,\"crc32\":{crc},\"body\":{body}}}\n");
    std::fs::write(&path, text).expect("written");
}
