//! The loop that MART and LambdaMART share: trees added one by one, each on the derivatives of the loss at the scores so far.

use crate::best_round::BestRound;
use crate::bins::{bin_features, check_max_bins};
use crate::feature_set::FeatureSet;
use crate::measure::Validation;
use crate::progress::Reports;
use crate::tree::{Tree, Trees, add_tree};
use crate::tree_growth::{Growth, GrowthParams};
use qwd_core::parameters::{not_negative, positive, share};
use qwd_core::{Error, Observer, Result, Rng, Threads};

/// What both methods let users choose.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BoostingParams {
    pub(crate) trees: usize,
    pub(crate) learning_rate: f64,
    pub(crate) max_bins: usize,
    pub(crate) feature_share: f64,
    pub(crate) query_share: f64,
    pub(crate) patience: usize,
    pub(crate) seed: u64,
    pub(crate) growth: GrowthParams,
}

impl BoostingParams {
    pub(crate) fn check(&self) -> Result<()> {
        positive("learning_rate", self.learning_rate)?;
        not_negative("l2", self.growth.l2)?;
        not_negative("min_hessian_in_leaf", self.growth.min_hessian_in_leaf)?;
        share("feature_share", self.feature_share)?;
        share("query_share", self.query_share)?;
        check_max_bins(self.max_bins)?;
        if !(2..=65_536).contains(&self.growth.leaves) {
            return Err(Error::param("leaves", self.growth.leaves, "2 to 65536"));
        }
        if self.trees == 0 || self.patience == 0 || self.growth.min_documents_in_leaf == 0 {
            return Err(Error::param("trees, patience, min_documents_in_leaf", 0, "at least 1"));
        }
        Ok(())
    }

    /// Adds trees from a constant score on; `derivatives` gives each document's first and second one.
    pub(crate) fn boost(
        &self,
        (train, validation): (&FeatureSet, Option<Validation<'_>>),
        start: f64,
        mut derivatives: impl FnMut(&[f64], &mut [(f32, f32)]),
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Trees> {
        train.expect_order()?;
        validation.map_or(Ok(()), |v| v.set.expect_features(train.n_features()))?;
        let columns = bin_features(train, self.max_bins, threads);
        let growth = Growth { columns: &columns, params: &self.growth, threads };
        let mut scores = vec![start; train.n_documents()];
        let mut held_out = vec![start; validation.map_or(0, |v| v.set.n_documents())];
        let mut trees = if start == 0.0 { Vec::new() } else { vec![Tree::constant(start)] };
        let mut slopes = vec![(0.0, 0.0); scores.len()];
        let mut best = BestRound::new(validation);
        let mut reports = Reports::new(observer, self.trees as u64);
        for round in 1..=self.trees {
            derivatives(&scores, &mut slopes);
            let mut rng = Rng::part(self.seed, round as u64);
            let used_columns = sample(columns.len(), self.feature_share, &mut rng);
            let used_queries = sample(train.n_queries(), self.query_share, &mut rng);
            let rows = used_queries.iter().flat_map(|&q| train.query(q)).map(|row| row as u32).collect();
            let grown = growth.grow(rows, &used_columns, &slopes, self.learning_rate);
            if grown.tree.nodes.is_empty() {
                break;
            }
            if self.query_share < 1.0 {
                add_tree(&grown.tree, train, 0..scores.len(), &mut scores);
            } else {
                grown.add_to(&mut scores);
            }
            validation.iter().for_each(|v| add_tree(&grown.tree, v.set, 0..v.set.n_documents(), &mut held_out));
            trees.push(grown.tree);
            let figure = best.look(|| trees.len(), || held_out.iter().map(|&s| s as f32).collect())?;
            reports.tell(round as u64, None, figure)?;
            if best.is_over(self.patience) {
                break;
            }
        }
        trees.truncate(best.into_best().unwrap_or(trees.len()));
        Ok(Trees { n_features: train.n_features(), trees })
    }
}

/// A share of 0 … n-1, at least one, in ascending order.
fn sample(n: usize, share: f64, rng: &mut Rng) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    if share < 1.0 {
        rng.shuffle(&mut all);
        all.truncate(((n as f64 * share).round() as usize).clamp(1.min(n), n));
        all.sort_unstable();
    }
    all
}
