//! `qwd rank cv`: a method cross-validated over folds.

use super::methods::{self, MeasureArgs, MethodArgs, ScalingArgs};
use crate::commands::train::write_json;
use crate::data::{Strictness, tell_skipped};
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{figure, table};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::{Error, Result};
use qwd_lab::plot::Plot;
use qwd_lab::ranker_curves;
use qwd_rank::cross_validation::{CrossValidated, CrossValidation, FeatureCount};
use qwd_rank::reader::ReadParams;
use qwd_rank::{Fold, Grid, Method, RankerFile, Scaler, folds};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_long_help = methods::help())]
pub(crate) struct CvArgs {
    #[command(flatten)]
    method: MethodArgs,
    /// The folder with Fold1, Fold2, ... (LETOR, MSLR-WEB), with set1.train.txt ... (Yahoo), or with one fold's parts.
    #[arg(long, value_name = "DIR")]
    folds: PathBuf,
    #[command(flatten)]
    protocol: ProtocolArgs,
    /// Values to choose from on each fold's validation part: `radius=1,2,4 l2=0,0.1`; `none` to choose nothing. Without
    /// it, the paper's values.
    #[arg(long, value_name = "GRID")]
    grid: Option<String>,
    /// Also write the ranker of every fold into this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also draw nDCG at 1 to 10 as SVG or PNG.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Also write the answer of --json to a file.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// How folds are read, and what is measured on them.
#[derive(Debug, Args)]
pub(super) struct ProtocolArgs {
    #[command(flatten)]
    pub(super) measure: MeasureArgs,
    /// What parameters are chosen by: the nDCG at this depth, or `map`.
    #[arg(long, value_name = "METRIC", default_value = "ndcg@10")]
    choose_by: String,
    #[command(flatten)]
    scaling: ScalingArgs,
    #[command(flatten)]
    pub(super) strictness: Strictness,
}

impl ProtocolArgs {
    /// Reads and scales the folds.
    pub(super) fn open(&self, folder: &Path, here: &Surroundings) -> Result<(Vec<Fold>, Vec<Scaler>)> {
        let mut reading = self.strictness.reading();
        let mut folds = folds::open(folder, ReadParams::default(), &mut reading)?;
        tell_skipped(&reading, here.output);
        let scalers = folds.iter_mut().map(|fold| fold.scale(self.scaling.scaling)).collect();
        Ok((folds, scalers))
    }

    /// The cross-validation of a method over a grid, or over the method's own.
    pub(super) fn cross_validation(&self, method: Method, grid: Option<&str>, curves: bool) -> Result<CrossValidation> {
        let mut run = CrossValidation::new(method, self.measure.metrics);
        run.grid = match grid {
            None => run.grid,
            Some("none") => Grid::none(),
            Some(text) => Grid::parse(text)?,
        };
        run.depths = self.measure.depths.clone();
        if curves {
            run.depths.extend((1..=10).filter(|k| !self.measure.depths.contains(k)));
        }
        let depth = self.choose_by.strip_prefix("ndcg@").map(str::parse);
        run.choose_by = match (self.choose_by.as_str(), depth) {
            ("map", _) => None,
            (_, Some(Ok(depth))) => Some(depth),
            (other, _) => return Err(Error::param("--choose-by", other, "ndcg@K or map")),
        };
        Ok(run)
    }
}

/// What scripts are told: a cross-validation, and which features its folds agree on.
#[derive(Debug, Serialize)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    result: &'a CrossValidated,
    features: Vec<FeatureCount>,
}

impl<'a> Answer<'a> {
    pub(super) fn of(result: &'a CrossValidated) -> Self {
        Self { result, features: result.feature_counts() }
    }
}

pub(crate) fn run(args: &CvArgs, here: &Surroundings) -> Outcome {
    let method = args.method.method()?;
    let run = args.protocol.cross_validation(method, args.grid.as_deref(), args.plot.is_some())?;
    let (folds, scalers) = args.protocol.open(&args.folds, here)?;
    let result = run.run(&folds, &here.threads, &here.bar)?;
    here.bar.finish();
    if let Some(folder) = &args.out {
        save(&result, &scalers, folder)?;
    }
    if let Some(path) = &args.plot {
        interrupt::will_write(path);
        Plot::try_new(ranker_curves::ndcg(&[(result.method.as_str(), &result.mean)], "")?)?.save(path)?;
    }
    let answer = Answer::of(&result);
    if let Some(path) = &args.report {
        write_json(path, &answer)?;
    }
    show(&result, here)?;
    here.output.answer(&answer)
}

fn save(result: &CrossValidated, scalers: &[Scaler], folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, "create", e))?;
    for (fold, scaler) in result.folds.iter().zip(scalers) {
        let path = folder.join(format!("{}.ranker", fold.fold));
        interrupt::will_write(&path);
        let (ranker, params) = (fold.ranker.clone(), fold.params.clone());
        RankerFile { ranker, scaler: scaler.clone(), method: result.method.clone(), params }.save(&path)?;
    }
    Ok(())
}

fn show(result: &CrossValidated, here: &Surroundings) -> Outcome {
    let names: Vec<&str> = result.mean.0.iter().map(|(name, _)| name.as_str()).collect();
    let header = [vec![result.method.as_str()], names.clone()].concat();
    let row = |fold: &qwd_rank::cross_validation::FoldResult| {
        let value = |name: &&str| match *name {
            "sparsity" => figure(fold.sparsity),
            "train_seconds" => format!("{:.2}", fold.train_seconds),
            name => figure(fold.metrics.get(name).unwrap_or(0.0)),
        };
        std::iter::once(fold.fold.clone()).chain(names.iter().map(value)).collect()
    };
    let mean = std::iter::once("mean".to_string()).chain(result.mean.0.iter().map(|(_, value)| figure(*value)));
    let rows = result.folds.iter().map(row).chain([mean.collect()]);
    here.output.show(table(&header, rows))?;
    here.output.show(format_args!("\n{}", features(result)))
}

/// Which features are used, by how many folds use them.
fn features(result: &CrossValidated) -> String {
    let counts = result.feature_counts();
    let line = |n: usize| {
        let of_n = counts.iter().filter(|c| c.n_folds == n).map(|c| c.feature.to_string()).collect::<Vec<_>>();
        (!of_n.is_empty()).then(|| format!("features used by {n} of {} folds: {}", result.folds.len(), of_n.join(" ")))
    };
    (1..=result.folds.len()).rev().filter_map(line).collect::<Vec<_>>().join("\n")
}
