//! The rows of a table as scorers: trained when they are first asked for, kept for rows that build on them.

use super::feedback::FeedbackGrid;
use super::mixing::Mixed;
use super::stage::Stage;
use super::{Shared, named};
use crate::protocol::{MatrixScorer, Protocol, Scorer};
use crate::reproduce::Setting;
use crate::reproduce::definition::{Definition, RowDefinition};
use crate::reproduce::kept::Kept;
use qwd_core::{Error, Result};
use qwd_data::{Dataset, Opened, Preference, SampleParams, Sampler, Split, Task};
use qwd_model::{Matrix, Model};
use qwd_train::{Constraints, Plan, Prepared, TextParams, Vectors};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Held-out training tuples on which weights of mixtures and feedback are chosen.
const CHOSEN_ON: usize = 20_000;

/// A method that can be measured.
pub(super) struct Entrant {
    pub(super) scorer: Arc<dyn Scorer + Send>,
    /// What is known of it besides its figures.
    pub(super) figures: BTreeMap<String, f64>,
}

/// Trains the rows of an experiment.
pub(super) struct Gym<'a> {
    definition: &'a Definition,
    base: Dataset,
    setting: Setting<'a>,
    stages: Vec<(Stage, TextParams, Arc<Opened>)>,
    protocols: Vec<(Stage, Arc<Protocol>)>,
    entrants: BTreeMap<String, Shared>,
}

/// W with the vectors that it matches.
struct Matched {
    matrix: Matrix,
    vectors: Vectors,
}

impl Scorer for Matched {
    fn scores(&self, query: u32, documents: &[u32]) -> Result<Vec<f32>> {
        MatrixScorer::try_new(&self.matrix, &self.vectors)?.scores(query, documents)
    }
}

impl<'a> Gym<'a> {
    pub(super) fn new(definition: &'a Definition, base: Dataset, setting: Setting<'a>) -> Self {
        Self { definition, base, setting, stages: Vec::new(), protocols: Vec::new(), entrants: BTreeMap::new() }
    }

    /// The tuples, queries and candidates of a stage.
    pub(super) fn protocol(&mut self, stage: &Stage) -> Result<Arc<Protocol>> {
        if let Some((_, protocol)) = self.protocols.iter().find(|(known, _)| known == stage) {
            return Ok(Arc::clone(protocol));
        }
        let text = self.definition.shared_plan()?.text;
        let opened = self.opened(stage, &text)?;
        let task = self.task(&opened, stage, Split::Test)?;
        let protocol = Arc::new(Protocol::of_task(&task, texts(&opened)?, &self.definition.protocol)?);
        self.protocols.push((stage.clone(), Arc::clone(&protocol)));
        Ok(protocol)
    }

    /// The method of a row, trained if it is not yet.
    pub(super) fn entrant(&mut self, row: &RowDefinition) -> Result<Shared> {
        if let Some(known) = self.entrants.get(&row.method) {
            return Ok(Arc::clone(known));
        }
        let others =
            row.with.iter().map(|name| self.entrant(named(self.definition, name)?)).collect::<Result<Vec<_>>>()?;
        let started = Instant::now();
        let mut entrant = if row.has_plan() || others.is_empty() { Some(self.trained(row)?) } else { None };
        for other in others {
            entrant = Some(match entrant {
                None => Entrant { scorer: Arc::clone(&other.scorer), figures: other.figures.clone() },
                Some(one) => self.mixed(row, one, &other)?,
            });
        }
        let mut entrant = entrant.ok_or_else(|| Error::internal("a row of nothing"))?;
        entrant.figures.entry("train_seconds".to_string()).or_insert_with(|| started.elapsed().as_secs_f64());
        let entrant = Arc::new(entrant);
        self.entrants.insert(row.method.clone(), Arc::clone(&entrant));
        Ok(entrant)
    }

    fn mixed(&mut self, row: &RowDefinition, one: Entrant, other: &Entrant) -> Result<Entrant> {
        let tuples = self.held_out_tuples(&self.definition.stage_of(row))?;
        let (mixed, share) =
            Mixed::tuned(Arc::clone(&one.scorer), Arc::clone(&other.scorer), &tuples, self.setting.threads)?;
        let mut figures = one.figures;
        for name in ["params", "bytes"] {
            *figures.entry(name.to_string()).or_default() += other.figures.get(name).copied().unwrap_or_default();
        }
        figures.insert("share".to_string(), share);
        Ok(Entrant { scorer: Arc::new(mixed), figures })
    }

    fn trained(&mut self, row: &RowDefinition) -> Result<Entrant> {
        let plan = self.definition.plan(row)?;
        let stage = self.definition.stage_of(row);
        let asked = self.opened(&stage, &plan.text)?;
        if let Some(grid) = &row.feedback {
            return self.with_feedback(grid, &asked, &stage, &plan.text);
        }
        let taught = row.train_stage.as_ref().unwrap_or(&stage);
        let lessons = self.opened(taught, &plan.text)?;
        let prepared = self.prepared(&lessons, taught, &plan.text)?;
        let Definition { dataset, split_seed, .. } = self.definition;
        let key = (dataset, split_seed, taught, &plan);
        let (model, figures) = Kept(self.setting.kept).or_train(&key, || self.train(&plan, &prepared))?;
        let vectors = match &row.train_stage {
            None => prepared.train_vectors().clone(),
            Some(_) => {
                let rule = stage.rule(self.definition.split_seed);
                Prepared::with_model(&asked, &model, rule, self.setting.threads)?.train_vectors().clone()
            }
        };
        Ok(Entrant { scorer: Arc::new(Matched { matrix: model.matrix().clone(), vectors }), figures })
    }

    /// The model of a plan, and what is known of it.
    fn train(&self, plan: &Plan, prepared: &Prepared<'_>) -> Result<(Model, BTreeMap<String, f64>)> {
        let Setting { threads, observer, .. } = self.setting;
        let started = Instant::now();
        let outcome = plan.run_prepared(prepared, &Constraints::default(), None, threads, observer)?;
        let mut figures = vec![
            ("train_seconds", started.elapsed().as_secs_f64()),
            ("params", outcome.model.matrix().n_parameters() as f64),
            ("bytes", outcome.model.to_bytes()?.len() as f64),
            ("tuples", outcome.steps as f64),
        ];
        if let Matrix::Hashed(hashed) = outcome.model.matrix() {
            figures.push(("collision_rate", hashed.collision_rate()));
        }
        Ok((outcome.model, figures.into_iter().map(|(name, value)| (name.to_string(), value)).collect()))
    }

    /// W = I with queries that are expanded by feedback.
    fn with_feedback(
        &mut self,
        grid: &FeedbackGrid,
        asked: &Opened,
        stage: &Stage,
        text: &TextParams,
    ) -> Result<Entrant> {
        let prepared = self.prepared(asked, stage, text)?;
        let tuples = self.held_out_tuples(stage)?;
        let vectors = prepared.train_vectors();
        let matrix = Matrix::identity(vectors.documents.n_cols() as usize)?;
        let own = texts(asked)?.queries_are_documents();
        let (expansion, vectors) = grid.tuned(&matrix, vectors, own, &tuples, self.setting.threads)?;
        let figures = [("params", 2.0), ("beta", expansion.beta), ("documents", expansion.documents as f64)];
        let figures = figures.map(|(name, value)| (name.to_string(), value)).into();
        Ok(Entrant { scorer: Arc::new(Matched { matrix, vectors }), figures })
    }

    fn prepared<'o>(&self, opened: &'o Opened, stage: &Stage, text: &TextParams) -> Result<Prepared<'o>> {
        Prepared::fit(opened, text, stage.rule(self.definition.split_seed), self.setting.threads)
    }

    fn task(&self, opened: &Opened, stage: &Stage, split: Split) -> Result<Task> {
        texts(opened)?.task(split, &stage.rule(self.definition.split_seed))
    }

    fn held_out_tuples(&mut self, stage: &Stage) -> Result<Vec<Preference>> {
        let text = self.definition.shared_plan()?.text;
        let opened = self.opened(stage, &text)?;
        let task = self.task(&opened, stage, Split::Dev)?;
        let params = SampleParams { seed: self.definition.protocol.seed, ..self.definition.shared_plan()?.sample };
        let mut tuples = Sampler::of_task(&task, &params)?.sample(CHOSEN_ON)?;
        tuples.sort_by_key(|tuple| tuple.query);
        Ok(tuples)
    }

    /// The data set as a stage asks it; keywords and translations depend on the words that are known.
    fn opened(&mut self, stage: &Stage, text: &TextParams) -> Result<Arc<Opened>> {
        let depends = stage.keywords.is_some() || stage.translated;
        let known = |(known, words, _): &&(Stage, TextParams, Arc<Opened>)| {
            known == stage && (!depends || words.vocabulary == text.vocabulary && words.analyzer == text.analyzer)
        };
        if let Some((.., opened)) = self.stages.iter().find(known) {
            return Ok(Arc::clone(opened));
        }
        let dataset = stage.set(&self.base, text, self.definition.split_seed, self.setting.threads)?;
        let opened = Arc::new(Opened::Texts(Box::new(dataset)));
        self.stages.push((stage.clone(), text.clone(), Arc::clone(&opened)));
        Ok(opened)
    }
}

fn texts(opened: &Opened) -> Result<&Dataset> {
    match opened {
        Opened::Texts(dataset) => Ok(dataset),
        Opened::Vectors(_) => Err(Error::internal("a stage of vectors")),
    }
}
