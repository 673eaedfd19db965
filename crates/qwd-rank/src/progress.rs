//! Reports of training, not more often than every so often.

use qwd_core::{Control, Error, Observer, Progress, Result};
use std::time::{Duration, Instant};

const REPORT_EVERY: Duration = Duration::from_millis(200);

/// Tells an observer how far training is.
pub(crate) struct Reports<'a> {
    observer: &'a dyn Observer,
    total: u64,
    last: Option<Instant>,
}

impl<'a> Reports<'a> {
    pub(crate) fn new(observer: &'a dyn Observer, total: u64) -> Self {
        Self { observer, total, last: None }
    }

    /// Reports, if it is time to, and stops training if the observer says so.
    pub(crate) fn tell(&mut self, done: u64, loss: Option<f64>, validation: Option<f64>) -> Result<()> {
        if self.last.is_some_and(|last| last.elapsed() < REPORT_EVERY) && done < self.total {
            return Ok(());
        }
        self.last = Some(Instant::now());
        let progress = Progress { stage: "training", done, total: self.total, loss, validation, ..Progress::default() };
        match self.observer.progress(&progress) {
            Control::Continue => Ok(()),
            Control::Stop => Err(Error::Interrupted),
        }
    }
}
