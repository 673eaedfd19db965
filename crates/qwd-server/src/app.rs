//! What all requests share.

use crate::config::{Config, IndexConfig};
use crate::journal::{Journal, now};
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::served::Served;
use qwd_core::{Error, Result};
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::Semaphore;

/// A server's state.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) config: Config,
    indexes: RwLock<Vec<Arc<Served>>>,
    pub(crate) metrics: Metrics,
    pub(crate) journal: Journal,
    pub(crate) is_stopping: AtomicBool,
    in_flight: Arc<Semaphore>,
}

impl App {
    pub(crate) fn open(config: Config, journal: Journal) -> Result<Self> {
        config.check()?;
        let open = |index| Served::open(index, &config).map(Arc::new);
        let indexes = RwLock::new(config.indexes.iter().map(open).collect::<Result<_>>()?);
        let in_flight = Arc::new(Semaphore::new(config.limits.in_flight));
        let (metrics, is_stopping) = (Metrics::default(), AtomicBool::new(false));
        Ok(Self { config, indexes, metrics, journal, is_stopping, in_flight })
    }

    /// The index that a request names, or the first.
    pub(crate) fn index(&self, name: Option<&str>) -> Result<Arc<Served>, Problem> {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        let found = match name {
            None => indexes.first(),
            Some(name) => indexes.iter().find(|index| index.name == name),
        };
        found.cloned().ok_or_else(|| Problem::not_found("there is no index of that name; GET /indexes lists them"))
    }

    /// All indexes.
    pub(crate) fn indexes(&self) -> Vec<Arc<Served>> {
        self.indexes.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Refuses a name that an index has already.
    pub(crate) fn check_new(&self, name: &str) -> Result<()> {
        match self.indexes().iter().any(|index| index.name == name) {
            true => Err(Error::bad_data(format!("there is an index {name:?} already"), "choose another name")),
            false => Ok(()),
        }
    }

    /// Serves one more index until the server stops.
    pub(crate) fn serve_also(&self, name: &str, path: PathBuf) -> Result<()> {
        let config = IndexConfig { name: name.to_string(), path, model: None, leave_out_damaged: false };
        let served = Arc::new(Served::open(&config, &self.config)?);
        let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
        indexes.push(served);
        Ok(())
    }

    /// How many requests are being worked on.
    pub(crate) fn n_in_flight(&self) -> usize {
        self.config.limits.in_flight - self.in_flight.available_permits()
    }

    /// Does the work of a request, or turns it away when there is too much already. Work that outlives its request keeps its
    /// place until it is done.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        let Ok(permit) = Arc::clone(&self.in_flight).try_acquire_owned() else {
            self.metrics.shed.fetch_add(1, Ordering::Relaxed);
            return Err(Problem::busy());
        };
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        match done.await {
            Ok(outcome) => outcome.map_err(Problem::from),
            Err(e) => Err(Problem::from(Error::internal(format!("a request ended in a panic: {e}")))),
        }
    }

    /// Looks whether any index has enough to learn from.
    pub(crate) fn learn(&self) {
        for index in self.indexes().into_iter().filter(|index| index.learns()) {
            match index.learn(false, now()) {
                Ok(Some(round)) => {
                    self.metrics.rounds.fetch_add(1, Ordering::Relaxed);
                    self.journal.write("info", "learned", json!({"index": index.name, "round": round}));
                }
                Ok(None) => {}
                Err(e) => {
                    self.journal.write("error", "learning failed", json!({"index": index.name, "error": e.to_string()}))
                }
            }
        }
    }
}
