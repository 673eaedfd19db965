//! What all commands share: threads, output, progress.

use crate::output::Output;
use crate::progress::Bar;
use qwd_core::{Result, Threads};

/// The surroundings of a command.
pub(crate) struct Surroundings {
    pub(crate) threads: Threads,
    pub(crate) output: Output,
    pub(crate) bar: Bar,
}

impl Surroundings {
    pub(crate) fn new(n_threads: usize, json: bool) -> Result<Self> {
        Ok(Self { threads: Threads::new(n_threads)?, output: Output::new(json), bar: Bar::new() })
    }
}
