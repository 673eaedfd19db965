//! The papers' tables and figures, run anew.
//!
//! An experiment is a TOML file in `experiments/`: a data set, a plan that all rows share, and rows that change it. The
//! paper's figures stand beside the rows they belong to. What comes out is a [`Report`], the contract of
//! `qwd reproduce --json`.

/// All experiments of a module, name and definition, for their files' names.
macro_rules! experiments {
    ($($name:literal),* $(,)?) => {
        /// All experiments: name and definition.
        const EXPERIMENTS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/", $name, ".toml")))),*];
    };
}

mod curves;
mod definition;
mod kept;
mod matching;
mod matching_speed;
mod partners;
mod rankers;
mod related_words;
mod semantic;
mod significance;
mod statistics;
mod table;

use crate::plot::ApScatter;
use definition::{Definition, Kind};
use qwd_core::{Error, Observer, Result, Threads};
use qwd_data::Opened;
use qwd_rank::cross_validation::FeatureCount;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// What an experiment found, row by row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The experiment's name.
    pub name: String,
    /// Seconds that it took.
    pub seconds: f64,
    /// The rows of the table.
    pub rows: Vec<Row>,
}

impl Report {
    /// The values of every query in the first row against those in the last.
    pub fn query_by_query(&self, title: &str) -> Result<ApScatter> {
        let mut rows = self.rows.iter().filter(|row| !row.per_query.is_empty());
        let (Some(a), Some(b)) = (rows.next(), rows.next_back()) else {
            let what = format!("{} has no values of single queries for two rows", self.name);
            return Err(Error::bad_data(what, "draw 2-figure1, or what `qwd compare --scatter` draws"));
        };
        let queries = a.per_query.iter().copied().zip(b.per_query.iter().copied()).collect();
        Ok(ApScatter { title: title.to_string(), a: a.method.clone(), b: b.method.clone(), queries })
    }
}

/// One row: what was measured, and what the paper reports.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Row {
    /// The method, unique in its table.
    pub method: String,
    /// The data set.
    pub dataset: String,
    /// Measured figures.
    pub metrics: BTreeMap<String, f64>,
    /// The paper's figures.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub paper: BTreeMap<String, f64>,
    /// Words found, strongest first, where the table is one of words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The paper's words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paper_words: Vec<String>,
    /// The value of every query, where the figure shows them; the queries are the same in all rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_query: Vec<f64>,
    /// In how many folds each feature is used, where rankers are cross-validated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<FeatureCount>,
    /// Points of a curve, where the experiment is a figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
}

/// One point of a learning curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Training tuples seen.
    pub tuples: u64,
    /// The test error.
    pub error: f64,
    /// The error on training tuples, where the figure shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train_error: Option<f64>,
    /// The share of non-zero entries of W.
    pub density: f64,
}

/// The surroundings of an experiment.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The folder that holds the data sets by name.
    pub data: &'a Path,
    /// Run only this row.
    pub only: Option<&'a str>,
    /// Where trained rows are kept, so that a run can go on where another stopped.
    pub kept: Option<&'a Path>,
    /// The threads to work with.
    pub threads: &'a Threads,
    /// Hears of progress.
    pub observer: &'a dyn Observer,
}

experiments!(
    "1-table1",
    "1-table2-20ng",
    "1-table2-mnist",
    "1-table2-reuters",
    "1-table2-rcv1",
    "1-table3",
    "1-figure1-20ng",
    "1-figure1-mnist",
    "1-figure1-reuters",
    "1-text-rates",
    "nfcorpus",
    "2-figure1",
    "2-figure2",
    "2-table1",
    "2-table1-mdn",
    "2-table10",
    "2-table11",
    "2-table11-pool",
    "2-table2",
    "2-table3",
    "2-table4",
    "2-table5",
    "2-table6",
    "2-table7",
    "2-table8",
    "2-table9",
    "2-table9-fr",
    "2-text-cfh-both",
    "2-text-keywords",
    "2-text-mates",
    "2-text-multitask",
    "2-text-no-identity",
    "2-text-speed",
    "2-text-zero-diagonal",
);

/// The names of all experiments.
pub fn names() -> Vec<String> {
    EXPERIMENTS.iter().map(|(name, _)| name.to_string()).chain(rankers::names()).chain(matching::names()).collect()
}

/// Runs an experiment.
pub fn run(name: &str, setting: Setting<'_>) -> Result<Report> {
    let started = Instant::now();
    let rows = match rankers::run(name, setting)? {
        Some(rows) => Some(rows),
        None => matching::run(name, setting)?,
    };
    if let Some(rows) = rows {
        return Ok(Report { name: name.to_string(), seconds: started.elapsed().as_secs_f64(), rows });
    }
    let Some((name, text)) = EXPERIMENTS.iter().find(|(known, _)| *known == name) else {
        return Err(Error::param("experiment", name, format!("one of {}", names().join(", "))));
    };
    let definition = Definition::parse(name, text)?;
    if let Some(only) = setting.only.filter(|only| !definition.has_row(only)) {
        return Err(Error::param("--only", only, format!("one of {}", definition.row_names().join(", "))));
    }
    let rows = match definition.kind {
        Kind::Statistics => statistics::run(&definition, setting)?,
        Kind::Table => table::run(&definition, setting)?,
        Kind::RelatedWords => related_words::run(&definition, setting)?,
        Kind::Partners => partners::run(&definition, setting)?,
        Kind::MatchingSpeed => matching_speed::run(&definition, setting)?,
        Kind::Curves => curves::run(&definition, setting)?,
        Kind::Semantic => semantic::run(&definition, setting)?,
    };
    Ok(Report { name: name.to_string(), seconds: started.elapsed().as_secs_f64(), rows })
}

/// Opens a data set of the data folder.
fn open(name: &str, setting: Setting<'_>) -> Result<Opened> {
    crate::collection::open(setting.data, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_of_the_first_and_the_last_row_are_set_side_by_side() {
        let row = |method: &str, per_query: &[f64]| Row {
            method: method.to_string(),
            per_query: per_query.to_vec(),
            ..Row::default()
        };
        let rows = vec![row("tfidf", &[0.1, 0.5]), row("between", &[0.0, 0.0]), row("learned", &[0.2, 0.4])];
        let report = Report { name: "2-figure1".to_string(), seconds: 0.0, rows };
        let scatter = report.query_by_query("").expect("two rows");
        assert_eq!((scatter.a.as_str(), scatter.b.as_str()), ("tfidf", "learned"));
        assert_eq!(scatter.queries, [(0.1, 0.2), (0.5, 0.4)]);
        let plain = Report { rows: vec![row("tfidf", &[])], ..report };
        assert!(plain.query_by_query("").is_err());
    }
}
