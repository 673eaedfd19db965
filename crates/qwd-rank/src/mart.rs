//! MART: gradient-boosted regression trees on the grades.
//!
//! Minimises Σ (y_i − F(x_i))² by F ← F + η · tree, each tree fitted to the residuals y − F, from the mean grade on. Friedman,
//! "Greedy Function Approximation: A Gradient Boosting Machine", *Annals of Statistics* 29(5), 2001. Trees grow leaf by leaf
//! from histograms (`tree_growth.rs`). Variant: the number of trees of the best figure on validation documents.
//!
//! Cost: see `tree_growth.rs`, per tree. When not to use it: when grades of different queries do not compare; LambdaMART
//! looks at order only.

use crate::boosting::BoostingParams;
use crate::feature_set::FeatureSet;
use crate::measure::Validation;
use crate::ranker::Ranker;
use crate::tree_growth::GrowthParams;
use qwd_core::{Observer, Result, Threads, parameters};

parameters! {
    /// Parameters of MART.
    pub struct MartParams {
        /// The largest number of trees, at least 1.
        pub trees: usize = 300,
        /// The number of leaves of a tree, 2 to 65,536.
        pub leaves: usize = 10,
        /// What a tree's values are multiplied by, above 0. Symbol: η.
        pub learning_rate: f64 = 0.05,
        /// The smallest number of documents in a leaf, at least 1.
        pub min_documents_in_leaf: usize = 20,
        /// The weight of the squared leaf values, at least 0. Symbol: λ.
        pub l2: f64 = 0.0,
        /// The largest number of bins per feature, 2 to 255.
        pub max_bins: usize = 255,
        /// The share of features that a tree may use, above 0, at most 1.
        pub feature_share: f64 = 1.0,
        /// The share of queries that a tree sees, above 0, at most 1.
        pub query_share: f64 = 1.0,
        /// Trees without a better figure on validation documents before training ends, at least 1.
        pub patience: usize = 100,
        /// The seed of the shares.
        pub seed: u64 = 1,
    }
}

impl MartParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<Mart> {
        let growth = GrowthParams {
            leaves: self.leaves,
            min_documents_in_leaf: self.min_documents_in_leaf,
            min_hessian_in_leaf: 0.0,
            l2: self.l2,
        };
        let boosting = BoostingParams {
            trees: self.trees,
            learning_rate: self.learning_rate,
            max_bins: self.max_bins,
            feature_share: self.feature_share,
            query_share: self.query_share,
            patience: self.patience,
            seed: self.seed,
            growth,
        };
        boosting.check()?;
        Ok(Mart { boosting })
    }
}

/// MART with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Mart {
    boosting: BoostingParams,
}

impl Mart {
    /// Learns a ranker; the number of trees is chosen on validation documents if there are any.
    pub fn train(
        &self,
        train: &FeatureSet,
        validation: Option<Validation<'_>>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        let grades = train.grades();
        let mean = grades.iter().map(|&g| f64::from(g)).sum::<f64>() / grades.len().max(1) as f64;
        let residuals = |scores: &[f64], out: &mut [(f32, f32)]| {
            out.iter_mut()
                .zip(scores.iter().zip(grades))
                .for_each(|(out, (s, &g))| *out = ((s - f64::from(g)) as f32, 1.0));
        };
        self.boosting.boost((train, validation), mean, residuals, threads, observer).map(Ranker::Trees)
    }
}
