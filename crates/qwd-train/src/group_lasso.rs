//! Group lasso over rows: removes whole query words, or whole branches of a word hierarchy (the future work of the sparse
//! preference paper).
//!
//! Minimises the mean margin rank loss + λ Σ_g √|g| ‖W_g‖_F, where a group g is the row of one query word or, when a
//! hierarchy is given, also all rows below one of its nodes. Every T steps each group's part of W is scaled by
//! (1 − τ√|g|/‖W_g‖)₊ with τ = λ Σ η over the last T steps (the proximal step; for nested groups, from the leaves to the
//! root: Jenatton et al., *Proximal Methods for Hierarchical Sparse Coding*, 2010).
//!
//! Rows are stored as factor × values, so scaling a row is one multiplication, and the norm of each row is kept: a
//! proximal step costs as much as there are words, and never sweeps W.

use crate::best_seen::BestSeen;
use crate::engine::{Engine, Flow, Rule};
use crate::entry::Lifted;
use crate::problem::Problem;
use crate::rate::{Rate, Schedule};
use crate::row::{EntryRow, Moments, Row, Scratch, Visit};
use crate::session::Session;
use crate::sparse_sgd::BLOCK;
use crate::sums::Sums;
use crate::trainer::{Start, Trained};
use crate::weights::{Arena, StartRows, matrix_of_rows};
use qwd_core::parameters::{not_negative, positive};
use qwd_core::{Csr, Error, Result, SparseVec, parameters};
use qwd_model::Matrix;

parameters! {
    /// Parameters of the group lasso.
    pub struct GroupLassoParams {
        /// The rate η, or its constant C when decaying; above 0. Symbol: C.
        pub learning_rate: f64 = 200.0,
        /// Whether the rate stays (`fixed`) or falls with the root of the steps (`decaying`).
        pub schedule: Schedule = Schedule::Decaying,
        /// The weight of the group penalty, at least 0: the larger, the fewer query words stay. Symbol: λ.
        pub group_l1: f64 = 1e-5,
        /// Steps between two proximal steps, at least 1. Symbol: T.
        pub shrink_every: u64 = 100,
        /// The margin by which the better document should win, above 0.
        pub margin: f64 = 1.0,
    }
}

impl GroupLassoParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<GroupLasso> {
        positive("learning_rate", self.learning_rate)?;
        positive("margin", self.margin)?;
        not_negative("group_l1", self.group_l1)?;
        if self.shrink_every == 0 {
            return Err(Error::param("shrink_every", 0, "at least 1 step"));
        }
        Ok(GroupLasso { params: self })
    }
}

/// Words arranged in a tree of groups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hierarchy {
    /// The group of each query word; `None` for a word of its own.
    group_of: Vec<Option<u32>>,
    /// The parent of each group, which has a smaller number.
    parent_of: Vec<Option<u32>>,
}

impl Hierarchy {
    /// Checks that groups exist and that every parent has a smaller number than its children, so that there is no circle.
    pub fn try_new(group_of: Vec<Option<u32>>, parent_of: Vec<Option<u32>>) -> Result<Self> {
        let unknown = group_of.iter().flatten().any(|&g| g as usize >= parent_of.len());
        let circular = parent_of.iter().enumerate().any(|(g, parent)| parent.is_some_and(|p| p as usize >= g));
        if unknown || circular {
            let what = "the word hierarchy names a group that does not exist, or a parent that does not come before it";
            return Err(Error::bad_data(what, "number groups so that parents come first"));
        }
        Ok(Self { group_of, parent_of })
    }
}

/// The group lasso with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupLasso {
    params: GroupLassoParams,
}

impl GroupLasso {
    /// Learns W from the problem's preferences, in their order; without a hierarchy every row is a group.
    pub fn train(
        &self,
        problem: &Problem<'_>,
        start: Start<'_>,
        hierarchy: Option<&Hierarchy>,
        session: &mut Session<'_>,
    ) -> Result<Trained> {
        let (n_rows, n_cols) = (problem.n_query_words(), problem.n_document_words());
        let tree = Tree::new(hierarchy, n_rows, n_cols)?;
        let GroupLassoParams { learning_rate, schedule, group_l1, shrink_every, margin } = self.params;
        let rate = Rate { schedule, constant: learning_rate };
        let mut rule = GroupRule { rate, group_l1, shrink_every, margin, tree, period_start: 0, threshold: 0.0 };
        let start = StartRows::new(start, problem)?;
        let mut arena = Arena::<Lifted>::new(n_rows, n_cols);
        let mut rows: Vec<GroupRow<'_>> = arena.rows(&start, Lifted).into_iter().map(GroupRow::new).collect();
        let mut best = BestSeen::default();
        if session.patience().is_some() {
            best.look(session, 0, matrix_of_groups(&rows, n_cols, 0)?)?;
        }
        let threads = session.threads();
        let mut engine = Engine::new(&mut rows, n_cols, false, threads);
        let checkpoint = |session: &mut Session<'_>, rows: &[GroupRow<'_>], _: &GroupRule, t: u64| {
            if !session.is_watched() {
                return Ok(Flow::Continue);
            }
            best.look(session, t, matrix_of_groups(rows, n_cols, t)?)
        };
        let steps = engine.run(problem, &mut rule, 0, session, checkpoint)?;
        drop(engine);
        if let Some((matrix, steps)) = best.into_best() {
            return Ok(Trained { matrix, state: None, steps });
        }
        Ok(Trained { matrix: matrix_of_groups(&rows, n_cols, steps)?, state: None, steps })
    }
}

fn matrix_of_groups(rows: &[GroupRow<'_>], n_cols: usize, step: u64) -> Result<Matrix> {
    let pinned = Csr::from_parts(n_cols as u32, vec![0; rows.len() + 1], vec![], vec![])?;
    matrix_of_rows(rows, n_cols, &pinned, step, |row, out: &mut SparseVec| {
        let is_finite = row.row.weights(0.0, out) && row.factor.is_finite();
        if is_finite {
            out.scale(row.factor);
        }
        is_finite
    })
}

/// A row of W as a factor times values.
struct GroupRow<'a> {
    row: EntryRow<'a, Lifted>,
    factor: f32,
    /// Σ values²; the row's norm is the factor times its root.
    squares: f64,
}

impl<'a> GroupRow<'a> {
    fn new(row: EntryRow<'a, Lifted>) -> Self {
        let squares = row.squares(0.0);
        Self { row, factor: 1.0, squares }
    }

    fn norm(&self) -> f64 {
        f64::from(self.factor) * self.squares.sqrt()
    }

    fn scale(&mut self, by: f64) {
        self.factor = (f64::from(self.factor) * by) as f32;
        // A factor near the end of the number range would make steps overflow; a row that small is gone anyway.
        if self.factor < 1e-20 {
            self.row.empty();
            self.factor = 1.0;
            self.squares = 0.0;
        }
    }
}

impl<'a> Row for GroupRow<'a> {
    type Pass = ();
    type Scratch = Scratch<Lifted>;

    fn scratch(n_cols: usize) -> Self::Scratch {
        EntryRow::<'a, Lifted>::scratch(n_cols)
    }

    fn visit(&mut self, (): (), scratch: &mut Self::Scratch, visit: &Visit<'_>, sums: &mut Sums) {
        let scaled = visit.scaled(1.0 / self.factor, self.factor);
        let stepped = scaled.steps().next().is_some();
        self.row.visit(Moments { step: 0.0, score: 0.0 }, scratch, &scaled, sums);
        if stepped {
            self.squares = self.row.squares(0.0);
        }
    }

    fn n_nonzero(&self, (): ()) -> usize {
        EntryRow::n_nonzero(&self.row, 0.0)
    }
}

/// The groups, ready for proximal steps: rows are leaves, groups are inner nodes.
struct Tree {
    hierarchy: Hierarchy,
    /// √(number of entries) of each group, and of a row.
    group_sizes: Vec<f64>,
    row_size: f64,
}

impl Tree {
    fn new(hierarchy: Option<&Hierarchy>, n_rows: usize, n_cols: usize) -> Result<Self> {
        let hierarchy =
            hierarchy.cloned().unwrap_or_else(|| Hierarchy { group_of: vec![None; n_rows], parent_of: vec![] });
        if hierarchy.group_of.len() != n_rows {
            let what = format!("the word hierarchy has {} words, W has {n_rows} rows", hierarchy.group_of.len());
            return Err(Error::bad_data(what, "give a group, or none, for every query word"));
        }
        let mut n_below = vec![0usize; hierarchy.parent_of.len()];
        hierarchy.group_of.iter().flatten().for_each(|&g| n_below[g as usize] += 1);
        for g in (0..n_below.len()).rev() {
            if let Some(parent) = hierarchy.parent_of[g] {
                n_below[parent as usize] += n_below[g];
            }
        }
        let group_sizes = n_below.iter().map(|&n| ((n * n_cols) as f64).sqrt()).collect();
        // The penalty is relative to a row's, so that λ means the same for any number of columns.
        Ok(Self { hierarchy, group_sizes, row_size: (n_cols as f64).sqrt() })
    }

    /// The factor by which each row shrinks when the threshold of a group of one row is `threshold`.
    fn factors(&self, norms: &[f64], threshold: f64) -> Vec<f64> {
        // A norm that is not a number stays one, so that it is noticed.
        let keep = |norm: f64, threshold: f64| if norm <= threshold { 0.0 } else { 1.0 - threshold / norm };
        let mut row_factors: Vec<f64> = norms.iter().map(|&norm| keep(norm, threshold)).collect();
        // From the leaves to the root: the squared norm of each group after its members have shrunk.
        let mut squares = vec![0.0; self.group_sizes.len()];
        for ((&norm, &factor), group) in norms.iter().zip(&row_factors).zip(&self.hierarchy.group_of) {
            if let Some(group) = group {
                squares[*group as usize] += (norm * factor).powi(2);
            }
        }
        let mut group_factors = vec![1.0; squares.len()];
        for g in (0..squares.len()).rev() {
            group_factors[g] = keep(squares[g].sqrt(), threshold * self.group_sizes[g] / self.row_size);
            if let Some(parent) = self.hierarchy.parent_of[g] {
                squares[parent as usize] += squares[g] * f64::powi(group_factors[g], 2);
            }
        }
        // From the root to the leaves: a row shrinks with all groups that it is in.
        for g in 0..group_factors.len() {
            if let Some(parent) = self.hierarchy.parent_of[g] {
                group_factors[g] *= group_factors[parent as usize];
            }
        }
        for (factor, group) in row_factors.iter_mut().zip(&self.hierarchy.group_of) {
            *factor *= group.map_or(1.0, |g| group_factors[g as usize]);
        }
        row_factors
    }
}

struct GroupRule {
    rate: Rate,
    group_l1: f64,
    shrink_every: u64,
    margin: f64,
    tree: Tree,
    period_start: u64,
    /// The threshold of the proximal step that is due, 0 if none is.
    threshold: f64,
}

impl<'a> Rule<GroupRow<'a>> for GroupRule {
    fn block_len(&self, t: u64) -> u64 {
        (self.shrink_every - t % self.shrink_every).min(BLOCK)
    }

    fn corrects(&self) -> bool {
        true
    }

    fn pass(&self) {}

    fn margin(&self) -> f64 {
        self.margin
    }

    fn step(&self, t: u64, weight: f32) -> f32 {
        (self.rate.at(t) * f64::from(weight)) as f32
    }

    fn decided(&mut self, t: u64) {
        if t.is_multiple_of(self.shrink_every) && t > self.period_start {
            self.threshold = self.group_l1 * self.rate.sum(self.period_start, t) * self.tree.row_size;
            self.period_start = t;
        }
    }

    fn must_take_first(&self) -> bool {
        self.threshold > 0.0
    }

    fn taken(&mut self, rows: &mut [GroupRow<'a>]) {
        if self.threshold == 0.0 {
            return;
        }
        let norms: Vec<f64> = rows.iter().map(GroupRow::norm).collect();
        let factors = self.tree.factors(&norms, std::mem::take(&mut self.threshold));
        for (row, factor) in rows.iter_mut().zip(factors) {
            if factor < 1.0 && row.squares > 0.0 {
                row.scale(factor);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_testkit::bilinear::Rows;
    use qwd_testkit::group_lasso::{minimise_slowly, objective};
    use qwd_testkit::random::Dice;

    /// W after the proximal step τ Σ √|g| ‖W_g‖ by the tree's factors.
    fn shrunk(w: &Rows, hierarchy: Option<&Hierarchy>, tau: f64) -> Rows {
        let tree = Tree::new(hierarchy, w.len(), w[0].len()).expect("as many words as rows");
        let norms: Vec<f64> = w.iter().map(|row| row.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
        let factors = tree.factors(&norms, tau * tree.row_size);
        w.iter().zip(factors).map(|(row, factor)| row.iter().map(|x| x * factor).collect()).collect()
    }

    #[test]
    fn a_row_alone_is_scaled_by_the_closed_form() {
        // ‖w‖ = 5 and √|g| = √2: the row keeps 1 − τ√2/5 of itself, nothing from τ = 5/√2 on.
        let row = vec![vec![3.0, 4.0]];
        for tau in [0.0, 0.5, 1.0, 3.5, 3.54, 10.0] {
            let keeps = (1.0 - tau * 2f64.sqrt() / 5.0).max(0.0);
            let got = shrunk(&row, None, tau);
            assert!((got[0][0] - 3.0 * keeps).abs() < 1e-12 && (got[0][1] - 4.0 * keeps).abs() < 1e-12, "{got:?}");
        }
    }

    /// Nested groups: rows 0 to 4; group 0 has rows 0 to 3, in it group 1 has rows 0 and 1, group 2 has row 2.
    #[test]
    fn nested_groups_are_shrunk_to_the_minimiser() {
        let hierarchy =
            Hierarchy::try_new(vec![Some(1), Some(1), Some(2), Some(0), None], vec![None, Some(0), Some(0)]);
        let hierarchy = hierarchy.expect("parents come first");
        let singles = (0..5).map(|s| vec![s]);
        let groups: Vec<Vec<usize>> = singles.chain([vec![0, 1], vec![2], vec![0, 1, 2, 3]]).collect();
        let mut n_gone = 0;
        for seed in 0..60 {
            let mut dice = Dice::new(seed);
            let w: Rows = (0..5).map(|_| (0..3).map(|_| dice.signed()).collect()).collect();
            let tau = 0.25 * dice.unit();
            let fast = shrunk(&w, Some(&hierarchy), tau);
            let slow = minimise_slowly(&w, &groups, tau);
            let apart =
                fast.iter().flatten().zip(slow.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 2e-3, "seed {seed}: {fast:?} {slow:?}");
            assert!(objective(&fast, &w, &groups, tau) <= objective(&slow, &w, &groups, tau) + 1e-9, "seed {seed}");
            n_gone += fast.iter().filter(|row| row.iter().all(|x| *x == 0.0)).count();
        }
        assert!((30..270).contains(&n_gone), "{n_gone} of 300 rows are gone");
    }
}
