//! Regression trees and sums of them: score(x) = Σ over trees of the leaf that x falls into.
//!
//! A node sends x to the left if its feature is at most the threshold. Nodes and leaves are numbered as LightGBM does: a
//! child of 0 or more is a node, a negative one the leaf `!child`; a node's children have greater numbers than itself, so
//! every walk ends.

use crate::feature_set::FeatureSet;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// The feature that it looks at, from 0.
    pub feature: u32,
    /// The largest value that goes left.
    pub threshold: f64,
    /// Where the others' smaller values go: a node, or `!leaf`.
    pub left: i32,
    /// Where greater values go.
    pub right: i32,
    /// By how much the split lowered the loss.
    pub gain: f64,
    /// Where a value of 0 goes when LightGBM was told that 0 means "missing"; none compares 0 like any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_goes_left: Option<bool>,
}

/// A leaf of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leaf {
    /// What it adds to the score.
    pub value: f64,
    /// The number of training documents that fell into it.
    pub count: u64,
    /// The sum of their second derivatives.
    pub weight: f64,
}

/// A regression tree: one leaf more than nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// The nodes; the first is the root.
    pub nodes: Vec<Node>,
    /// The leaves.
    pub leaves: Vec<Leaf>,
}

impl Tree {
    /// A tree of one leaf: a constant.
    pub fn constant(value: f64) -> Self {
        Self { nodes: Vec::new(), leaves: vec![Leaf { value, ..Leaf::default() }] }
    }

    /// A tree of one node: `at_most` up to the threshold, `above` behind it.
    pub fn stump(feature: u32, threshold: f64, at_most: f64, above: f64, gain: f64) -> Self {
        let leaf = |value| Leaf { value, ..Leaf::default() };
        let node = Node { feature, threshold, left: !0, right: !1, gain, zero_goes_left: None };
        Self { nodes: vec![node], leaves: vec![leaf(at_most), leaf(above)] }
    }

    /// The leaf that a document falls into, by the values of its features.
    pub(crate) fn leaf(&self, value: impl Fn(u32) -> f32) -> usize {
        if self.nodes.is_empty() {
            return 0;
        }
        let mut at = 0;
        loop {
            let node = &self.nodes[at as usize];
            let x = f64::from(value(node.feature));
            let left = match node.zero_goes_left {
                Some(left) if x.abs() <= 1e-35 => left,
                _ => x <= node.threshold,
            };
            at = if left { node.left } else { node.right };
            if at < 0 {
                return !at as usize;
            }
        }
    }

    fn check(&self, n_features: usize) -> Result<(), String> {
        if self.leaves.len() != self.nodes.len() + 1 {
            return Err(format!("a tree has {} nodes and {} leaves", self.nodes.len(), self.leaves.len()));
        }
        for (at, node) in self.nodes.iter().enumerate() {
            let is_sound = |child: i32| {
                if child < 0 {
                    (!child as usize) < self.leaves.len()
                } else {
                    child as usize > at && (child as usize) < self.nodes.len()
                }
            };
            if !(is_sound(node.left) && is_sound(node.right)) {
                return Err(format!("node {at} has a child that cannot be"));
            }
            if node.feature as usize >= n_features || node.threshold.is_nan() {
                return Err(format!("node {at} looks at a feature or threshold that cannot be"));
            }
        }
        if self.leaves.iter().any(|leaf| !leaf.value.is_finite()) {
            return Err("a leaf's value is not finite".into());
        }
        Ok(())
    }
}

/// A sum of trees.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trees {
    /// The number of features that documents have.
    pub n_features: usize,
    /// The trees, in the order in which they were learned.
    pub trees: Vec<Tree>,
}

impl Trees {
    /// Scores one document.
    pub fn score(&self, features: &[f32]) -> f32 {
        let value = |j: u32| features.get(j as usize).copied().unwrap_or(0.0);
        self.trees.iter().fold(0.0, |sum, tree| sum + tree.leaves[tree.leaf(value)].value) as f32
    }

    pub(crate) fn score_rows(&self, set: &FeatureSet, rows: Range<usize>) -> Vec<f32> {
        let mut sums = vec![0.0; rows.len()];
        for tree in &self.trees {
            add_tree(tree, set, rows.clone(), &mut sums);
        }
        sums.into_iter().map(|s| s as f32).collect()
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        self.trees.iter().try_for_each(|tree| tree.check(self.n_features))
    }

    /// Σ of the gains of the splits, by feature.
    pub fn gains(&self) -> Vec<f64> {
        let mut gains = vec![0.0; self.n_features];
        for node in self.trees.iter().flat_map(|tree| &tree.nodes) {
            gains[node.feature as usize] += node.gain;
        }
        gains
    }

    /// The number of splits, by feature.
    pub fn n_splits(&self) -> Vec<usize> {
        let mut n = vec![0; self.n_features];
        for node in self.trees.iter().flat_map(|tree| &tree.nodes) {
            n[node.feature as usize] += 1;
        }
        n
    }
}

/// Adds a tree's leaves to the scores of some documents.
pub(crate) fn add_tree(tree: &Tree, set: &FeatureSet, rows: Range<usize>, sums: &mut [f64]) {
    for (row, sum) in rows.zip(sums) {
        *sum += tree.leaves[tree.leaf(|j| set.column(j as usize)[row])].value;
    }
}
