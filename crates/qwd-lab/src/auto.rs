//! A method and its parameters chosen by the data: successive halving over a few plans that won elsewhere.
//!
//! All candidates are trained on a ninth of their tuples and measured on what is held out; the best three go on to a third
//! of them, and the best two of these to all. W as it starts (cosine, BM25) is measured too, and what comes out is the best of all
//! that was measured, so a search never ends below where it began. When the time is up no further training starts.
//!
//! | data | candidates |
//! |---|---|
//! | judged queries | sparse W over words and over stems; over BM25's weights of stems and pairs of them, against what BM25 ranks high; low rank |
//! | links | low rank, of raw and of damped counts, of rank 100 and 200; sparse W |
//! | labels | sparse W of paper 1, with and without damped counts; its diagonal |
//! | two languages | low rank; the strongest common directions |
//! | preferences | none: they are learned in the order that they were given in, so that training can go on later |

use crate::defaults::{default_plan, default_plan_for};
use crate::prepared_texts::PreparedTexts;
use crate::settings::{Setting, apply};
use qwd_core::random::mix;
use qwd_core::{Control, Error, Observer, Progress, Result, Threads};
use qwd_data::{Opened, Signal, SplitRule, Task};
use qwd_metrics::{Depth, Metric};
use qwd_train::plan::StopParams;
use qwd_train::{Constraints, Outcome, Plan, evaluate};
use serde::Serialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The parts of their tuples that candidates are trained on, and how many go on to each.
const RUNGS: [(u64, usize); 3] = [(9, usize::MAX), (3, 3), (1, 2)];

/// Looks at the held-out part in one training.
const LOOKS: u64 = 6;

/// At most about so many held-out queries decide.
const DECIDING: usize = 1000;

/// A plan to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What tells it from the others.
    pub name: &'static str,
    /// The plan.
    pub plan: Plan,
}

/// What was tried, for people and scripts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Search {
    /// What decided.
    pub metric: Metric,
    /// All trials, in order.
    pub tried: Vec<Tried>,
    /// The place of the best trial.
    pub best: usize,
    /// Whether time ran out before all was tried that should have been.
    pub cut_short: bool,
}

/// One trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// The candidate.
    pub name: &'static str,
    /// The tuples that it was trained on.
    pub tuples: u64,
    /// The figure on what was held out; nothing if training diverged.
    pub figure: Option<f64>,
    /// How long it took.
    pub seconds: f64,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The model, and how it came to be.
    pub outcome: Outcome,
    /// Its plan.
    pub plan: Plan,
    /// What else was tried.
    pub search: Search,
}

/// The plans to try for a data set; one alone where there is nothing to choose.
pub fn candidates(data: &Opened, seed: u64) -> Result<Vec<Candidate>> {
    let mut all = unseeded(data)?;
    all.iter_mut().for_each(|candidate| candidate.plan.seed = seed);
    Ok(all)
}

fn unseeded(data: &Opened) -> Result<Vec<Candidate>> {
    let Opened::Texts(dataset) = data else {
        return made(data, &[("as it starts", "identity", json!({})), ("sparse", "sparse-sgd", json!({}))]);
    };
    let signals = dataset.signals();
    if default_plan(data)?.sample.order == qwd_data::sample::given::Order::AsGiven {
        return made(data, &[("sparse", "sparse-sgd", json!({}))]);
    }
    if signals.contains(&Signal::Mates) {
        return made(data, &[("common directions", "cl-lsi", json!({})), ("low rank", "low-rank", json!({}))]);
    }
    if !dataset.queries_are_documents() {
        return made(data, &for_judged_queries());
    }
    if signals.contains(&Signal::Labels) { made(data, &for_labels()) } else { made(data, &for_links()) }
}

/// A name, a method, and settings besides its defaults.
type Sketch = (&'static str, &'static str, Value);

fn for_judged_queries() -> Vec<Sketch> {
    let bm25 = json!({ "tf": "bm25", "idf": "bm25", "norm": "none", "k1": 0.8, "b": 0.5 });
    let plain = json!({ "tf": "raw", "idf": "none", "norm": "none" });
    let pairs = json!({
        "text.analyzer.stemmer": "en", "text.analyzer.ngrams": 2, "text.vocabulary.n_words": 100_000,
        "text.document": bm25, "text.query": plain,
    });
    let mut against_its_best = pairs.clone();
    extend(
        &mut against_its_best,
        json!({
            "tuples": 180_000, "hard": 50, "sample.unjudged": "never",
            "schedule": "fixed", "learning_rate": 2e-5, "l1": 1e-3, "margin": 5.0,
        }),
    );
    vec![
        ("cosine", "identity", json!({})),
        (
            "bm25",
            "identity",
            json!({
                "text.document": { "tf": "bm25", "idf": "bm25", "norm": "none" }, "text.query": plain,
            }),
        ),
        ("bm25 of stems and pairs", "identity", pairs),
        ("sparse over words", "sparse-sgd", json!({})),
        (
            "sparse over stems",
            "sparse-sgd",
            json!({
                "text.analyzer.stemmer": "en", "text.vocabulary.n_words": 20_000, "tuples": 1_800_000,
                "text.query": { "tf": "log", "idf": "plain", "norm": "l2" },
                "learning_rate": 2.0, "l1": 1e-7, "margin": 0.15,
            }),
        ),
        ("sparse over bm25's best", "sparse-sgd", against_its_best),
        ("low rank", "low-rank", json!({})),
    ]
}

fn for_links() -> Vec<Sketch> {
    let raw = json!({ "tf": "raw", "idf": "plain", "norm": "l2" });
    let counts = json!({ "text.document": raw, "text.query": raw, "text.vocabulary.n_words": 30_000 });
    let mut wide = counts.clone();
    extend(&mut wide, json!({ "rank": 200, "learning_rate": 0.008, "tuples": 720_000 }));
    vec![
        ("cosine", "identity", counts.clone()),
        ("cosine of damped counts", "identity", json!({})),
        ("low rank of counts", "low-rank", counts),
        ("low rank of damped counts", "low-rank", json!({ "text.vocabulary.n_words": 30_000 })),
        ("wide low rank of counts", "low-rank", wide),
        ("sparse", "sparse-sgd", json!({})),
    ]
}

fn for_labels() -> Vec<Sketch> {
    let raw = json!({ "tf": "raw", "idf": "plain", "norm": "l2" });
    vec![
        ("cosine", "identity", json!({})),
        ("diagonal", "diagonal", json!({})),
        ("sparse", "sparse-sgd", json!({})),
        ("sparse of counts", "sparse-sgd", json!({ "text.document": raw, "text.query": raw })),
    ]
}

fn extend(settings: &mut Value, more: Value) {
    if let (Value::Object(settings), Value::Object(more)) = (settings, more) {
        settings.extend(more);
    }
}

fn made(data: &Opened, sketches: &[Sketch]) -> Result<Vec<Candidate>> {
    let make = |(name, method, settings): &Sketch| {
        let settings: Vec<Setting> = settings
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| Setting { key: key.clone(), value: value.clone() })
            .collect();
        let plan = apply(&default_plan_for(data, method)?, &settings)?;
        Ok(Candidate { name, plan: Plan { tuples: plan.tuples.min(most_tuples(data)), ..plan } })
    };
    sketches.iter().map(make).collect()
}

/// As many tuples as say something new: each judgment is drawn some sixteen times.
fn most_tuples(data: &Opened) -> u64 {
    match data {
        Opened::Texts(dataset) if !dataset.queries_are_documents() => {
            let n_judged: usize = dataset.judgments.values().map(Vec::len).sum();
            (16 * n_judged.max(dataset.undivided_judgments.len()) as u64).max(50_000)
        }
        _ => u64::MAX,
    }
}

/// Tries candidates for about as long as `budget` and returns the best model.
pub fn search(
    data: &Opened,
    candidates: Vec<Candidate>,
    rule: SplitRule,
    budget: Duration,
    threads: &Threads,
    observer: &dyn Observer,
) -> Result<Found> {
    let metric = deciding_metric(data);
    let mut bench = Bench {
        metric,
        prepared: PreparedTexts::new(data, rule),
        threads,
        observer,
        started: Instant::now(),
        budget,
        tried: Vec::new(),
        best: None,
        cut_short: false,
    };
    let (starts, mut running): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|c| !c.learns());
    for candidate in &starts {
        bench.measure(candidate, 1)?;
    }
    for (part, n_kept) in RUNGS {
        running.truncate(n_kept);
        let mut figures = Vec::new();
        for candidate in running {
            if let Some(figure) = bench.measure(&candidate, part)? {
                figures.push((figure, candidate));
            }
        }
        figures.sort_by(|a, b| b.0.total_cmp(&a.0));
        running = figures.into_iter().map(|(_, candidate)| candidate).collect();
    }
    bench.found()
}

/// Grades of few documents matter most where queries are asked; where documents are, all that suit them.
fn deciding_metric(data: &Opened) -> Metric {
    match data {
        Opened::Texts(dataset) if !dataset.queries_are_documents() => {
            Metric::Ndcg(Depth::at(10).unwrap_or(Depth::WHOLE))
        }
        _ => Metric::AveragePrecision(Depth::WHOLE),
    }
}

impl Candidate {
    fn learns(&self) -> bool {
        !matches!(self.plan.train, qwd_train::Method::Identity(_))
    }

    /// The plan with a part of its tuples, watched on what is held out.
    fn shortened(&self, part: u64, metric: Metric) -> Plan {
        let tuples = (self.plan.tuples / part).max(1);
        let every = (tuples * u64::from(self.plan.passes) / LOOKS).max(1);
        let stop = StopParams { metric: metric.to_string(), every, patience: LOOKS as u32 };
        let stop = if self.learns() { Some(stop) } else { None };
        Plan { tuples, stop, ..self.plan.clone() }
    }
}

/// The best so far.
struct Best {
    figure: f64,
    at: usize,
    outcome: Outcome,
    plan: Plan,
}

/// Trains and measures, and remembers the best.
struct Bench<'a> {
    metric: Metric,
    prepared: PreparedTexts<'a>,
    threads: &'a Threads,
    observer: &'a dyn Observer,
    started: Instant,
    budget: Duration,
    tried: Vec<Tried>,
    best: Option<Best>,
    cut_short: bool,
}

impl Bench<'_> {
    /// The figure of a candidate that is trained on a part of its tuples; nothing if it diverged or there is no time for it.
    fn measure(&mut self, candidate: &Candidate, part: u64) -> Result<Option<f64>> {
        if candidate.learns() && !self.has_time(candidate, part) {
            self.cut_short = true;
            return Ok(None);
        }
        let plan = candidate.shortened(part, self.metric);
        let started = Instant::now();
        let measured = self.train_and_measure(&plan);
        let seconds = started.elapsed().as_secs_f64();
        let tuples = if candidate.learns() { plan.tuples } else { 0 };
        let mut tried = Tried { name: candidate.name, tuples, figure: None, seconds };
        let figure = match measured {
            Ok((outcome, figure)) => {
                tried.figure = Some(figure);
                if self.best.as_ref().is_none_or(|best| figure > best.figure) {
                    self.best = Some(Best { figure, at: self.tried.len(), outcome, plan });
                }
                Some(figure)
            }
            Err(Error::Diverged { .. }) => None,
            Err(e) => return Err(e),
        };
        self.tried.push(tried);
        Ok(figure)
    }

    /// Whether a training is likely to end in time, by what the candidate took before; the first trial is always made.
    fn has_time(&self, candidate: &Candidate, part: u64) -> bool {
        let tuples = (candidate.plan.tuples / part) as f64;
        let before = self.tried.iter().rev().find(|tried| tried.name == candidate.name);
        let expected = before.map_or(0.0, |tried| tried.seconds * tuples / tried.tuples.max(1) as f64);
        let is_first = self.best.is_none();
        is_first || self.started.elapsed() + Duration::from_secs_f64(expected) < self.budget
    }

    fn train_and_measure(&mut self, plan: &Plan) -> Result<(Outcome, f64)> {
        let (threads, metric) = (self.threads, self.metric);
        let quiet = Choosing { observer: self.observer, started: self.started, budget: self.budget };
        let prepared = self.prepared.get(&plan.text, threads)?;
        let outcome = plan.run_prepared(prepared, &Constraints::default(), None, threads, &quiet)?;
        let (_, validation, vectors) = prepared.train_and_validation()?;
        let task = deciding(validation, plan.seed);
        let evaluation = evaluate(outcome.model.matrix(), &task, vectors, prepared, &[metric], threads)?;
        let nothing = || Error::bad_data("nothing is held out that could decide between plans", "name one: --method");
        let figure = evaluation.summary().metrics.get(metric).ok_or_else(nothing)?;
        Ok((outcome, figure))
    }

    fn found(self) -> Result<Found> {
        let diverged =
            || Error::bad_data("every plan that was tried diverged", "name a method and lower its learning rate");
        let Best { at, outcome, plan, .. } = self.best.ok_or_else(diverged)?;
        let search = Search { metric: self.metric, tried: self.tried, best: at, cut_short: self.cut_short };
        Ok(Found { outcome, plan, search })
    }
}

/// At most about [`DECIDING`] queries of a task, chosen by a hash.
fn deciding(task: Task, seed: u64) -> Task {
    let n = task.queries.len();
    if n <= DECIDING {
        return task;
    }
    task.hold_out(|query| mix(u64::from(query) ^ mix(seed)) % (n as u64) < DECIDING as u64).1
}

/// Tells how much of the time has gone.
struct Choosing<'a> {
    observer: &'a dyn Observer,
    started: Instant,
    budget: Duration,
}

impl Observer for Choosing<'_> {
    fn progress(&self, progress: &Progress) -> Control {
        let (done, total) = (self.started.elapsed().as_secs(), self.budget.as_secs().max(1));
        self.observer.progress(&Progress { stage: "choosing", done: done.min(total), total, ..progress.clone() })
    }
}
