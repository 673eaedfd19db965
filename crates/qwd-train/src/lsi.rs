//! Latent semantic indexing: W = VVᵀ with V the right singular vectors of the documents, so that query and document meet
//! in the space of the N strongest directions (Deerwester et al. 1990; the baselines LSI and αLSI + (1 − α)TFIDF of the
//! supervised semantic indexing paper). Preferences do not matter, but for α.
//!
//! From 0, W is LSI alone. From I, W = αVVᵀ + (1 − α)I, with α given, or chosen so that the fewest training tuples come
//! out the wrong way round. The documents are those of the training task. The decomposition is in
//! [`mod@crate::truncated_svd`].

use crate::problem::Problem;
use crate::session::Session;
use crate::trainer::{Start, Trained};
use crate::truncated_svd::{SvdSettings, TruncatedSvd, truncated_svd};
use qwd_core::{Csr, Error, Result, SparseVec, parameters};
use qwd_model::matrix::LowRank;
use qwd_model::{LowRankDiagonal, LowRankParts, Matrix, Side};

parameters! {
    /// Parameters of latent semantic indexing.
    pub struct LsiParams {
        /// The number of dimensions, at least 1; no more are used than the documents have. Symbol: N.
        pub rank: usize = 200,
        /// If training starts from I, the share of LSI, 0 to 1; without it, chosen on the training tuples. Symbol: α.
        pub alpha: Option<f64> = None,
        /// Dimensions that the decomposition uses besides, for exactness.
        pub oversampling: usize = 10,
        /// How often the decomposition draws its space nearer, at least 1.
        pub iterations: usize = 5,
        /// The seed of the decomposition.
        pub seed: u64 = 1,
    }
}

impl LsiParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<Lsi> {
        if !(1..=65_536).contains(&self.rank) {
            return Err(Error::param("rank", self.rank, "1 to 65536 dimensions"));
        }
        if self.oversampling > 65_536 {
            return Err(Error::param("oversampling", self.oversampling, "0 to 65536 dimensions"));
        }
        if !(1..=1000).contains(&self.iterations) {
            return Err(Error::param("iterations", self.iterations, "1 to 1000"));
        }
        if let Some(alpha) = self.alpha.filter(|alpha| !(0.0..=1.0).contains(alpha)) {
            return Err(Error::param("alpha", alpha, "a share from 0 to 1"));
        }
        Ok(Lsi { params: self, least_share: 0.0 })
    }
}

/// Latent semantic indexing with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Lsi {
    params: LsiParams,
    least_share: f64,
}

impl Lsi {
    /// Gives LSI at least a share where it is chosen on the tuples: a start of zeros could not be learned from.
    pub(crate) fn with_least_share(mut self, share: f64) -> Self {
        self.least_share = share;
        self
    }

    /// Decomposes the documents of the problem.
    pub fn train(&self, problem: &Problem<'_>, start: Start<'_>, session: &Session<'_>) -> Result<Trained> {
        if problem.n_query_words() != problem.n_document_words() {
            return Err(Error::bad_data(
                format!(
                    "lsi needs one vocabulary; there are {} query words and {} document words",
                    problem.n_query_words(),
                    problem.n_document_words()
                ),
                "use cl-lsi for two vocabularies",
            ));
        }
        let mut documents = Csr::empty(problem.documents().n_cols());
        for row in problem.candidates() {
            documents.push(problem.documents().row(row as usize))?;
        }
        let svd = self.decompose(&documents, session)?;
        self.finish(svd.columns, None, svd.singular_values.len(), problem, start, session)
    }

    pub(crate) fn decompose(&self, rows: &Csr, session: &Session<'_>) -> Result<TruncatedSvd> {
        let LsiParams { rank, oversampling, iterations, seed, .. } = self.params;
        truncated_svd(rows, &SvdSettings { rank, oversampling, iterations, seed }, session.threads())
    }

    /// W of the words' places, mixed with I where training starts from it.
    pub(crate) fn finish(
        &self,
        u: Vec<f32>,
        v: Option<Vec<f32>>,
        rank: usize,
        problem: &Problem<'_>,
        start: Start<'_>,
        session: &Session<'_>,
    ) -> Result<Trained> {
        let (n_rows, n_cols) = (problem.n_query_words(), problem.n_document_words());
        // Documents without words have no directions; one of zeros stands for them.
        let rank = rank.max(1);
        let parts = LowRankParts { n_rows, n_cols, rank, u, v, diagonal: LowRankDiagonal::None };
        let matrix = match start {
            Start::Zero => Matrix::low_rank(parts)?,
            Start::Identity if n_rows == n_cols => match self.params.alpha {
                Some(alpha) => mixed(parts, alpha)?,
                None => {
                    let Matrix::LowRank(pure) = Matrix::low_rank(parts)? else {
                        return Err(Error::internal("a low-rank matrix of another form"));
                    };
                    let alpha = best_share(&pure, problem, session).max(self.least_share);
                    mixed(pure.into_parts(), alpha)?
                }
            },
            Start::Identity => {
                let expected = format!("zero: W is rectangular, {n_rows} query words by {n_cols} document words");
                return Err(Error::param("start", "identity", expected));
            }
            Start::Matrix(_) | Start::Resume(..) => {
                return Err(Error::bad_data(
                    "latent semantic indexing goes on from nothing",
                    "start from zero or identity",
                ));
            }
        };
        Ok(Trained { matrix, state: None, steps: 0 })
    }
}

/// αUᵀV + (1 − α)I.
fn mixed(mut parts: LowRankParts, alpha: f64) -> Result<Matrix> {
    // Where V is U, each takes a root of the share.
    let scale = if parts.v.is_none() { alpha.sqrt() } else { alpha } as f32;
    parts.u.iter_mut().for_each(|x| *x *= scale);
    parts.diagonal = LowRankDiagonal::Scaled((1.0 - alpha) as f32);
    Matrix::low_rank(parts)
}

/// The share of LSI, in steps of 1/20, at which the fewest tuples are scored the wrong way round or tied; the smallest
/// of equals.
fn best_share(lsi: &LowRank, problem: &Problem<'_>, session: &Session<'_>) -> f64 {
    const STEPS: usize = 20;
    const CHUNK: usize = 1024;
    let tuples = problem.preferences();
    let chunks: Vec<_> = tuples.chunks(CHUNK).collect();
    let wrong_of_chunks = session.threads().map(chunks.len(), |i| {
        let mut wrong = [0u64; STEPS + 1];
        let mut difference = SparseVec::default();
        for tuple in chunks[i] {
            problem.difference(tuple, &mut difference);
            let query = problem.query(tuple);
            let (a, b) = (lsi.project(Side::Query, query), lsi.project(Side::Document, difference.view()));
            let latent = f64::from(qwd_core::kernel::dot(&a, &b));
            let shared = query.dot(difference.view());
            for (step, wrong) in wrong.iter_mut().enumerate() {
                let alpha = step as f64 / STEPS as f64;
                *wrong += u64::from(alpha * latent + (1.0 - alpha) * shared <= 0.0);
            }
        }
        wrong
    });
    let wrong = (0..=STEPS).map(|step| wrong_of_chunks.iter().map(|of_chunk| of_chunk[step]).sum::<u64>());
    let best = wrong.enumerate().min_by_key(|&(step, wrong)| (wrong, step)).map_or(0, |(step, _)| step);
    best as f64 / STEPS as f64
}
