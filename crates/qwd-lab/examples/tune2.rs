use qwd_core::{Silent, Threads};
use qwd_data::*;
use qwd_lab::protocol::*;
use qwd_train::*;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let threads = Threads::new(2).unwrap();
    let mut opened = qwd_lab::collection::open(std::path::Path::new("/work/shared/data"), &args[0]).unwrap();
    if args[2] == "links" {
        if let Opened::Texts(d) = &mut opened {
            d.queries.clear();
            d.query_ids = Default::default();
            d.mates.clear();
        }
    }
    if args[2] == "mates" {
        if let Opened::Texts(d) = &mut opened {
            d.links.clear();
        }
    }
    let text: TextParams = toml::from_str(&args[1]).unwrap();
    let rule = SplitRule { seed: 0, shares: Shares::SEVENTY_THIRTY, links: LinkSplit::Links };
    let prepared = Prepared::fit(&opened, &text, rule, &threads).unwrap();
    let Opened::Texts(dataset) = &opened else { panic!() };
    let split = if args[3] == "test" { Split::Test } else { Split::Dev };
    let task = dataset.task(split, &rule).unwrap();
    let params = ProtocolParams { n_tuples: 20000, n_queries: 500, ..Default::default() };
    let protocol = Protocol::of_task(&task, dataset, &params).unwrap();
    let vectors = prepared.train_vectors();
    println!("docs {} cols {} nnz {}", vectors.documents.n_rows(), vectors.documents.n_cols(), vectors.documents.nnz());
    for plan in &args[4..] {
        let parsed: Plan = serde_json::from_str(plan).unwrap();
        let t = std::time::Instant::now();
        let model = match parsed.run_prepared(&prepared, &Constraints::default(), None, &threads, &Silent) {
            Ok(o) => o.model,
            Err(e) => {
                println!("{plan} {e}");
                continue;
            }
        };
        let s = t.elapsed().as_secs_f64();
        let scorer = MatrixScorer::try_new(model.matrix(), vectors).unwrap();
        let f = protocol.measure(&scorer, &threads).unwrap().figures();
        println!(
            "map {:.4} p10 {:.4} loss {:.4} train {s:.1}s total {:.1}s {plan}",
            f["map"],
            f["p@10"],
            f["rank_loss"],
            t.elapsed().as_secs_f64()
        );
    }
}
