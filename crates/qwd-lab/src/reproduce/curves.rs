//! Figures: test error and density of W against the number of training tuples.

use super::definition::Definition;
use super::{CurvePoint, Row, Setting, open};
use crate::protocol::{MatrixScorer, rank_loss};
use qwd_core::{Result, Threads};
use qwd_data::{Preference, SampleParams, Sampler, Split, SplitRule, Task};
use qwd_model::Matrix;
use qwd_train::plan::repeated;
use qwd_train::{Checkpoints, Plan, Prepared, Problem, Session, Vectors, Watcher};

/// Tuples on which an error is measured along the way.
const TEST_TUPLES: usize = 20_000;

pub(super) fn run(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let data = open(&definition.dataset, setting)?;
    let mut rows = Vec::new();
    for row in definition.chosen(setting.only) {
        let plan = definition.plan(row)?;
        let prepared = Prepared::fit(&data, &plan.text, SplitRule::default(), setting.threads)?;
        let (train, train_vectors) = prepared.task(Split::Train)?;
        let train = train.thinned(plan.share, plan.seed)?;
        let (test, vectors) = prepared.task(Split::Test)?;
        let mut recorder = Recorder {
            test: (test_tuples(&test, &plan)?, vectors),
            train: if definition.training_error { Some((test_tuples(&train, &plan)?, train_vectors)) } else { None },
            threads: setting.threads,
            curve: vec![],
        };
        record(&plan, definition.every, &train, train_vectors, setting, &mut recorder)?;
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

/// Tuples of a task in the order of their queries; only the rule for classes of one document is the plan's.
fn test_tuples(task: &Task, plan: &Plan) -> Result<Vec<Preference>> {
    let params = SampleParams { seed: plan.seed, singletons: plan.sample.singletons, ..SampleParams::default() };
    let mut tuples = Sampler::of_task(task, &params)?.sample(TEST_TUPLES)?;
    tuples.sort_by_key(|tuple| tuple.query);
    Ok(tuples)
}

/// Trains with the recorder looking on; a plan that refits is recorded while it refits.
fn record(
    plan: &Plan,
    every: u64,
    task: &Task,
    vectors: &Vectors,
    setting: Setting<'_>,
    recorder: &mut Recorder<'_>,
) -> Result<()> {
    let tuples = repeated(&plan.tuples_of(task)?, plan.passes, plan.seed);
    let problem = Problem::try_new(&vectors.queries, &vectors.documents, &tuples)?.with_candidates(&task.documents)?;
    let Setting { threads, observer, .. } = setting;
    let checkpoints = Checkpoints { every, patience: None };
    let (start, none) = (plan.start.into(), qwd_train::Constraints::default());
    let Some(refit) = &plan.refit else {
        let session = &mut Session::new(threads, observer).with_watcher(checkpoints, recorder)?;
        return plan.train.train(&problem, start, &none, None, session).map(drop);
    };
    let fitted = plan.train.train(&problem, start, &none, None, &mut Session::new(threads, observer))?;
    let again = repeated(&tuples, refit.passes, plan.seed);
    let session = &mut Session::new(threads, observer).with_watcher(checkpoints, recorder)?;
    let refitter = refit.params.clone().build()?;
    refitter.train(&problem.with_preferences(&again)?, &fitted.matrix, session).map(drop)
}

/// Tuples, and the vectors that they are of.
type Measured<'a> = (Vec<Preference>, &'a Vectors);

struct Recorder<'a> {
    test: Measured<'a>,
    train: Option<Measured<'a>>,
    threads: &'a Threads,
    curve: Vec<CurvePoint>,
}

impl Watcher for Recorder<'_> {
    fn look(&mut self, tuples: u64, matrix: &Matrix) -> Result<Option<f64>> {
        let loss = |(tuples, vectors): &Measured<'_>| {
            rank_loss(tuples, &MatrixScorer::try_new(matrix, vectors)?, self.threads)
        };
        let error = loss(&self.test)?;
        let train_error = self.train.as_ref().map(loss).transpose()?;
        self.curve.push(CurvePoint { tuples, error, train_error, density: matrix.density() });
        Ok(Some(-error))
    }
}
