//! An experiment's TOML file, where it is one of rankers.

use super::Collection;
use crate::reproduce::Row;
use crate::reproduce::definition::read;
use qwd_core::Result;
use qwd_rank::{CrossValidation, Grid, Method};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What kind of result an experiment has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// Figures of cross-validated methods.
    CrossValidation,
    /// Whether the first method beats the others by more than chance.
    Significance,
    /// NDCG@10 of every feature alone.
    SingleFeatures,
    /// The seconds that FenchelRank and TGRank take, fold by fold.
    TrainingTime,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    pub(super) kind: Kind,
    /// The depths of nDCG.
    #[serde(default = "usual_depths")]
    pub(super) depths: Vec<usize>,
    /// The row that others are tested against.
    #[serde(default)]
    pub(super) baseline: Option<String>,
    /// TGRank's C, where training times are compared.
    #[serde(default)]
    pub(super) c: Option<f64>,
    #[serde(default, rename = "row")]
    pub(super) rows: Vec<RowDefinition>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowDefinition {
    pub(super) method: String,
    /// The ranker's method, if it has another name than the row.
    #[serde(default)]
    ranker: Option<String>,
    /// Its parameters, as far as they are not the defaults.
    #[serde(default)]
    params: BTreeMap<String, serde_json::Value>,
    /// The values to choose from; left out, the paper's.
    #[serde(default)]
    grid: Option<String>,
    /// The paper's figures by data set.
    #[serde(default)]
    paper: BTreeMap<String, BTreeMap<String, f64>>,
}

fn usual_depths() -> Vec<usize> {
    vec![1, 3, 5, 10]
}

impl Definition {
    pub(super) fn parse(name: &str, text: &str) -> Result<Self> {
        read(name, text)
    }

    pub(super) fn row_names(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.method.clone()).collect()
    }

    /// The paper's figures of a row.
    pub(super) fn paper(&self, method: &str, collection: Collection) -> BTreeMap<String, f64> {
        let row = self.rows.iter().find(|row| row.method == method);
        row.and_then(|row| row.paper.get(collection.name)).cloned().unwrap_or_default()
    }

    /// A row with nothing measured yet.
    pub(super) fn empty_row(&self, method: &str, collection: Collection) -> Row {
        Row {
            method: method.to_string(),
            dataset: collection.name.to_string(),
            paper: self.paper(method, collection),
            ..Row::default()
        }
    }
}

impl RowDefinition {
    /// The row's cross-validation.
    pub(super) fn protocol(&self, definition: &Definition, collection: Collection) -> Result<CrossValidation> {
        let name = self.ranker.as_deref().unwrap_or(&self.method);
        let params = serde_json::to_value(&self.params).unwrap_or_default();
        let mut run = CrossValidation::new(Method::from_json(name, params)?, collection.metrics);
        if let Some(grid) = &self.grid {
            run.grid = Grid::parse(grid)?;
        }
        run.depths = definition.depths.clone();
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{COLLECTIONS, EXPERIMENTS};
    use super::*;

    #[test]
    fn every_experiment_parses_with_methods_that_exist_and_rows_that_differ() {
        for (name, text) in EXPERIMENTS {
            let definition = Definition::parse(name, text).expect(name);
            if matches!(definition.kind, Kind::CrossValidation | Kind::Significance) {
                for row in &definition.rows {
                    let run = row.protocol(&definition, COLLECTIONS[0]).expect(name);
                    run.grid.methods(&run.method).expect(name);
                }
            }
            for set in definition.rows.iter().flat_map(|row| row.paper.keys()) {
                assert!(COLLECTIONS.iter().any(|c| c.name == set), "{name}: {set}");
            }
            let mut names = definition.row_names();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), definition.rows.len(), "{name}: rows are unique");
        }
    }
}
