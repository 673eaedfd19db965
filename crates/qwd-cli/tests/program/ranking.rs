//! The second stage: features, training, measuring, cross-validation, comparison, bad files.

use crate::folders::Folder;
use crate::running::{json, names, number, qwd};
use serde_json::Value;
use std::fmt::Write as _;

/// A number from 0 to 1 that looks like chance (the mixing of splitmix64).
fn noise(key: [u64; 4]) -> f64 {
    let mix = |z: u64| {
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let hash =
        key.into_iter().fold(1u64, |hash, part| mix(hash.wrapping_add(part).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    (hash >> 11) as f64 / (1u64 << 53) as f64
}

/// Documents whose grade follows the second of four features; the third is its opposite, the others are noise.
fn letor(seed: usize, n_queries: usize) -> String {
    let mut text = String::new();
    for query in 0..n_queries {
        for document in 0..10 {
            let value = |salt: u64| noise([seed as u64, query as u64, document, salt]);
            let grade = usize::from(value(2) > 0.5) + usize::from(value(2) > 0.8);
            let features = format!("1:{:.4} 2:{:.4} 3:{:.4} 4:{:.4}", value(1), value(2), 1.0 - value(2), value(4));
            writeln!(text, "{grade} qid:{} {features} # docid = D{query}-{document}", query + 1).expect("a string");
        }
    }
    text
}

/// A folder with two folds in the naming of LETOR 3.0 and 4.0.
fn folds(folder: &Folder, name: &str) {
    for (fold, parts) in
        [(1, ["train.txt", "vali.txt", "test.txt"]), (2, ["trainingset.txt", "validationset.txt", "testset.txt"])]
    {
        for (at, part) in parts.iter().enumerate() {
            folder.write(&format!("{name}/Fold{fold}/{part}"), letor(10 * fold + at, 12));
        }
    }
}

fn with_files() -> Folder {
    let folder = Folder::new();
    folder.write("train.txt", letor(1, 30)).write("vali.txt", letor(2, 15)).write("test.txt", letor(3, 15));
    folder
}

#[test]
fn a_ranker_is_trained_measured_and_inspected() {
    let folder = with_files();
    let train = json(folder.path(), "rank train train.txt --validation vali.txt --out r.ranker");
    assert_eq!(train["method"], "fenchel");
    assert!(number(&train, "/validation/metrics/ndcg@10") > 0.95, "{train}");
    assert_eq!((number(&train, "/n_queries"), number(&train, "/n_documents")), (30.0, 300.0));
    assert_eq!(number(&train, "/bytes"), folder.read("r.ranker").len() as f64);
    let eval = json(folder.path(), "rank eval test.txt --model r.ranker --depths 1,5 --run r.trec");
    assert!(number(&eval, "/metrics/ndcg@5") > 0.95 && number(&eval, "/standard_errors/map") >= 0.0, "{eval}");
    assert_eq!(number(&eval, "/n_queries"), 15.0);
    let run = String::from_utf8(folder.read("r.trec")).expect("text");
    assert!(run.starts_with("1 Q0 D0-") && run.lines().count() == 150, "{run}");
    let inspect = json(folder.path(), "rank inspect r.ranker");
    assert_eq!(inspect["kind"], "linear");
    assert!([2.0, 3.0].contains(&number(&inspect, "/features/0/feature")), "{inspect}");
    assert_eq!(json(folder.path(), "inspect r.ranker"), inspect);
    assert!(qwd(folder.path(), "rank inspect r.ranker").expect(0).stdout.contains("of 4 in use"));
}

#[test]
fn every_method_trains_and_has_the_same_bytes_at_any_number_of_threads() {
    let folder = with_files();
    for method in ["fenchel", "ranksvm-primal", "ranksvm-struct", "tgrank", "rsrank", "fs-rank-2", "listnet"]
        .into_iter()
        .chain(["adarank-ndcg", "adarank-map", "rankboost", "coordinate-ascent", "mart", "lambdamart", "blend"])
    {
        let bytes = [1, 3].map(|threads| {
            let train = format!("rank train train.txt --method {method} --threads {threads} --out r.ranker");
            qwd(folder.path(), &train).expect(0);
            folder.read("r.ranker")
        });
        assert!(bytes[0] == bytes[1], "{method}");
        let eval = json(folder.path(), "rank eval test.txt --model r.ranker");
        assert!(number(&eval, "/metrics/ndcg@10") > 0.9, "{method}: {eval}");
    }
}

#[test]
fn cross_validation_keeps_its_contract() {
    let folder = Folder::new();
    folds(&folder, "folds");
    let cv = "rank cv --method fenchel --folds folds --metrics letor4";
    let answer = json(folder.path(), &format!("{cv} --out rankers --report cv.json --plot cv.svg --depths 1,3,5,10"));
    assert_eq!(answer["method"], "fenchel");
    for name in ["ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map", "sparsity", "train_seconds"] {
        let of_folds: Vec<f64> = (0..2).map(|i| number(&answer["folds"][i], &format!("/{name}"))).collect();
        assert!((number(&answer["mean"], &format!("/{name}")) - (of_folds[0] + of_folds[1]) / 2.0).abs() < 1e-12);
    }
    assert!(number(&answer, "/folds/1/params/radius") >= 1.0);
    assert_eq!(names(&folder.file("rankers")), ["Fold1.ranker", "Fold2.ranker"]);
    assert!(String::from_utf8_lossy(&folder.read("cv.svg")).contains("fenchel"));
    let figure = |arguments: &str| number(&json(folder.path(), arguments), "/metrics/map");
    let again = figure("rank eval folds/Fold2/testset.txt --model rankers/Fold2.ranker --metrics letor4");
    assert!((again - number(&answer, "/folds/1/map")).abs() < 1e-12);
    let one = json(folder.path(), &format!("{cv} --grid radius=2 --choose-by map --set tolerance=0.1"));
    assert_eq!((number(&one, "/folds/0/params/radius"), number(&one, "/folds/0/params/tolerance")), (2.0, 0.1));
    let run = qwd(folder.path(), &format!("{cv} --grid none")).expect(0);
    assert!(run.stdout.contains("mean") && run.stdout.contains("features used by 2 of 2 folds"), "{}", run.stdout);
}

#[test]
fn methods_and_rankers_are_compared() {
    let folder = with_files();
    folds(&folder, "folds");
    let compare = "rank compare --folds folds --method fenchel --method mart --method adarank-ndcg --plot c.svg";
    let answer = json(folder.path(), compare);
    assert_eq!(answer["methods"].as_array().map(Vec::len), Some(3));
    assert_eq!(answer.pointer("/methods/2/method"), Some(&"adarank-ndcg".into()));
    let differences = answer["differences"].as_array().expect("a list");
    assert!(differences.iter().any(|d| d["other"] == "mart" && d["metric"] == "map"), "{answer}");
    assert!(differences.iter().all(|d| (0.0..=1.0).contains(&number(d, "/t_test"))), "{answer}");
    assert!(String::from_utf8_lossy(&folder.read("c.svg")).contains("adarank"));
    qwd(folder.path(), "rank train train.txt --out good.ranker").expect(0);
    folder.write("noise.txt", letor(5, 30).replace(" 2:", " 9:").replace(" 3:", " 8:").replace(" 1:", " 2:"));
    qwd(folder.path(), "rank train noise.txt --set max_iterations=1 --out bad.ranker").expect(0);
    let models = "rank compare --on test.txt --model good.ranker --model bad.ranker";
    assert_eq!(json(folder.path(), models)["models"].as_array().map(Vec::len), Some(2));
    qwd(folder.path(), &format!("{models} --fail-if-worse")).fails(5, &["bad.ranker is worse than good.ranker"]);
    qwd(folder.path(), "rank compare --on test.txt --model bad.ranker --model good.ranker --fail-if-worse").expect(0);
    qwd(folder.path(), "rank compare --on test.txt --model good.ranker").fails(2, &["two or more"]);
}

#[test]
fn a_path_chooses_its_radius_and_is_drawn() {
    let folder = with_files();
    let train = "rank train train.txt --validation vali.txt --path 0.5,2,8 --out r.ranker --report r.json";
    let answer = json(folder.path(), train);
    assert!([0.5, 2.0, 8.0].contains(&number(&answer, "/params/radius")), "{answer}");
    let report: Value = serde_json::from_slice(&folder.read("r.json")).expect("JSON");
    assert_eq!(report["fits"].as_array().map(Vec::len), Some(3));
    for (show, text) in [("gap", "duality gap"), ("objective", "objective"), ("weights", "radius")] {
        json(folder.path(), &format!("plot lines r.json --show {show} --by-seconds --out p.svg"));
        assert!(String::from_utf8_lossy(&folder.read("p.svg")).contains(text), "{show}");
    }
    qwd(folder.path(), "rank train train.txt --method mart --path 1,2 --out r.ranker").fails(2, &["--path", "fenchel"]);
}

#[test]
fn trees_go_to_lightgbm_and_back() {
    let folder = with_files();
    json(folder.path(), "rank train train.txt --method lambdamart --out t.ranker --lightgbm t.txt");
    let figure = |model: &str| json(folder.path(), &format!("rank eval test.txt --model {model}"));
    assert_eq!(figure("t.ranker"), figure("t.txt"));
    assert_eq!(json(folder.path(), "rank inspect t.txt")["method"], "lightgbm");
    qwd(folder.path(), "rank train train.txt --out l.ranker --lightgbm l.txt").fails(2, &["--lightgbm", "lambdamart"]);
}

#[test]
fn a_ranker_remembers_how_features_were_scaled() {
    let folder = with_files();
    let wide = |name: &str| String::from_utf8_lossy(&folder.read(name)).replace(":0.", ":7.");
    folder.write("wide.txt", wide("train.txt")).write("wide-test.txt", wide("test.txt"));
    for scaling in ["overall", "per-query"] {
        json(folder.path(), &format!("rank train wide.txt --scaling {scaling} --out {scaling}.ranker"));
        assert_eq!(json(folder.path(), &format!("rank inspect {scaling}.ranker"))["scaling"], scaling);
        let eval = json(folder.path(), &format!("rank eval wide-test.txt --model {scaling}.ranker"));
        assert!(number(&eval, "/metrics/ndcg@10") > 0.95, "{scaling}: {eval}");
    }
}

#[test]
fn damage_to_a_ranker_is_found() {
    let folder = with_files();
    json(folder.path(), "rank train train.txt --out r.ranker");
    assert_eq!(json(folder.path(), "verify r.ranker")["sound"], true);
    let text = String::from_utf8(folder.read("r.ranker")).expect("text");
    folder.write("damaged.ranker", text.replacen("radius", "radios", 1));
    let verified = qwd(folder.path(), "verify damaged.ranker --json").expect(5);
    assert!(verified.stdout.contains("\"sound\":false"), "{}", verified.stdout);
    qwd(folder.path(), "rank eval test.txt --model damaged.ranker").fails(4, &["damaged.ranker", "checksum"]);
    qwd(folder.path(), "rank eval test.txt --model test.txt").fails(4, &["test.txt"]);
}

#[test]
fn bad_files_and_settings_are_told_their_line_or_name() {
    let folder = with_files();
    let refuses = |name: &str, text: &str, words: &[&str]| {
        folder.write(name, text);
        qwd(folder.path(), &format!("rank train {name} --out bad.ranker")).fails(3, words);
        assert!(!folder.file("bad.ranker").exists());
    };
    refuses("a.txt", "1 1:1\n0 1:2\n", &["a.txt:1", "names no query"]);
    refuses("a.txt", "1 qid:1 1:1\n0 1:2\n", &["a.txt:2", "give every row a qid"]);
    refuses("b.txt", "1 qid:1 1:1\n0 qid:2 1:2\n0 qid:1 1:3\n", &["b.txt:3", "comes back", "line 1"]);
    refuses("c.txt", "1.5 qid:1 1:1\n", &["c.txt:1", "whole number"]);
    refuses("d.txt", "1 qid:1 0:1\n", &["d.txt:1"]);
    refuses("e.txt", "1 qid:1 -3:1\n", &["e.txt:1"]);
    refuses("f.txt", "1 qid:1 99999999:1\n", &["f.txt:1"]);
    refuses("g.txt", "1 qid:1 1:1\n0 qid:2 1:2\n", &["no order to learn"]);
    refuses("h.txt", "", &["h.txt", "no rows"]);
    folder.write("empty/Fold1/train.txt", letor(1, 2)).write("empty/Fold1/vali.txt", "");
    folder.write("empty/Fold1/test.txt", letor(2, 2));
    qwd(folder.path(), "rank cv --folds empty").fails(3, &["vali.txt", "no rows"]);
    qwd(folder.path(), "rank cv --folds nowhere").fails(1, &["nowhere"]);
    qwd(folder.path(), "rank cv --folds .").expect(0);
    let train = "rank train train.txt --out r.ranker";
    qwd(folder.path(), &format!("{train} --method magic")).fails(2, &["magic", "lambdamart"]);
    qwd(folder.path(), &format!("{train} --set radios=1")).fails(2, &["radios", "radius"]);
    qwd(folder.path(), &format!("{train} --set radius=-1")).fails(2, &["radius", "above 0"]);
    qwd(folder.path(), &format!("{train} --metrics letor5")).fails(2, &["letor3, letor4, standard"]);
    let help = qwd(folder.path(), "rank train --help").expect(0).stdout;
    assert!(help.contains("feature_share") && help.contains("Symbol: ε"), "{help}");
}

#[test]
fn matches_become_features_of_a_ranker() {
    let folder = Folder::new().with_texts().with_judgments();
    json(folder.path(), "train data --tuples 2000 --out m.qwd");
    for split in ["train", "dev", "test"] {
        let features = format!("features data --model m.qwd --split {split} --depth 5 --out {split}.letor.gz");
        let answer = json(folder.path(), &features);
        let names: Vec<&str> = answer["features"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
        assert_eq!((names.len(), names[0], names[5], names[15]), (16, "bm25(title)", "bm25(text)", "m"));
    }
    json(folder.path(), "rank train train.letor.gz --scaling per-query --out r.ranker");
    let with_model = json(folder.path(), "rank eval test.letor.gz --model r.ranker");
    assert!(number(&with_model, "/metrics/ndcg@10") > 0.8, "{with_model}");
    assert_eq!(number(&json(folder.path(), "rank inspect r.ranker"), "/features/0/feature"), 16.0);
    let plain = qwd(folder.path(), "features data --split test --depth 3 --out -").expect(0).stdout;
    assert!(plain.starts_with("# 1: bm25(title)\n") && plain.contains("query = q78"), "{plain}");
    qwd(folder.path(), "features data --split test --out - --json").fails(2, &["--out"]);
    qwd(folder.path(), "features data --clicks --out f.letor").fails(3, &["click graph is empty"]);
    let document = plain.lines().find_map(|line| line.strip_suffix(" query = q78")?.rsplit(' ').next());
    let document = document.expect("a document of q78");
    folder.write("data/clicks.jsonl", format!("{{\"query\":\"q78\",\"document\":\"{document}\",\"clicks\":5}}\n"));
    let clicked = qwd(folder.path(), "features data --split test --clicks --depth 3 --out -").expect(0).stdout;
    assert!(clicked.contains("# 16: random_walk\n# 17: bilingual_topics\n"), "{clicked}");
    let walked: Vec<&str> = clicked.lines().filter(|line| !line.starts_with('#') && line.contains(" 16:")).collect();
    let [walked] = walked.as_slice() else { panic!("one document was clicked: {walked:?}") };
    assert!(walked.ends_with(&format!("docid = {document} query = q78")), "{walked}");
    let folder = Folder::new().with_texts().with_preferences();
    qwd(folder.path(), "features data --out f.letor").fails(3, &["preferences give documents no grades"]);
}

#[test]
fn the_papers_tables_run_on_whichever_collection_is_there() {
    let folder = Folder::new();
    folds(&folder, "sets/letor3_ohsumed/QueryLevelNorm");
    folds(&folder, "sets/letor3_hp2004");
    let table = json(folder.path(), "reproduce 3-table2 --data sets");
    let rows = table["rows"].as_array().expect("rows");
    let found: Vec<(&str, &str)> =
        rows.iter().filter_map(|r| Some((r["method"].as_str()?, r["dataset"].as_str()?))).collect();
    let wanted =
        [("ranksvm-primal", "ohsumed"), ("fenchel", "ohsumed"), ("ranksvm-primal", "hp2004"), ("fenchel", "hp2004")];
    assert_eq!(found, wanted);
    assert_eq!(number(&rows[1], "/paper/map"), 0.4486);
    assert!(number(&rows[1], "/metrics/ndcg@10") > 0.9, "{table}");
    let figure = json(folder.path(), "reproduce 3-figure1-hp2004 --data sets");
    assert_eq!(figure["rows"].as_array().map(Vec::len), Some(5));
    let of = |name: &str| figure["rows"].as_array().and_then(|rows| rows.iter().find(|r| r["method"] == name)).cloned();
    let ndcg = |name: &str| number(&of(name).expect(name), "/metrics/ndcg@10");
    assert!(ndcg("feature-2") > ndcg("random") && ndcg("random") > ndcg("feature-3"), "{figure}");
    folder.write("f.json", figure.to_string());
    json(folder.path(), "plot lines f.json --out f.svg");
    assert!(String::from_utf8_lossy(&folder.read("f.svg")).contains("random weights"));
    let curves = json(folder.path(), "reproduce 3-figure4-hp2004 --data sets");
    assert!(number(&curves, "/rows/0/metrics/ndcg@7") > 0.9, "{curves}");
    folder.write("c.json", curves.to_string());
    json(folder.path(), "plot lines c.json --out c.svg");
    let tests = json(folder.path(), "reproduce 3-table3-hp2004 --data sets");
    assert_eq!(number(&tests, "/rows/0/paper/p(map)"), 0.0137);
    assert!((0.0..=1.0).contains(&number(&tests, "/rows/0/metrics/p(map)")), "{tests}");
    let times = json(folder.path(), "reproduce 3-table6-hp2004 --data sets --only fenchel");
    assert!(number(&times, "/rows/0/metrics/times_faster") > 0.0, "{times}");
    qwd(folder.path(), "reproduce 3-table5-mq2008 --data sets").fails(3, &["letor4_mq2008"]);
    qwd(folder.path(), "reproduce 3-table2-hp2004 --data sets --only magic").fails(2, &["--only", "ranksvm-primal"]);
    qwd(folder.path(), "reproduce 3-table99").fails(2, &["3-table9[-mq2008|"]);
}
