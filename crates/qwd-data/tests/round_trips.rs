//! What is written is read again as it was, under every compression.

use proptest::prelude::*;
use qwd_core::{Csr, SparseVec};
use qwd_data::corpus::{read_documents, read_queries, write_documents, write_queries};
use qwd_data::preferences::{TextTriple, each_preference, each_triple, write_preference, write_triple};
use qwd_data::qrels::{self, Layout};
use qwd_data::run::{self, Run, RunHit};
use qwd_data::svmlight::{self, IndexBase, SvmParams};
use qwd_data::{Document, IdMap, Input, Output, Query, Reading, Split, create, links, mates};
use std::collections::BTreeSet;
use std::path::Path;

/// Writes a file by `write` and opens it again.
fn through(name: &str, write: impl FnOnce(&mut Output) -> qwd_core::Result<()>) -> Input {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    let mut out = create(&path).expect("a new file");
    write(&mut out).expect("writing");
    let written = out.finish().expect("finishing");
    let read = Input::open(&path).and_then(Input::finish).expect("reading back");
    assert_eq!(written, read, "the fingerprints of writing and of reading");
    let content = std::fs::read(&path).expect("a file");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing else is left behind");
    Input::from_bytes(name, content).expect("bytes in memory can be opened")
}

fn name(stem: &str) -> impl Strategy<Value = String> + use<> {
    let stem = stem.to_string();
    prop::sample::select(vec!["", ".gz", ".zst"]).prop_map(move |ending| format!("{stem}{ending}"))
}

fn ids(n: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set("[a-zé0-9/_.:-]{1,6}", 1..n).prop_map(|ids: BTreeSet<String>| ids.into_iter().collect())
}

fn extra() -> impl Strategy<Value = serde_json::Map<String, serde_json::Value>> {
    let value = prop_oneof![any::<String>().prop_map(Into::into), any::<i64>().prop_map(Into::into), Just(().into())];
    prop::collection::btree_map("x[a-z]{1,3}", value, 0..3).prop_map(|map| map.into_iter().collect())
}

fn document() -> impl Strategy<Value = Document> {
    let split = prop::option::of(prop::sample::select(Split::ALL.to_vec()));
    (any::<String>(), any::<String>(), prop::option::of(any::<String>()), split, extra())
        .prop_map(|(title, text, label, split, extra)| Document { id: String::new(), title, text, label, split, extra })
}

/// Small numbers and extremes, all finite.
fn value() -> impl Strategy<Value = f32> {
    prop_oneof![prop::num::f32::NORMAL, prop::num::f32::SUBNORMAL, (-9i8..9).prop_map(f32::from)]
        .prop_filter("not zero", |value| *value != 0.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn documents(file in name("corpus.jsonl"), ids in ids(8), mut documents in prop::collection::vec(document(), 8)) {
        documents.truncate(ids.len());
        for (document, id) in documents.iter_mut().zip(&ids) {
            document.id.clone_from(id);
        }
        let input = through(&file, |out| write_documents(out, &documents));
        let (read, map) = read_documents(input, &mut Reading::default())?;
        prop_assert_eq!(&read, &documents);
        prop_assert_eq!(map.names().collect::<Vec<_>>(), documents.iter().map(|d| d.id.as_str()).collect::<Vec<_>>());
    }

    #[test]
    fn queries(file in name("queries.jsonl"), id in "[a-z]{1,9}", text in any::<String>(), extra in extra()) {
        let queries = vec![Query { id, text, extra }];
        let input = through(&file, |out| write_queries(out, &queries));
        prop_assert_eq!(read_queries(input, &mut Reading::default())?.0, queries);
    }

    #[test]
    fn judgments(file in name("qrels"), ids in ids(10), grades in prop::collection::vec(any::<i32>(), 10)) {
        let rows: Vec<(&str, &str, i32)> =
            ids.iter().zip(ids.iter().rev()).zip(grades).map(|((q, d), g)| (q.as_str(), d.as_str(), g)).collect();
        let beir = through(&file, |out| qrels::write_beir(out, rows.clone()));
        let trec = through(&file, |out| qrels::write_trec(out, rows.clone()));
        for input in [beir, trec] {
            let read = qrels::read(input, Layout::ByHeader, &mut Reading::default())?;
            let read: Vec<(&str, &str, i32)> = read
                .judgments
                .iter()
                .map(|j| (read.queries.name(j.query), read.documents.name(j.document), j.grade))
                .collect();
            prop_assert_eq!(&read, &rows);
        }
    }

    #[test]
    fn runs(file in name("run.trec"), ids in ids(10), scores in prop::collection::vec(prop_oneof![prop::num::f64::NORMAL, Just(0.5)], 10)) {
        let mut run = Run { tag: "tag".to_string(), ..Run::default() };
        for query in ["q1", "q2"] {
            run.queries.insert(query)?;
            let mut hits = Vec::new();
            for (id, &score) in ids.iter().zip(&scores) {
                hits.push(RunHit { document: run.documents.insert(id)?.0, score });
            }
            hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.document.cmp(&a.document)));
            run.rankings.push(hits);
        }
        // Numbers of documents are given in another order by reading, so names are compared.
        let named = |run: &Run| -> Vec<Vec<(String, f64)>> {
            let name = |hit: &RunHit| (run.documents.name(hit.document).to_string(), hit.score);
            run.rankings.iter().map(|ranking| ranking.iter().map(name).collect()).collect()
        };
        let read = run::read(through(&file, |out| run::write(out, &run)), &mut Reading::default())?;
        prop_assert_eq!(named(&read), named(&run));
        prop_assert_eq!((&read.tag, &read.queries), (&run.tag, &run.queries));
    }

    #[test]
    fn all_preferences(file in name("preferences"), weight in value().prop_map(f32::abs), text in any::<String>()) {
        let input = through(&file, |out| write_preference(out, "q 1", "a", "b", weight));
        let mut n = 0;
        each_preference(input, &mut Reading::default(), |p, _| {
            n += 1;
            assert_eq!((p.query.text, p.better.text, p.worse.text, p.weight), ("q 1", "a", "b", weight));
            Ok(())
        })?;
        let triple = TextTriple { query: text.clone(), pos: format!("{text}+"), neg: text, weight: 0.5 };
        let input = through(&file, |out| write_triple(out, &triple));
        each_triple(input, &mut Reading::default(), |read, _| {
            n += 1;
            assert_eq!(read, triple);
            Ok(())
        })?;
        prop_assert_eq!(n, 2);
    }

    #[test]
    fn vectors(
        file in name("rows.svm"),
        rows in prop::collection::vec((prop::num::f64::NORMAL, prop::collection::btree_map(0u32..40, value(), 0..9)), 0..9),
        from_zero in any::<bool>(),
        with_qids in any::<bool>(),
    ) {
        let base = if from_zero { IndexBase::Zero } else { IndexBase::One };
        let mut matrix = Csr::empty(40);
        for (_, row) in &rows {
            let (indices, values) = row.iter().map(|(&i, &v)| (i, v)).unzip();
            matrix.push(SparseVec::try_new(indices, values)?.view())?;
        }
        let labels: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let qids: Vec<u64> = if with_qids { (0..rows.len() as u64).map(|i| i / 3).collect() } else { Vec::new() };
        let input = through(&file, |out| svmlight::write(out, base, &matrix, &labels, &qids));
        let read = svmlight::read(input, SvmParams { base, ..SvmParams::default() }, &mut Reading::default())?;
        prop_assert_eq!((&read.labels, &read.qids), (&labels, &qids));
        prop_assert_eq!(read.into_csr(40)?, matrix);
    }

    #[test]
    fn all_links(file in name("links.tsv"), ids in ids(10)) {
        let pairs: Vec<(&str, &str)> = ids.windows(2).map(|pair| (pair[1].as_str(), pair[0].as_str())).collect();
        let read = links::read(through(&file, |out| links::write(out, pairs.clone())), &mut Reading::default())?;
        let name = |number| read.documents.name(number);
        prop_assert_eq!(read.pairs.iter().map(|&(a, b)| (name(a), name(b))).collect::<Vec<_>>(), pairs);
    }

    #[test]
    fn all_mates(file in name("mates.tsv"), ids in ids(10)) {
        let pairs: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), ids[0].as_str())).collect();
        let read = mates::read(through(&file, |out| mates::write(out, pairs.clone())), &mut Reading::default())?;
        prop_assert_eq!(read.iter().map(|(q, d)| (q.as_str(), d.as_str())).collect::<Vec<_>>(), pairs);
    }
}

#[test]
fn a_file_that_is_not_finished_never_appears() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut out = create(folder.path().join("x.tsv")).expect("a new file");
    out.line(format_args!("half")).expect("writing");
    drop(out);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn ids_with_white_space_cannot_go_into_trec_files() {
    let mut out = Output::from_writer(Path::new("run"), std::io::sink());
    let e = run::write_ranking(&mut out, "tag", "q 1", [("d", 1.0)]).expect_err("a space");
    assert_eq!(
        e.to_string(),
        "the id \"q 1\" is empty or has white space, which TREC files cannot hold; give the documents and queries other ids"
    );
    assert!(run::write_ranking(&mut out, "tag", "q1", [("d", f64::NAN)]).is_err());
    assert!(qrels::write_trec(&mut out, [("q", "", 1)]).is_err());
}

#[test]
fn ties_break_as_trec_eval_breaks_them() {
    let text = "q1 Q0 a 1 0.5 t\nq1 Q0 c 2 0.5 t\nq1 Q0 b 3 0.5 t\nq1 Q0 z 4 0.7 t\n";
    let input = Input::from_bytes("run", text).expect("bytes in memory can be opened");
    let run = run::read(input, &mut Reading::default()).expect("a run");
    let order: Vec<&str> = run.rankings[0].iter().map(|hit| run.documents.name(hit.document)).collect();
    assert_eq!(order, ["z", "c", "b", "a"]);
}

#[test]
fn lines_end_as_they_may() {
    let read = |text: &str| {
        let input = Input::from_bytes("links.tsv", text).expect("bytes in memory can be opened");
        links::read(input, &mut Reading::default()).expect("links").pairs.len()
    };
    for text in ["a\tb\nb\ta\n", "a\tb\r\nb\ta\r\n", "\u{feff}a\tb\n\n\nb\ta", "\r\na\tb\r\nb\ta\r"] {
        assert_eq!(read(text), 2, "{text:?}");
    }
    assert_eq!(read(""), 0);
}

#[test]
fn several_members_of_a_compressed_file_are_one_text() {
    let mut bytes = zstd::encode_all(&b"a\tb\n"[..], 1).expect("writing to memory");
    bytes.extend(zstd::encode_all(&b"b\ta\n"[..], 1).expect("writing to memory"));
    let input = Input::from_bytes("links", bytes).expect("bytes in memory can be opened");
    assert_eq!(links::read(input, &mut Reading::default()).expect("links").pairs, [(0, 1), (1, 0)]);
    let ids = IdMap::new();
    assert!(ids.is_empty() && ids.get("a").is_none());
}
