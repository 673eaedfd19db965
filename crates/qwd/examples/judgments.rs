//! From a folder in BEIR's layout to a model that is measured against cosine.
//!
//! `cargo run -p qwd --example judgments`

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use qwd::prelude::*;
use std::fs;
use std::path::Path;

fn main() -> Result<()> {
    let folder = tempfile::tempdir().map_err(|e| Error::io("temporary folder", "create", e))?;
    write_folder(folder.path()).map_err(|e| Error::io(folder.path(), "write", e))?;

    let data = Opened::open(folder.path(), &mut Reading::default())?;
    let threads = Threads::new(0)?;
    let learned = Plan {
        train: Method::from_json("sparse-sgd", serde_json::json!({ "learning_rate": 10.0 }))?,
        tuples: 5_000,
        ..Plan::default()
    };
    let cosine = Plan { train: Method::from_json("identity", serde_json::json!({}))?, ..Plan::default() };

    let metrics: [Metric; 2] = ["map".parse()?, "ndcg@10".parse()?];
    for plan in [cosine, learned] {
        let model = plan.run(&data, &threads, &Silent)?.model;
        let prepared =
            Prepared::with_model(&data, &model, SplitRule { seed: plan.seed, ..SplitRule::default() }, &threads)?;
        let (task, vectors) = prepared.task(Split::Test)?;
        let summary = evaluate(model.matrix(), &task, vectors, &prepared, &metrics, &threads)?.summary();
        for (metric, mean) in summary.metrics.iter() {
            println!("{:<12} {metric:<8} {mean:.3}", plan.train.name());
        }
    }
    Ok(())
}

/// Twelve topics; articles and questions use different words for each.
fn write_folder(folder: &Path) -> std::io::Result<()> {
    let (mut corpus, mut queries) = (String::new(), String::new());
    let mut qrels = ["train", "test"].map(|split| (split, "query-id\tcorpus-id\tscore\n".to_string()));
    for topic in 0..12 {
        corpus +=
            &format!("{{\"_id\":\"a{topic}\",\"text\":\"article about formal{topic} and official{topic} matters\"}}\n");
        for i in 0..6 {
            queries += &format!("{{\"_id\":\"q{topic}-{i}\",\"text\":\"a question on casual{topic} number{i}\"}}\n");
            let of_split = &mut qrels[usize::from(i == 5)].1;
            *of_split += &format!("q{topic}-{i}\ta{topic}\t1\n");
        }
    }
    fs::write(folder.join("corpus.jsonl"), corpus)?;
    fs::write(folder.join("queries.jsonl"), queries)?;
    fs::create_dir(folder.join("qrels"))?;
    qrels.into_iter().try_for_each(|(split, lines)| fs::write(folder.join(format!("qrels/{split}.tsv")), lines))
}
