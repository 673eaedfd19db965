//! One index as it is served: asked by many, changed by one at a time, learning meanwhile.

use crate::config::{Config, IndexConfig};
use qwd_core::{Error, Result};
use qwd_data::Document;
use qwd_model::{Model, Side};
use qwd_online::learner::Standing;
use qwd_online::{Feedback, Learner, Pin, Round};
use qwd_search::{Index, OnDamage, Snapshot, Writer};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// Where an index keeps what its users told.
pub const FEEDBACK_FOLDER: &str = "feedback";

/// How many versions are kept in memory for comparing.
const KEPT_VERSIONS: usize = 4;

/// An index that is being served.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) name: String,
    pub(crate) index: Index,
    /// None where a part of the index is damaged: what is left is only read.
    writer: Option<Mutex<Writer>>,
    learner: Option<Learner>,
    shadow: RwLock<Option<(u64, Arc<Model>)>>,
    /// Versions that were asked for lately, the latest last.
    versions: Mutex<Vec<(u64, Arc<Model>)>>,
    /// The hour, since 1970, in which old feedback was last looked for.
    forgot: AtomicU64,
    fault: Mutex<Option<String>>,
}

impl Served {
    pub(crate) fn open(config: &IndexConfig, server: &Config) -> Result<Self> {
        let on_damage = if config.leave_out_damaged { OnDamage::LeaveOut } else { OnDamage::Refuse };
        let index = Index::open_with(&config.path, on_damage)?;
        let is_sound = index.snapshot().damaged().is_empty();
        let writer = if is_sound { Some(Mutex::new(Writer::open(&config.path)?)) } else { None };
        let learner = match server.learn && is_sound {
            true => {
                let folder = config.path.join(FEEDBACK_FOLDER);
                let base = || base_model(config.model.as_deref(), &index.snapshot());
                Some(Learner::open(folder, server.online.clone(), base)?)
            }
            false => None,
        };
        let served = Self {
            name: config.name.clone(),
            index,
            writer,
            learner,
            shadow: RwLock::new(None),
            versions: Mutex::default(),
            forgot: AtomicU64::new(0),
            fault: Mutex::new(None),
        };
        served.publish()?;
        Ok(served)
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.index.snapshot()
    }

    /// Adds or replaces documents, all of them or none.
    pub(crate) fn add(&self, documents: Vec<Document>) -> Result<u64> {
        if let Some(bad) = documents.iter().find(|d| d.id.is_empty() || d.id.contains(char::is_control)) {
            let what = format!("the document id {:?} is empty or has a control character", bad.id);
            return Err(Error::bad_data(what, "give every document an id"));
        }
        let mut writer = self.writer()?;
        for document in documents {
            writer.add(document)?;
        }
        writer.commit()?;
        self.index.reload()?;
        Ok(self.snapshot().n_documents())
    }

    /// Deletes a document; tells whether there was one.
    pub(crate) fn delete(&self, id: &str) -> Result<bool> {
        let mut writer = self.writer()?;
        let was_there = writer.delete(id)?;
        writer.commit()?;
        self.index.reload()?;
        Ok(was_there)
    }

    /// Takes in what users told; returns when it is on disk.
    pub(crate) fn accept(&self, told: &[Feedback]) -> Result<u64> {
        let snapshot = self.snapshot();
        let text_of = |id: &str| Ok(snapshot.document(id)?.map(|d| d.full_text().into_owned()));
        self.learner()?.accept(told, snapshot.generation(), text_of)
    }

    /// Learns if there is enough to learn from, and lets the new version rank.
    pub(crate) fn learn(&self, force: bool, now: f64) -> Result<Option<Round>> {
        let learner = self.learner()?;
        // To look for old feedback the whole log is read, which nobody wants at every look for new one.
        let hour = (now / 3600.0) as u64;
        if self.forgot.swap(hour, Ordering::Relaxed) != hour {
            learner.forget_old(now)?;
        }
        let round = learner.learn(force);
        let fault = round.as_ref().err().map(ToString::to_string);
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        let round = round?;
        if round.as_ref().is_some_and(|r| r.version.is_some()) {
            self.publish()?;
        }
        Ok(round)
    }

    /// Goes back to an earlier version.
    pub(crate) fn roll_back(&self, to: Option<u64>) -> Result<u64> {
        let version = self.learner()?.roll_back(to)?;
        self.publish()?;
        Ok(version)
    }

    /// Lets the version in the shadow take the place of the current one.
    pub(crate) fn promote(&self) -> Result<u64> {
        let shadow = self.learner()?.standing().shadow;
        let version = shadow.ok_or_else(|| Error::bad_data("no version runs in the shadow", "set online.shadow"))?;
        self.learner()?.use_version(version)?;
        self.publish()?;
        Ok(version)
    }

    /// Makes a model from outside the current version.
    pub(crate) fn load(&self, bytes: &[u8]) -> Result<u64> {
        let model = Model::from_bytes(bytes).map_err(|e| match e {
            Error::Corrupt { section, what, .. } => {
                Error::bad_data(format!("the model is damaged in {section}: {what}"), "send the bytes of a model file")
            }
            e => e,
        })?;
        for side in [Side::Query, Side::Document] {
            if model.vectorizer(side).is_none() {
                return Err(Error::bad_data("the model has no vocabulary", "train a model from text"));
            }
        }
        let version = self.learner()?.load(&model)?;
        self.publish()?;
        Ok(version)
    }

    /// Forgets what a user told, and learns again from the rest.
    pub(crate) fn erase(&self, user: &str, now: f64) -> Result<u64> {
        let n = self.learner()?.erase(user)?;
        self.publish()?;
        self.learn(true, now)?;
        Ok(n)
    }

    /// Sets the weight of a word pair by hand, or releases it.
    pub(crate) fn pin(&self, query: &str, document: &str, weight: Option<f32>) -> Result<()> {
        self.learner()?.pin(query, document, weight)?;
        self.publish()
    }

    pub(crate) fn pins(&self) -> Result<Vec<Pin>> {
        Ok(self.learner()?.pins())
    }

    /// Whether it takes feedback.
    pub(crate) fn learns(&self) -> bool {
        self.learner.is_some()
    }

    pub(crate) fn standing(&self) -> Option<Standing> {
        self.learner.as_ref().map(Learner::standing)
    }

    /// Why learning failed the last time it was tried.
    pub(crate) fn fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The model of a version, as it ranks.
    pub(crate) fn version(&self, version: u64) -> Result<Arc<Model>> {
        if let Some((number, model)) = self.shadow()
            && number == version
        {
            return Ok(model);
        }
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, model)) = versions.iter().find(|(number, _)| *number == version) {
            return Ok(Arc::clone(model));
        }
        let model = Arc::new(self.learner()?.ranking(version)?);
        if versions.len() >= KEPT_VERSIONS {
            versions.remove(0);
        }
        versions.push((version, Arc::clone(&model)));
        Ok(model)
    }

    pub(crate) fn shadow(&self) -> Option<(u64, Arc<Model>)> {
        self.shadow.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes the index rank by the version that the learner says, and knows the one in the shadow.
    fn publish(&self) -> Result<()> {
        let Some(learner) = &self.learner else { return Ok(()) };
        let mut writer = self.writer()?;
        let standing = learner.standing();
        let model = learner.ranking(standing.current)?;
        if model.to_bytes()? != self.snapshot().model().to_bytes()? {
            writer.set_model(&model)?;
            self.index.reload()?;
        }
        let shadow = match standing.shadow {
            Some(version) => Some((version, Arc::new(learner.ranking(version)?))),
            None => None,
        };
        *self.shadow.write().unwrap_or_else(PoisonError::into_inner) = shadow;
        // What is set by hand may have changed, and versions may be gone.
        self.versions.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    fn learner(&self) -> Result<&Learner> {
        if self.writer.is_none() {
            return Err(read_only());
        }
        let off = || Error::bad_data("this server does not learn", "set learn = true in its configuration");
        self.learner.as_ref().ok_or_else(off)
    }

    fn writer(&self) -> Result<MutexGuard<'_, Writer>> {
        Ok(self.writer.as_ref().ok_or_else(read_only)?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn read_only() -> Error {
    Error::bad_data("a part of the index is damaged, so it is only read", "restore a backup of it")
}

/// The model that learning starts from: the given one, or that of the index, which knows no state of training.
fn base_model(path: Option<&Path>, snapshot: &Snapshot) -> Result<Model> {
    match path {
        Some(path) => Model::open(path),
        None => Ok(snapshot.model().as_ref().clone()),
    }
}
