//! The README's tables are made of the recorded results, and stay so: `QWD_BLESS=1 cargo test -p qwd-lab --test
//! readme_tables` writes them anew.

use qwd_lab::reproduce::{Report, Row};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- tables -->\n";
const END: &str = "<!-- end of tables -->";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn report(name: &str) -> Report {
    let path = root().join(format!("experiments/results/{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A figure with the paper's in brackets.
fn figure(row: &Row, name: &str) -> String {
    let measured = row.metrics.get(name).map_or("–".into(), |x| format!("{x:.3}"));
    row.paper.get(name).map_or(measured.clone(), |paper| format!("{measured} ({paper:.3})"))
}

fn table(name: &str, title: &str, figures: &[&str]) -> String {
    let report = report(name);
    let mut out = format!(
        "**{title}** (`qwd reproduce {name}`)\n\n| method | {} | density | file | training |\n",
        figures.join(" | ")
    );
    writeln!(out, "|---|{}---|---|---|", "---|".repeat(figures.len())).expect("a string");
    for row in &report.rows {
        let cells: Vec<String> = figures.iter().map(|name| figure(row, name)).collect();
        let of = |name: &str| row.metrics.get(name).copied().unwrap_or_default();
        writeln!(
            out,
            "| {} | {} | {:.2} % | {:.1} MB | {:.1} s |",
            row.method,
            cells.join(" | "),
            of("density") * 100.0,
            of("bytes") / 1e6,
            of("train_seconds"),
        )
        .expect("a string");
    }
    out
}

/// Figures and seconds alone, where density and file tell nothing.
fn figures_of(name: &str, title: &str, figures: &[&str]) -> String {
    let mut out = format!("**{title}** (`qwd reproduce {name}`)\n\n| method | {} | training |\n", figures.join(" | "));
    writeln!(out, "|---|{}---|", "---|".repeat(figures.len())).expect("a string");
    for row in &report(name).rows {
        let cells: Vec<String> = figures.iter().map(|name| figure(row, name)).collect();
        let seconds = row.metrics.get("train_seconds").copied().unwrap_or_default();
        writeln!(out, "| {} | {} | {seconds:.1} s |", row.method, cells.join(" | ")).expect("a string");
    }
    out
}

fn words(name: &str, title: &str) -> String {
    let head = "| word | goes with | in the paper |\n|---|---|---|\n";
    let mut out = format!("**{title}** (`qwd reproduce {name}`)\n\n{head}");
    for row in report(name).rows {
        writeln!(out, "| {} | {} | {} |", row.method, row.words.join(" "), row.paper_words.join(" "))
            .expect("a string");
    }
    out
}

/// Systems with default settings, by the names that they have in the recorded results.
const PEERS: [&str; 6] = ["qwd", "bm25s", "scikit-learn tf-idf", "scikit-learn lsi", "vowpal wabbit", "minilm"];

/// What each system makes of each data set without tuning: nDCG@10, and MAP in brackets.
fn side_by_side() -> String {
    let path = root().join("experiments/versus/results.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let recorded: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let title = "nDCG@10 (MAP) of `qwd train DATA` and of other systems as they come";
    let mut out = format!("**{title}** (`experiments/versus/run.sh DATA`)\n\n| data | {} |\n", PEERS.join(" | "));
    writeln!(out, "|---|{}", "---|".repeat(PEERS.len())).expect("a string");
    for (data, systems) in recorded["text"].as_object().expect("data sets") {
        let cell = |system: &&str| {
            let figure = |name: &str| systems[system][name].as_f64();
            let figures = figure("ndcg@10").zip(figure("map"));
            figures.map_or("–".into(), |(ndcg, map)| format!("{ndcg:.3} ({map:.3})"))
        };
        writeln!(out, "| {data} | {} |", PEERS.iter().map(cell).collect::<Vec<_>>().join(" | ")).expect("a string");
    }
    out
}

/// What the word features paper measures.
const PROTOCOL: [&str; 3] = ["rank_loss", "map", "p@10"];

fn all_tables() -> String {
    [
        side_by_side(),
        table("1-table2-20ng", "20 Newsgroups, 10,000 words, 100,000 tuples", &["map", "error"]),
        table("1-table2-mnist", "MNIST, 784 pixels, 100,000 tuples", &["map", "error"]),
        table("1-table2-reuters", "Reuters-21578 (in place of RCV1), 100,000 tuples", &["map", "error"]),
        table("nfcorpus", "NFCorpus test queries", &["ndcg@10", "map"]),
        figures_of("2-table1", "Related documents: links of Wikispeedia, 30,000 words", &PROTOCOL),
        figures_of("2-table2", "The same with all words: hash kernels and correlated hashing", &PROTOCOL),
        figures_of("2-table1-mdn", "Related documents: links of MDN's English pages, 30,000 words", &PROTOCOL),
        figures_of(
            "2-table11",
            "Questions and answers: InsuranceQA, all 27,413 answers",
            &["mrr", "p@1", "map", "rank_loss"],
        ),
        figures_of("2-table9", "Japanese pages ask for English ones: MDN, 30,000 words", &PROTOCOL),
        figures_of(
            "3-table8-mq2008",
            "Rankers on MQ2008, five folds, LETOR 4.0's NDCG",
            &["ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map", "sparsity"],
        ),
        figures_of("4-table2", "Matching from one simulated week of clicks", &["ndcg@1", "ndcg@3", "ndcg@5"]),
        figures_of(
            "4-table2-wikispeedia",
            "The link that a reader of Wikispeedia chose, from paths",
            &["mrr", "ndcg@1", "ndcg@5"],
        ),
        figures_of(
            "4-table5",
            "Trees on matching scores as features, a sixteenth of half a simulated year of clicks",
            &["ndcg@1", "ndcg@3", "ndcg@5"],
        ),
        words("1-table3", "Words that W connects on 20 Newsgroups"),
        words("2-table7", "Words and the frequent words that correlated hashing puts them with, on Wikispeedia"),
        words("2-table8", "The same for runs of two words"),
    ]
    .join("\n")
}

#[test]
fn the_readme_shows_the_recorded_results() {
    let path = root().join("README.md");
    let readme = std::fs::read_to_string(&path).expect("a README");
    let from = readme.find(BEGIN).expect("the mark before the tables") + BEGIN.len();
    let to = readme.find(END).expect("the mark behind the tables");
    let wanted = format!("\n{}\n", all_tables());
    if std::env::var_os("QWD_BLESS").is_some() {
        std::fs::write(&path, format!("{}{wanted}{}", &readme[..from], &readme[to..])).expect("written");
        return;
    }
    assert!(readme[from..to] == wanted, "README.md differs from what is recorded in experiments; run with QWD_BLESS=1");
}
