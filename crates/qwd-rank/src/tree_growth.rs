//! One regression tree on first and second derivatives, leaf by leaf, from histograms.
//!
//! The leaf whose best split gains most is split next (Ke et al., "LightGBM", NIPS 2017). A split of a leaf with sums G, H
//! into left and right gains G_l²/(H_l + λ) + G_r²/(H_r + λ) − G²/(H + λ); a leaf's value is −G/(H + λ). Candidate splits
//! lie between bins; the sums by bin of the smaller child are gathered from its documents, those of the larger one are
//! the parent's minus these.
//!
//! Each feature's histogram is added up in the order of the documents, by one thread: the same bytes at any number of
//! threads. Cost: about documents · features · log(leaves) additions, 6 kB per feature and open leaf.

use crate::bins::BinnedColumn;
use crate::tree::{Leaf, Node, Tree};
use qwd_core::Threads;
use std::ops::Range;

/// What a tree may look like.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GrowthParams {
    pub(crate) leaves: usize,
    pub(crate) min_documents_in_leaf: usize,
    pub(crate) min_hessian_in_leaf: f64,
    pub(crate) l2: f64,
}

/// The sums of one bin.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    gradient: f64,
    hessian: f64,
    count: u32,
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient + other.gradient,
            hessian: self.hessian + other.hessian,
            count: self.count + other.count,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            hessian: self.hessian - other.hessian,
            count: self.count - other.count,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Split {
    column: usize,
    bin: usize,
    gain: f64,
    left: Sums,
}

/// A leaf that may still be split.
struct Open {
    rows: Range<usize>,
    sums: Sums,
    histograms: Vec<Vec<Sums>>,
    split: Option<Split>,
    /// The node above and whether this is its left child.
    parent: Option<(usize, bool)>,
}

/// A grown tree and the documents of each leaf.
pub(crate) struct Grown {
    pub(crate) tree: Tree,
    rows: Vec<u32>,
    leaves: Vec<Range<usize>>,
}

impl Grown {
    /// Adds the leaves' values to the scores of the documents that the tree was grown on.
    pub(crate) fn add_to(&self, scores: &mut [f64]) {
        for (leaf, rows) in self.tree.leaves.iter().zip(&self.leaves) {
            self.rows[rows.clone()].iter().for_each(|&row| scores[row as usize] += leaf.value);
        }
    }
}

/// Grows trees on binned documents.
pub(crate) struct Growth<'a> {
    pub(crate) columns: &'a [BinnedColumn],
    pub(crate) params: &'a GrowthParams,
    pub(crate) threads: &'a Threads,
}

impl Growth<'_> {
    /// Grows a tree on some documents and some of the columns; leaves are multiplied by `rate`.
    pub(crate) fn grow(&self, mut rows: Vec<u32>, columns: &[usize], derivatives: &[(f32, f32)], rate: f64) -> Grown {
        let sums = rows.iter().fold(Sums::default(), |sums, &row| {
            let (gradient, hessian) = derivatives[row as usize];
            sums.plus(Sums { gradient: f64::from(gradient), hessian: f64::from(hessian), count: 1 })
        });
        let histograms = self.histograms(&rows, columns, derivatives);
        let mut root = Open { rows: 0..rows.len(), sums, histograms, split: None, parent: None };
        root.split = self.best_split(&root, columns);
        let mut open = vec![root];
        let mut nodes: Vec<Node> = Vec::new();
        while open.len() < self.params.leaves {
            let Some((at, split)) = highest_gain(&open) else { break };
            let (left, right) = self.divide(&mut open[at], split, nodes.len(), &mut rows, columns, derivatives);
            let column = &self.columns[columns[split.column]];
            let (feature, threshold) = (column.feature as u32, column.thresholds[split.bin]);
            if let Some((parent, is_left)) = open[at].parent {
                let child = nodes.len() as i32;
                if is_left { nodes[parent].left = child } else { nodes[parent].right = child }
            }
            let new_leaf = open.len() as i32;
            nodes.push(Node {
                feature,
                threshold,
                left: !(at as i32),
                right: !new_leaf,
                gain: split.gain,
                zero_goes_left: None,
            });
            open[at] = left;
            open.push(right);
        }
        let leaf = |open: &Open| Leaf {
            value: rate * self.value(open.sums),
            count: u64::from(open.sums.count),
            weight: open.sums.hessian,
        };
        let leaves = open.iter().map(leaf).collect();
        Grown { tree: Tree { nodes, leaves }, rows, leaves: open.into_iter().map(|open| open.rows).collect() }
    }

    fn value(&self, sums: Sums) -> f64 {
        let bottom = sums.hessian + self.params.l2;
        if bottom > 0.0 { -sums.gradient / bottom } else { 0.0 }
    }

    fn score(&self, sums: Sums) -> f64 {
        sums.gradient * sums.gradient / (sums.hessian + self.params.l2).max(1e-15)
    }

    /// Cuts a leaf's documents in two, left ones first, each side in the order of the documents.
    fn divide(
        &self,
        leaf: &mut Open,
        split: Split,
        node: usize,
        rows: &mut [u32],
        columns: &[usize],
        derivatives: &[(f32, f32)],
    ) -> (Open, Open) {
        let bins = &self.columns[columns[split.column]].bins;
        let part = &mut rows[leaf.rows.clone()];
        let (mut kept, mut behind) = (0, Vec::with_capacity(part.len()));
        for at in 0..part.len() {
            let row = part[at];
            if usize::from(bins[row as usize]) <= split.bin {
                part[kept] = row;
                kept += 1;
            } else {
                behind.push(row);
            }
        }
        part[kept..].copy_from_slice(&behind);
        let middle = leaf.rows.start + kept;
        let (left_rows, right_rows) = (leaf.rows.start..middle, middle..leaf.rows.end);
        let right_sums = leaf.sums.minus(split.left);
        let small_is_left = left_rows.len() <= right_rows.len();
        let small_rows = if small_is_left { left_rows.clone() } else { right_rows.clone() };
        let small = self.histograms(&rows[small_rows], columns, derivatives);
        let mut large = std::mem::take(&mut leaf.histograms);
        for (large, small) in large.iter_mut().zip(&small) {
            large.iter_mut().zip(small).for_each(|(large, small)| *large = large.minus(*small));
        }
        let (left_histograms, right_histograms) = if small_is_left { (small, large) } else { (large, small) };
        let mut left = Open {
            rows: left_rows,
            sums: split.left,
            histograms: left_histograms,
            split: None,
            parent: Some((node, true)),
        };
        let mut right = Open {
            rows: right_rows,
            sums: right_sums,
            histograms: right_histograms,
            split: None,
            parent: Some((node, false)),
        };
        left.split = self.best_split(&left, columns);
        right.split = self.best_split(&right, columns);
        (left, right)
    }

    fn histograms(&self, rows: &[u32], columns: &[usize], derivatives: &[(f32, f32)]) -> Vec<Vec<Sums>> {
        let own: Vec<(f32, f32)> = rows.iter().map(|&row| derivatives[row as usize]).collect();
        // Small work is not worth handing around; pieces depend on the data alone.
        let per_piece = ((1 << 15) / rows.len().max(1)).clamp(1, columns.len().max(1));
        let pieces: Vec<&[usize]> = columns.chunks(per_piece).collect();
        let parts = self.threads.map(pieces.len(), |at| {
            pieces[at].iter().map(|&column| histogram(&self.columns[column], rows, &own)).collect::<Vec<_>>()
        });
        parts.into_iter().flatten().collect()
    }

    fn best_split(&self, leaf: &Open, columns: &[usize]) -> Option<Split> {
        if (leaf.sums.count as usize) < 2 * self.params.min_documents_in_leaf {
            return None;
        }
        let whole = self.score(leaf.sums);
        let mut best: Option<Split> = None;
        for (column, histogram) in leaf.histograms.iter().enumerate() {
            debug_assert_eq!(histogram.len(), self.columns[columns[column]].thresholds.len() + 1);
            let mut left = Sums::default();
            for (bin, sums) in histogram[..histogram.len() - 1].iter().enumerate() {
                left = left.plus(*sums);
                if sums.count == 0 || !self.is_allowed(left) {
                    continue;
                }
                let right = leaf.sums.minus(left);
                if !self.is_allowed(right) {
                    break;
                }
                let gain = self.score(left) + self.score(right) - whole;
                if gain > best.map_or(1e-12, |best| best.gain) {
                    best = Some(Split { column, bin, gain, left });
                }
            }
        }
        best
    }

    fn is_allowed(&self, sums: Sums) -> bool {
        sums.count as usize >= self.params.min_documents_in_leaf && sums.hessian >= self.params.min_hessian_in_leaf
    }
}

fn histogram(column: &BinnedColumn, rows: &[u32], own: &[(f32, f32)]) -> Vec<Sums> {
    let mut sums = vec![Sums::default(); column.thresholds.len() + 1];
    for (&row, &(gradient, hessian)) in rows.iter().zip(own) {
        let sum = &mut sums[usize::from(column.bins[row as usize])];
        sum.gradient += f64::from(gradient);
        sum.hessian += f64::from(hessian);
        sum.count += 1;
    }
    sums
}

/// The leaf to split next; the first of equals.
fn highest_gain(open: &[Open]) -> Option<(usize, Split)> {
    let mut best: Option<(usize, Split)> = None;
    for (at, split) in open.iter().enumerate().filter_map(|(at, leaf)| Some((at, leaf.split?))) {
        if best.is_none_or(|(_, best)| split.gain > best.gain) {
            best = Some((at, split));
        }
    }
    best
}
