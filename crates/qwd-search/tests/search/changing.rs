//! Additions, replacements, deletions, merges and other models.

use crate::samples;
use qwd_core::Family;
use qwd_data::Document;
use qwd_model::Matrix;
use qwd_search::{Index, IndexParams, Query, Writer, describe};
use std::collections::BTreeMap;

fn document(id: &str, text: &str) -> Document {
    Document { id: id.into(), text: text.into(), ..Document::default() }
}

fn ids(index: &Index, text: &str) -> Vec<String> {
    let answer = index.snapshot().search(&Query::new(text)).expect("answered");
    answer.hits.into_iter().map(|h| h.id).collect()
}

#[test]
fn an_index_that_grows_and_shrinks_equals_one_made_at_once() {
    let documents = samples::documents(3, 500, 90);
    let words = samples::vectorizer(&documents, "log-tfidf");
    for matrix in [
        samples::matrices(3, words.vocabulary().len()).swap_remove(2),
        samples::matrices(3, words.vocabulary().len()).swap_remove(6),
    ] {
        let model = samples::model(matrix, &words, &words);
        let (grown, at_once) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let mut writer = Writer::create(grown.path(), &model, &IndexParams::default()).expect("created");
        let index = Index::open(grown.path()).expect("opened");
        let mut kept: BTreeMap<usize, Document> = BTreeMap::new();
        let mut order = 0;
        let mut rng = qwd_core::Rng::new(30);
        for round in 0..20 {
            for _ in 0..25 {
                let d = &documents[rng.below(500)];
                kept.retain(|_, k| k.id != d.id);
                kept.insert(order, d.clone());
                order += 1;
                writer.add(d.clone()).expect("added");
            }
            for _ in 0..8 {
                let id = format!("d{}", rng.below(500));
                let was_there = kept.values().any(|d| d.id == id);
                kept.retain(|_, d| d.id != id);
                assert_eq!(writer.delete(&id).expect("deleted"), was_there, "round {round}");
            }
            writer.commit().expect("committed");
            assert!(index.reload().expect("reloaded"));
            assert_eq!(index.snapshot().n_documents(), kept.len() as u64);
        }
        let last: Vec<Document> = kept.into_values().collect();
        samples::index(at_once.path(), &model, &last, &IndexParams::default(), 1000);
        let expected = Index::open(at_once.path()).expect("opened");
        let same = |when: &str| {
            for text in ["w1 w2", "w5 w30 w7", "w0", "w60 w61 w62"] {
                let answer = |i: &Index| {
                    let hits = i.snapshot().search(&Query::new(text).top(30)).expect("answered").hits;
                    hits.into_iter().map(|h| (h.id, h.score)).collect::<Vec<_>>()
                };
                assert_eq!(answer(&index), answer(&expected), "{when} {text}");
            }
        };
        same("before merging");
        writer.merge().expect("merged");
        index.reload().expect("reloaded");
        same("after merging");
        let (merged, made) = (describe(grown.path()).expect("described"), describe(at_once.path()).expect("described"));
        assert_eq!((merged.n_segments, merged.n_deleted), (1, 0));
        assert_eq!(merged.sections, made.sections);
        let file = |folder: &std::path::Path| {
            let names = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path());
            std::fs::read(names.filter(|p| p.extension().is_some_and(|e| e == "qws")).last().expect("one"))
                .expect("read")
        };
        assert!(file(grown.path()) == file(at_once.path()), "a merged segment has the bytes of one made at once");
    }
}

#[test]
fn parts_made_elsewhere_are_one_index() {
    let documents = samples::documents(5, 300, 60);
    let words = samples::vectorizer(&documents, "log-tfidf");
    let model = samples::model(samples::matrices(5, words.vocabulary().len()).swap_remove(2), &words, &words);
    let folders: Vec<_> = (0..4).map(|_| tempfile::tempdir().expect("a folder")).collect();
    // The second part has documents of the first, which it replaces; the first has one that an earlier commit had.
    for (folder, range) in folders.iter().zip([0..120, 100..200, 200..300]) {
        samples::index(folder.path(), &model, &documents[range], &IndexParams::default(), 50);
    }
    let mut writer = Writer::create(folders[3].path(), &model, &IndexParams::default()).expect("created");
    writer.add(document(&documents[7].id, "w1 w1 w1")).expect("added");
    writer.commit().expect("committed");
    writer.adopt(&folders[..3].iter().map(|f| f.path().to_path_buf()).collect::<Vec<_>>()).expect("adopted");
    writer.merge().expect("merged");
    let at_once = tempfile::tempdir().expect("a folder");
    samples::index(at_once.path(), &model, &documents, &IndexParams::default(), 300);
    let (merged, made) =
        (describe(folders[3].path()).expect("described"), describe(at_once.path()).expect("described"));
    assert_eq!((merged.n_documents, merged.n_segments, merged.n_deleted), (300, 1, 0));
    assert_eq!(merged.sections, made.sections);
    let other = samples::model(Matrix::identity(words.vocabulary().len()).expect("small"), &words, &words);
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::create(folder.path(), &other, &IndexParams::default()).expect("created");
    let error = writer.adopt(&[at_once.path().to_path_buf()]).expect_err("refused");
    assert!(error.to_string().contains("of another model"), "{error}");
}

#[test]
fn a_snapshot_stays_as_it_is_and_ids_are_found() {
    let words = samples::vectorizer(&[document("x", "red green blue ship car")], "bm25-document");
    let n = words.vocabulary().len();
    let model = samples::model(Matrix::identity(n).expect("small"), &words, &words);
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::create(folder.path(), &model, &IndexParams::default()).expect("created");
    writer.add(document("a", "red car")).expect("added");
    writer.add(document("b", "red ship")).expect("added");
    writer.commit().expect("committed");
    let index = Index::open(folder.path()).expect("opened");
    let before = index.snapshot();
    assert_eq!(ids(&index, "ship"), ["b"]);
    writer.add(document("b", "green ship green ship")).expect("added");
    writer.add(document("b", "blue car")).expect("added");
    assert_eq!(ids(&index, "ship"), ["b"]);
    writer.commit().expect("committed");
    assert!(index.reload().expect("reloaded") && !index.reload().expect("reloaded"));
    assert_eq!(ids(&index, "ship"), Vec::<String>::new());
    assert_eq!(ids(&index, "blue"), ["b"]);
    assert_eq!(before.search(&Query::new("ship")).expect("answered").hits[0].id, "b");
    assert_eq!(before.document("b").expect("read").map(|d| d.text), Some("red ship".into()));
    assert_eq!(index.snapshot().document("b").expect("read").map(|d| d.text), Some("blue car".into()));
    assert_eq!(index.snapshot().document("c").expect("read"), None);
    assert_eq!(index.snapshot().n_documents(), 2);
    assert_eq!(Writer::open(folder.path()).expect_err("locked").family(), Family::Data);
    assert_eq!(
        Writer::create(folder.path(), &model, &IndexParams::default()).expect_err("there").family(),
        Family::Data
    );
    assert!(writer.add(document("", "x")).is_err() && writer.add(document("a\n", "x")).is_err());
    drop(writer);
    let mut writer = Writer::open(folder.path()).expect("free again");
    assert!(writer.delete("a").expect("deleted") && !writer.delete("a").expect("gone"));
    writer.commit().expect("committed");
    index.reload().expect("reloaded");
    assert_eq!(ids(&index, "red car"), ["b"]);
}

#[test]
fn another_model_takes_the_place_of_the_first() {
    let documents = samples::documents(4, 200, 50);
    let words = samples::vectorizer(&documents, "log-tfidf");
    let other_words = samples::vectorizer(&documents[..150], "bm25-document");
    let n = words.vocabulary().len();
    let folder = tempfile::tempdir().expect("a folder");
    let first = samples::model(Matrix::identity(n).expect("small"), &words, &words);
    samples::index(folder.path(), &first, &documents, &IndexParams::default(), 80);
    let mut writer = Writer::open(folder.path()).expect("opened");
    let index = Index::open(folder.path()).expect("opened");
    let mut models: Vec<_> = samples::matrices(4, n).into_iter().map(|m| samples::model(m, &words, &words)).collect();
    let others = samples::matrices(8, other_words.vocabulary().len()).into_iter();
    models.extend(others.map(|m| samples::model(m, &other_words, &other_words)));
    for model in &models {
        writer.set_model(model).expect("set");
        assert!(index.reload().expect("reloaded"));
        let fresh = tempfile::tempdir().expect("a folder");
        samples::index(fresh.path(), model, &documents, &IndexParams::default(), 200);
        let expected = Index::open(fresh.path()).expect("opened");
        for text in ["w1 w3", "w20 w2 w9"] {
            assert_eq!(ids(&index, text), ids(&expected, text), "{}", model.matrix().name());
        }
    }
    writer.set_model(&first).expect("set");
    index.reload().expect("reloaded");
    assert_eq!(index.snapshot().n_documents(), 200);
}
