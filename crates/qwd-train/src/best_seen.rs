//! Early stopping: remembers the best W on held-out data.

use crate::engine::Flow;
use crate::session::Session;
use qwd_core::Result;
use qwd_model::Matrix;

/// The best W so far, and how long it has not been beaten.
#[derive(Debug, Default)]
pub(crate) struct BestSeen {
    best: Option<(f64, u64, Matrix)>,
    looks_since: u32,
}

impl BestSeen {
    /// Shows W at step `t` to the session's watcher and says whether to go on.
    pub(crate) fn look(&mut self, session: &mut Session<'_>, t: u64, matrix: Matrix) -> Result<Flow> {
        let is_best = self.compare(session, t, &matrix)?;
        self.judge(session, is_best, || (t, matrix))
    }

    /// As [`BestSeen::look`], for a W that is copied only where it is the best.
    pub(crate) fn look_at(&mut self, session: &mut Session<'_>, t: u64, matrix: &Matrix) -> Result<Flow> {
        let is_best = self.compare(session, t, matrix)?;
        self.judge(session, is_best, || (t, matrix.clone()))
    }

    /// The figure of W, where one is given and asked for, and whether it is the best so far.
    fn compare(&self, session: &mut Session<'_>, t: u64, matrix: &Matrix) -> Result<Option<(f64, bool)>> {
        let figure = session.look(t, matrix)?;
        Ok(figure.map(|figure| (figure, self.best.as_ref().is_none_or(|(best, ..)| figure > *best))))
    }

    fn judge(
        &mut self,
        session: &Session<'_>,
        seen: Option<(f64, bool)>,
        matrix: impl FnOnce() -> (u64, Matrix),
    ) -> Result<Flow> {
        let (Some((figure, is_best)), Some(patience)) = (seen, session.patience()) else { return Ok(Flow::Continue) };
        if is_best {
            let (t, matrix) = matrix();
            self.best = Some((figure, t, matrix));
            self.looks_since = 0;
        } else {
            self.looks_since += 1;
        }
        Ok(if self.looks_since >= patience.max(1) { Flow::Stop } else { Flow::Continue })
    }

    /// The best W and its step, where early stopping was asked for and a figure was given.
    pub(crate) fn into_best(self) -> Option<(Matrix, u64)> {
        self.best.map(|(_, t, matrix)| (matrix, t))
    }
}
