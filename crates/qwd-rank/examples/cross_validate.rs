//! Cross-validates methods on a LETOR folder: `cross_validate FOLDER letor4 fenchel listnet …`, one line each.
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use qwd_core::{Result, Silent, Threads};
use qwd_rank::folds::open_letor;
use qwd_rank::{CrossValidation, Grid, Method, MetricFamily};
use std::time::Instant;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_default();
    let family = MetricFamily::from_name(&arguments.next().unwrap_or_default())?;
    let folds = open_letor(folder.as_ref(), Default::default(), &mut Default::default())?;
    let threads = Threads::new(0)?;
    println!("method               ndcg@1  ndcg@3  ndcg@5 ndcg@10     map sparsity validation  seconds of the whole");
    for name in arguments {
        let (name, grid) =
            name.split_once(':').map_or((name.as_str(), None), |(name, grid)| (name, Some(grid.to_string())));
        let mut run = CrossValidation::new(Method::from_name(name)?, family);
        if let Some(grid) = grid {
            run.grid = Grid::parse(&grid)?;
        }
        let begun = Instant::now();
        let result = run.run(&folds, &threads, &Silent)?;
        let figure = |name: &str| result.mean.get(name).unwrap_or(0.0);
        let figures =
            ["ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map", "sparsity"].map(|name| format!("{:.4}", figure(name)));
        let validation = result.folds.iter().map(|fold| fold.validation).sum::<f64>() / result.folds.len() as f64;
        println!("{name:<20} {}     {validation:.4}   {:.1}", figures.join("  "), begun.elapsed().as_secs_f64());
    }
    Ok(())
}
