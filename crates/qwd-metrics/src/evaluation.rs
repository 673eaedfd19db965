//! The values of several metrics, query by query, and what they come to.
//!
//! The standard error of a mean is s/√n, with s the sample deviation (n − 1 below) over the n queries that have a value.
//! Cost: one row of values per query.

use crate::metric::Metric;
use crate::ranking::Ranking;
use crate::summary::Summary;
use qwd_core::{Error, Result};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The values of a list of metrics for each query; serialised, it is its [`Summary`].
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    metrics: Vec<Metric>,
    queries: BTreeMap<String, Vec<Option<f64>>>,
}

impl Evaluation {
    /// Begins an evaluation of no queries; the metrics must not be empty or repeat themselves.
    pub fn new(metrics: &[Metric]) -> Result<Self> {
        if metrics.is_empty() {
            return Err(Error::param("metrics", "(none)", "at least one metric"));
        }
        if let Some(twice) = metrics.iter().enumerate().find(|(i, m)| metrics[..*i].contains(m)) {
            return Err(Error::param("metrics", twice.1, "each metric once"));
        }
        Ok(Self { metrics: metrics.to_vec(), queries: BTreeMap::new() })
    }

    /// Measures a query's ranking; a query can be added once.
    pub fn add(&mut self, query: impl Into<String>, ranking: &Ranking) -> Result<()> {
        let values = self.metrics.iter().map(|metric| metric.value(ranking)).collect();
        self.add_values(query, values)
    }

    /// Takes values measured elsewhere, one for each metric in order; they must be finite.
    pub fn add_values(&mut self, query: impl Into<String>, values: Vec<Option<f64>>) -> Result<()> {
        let query = query.into();
        if values.len() != self.metrics.len() {
            let what = format!("query \"{query}\" has {} values for {} metrics", values.len(), self.metrics.len());
            return Err(Error::bad_data(what, "give one value for each metric"));
        }
        if values.iter().flatten().any(|value| !value.is_finite()) {
            return Err(Error::bad_data(
                format!("query \"{query}\" has a value that is not finite"),
                "measure it anew",
            ));
        }
        if self.queries.contains_key(&query) {
            return Err(Error::bad_data(format!("query \"{query}\" is evaluated twice"), "keep one of the two"));
        }
        self.queries.insert(query, values);
        Ok(())
    }

    /// Returns the metrics, in the order they were asked for.
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// Returns the number of queries.
    pub fn n_queries(&self) -> usize {
        self.queries.len()
    }

    /// Returns the queries in the order of their ids, each with its values in the order of the metrics.
    pub fn queries(&self) -> impl Iterator<Item = (&str, &[Option<f64>])> {
        self.queries.iter().map(|(query, values)| (query.as_str(), values.as_slice()))
    }

    /// Returns the values of one metric for the queries that have one, in the order of their ids.
    pub fn values(&self, metric: Metric) -> Result<Vec<f64>> {
        let column = self.column(metric)?;
        Ok(self.queries.values().filter_map(|values| values[column]).collect())
    }

    /// Returns one metric's values here and in another evaluation, for the queries that have one in both.
    pub fn paired(&self, other: &Self, metric: Metric) -> Result<(Vec<f64>, Vec<f64>)> {
        let (mine, theirs) = (self.column(metric)?, other.column(metric)?);
        let in_both =
            self.queries.iter().filter_map(|(query, values)| Some((values[mine]?, other.queries.get(query)?[theirs]?)));
        Ok(in_both.unzip())
    }

    /// Returns the means and their standard errors.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary { n_queries: self.n_queries(), ..Summary::default() };
        for (column, &metric) in self.metrics.iter().enumerate() {
            let values: Vec<f64> = self.queries.values().filter_map(|values| values[column]).collect();
            summary.metrics.extend(mean(&values).map(|mean| (metric, mean)));
            summary.standard_errors.extend(standard_error(&values).map(|error| (metric, error)));
        }
        summary
    }

    fn column(&self, metric: Metric) -> Result<usize> {
        let known = || self.metrics.iter().map(Metric::to_string).collect::<Vec<_>>().join(", ");
        self.metrics
            .iter()
            .position(|&m| m == metric)
            .ok_or_else(|| Error::param("metric", metric, format!("one that was evaluated: {}", known())))
    }
}

impl Serialize for Evaluation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.summary().serialize(serializer)
    }
}

/// The mean, if there is anything to average.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The sample deviation over the root of the number of values, if there are two or more.
pub(crate) fn standard_error(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64 / values.len() as f64).sqrt())
}
