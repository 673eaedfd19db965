//! From a data set to a model: texts to vectors, labels or judgments to tuples, tuples to W, W to a model that knows
//! where it comes from.

use crate::click_problem::{ClickProblem, response_of_task};
use crate::correlated_hashing::CorrelatedHashingParams;
use crate::evaluate::evaluate;
use crate::hard_negatives::with_hard_negatives;
use crate::method::Method;
use crate::multi_task::{Help, Helping, MultiTask};
use crate::problem::Problem;
use crate::refit::RefitParams;
use crate::session::{Checkpoints, Session, Watcher};
use crate::trainer::{Constraints, Start, Trained};
use crate::vectors::{Bins, Prepared, TextParams, Vectors};
use qwd_core::parameters::share;
use qwd_core::{Csr, Error, Observer, Result, Rng, Threads, parameters};
use qwd_data::{Opened, Preference, SampleParams, Sampler, Split, SplitRule, Task, Truth};
use qwd_metrics::Metric;
use qwd_model::bounds::Sample;
use qwd_model::{Matrix, Model, Provenance};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// Where training starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartFrom {
    /// From I.
    #[default]
    Identity,
    /// From W = 0.
    Zero,
}

impl From<StartFrom> for Start<'_> {
    fn from(start: StartFrom) -> Self {
        match start {
            StartFrom::Identity => Self::Identity,
            StartFrom::Zero => Self::Zero,
        }
    }
}

parameters! {
    /// Early stopping on held-out data.
    pub struct StopParams {
        /// The metric to watch, for example `map` or `ndcg@10`.
        pub metric: String = "map".to_string(),
        /// Steps between two looks.
        pub every: u64 = 20_000,
        /// Looks without a better figure before training stops; the best W seen is returned.
        pub patience: u32 = 3,
        /// About so many held-out queries are asked at each look; without it all are.
        pub queries: Option<usize> = None,
    }
}

parameters! {
    /// Refitting after training.
    pub struct RefitPlan {
        /// How to refit.
        pub params: RefitParams = RefitParams::default(),
        /// Passes over the training tuples.
        pub passes: u32 = 1,
    }
}

parameters! {
    /// How a data set becomes a model.
    pub struct Plan {
        /// The training method and its parameters.
        pub train: Method = Method::SparseSgd(crate::sparse_sgd::SparseSgdParams::default()),
        /// Where training starts: `identity` or `zero`.
        pub start: StartFrom = StartFrom::Identity,
        /// The number of different training tuples.
        pub tuples: u64 = 100_000,
        /// Passes over them, each after the first in a new random order.
        pub passes: u32 = 1,
        /// Whether and how words are put into bins of frequent words before training.
        pub hashing: Option<CorrelatedHashingParams> = None,
        /// Whether and how to refit the entries that training left.
        pub refit: Option<RefitPlan> = None,
        /// Whether and how to stop early.
        pub stop: Option<StopParams> = None,
        /// How texts become vectors.
        pub text: TextParams = TextParams::default(),
        /// How labels and judgments become tuples.
        pub sample: SampleParams = SampleParams::default(),
        /// The share of the training judgments that is used, above 0 and at most 1.
        pub share: f64 = 1.0,
        /// From judgments, so many of the documents that W = I ranks best serve as worse ones, in place of those judged not to
        /// suit; 0 for none. With `sample.unjudged` at `never` there are no others.
        pub hard: usize = 0,
        /// Tasks inside one language that help `low-rank` across two, trained in turn with it: `target`,
        /// `target-with-own-queries`, `source`.
        pub helpers: Vec<Help> = Vec::new(),
        /// The seed of all random choices.
        pub seed: u64 = 1,
    }
}

/// What came of a plan.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The model.
    pub model: Model,
    /// The W before refitting, where the plan refits.
    pub before_refit: Option<Matrix>,
    /// Training steps taken.
    pub steps: u64,
    /// Word pairs and figures on held-out data at each look.
    pub history: Vec<Look>,
}

/// What was seen at one look at W during training.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Steps taken.
    pub step: u64,
    /// The share of non-zero entries of W.
    pub density: f64,
    /// The figure on held-out data.
    pub figure: f64,
}

impl Plan {
    /// Checks all parameters before any work is done.
    pub fn check(&self) -> Result<()> {
        self.train.check()?;
        if self.tuples == 0 {
            return Err(Error::param("tuples", 0, "at least 1"));
        }
        if self.passes == 0 {
            return Err(Error::param("passes", 0, "at least 1"));
        }
        share("share", self.share)?;
        if !self.helpers.is_empty() {
            self.multi_task()?;
        }
        if let Some(hashing) = &self.hashing {
            hashing.clone().build()?;
        }
        if let Some(refit) = &self.refit {
            refit.params.clone().build()?;
            if refit.passes == 0 {
                return Err(Error::param("refit.passes", 0, "at least 1"));
            }
        }
        if let Some(stop) = &self.stop {
            stop.metric.parse::<Metric>()?;
            if stop.every == 0 {
                return Err(Error::param("stop.every", 0, "at least 1 step"));
            }
            if stop.queries == Some(0) {
                return Err(Error::param("stop.queries", 0, "at least 1 query"));
            }
        }
        Ok(())
    }

    /// Trains on the training split; with early stopping, on what validation leaves of it.
    pub fn run(&self, data: &Opened, threads: &Threads, observer: &dyn Observer) -> Result<Outcome> {
        self.run_with(data, &Constraints::default(), None, threads, observer)
    }

    /// As [`Plan::run`], within constraints on W.
    pub fn run_with(
        &self,
        data: &Opened,
        constraints: &Constraints,
        hierarchy: Option<&crate::Hierarchy>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Outcome> {
        self.check()?;
        let rule = SplitRule { seed: self.seed, ..SplitRule::default() };
        let prepared = Prepared::fit(data, &self.text, rule, threads)?;
        self.run_prepared(&prepared, constraints, hierarchy, threads, observer)
    }

    /// As [`Plan::run_with`], on vectors that are made already.
    pub fn run_prepared(
        &self,
        prepared: &Prepared<'_>,
        constraints: &Constraints,
        hierarchy: Option<&crate::Hierarchy>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Outcome> {
        self.check()?;
        let run = Run::new(self, prepared, threads, observer)?;
        let (mut trained, mut history) = run.train(constraints, hierarchy)?;
        if !constraints.is_empty() {
            // A model does not know its constraints, so going on would forget them.
            trained.state = None;
        }
        let Some(refit) = &self.refit else {
            let steps = trained.steps;
            let model = self.model(run.over_words(trained)?, prepared, run.sample())?;
            return Ok(Outcome { model, before_refit: None, steps, history });
        };
        let (refitted, looks) = run.refit(refit, &trained.matrix, constraints)?;
        history.extend(looks);
        let steps = trained.steps + refitted.steps;
        let refitted = run.over_words(Trained { steps, state: None, ..refitted })?;
        let before_refit = Some(run.over_words(trained)?.matrix);
        Ok(Outcome { model: self.model(refitted, prepared, None)?, before_refit, steps, history })
    }

    /// Only refits a given W, which this plan trained before.
    pub fn refit_prepared(
        &self,
        prepared: &Prepared<'_>,
        fitted: &Matrix,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Outcome> {
        self.check()?;
        let Some(refit) = &self.refit else { return Err(Error::param("refit", "none", "how to refit")) };
        if self.hashing.is_some() {
            return Err(Error::param("hashing", "given", "none: a W over words is refitted, not one over bins"));
        }
        let (refitted, history) =
            Run::new(self, prepared, threads, observer)?.refit(refit, fitted, &Constraints::default())?;
        let steps = self.tuples * u64::from(self.passes) + refitted.steps;
        let model = self.model(Trained { steps, state: None, ..refitted }, prepared, None)?;
        Ok(Outcome { model, before_refit: Some(fitted.clone()), steps, history })
    }

    /// The training tuples of a task: drawn from classes or judgments, or the given preferences themselves.
    pub fn tuples_of(&self, task: &Task) -> Result<Vec<Preference>> {
        let params = SampleParams { seed: self.seed, ..self.sample };
        let sampler = Sampler::of_task(task, &params)?;
        let n = match &task.truth {
            Truth::Preferences(given) => given.len(),
            _ => self.tuples as usize,
        };
        sampler.sample(n)
    }

    /// The trainer of plans with helpers.
    fn multi_task(&self) -> Result<MultiTask> {
        match (&self.train, self.start) {
            (Method::LowRank(params), StartFrom::Zero) => MultiTask::new(params.clone()),
            _ => Err(Error::param("helpers", "given", "none, or method low-rank with start = zero: W has no diagonal")),
        }
    }

    fn model(&self, trained: Trained, prepared: &Prepared<'_>, sample: Option<Sample>) -> Result<Model> {
        let mut provenance = Provenance { sample, ..Provenance::new(self.train.name()) };
        provenance.params = serde_json::to_value(self).map_err(|e| Error::internal(e.to_string()))?;
        provenance.seed = self.seed;
        provenance.n_tuples = trained.steps;
        let files = match prepared.data() {
            Opened::Texts(dataset) => &dataset.files,
            Opened::Vectors(dataset) => &dataset.files,
        };
        for file in files {
            let name = file.path.file_name().unwrap_or(file.path.as_os_str());
            provenance.data.insert(name.to_string_lossy().into_owned(), file.to_string());
        }
        let (query, document) = prepared.vectorizers();
        let model = Model::new(trained.matrix, provenance).with_vectorizers(query, document)?;
        match trained.state {
            Some(state) => model.with_state(state),
            None => Ok(model),
        }
    }
}

/// The tuples, then the same tuples in a new random order for every further pass.
pub fn repeated(tuples: &[Preference], passes: u32, seed: u64) -> Vec<Preference> {
    let mut all = Vec::with_capacity(tuples.len() * passes as usize);
    let mut order = tuples.to_vec();
    for pass in 0..passes {
        if pass > 0 {
            Rng::part(seed, u64::from(pass)).shuffle(&mut order);
        }
        all.extend_from_slice(&order);
    }
    all
}

/// A plan at work: its tuples, and what it validates on.
struct Run<'a> {
    plan: &'a Plan,
    prepared: &'a Prepared<'a>,
    vectors: Cow<'a, Vectors>,
    bins: Option<Bins>,
    tuples: Vec<Preference>,
    helping: Vec<Helping>,
    /// The documents of the training task.
    documents: Vec<u32>,
    /// How strongly queries answer to documents, for a method that learns from that.
    response: Option<Csr>,
    validation: Option<Task>,
    threads: &'a Threads,
    observer: &'a dyn Observer,
}

impl<'a> Run<'a> {
    fn new(
        plan: &'a Plan,
        prepared: &'a Prepared<'a>,
        threads: &'a Threads,
        observer: &'a dyn Observer,
    ) -> Result<Self> {
        let (train, validation, vectors) = if let Some(stop) = &plan.stop {
            let (train, validation, vectors) = prepared.train_and_validation()?;
            (train, Some(validation.sampled(stop.queries.unwrap_or(usize::MAX), plan.seed)), vectors)
        } else {
            let (train, vectors) = prepared.task(Split::Train)?;
            (train, None, vectors)
        };
        let mut train = train.thinned(plan.share, plan.seed)?;
        if plan.hard > 0 {
            train = with_hard_negatives(train, vectors, plan.hard, threads)?;
        }
        let tuples = if matches!(plan.train, Method::Identity(_)) { Vec::new() } else { plan.tuples_of(&train)? };
        let helping = plan.helpers.iter().map(|&help| {
            let task = help.task(prepared)?;
            Ok(Helping { help, tuples: plan.tuples_of(&task)?, documents: task.documents })
        });
        let helping = helping.collect::<Result<Vec<_>>>()?;
        let (vectors, bins) = match &plan.hashing {
            None => (Cow::Borrowed(vectors), None),
            Some(hashing) => {
                let bins = Bins::count(&hashing.clone().build()?, prepared, vectors, &train, threads)?;
                (Cow::Owned(bins.vectors(vectors, threads)?), Some(bins))
            }
        };
        let response = if plan.train.learns_from_response() {
            response_of_task(&train, vectors.queries.n_rows(), vectors.documents.n_rows())?
        } else {
            None
        };
        let documents = train.documents;
        Ok(Self { plan, prepared, vectors, bins, tuples, helping, documents, response, validation, threads, observer })
    }

    /// What bounds need to know of the training sample, for a method that learns from responses over words.
    fn sample(&self) -> Option<Sample> {
        let (queries, documents) = (&self.vectors.queries, &self.vectors.documents);
        let response = self.response.as_ref().filter(|_| self.bins.is_none())?;
        Some(ClickProblem { queries, documents, response }.sample())
    }

    /// A W that was trained over bins as one over words; training cannot go on from it.
    fn over_words(&self, trained: Trained) -> Result<Trained> {
        let Some(bins) = &self.bins else { return Ok(trained) };
        let (query, document) = (Arc::clone(&bins.query), Arc::clone(&bins.document));
        Ok(Trained { matrix: Matrix::binned(query, document, trained.matrix)?, state: None, ..trained })
    }

    fn train(&self, constraints: &Constraints, hierarchy: Option<&crate::Hierarchy>) -> Result<(Trained, Vec<Look>)> {
        let start = self.plan.start.into();
        let helpers = self.helping.iter().map(|helping| helping.helper(&self.vectors)).collect::<Result<Vec<_>>>()?;
        self.watched(self.plan.passes, |problem, session| {
            if !helpers.is_empty() {
                return self.plan.multi_task()?.train(problem, &helpers, session);
            }
            self.plan.train.train(problem, start, constraints, hierarchy, session)
        })
    }

    fn refit(&self, refit: &RefitPlan, fitted: &Matrix, constraints: &Constraints) -> Result<(Trained, Vec<Look>)> {
        let refitter = refit.params.clone().build()?.keeping(&constraints.pinned);
        self.watched(refit.passes, |problem, session| refitter.train(problem, fitted, session))
    }

    /// Does some training on passes over the tuples, watched by the observer and, if the plan stops early, by the
    /// validation task.
    fn watched(
        &self,
        passes: u32,
        work: impl FnOnce(&Problem<'_>, &mut Session<'_>) -> Result<Trained>,
    ) -> Result<(Trained, Vec<Look>)> {
        let tuples = repeated(&self.tuples, passes, self.plan.seed);
        let mut problem = Problem::try_new(&self.vectors.queries, &self.vectors.documents, &tuples)?
            .with_candidates(&self.documents)?;
        if let Some(response) = &self.response {
            problem = problem.with_response(response)?;
        }
        let session = Session::new(self.threads, self.observer);
        let (Some(stop), Some(task)) = (&self.plan.stop, &self.validation) else {
            let mut session = session;
            return Ok((work(&problem, &mut session)?, Vec::new()));
        };
        let mut held_out = HeldOut { run: self, task, metric: stop.metric.parse()?, history: Vec::new() };
        let checkpoints = Checkpoints { every: stop.every, patience: Some(stop.patience) };
        let trained = work(&problem, &mut session.with_watcher(checkpoints, &mut held_out)?)?;
        Ok((trained, held_out.history))
    }
}

/// Measures W on the validation task.
struct HeldOut<'a> {
    run: &'a Run<'a>,
    task: &'a Task,
    metric: Metric,
    history: Vec<Look>,
}

impl Watcher for HeldOut<'_> {
    fn look(&mut self, step: u64, matrix: &Matrix) -> Result<Option<f64>> {
        let Run { vectors, prepared, threads, .. } = self.run;
        let evaluation = evaluate(matrix, self.task, vectors, prepared, &[self.metric], threads)?;
        let Some(mean) = evaluation.summary().metrics.get(self.metric) else { return Ok(None) };
        self.history.push(Look { step, density: matrix.density(), figure: mean });
        Ok(Some(if self.metric.higher_is_better() { mean } else { -mean }))
    }
}
