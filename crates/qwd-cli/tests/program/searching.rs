//! Indexes: made, changed, asked, described, verified.

use crate::folders::Folder;
use crate::running::{Run, command, json, number, qwd};
use serde_json::{Value, json as object};

fn indexed(more: &str) -> Folder {
    let folder = Folder::new();
    json(folder.path(), "train demo --tuples 2000 --out m.qwd");
    let answer = json(folder.path(), &format!("index demo --model m.qwd --out i {more}"));
    assert_eq!(number(&answer, "/added"), 240.0);
    folder
}

fn search(folder: &Folder, arguments: &[&str]) -> Value {
    Run::of(command(folder.path()).arg("search").args(arguments).arg("--json").output().expect("runs")).json()
}

#[test]
fn an_index_answers_with_reasons_that_add_up() {
    let folder = indexed("");
    let answer = search(&folder, &["i", "my telly is blankk", "-k", "3", "--explain"]);
    let hits = answer["hits"].as_array().expect("a list");
    assert!(!hits.is_empty() && hits.len() <= 3, "{answer}");
    for hit in hits {
        let reasons = hit["reasons"].as_array().expect("a list");
        let sum: f64 = reasons.iter().map(|r| number(r, "/value")).sum();
        assert!((sum - number(hit, "/score")).abs() < 1e-4, "{hit}");
        assert!(hit["snippet"]["text"].is_string() && hit["document"]["text"].is_string(), "{hit}");
    }
    assert!(number(&answer, "/micros") > 0.0);
    assert_eq!(answer["unknown_words"], object!(["blankk"]));
    let run = qwd(folder.path(), "search i wifi -k 2").expect(0);
    assert!(run.stdout.contains("documents in"), "{}", run.stdout);
}

#[test]
fn expanded_documents_and_queries_give_the_same_ranking() {
    let folder = indexed("");
    json(folder.path(), "index demo --model m.qwd --expand documents --out e");
    for text in ["slow wifi", "phone pics"] {
        let (a, b) = (search(&folder, &["i", text]), search(&folder, &["e", text]));
        let scores =
            |v: &Value| v["hits"].as_array().expect("hits").iter().map(|h| number(h, "/score")).collect::<Vec<_>>();
        for (x, y) in scores(&a).iter().zip(scores(&b)) {
            assert!((x - y).abs() < 1e-5, "{a} {b}");
        }
    }
    let pruned = json(folder.path(), "index demo --model m.qwd --expand documents --prune 5 --out p");
    assert!(number(&pruned, "/lost") > 0.0, "{pruned}");
}

#[test]
fn documents_are_added_replaced_filtered_and_deleted() {
    let folder = indexed("");
    folder.write(
        "more.jsonl",
        "{\"_id\":\"x\",\"text\":\"wifi wifi\",\"area\":\"net\"}\n{\"_id\":\"y\",\"text\":\"phone\"}\n",
    );
    assert_eq!(number(&json(folder.path(), "index more.jsonl --add --out i"), "/n_documents"), 242.0);
    let ids = |answer: Value| -> Vec<String> {
        let hits = answer["hits"].as_array().expect("hits").clone();
        hits.iter().map(|h| h["id"].as_str().expect("an id").to_string()).collect()
    };
    assert_eq!(ids(search(&folder, &["i", "wifi", "--filter", "area=net"])), ["x"]);
    folder.write("more.jsonl", "{\"_id\":\"x\",\"text\":\"phone\"}\n");
    let answer = json(folder.path(), "index more.jsonl --add --out i");
    assert_eq!((number(&answer, "/added"), number(&answer, "/deleted")), (1.0, 1.0));
    assert!(ids(search(&folder, &["i", "wifi", "--filter", "area=net"])).is_empty());
    let answer = json(folder.path(), "index --delete x --delete y --delete z --merge --out i");
    assert_eq!((number(&answer, "/n_documents"), number(&answer, "/n_segments")), (240.0, 1.0));
    qwd(folder.path(), "index demo --model m.qwd --out i").fails(3, &["holds an index already"]);
    qwd(folder.path(), "index demo --add --out none").fails(1, &["none: cannot open as an index"]);
    qwd(folder.path(), "search i wifi --filter =").fails(2, &["filter"]);
}

#[test]
fn a_file_of_queries_becomes_a_run() {
    let folder = indexed("");
    folder.write("q.jsonl", "{\"_id\":\"q1\",\"text\":\"slow wifi\"}\n{\"_id\":\"q2\",\"text\":\"\"}\n");
    let answer = json(folder.path(), "search i --queries q.jsonl --run r.trec -k 5");
    assert_eq!(number(&answer, "/n_queries"), 2.0);
    let run = String::from_utf8(folder.read("r.trec")).expect("text");
    assert!(run.lines().count() == 5 && run.lines().all(|l| l.starts_with("q1 Q0 ")), "{run}");
}

#[test]
fn an_index_is_described_and_verified() {
    let folder = indexed("");
    let summary = json(folder.path(), "inspect i");
    assert_eq!((summary["form"].as_str(), number(&summary, "/n_documents")), (Some("sparse"), 240.0));
    assert!(qwd(folder.path(), "inspect i").expect(0).stdout.contains("postings"));
    assert_eq!(json(folder.path(), "verify i")["sound"], true);
    let path = folder.file("i").join("segment-1.qws");
    let mut bytes = std::fs::read(&path).expect("a segment");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).expect("written");
    qwd(folder.path(), "verify i").expect(5);
    qwd(folder.path(), "search i wifi --filter area=net").fails(4, &["segment-1.qws", "damaged"]);
}
