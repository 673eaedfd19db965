//! What can be evaluated on a data set: a model, or one of the baselines that need no training.

use crate::protocol::MatrixScorer;
use qwd_core::{Error, Result, Threads};
use qwd_data::{Opened, Split, SplitRule, Task};
use qwd_metrics::{Depth, Evaluation, Metric};
use qwd_model::query_expansion::best_documents;
use qwd_model::{Matrix, Model, QueryExpansion};
use qwd_text::WeightingParams;
use qwd_train::update::plan_of;
use qwd_train::{Prepared, TextParams, Vectors, evaluate};
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A model by its file, or a baseline by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contender {
    /// The model of a file.
    Model(PathBuf),
    /// W = I with log tf-idf weights of unit length.
    Cosine,
    /// W = I with BM25's weights.
    Bm25,
    /// Cosine with queries expanded by their best documents, the weight and the number of which are chosen on the dev split.
    QueryExpansion,
}

impl Contender {
    /// Takes `cosine`, `bm25` and `query-expansion` for the baselines, anything else for a file.
    pub fn named(name: &str) -> Self {
        match name {
            "cosine" => Self::Cosine,
            "bm25" => Self::Bm25,
            "query-expansion" => Self::QueryExpansion,
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
            Self::QueryExpansion => f.write_str("query-expansion"),
        }
    }
}

/// A contender with its W and the vectors that W expects.
#[derive(Debug)]
pub struct Entrant<'a> {
    matrix: Matrix,
    prepared: Prepared<'a>,
    expansion: Option<QueryExpansion>,
}

/// The weights of feedback that are tried.
const BETAS: [f64; 5] = [0.0, 0.05, 0.1, 0.3, 1.0];
/// The numbers of best documents that are tried.
const FEEDBACK_DOCUMENTS: [usize; 4] = [1, 3, 5, 10];

impl<'a> Entrant<'a> {
    /// Makes the vectors of a data set that a model expects; its splits are those that it was trained by.
    pub fn of_model(model: &Model, data: &'a Opened, threads: &Threads) -> Result<Self> {
        let rule = SplitRule { seed: model.provenance().seed, ..SplitRule::default() };
        let prepared = Prepared::with_model(data, model, rule, threads)?;
        Ok(Self { matrix: model.matrix().clone(), prepared, expansion: None })
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
            (Contender::Cosine | Contender::QueryExpansion, _) => {
                (WeightingParams::default(), WeightingParams::default())
            }
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
        let mut entrant = Self { matrix, prepared, expansion: None };
        if *baseline == Contender::QueryExpansion {
            entrant.expansion = Some(entrant.tuned_expansion(threads)?);
        }
        Ok(entrant)
    }

    /// The expansion that ranks best on the dev split; the smaller one of equals.
    fn tuned_expansion(&self, threads: &Threads) -> Result<QueryExpansion> {
        let map = Metric::AveragePrecision(Depth::WHOLE);
        let (task, vectors) = self.prepared.task(Split::Dev)?;
        let most = FEEDBACK_DOCUMENTS.into_iter().max().unwrap_or(0);
        let feedback = self.feedback(&task, vectors, most, threads)?;
        let mut best = (f64::NEG_INFINITY, QueryExpansion::default());
        for documents in FEEDBACK_DOCUMENTS {
            for beta in BETAS {
                let expansion = QueryExpansion { beta, documents };
                let expanded = expanded(&expansion, vectors, &feedback)?;
                let figures = evaluate(&self.matrix, &task, &expanded, &self.prepared, &[map], threads)?;
                let value = figures.summary().metrics.get(map).unwrap_or_default();
                if value > best.0 {
                    best = (value, expansion);
                }
            }
        }
        Ok(best.1)
    }

    /// For every query of the task, the rows of its best `n` documents among those of the task that it may see; other
    /// queries have none.
    fn feedback(&self, task: &Task, vectors: &Vectors, n: usize, threads: &Threads) -> Result<Vec<Vec<u32>>> {
        let queries = vectors.queries.select(&task.queries)?;
        let documents = vectors.documents.select(&task.documents)?;
        let hidden_of: Vec<Vec<u32>> = (0..task.queries.len()).map(|i| task.hidden(i)).collect();
        let hidden = |i: usize, at: u32| hidden_of[i].binary_search(&task.documents[at as usize]).is_ok();
        let found = best_documents(&self.matrix, &queries, &documents, n, hidden, threads)?;
        let mut rows = vec![Vec::new(); vectors.queries.n_rows()];
        for (&query, best) in task.queries.iter().zip(found) {
            rows[query as usize] = best.into_iter().map(|at| task.documents[at as usize]).collect();
        }
        Ok(rows)
    }

    /// Scores the pairs of the training split's vectors; an expanded query depends on what else is ranked, so it has none.
    pub fn scorer(&self) -> Result<MatrixScorer<'_>> {
        if self.expansion.is_some() {
            return Err(Error::param("--model", "query-expansion", "a model, cosine or bm25: scores of single pairs"));
        }
        MatrixScorer::try_new(&self.matrix, self.prepared.train_vectors())
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

    /// The task of a split with the vectors that W scores.
    pub fn task_and_vectors(&self, split: Split, threads: &Threads) -> Result<(Task, Cow<'_, Vectors>)> {
        let (task, vectors) = self.prepared.task(split)?;
        let vectors = match &self.expansion {
            Some(expansion) => {
                let feedback = self.feedback(&task, vectors, expansion.documents, threads)?;
                Cow::Owned(expanded(expansion, vectors, &feedback)?)
            }
            None => Cow::Borrowed(vectors),
        };
        Ok((task, vectors))
    }

    /// The figures of a split.
    pub fn evaluate(&self, split: Split, metrics: &[Metric], threads: &Threads) -> Result<Evaluation> {
        let (task, vectors) = self.task_and_vectors(split, threads)?;
        evaluate(&self.matrix, &task, &vectors, &self.prepared, metrics, threads)
    }
}

/// The vectors with queries expanded by their best documents.
fn expanded(by: &QueryExpansion, vectors: &Vectors, feedback: &[Vec<u32>]) -> Result<Vectors> {
    let queries = by.expand_by(&vectors.queries, &vectors.documents, feedback)?;
    Ok(Vectors { queries: Arc::new(queries), documents: Arc::clone(&vectors.documents) })
}

/// How a model's texts became vectors, where it says so.
pub fn text_params_of(model: &Model) -> Option<TextParams> {
    plan_of(model).ok().map(|plan| plan.text)
}
