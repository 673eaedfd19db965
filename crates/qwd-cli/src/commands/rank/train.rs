//! `qwd rank train`: feature vectors and a method become a ranker.

use super::methods::{self, MeasureArgs, MethodArgs, ScalingArgs};
use crate::commands::train::{size_of, write_json};
use crate::data::{Strictness, tell_skipped};
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{bytes, figure, table};
use crate::progress::Sample;
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::{Error, Result};
use qwd_metrics::Depth;
use qwd_rank::fenchel_rank::Fit;
use qwd_rank::measure::{Figures, evaluate_scores};
use qwd_rank::reader::{ReadParams, read};
use qwd_rank::{FeatureSet, Method, Named, Ranker, RankerFile, Scaler, Validation, lightgbm, regularization_path};
use qwd_store::save_atomically;
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Instant;

/// The depth of the nDCG that rounds, trees and radii are chosen by.
const CHOSEN_BY: usize = 10;

#[derive(Debug, Args)]
#[command(after_long_help = methods::help())]
pub(crate) struct TrainArgs {
    /// The training documents: `grade qid:N feature:value ... # id`, plain, .gz or .zst; `-` is standard input.
    #[arg(value_name = "FILE")]
    train: PathBuf,
    #[command(flatten)]
    method: MethodArgs,
    /// Documents to choose rounds, trees or the radius of --path on.
    #[arg(long, value_name = "FILE")]
    validation: Option<PathBuf>,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    scaling: ScalingArgs,
    /// Fit these radii one after the other, each from the last one's weights; the best on --validation is kept, or else
    /// the last (fenchel only).
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    path: Vec<f64>,
    /// The ranker's file to write.
    #[arg(long, value_name = "RANKER")]
    out: PathBuf,
    /// Also write the trees in LightGBM's text format.
    #[arg(long, value_name = "FILE")]
    lightgbm: Option<PathBuf>,
    /// Also write what happened on the way as JSON: `qwd plot lines` draws it.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    strictness: Strictness,
}

/// What scripts are told.
#[derive(Debug, Serialize)]
struct Answer {
    ranker: PathBuf,
    method: &'static str,
    params: Value,
    n_documents: usize,
    n_queries: usize,
    n_features: usize,
    seconds: f64,
    sparsity: f64,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<Figures>,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    answer: &'a Answer,
    fits: &'a [Fit],
    progress: Vec<Sample>,
}

/// What training gave, and how it went where the method says so.
struct Trained {
    method: Method,
    ranker: Ranker,
    fits: Vec<Fit>,
}

pub(crate) fn run(args: &TrainArgs, here: &Surroundings) -> Outcome {
    let method = args.method.method()?;
    let mut reading = args.strictness.reading();
    let mut train = read(&args.train, ReadParams::default(), &mut reading)?;
    let held_out = args.validation.as_ref().map(|path| read(path, ReadParams::default(), &mut reading));
    let mut held_out = held_out.transpose()?;
    tell_skipped(&reading, here.output);
    let n_features = train.n_features().max(held_out.as_ref().map_or(0, FeatureSet::n_features));
    let scaler = Scaler::fit(args.scaling.scaling, &train);
    for set in [Some(&mut train), held_out.as_mut()].into_iter().flatten() {
        set.widen(n_features);
        scaler.apply(set);
    }
    let started = Instant::now();
    let trained = args.train(method, &train, held_out.as_ref(), here)?;
    let seconds = started.elapsed().as_secs_f64();
    let progress = here.bar.finish();
    let validation = held_out.map(|set| args.validate(&trained.ranker, &set, here)).transpose()?;
    let file = RankerFile {
        ranker: trained.ranker,
        scaler,
        method: trained.method.name().into(),
        params: trained.method.params(),
    };
    interrupt::will_write(&args.out);
    file.save(&args.out)?;
    args.write_lightgbm(&file.ranker)?;
    let answer = Answer {
        ranker: args.out.clone(),
        method: trained.method.name(),
        params: file.params,
        n_documents: train.n_documents(),
        n_queries: train.n_queries(),
        n_features,
        seconds,
        sparsity: file.ranker.sparsity(),
        bytes: size_of(&args.out)?,
        validation,
    };
    if let Some(path) = &args.report {
        write_json(path, &Report { answer: &answer, fits: &trained.fits, progress })?;
    }
    tell(&answer, here)
}

impl TrainArgs {
    fn train(
        &self,
        method: Method,
        train: &FeatureSet,
        held_out: Option<&FeatureSet>,
        here: &Surroundings,
    ) -> Result<Trained> {
        let metric = self.measure.metrics.ndcg(Depth::at(CHOSEN_BY)?);
        let validation = held_out.map(|set| Validation { set, metric });
        let Method::Fenchel(params) = &method else {
            if !self.path.is_empty() {
                return Err(Error::param("--path", method.name(), "the method fenchel, which alone has a radius"));
            }
            let ranker = method.train(train, validation, &here.threads, &here.bar)?;
            return Ok(Trained { method, ranker, fits: Vec::new() });
        };
        let trainer = params.clone().build()?;
        if self.path.is_empty() {
            let fit = trainer.fit(train, &here.threads, &here.bar)?;
            return Ok(Trained { method, ranker: fit.ranker.clone(), fits: vec![fit] });
        }
        let path = regularization_path::fit(&trainer, train, &self.path, validation, &here.threads, &here.bar)?;
        let chosen = &path.fits[path.chosen];
        let method = method.with("radius", chosen.radius.into())?;
        Ok(Trained { method, ranker: chosen.ranker.clone(), fits: path.fits })
    }

    fn validate(&self, ranker: &Ranker, set: &FeatureSet, here: &Surroundings) -> Result<Figures> {
        let named = self.measure.metrics.metrics(&self.measure.depths)?;
        let metrics: Vec<_> = named.iter().map(|(_, metric)| *metric).collect();
        let evaluation = evaluate_scores(set, &ranker.score_all(set, &here.threads)?, &metrics, "")?;
        Ok(Figures::of(&evaluation, &named))
    }

    fn write_lightgbm(&self, ranker: &Ranker) -> Result<()> {
        match (&self.lightgbm, ranker) {
            (None, _) => Ok(()),
            (Some(path), Ranker::Trees(trees)) => {
                interrupt::will_write(path);
                let text = lightgbm::to_text(trees);
                save_atomically(path, |file| file.write_all(text.as_bytes()).map_err(|e| Error::io(path, "write", e)))
            }
            (Some(path), _) => {
                Err(Error::param("--lightgbm", path.display(), "a method of trees: rankboost, mart or lambdamart"))
            }
        }
    }
}

fn tell(answer: &Answer, here: &Surroundings) -> Outcome {
    here.output.show(format_args!(
        "{} trained on {} documents of {} queries in {:.1} s: {} of {} features, {} in {}",
        answer.method,
        answer.n_documents,
        answer.n_queries,
        answer.seconds,
        (answer.sparsity * answer.n_features as f64).round(),
        answer.n_features,
        bytes(answer.bytes),
        answer.ranker.display()
    ))?;
    if let Some(validation) = &answer.validation {
        here.output.show(table(&["validation", "mean"], rows(&validation.metrics)))?;
    }
    here.output.answer(answer)
}

/// Names and figures as rows of a table.
pub(super) fn rows(named: &Named) -> Vec<Vec<String>> {
    named.0.iter().map(|(name, value)| vec![name.clone(), figure(*value)]).collect()
}
