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
        let figure = session.look(t, &matrix)?;
        let (Some(figure), Some(patience)) = (figure, session.patience()) else { return Ok(Flow::Continue) };
        if self.best.as_ref().is_none_or(|(best, ..)| figure > *best) {
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
