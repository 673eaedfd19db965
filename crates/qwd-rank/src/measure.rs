//! Scores to figures: a set's queries ranked, ties in the order of the file as LETOR's scripts have them.

use crate::feature_set::FeatureSet;
use crate::ranker::Ranker;
use qwd_core::{Error, Result, Threads};
use qwd_metrics::{Depth, Evaluation, Metric, Ranking, TieOrder};
use serde::{Deserialize, Serialize, Serializer};

/// Which nDCG is meant by `ndcg@k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricFamily {
    /// That of LETOR 3.0's scripts.
    Letor3,
    /// That of LETOR 4.0's scripts: 0 for a query with fewer documents than ranks.
    Letor4,
    /// The usual one with gain 2^grade − 1.
    #[default]
    Standard,
}

impl MetricFamily {
    /// Returns the family of a name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "letor3" => Ok(Self::Letor3),
            "letor4" => Ok(Self::Letor4),
            "standard" => Ok(Self::Standard),
            _ => Err(Error::param("metrics", name, "one of letor3, letor4, standard")),
        }
    }

    /// Returns the family's nDCG at a depth.
    pub fn ndcg(self, depth: Depth) -> Metric {
        match self {
            Self::Letor3 => Metric::Letor3Ndcg(depth),
            Self::Letor4 => Metric::Letor4Ndcg(depth),
            Self::Standard => Metric::ExponentialNdcg(depth),
        }
    }

    /// Returns nDCG at some depths and MAP at the end, each with the name under which it is reported.
    pub fn metrics(self, depths: &[usize]) -> Result<Vec<(String, Metric)>> {
        let mut metrics = Vec::new();
        for &k in depths {
            metrics.push((format!("ndcg@{k}"), self.ndcg(Depth::at(k)?)));
        }
        metrics.push(("map".to_string(), Metric::AveragePrecision(Depth::WHOLE)));
        Ok(metrics)
    }
}

/// Figures by name, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Named(pub Vec<(String, f64)>);

impl Named {
    /// Returns a figure by name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| *value)
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The means of an evaluation and their standard errors, under the names by which they are reported.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Figures {
    /// The means over queries.
    pub metrics: Named,
    /// Their standard errors, where there are two queries or more.
    pub standard_errors: Named,
    /// The number of queries.
    pub n_queries: usize,
}

impl Figures {
    /// Returns the figures of an evaluation.
    pub fn of(evaluation: &Evaluation, named: &[(String, Metric)]) -> Self {
        let summary = evaluation.summary();
        let names = |value: &dyn Fn(Metric) -> Option<f64>| {
            Named(named.iter().filter_map(|(name, metric)| Some((name.clone(), value(*metric)?))).collect())
        };
        Self {
            metrics: names(&|metric| summary.metrics.get(metric)),
            standard_errors: names(&|metric| summary.standard_errors.get(metric)),
            n_queries: summary.n_queries,
        }
    }
}

/// Held-out documents and the metric by which a ranker is judged on them while it is trained.
#[derive(Debug, Clone, Copy)]
pub struct Validation<'a> {
    /// The documents.
    pub set: &'a FeatureSet,
    /// The metric.
    pub metric: Metric,
}

impl Validation<'_> {
    /// Returns the figure of some scores, higher being better.
    pub(crate) fn figure(&self, scores: &[f32]) -> Result<f64> {
        let mean = mean(self.set, scores, self.metric)?;
        Ok(if self.metric.higher_is_better() { mean } else { -mean })
    }
}

/// Measures a ranker on a set, query by query.
pub fn evaluate(ranker: &Ranker, set: &FeatureSet, metrics: &[Metric], threads: &Threads) -> Result<Evaluation> {
    evaluate_scores(set, &ranker.score_all(set, threads)?, metrics, "")
}

/// Measures scores of a set's documents, query by query; `prefix` stands before the queries' ids.
pub fn evaluate_scores(set: &FeatureSet, scores: &[f32], metrics: &[Metric], prefix: &str) -> Result<Evaluation> {
    let mut evaluation = Evaluation::new(metrics)?;
    for q in 0..set.n_queries() {
        evaluation.add(format!("{prefix}{}", set.query_id(q)), &ranking(set, scores, q)?)?;
    }
    Ok(evaluation)
}

/// The mean of one metric over the queries that have a value.
pub fn mean(set: &FeatureSet, scores: &[f32], metric: Metric) -> Result<f64> {
    let (mut sum, mut n) = (0.0, 0usize);
    for q in 0..set.n_queries() {
        if let Some(value) = metric.value(&ranking(set, scores, q)?) {
            sum += value;
            n += 1;
        }
    }
    Ok(sum / n.max(1) as f64)
}

fn ranking(set: &FeatureSet, scores: &[f32], q: usize) -> Result<Ranking> {
    let rows = set.query(q);
    let ties = TieOrder::by_number(rows.len() as u32);
    let scores = scores
        .get(rows.clone())
        .ok_or_else(|| Error::bad_data("there are fewer scores than documents", "score every document"))?;
    Ranking::of_items(scores, &set.grades()[rows], &ties)
}
