//! Tables of methods: train, evaluate on the test split, set beside the paper.

use super::definition::Definition;
use super::significance::against_baseline;
use super::{Row, Setting, open};
use qwd_core::Result;
use qwd_data::{Opened, Split, SplitRule};
use qwd_metrics::{Evaluation, Metric};
use qwd_model::Matrix;
use qwd_train::{Constraints, Outcome, Plan, Prepared, TextParams, evaluate};
use std::time::Instant;

pub(super) fn run(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let data = open(&definition.dataset, setting)?;
    let metrics: Vec<Metric> = definition.metrics.iter().map(|name| name.parse()).collect::<Result<_>>()?;
    let mut bench = Bench { data: &data, setting, prepared: None, fitted: None };
    let mut rows = Vec::new();
    let mut evaluations: Vec<(String, Evaluation)> = Vec::new();
    for row in definition.chosen(setting.only) {
        let plan = definition.plan(row)?;
        let started = Instant::now();
        let outcome = bench.train(&plan)?;
        let train_seconds = started.elapsed().as_secs_f64();
        let evaluation = bench.evaluate(outcome.model.matrix(), &metrics)?;
        let mut figures: std::collections::BTreeMap<String, f64> =
            evaluation.summary().metrics.iter().map(|(metric, mean)| (metric.to_string(), mean)).collect();
        figures.insert("density".into(), outcome.model.matrix().density());
        figures.insert("bytes".into(), outcome.model.to_bytes()?.len() as f64);
        figures.insert("train_seconds".into(), train_seconds);
        figures.insert("tuples".into(), outcome.steps as f64);
        rows.push(Row {
            method: row.method.clone(),
            dataset: definition.label.clone(),
            metrics: figures,
            paper: row.paper.clone(),
            ..Row::default()
        });
        evaluations.push((row.method.clone(), evaluation));
    }
    if let Some(baseline) = &definition.baseline {
        against_baseline(&mut rows, &evaluations, baseline, &metrics)?;
    }
    Ok(rows)
}

/// Keeps vectors and the last W trained without refitting, so that rows that share them do not make them again.
struct Bench<'a> {
    data: &'a Opened,
    setting: Setting<'a>,
    prepared: Option<(TextParams, Prepared<'a>)>,
    fitted: Option<(Plan, Matrix)>,
}

impl<'a> Bench<'a> {
    fn prepared(&mut self, text: &TextParams) -> Result<&Prepared<'a>> {
        if self.prepared.as_ref().is_none_or(|(params, _)| params != text) {
            self.prepared = None;
            let prepared = Prepared::fit(self.data, text, SplitRule::default(), self.setting.threads)?;
            self.prepared = Some((text.clone(), prepared));
        }
        Ok(&self.prepared.as_ref().expect("made above").1)
    }

    fn train(&mut self, plan: &Plan) -> Result<Outcome> {
        let Setting { threads, observer, .. } = self.setting;
        let without_refit = Plan { refit: None, ..plan.clone() };
        let known = self.fitted.take().filter(|(fitted, _)| plan.refit.is_some() && *fitted == without_refit);
        let prepared = self.prepared(&plan.text)?;
        let outcome = match known {
            Some((_, matrix)) => plan.refit_prepared(prepared, &matrix, threads, observer)?,
            None => plan.run_prepared(prepared, &Constraints::default(), None, threads, observer)?,
        };
        self.fitted = Some((without_refit, outcome.before_refit.as_ref().unwrap_or(outcome.model.matrix()).clone()));
        Ok(outcome)
    }

    fn evaluate(&self, matrix: &Matrix, metrics: &[Metric]) -> Result<Evaluation> {
        let (_, prepared) = self.prepared.as_ref().expect("trained before");
        let (task, vectors) = prepared.task(Split::Test)?;
        evaluate(matrix, &task, vectors, prepared, metrics, self.setting.threads)
    }
}
