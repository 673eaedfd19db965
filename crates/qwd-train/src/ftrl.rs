//! FTRL-Proximal: follow the regularised leader with rates per word pair and an L1 penalty that is lazy by nature.
//!
//! Each entry holds z and n. Its weight is 0 where |z| ≤ λ₁, else (sign(z)λ₁ − z)/((β + √n)/α + λ₂); a step with gradient
//! g does σ = (√(n + g²) − √n)/α, z ← z + g − σw, n ← n + g² (McMahan et al., *Ad Click Prediction: a View from the
//! Trenches*, 2013, Algorithm 1). The weight is read off z and n when it is needed, so nothing is ever swept.
//!
//! Sparser than AdaGrad at equal loss. 8 bytes per word pair that was ever touched.

use crate::engine::Rule;
use crate::entry::Entry;
use crate::entry_training::{EntryRule, TwoNumbers, train};
use crate::problem::Problem;
use crate::row::{EntryRow, Moments};
use crate::session::{Session, check_batch};
use crate::trainer::{Constraints, Start, Trained};
use qwd_core::kernel::shrink;
use qwd_core::parameters::{not_negative, positive};
use qwd_core::{Csr, Result, SparseView, parameters};

parameters! {
    /// Parameters of FTRL-Proximal.
    pub struct FtrlParams {
        /// The scale of the rates, above 0. Symbol: α.
        pub learning_rate: f64 = 0.5,
        /// What keeps first steps small, above 0. Symbol: β.
        pub beta: f64 = 0.02,
        /// The L1 penalty on summed gradients, at least 0. Symbol: λ₁.
        pub l1: f64 = 0.01,
        /// The L2 penalty, at least 0. Symbol: λ₂.
        pub l2: f64 = 0.0,
        /// The margin by which the better document should win, above 0.
        pub margin: f64 = 1.0,
        /// Tuples that are scored against the same W before any of them takes its step, 1 to 65536.
        pub batch: u64 = 1,
    }
}

impl FtrlParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<Ftrl> {
        positive("learning_rate", self.learning_rate)?;
        // As f32, in which it is used: it must not vanish there.
        positive("beta", f64::from(self.beta as f32))?;
        positive("margin", self.margin)?;
        not_negative("l1", self.l1)?;
        not_negative("l2", self.l2)?;
        check_batch(self.batch)?;
        Ok(Ftrl { params: self })
    }
}

/// FTRL-Proximal with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Ftrl {
    params: FtrlParams,
}

impl Ftrl {
    /// Learns W from the problem's preferences, in their order.
    pub fn train(
        &self,
        problem: &Problem<'_>,
        start: Start<'_>,
        constraints: &Constraints,
        session: &mut Session<'_>,
    ) -> Result<Trained> {
        let pinned = constraints.pinned_matrix(problem.n_query_words(), problem.n_document_words())?;
        let FtrlParams { learning_rate, beta, l1, l2, .. } = self.params;
        let moment =
            FtrlMoment { inverse_alpha: (1.0 / learning_rate) as f32, beta: beta as f32, l1: l1 as f32, l2: l2 as f32 };
        let mut rule = FtrlRule { params: self.params.clone(), pinned, moment };
        train::<FtrlEntry, _>(&mut rule, problem, start, constraints, session)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C)]
struct FtrlEntry {
    z: f32,
    n: f32,
}

/// The parameters that an entry needs.
#[derive(Debug, Clone, Copy)]
struct FtrlMoment {
    inverse_alpha: f32,
    beta: f32,
    l1: f32,
    l2: f32,
}

impl FtrlMoment {
    #[inline(always)]
    fn curvature(self, n: f32) -> f32 {
        (self.beta + n.sqrt()) * self.inverse_alpha + self.l2
    }
}

impl Entry for FtrlEntry {
    type Moment = FtrlMoment;

    #[inline(always)]
    fn step(&mut self, negative_gradient: f32, moment: FtrlMoment) {
        let w = self.weight(moment);
        let n = self.n + negative_gradient * negative_gradient;
        let sigma = (n.sqrt() - self.n.sqrt()) * moment.inverse_alpha;
        self.z -= negative_gradient + sigma * w;
        self.n = n;
    }

    #[inline(always)]
    fn weight(self, moment: FtrlMoment) -> f32 {
        -shrink(self.z, moment.l1) / moment.curvature(self.n)
    }

    #[inline(always)]
    fn is_vacant(self, _: FtrlMoment) -> bool {
        self.z == 0.0 && self.n == 0.0
    }
}

impl TwoNumbers for FtrlEntry {
    const NAMES: [&'static str; 2] = ["ftrl_z", "ftrl_n"];

    fn from_numbers([z, n]: [f32; 2]) -> Self {
        Self { z, n }
    }

    fn numbers(self) -> [f32; 2] {
        [self.z, self.n]
    }
}

struct FtrlRule {
    params: FtrlParams,
    pinned: Csr,
    moment: FtrlMoment,
}

impl EntryRule<FtrlEntry> for FtrlRule {
    fn start(&self, weight: f32) -> FtrlEntry {
        // The z whose weight is the wanted one while n is 0.
        let z = -weight * self.moment.curvature(0.0);
        FtrlEntry { z: z + self.moment.l1.copysign(z), n: 0.0 }
    }

    fn moment(&self) -> FtrlMoment {
        self.moment
    }
}

impl<'r> Rule<EntryRow<'r, FtrlEntry>> for FtrlRule {
    fn block_len(&self, t: u64) -> u64 {
        self.params.batch - t % self.params.batch
    }

    fn corrects(&self) -> bool {
        false
    }

    fn pass(&self) -> Moments<FtrlMoment> {
        Moments { step: self.moment, score: self.moment }
    }

    fn margin(&self) -> f64 {
        self.params.margin
    }

    fn step(&self, _: u64, weight: f32) -> f32 {
        weight
    }

    fn offset(&self, query: SparseView<'_>, difference: SparseView<'_>) -> f64 {
        self.pinned.bilinear(query, difference)
    }

    fn decided(&mut self, _: u64) {}
}
