//! Long work on a thread of its own, so that Ctrl-C is heard and other Python threads run.
//!
//! The calling thread waits without the interpreter lock, looks for signals twenty times a second and hands reports of
//! progress to Python. Work that is asked to stop stops at its next report; work that reports none is left behind after a
//! moment, and what it comes to is dropped. That is why work owns what it works on.

use crate::errors::{OrRaise, to_python};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use qwd::core::{Control, Observer, Progress};
use qwd::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often signals are looked for.
const POLL: Duration = Duration::from_millis(50);

/// How long work may take to stop by itself.
const GRACE: Duration = Duration::from_millis(500);

/// Nanoseconds that work took, all of it together.
static WORKED: AtomicU64 = AtomicU64::new(0);

/// Seconds that the library itself worked in calls from this process; what is beyond them is the price of Python.
#[pyfunction]
pub(crate) fn seconds_at_work() -> f64 {
    WORKED.load(Ordering::Relaxed) as f64 / 1e9
}

enum Event<T> {
    Progress(Progress),
    Done(Result<T>),
}

/// Passes progress on to the thread that waits.
struct Reporter<T> {
    events: Sender<Event<T>>,
    is_stopped: Arc<AtomicBool>,
}

impl<T: Send> Observer for Reporter<T> {
    fn progress(&self, progress: &Progress) -> Control {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Control::Stop;
        }
        // Nobody hears the reports of work that was left behind.
        match self.events.send(Event::Progress(progress.clone())) {
            Ok(()) => Control::Continue,
            Err(_) => Control::Stop,
        }
    }
}

/// Does some work and calls `progress` with a dict for every report; an exception there, or Ctrl-C, stops the work.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Observer) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let is_stopped = Arc::new(AtomicBool::new(false));
    let reporter = Reporter { events: sender.clone(), is_stopped: Arc::clone(&is_stopped) };
    let spawned = std::thread::Builder::new().name("qwd".into()).spawn(move || {
        let started = Instant::now();
        let done = work(&reporter);
        WORKED.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        // If nobody waits any more, nobody wants the result.
        let _ = sender.send(Event::Done(done));
    });
    spawned.map_err(|e| Error::io("thread", "start", e)).or_raise()?;
    wait(py, progress, &Mutex::new(receiver), &is_stopped)
}

fn wait<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    events: &Mutex<Receiver<Event<T>>>,
    is_stopped: &AtomicBool,
) -> PyResult<T> {
    let mut stopping: Option<(Instant, PyErr)> = None;
    loop {
        let event = py.detach(|| events.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(POLL));
        let mut heard = Ok(());
        match event {
            Ok(Event::Done(done)) => {
                // Signals that came with the end are raised, too.
                py.check_signals()?;
                return stopping.map_or_else(|| done.map_err(to_python), |(_, error)| Err(error));
            }
            Ok(Event::Progress(report)) if stopping.is_none() => heard = tell(progress, &report),
            Ok(Event::Progress(_)) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::internal("a thread panicked; its message is on standard error")).or_raise();
            }
        }
        match &stopping {
            None => {
                if let Err(error) = heard.and_then(|()| py.check_signals()) {
                    is_stopped.store(true, Ordering::Relaxed);
                    stopping = Some((Instant::now(), error));
                }
            }
            Some((since, _)) if since.elapsed() < GRACE => {}
            Some(_) => return stopping.map_or_else(|| Err(to_python(Error::Interrupted)), |(_, error)| Err(error)),
        }
    }
}

fn tell(callback: Option<&Bound<'_, PyAny>>, report: &Progress) -> PyResult<()> {
    let Some(callback) = callback else { return Ok(()) };
    let dict = PyDict::new(callback.py());
    dict.set_item("stage", report.stage)?;
    dict.set_item("done", report.done)?;
    dict.set_item("total", report.total)?;
    dict.set_item("loss", report.loss)?;
    dict.set_item("density", report.density)?;
    dict.set_item("validation", report.validation)?;
    callback.call1((dict,)).map(drop)
}

/// Tells an observer how far work of many parts is, and stops if it says so.
pub(crate) fn report(observer: &dyn Observer, stage: &'static str, done: usize, total: usize) -> Result<()> {
    let progress = Progress { stage, done: done as u64, total: total as u64, ..Progress::default() };
    match observer.progress(&progress) {
        Control::Continue => Ok(()),
        Control::Stop => Err(Error::Interrupted),
    }
}
