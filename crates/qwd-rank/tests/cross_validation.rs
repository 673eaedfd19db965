//! Cross-validation: its protocol on a made collection, and the paper's figures on MQ2008 where the data are at hand.

use qwd_core::{Rng, Silent, Threads};
use qwd_metrics::significance::Alternative;
use qwd_rank::folds::open_letor;
use qwd_rank::{CrossValidation, FeatureSet, Fold, Grid, Method, MetricFamily, compare};
use serde_json::json;
use std::path::PathBuf;

fn part(seed: u64) -> FeatureSet {
    let mut rng = Rng::new(seed);
    let n = 15 * 12;
    let columns: Vec<Vec<f32>> = (0..5).map(|_| (0..n).map(|_| rng.unit() as f32).collect()).collect();
    let grades = (0..n).map(|i| i32::from(columns[2][i] + 0.3 * rng.unit() as f32 > 0.7)).collect();
    FeatureSet::from_parts(columns, grades, (0..15).map(|q| (format!("{seed}-{q}"), 12)).collect()).expect("fits")
}

fn folds() -> Vec<Fold> {
    (0..3).map(|f| Fold::new(format!("Fold{}", f + 1), part(10 * f), part(10 * f + 1), part(10 * f + 2))).collect()
}

#[test]
fn the_point_of_the_best_validation_figure_is_reported() {
    let grid = Grid::parse("radius=0.01,1,8 max_iterations=50").expect("a grid");
    let run = CrossValidation {
        grid,
        ..CrossValidation::new(Method::from_name("fenchel").expect("a method"), MetricFamily::Standard)
    };
    let result = run.run(&folds(), &Threads::new(2).expect("pool"), &Silent).expect("runs");
    for fold in &result.folds {
        for radius in [0.01, 1.0, 8.0] {
            let alone = CrossValidation {
                grid: Grid::none(),
                method: run
                    .method
                    .with("radius", json!(radius))
                    .expect("good")
                    .with("max_iterations", json!(50))
                    .expect("good"),
                ..run.clone()
            };
            let single = alone.run(&folds(), &Threads::default(), &Silent).expect("runs");
            let same_fold = single.folds.iter().find(|f| f.fold == fold.fold).expect("the fold");
            assert!(same_fold.validation <= fold.validation);
        }
    }
    let json = serde_json::to_value(&result).expect("writes");
    assert_eq!(json["method"], "fenchel");
    for name in ["ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map", "sparsity", "train_seconds"] {
        assert!(json["mean"][name].is_number() && json["folds"][0][name].is_number(), "{name}");
    }
    assert_eq!((result.feature_counts()[0].feature, result.feature_counts()[0].n_folds), (3, 3));
    assert_eq!(result.evaluation.n_queries(), 45);
}

#[test]
fn a_table_of_significance_covers_every_metric() {
    let run = |name: &str| {
        let run = CrossValidation::new(Method::from_name(name).expect("a method"), MetricFamily::Letor3);
        run.run(&folds(), &Threads::default(), &Silent).expect("runs")
    };
    let (a, b) = (run("fenchel"), run("rankboost"));
    let table = compare(&a, &b, Alternative::Greater).expect("compares");
    assert_eq!(table.len(), 5);
    assert!(table.iter().all(|row| (0.0..=1.0).contains(&row.t_test)
        && (0.0..=1.0).contains(&row.randomization)
        && row.n_queries == 45));
    assert!(compare(&a, &a, Alternative::TwoSided).expect("compares").iter().all(|row| row.t_test == 1.0));
}

#[test]
fn grids_that_make_no_sense_are_refused() {
    assert!(Grid::parse("radius").is_err() && Grid::parse("=1").is_err() && Grid::parse("radius=").is_err());
    let method = Method::from_name("fenchel").expect("a method");
    assert!(Grid::parse("radius=-1").expect("reads").methods(&method).is_err());
    assert!(Grid::parse("no_such=1").expect("reads").methods(&method).is_err());
    assert_eq!(Grid::parse("radius=1,2;l2=0,1,2").expect("reads").methods(&method).expect("good").len(), 6);
}

fn mq2008() -> Option<Vec<Fold>> {
    let folder = PathBuf::from(std::env::var_os("QWD_DATA")?).join("letor4_mq2008");
    folder.is_dir().then(|| open_letor(&folder, Default::default(), &mut Default::default()).expect("opens"))
}

/// Tables 2, 4, 5 and 8 of the paper: FenchelRank's row on MQ2008.
#[test]
fn fenchel_rank_reaches_the_papers_figures_on_mq2008() {
    let Some(folds) = mq2008() else { return };
    let run = CrossValidation::new(Method::from_name("fenchel").expect("a method"), MetricFamily::Letor4);
    let result = run.run(&folds, &Threads::new(0).expect("pool"), &Silent).expect("runs");
    for (name, paper) in
        [("ndcg@1", 0.3762), ("ndcg@3", 0.4402), ("ndcg@5", 0.4790), ("ndcg@10", 0.2317), ("map", 0.4785)]
    {
        let figure = result.mean.get(name).expect("a figure");
        assert!((figure - paper).abs() <= 0.003, "{name}: {figure}, the paper has {paper}");
    }
    assert!(result.mean.get("sparsity").expect("a figure") <= 0.36);
}
