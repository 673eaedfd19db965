//! Learning while users are served: feedback goes to the log at once, and becomes a new model when enough has come together.

use crate::course::{Course, LearnParams, seed_of};
use crate::feedback::Feedback;
use crate::pins::{self, Pin, Pins};
use crate::record::Record;
use crate::rewrite;
use crate::version::{self, From, HeldOut, Version};
use qwd_core::{Error, Result, parameters};
use qwd_data::fingerprint::Fnv1a;
use qwd_model::Model;
use qwd_store::{Log, lock_file};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

const LOG: &str = "feedback.qwdlog";
const LOCK: &str = "learner.lock";

parameters! {
    /// How a learner works.
    pub struct OnlineParams {
        /// How feedback is learned from.
        pub learn: LearnParams = LearnParams::default(),
        /// How many things must have been told before a round of learning.
        pub min_feedback: usize = 10,
        /// How many things told a round learns from at most; what is left waits for the next round.
        pub max_round: usize = 20_000,
        /// How many versions are kept, the latest; those in use are kept always.
        pub keep_versions: usize = 10,
        /// After how many days feedback is forgotten; none means never.
        pub retain_days: Option<f64> = None,
        /// Whether a new version first runs in the shadow of the current one, until someone lets it take its place.
        pub shadow: bool = false,
    }
}

/// What came of a round of learning.
#[derive(Debug, Clone, Serialize)]
pub struct Round {
    /// The preferences that were learned from.
    pub n_preferences: usize,
    /// The new version, unless the held-out part got worse.
    pub version: Option<u64>,
    /// Whether it ranks from now on.
    pub published: bool,
    /// The held-out part before and after.
    pub held_out: HeldOut,
}

/// How things stand.
#[derive(Debug, Clone, Serialize)]
pub struct Standing {
    /// The version that ranks.
    pub current: u64,
    /// The version that runs in its shadow.
    pub shadow: Option<u64>,
    /// Records in the log.
    pub n_records: u64,
    /// All versions, the latest last.
    pub versions: Vec<Version>,
}

/// Learns from feedback. There is one learner for a folder at a time.
#[derive(Debug)]
pub struct Learner {
    folder: PathBuf,
    params: OnlineParams,
    _lock: File,
    log: RwLock<Log>,
    /// Each document's text as the log last has it.
    texts: Mutex<HashMap<String, Seen>>,
    course: Mutex<Course>,
    lineage: Mutex<Lineage>,
    pins: Mutex<Pins>,
}

/// A text that the log has.
#[derive(Debug, Clone, Copy)]
struct Seen {
    hash: u64,
    /// The generation of the index in which it was looked at last.
    generation: Option<u64>,
}

/// Which versions there were, as the log tells.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lineage {
    pub(crate) versions: Vec<Version>,
    pub(crate) current: u64,
    /// The version that learning goes on from: the current one, or one in its shadow.
    pub(crate) tip: u64,
    pub(crate) base: u64,
    pub(crate) origin: u64,
    pub(crate) next: u64,
}

impl Lineage {
    pub(crate) fn take(&mut self, record: &Record) {
        let parent = Some(self.tip).filter(|&tip| tip > 0);
        match *record {
            Record::Base { version, origin, next } => {
                *self = Self { base: version, origin, next, ..Self::default() };
                if origin != version {
                    self.add(origin, From::Base, None, None);
                }
                self.add(version, From::Base, None, None);
                (self.current, self.tip) = (version, version);
            }
            Record::Round { version: Some(version), published, held_out, .. } => {
                self.add(version, From::Feedback, parent, Some(held_out));
                self.tip = version;
                self.current = if published { version } else { self.current };
            }
            Record::Use { version } => (self.current, self.tip) = (version, version),
            Record::Load { version } => {
                self.add(version, From::Loaded, None, None);
                (self.current, self.tip, self.origin) = (version, version, version);
            }
            Record::Round { .. } | Record::Text { .. } | Record::Feedback(_) | Record::Pin { .. } => {}
        }
    }

    fn add(&mut self, version: u64, from: From, parent: Option<u64>, held_out: Option<HeldOut>) {
        self.versions.push(Version { version, from, parent, current: false, kept: true, held_out });
        self.next = self.next.max(version + 1);
    }
}

impl Learner {
    /// Opens the folder of a learner; a new one starts from the model that `base` gives.
    pub fn open(folder: impl AsRef<Path>, params: OnlineParams, base: impl FnOnce() -> Result<Model>) -> Result<Self> {
        let folder = folder.as_ref().to_path_buf();
        fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, "create", e))?;
        let lock = lock(&folder)?;
        let path = folder.join(LOG);
        if !path.exists() {
            base()?.save(version::path(&folder, 1))?;
            Log::write_new(&path, [Record::Base { version: 1, origin: 1, next: 2 }.to_bytes()?])?;
        }
        let (log, read) = open_log(&path)?;
        let learner = Self {
            folder,
            params,
            _lock: lock,
            log: RwLock::new(log),
            texts: Mutex::new(read.texts),
            course: Mutex::new(read.course),
            lineage: Mutex::new(read.lineage),
            pins: Mutex::new(read.pins),
        };
        learner.remove_old_versions();
        Ok(learner)
    }

    /// Whether a folder has one.
    pub fn is_at(folder: impl AsRef<Path>) -> bool {
        folder.as_ref().join(LOG).exists()
    }

    /// Takes in what users told; returns when all of it is on disk. `text_of` gives the texts of the documents, which stay the
    /// same for as long as `generation` does.
    pub fn accept(
        &self,
        told: &[Feedback],
        generation: u64,
        text_of: impl Fn(&str) -> Result<Option<String>>,
    ) -> Result<u64> {
        told.iter().try_for_each(Feedback::check)?;
        let mut new: BTreeMap<&str, String> = BTreeMap::new();
        for id in self.not_seen(told, generation) {
            let text = text_of(id)?.ok_or_else(|| {
                let what = format!("feedback names document {id:?}, which is not in the index");
                Error::bad_data(what, "name documents by the ids of search results")
            })?;
            new.insert(id, text);
        }
        let feedback = told.iter().map(|f| Record::Feedback(f.clone()).to_bytes()).collect::<Result<Vec<_>>>()?;
        let log = self.log();
        let ticket = {
            // Held while the records get their places, so that a text stands before whatever relies on it.
            let mut texts = self.texts();
            let mut records = Vec::new();
            for (id, text) in new {
                let seen = Seen { hash: Fnv1a::of(text.as_bytes()), generation: Some(generation) };
                let before = texts.insert(id.to_string(), seen);
                if before.is_none_or(|before| before.hash != seen.hash) {
                    records.push(Record::Text { id: id.to_string(), text }.to_bytes()?);
                }
            }
            records.extend(feedback);
            log.queue(&records)?
        };
        log.wait(ticket)?;
        Ok(ticket)
    }

    /// The documents whose texts of this generation were not looked at yet.
    fn not_seen<'a>(&self, told: &'a [Feedback], generation: u64) -> BTreeSet<&'a str> {
        let texts = self.texts();
        let is_new = |id: &&str| texts.get(*id).is_none_or(|seen| seen.generation != Some(generation));
        told.iter().flat_map(Feedback::documents).filter(is_new).collect()
    }

    /// Learns from what was told since the last round, if it is enough, or in any case with `force`.
    pub fn learn(&self, force: bool) -> Result<Option<Round>> {
        let mut course = self.course();
        self.catch_up(&mut course)?;
        let through = course.through(self.params.max_round.max(1));
        if course.n_pending() == 0 || !force && course.n_pending() < self.params.min_feedback {
            return Ok(None);
        }
        let (tip, next) = {
            let lineage = self.lineage();
            (lineage.tip, lineage.next)
        };
        let model = version::open(&self.folder, tip)?;
        let params = &self.params.learn;
        let Some(learned) = course.learn(&model, through, params)? else { return Ok(None) };
        let version = learned.is_no_worse().then_some(next);
        if let Some(version) = version {
            learned.model.save(version::path(&self.folder, version))?;
        }
        let published = version.is_some() && !self.params.shadow;
        let (seed, held_out) = (seed_of(&model)?, learned.held_out);
        self.note(&Record::Round { through, params: params.clone(), seed, version, published, held_out })?;
        course.finish(seed, through, params, version.is_some());
        self.remove_old_versions();
        Ok(Some(Round { n_preferences: learned.n_lessons, version, published, held_out }))
    }

    /// Puts a version in the place of the current one.
    pub fn use_version(&self, version: u64) -> Result<()> {
        let _course = self.course();
        version::open(&self.folder, version)?;
        if !self.lineage().versions.iter().any(|v| v.version == version) {
            return Err(Error::param("version", version, "one that is listed"));
        }
        self.note(&Record::Use { version })
    }

    /// Goes back to the version before the current one, or to a given one; returns its number.
    pub fn roll_back(&self, to: Option<u64>) -> Result<u64> {
        let version = match to {
            Some(version) => version,
            None => {
                let lineage = self.lineage();
                let current = lineage.versions.iter().find(|v| v.version == lineage.current);
                current.and_then(|v| v.parent).ok_or_else(|| {
                    Error::bad_data("the current version has none before it", "name the version to use")
                })?
            }
        };
        self.use_version(version)?;
        Ok(version)
    }

    /// Makes a model from outside a version, which takes the place of the current one; returns its number.
    pub fn load(&self, model: &Model) -> Result<u64> {
        let _course = self.course();
        let version = self.lineage().next;
        model.save(version::path(&self.folder, version))?;
        self.note(&Record::Load { version })?;
        self.remove_old_versions();
        Ok(version)
    }

    /// Forgets what one user told, and everything that was learned from anyone's feedback: learning starts again from the
    /// version that knows none, with the next round. Returns how many things were forgotten.
    pub fn erase(&self, user: &str) -> Result<u64> {
        self.rewrite(|path, lineage| rewrite::without_user(path, lineage, user).map(Some))
            .map(Option::unwrap_or_default)
    }

    /// Forgets feedback that is older than the limit, as far as whole rounds go; the version that learned from it becomes the
    /// base. Returns how many things were forgotten.
    pub fn forget_old(&self, now: f64) -> Result<u64> {
        let Some(days) = self.params.retain_days else { return Ok(0) };
        let kept = |version| version::path(&self.folder, version).exists();
        let done = self.rewrite(|path, _| rewrite::without_old(path, now - days * 86_400.0, kept))?;
        Ok(done.unwrap_or_default())
    }

    /// Sets the weight of a word pair by hand, whatever is learned: 0 forbids the pair, none releases it.
    pub fn pin(&self, query: &str, document: &str, weight: Option<f32>) -> Result<()> {
        let _course = self.course();
        weight.map_or(Ok(()), pins::check)?;
        let words = [query.to_string(), document.to_string()];
        let is_pinned = self.pins_so_far().at(u64::MAX).contains_key(&words);
        match weight {
            Some(_) => pins::terms(&version::open(&self.folder, self.lineage().current)?, &words).map(drop)?,
            None if is_pinned => {}
            None => {
                let what = format!("the pair of {query:?} and {document:?} is not set by hand");
                return Err(Error::bad_data(what, "name one that is listed"));
            }
        }
        let [query, document] = words;
        self.note(&Record::Pin { query, document, weight })
    }

    /// The model of a version as it ranks: with what is set by hand, without its state of training.
    pub fn ranking(&self, version: u64) -> Result<Model> {
        let model = version::open(&self.folder, version)?;
        self.pins_so_far().applied(&model, u64::MAX)
    }

    /// The model of a version, as it was learned.
    pub fn model(&self, version: u64) -> Result<Model> {
        version::open(&self.folder, version)
    }

    /// How things stand.
    pub fn standing(&self) -> Standing {
        let n_records = self.log().len();
        let lineage = self.lineage().clone();
        let mut versions = lineage.versions;
        for v in &mut versions {
            v.current = v.version == lineage.current;
            v.kept = version::path(&self.folder, v.version).exists();
        }
        let shadow = Some(lineage.tip).filter(|&tip| tip != lineage.current);
        Standing { current: lineage.current, shadow, n_records, versions }
    }

    /// Word pairs whose weight is set by hand.
    pub fn pins(&self) -> Vec<Pin> {
        let (pins, current) = (self.pins_so_far().clone(), self.lineage().current);
        let listed = pins.at(u64::MAX);
        // Only who has pins pays for a look at the model.
        let model = if listed.is_empty() { None } else { version::open(&self.folder, current).ok() };
        let pin = |(words, weight): (&[String; 2], f32)| Pin {
            query: words[0].clone(),
            document: words[1].clone(),
            weight,
            active: model.as_ref().is_some_and(|model| pins::terms(model, words).is_ok()),
        };
        listed.into_iter().map(pin).collect()
    }

    /// Syncs of the log since it was opened.
    pub fn n_syncs(&self) -> u64 {
        self.log().n_syncs()
    }

    fn note(&self, record: &Record) -> Result<()> {
        let number = self.log().append(&[record.to_bytes()?])?;
        self.lineage().take(record);
        self.pins_so_far().take(number - 1, record);
        Ok(())
    }

    fn catch_up(&self, course: &mut Course) -> Result<()> {
        let log = self.log();
        let n_read = course.n_read();
        if log.len() == n_read {
            return Ok(());
        }
        Log::read(log.path(), |number, bytes| {
            if number >= n_read {
                course.take(&Record::from_bytes(number, bytes)?);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Puts another log in the place of the log, and starts anew from it.
    fn rewrite(&self, make: impl FnOnce(&Path, &Lineage) -> Result<Option<rewrite::Rewritten>>) -> Result<Option<u64>> {
        let mut course = self.course();
        let mut log = self.log.write().unwrap_or_else(PoisonError::into_inner);
        let path = log.path().to_path_buf();
        let Some(rewritten) = make(&path, &self.lineage().clone())? else { return Ok(None) };
        Log::write_new(&path, &rewritten.records)?;
        let (new, read) = open_log(&path)?;
        *log = new;
        *self.texts() = read.texts;
        *course = read.course;
        *self.lineage() = read.lineage;
        *self.pins_so_far() = read.pins;
        drop(log);
        self.remove_old_versions();
        Ok(Some(rewritten.n_forgotten))
    }

    /// Removes the files of versions that are neither in use nor among the latest. What cannot be removed stays; nothing
    /// relies on its absence.
    fn remove_old_versions(&self) {
        let lineage = self.lineage().clone();
        let n_old = lineage.versions.len().saturating_sub(self.params.keep_versions.max(1));
        let mut kept: Vec<u64> = lineage.versions[n_old..].iter().map(|v| v.version).collect();
        kept.extend([lineage.current, lineage.tip, lineage.base, lineage.origin]);
        let kept: Vec<PathBuf> = kept.into_iter().map(|v| version::path(&self.folder, v)).collect();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|e| e == "qwd") && !kept.contains(&path) {
                fs::remove_file(path).ok();
            }
        }
    }

    fn log(&self) -> RwLockReadGuard<'_, Log> {
        self.log.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn texts(&self) -> MutexGuard<'_, HashMap<String, Seen>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn course(&self) -> MutexGuard<'_, Course> {
        self.course.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pins_so_far(&self) -> MutexGuard<'_, Pins> {
        self.pins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lineage(&self) -> MutexGuard<'_, Lineage> {
        self.lineage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a log says.
#[derive(Default)]
struct ReadLog {
    course: Course,
    lineage: Lineage,
    pins: Pins,
    texts: HashMap<String, Seen>,
}

fn open_log(path: &Path) -> Result<(Log, ReadLog)> {
    let mut read = ReadLog::default();
    let (log, _) = Log::open(path, |number, bytes| {
        let record = Record::from_bytes(number, bytes)?;
        read.course.take(&record);
        read.lineage.take(&record);
        read.pins.take(number, &record);
        match &record {
            Record::Text { id, text } => {
                let seen = Seen { hash: Fnv1a::of(text.as_bytes()), generation: None };
                read.texts.insert(id.clone(), seen);
            }
            Record::Round { through, params, seed, version, .. } => {
                read.course.finish(*seed, *through, params, version.is_some());
            }
            _ => {}
        }
        Ok(())
    })?;
    if read.lineage.current == 0 {
        return Err(Error::corrupt(path, "record", "the log does not begin with a base"));
    }
    Ok((log, read))
}

fn lock(folder: &Path) -> Result<File> {
    lock_file(&folder.join(LOCK), || {
        let what = format!("another process is learning in {}", folder.display());
        Error::bad_data(what, "ask the running server (POST /models/rollback), or stop it first")
    })
}

pub(crate) fn log_path(folder: &Path) -> PathBuf {
    folder.join(LOG)
}
