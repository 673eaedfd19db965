//! LambdaMART at LightGBM's defaults on every fold of a LETOR folder, for a comparison with LightGBM itself:
//! `lambdamart FOLDER OUT [MODEL]` prints the mean ndcg-exp@10 and the seconds, and writes the first fold's model and its
//! scores to OUT; the scores of MODEL, a LightGBM text model, are written beside them.
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use qwd_core::{Error, Result, Silent, Threads};
use qwd_metrics::{Depth, Metric};
use qwd_rank::folds::open_letor;
use qwd_rank::{FeatureSet, Method, Ranker, lightgbm, measure};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folds = open_letor(arguments[0].as_ref(), Default::default(), &mut Default::default())?;
    let threads = Threads::new(1)?;
    let method = Method::from_name("lambdamart")?;
    let (mut sum, mut seconds) = (0.0, 0.0);
    for (at, fold) in folds.iter().enumerate() {
        let begun = Instant::now();
        let ranker = method.train(&fold.train, None, &threads, &Silent)?;
        seconds += begun.elapsed().as_secs_f64();
        let scores = ranker.score_all(&fold.test, &threads)?;
        sum += measure::mean(&fold.test, &scores, Metric::ExponentialNdcg(Depth::at(10)?))?;
        if let (0, Ranker::Trees(trees)) = (at, &ranker) {
            write(&arguments[1], &lightgbm::to_text(trees))?;
            write_scores(&format!("{}.scores", arguments[1]), &ranker, &fold.test, &threads)?;
        }
    }
    println!("ndcg-exp@10 {:.4}, {seconds:.2} s", sum / folds.len() as f64);
    if let Some(model) = arguments.get(2) {
        let text = std::fs::read_to_string(model).map_err(|e| Error::io(model, "read", e))?;
        let ranker = Ranker::Trees(lightgbm::from_text(&text, Path::new(model))?);
        write_scores(&format!("{}.theirs", arguments[1]), &ranker, &folds[0].test, &threads)?;
    }
    Ok(())
}

fn write_scores(path: &str, ranker: &Ranker, set: &FeatureSet, threads: &Threads) -> Result<()> {
    let lines: Vec<String> = ranker.score_all(set, threads)?.iter().map(f32::to_string).collect();
    write(path, &lines.join("\n"))
}

fn write(path: &str, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|e| Error::io(path, "write", e))
}
