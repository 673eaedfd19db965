//! Tables of paper 2: train, measure by the protocol of its section 4, set beside the paper.
//!
//! A row is a plan, perhaps mixed with other rows, or feedback on one. What is asked may differ from row to row: links of
//! all documents or of documents that training never saw, keywords, another language, translated or not.

mod entrant;
mod feedback;
mod mixing;
mod stage;

pub(super) use feedback::FeedbackGrid;
pub(super) use stage::Stage;

use super::definition::{Definition, RowDefinition};
use super::significance::against_baseline;
use super::{Row, Setting};
use crate::collection;
use crate::protocol::paper_metrics;
use entrant::{Entrant, Gym};
use qwd_core::{Error, Result};
use qwd_data::Opened;
use qwd_metrics::{Evaluation, Metric};

pub(super) fn run(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let Opened::Texts(dataset) = collection::open(setting.data, &definition.dataset)? else {
        return Err(Error::bad_data(format!("{} holds no texts", definition.dataset), "give a data set of texts"));
    };
    let metrics = metrics_of(definition)?;
    let mut gym = Gym::new(definition, *dataset, setting);
    let mut rows = Vec::new();
    let mut evaluations: Vec<(String, Evaluation)> = Vec::new();
    for row in definition.chosen(setting.only) {
        let entrant = gym.entrant(row)?;
        let protocol = gym.protocol(&definition.stage_of(row))?;
        let measured = protocol.measure_by(&metrics, entrant.scorer.as_ref(), setting.threads)?;
        let mut figures = measured.figures();
        figures.extend(entrant.figures.clone());
        rows.push(Row {
            method: row.method.clone(),
            dataset: definition.label.clone(),
            metrics: figures,
            paper: row.paper.clone(),
            per_query: if definition.per_query { measured.evaluation.values(metrics[0])? } else { Vec::new() },
            ..Row::default()
        });
        evaluations.push((row.method.clone(), measured.evaluation));
    }
    if let Some(baseline) = &definition.baseline {
        against_baseline(&mut rows, &evaluations, baseline, &metrics)?;
    }
    Ok(rows)
}

/// The metrics besides the rank loss: the paper's, if the experiment names no others.
fn metrics_of(definition: &Definition) -> Result<Vec<Metric>> {
    if definition.metrics.is_empty() {
        return Ok(paper_metrics()?.to_vec());
    }
    definition.metrics.iter().map(|name| name.parse()).collect()
}

/// A row by its name, for rows that build on others.
fn named<'d>(definition: &'d Definition, name: &str) -> Result<&'d RowDefinition> {
    let unknown = || Error::internal(format!("no row {name} to build on"));
    definition.rows.iter().find(|row| row.method == name).ok_or_else(unknown)
}

/// Shared by the rows of an experiment.
type Shared = std::sync::Arc<Entrant>;
