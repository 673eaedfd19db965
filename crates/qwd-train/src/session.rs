//! The surroundings of a training run: threads, an observer, checkpoints and early stopping.

use qwd_core::{Control, Error, Observer, Progress, Result, Silent, Threads};
use qwd_model::Matrix;
use std::time::{Duration, Instant};

/// Looks at W from time to time while it is trained.
pub trait Watcher {
    /// Is shown W after step `t`; a number that it returns is a figure on held-out data, higher being better.
    fn look(&mut self, t: u64, matrix: &Matrix) -> Result<Option<f64>>;
}

/// When to look at W, and when to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checkpoints {
    /// Steps between two looks.
    pub every: u64,
    /// Stop after so many looks without a better figure, and return the best W seen; `None` never stops.
    pub patience: Option<u32>,
}

/// Threads, observer and checkpoints of one training run.
pub struct Session<'a> {
    threads: &'a Threads,
    observer: &'a dyn Observer,
    watch: Option<(Checkpoints, &'a mut dyn Watcher)>,
    density: Option<f64>,
    last_report: Instant,
}

/// Checks the number of tuples in a mini-batch.
pub(crate) fn check_batch(batch: u64) -> Result<()> {
    if (1..=65_536).contains(&batch) { Ok(()) } else { Err(Error::param("batch", batch, "1 to 65536 tuples")) }
}

/// How often the observer hears of progress.
const REPORT_EVERY: Duration = Duration::from_millis(200);

impl<'a> Session<'a> {
    /// A session that nobody watches.
    pub fn quiet(threads: &'a Threads) -> Self {
        Self::new(threads, &Silent)
    }

    /// A session that an observer watches.
    pub fn new(threads: &'a Threads, observer: &'a dyn Observer) -> Self {
        Self { threads, observer, watch: None, density: None, last_report: Instant::now() }
    }

    /// Adds checkpoints at which a watcher is shown W.
    pub fn with_watcher(mut self, checkpoints: Checkpoints, watcher: &'a mut dyn Watcher) -> Result<Self> {
        if checkpoints.every == 0 {
            return Err(Error::param("checkpoints.every", 0, "at least 1 step"));
        }
        self.watch = Some((checkpoints, watcher));
        Ok(self)
    }

    /// The threads to work with.
    pub fn threads(&self) -> &'a Threads {
        self.threads
    }

    /// The observer.
    pub fn observer(&self) -> &'a dyn Observer {
        self.observer
    }

    pub(crate) fn patience(&self) -> Option<u32> {
        self.watch.as_ref().and_then(|(checkpoints, _)| checkpoints.patience)
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    pub(crate) fn checkpoint_every(&self) -> u64 {
        self.watch.as_ref().map_or(u64::MAX, |(checkpoints, _)| checkpoints.every)
    }

    /// Steps from `t` to the next checkpoint, at least 1.
    pub(crate) fn until_checkpoint(&self, t: u64) -> u64 {
        let every = self.checkpoint_every();
        every - t % every
    }

    /// Shows W to the watcher, if there is one.
    pub(crate) fn look(&mut self, t: u64, matrix: &Matrix) -> Result<Option<f64>> {
        let Some((_, watcher)) = &mut self.watch else { return Ok(None) };
        let figure = watcher.look(t, matrix)?;
        self.density = Some(matrix.density());
        if figure.is_some() {
            self.tell(&Progress {
                stage: "training",
                done: t,
                validation: figure,
                density: self.density,
                ..Progress::default()
            })?;
        }
        Ok(figure)
    }

    /// Sets the density that later reports carry.
    pub(crate) fn set_density(&mut self, density: f64) {
        self.density = Some(density);
    }

    /// Whether a report is due.
    pub(crate) fn is_due(&self) -> bool {
        self.last_report.elapsed() >= REPORT_EVERY
    }

    /// Tells the observer how far training is, not more often than every so often.
    pub(crate) fn report(&mut self, tally: &mut Tally, done: u64, total: u64) -> Result<()> {
        if !self.is_due() && done < total {
            return Ok(());
        }
        self.last_report = Instant::now();
        let loss = tally.mean_loss();
        let pairs = tally.pairs;
        *tally = Tally { pairs, ..Tally::default() };
        self.tell(&Progress { stage: "training", done, total, loss, density: self.density, pairs, validation: None })
    }

    fn tell(&self, progress: &Progress) -> Result<()> {
        match self.observer.progress(progress) {
            Control::Continue => Ok(()),
            Control::Stop => Err(Error::Interrupted),
        }
    }
}

/// Losses since the last report, and word pairs since the beginning.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    loss: f64,
    n: u64,
    pairs: u64,
}

impl Tally {
    /// Counts a tuple that misses the margin by `missing` (negative: it does not) and touches so many word pairs.
    pub(crate) fn add(&mut self, missing: f64, pairs: usize) {
        self.loss += missing.max(0.0);
        self.n += 1;
        self.pairs += pairs as u64;
    }

    fn mean_loss(&self) -> Option<f64> {
        (self.n > 0).then(|| self.loss / self.n as f64)
    }
}
