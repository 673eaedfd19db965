//! Latent semantic indexing: W = VVᵀ with V the right singular vectors of the documents, so that query and document meet
//! in the space of the N strongest directions (Deerwester et al. 1990; the baselines LSI and αLSI + (1 − α)TFIDF of the
//! supervised semantic indexing paper). Preferences do not matter, but for α.
//!
//! From 0, W is LSI alone. From I, W = αVVᵀ + (1 − α)I, with α given, or chosen so that the fewest training tuples come
//! out the wrong way round. The documents are those of the training task. The decomposition is in
//! [`mod@crate::truncated_svd`].

use crate::mix_with_identity::{check_alpha, mix_with_identity};
use crate::problem::Problem;
use crate::session::Session;
use crate::trainer::{Start, Trained};
use crate::truncated_svd::{SvdSettings, TruncatedSvd, truncated_svd};
use qwd_core::{Csr, Error, Result, parameters};
use qwd_model::{LowRankDiagonal, LowRankParts, Matrix};

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
    fn svd(&self) -> SvdSettings {
        let Self { rank, oversampling, iterations, seed, .. } = *self;
        SvdSettings { rank, oversampling, iterations, seed }
    }

    /// Checks the parameters.
    pub fn build(self) -> Result<Lsi> {
        self.svd().check()?;
        check_alpha(self.alpha)?;
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
        truncated_svd(rows, &self.params.svd(), session.threads())
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
        let latent = Matrix::low_rank(parts)?;
        let matrix = mix_with_identity(latent, self.params.alpha, self.least_share, problem, start, session)?;
        Ok(Trained { matrix, state: None, steps: 0 })
    }
}
