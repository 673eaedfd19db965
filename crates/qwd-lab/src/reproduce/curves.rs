//! Figures: test error and density of W against the number of training tuples.

use super::definition::Definition;
use super::{CurvePoint, Row, Setting, open};
use qwd_core::{Result, Threads};
use qwd_data::{SampleParams, Sampler, Split, SplitRule, Task, Truth};
use qwd_metrics::Metric;
use qwd_model::Matrix;
use qwd_train::plan::repeated;
use qwd_train::{Checkpoints, Plan, Prepared, Problem, Session, Start, Vectors, Watcher, evaluate};

/// Test tuples on which the error is measured along the way.
const TEST_TUPLES: usize = 20_000;

pub(super) fn run(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let data = open(&definition.dataset, setting)?;
    let mut rows = Vec::new();
    for row in definition.chosen(setting.only) {
        let plan = definition.plan(row)?;
        let prepared = Prepared::fit(&data, &plan.text, SplitRule::default(), setting.threads)?;
        let (test, vectors) = prepared.task(Split::Test)?;
        // Only the rule for classes of one document is the plan's.
        let params = SampleParams { seed: plan.seed, singletons: plan.sample.singletons, ..SampleParams::default() };
        let tuples = Sampler::of_task(&test, &params)?.sample(TEST_TUPLES)?;
        let documents = test.documents.clone();
        let task = Task { truth: Truth::Preferences(tuples), ..Task::of_preferences(vec![], documents, true) };
        let mut recorder = Recorder { task, vectors, prepared: &prepared, threads: setting.threads, curve: vec![] };
        record(&plan, definition.every, &prepared, setting, &mut recorder)?;
        let last = recorder.curve.last().copied();
        let metrics = last.map(|p| [("error".to_string(), p.error), ("density".to_string(), p.density)].into());
        rows.push(Row {
            method: row.method.clone(),
            dataset: definition.label.clone(),
            metrics: metrics.unwrap_or_default(),
            paper: row.paper.clone(),
            curve: recorder.curve,
            ..Row::default()
        });
    }
    Ok(rows)
}

/// Trains with the recorder looking on; a plan that refits is recorded while it refits.
fn record(
    plan: &Plan,
    every: u64,
    prepared: &Prepared<'_>,
    setting: Setting<'_>,
    recorder: &mut Recorder<'_>,
) -> Result<()> {
    let (task, vectors) = prepared.task(Split::Train)?;
    let tuples = plan.tuples_of(&task)?;
    let problem = Problem::try_new(&vectors.queries, &vectors.documents, &tuples)?;
    let Setting { threads, observer, .. } = setting;
    let checkpoints = Checkpoints { every, patience: None };
    let none = qwd_train::Constraints::default();
    let Some(refit) = &plan.refit else {
        let session = &mut Session::new(threads, observer).with_watcher(checkpoints, recorder)?;
        return plan.train.train(&problem, Start::Identity, &none, None, session).map(drop);
    };
    let fitted = plan.train.train(&problem, Start::Identity, &none, None, &mut Session::new(threads, observer))?;
    let again = repeated(&tuples, refit.passes, plan.seed);
    let session = &mut Session::new(threads, observer).with_watcher(checkpoints, recorder)?;
    let refitter = refit.params.clone().build()?;
    refitter.train(&problem.with_preferences(&again)?, &fitted.matrix, session).map(drop)
}

struct Recorder<'a> {
    task: Task,
    vectors: &'a Vectors,
    prepared: &'a Prepared<'a>,
    threads: &'a Threads,
    curve: Vec<CurvePoint>,
}

impl Watcher for Recorder<'_> {
    fn look(&mut self, tuples: u64, matrix: &Matrix) -> Result<Option<f64>> {
        let metric = Metric::PairError;
        let evaluation = evaluate(matrix, &self.task, self.vectors, self.prepared, &[metric], self.threads)?;
        let error = evaluation.summary().metrics.get(metric).unwrap_or(1.0);
        self.curve.push(CurvePoint { tuples, error, density: matrix.density() });
        Ok(Some(-error))
    }
}
