//! The outcome of an evaluation as scripts read it: `{"metrics": {...}, "standard_errors": {...}, "n_queries": N}`.
//!
//! A figure that does not exist (the mean of no value, the standard error of one) is left out: no NaN is ever written.

use crate::metric::Metric;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The means of an evaluation, their standard errors and the number of queries.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// The mean of each metric over the queries that have a value.
    pub metrics: Figures,
    /// The standard error of each mean.
    pub standard_errors: Figures,
    /// The number of queries evaluated.
    pub n_queries: usize,
}

/// Figures by metric, in the order in which the metrics were asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures(Vec<(Metric, f64)>);

impl Figures {
    /// Returns the figure of a metric, if there is one.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.iter().find(|&(m, _)| m == metric).map(|(_, value)| value)
    }

    /// Returns all figures in order.
    pub fn iter(&self) -> impl Iterator<Item = (Metric, f64)> {
        self.0.iter().copied()
    }
}

impl Extend<(Metric, f64)> for Figures {
    fn extend<T: IntoIterator<Item = (Metric, f64)>>(&mut self, figures: T) {
        self.0.extend(figures);
    }
}

impl FromIterator<(Metric, f64)> for Figures {
    fn from_iter<T: IntoIterator<Item = (Metric, f64)>>(figures: T) -> Self {
        Self(figures.into_iter().collect())
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Figures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FiguresVisitor)
    }
}

struct FiguresVisitor;

impl<'de> Visitor<'de> for FiguresVisitor {
    type Value = Figures;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("numbers by the names of metrics")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Figures, M::Error> {
        let mut figures = Vec::new();
        while let Some(figure) = map.next_entry()? {
            figures.push(figure);
        }
        Ok(Figures(figures))
    }
}
