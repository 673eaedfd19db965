//! The tables and the figure of the RMLS paper: matching from clicks.
//!
//! The paper's logs are not public. Its tables run on a simulated log of the same sizes, made on the fly from the TOML files
//! in `experiments/simulator/`; `…-zzquerylog` and `…-wikispeedia` run on real clicks. Half a year is run on a share of its
//! queries that this table's TOML names.

mod definition;
mod gym;
mod stage;

use super::{Row, Setting};
use crate::judged::{BINS, by_clicks, paper_metrics};
use definition::{Definition, Kind, RowDefinition};
use gym::{Entrant, Gym};
use qwd_core::{Error, Result, Threads};
use qwd_data::click_rules::Agreement;
use qwd_data::{Judgment, Split};
use qwd_metrics::significance::{Alternative, paired_t_test};
use qwd_metrics::{Depth, Evaluation, Metric};
use stage::{Source, Stage};
use std::sync::Arc;

experiments!(
    "4-figure2",
    "4-table1",
    "4-table2",
    "4-table2-wikispeedia",
    "4-table2-zzquerylog",
    "4-table3",
    "4-table4",
    "4-table5",
    "4-table6",
    "4-table7",
);

/// The names of all experiments.
pub(super) fn names() -> impl Iterator<Item = String> {
    EXPERIMENTS.iter().map(|(name, _)| name.to_string())
}

/// Runs an experiment, if it is one of these.
pub(super) fn run(name: &str, setting: Setting<'_>) -> Result<Option<Vec<Row>>> {
    let Some((name, text)) = EXPERIMENTS.iter().find(|(known, _)| *known == name) else { return Ok(None) };
    let definition = Definition::parse(name, text)?;
    if let Some(only) = setting.only.filter(|only| !definition.row_names().contains(only)) {
        return Err(Error::param("--only", only, format!("one of {}", definition.row_names().join(", "))));
    }
    match definition.kind {
        Kind::Statistics => statistics(&definition, setting),
        Kind::Ranking => ranking(&definition, setting),
        Kind::Bins => bins(&definition, setting),
        Kind::Threads => threads(&definition, setting),
    }
    .map(Some)
}

fn row_of(definition: &Definition, row: &RowDefinition) -> Row {
    Row { method: row.method.clone(), dataset: definition.label.clone(), paper: row.paper.clone(), ..Row::default() }
}

/// The sizes of each source's graph, and how often clicks break the rules that preferences are made by.
fn statistics(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for row in definition.chosen(setting.only) {
        let source = row.source.as_ref().unwrap_or(&definition.source);
        let stage = source.open(setting)?;
        let broken = rules_broken(&stage, source);
        let mut gym = Gym::new(definition, stage, setting)?;
        let statistics = gym.graph()?.statistics();
        let values = serde_json::to_value(statistics).map_err(|e| Error::internal(e.to_string()))?;
        let mut told = row_of(definition, row);
        told.dataset = row.method.clone();
        let numbers = values.as_object().into_iter().flatten();
        told.metrics.extend(numbers.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))));
        let Stage { tune, test, .. } = &gym.stage;
        told.metrics.insert("judged_queries".into(), (tune.lists().len() + test.lists().len()) as f64);
        told.metrics.insert("judgments".into(), (tune.n_documents() + test.n_documents()) as f64);
        if let Some(agreement) = broken {
            told.metrics.insert("judged_pairs".into(), agreement.n_judged as f64);
            told.metrics.extend(agreement.share_broken().map(|share| ("rules_broken".to_string(), share)));
        }
        rows.push(told);
    }
    Ok(rows)
}

/// How the preferences of sessions agree with judgments.
fn rules_broken(stage: &Stage, source: &Source) -> Option<Agreement> {
    if !matches!(source, Source::Simulated { .. }) {
        return None;
    }
    let judgments: Vec<Judgment> = [Split::Dev, Split::Test]
        .iter()
        .filter_map(|split| stage.dataset.judgments.get(split))
        .flatten()
        .copied()
        .collect();
    Some(Agreement::of(&stage.preferences, &judgments)).filter(|agreement| agreement.n_judged > 0)
}

/// The metrics of a source, with the names under which they are reported.
fn metrics_of(source: &Source) -> Result<Vec<(String, Metric)>> {
    let mut metrics = paper_metrics()?;
    if matches!(source, Source::Wikispeedia { .. }) {
        metrics.insert(0, ("mrr".to_string(), Metric::ReciprocalRank(Depth::WHOLE)));
    }
    Ok(metrics)
}

/// A row, measured on the test half; what was chosen was chosen on the other.
struct Measured {
    row: Row,
    entrant: Arc<Entrant>,
    evaluation: Evaluation,
    /// The first metric on the tuning half.
    tuning: f64,
}

fn measure(definition: &Definition, gym: &mut Gym<'_>, row: &RowDefinition) -> Result<Measured> {
    let named = metrics_of(&definition.source)?;
    let metrics: Vec<Metric> = named.iter().map(|(_, metric)| *metric).collect();
    let entrant = gym.entrant(row)?;
    let evaluation = gym.stage.test.evaluate(&entrant.test, &metrics)?;
    let tuning = gym.stage.tune.mean(&entrant.tune, metrics[0])?;
    Ok(Measured { row: row_of(definition, row), entrant, evaluation, tuning })
}

fn ranking(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let mut gym = Gym::new(definition, definition.source.open(setting)?, setting)?;
    let named = metrics_of(&definition.source)?;
    let mut measured = Vec::new();
    for row in definition.chosen(setting.only) {
        measured.push(measure(definition, &mut gym, row)?);
    }
    for i in 0..measured.len() {
        let summary = measured[i].evaluation.summary();
        let mut figures = measured[i].entrant.figures.clone();
        figures.insert(format!("{}(tuning half)", named[0].0), measured[i].tuning);
        figures.extend(named.iter().filter_map(|(name, metric)| Some((name.clone(), summary.metrics.get(*metric)?))));
        let against = measured.iter().filter(|other| definition.against.contains(&other.row.method));
        for other in against.filter(|other| other.row.method != measured[i].row.method) {
            for (name, metric) in &named {
                let (mine, theirs) = measured[i].evaluation.paired(&other.evaluation, *metric)?;
                let test = paired_t_test(&mine, &theirs, Alternative::TwoSided)?;
                figures.insert(format!("p({name}|{})", other.row.method), test.p_value);
            }
        }
        measured[i].row.metrics = figures;
    }
    Ok(measured.into_iter().map(|measured| measured.row).collect())
}

fn bins(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let mut gym = Gym::new(definition, definition.source.open(setting)?, setting)?;
    let mut rows = Vec::new();
    for row in definition.chosen(setting.only) {
        let Measured { mut row, evaluation, .. } = measure(definition, &mut gym, row)?;
        for (name, metric) in metrics_of(&definition.source)? {
            let figures = by_clicks(&evaluation, metric, &gym.stage.totals)?;
            for ((bin, _), (mean, n)) in BINS.iter().zip(figures) {
                row.metrics.insert(format!("{name}({bin})"), mean);
                row.metrics.insert(format!("queries({bin})"), n as f64);
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The seconds of each row's training, by threads.
fn threads(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let stage = definition.source.open(setting)?;
    let mut gym = Gym::new(definition, stage, setting)?;
    gym.graph()?;
    let mut rows = Vec::new();
    for row in definition.chosen(setting.only) {
        let mut told = row_of(definition, row);
        let matcher = row.matcher.as_ref().ok_or_else(|| Error::internal("a row that trains nothing"))?;
        for &n in &definition.threads {
            told.metrics.insert(format!("seconds({n})"), gym.timed(matcher, &Threads::new(n)?)?);
        }
        rows.push(told);
    }
    Ok(rows)
}
