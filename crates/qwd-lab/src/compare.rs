//! Models side by side on the same queries: figures, differences, and whether the differences are more than luck.
//!
//! The first contender is the one that all others are compared with. p-values are those of the paired t-test and of
//! Fisher's randomisation test; the latter are also corrected by Holm's method for the number of contenders.

use crate::contender::{Contender, Entrant, text_params_of};
use qwd_core::{Error, Result, Threads};
use qwd_data::{Opened, Split, SplitRule, Task};
use qwd_metrics::significance::{Alternative, Correction, RandomizationParams, paired_t_test, randomization_test};
use qwd_metrics::{Evaluation, Metric, Summary};
use qwd_model::Model;
use serde::Serialize;

/// The figures of one contender.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct System {
    /// Its name.
    pub name: String,
    /// Its figures.
    #[serde(flatten)]
    pub summary: Summary,
}

/// One contender against the first, by one metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The contender.
    pub system: String,
    /// The first contender.
    pub baseline: String,
    /// The metric.
    pub metric: Metric,
    /// The mean of the contender's value minus the first one's.
    pub difference: f64,
    /// Whether that is for the better.
    pub better: bool,
    /// The p-value of the paired t-test, two-sided.
    pub t_test_p: f64,
    /// The p-value of the randomisation test, two-sided.
    pub randomization_p: f64,
    /// The same, corrected by Holm's method for the number of contenders.
    pub holm_p: f64,
    /// The number of queries that both have a value for.
    pub n_queries: usize,
}

impl Difference {
    /// Whether the contender is worse than the first one, by the corrected randomisation test where a level is given.
    pub fn is_worse(&self, level: Option<f64>) -> bool {
        !self.better && self.difference != 0.0 && level.is_none_or(|level| self.holm_p <= level)
    }
}

/// All contenders and their differences.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The contenders in the order given.
    pub systems: Vec<System>,
    /// Each contender after the first against the first, metric by metric.
    pub differences: Vec<Difference>,
    /// The values of every query, contender by contender.
    #[serde(skip)]
    pub evaluations: Vec<Evaluation>,
}

/// Evaluates all contenders on a split and compares them with the first.
pub fn compare(
    contenders: &[Contender],
    data: &Opened,
    split: Split,
    metrics: &[Metric],
    threads: &Threads,
) -> Result<Comparison> {
    let models = contenders.iter().map(open).collect::<Result<Vec<_>>>()?;
    let first = models.iter().flatten().next();
    let rule = SplitRule { seed: first.map_or(1, |m| m.provenance().seed), ..SplitRule::default() };
    let like = first.and_then(text_params_of).unwrap_or_default();
    let mut evaluations = Vec::with_capacity(contenders.len());
    let mut same: Option<Task> = None;
    for (contender, model) in contenders.iter().zip(&models) {
        let entrant = match model {
            Some(model) => Entrant::of_model(model, data, threads)?,
            None => Entrant::of_baseline(contender, &like, data, rule, threads)?,
        };
        let task = entrant.task(split)?;
        if same.get_or_insert_with(|| task.clone()) != &task {
            let what = format!("{contender} was trained with a seed that gives the {split} split other queries");
            return Err(Error::bad_data(what, "train all models with the same --seed, or give the data splits"));
        }
        evaluations.push(entrant.evaluate(split, metrics, threads)?);
    }
    let names: Vec<String> = contenders.iter().map(Contender::to_string).collect();
    of_evaluations(&names, evaluations)
}

fn open(contender: &Contender) -> Result<Option<Model>> {
    match contender {
        Contender::Model(path) => Model::open_without_state(path).map(Some),
        Contender::Cosine | Contender::Bm25 | Contender::QueryExpansion => Ok(None),
    }
}

/// Compares evaluations of the same metrics with the first of them.
pub fn of_evaluations(names: &[String], evaluations: Vec<Evaluation>) -> Result<Comparison> {
    let Some(first) = evaluations.first() else { return Err(Error::param("model", "(none)", "at least one model")) };
    let mut differences = Vec::new();
    for &metric in first.metrics() {
        let of_metric = names.iter().zip(&evaluations).skip(1);
        let mut of_metric: Vec<Difference> =
            of_metric.map(|(name, other)| difference(name, other, &names[0], first, metric)).collect::<Result<_>>()?;
        let p_values: Vec<f64> = of_metric.iter().map(|d| d.randomization_p).collect();
        for (difference, p) in of_metric.iter_mut().zip(Correction::Holm.adjust(&p_values)?) {
            difference.holm_p = p;
        }
        differences.append(&mut of_metric);
    }
    let system =
        |(name, evaluation): (&String, &Evaluation)| System { name: name.clone(), summary: evaluation.summary() };
    let systems = names.iter().zip(&evaluations).map(system).collect();
    Ok(Comparison { systems, differences, evaluations })
}

fn difference(
    name: &str,
    other: &Evaluation,
    baseline: &str,
    first: &Evaluation,
    metric: Metric,
) -> Result<Difference> {
    let (a, b) = other.paired(first, metric)?;
    let t_test = paired_t_test(&a, &b, Alternative::TwoSided)?;
    let randomization = randomization_test(&a, &b, &RandomizationParams::default())?;
    Ok(Difference {
        system: name.to_string(),
        baseline: baseline.to_string(),
        metric,
        difference: t_test.mean_difference,
        better: (t_test.mean_difference > 0.0) == metric.higher_is_better() && t_test.mean_difference != 0.0,
        t_test_p: t_test.p_value,
        randomization_p: randomization.p_value,
        holm_p: randomization.p_value,
        n_queries: a.len(),
    })
}
