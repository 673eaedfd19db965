//! The best of many rounds on validation documents.

use crate::measure::Validation;
use qwd_core::Result;

/// Remembers the round whose scores rank the validation documents best; without any, the last one.
pub(crate) struct BestRound<'a, T> {
    validation: Option<Validation<'a>>,
    best: Option<(f64, T)>,
    rounds_since: usize,
}

impl<'a, T> BestRound<'a, T> {
    pub(crate) fn new(validation: Option<Validation<'a>>) -> Self {
        Self { validation, best: None, rounds_since: 0 }
    }

    /// Looks at a round; `scores` are those of the validation documents. Returns the figure, if there is one.
    pub(crate) fn look(&mut self, state: impl FnOnce() -> T, scores: impl FnOnce() -> Vec<f32>) -> Result<Option<f64>> {
        let Some(validation) = &self.validation else {
            self.best = Some((0.0, state()));
            return Ok(None);
        };
        let figure = validation.figure(&scores())?;
        if self.best.as_ref().is_none_or(|(best, _)| figure > *best) {
            self.best = Some((figure, state()));
            self.rounds_since = 0;
        } else {
            self.rounds_since += 1;
        }
        Ok(Some(figure))
    }

    /// Tells whether so many rounds have passed without a better one; never without validation documents.
    pub(crate) fn is_over(&self, patience: usize) -> bool {
        self.validation.is_some() && self.rounds_since >= patience
    }

    pub(crate) fn into_best(self) -> Option<T> {
        self.best.map(|(_, state)| state)
    }
}
