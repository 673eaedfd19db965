//! LambdaMART: gradient-boosted regression trees on the order of documents, each pair weighing what it is worth in NDCG.
//!
//! For a pair i better than j, at the ranks that the scores s give now, with z = s_i − s_j, ρ = 1/(1 + exp(σz)) and ΔNDCG what
//! exchanging the two would change: λ = −σ ρ ΔNDCG is added to the first derivative of i and taken from that of j, and
//! σ² ρ (1 − ρ) ΔNDCG to both second ones. Trees are then grown as by Newton steps (`tree_growth.rs`).
//!
//! Burges, "From RankNet to LambdaRank to LambdaMART: An Overview", MSR-TR-2010-82. Variant: that of LightGBM 4: only pairs
//! whose higher ranked document is among the first `truncation`; if `normalize`, ΔNDCG is divided by 0.01 + |z| and a
//! query's derivatives are scaled by log₂(1 + Σ|λ|)/Σ|λ|. The number of trees is that of the best figure on validation
//! documents.
//!
//! Cost: O(truncation · n) per query and tree beside the growth. When not to use it: few queries; it has many leaves to fill.

use crate::boosting::BoostingParams;
use crate::feature_set::FeatureSet;
use crate::measure::Validation;
use crate::ranker::Ranker;
use crate::training_measure::{discount, gain, rank};
use crate::tree_growth::GrowthParams;
use qwd_core::parameters::positive;
use qwd_core::{Error, Observer, Result, Threads, parameters};

parameters! {
    /// Parameters of LambdaMART.
    pub struct LambdaMartParams {
        /// The largest number of trees, at least 1.
        pub trees: usize = 100,
        /// The number of leaves of a tree, 2 to 65,536.
        pub leaves: usize = 31,
        /// What a tree's values are multiplied by, above 0. Symbol: η.
        pub learning_rate: f64 = 0.1,
        /// The smallest number of documents in a leaf, at least 1.
        pub min_documents_in_leaf: usize = 20,
        /// The smallest sum of second derivatives in a leaf, at least 0.
        pub min_hessian_in_leaf: f64 = 0.001,
        /// The weight of the squared leaf values, at least 0. Symbol: λ.
        pub l2: f64 = 0.0,
        /// The largest number of bins per feature, 2 to 255.
        pub max_bins: usize = 255,
        /// The share of features that a tree may use, above 0, at most 1.
        pub feature_share: f64 = 1.0,
        /// The share of queries that a tree sees, above 0, at most 1.
        pub query_share: f64 = 1.0,
        /// The ranks to which one document of a pair must belong, at least 1.
        pub truncation: usize = 30,
        /// The steepness of the logistic loss, above 0. Symbol: σ.
        pub sigmoid: f64 = 1.0,
        /// Whether queries with large scores or many pairs are held back.
        pub normalize: bool = true,
        /// Trees without a better figure on validation documents before training ends, at least 1.
        pub patience: usize = 100,
        /// The seed of the shares.
        pub seed: u64 = 1,
    }
}

impl LambdaMartParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<LambdaMart> {
        positive("sigmoid", self.sigmoid)?;
        if self.truncation == 0 {
            return Err(Error::param("truncation", 0, "at least 1 rank"));
        }
        let growth = GrowthParams {
            leaves: self.leaves,
            min_documents_in_leaf: self.min_documents_in_leaf,
            min_hessian_in_leaf: self.min_hessian_in_leaf,
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
        Ok(LambdaMart { params: self, boosting })
    }
}

/// LambdaMART with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct LambdaMart {
    params: LambdaMartParams,
    boosting: BoostingParams,
}

impl LambdaMart {
    /// Learns a ranker; the number of trees is chosen on validation documents if there are any.
    pub fn train(
        &self,
        train: &FeatureSet,
        validation: Option<Validation<'_>>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        let queries: Vec<QueryGains> =
            train.queries().map(|query| QueryGains::new(&train.grades()[query], self.params.truncation)).collect();
        let pieces: Vec<Vec<usize>> =
            (0..train.n_queries()).collect::<Vec<_>>().chunks(64).map(<[usize]>::to_vec).collect();
        let lambdas = |scores: &[f64], out: &mut [(f32, f32)]| {
            let parts = threads.map(pieces.len(), |at| {
                let of_query = |&q: &usize| queries[q].lambdas(&scores[train.query(q)], &self.params);
                pieces[at].iter().flat_map(of_query).collect::<Vec<(f32, f32)>>()
            });
            out.iter_mut().zip(parts.into_iter().flatten()).for_each(|(out, part)| *out = part);
        };
        self.boosting.boost((train, validation), 0.0, lambdas, threads, observer).map(Ranker::Trees)
    }
}

/// What NDCG needs to know of a query.
struct QueryGains {
    gains: Vec<f64>,
    /// One over the ideal DCG at the truncation; 0 where nothing is relevant.
    norm: f64,
}

impl QueryGains {
    fn new(grades: &[i32], truncation: usize) -> Self {
        let gains: Vec<f64> = grades.iter().map(|&g| gain(g)).collect();
        let mut sorted = gains.clone();
        sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        let ideal: f64 = sorted.iter().take(truncation).enumerate().map(|(rank, gain)| gain * discount(rank)).sum();
        Self { gains, norm: if ideal > 0.0 { 1.0 / ideal } else { 0.0 } }
    }

    /// The first and second derivatives of the documents' scores.
    fn lambdas(&self, scores: &[f64], params: &LambdaMartParams) -> Vec<(f32, f32)> {
        let n = scores.len();
        let mut order = Vec::new();
        rank(scores, &mut order);
        let discounts: Vec<f64> = (0..n).map(discount).collect();
        let (best, worst) = (scores[order[0] as usize], scores[order[n - 1] as usize]);
        let divides = params.normalize && best != worst;
        let mut sums = vec![(0.0, 0.0); n];
        let mut whole = 0.0;
        for first in 0..n.saturating_sub(1).min(params.truncation) {
            for second in first + 1..n {
                let (a, b) = (order[first] as usize, order[second] as usize);
                if self.gains[a] == self.gains[b] {
                    continue;
                }
                let (high, low) = if self.gains[a] > self.gains[b] { (a, b) } else { (b, a) };
                let z = scores[high] - scores[low];
                let mut delta =
                    (self.gains[high] - self.gains[low]) * (discounts[first] - discounts[second]) * self.norm;
                if divides {
                    delta /= 0.01 + z.abs();
                }
                let rho = 1.0 / (1.0 + (params.sigmoid * z).exp());
                let lambda = params.sigmoid * rho * delta;
                let hessian = params.sigmoid * params.sigmoid * rho * (1.0 - rho) * delta;
                sums[high].0 -= lambda;
                sums[low].0 += lambda;
                sums[high].1 += hessian;
                sums[low].1 += hessian;
                whole += 2.0 * lambda;
            }
        }
        let scale = if params.normalize && whole > 0.0 { (1.0 + whole).log2() / whole } else { 1.0 };
        sums.into_iter().map(|(lambda, hessian)| ((lambda * scale) as f32, (hessian * scale) as f32)).collect()
    }
}
