//! An experiment's TOML file, where it is one of matching from clicks.

use super::stage::Source;
use crate::click_graph::ClickGraphParams;
use crate::reproduce::definition::read;
use qwd_core::{Error, Result};
use qwd_train::bltm::BltmParams;
use qwd_train::svdfeature::SvdFeatureParams;
use qwd_train::{LowRankParams, PlsParams, RmlsParams};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What kind of result an experiment has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// The sizes of click graphs.
    Statistics,
    /// Figures of methods.
    Ranking,
    /// Figures of methods by the clicks of queries.
    Bins,
    /// The seconds that training takes, by threads.
    Threads,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    pub(super) kind: Kind,
    /// Where queries, documents, clicks and judgments come from.
    #[serde(default)]
    pub(super) source: Source,
    /// The data set's name in the rows.
    #[serde(default)]
    pub(super) label: String,
    /// How clicks and texts become a graph.
    #[serde(default)]
    pub(super) graph: ClickGraphParams,
    /// Rows that the others are tested against.
    #[serde(default)]
    pub(super) against: Vec<String>,
    /// Numbers of threads, where times are compared.
    #[serde(default)]
    pub(super) threads: Vec<usize>,
    #[serde(rename = "row")]
    pub(super) rows: Vec<RowDefinition>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowDefinition {
    pub(super) method: String,
    /// What matches; the sizes of a graph need nothing.
    #[serde(default)]
    pub(super) matcher: Option<MatcherDefinition>,
    /// Where the row's data come from, in a table of data sets.
    #[serde(default)]
    pub(super) source: Option<Source>,
    /// Whether the row is only there for others to build on.
    #[serde(default)]
    pub(super) hidden: bool,
    #[serde(default)]
    pub(super) paper: BTreeMap<String, f64>,
}

/// A method with its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum MatcherDefinition {
    /// BM25 over title, address and text together.
    Bm25 {},
    /// Latent semantic indexing of the documents' words.
    LsiDt { rank: usize },
    /// Latent semantic indexing of clicks, queries by documents.
    LsiQd { rank: usize },
    /// Supervised semantic indexing on preferences that clicks imply, on the words of both sides.
    Ssi { params: Box<LowRankParams>, passes: u32 },
    /// Partial least squares.
    Pls {
        params: PlsParams,
        /// Whether on words alone.
        #[serde(default)]
        words: bool,
    },
    /// Regularized mapping to latent structures.
    Rmls { params: RmlsParams },
    /// The backward random walk; the number of steps is chosen on the tuning half.
    RandomWalk { steps: Vec<usize> },
    /// The bilingual topic model, on the words of both sides.
    Bltm { params: BltmParams },
    /// Factorisation with features.
    SvdFeature { params: SvdFeatureParams },
    /// Two rows, added with a weight that is chosen on the tuning half.
    Combined { of: [String; 2] },
    /// Boosted trees on the scores of rows, trained on the tuning half.
    Mart { features: Vec<String> },
}

impl Definition {
    pub(super) fn parse(name: &str, text: &str) -> Result<Self> {
        read(name, text)
    }

    /// A row by its name.
    pub(super) fn row(&self, name: &str) -> Result<&RowDefinition> {
        let unknown = || Error::internal(format!("no row {name} to build on"));
        self.rows.iter().find(|row| row.method == name).ok_or_else(unknown)
    }

    /// The names of the rows that are shown.
    pub(super) fn row_names(&self) -> Vec<&str> {
        self.rows.iter().filter(|row| !row.hidden).map(|row| row.method.as_str()).collect()
    }

    /// The rows to run.
    pub(super) fn chosen<'a>(&'a self, only: Option<&'a str>) -> impl Iterator<Item = &'a RowDefinition> {
        self.rows.iter().filter(move |row| !row.hidden && only.is_none_or(|only| only == row.method))
    }
}

#[cfg(test)]
mod tests {
    use super::super::EXPERIMENTS;
    use super::*;

    #[test]
    fn every_experiment_parses_and_its_rows_build_on_rows() {
        for (name, text) in EXPERIMENTS {
            let definition = Definition::parse(name, text).expect(name);
            for row in &definition.rows {
                let built_on: &[String] = match &row.matcher {
                    Some(MatcherDefinition::Combined { of }) => of,
                    Some(MatcherDefinition::Mart { features }) => features,
                    Some(MatcherDefinition::Pls { params, .. }) => {
                        params.clone().build().expect(name);
                        &[]
                    }
                    Some(MatcherDefinition::Rmls { params }) => {
                        params.clone().build().expect(name);
                        &[]
                    }
                    _ => &[],
                };
                for other in built_on {
                    definition.row(other).expect(name);
                }
            }
            for other in &definition.against {
                definition.row(other).expect(name);
            }
            let mut names: Vec<&str> = definition.rows.iter().map(|row| row.method.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), definition.rows.len(), "{name}: rows are unique");
        }
    }
}
