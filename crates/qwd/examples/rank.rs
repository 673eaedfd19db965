//! The second stage: feature vectors to a sparse ranker, cross-validated and saved.
//!
//! `cargo run -p qwd --example rank`

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use qwd::core::Rng;
use qwd::prelude::*;
use qwd::rank::{CrossValidation, FeatureSet, Fold, Method, MetricFamily, RankerFile, Scaler};

fn main() -> Result<()> {
    let folds: Vec<Fold> = (0..3)
        .map(|i| Ok(Fold::new(format!("fold {i}"), made(3 * i)?, made(3 * i + 1)?, made(3 * i + 2)?)))
        .collect::<Result<_>>()?;
    let threads = Threads::new(0)?;
    for name in ["fenchel", "lambdamart"] {
        let run = CrossValidation::new(Method::from_name(name)?, MetricFamily::Standard);
        let result = run.run(&folds, &threads, &Silent)?;
        let figure = |name: &str| result.mean.get(name).unwrap_or_default();
        println!("{name:<12} ndcg@10 {:.3}, share of features {:.2}", figure("ndcg@10"), figure("sparsity"));
    }

    let method = Method::from_name("fenchel")?;
    let ranker = method.train(&folds[0].train, None, &threads, &Silent)?;
    println!("{:?}", ranker.features());
    let folder = tempfile::tempdir().map_err(|e| Error::io("temporary folder", "create", e))?;
    let path = folder.path().join("sparse.ranker");
    let file = RankerFile { ranker, scaler: Scaler::None, method: "fenchel".into(), params: method.params() };
    file.save(&path)?;
    assert_eq!(RankerFile::load(&path)?, file);
    Ok(())
}

/// Forty queries of ten documents: two features of eight decide the grade.
fn made(seed: u64) -> Result<FeatureSet> {
    let mut rng = Rng::new(seed);
    let columns: Vec<Vec<f32>> = (0..8).map(|_| (0..400).map(|_| rng.unit() as f32).collect()).collect();
    let grades = (0..400).map(|i| i32::from(columns[1][i] - columns[5][i] > 0.2)).collect();
    FeatureSet::from_parts(columns, grades, (0..40).map(|q| (q.to_string(), 10)).collect())
}
