//! What can be evaluated on a data set: a model, or one of the baselines that need no training.

use qwd_core::{Error, Result, Threads};
use qwd_data::{Opened, Split, SplitRule, Task};
use qwd_metrics::{Evaluation, Metric};
use qwd_model::{Matrix, Model};
use qwd_text::WeightingParams;
use qwd_train::update::plan_of;
use qwd_train::{Prepared, TextParams, evaluate};
use std::fmt;
use std::path::PathBuf;

/// A model by its file, or a baseline by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contender {
    /// The model of a file.
    Model(PathBuf),
    /// W = I with log tf-idf weights of unit length.
    Cosine,
    /// W = I with BM25's weights.
    Bm25,
}

impl Contender {
    /// Takes `cosine` and `bm25` for the baselines, anything else for a file.
    pub fn named(name: &str) -> Self {
        match name {
            "cosine" => Self::Cosine,
            "bm25" => Self::Bm25,
            file => Self::Model(file.into()),
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(path) => write!(f, "{}", path.display()),
            Self::Cosine => f.write_str("cosine"),
            Self::Bm25 => f.write_str("bm25"),
        }
    }
}

/// A contender with its W and the vectors that W expects.
#[derive(Debug)]
pub struct Entrant<'a> {
    matrix: Matrix,
    prepared: Prepared<'a>,
}

impl<'a> Entrant<'a> {
    /// Makes the vectors of a data set that a model expects; its splits are those that it was trained by.
    pub fn of_model(model: &Model, data: &'a Opened, threads: &Threads) -> Result<Self> {
        let rule = SplitRule { seed: model.provenance().seed, ..SplitRule::default() };
        let prepared = Prepared::with_model(data, model, rule, threads)?;
        Ok(Self { matrix: model.matrix().clone(), prepared })
    }

    /// Fits a baseline to a data set: its words are cut and chosen as `like` says, and weighed in the baseline's way.
    pub fn of_baseline(
        baseline: &Contender,
        like: &TextParams,
        data: &'a Opened,
        rule: SplitRule,
        threads: &Threads,
    ) -> Result<Self> {
        let (query, document) = match (baseline, data) {
            (Contender::Cosine, _) => (WeightingParams::default(), WeightingParams::default()),
            (Contender::Bm25, Opened::Texts(_)) => {
                (WeightingParams::preset("bm25-query")?, WeightingParams::preset("bm25-document")?)
            }
            (Contender::Bm25, Opened::Vectors(_)) => {
                return Err(Error::bad_data("bm25 needs texts, the data are vectors", "compare with cosine"));
            }
            (Contender::Model(_), _) => return Err(Error::internal("a model is no baseline")),
        };
        let text = TextParams { query, document, one_vocabulary: true, norm: qwd_text::Norm::L2, ..like.clone() };
        let prepared = Prepared::fit(data, &text, rule, threads)?;
        let matrix = Matrix::identity(prepared.train_vectors().documents.n_cols() as usize)?;
        Ok(Self { matrix, prepared })
    }

    /// W.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// The data set with its vectors.
    pub fn prepared(&self) -> &Prepared<'a> {
        &self.prepared
    }

    /// The task of a split.
    pub fn task(&self, split: Split) -> Result<Task> {
        Ok(self.prepared.task(split)?.0)
    }

    /// The figures of a split.
    pub fn evaluate(&self, split: Split, metrics: &[Metric], threads: &Threads) -> Result<Evaluation> {
        let (task, vectors) = self.prepared.task(split)?;
        evaluate(&self.matrix, &task, vectors, &self.prepared, metrics, threads)
    }
}

/// How a model's texts became vectors, where it says so.
pub fn text_params_of(model: &Model) -> Option<TextParams> {
    plan_of(model).ok().map(|plan| plan.text)
}
