//! SGD on an unconstrained W: the basic model of section II of the sparse preference paper, "SGD FLR" with a fixed rate
//! and "SGD DLR" with a decaying one.
//!
//! If qᵀWe < m with e = d⁺ − d⁻, then W ← W + η_t q eᵀ (equation 4). It is [`crate::sparse_sgd`] without the penalty:
//! W fills up with every word pair that ever met, so it is for small vocabularies and as a baseline. Where texts are few and
//! long, `form = "dual"` gives the same W much sooner (`dual_sgd.rs`).

use crate::dual_sgd::DualSgd;
use crate::problem::Problem;
use crate::rate::{Rate, Schedule};
use crate::session::Session;
use crate::sparse_sgd::{SparseSgd, SparseSgdParams};
use crate::trainer::{Constraints, Start, Trained};
use qwd_core::{Error, Result, parameters};
use serde::{Deserialize, Serialize};

/// What is stored while W is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SgdForm {
    /// W, word pair by word pair.
    #[default]
    Primal,
    /// How much each pair of texts gives to W.
    Dual,
}

parameters! {
    /// Parameters of SGD.
    pub struct SgdParams {
        /// The rate η, or its constant C when decaying; above 0. Symbol: C.
        pub learning_rate: f64 = 200.0,
        /// Whether the rate stays (`fixed`) or falls with the root of the steps (`decaying`).
        pub schedule: Schedule = Schedule::Decaying,
        /// The margin by which the better document should win, above 0; 1 in the paper.
        pub margin: f64 = 1.0,
        /// Keep W symmetric, for queries and documents of one kind.
        pub symmetric: bool = false,
        /// Keep the diagonal of W at 0: words never match themselves, only others.
        pub zero_diagonal: bool = false,
        /// Tuples that are scored against the same W before any of them takes its step; 1 is the paper's algorithm.
        pub batch: u64 = 1,
        /// What is stored on the way: word pairs (`primal`), or coefficients of texts (`dual`), for few and long texts.
        pub form: SgdForm = SgdForm::Primal,
    }
}

impl SgdParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<Sgd> {
        let Self { learning_rate, schedule, margin, symmetric, zero_diagonal, batch, form } = self;
        if form == SgdForm::Dual && (symmetric || batch != 1) {
            return Err(Error::param("form", "dual", "primal: the dual form has no symmetric W and no mini-batches"));
        }
        let rate = Rate { schedule, constant: learning_rate };
        let dual = (form == SgdForm::Dual).then_some(DualSgd { rate, margin, zero_diagonal });
        let sparse = SparseSgdParams {
            learning_rate,
            schedule,
            margin,
            symmetric,
            zero_diagonal,
            batch,
            l1: 0.0,
            ..SparseSgdParams::default()
        };
        Ok(Sgd { sparse: sparse.build()?, dual })
    }
}

/// SGD with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Sgd {
    sparse: SparseSgd,
    dual: Option<DualSgd>,
}

impl Sgd {
    /// Learns W from the problem's preferences, in their order.
    pub fn train(
        &self,
        problem: &Problem<'_>,
        start: Start<'_>,
        constraints: &Constraints,
        session: &mut Session<'_>,
    ) -> Result<Trained> {
        let Some(dual) = &self.dual else { return self.sparse.train(problem, start, constraints, session) };
        if !constraints.is_empty() {
            return Err(Error::bad_data("the dual form knows no constraints on word pairs", "set form = primal"));
        }
        dual.train(problem, start, session)
    }
}
