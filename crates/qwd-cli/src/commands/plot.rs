//! `qwd plot`: a figure from its numbers, from a model, or from the reports of training runs.

use crate::exit::Outcome;
use crate::interrupt;
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::{Error, Result};
use qwd_lab::curves::of_reports;
use qwd_lab::plot::{Kind, Lines, Plot};
use qwd_lab::ranker_curves::{self, Shown, TrainReport};
use qwd_lab::reproduce::Report;
use qwd_lab::word_pairs::heat_map;
use qwd_model::Model;
use qwd_store::read_file;
use serde_json::json;
use std::path::PathBuf;

/// No figure's numbers need more.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Debug, Args)]
pub(crate) struct PlotArgs {
    /// The kind of figure: learning-curve, ap-scatter, heat-map, density-path, bars or lines.
    #[arg(value_name = "KIND")]
    kind: String,
    /// The numbers of the figure as JSON; for a learning curve also reports of `qwd train --report`, for lines also what
    /// `qwd reproduce 3-... --json` printed, or a report of `qwd rank train --report`; for an AP scatter what
    /// `qwd reproduce 2-figure1 --json` printed.
    #[arg(value_name = "FILE", required_unless_present = "model")]
    files: Vec<PathBuf>,
    /// Draw from this model (heat-map).
    #[arg(long, value_name = "MODEL", conflicts_with = "files")]
    model: Option<PathBuf>,
    /// How many words a side, with --model.
    #[arg(long, value_name = "N", default_value_t = 25)]
    words: usize,
    /// What to draw of a report of `qwd rank train`: objective, gap or weights (against the radius).
    #[arg(long, value_name = "WHAT", default_value = "gap")]
    show: Shown,
    /// Draw a report of `qwd rank train` against seconds in place of iterations.
    #[arg(long)]
    by_seconds: bool,
    /// The title, with --model or reports.
    #[arg(long, value_name = "TEXT", default_value = "")]
    title: String,
    /// The picture: a file that ends in .svg or .png.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &PlotArgs, here: &Surroundings) -> Outcome {
    let kind: Kind = args.kind.replace('-', "_").parse()?;
    let plot = match &args.model {
        Some(path) if kind == Kind::HeatMap => {
            let model = Model::open_without_state(path)?;
            Plot::try_new(heat_map(&model, args.words, args.title.clone())?)?
        }
        Some(_) => return Err(Error::param("kind", &args.kind, "heat-map: only it is drawn from a model").into()),
        None => args.of_files(kind)?,
    };
    interrupt::will_write(&args.out);
    plot.save(&args.out)?;
    here.output.show(format_args!("{kind} in {}", args.out.display()))?;
    here.output.answer(&json!({ "kind": kind.name(), "file": args.out }))
}

impl PlotArgs {
    fn of_files(&self, kind: Kind) -> Result<Plot> {
        let texts = self.files.iter().map(|path| Ok((path.as_path(), read_file(path, MAX_BYTES)?)));
        let texts = texts.collect::<Result<Vec<_>>>()?;
        if kind == Kind::LearningCurve
            && let Some(figure) = of_reports(&texts, &self.title)?
        {
            return Plot::try_new(figure);
        }
        if let (Kind::ApScatter, [(_, json)]) = (kind, texts.as_slice())
            && let Ok(report) = serde_json::from_slice::<Report>(json)
        {
            return Plot::try_new(report.query_by_query(&self.title)?);
        }
        if let (Kind::Lines, [(_, json)]) = (kind, texts.as_slice())
            && let Some(figure) = self.of_rankers(json)?
        {
            return Plot::try_new(figure);
        }
        match texts.as_slice() {
            [(path, json)] => Plot::from_json(kind, json, path),
            _ => Err(Error::param("files", self.files.len(), "one file; only learning curves are drawn from several")),
        }
    }

    /// A figure of rankers, if the JSON is an experiment or a report about them.
    fn of_rankers(&self, json: &[u8]) -> Result<Option<Lines>> {
        if let Ok(report) = serde_json::from_slice::<Report>(json) {
            return ranker_curves::of_experiment(&report, &self.title).map(Some);
        }
        match serde_json::from_slice::<TrainReport>(json) {
            Ok(report) => ranker_curves::of_training(&report, self.show, self.by_seconds, &self.title).map(Some),
            Err(_) => Ok(None),
        }
    }
}
