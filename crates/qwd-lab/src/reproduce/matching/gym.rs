//! The rows of a table as scores of the judged documents: made when first asked for, kept for rows that build on them.

use super::definition::{Definition, MatcherDefinition, RowDefinition};
use super::stage::Stage;
use crate::click_graph::{ClickGraph, ClickGraphParams};
use crate::judged::{JudgedSet, paper_metrics};
use crate::protocol::{MatrixScorer, Scorer};
use crate::reproduce::Setting;
use crate::reproduce::kept::Kept;
use crate::scorers::{Bm25Scorer, LatentScorer, PlacedScorer, TopicScorer, WalkScorer};
use qwd_core::{Error, Result, Threads};
use qwd_metrics::Metric;
use qwd_model::random_walk::RandomWalkParams;
use qwd_rank::mart::MartParams;
use qwd_rank::measure::Validation;
use qwd_train::bltm::{Bltm, BltmParams};
use qwd_train::latent_rows::LatentRows;
use qwd_train::plan::repeated;
use qwd_train::svdfeature::SvdFeatureParams;
use qwd_train::{LowRankParams, PlsParams, Problem, RmlsParams, Session, Start, SvdSettings, Vectors, truncated_svd};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// The share of the tuning half that trees are fitted to; the rest says how many trees there should be.
const FITTED: f64 = 0.8;

/// A row's scores of both halves, and what is known of it besides.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Entrant {
    pub(super) tune: Vec<f32>,
    pub(super) test: Vec<f32>,
    pub(super) figures: BTreeMap<String, f64>,
}

/// Trains the rows of an experiment.
pub(super) struct Gym<'a> {
    definition: &'a Definition,
    setting: Setting<'a>,
    pub(super) stage: Stage,
    /// The metric by which weights and trees are chosen.
    metric: Metric,
    graph: Option<Arc<ClickGraph>>,
    words: Option<Arc<ClickGraph>>,
    entrants: BTreeMap<String, Arc<Entrant>>,
}

impl<'a> Gym<'a> {
    pub(super) fn new(definition: &'a Definition, stage: Stage, setting: Setting<'a>) -> Result<Self> {
        let metric = paper_metrics()?[1].1;
        Ok(Self { definition, setting, stage, metric, graph: None, words: None, entrants: BTreeMap::new() })
    }

    /// The seconds that training alone takes with some threads.
    pub(super) fn timed(&mut self, matcher: &MatcherDefinition, threads: &Threads) -> Result<f64> {
        let graph = self.graph()?;
        let started = Instant::now();
        let mut session = Session::new(threads, self.setting.observer);
        match matcher {
            MatcherDefinition::Rmls { params } => drop(params.clone().build()?.fit(&graph.problem()?, &mut session)?),
            MatcherDefinition::Pls { params, .. } => drop(params.clone().build()?.fit(&graph.problem()?, threads)?),
            _ => return Err(Error::internal("only rmls and pls are timed")),
        }
        Ok(started.elapsed().as_secs_f64())
    }

    /// The graph with all features, as the experiment wants it.
    pub(super) fn graph(&mut self) -> Result<Arc<ClickGraph>> {
        if self.graph.is_none() {
            let Stage { dataset, clicks, .. } = &self.stage;
            self.graph =
                Some(Arc::new(ClickGraph::build(dataset, clicks, &self.definition.graph, self.setting.threads)?));
        }
        self.graph.clone().ok_or_else(|| Error::internal("a graph was just made"))
    }

    /// The graph with words alone.
    fn words(&mut self) -> Result<Arc<ClickGraph>> {
        if self.words.is_none() {
            let params = ClickGraphParams { clicks: 0.0, ..self.definition.graph.clone() };
            let Stage { dataset, clicks, .. } = &self.stage;
            self.words = Some(Arc::new(ClickGraph::build(dataset, clicks, &params, self.setting.threads)?));
        }
        self.words.clone().ok_or_else(|| Error::internal("a graph was just made"))
    }

    /// A row's scores, made now if they are not there yet.
    pub(super) fn entrant(&mut self, row: &RowDefinition) -> Result<Arc<Entrant>> {
        if let Some(known) = self.entrants.get(&row.method) {
            return Ok(Arc::clone(known));
        }
        let matcher = row.matcher.as_ref();
        let matcher = matcher.ok_or_else(|| Error::internal(format!("row {} matches nothing", row.method)))?;
        let entrant = Arc::new(match matcher {
            MatcherDefinition::Combined { of } => self.combined(of)?,
            MatcherDefinition::Mart { features } => self.mart(features)?,
            alone => {
                let Definition { source, graph, .. } = self.definition;
                Kept(self.setting.kept).or_make(&(source, graph, alone), || self.alone(alone))?
            }
        });
        self.entrants.insert(row.method.clone(), Arc::clone(&entrant));
        Ok(entrant)
    }

    /// The scores of what matches by itself.
    fn alone(&mut self, matcher: &MatcherDefinition) -> Result<Entrant> {
        let started = Instant::now();
        let scorer = self.scorer(matcher)?;
        let seconds = started.elapsed().as_secs_f64();
        let score = |set: &JudgedSet| set.score(scorer.as_ref(), self.setting.threads);
        Ok(Entrant {
            tune: score(&self.stage.tune)?,
            test: score(&self.stage.test)?,
            figures: BTreeMap::from([("train_seconds".to_string(), seconds)]),
        })
    }

    fn scorer(&mut self, matcher: &MatcherDefinition) -> Result<Box<dyn Scorer + Send>> {
        Ok(match matcher {
            MatcherDefinition::Bm25 {} => Box::new(Bm25Scorer::count(&self.stage.dataset, self.setting.threads)?),
            MatcherDefinition::LsiDt { rank } => Box::new(self.lsi_of_documents(*rank)?),
            MatcherDefinition::LsiQd { rank } => Box::new(self.lsi_of_clicks(*rank)?),
            MatcherDefinition::Ssi { params, passes } => self.ssi(params, *passes)?,
            MatcherDefinition::Pls { params, words } => Box::new(self.pls(params, *words)?),
            MatcherDefinition::Rmls { params } => Box::new(self.rmls(params)?),
            MatcherDefinition::RandomWalk { steps } => Box::new(self.random_walk(steps)?),
            MatcherDefinition::Bltm { params } => Box::new(self.bltm(params)?),
            MatcherDefinition::SvdFeature { params } => Box::new(self.svdfeature(params)?),
            MatcherDefinition::Combined { .. } | MatcherDefinition::Mart { .. } => {
                return Err(Error::internal("a row that builds on others"));
            }
        })
    }

    fn svd_settings(rank: usize) -> SvdSettings {
        SvdSettings { rank, oversampling: 20, iterations: 5, seed: 1 }
    }

    /// Both sides are mapped by the strongest directions of the documents' words.
    fn lsi_of_documents(&mut self, rank: usize) -> Result<LatentScorer> {
        let graph = self.words()?;
        let svd = truncated_svd(&graph.documents, &Self::svd_settings(rank), self.setting.threads)?;
        let rows = Arc::new(LatentRows::Dense { width: svd.singular_values.len(), numbers: svd.columns });
        Ok(LatentScorer::new(&graph, Arc::clone(&rows), rows))
    }

    /// R by its strongest directions: a query and a document have places of their own, whatever their words.
    fn lsi_of_clicks(&mut self, rank: usize) -> Result<PlacedScorer> {
        let graph = self.graph()?;
        Ok(PlacedScorer::new(truncated_svd(&graph.response, &Self::svd_settings(rank), self.setting.threads)?))
    }

    fn ssi(&mut self, params: &LowRankParams, passes: u32) -> Result<Box<dyn Scorer + Send>> {
        let graph = self.words()?;
        let tuples = repeated(&self.stage.preferences, passes, params.seed);
        let problem = Problem::try_new(&graph.queries, &graph.documents, &tuples)?;
        let mut session = Session::new(self.setting.threads, self.setting.observer);
        let trained = params.clone().build()?.train(&problem, Start::Identity, &mut session)?;
        let vectors = Vectors { queries: Arc::clone(&graph.queries), documents: Arc::clone(&graph.documents) };
        Ok(Box::new(move |query: u32, documents: &[u32]| {
            MatrixScorer::try_new(&trained.matrix, &vectors)?.scores(query, documents)
        }))
    }

    fn pls(&mut self, params: &PlsParams, words: bool) -> Result<LatentScorer> {
        let graph = if words { self.words()? } else { self.graph()? };
        let found = params.clone().build()?.fit(&graph.problem()?, self.setting.threads)?;
        Ok(LatentScorer::new(&graph, Arc::new(found.queries), Arc::new(found.documents)))
    }

    fn rmls(&mut self, params: &RmlsParams) -> Result<LatentScorer> {
        let graph = self.graph()?;
        let mut session = Session::new(self.setting.threads, self.setting.observer);
        let found = params.clone().build()?.fit(&graph.problem()?, &mut session)?;
        Ok(LatentScorer::new(&graph, Arc::new(found.queries), Arc::new(found.documents)))
    }

    fn random_walk(&mut self, steps: &[usize]) -> Result<WalkScorer> {
        let graph = self.graph()?;
        let mut best: Option<(f64, WalkScorer)> = None;
        for &steps in steps {
            let walk = WalkScorer::new(&graph.response, RandomWalkParams { steps, ..RandomWalkParams::default() })?;
            let scores = self.stage.tune.score(&walk, self.setting.threads)?;
            let figure = self.stage.tune.mean(&scores, self.metric)?;
            if best.as_ref().is_none_or(|(known, _)| figure > *known) {
                best = Some((figure, walk));
            }
        }
        best.map(|(_, walk)| walk).ok_or_else(|| Error::internal("a random walk of no steps"))
    }

    fn bltm(&mut self, params: &BltmParams) -> Result<TopicScorer> {
        let graph = self.words()?;
        let model = Bltm::fit(&graph.problem()?, params.clone(), self.setting.threads)?;
        Ok(TopicScorer::new(&graph, model))
    }

    fn svdfeature(&mut self, params: &SvdFeatureParams) -> Result<LatentScorer> {
        let graph = self.graph()?;
        let mut session = Session::new(self.setting.threads, self.setting.observer);
        let found = params.clone().build()?.fit(&graph.problem()?, &mut session)?;
        Ok(LatentScorer::new(&graph, Arc::new(found.queries), Arc::new(found.documents)))
    }

    fn combined(&mut self, of: &[String; 2]) -> Result<Entrant> {
        let [one, other] = of.each_ref().map(|name| self.entrant(self.definition.row(name)?));
        let (one, other) = (one?, other?);
        let Stage { tune, test, .. } = &self.stage;
        let weight = tune.best_weight(&one.tune, &other.tune, self.metric)?;
        Ok(Entrant {
            tune: tune.combined(&one.tune, &other.tune, weight)?,
            test: test.combined(&one.test, &other.test, weight)?,
            figures: BTreeMap::from([("weight".to_string(), weight)]),
        })
    }

    /// Trees on other rows' scores, fitted to the tuning half as the paper does.
    fn mart(&mut self, features: &[String]) -> Result<Entrant> {
        let mut columns = Vec::new();
        for name in features {
            columns.push(self.entrant(self.definition.row(name)?)?);
        }
        let Stage { tune, test, .. } = &self.stage;
        let started = Instant::now();
        let [(fitted, own), (held, rest)] = tune.divided(FITTED, 1);
        let pick = |places: &[usize]| -> Vec<Vec<f32>> {
            columns.iter().map(|column| places.iter().map(|&place| column.tune[place]).collect()).collect()
        };
        let (fitted, held) = (fitted.features(pick(&own))?, held.features(pick(&rest))?);
        let Setting { threads, observer, .. } = self.setting;
        let validation = Validation { set: &held, metric: self.metric };
        let ranker = MartParams::default().build()?.train(&fitted, Some(validation), threads, observer)?;
        let seconds = started.elapsed().as_secs_f64();
        let score = |set: &JudgedSet, columns: Vec<Vec<f32>>| ranker.score_all(&set.features(columns)?, threads);
        Ok(Entrant {
            tune: score(tune, columns.iter().map(|column| column.tune.clone()).collect())?,
            test: score(test, columns.iter().map(|column| column.test.clone()).collect())?,
            figures: BTreeMap::from([("train_seconds".to_string(), seconds)]),
        })
    }
}
