//! FS-Rank: the k features that rank best alone, then RankSVM-Primal on these.
//!
//! Features are ordered by the NDCG@10 that each reaches on the training documents as the only one; the best k are kept
//! (section 8.5.2 of the FenchelRank paper, k = 5 … 25). A filter: it knows nothing of what features add to each other.
//!
//! Cost: one sort of the documents per feature, then that of RankSVM-Primal. When not to use it: when features are many
//! and alike; the best k may all say the same.

use crate::feature_set::FeatureSet;
use crate::linear_algebra::varying_features;
use crate::measure::Validation;
use crate::ranker::Ranker;
use crate::ranksvm_primal::{RankSvmPrimal, RankSvmPrimalParams};
use crate::training_measure::single_feature_ndcg;
use qwd_core::{Error, Observer, Result, Threads, parameters};

parameters! {
    /// Parameters of FS-Rank.
    pub struct FsRankParams {
        /// The number of features to keep, at least 1. Symbol: k.
        pub k: usize = 10,
        /// The depth of the NDCG that features are ordered by, at least 1; 10 in the paper.
        pub depth: usize = 10,
        /// The weight of the pairs' loss in RankSVM-Primal, above 0. Symbol: C.
        pub c: f64 = 0.001,
    }
}

impl FsRankParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<FsRank> {
        if self.k == 0 || self.depth == 0 {
            return Err(Error::param("k, depth", 0, "at least 1"));
        }
        let second = RankSvmPrimalParams { c: self.c, ..RankSvmPrimalParams::default() }.build()?;
        Ok(FsRank { params: self, second })
    }
}

/// FS-Rank with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct FsRank {
    params: FsRankParams,
    second: RankSvmPrimal,
}

impl FsRank {
    /// Learns a ranker; nothing is chosen on validation documents.
    pub fn train(
        &self,
        train: &FeatureSet,
        _: Option<Validation<'_>>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        train.expect_order()?;
        let ndcg = single_feature_ndcg(train, self.params.depth, threads)?;
        let mut features = varying_features(train);
        features.sort_by(|&a, &b| ndcg[b].total_cmp(&ndcg[a]).then(a.cmp(&b)));
        features.truncate(self.params.k);
        let ranker = self.second.train(&train.select(&features), None, threads, observer)?;
        let mut weights = vec![0.0; train.n_features()];
        if let Ranker::Linear(linear) = ranker {
            features.iter().zip(linear.weights()).for_each(|(&j, w)| weights[j] = *w);
        }
        Ok(Ranker::linear(weights))
    }
}
