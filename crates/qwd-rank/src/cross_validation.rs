//! Cross-validation: on every fold, train with every point of a grid, choose on the validation part, report on the test part.
//!
//! The protocol of section 8.3 of the FenchelRank paper: the point of highest NDCG@10 on the validation part, the first of
//! equals; figures are means over folds of means over queries. All runs are independent and spread over the threads, each
//! run on one; the figures do not depend on their number (the seconds do).

use crate::folds::Fold;
use crate::grid::Grid;
use crate::measure::{MetricFamily, Named, Validation, evaluate_scores, mean};
use crate::method::Method;
use crate::ranker::{ChosenFeature, Ranker};
use qwd_core::{Control, Error, Observer, Progress, Result, Threads};
use qwd_metrics::{Depth, Evaluation, Metric};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What is cross-validated.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    /// The method and the parameters that are not chosen.
    pub method: Method,
    /// The parameters to choose.
    pub grid: Grid,
    /// Which nDCG is reported and chosen by.
    pub metrics: MetricFamily,
    /// The depths of nDCG to report.
    pub depths: Vec<usize>,
    /// The depth of the nDCG that parameters are chosen by; none for MAP.
    pub choose_by: Option<usize>,
}

impl CrossValidation {
    /// Returns the paper's protocol for a method: NDCG at 1, 3, 5, 10 and MAP, chosen by NDCG@10, over the default grid.
    pub fn new(method: Method, metrics: MetricFamily) -> Self {
        Self { grid: Grid::default_of(&method), method, metrics, depths: vec![1, 3, 5, 10], choose_by: Some(10) }
    }

    /// Returns the metric that parameters are chosen by.
    pub fn chosen_by(&self) -> Result<Metric> {
        match self.choose_by {
            Some(k) => Ok(self.metrics.ndcg(Depth::at(k)?)),
            None => Ok(Metric::AveragePrecision(Depth::WHOLE)),
        }
    }

    /// Runs it.
    pub fn run(&self, folds: &[Fold], threads: &Threads, observer: &dyn Observer) -> Result<CrossValidated> {
        if folds.is_empty() {
            return Err(Error::bad_data("there are no folds", "give at least one"));
        }
        let methods = self.grid.methods(&self.method)?;
        let named = self.metrics.metrics(&self.depths)?;
        let metric = self.chosen_by()?;
        let n_runs = folds.len() * methods.len();
        let done = AtomicU64::new(0);
        let watch = Watch { observer, done: &done, total: n_runs as u64 };
        let runs = threads.map(n_runs, |run| {
            let (fold, method) = (&folds[run / methods.len()], &methods[run % methods.len()]);
            let begun = Instant::now();
            let ranker = method.train(
                &fold.train,
                Some(Validation { set: &fold.validation, metric }),
                &Threads::default(),
                &watch,
            )?;
            let seconds = begun.elapsed().as_secs_f64();
            let figure = mean(&fold.validation, &ranker.score_all(&fold.validation, &Threads::default())?, metric)?;
            done.fetch_add(1, Ordering::Relaxed);
            Ok(Run { ranker, seconds, figure })
        });
        let mut runs = runs.into_iter();
        let mut results = Vec::with_capacity(folds.len());
        let mut evaluation = Evaluation::new(&named.iter().map(|(_, metric)| *metric).collect::<Vec<_>>())?;
        for fold in folds {
            let of_fold: Vec<Run> = runs.by_ref().take(methods.len()).collect::<Result<_>>()?;
            let (at, best) = choose(of_fold).ok_or_else(|| Error::internal("a grid has at least one point"))?;
            let on_test = evaluate_scores(
                &fold.test,
                &best.ranker.score_all(&fold.test, threads)?,
                evaluation.metrics(),
                &format!("{}/", fold.name),
            )?;
            let means = on_test.summary().metrics;
            let metrics =
                named.iter().map(|(name, metric)| (name.clone(), means.get(*metric).unwrap_or(0.0))).collect();
            for (query, values) in on_test.queries() {
                evaluation.add_values(query, values.to_vec())?;
            }
            results.push(FoldResult {
                fold: fold.name.clone(),
                params: methods[at].params(),
                validation: best.figure,
                metrics: Named(metrics),
                sparsity: best.ranker.sparsity(),
                train_seconds: best.seconds,
                features: best.ranker.features(),
                ranker: best.ranker,
            });
        }
        Ok(CrossValidated {
            method: self.method.name().to_string(),
            mean: mean_of(&results),
            folds: results,
            named,
            evaluation,
        })
    }
}

struct Run {
    ranker: Ranker,
    seconds: f64,
    figure: f64,
}

/// The run of the highest figure, the first of equals.
fn choose(runs: Vec<Run>) -> Option<(usize, Run)> {
    let mut best: Option<(usize, Run)> = None;
    for (at, run) in runs.into_iter().enumerate() {
        if best.as_ref().is_none_or(|(_, best)| run.figure > best.figure) {
            best = Some((at, run));
        }
    }
    best
}

/// Turns the reports of single runs into one of all runs.
struct Watch<'a> {
    observer: &'a dyn Observer,
    done: &'a AtomicU64,
    total: u64,
}

impl Observer for Watch<'_> {
    fn progress(&self, progress: &Progress) -> Control {
        let done = self.done.load(Ordering::Relaxed);
        self.observer.progress(&Progress { stage: "cross-validation", done, total: self.total, ..progress.clone() })
    }
}

/// The outcome on one fold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoldResult {
    /// The fold's name.
    pub fold: String,
    /// The parameters chosen.
    pub params: serde_json::Value,
    /// The figure on the validation part that they were chosen by.
    pub validation: f64,
    /// The figures on the test part.
    #[serde(flatten)]
    pub metrics: Named,
    /// The share of features in use.
    pub sparsity: f64,
    /// The seconds of the chosen run.
    pub train_seconds: f64,
    /// The features in use, the strongest first.
    pub features: Vec<ChosenFeature>,
    /// The ranker.
    #[serde(skip)]
    pub ranker: Ranker,
}

/// The outcome of a cross-validation; serialised, it is what `qwd rank cv --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CrossValidated {
    /// The method's name.
    pub method: String,
    /// The means over folds.
    pub mean: Named,
    /// The folds.
    pub folds: Vec<FoldResult>,
    /// The metrics under the names by which they are reported.
    #[serde(skip)]
    pub named: Vec<(String, Metric)>,
    /// The figures of every test query, named `fold/query`: what significance tests compare.
    #[serde(skip)]
    pub evaluation: Evaluation,
}

impl CrossValidated {
    /// Returns the metric that is reported under a name.
    pub fn metric(&self, name: &str) -> Result<Metric> {
        let found = self.named.iter().find(|(n, _)| n == name).map(|(_, metric)| *metric);
        found.ok_or_else(|| Error::param("metric", name, "one that was evaluated"))
    }

    /// Returns how many folds use each feature, the most used first.
    pub fn feature_counts(&self) -> Vec<FeatureCount> {
        let n_features = self.folds.iter().map(|fold| fold.ranker.n_features()).max().unwrap_or(0);
        let count = |feature: usize| {
            self.folds.iter().filter(|fold| fold.features.iter().any(|f| f.feature == feature)).count()
        };
        let mut counts: Vec<FeatureCount> =
            (1..=n_features).map(|feature| FeatureCount { feature, n_folds: count(feature) }).collect();
        counts.retain(|count| count.n_folds > 0);
        counts.sort_by_key(|count| (std::cmp::Reverse(count.n_folds), count.feature));
        counts
    }
}

/// In how many folds a feature was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureCount {
    /// The feature's number as in the files, from 1.
    pub feature: usize,
    /// The number of folds.
    pub n_folds: usize,
}

fn mean_of(folds: &[FoldResult]) -> Named {
    let n = folds.len() as f64;
    let mean = |value: &dyn Fn(&FoldResult) -> f64| folds.iter().map(value).sum::<f64>() / n;
    let names =
        folds.first().map_or_else(Vec::new, |fold| fold.metrics.0.iter().map(|(name, _)| name.clone()).collect());
    let mut means: Vec<(String, f64)> =
        names.into_iter().map(|name| (name.clone(), mean(&|fold| fold.metrics.get(&name).unwrap_or(0.0)))).collect();
    means.push(("sparsity".into(), mean(&|fold| fold.sparsity)));
    means.push(("train_seconds".into(), mean(&|fold| fold.train_seconds)));
    Named(means)
}
