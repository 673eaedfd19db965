//! RankSVM-Struct: a dense linear ranker with hinge loss on pairs, by cutting planes.
//!
//! Minimises ½‖w‖² + C R(w), R(w) = (1/p) Σ max(0, 1 − (Kw)_i). At each w the pairs that miss the margin give a plane
//! a, b with R(v) ≥ b − ⟨a, v⟩ for all v; the planes found so far give a small quadratic problem (one variable per
//! plane), whose solution is the next w, until R(w) exceeds what the planes say by at most ε. Joachims, "Training Linear
//! SVMs in Linear Time", KDD 2006 (his formulation with one slack for all pairs; C here weighs the mean over all pairs).
//!
//! Cost: O(n log n) per query and one pass over the data per plane; planes grow with C/ε, not with the data. When not to
//! use it: when speed matters; RankSVM-Primal reaches the same rankings in a tenth of the passes.

use crate::feature_set::FeatureSet;
use crate::linear_algebra::Columns;
use crate::measure::Validation;
use crate::pairs::Pairs;
use crate::progress::Reports;
use crate::ranker::Ranker;
use qwd_core::parameters::positive;
use qwd_core::{Error, Observer, Result, Threads, parameters};

parameters! {
    /// Parameters of RankSVM-Struct.
    pub struct RankSvmStructParams {
        /// The weight of the mean hinge loss against ½‖w‖², above 0. Symbol: C.
        pub c: f64 = 100.0,
        /// By how much the mean loss may exceed what the planes say, above 0. Symbol: ε.
        pub tolerance: f64 = 0.001,
        /// The largest number of planes, 1 to 10,000.
        pub max_planes: usize = 1000,
    }
}

impl RankSvmStructParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<RankSvmStruct> {
        positive("c", self.c)?;
        positive("tolerance", self.tolerance)?;
        if !(1..=10_000).contains(&self.max_planes) {
            return Err(Error::param("max_planes", self.max_planes, "1 to 10000"));
        }
        Ok(RankSvmStruct { params: self })
    }
}

/// RankSVM-Struct with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct RankSvmStruct {
    params: RankSvmStructParams,
}

impl RankSvmStruct {
    /// Learns a ranker; nothing is chosen on validation documents.
    pub fn train(
        &self,
        train: &FeatureSet,
        _: Option<Validation<'_>>,
        threads: &Threads,
        observer: &dyn Observer,
    ) -> Result<Ranker> {
        let pairs = Pairs::new(train)?;
        let mut columns = Columns::varying(train);
        let (mut scores, mut counts) = (vec![0.0; train.n_documents()], vec![0.0; train.n_documents()]);
        let mut master = Master::new(self.params.c, train.n_features());
        let mut reports = Reports::new(observer, self.params.max_planes as u64);
        for plane in 0..self.params.max_planes {
            let loss = pairs.hinge(&scores, 1.0, &mut counts, threads) / pairs.n_pairs();
            reports.tell(plane as u64, Some(loss), None)?;
            if loss <= master.slack() + self.params.tolerance {
                break;
            }
            let a: Vec<f64> =
                columns.transposed_product(&counts, threads).iter().map(|x| -x / pairs.n_pairs()).collect();
            master.add(a, loss);
            master.solve();
            columns.product(&master.w, &mut scores);
        }
        Ok(Ranker::linear(master.w))
    }
}

/// min ½‖w‖² + C ξ with ξ ≥ 0 and ξ ≥ b_k − ⟨a_k, w⟩, through its dual: w = Σ α_k a_k, α ≥ 0, Σ α ≤ C.
struct Master {
    w: Vec<f64>,
    /// The first plane is 0 ≤ ξ; it takes what the others leave of C.
    planes: Vec<(Vec<f64>, f64)>,
    alpha: Vec<f64>,
    gram: Vec<Vec<f64>>,
}

impl Master {
    fn new(c: f64, n_features: usize) -> Self {
        let zero = vec![0.0; n_features];
        Self { w: zero.clone(), planes: vec![(zero, 0.0)], alpha: vec![c], gram: vec![vec![0.0]] }
    }

    /// The height of the planes at w.
    fn slack(&self) -> f64 {
        self.planes.iter().map(|(a, b)| b - inner(a, &self.w)).fold(0.0, f64::max)
    }

    /// Adds the plane of slope `a` that has the height `loss` at w.
    fn add(&mut self, a: Vec<f64>, loss: f64) {
        let row: Vec<f64> = self.planes.iter().map(|(other, _)| inner(other, &a)).collect();
        self.gram.iter_mut().zip(&row).for_each(|(products, &product)| products.push(product));
        self.gram.push(row.into_iter().chain([inner(&a, &a)]).collect());
        let b = loss + inner(&a, &self.w);
        self.planes.push((a, b));
        self.alpha.push(0.0);
    }

    /// Moves weight from the lowest plane in use to the highest plane, as long as their heights differ.
    fn solve(&mut self) {
        let n = self.planes.len();
        let height = |k: usize, alpha: &[f64]| self.planes[k].1 - inner(&self.gram[k], alpha);
        let mut heights: Vec<f64> = (0..n).map(|k| height(k, &self.alpha)).collect();
        for _ in 0..20_000 {
            let to = (0..n).max_by(|&a, &b| heights[a].total_cmp(&heights[b])).unwrap_or(0);
            let used = (0..n).filter(|&k| self.alpha[k] > 0.0);
            let from = used.min_by(|&a, &b| heights[a].total_cmp(&heights[b])).unwrap_or(0);
            let difference = heights[to] - heights[from];
            if difference <= 1e-7 {
                break;
            }
            let squared = self.gram[to][to] + self.gram[from][from] - 2.0 * self.gram[to][from];
            let step = if squared > 0.0 { (difference / squared).min(self.alpha[from]) } else { self.alpha[from] };
            self.alpha[to] += step;
            self.alpha[from] = if step >= self.alpha[from] { 0.0 } else { self.alpha[from] - step };
            for (height, (up, down)) in heights.iter_mut().zip(self.gram[to].iter().zip(&self.gram[from])) {
                *height -= step * (up - down);
            }
        }
        self.w.fill(0.0);
        for ((a, _), &alpha) in self.planes.iter().zip(&self.alpha).filter(|(_, alpha)| **alpha > 0.0) {
            self.w.iter_mut().zip(a).for_each(|(w, a)| *w += alpha * a);
        }
    }
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
