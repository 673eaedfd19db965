//! Progress for whoever wants to hear of it: libraries never print.

use std::fmt;

/// What long work tells its observer from time to time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// What is being done: "training", "scoring".
    pub stage: &'static str,
    /// Units done so far.
    pub done: u64,
    /// Units in all; 0 when unknown.
    pub total: u64,
    /// Mean loss since the last report, while training.
    pub loss: Option<f64>,
    /// Share of non-zero entries of W, while training.
    pub density: Option<f64>,
    /// Word pairs touched so far, while training.
    pub pairs: u64,
    /// A figure on held-out data, when one was just measured.
    pub validation: Option<f64>,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Stop as soon as possible and return [`crate::Error::Interrupted`].
    Stop,
}

/// Hears of progress and may stop the work.
pub trait Observer: Sync {
    /// Called every so often, at least once a second or so.
    fn progress(&self, progress: &Progress) -> Control;
}

/// Hears nothing, stops nothing.
#[derive(Clone, Copy, Default)]
pub struct Silent;

impl fmt::Debug for Silent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Silent")
    }
}

impl Observer for Silent {
    fn progress(&self, _: &Progress) -> Control {
        Control::Continue
    }
}
