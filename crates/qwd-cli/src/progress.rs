//! What is seen while one waits: a bar with word pairs per second, loss, density and the time left, where standard error is
//! a terminal. Elsewhere nothing is drawn. It also passes Ctrl-C on, and keeps what it heard for reports.

use crate::interrupt;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use qwd_core::{Control, Observer, Progress};
use serde::Serialize;
use std::sync::Mutex;
use std::time::Instant;

/// More samples than this tell a report's reader nothing new.
const MAX_SAMPLES: usize = 10_000;

/// What was heard at one moment of training.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Sample {
    pub(crate) stage: &'static str,
    pub(crate) step: u64,
    pub(crate) seconds: f64,
    pub(crate) loss: Option<f64>,
    pub(crate) density: Option<f64>,
    pub(crate) pairs: u64,
}

/// Draws progress.
pub(crate) struct Bar {
    bar: ProgressBar,
    state: Mutex<State>,
    started: Instant,
}

struct State {
    stage: &'static str,
    stage_started: Instant,
    latest: Progress,
    samples: Vec<Sample>,
}

impl Bar {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let now = Instant::now();
        let state = State { stage: "", stage_started: now, latest: Progress::default(), samples: Vec::new() };
        Self { bar, state: Mutex::new(state), started: now }
    }

    /// Removes the bar and returns what was heard.
    pub(crate) fn finish(&self) -> Vec<Sample> {
        self.bar.finish_and_clear();
        self.state.lock().map(|mut state| std::mem::take(&mut state.samples)).unwrap_or_default()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Bar {
    fn progress(&self, progress: &Progress) -> Control {
        if let Ok(mut state) = self.state.lock() {
            let begins = state.stage != progress.stage || (progress.total > 0 && progress.done < state.latest.done);
            if begins {
                state.stage = progress.stage;
                state.stage_started = Instant::now();
                state.latest = Progress::default();
                self.bar.set_style(style(progress.stage));
                self.bar.set_prefix(progress.stage);
                self.bar.reset();
            }
            state.hear(progress, self.started);
            if progress.total > 0 {
                self.bar.set_length(progress.total);
                self.bar.set_position(progress.done);
            }
            self.bar.set_message(state.message());
        }
        if interrupt::is_requested() { Control::Stop } else { Control::Continue }
    }
}

impl State {
    fn hear(&mut self, progress: &Progress, started: Instant) {
        let latest = &mut self.latest;
        latest.done = progress.done;
        latest.pairs = progress.pairs.max(latest.pairs);
        latest.loss = progress.loss.or(latest.loss);
        latest.density = progress.density.or(latest.density);
        latest.validation = progress.validation.or(latest.validation);
        if progress.total > 0 && self.samples.len() < MAX_SAMPLES {
            self.samples.push(Sample {
                stage: progress.stage,
                step: progress.done,
                seconds: started.elapsed().as_secs_f64(),
                loss: progress.loss,
                density: progress.density,
                pairs: progress.pairs,
            });
        }
    }

    fn message(&self) -> String {
        let mut parts = Vec::new();
        let seconds = self.stage_started.elapsed().as_secs_f64();
        if self.latest.pairs > 0 && seconds > 0.0 {
            parts.push(format!("{:.0}M pairs/s", self.latest.pairs as f64 / seconds / 1e6));
        }
        parts.extend(self.latest.loss.map(|loss| format!("loss {loss:.4}")));
        parts.extend(self.latest.density.map(|density| format!("density {:.2} %", 100.0 * density)));
        parts.extend(self.latest.validation.map(|figure| format!("validation {:.4}", figure.abs())));
        parts.join("  ")
    }
}

fn style(stage: &str) -> ProgressStyle {
    let template = match stage {
        "downloading" => "{prefix} {bar:30} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left",
        _ => "{prefix} {bar:30} {pos}/{len}  {msg}  {eta} left",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
