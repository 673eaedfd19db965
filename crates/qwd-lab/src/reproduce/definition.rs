//! An experiment's TOML file.

use super::semantic::{FeedbackGrid, Stage};
use crate::protocol::ProtocolParams;
use qwd_core::{Error, Result};
use qwd_train::Plan;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// What kind of result an experiment has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// Sizes of data sets.
    Statistics,
    /// Figures of methods.
    Table,
    /// Words that W connects.
    RelatedWords,
    /// Words that go together with words, by DICE.
    Partners,
    /// The time that it takes to match a query and a document.
    MatchingSpeed,
    /// Figures along the training.
    Curves,
    /// Figures of methods by the protocol of paper 2.
    Semantic,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    pub(super) kind: Kind,
    /// The folder of the data set.
    #[serde(default)]
    pub(super) dataset: String,
    /// The data set's name in the rows.
    #[serde(default)]
    pub(super) label: String,
    /// The metrics of a table.
    #[serde(default)]
    pub(super) metrics: Vec<String>,
    /// The row that others are tested against.
    #[serde(default)]
    pub(super) baseline: Option<String>,
    /// Tuples between two points of a curve.
    #[serde(default)]
    pub(super) every: u64,
    /// Whether curves show the error on training tuples too.
    #[serde(default)]
    pub(super) training_error: bool,
    /// What is asked, where rows do not say otherwise.
    #[serde(default)]
    pub(super) stage: Stage,
    /// What is measured on.
    #[serde(default)]
    pub(super) protocol: ProtocolParams,
    /// The seed of the splits.
    #[serde(default)]
    pub(super) split_seed: u64,
    /// Whether rows show the first metric's value for every query.
    #[serde(default)]
    pub(super) per_query: bool,
    #[serde(default)]
    plan: toml::Table,
    #[serde(rename = "row")]
    pub(super) rows: Vec<RowDefinition>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowDefinition {
    pub(super) method: String,
    /// Overrides the experiment's data set, in a table of data sets.
    pub(super) dataset: Option<String>,
    #[serde(default)]
    pub(super) paper: BTreeMap<String, f64>,
    #[serde(default)]
    pub(super) paper_words: Vec<String>,
    /// What is asked, if not what the experiment asks.
    pub(super) stage: Option<Stage>,
    /// What it is trained on, if not what is asked.
    pub(super) train_stage: Option<Stage>,
    /// Rows whose scores are added, with a weight that is chosen.
    #[serde(default)]
    pub(super) with: Vec<String>,
    /// Query expansion by feedback, with what is tried.
    pub(super) feedback: Option<FeedbackGrid>,
    #[serde(default)]
    plan: toml::Table,
}

impl RowDefinition {
    /// Whether the row trains something of its own.
    pub(super) fn has_plan(&self) -> bool {
        !self.plan.is_empty()
    }
}

/// Reads the definition of an experiment, of whatever kind.
pub(super) fn read<T: DeserializeOwned>(name: &str, text: &str) -> Result<T> {
    toml::from_str(text).map_err(|e| Error::internal(format!("experiments/{name}.toml: {e}")))
}

impl Definition {
    pub(super) fn parse(name: &str, text: &str) -> Result<Self> {
        read(name, text)
    }

    pub(super) fn has_row(&self, method: &str) -> bool {
        self.rows.iter().any(|row| row.method == method)
    }

    pub(super) fn row_names(&self) -> Vec<&str> {
        self.rows.iter().map(|row| row.method.as_str()).collect()
    }

    /// The rows to run.
    pub(super) fn chosen<'a>(&'a self, only: Option<&'a str>) -> impl Iterator<Item = &'a RowDefinition> {
        self.rows.iter().filter(move |row| only.is_none_or(|only| only == row.method))
    }

    /// What a row asks.
    pub(super) fn stage_of(&self, row: &RowDefinition) -> Stage {
        row.stage.as_ref().unwrap_or(&self.stage).clone()
    }

    /// The plan that all rows share.
    pub(super) fn shared_plan(&self) -> Result<Plan> {
        self.plan.clone().try_into().map_err(|e| Error::internal(format!("the shared plan: {e}")))
    }

    /// The plan of a row: the shared one with the row's changes.
    pub(super) fn plan(&self, row: &RowDefinition) -> Result<Plan> {
        let mut merged = self.plan.clone();
        merge(&mut merged, &row.plan);
        merged.try_into().map_err(|e| Error::internal(format!("the plan of row {}: {e}", row.method)))
    }
}

/// Puts the values of `change` into `base`; tables are merged key by key, a `train` is replaced as a whole.
fn merge(base: &mut toml::Table, change: &toml::Table) {
    for (key, value) in change {
        match (base.get_mut(key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) if key != "train" => merge(old, new),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_parses_with_all_its_plans() {
        for (name, text) in crate::reproduce::EXPERIMENTS {
            let definition = Definition::parse(name, text).expect(name);
            for row in &definition.rows {
                definition.plan(row).expect(name).check().expect(name);
            }
            let mut names = definition.row_names();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), definition.rows.len(), "{name}: rows are unique");
        }
    }
}
