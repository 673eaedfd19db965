//! Rankers from strangers: files whose checksum is right and whose contents are not.

use qwd_core::Family;
use qwd_rank::RankerFile;
use qwd_store::crc32;
use serde_json::{Value, json};

/// A file with this ranker and the checksum that belongs to it.
fn opened(ranker: &str) -> Result<RankerFile, qwd_core::Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stranger.ranker");
    let body = format!(r#"{{"ranker":{ranker},"scaler":{{"scaling":"none"}},"method":"made","params":{{}}}}"#);
    let crc32 = crc32(body.as_bytes());
    let text = format!(r#"{{"format":"qwd-ranker","version":1,"crc32":{crc32},"body":{body}}}"#);
    std::fs::write(&path, text).expect("written");
    RankerFile::open(&path)
}

fn trees(n_features: u64, nodes: Value, leaves: usize) -> String {
    let leaves: Vec<Value> = (0..leaves).map(|_| json!({"value": 1.0, "count": 1, "weight": 1.0})).collect();
    json!({"kind": "trees", "n_features": n_features, "trees": [{"nodes": nodes, "leaves": leaves}]}).to_string()
}

fn node(feature: u32, left: i32, right: i32) -> Value {
    json!({"feature": feature, "threshold": 0.5, "left": left, "right": right, "gain": 1.0})
}

#[test]
fn a_sound_ranker_opens() {
    opened(r#"{"kind":"linear","weights":[1.0,-2.5]}"#).expect("linear");
    opened(&trees(2, json!([node(1, -1, 1), node(0, -2, -3)]), 3)).expect("trees");
}

#[test]
fn what_cannot_be_is_refused() {
    let deep = format!("{}{}", r#"{"kind":"blend","parts":[{"weight":1,"ranker":"#.repeat(200), "0}]}".repeat(200));
    let nested = r#"{"kind":"blend","parts":[{"weight":1,"ranker":{"kind":"blend","parts":[]}}]}"#;
    let attacks = [
        ("a weight beyond all numbers", r#"{"kind":"linear","weights":[1e999]}"#.to_string()),
        ("a weight that is nothing", r#"{"kind":"linear","weights":[null]}"#.to_string()),
        ("an unknown kind", r#"{"kind":"oracle"}"#.to_string()),
        ("an unknown field", r#"{"kind":"linear","weights":[1.0],"more":1}"#.to_string()),
        ("a node that is its own child", trees(2, json!([node(0, 0, -1)]), 2)),
        ("a child before its parent", trees(2, json!([node(0, 1, -1), node(0, 0, -2)]), 3)),
        ("a child beyond the nodes", trees(2, json!([node(0, 7, -1)]), 2)),
        ("a leaf beyond the leaves", trees(2, json!([node(0, -9, -1)]), 2)),
        ("a leaf at the end of all numbers", trees(2, json!([node(0, i32::MIN, -1)]), 2)),
        ("a feature beyond the features", trees(2, json!([node(2, -1, -2)]), 2)),
        ("too few leaves", trees(2, json!([node(0, -1, -2)]), 1)),
        ("no leaves", trees(2, json!([]), 0)),
        ("endless features", trees(u64::MAX, json!([node(0, -1, -2)]), 2)),
        ("more features than documents may have", trees(1 << 40, json!([node(0, -1, -2)]), 2)),
        ("a blend of nothing", r#"{"kind":"blend","parts":[]}"#.to_string()),
        ("a blend inside a blend", nested.to_string()),
        ("blends without end", deep),
    ];
    for (name, ranker) in attacks {
        let error = opened(&ranker).expect_err(name);
        assert_eq!(error.family(), Family::Damaged, "{name}: {error}");
    }
}

#[test]
fn a_newer_version_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("newer.ranker");
    std::fs::write(&path, r#"{"format":"qwd-ranker","version":2,"crc32":0,"body":{}}"#).expect("written");
    let error = RankerFile::open(&path).expect_err("newer").to_string();
    assert!(error.contains("version 2") && error.contains("version 1"), "{error}");
}
