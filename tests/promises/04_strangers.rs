//! Promise 4: a model file from a stranger is safe to open. Every attack has checksums that hold.

mod forge;
mod samples;

use forge::{Forge, reseal, seal};
use qwd_core::{Family, Rng, SparseVec};
use qwd_model::{Model, Side, verify};
use serde_json::{Value, json};

/// A file made of the parts of a sparse model with words and a training state, after a change.
fn changed(change: impl FnOnce(&mut Forge)) -> Vec<u8> {
    let mut forge = Forge::new(&samples::sparse_state());
    change(&mut forge);
    forge.build()
}

fn words_of(n: &[u64]) -> Vec<u8> {
    n.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn floats(n: &[f32]) -> Vec<u8> {
    n.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Puts numbers of eight bytes in place of a tensor's.
fn with_u64s(name: &str, numbers: &[u64]) -> Vec<u8> {
    changed(|f| {
        let tensor = f.tensor(name);
        tensor.shape = json!([numbers.len()]);
        tensor.bytes = words_of(numbers);
    })
}

/// Puts one float in place of a tensor's first.
fn with_f32(name: &str, number: f32) -> Vec<u8> {
    changed(|f| f.tensor(name).bytes[..4].copy_from_slice(&number.to_le_bytes()))
}

fn with_json(key: &str, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    changed(|f| f.json(key, change))
}

fn of_sample(model: &Model, change: impl FnOnce(&mut Forge)) -> Vec<u8> {
    let mut forge = Forge::new(model);
    change(&mut forge);
    forge.build()
}

fn headers() -> Vec<(&'static str, Vec<u8>)> {
    let good = samples::sparse_state().to_bytes().expect("encoded");
    let with_length = |n: u64| [&n.to_le_bytes(), &good[8..]].concat();
    let opening = r#"{"__metadata__":{"header_crc32":"00000000","format":"qwd-model","format_version":"1""#;
    let deep = |n| "[".repeat(n) + &"]".repeat(n);
    vec![
        ("nothing", vec![]),
        ("zeros", vec![0; 64]),
        ("a length and no header", with_length(good.len() as u64)[..8].to_vec()),
        ("a header of 2^63 bytes", with_length(1 << 63)),
        ("a header of 2^64 - 1 bytes", with_length(u64::MAX)),
        ("a header of 2^64 - 8 bytes", with_length(u64::MAX - 7)),
        ("a header one byte longer than the file", with_length(good.len() as u64 - 7)),
        ("a header without an end", seal(opening, &[])),
        ("a header over the limit", seal(&format!("{opening}}}{}}}", " ".repeat(1 << 20)), &[])),
        ("a header that is no object", seal("[]", &[])),
        ("a header that is not UTF-8", {
            let mut bytes = seal(&format!("{opening},\"x\":\"?\"}}}}"), &[]);
            let at = bytes.len() - 4;
            bytes[at] = 0xff;
            reseal(&mut bytes);
            bytes
        }),
        ("deep JSON among the tensors", seal(&format!("{opening}}},\"x\":{}}}", deep(200_000)), &[])),
        ("deep JSON in the metadata", seal(&format!("{opening},\"x\":{}}}}}", deep(200_000)), &[])),
        ("deep JSON in the provenance", changed(|f| _ = f.metadata.insert("provenance".into(), deep(200_000).into()))),
        (
            "deep JSON in the parameters",
            changed(|f| {
                let text = f.metadata["provenance"].as_str().expect("text").replace("0.1,", &(deep(200_000) + ","));
                f.metadata.insert("provenance".into(), text.into());
            }),
        ),
        ("metadata that is not text", changed(|f| _ = f.metadata.insert("notes".into(), json!([1])))),
        ("metadata twice", seal(&format!("{opening}}},\"__metadata__\":{{}}}}"), &[])),
        ("another kind of safetensors file", seal(r#"{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#, &[7])),
        ("another format", changed(|f| _ = f.metadata.insert("format".into(), "qwd-index".into()))),
        ("no format", changed(|f| _ = f.metadata.remove("format"))),
        ("no provenance", changed(|f| _ = f.metadata.remove("provenance"))),
        ("a negative seed", with_json("provenance", |p| p["seed"] = json!(-1))),
        ("a step that is no number", with_json("state", |s| s["step"] = json!("many"))),
    ]
}

fn tables_of_tensors() -> Vec<(&'static str, Vec<u8>)> {
    let offsets = |name: &'static str, offsets| changed(move |f| f.tensor(name).offsets = Some(offsets));
    // Eight more tensors, each of a size that can be counted, that end at 2^64 - 1: adding the header's size wraps around.
    let wrapping = changed(|f| {
        let mut at: u64 = f.tensors.iter().map(|t| t.bytes.len() as u64).sum();
        for i in 0..8 {
            let end = if i == 7 { u64::MAX } else { at + ((1 << 61) - 1) };
            f.add(&format!("huge{i}"), "U8", json!([end - at]), vec![]);
            f.tensors.last_mut().expect("just added").offsets = Some([at, end]);
            at = end;
        }
    });
    let sums = |sums: Value| Forge::new(&samples::sparse()).build_with_checksums(&sums);
    vec![
        ("a tensor beyond the end", offsets("w.values", [0, 1 << 40])),
        ("a tensor at 2^64", offsets("w.values", [u64::MAX - 24, u64::MAX])),
        ("a tensor that ends before it begins", offsets("w.values", [28, 0])),
        (
            "overlapping tensors",
            changed(|f| {
                let n = f.tensors[0].bytes.len() as u64;
                f.tensors[1].offsets = Some([n - 8, n - 8 + f.tensors[1].bytes.len() as u64]);
            }),
        ),
        (
            "a hole between tensors",
            changed(|f| {
                f.tensors[0].offsets = Some([0, f.tensors[0].bytes.len() as u64]);
                f.tensors[0].bytes.extend([0; 8]);
            }),
        ),
        ("bytes after the last tensor", [changed(|_| ()), vec![0; 8]].concat()),
        ("sizes that wrap around", wrapping),
        (
            "a shape whose product wraps around",
            changed(|f| f.tensor("w.values").shape = json!([1u64 << 32, 1u64 << 32, 1])),
        ),
        ("a shape of 2^63", changed(|f| f.tensor("w.values").shape = json!([1u64 << 63]))),
        ("a negative shape", changed(|f| f.tensor("w.values").shape = json!([-1]))),
        ("a shape of two dimensions", changed(|f| f.tensor("w.values").shape = json!([1, 4]))),
        ("a shape of none", changed(|f| f.tensor("w.indptr").shape = json!([]))),
        ("an unknown type", changed(|f| f.tensor("w.values").dtype = "F33".into())),
        ("another type of the same size", changed(|f| f.tensor("w.values").dtype = "I32".into())),
        ("a tensor of another model", changed(|f| f.add("u", "F32", json!([1]), floats(&[1.0])))),
        (
            "a tensor twice",
            changed(|f| {
                let again = f.tensor("w.values").clone();
                f.tensors.push(again);
            }),
        ),
        ("no weights", changed(|f| f.tensors.retain(|t| t.name != "w.values"))),
        ("no checksums", sums(json!({}))),
        ("checksums that are no map", sums(json!([1, 2]))),
        ("a checksum of a tensor that is not there", sums(json!({"x": "00000000"}))),
    ]
}

fn matrices() -> Vec<(&'static str, Vec<u8>)> {
    let size = |key: &'static str, n: Value| with_json("matrix", move |m| m[key] = n);
    let of_identity = |n: Value| of_sample(&samples::identity(), move |f| f.json("matrix", |m| m["n_rows"] = n));
    vec![
        ("2^63 rows", size("n_rows", json!(1u64 << 63))),
        ("2^64 - 1 rows", size("n_rows", json!(u64::MAX))),
        ("2^63 columns", size("n_cols", json!(1u64 << 63))),
        ("2^32 columns", size("n_cols", json!(1u64 << 32))),
        ("-1 columns", size("n_cols", json!(-1))),
        ("one row too many", size("n_rows", json!(7))),
        ("one column too few", size("n_cols", json!(5))),
        (
            "an identity of 2^40",
            of_sample(&samples::identity(), |f| {
                f.json("matrix", |m| {
                    m["n_rows"] = json!(1u64 << 40);
                    m["n_cols"] = json!(1u64 << 40);
                })
            }),
        ),
        ("an identity that is no square", of_identity(json!(7))),
        ("a form from the future", with_json("matrix", |m| m["form"] = json!("quantum"))),
        ("row pointers that fall", with_u64s("w.indptr", &[0, 2, 1, 3, 3, 3, 6])),
        ("row pointers that swing", with_u64s("w.indptr", &[0, 6, 0, 6, 0, 6, 6])),
        ("row pointers from 1", with_u64s("w.indptr", &[1, 2, 3, 3, 4, 4, 6])),
        ("row pointers beyond the entries", with_u64s("w.indptr", &[0, 2, 3, 3, 4, 4, 1 << 63])),
        ("row pointers that end too early", with_u64s("w.indptr", &[0, 1, 1, 1, 1, 1, 1])),
        ("no row pointers", with_u64s("w.indptr", &[])),
        ("a column beyond the last", changed(|f| f.tensor("w.indices").bytes[2..4].copy_from_slice(&[255, 255]))),
        ("a column twice", changed(|f| f.tensor("w.indices").bytes.fill(0))),
        ("columns out of order", changed(|f| f.tensor("w.indices").bytes[..4].rotate_left(2))),
        ("a sparse weight that is no number", with_f32("w.values", f32::NAN)),
        ("an infinite sparse weight", with_f32("w.values", f32::NEG_INFINITY)),
        (
            "a diagonal weight that is no number",
            of_sample(&samples::diagonal(), |f| {
                f.tensor("w").bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes());
            }),
        ),
        (
            "an infinite dense weight",
            of_sample(&samples::dense(), |f| {
                f.tensor("w").bytes[40..44].copy_from_slice(&f32::INFINITY.to_le_bytes());
            }),
        ),
        ("a dense matrix on its side", of_sample(&samples::dense(), |f| f.tensor("w").shape = json!([4, 6]))),
    ]
}

fn states() -> Vec<(&'static str, Vec<u8>)> {
    let vectors = |names: Vec<&'static str>| with_json("state", move |s| s["vectors"] = json!(names));
    vec![
        ("a threshold that is no number", with_f32("w.pending", f32::NAN)),
        ("a negative threshold", with_f32("w.pending", -1.0)),
        ("an infinite threshold", with_f32("w.pending", f32::INFINITY)),
        ("a threshold that leaves nothing", with_f32("w.pending", 3.0)),
        (
            "thresholds of other rows",
            changed(|f| {
                f.tensor("w.pending").bytes.truncate(8);
                f.tensor("w.pending").shape = json!([2]);
            }),
        ),
        (
            "thresholds without a state",
            changed(|f| {
                f.metadata.remove("state");
                f.tensors.retain(|t| !t.name.starts_with("state."));
            }),
        ),
        ("a number that is none", with_json("state", |s| s["numbers"]["l1"] = json!(f64::NAN.to_bits()))),
        ("an accumulator that is no number", with_f32("state.vector.row_clock", f32::NAN)),
        ("an accumulator that is not there", vectors(vec!["empty", "row_clock", "ghost"])),
        ("an accumulator read a thousand times", vectors([vec!["empty"], vec!["row_clock"; 1000]].concat())),
        ("an accumulator that no one reads", vectors(vec!["empty"])),
        (
            "an accumulator with the name of a path",
            changed(|f| {
                f.tensor("state.vector.empty").name = "state.vector.../../etc".into();
                f.json("state", |s| s["vectors"] = json!(["../../etc", "row_clock"]));
            }),
        ),
        (
            "an accumulator of 2^63 rows",
            with_json("state", |s| s["matrices"]["gradient_squares"][0] = json!(1u64 << 63)),
        ),
        (
            "an accumulator of 2^64 - 1 columns",
            with_json("state", |s| {
                s["matrices"]["gradient_squares"][1] = json!(u64::MAX);
            }),
        ),
        (
            "an accumulator with broken row pointers",
            with_u64s("state.matrix.gradient_squares.indptr", &[9, 2, 3, 3, 5, 5, 7]),
        ),
    ]
}

fn vocabularies() -> Vec<(&'static str, Vec<u8>)> {
    let params = |change: fn(&mut Value)| with_json("query", move |q| change(&mut q["vectorizer"]));
    vec![
        (
            "a word twice",
            changed(|f| {
                // car|engine|sea|fish|… becomes car|engine|car|fish|…
                f.tensor("query.words.bytes").bytes[9..12].copy_from_slice(b"car");
            }),
        ),
        ("words that are not UTF-8", changed(|f| f.tensor("query.words.bytes").bytes[1] = 0xff)),
        (
            "half a letter",
            of_sample(&samples::dense(), |f| {
                let at =
                    f.tensor("document.words.bytes").bytes.iter().position(|&b| b == 0xc3).expect("an umlaut") as u64;
                let offsets = &mut f.tensor("document.words.offsets").bytes;
                let n = offsets.len() / 8;
                for i in 1..n - 1 {
                    offsets[8 * i..8 * i + 8].copy_from_slice(&(at + i as u64).to_le_bytes());
                }
            }),
        ),
        ("offsets of words out of order", with_u64s("query.words.offsets", &[0, 9, 3, 12, 16, 20, 25])),
        ("offsets of words beyond the end", with_u64s("query.words.offsets", &[0, 3, 9, 12, 16, 20, 1 << 63])),
        ("an empty word", with_u64s("query.words.offsets", &[0, 3, 3, 12, 16, 20, 25])),
        ("one word too few", with_u64s("query.words.offsets", &[0, 3, 9, 12, 16, 25])),
        ("a word in no document", changed(|f| f.tensor("query.words.df").bytes[..4].fill(0))),
        ("a word in more documents than there are", changed(|f| f.tensor("query.words.df").bytes[..4].fill(0x7f))),
        ("a word that occurs too often", with_u64s("query.words.cf", &[u64::MAX, 4, 3, 2, 1, 1])),
        (
            "a vocabulary of another size",
            of_sample(&samples::dense(), |f| {
                f.json("query", |q| q["vocabulary"] = json!("query"));
                f.json("document", |d| d["vocabulary"] = json!("query"));
                f.tensors.retain(|t| !t.name.starts_with("document."));
                let of_queries: Value =
                    serde_json::from_str(f.metadata["query"].as_str().expect("text")).expect("JSON");
                f.json("document", |d| *d = of_queries);
            }),
        ),
        (
            "a shared vocabulary that is not there",
            of_sample(&samples::sparse(), |f| {
                f.metadata.remove("query");
                f.tensors.retain(|t| !t.name.starts_with("query."));
            }),
        ),
        ("a side that shares with the other way round", with_json("query", |q| q["vocabulary"] = json!("document"))),
        ("a stemmer for no language", params(|v| v["analyzer"]["stemmer"] = json!("klingon"))),
        ("a tokenizer from the future", params(|v| v["analyzer"]["tokenizer"] = json!("telepathy"))),
        ("runs of 2^63 words", params(|v| v["analyzer"]["ngrams"] = json!(1u64 << 63))),
        ("an unknown parameter", params(|v| v["weighting"]["zeal"] = json!(11))),
        ("a weighting beyond its range", params(|v| v["weighting"]["k1"] = json!(1e300))),
    ]
}

#[test]
fn every_attack_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.qwd");
    let attacks = [headers(), tables_of_tensors(), matrices(), states(), vocabularies()].concat();
    assert!(attacks.len() >= 20);
    for (name, bytes) in attacks {
        match Model::from_bytes(&bytes) {
            Ok(_) => panic!("{name}: opened"),
            Err(e) => assert_eq!(e.family(), Family::Damaged, "{name}: {e}"),
        }
        std::fs::write(&path, &bytes).expect("written");
        assert_eq!(Model::open(&path).expect_err(name).family(), Family::Damaged, "{name}");
        assert!(!verify(&path).expect("readable").is_sound(), "{name}");
        // What serving does not read may pass; whatever is read must not panic.
        _ = Model::open_without_state(&path);
        _ = qwd_model::inspect(&path);
    }
}

#[test]
fn the_forge_itself_makes_files_that_open() {
    for (name, model) in samples::all() {
        let again = Model::from_bytes(&Forge::new(&model).build()).expect(name);
        assert_eq!(again.to_bytes().expect("encoded"), model.to_bytes().expect("encoded"), "{name}");
    }
}

#[test]
fn random_changes_with_true_checksums_are_refused_or_harmless() {
    let rounds = u64::from(qwd_testkit::rounds(50)) * 100;
    let models: Vec<Model> = samples::all().into_iter().map(|(_, m)| m).collect();
    for round in 0..rounds {
        let mut rng = Rng::part(4, round);
        let mut forge = Forge::new(&models[rng.below(models.len())]);
        let bytes = if forge.tensors.is_empty() || rng.below(3) == 0 {
            let mut bytes = forge.build();
            let n_header = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
            for _ in 0..=rng.below(3) {
                let (at, from) = (8 + rng.below(n_header), 8 + rng.below(n_header));
                bytes[at] = bytes[from];
            }
            reseal(&mut bytes);
            bytes
        } else {
            for _ in 0..=rng.below(4) {
                let at = rng.below(forge.tensors.len());
                let data = &mut forge.tensors[at].bytes;
                if !data.is_empty() {
                    let at = rng.below(data.len());
                    data[at] = [0, 1, 0x7f, 0x80, 0xff, rng.bits() as u8][rng.below(6)];
                }
            }
            forge.build()
        };
        match Model::from_bytes(&bytes) {
            Ok(model) => use_it(&model),
            Err(e) => assert_eq!(e.family(), Family::Damaged, "round {round}: {e}"),
        }
    }
}

/// Does with a model what users do; it may refuse, but neither panic nor answer with an infinity.
fn use_it(model: &Model) {
    let m = model.matrix();
    let q = SparseVec::try_new(vec![0], vec![1.0]).expect("finite");
    if let Ok(score) = m.score(q.view(), q.view()) {
        assert!(score.is_finite());
    }
    if let Ok(e) = m.expand(q.view()) {
        assert!(e.view().values().iter().all(|v| v.is_finite()));
    }
    _ = m.related(Side::Document, 0, 3);
    if let Ok(score) = model.score_text("car fish sea", "auto engine meer") {
        assert!(score.is_finite());
    }
    _ = model.explain_text("car", "engine");
    model.to_bytes().expect("what opens can be saved");
}
