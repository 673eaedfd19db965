//! The course of learning: records of the log in, models out. It has no clock and no chance, so the same records give the same
//! models, byte for byte, whether they come one by one from users or all at once from a file.

use crate::feedback::{Feedback, Told};
use crate::pins::Pins;
use crate::record::Record;
use crate::version::HeldOut;
use qwd_core::{Error, Result, Silent, Threads, parameters};
use qwd_data::click_rules;
use qwd_data::fingerprint::Fnv1a;
use qwd_data::{ClickRule, Dataset, Document, Fingerprint, IdMap, Opened, Preference, Query, SplitRule, sessions};
use qwd_model::Model;
use qwd_train::update::{plan_of, preferences_seen, update, warm_start};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

parameters! {
    /// How feedback is learned from.
    pub struct LearnParams {
        /// Joachims' rules that make preferences of clicks.
        pub rules: Vec<ClickRule> = vec![ClickRule::ClickSkipAbove, ClickRule::ClickNoClickNext],
        /// How much a preference from feedback counts against one of the training data.
        pub weight: f32 = 1.0,
        /// How many held-out preferences, the latest, a new model is measured by.
        pub max_held_out: usize = 2_000,
        /// How many things told, the latest, are learned from again after a model that was not published.
        pub max_pending: usize = 20_000,
    }
}

/// A preference with its texts as they were when it was told.
#[derive(Debug, Clone)]
struct Lesson {
    query: Arc<str>,
    better: (String, Arc<str>),
    worse: (String, Arc<str>),
}

/// What the records so far have come to.
#[derive(Debug, Default)]
pub(crate) struct Course {
    texts: HashMap<String, Arc<str>>,
    /// What was told and not yet learned, with the number of its record and the texts of that moment.
    pending: Vec<(u64, Heard)>,
    held_out: Vec<Lesson>,
    pins: Pins,
    n_read: u64,
}

/// Something told, and the texts it was about.
#[derive(Debug, Clone)]
struct Heard {
    feedback: Feedback,
    texts: BTreeMap<String, Arc<str>>,
}

/// What came of one round of learning.
#[derive(Debug)]
pub(crate) struct Learned {
    pub(crate) model: Model,
    pub(crate) held_out: HeldOut,
    pub(crate) n_lessons: usize,
}

impl Learned {
    /// A model is good enough if the held-out part did not get worse.
    pub(crate) fn is_no_worse(&self) -> bool {
        self.held_out.wrong_after <= self.held_out.wrong_before
    }
}

impl Course {
    /// How many records were taken in.
    pub(crate) fn n_read(&self) -> u64 {
        self.n_read
    }

    /// How many records a round sees that learns from the first `most` things told: the others wait for the next one.
    pub(crate) fn through(&self, most: usize) -> u64 {
        self.pending.get(most).map_or(self.n_read, |(number, _)| *number)
    }

    /// How many things were told that were not learned from.
    pub(crate) fn n_pending(&self) -> usize {
        self.pending.len()
    }

    /// What is set by hand.
    pub(crate) fn pins(&self) -> &Pins {
        &self.pins
    }

    /// Takes in the next record; rounds are for the caller to repeat, or to note with [`Course::finish`].
    pub(crate) fn take(&mut self, record: &Record) {
        match record {
            Record::Text { id, text } => {
                self.texts.insert(id.clone(), text.as_str().into());
            }
            Record::Feedback(feedback) => {
                let text = |id: &str| Some((id.to_string(), Arc::clone(self.texts.get(id)?)));
                let texts = feedback.documents().filter_map(text).collect();
                self.pending.push((self.n_read, Heard { feedback: feedback.clone(), texts }));
            }
            Record::Pin { .. } => self.pins.take(self.n_read, record),
            Record::Base { .. } | Record::Round { .. } | Record::Use { .. } | Record::Load { .. } => {}
        }
        self.n_read += 1;
    }

    /// Learns from what was told in the first `through` records; nothing if there is nothing to learn.
    pub(crate) fn learn(&self, model: &Model, through: u64, params: &LearnParams) -> Result<Option<Learned>> {
        let rule = SplitRule { seed: seed_of(model)?, ..SplitRule::default() };
        let (held, lessons): (Vec<Lesson>, Vec<Lesson>) =
            self.lessons(through, params).into_iter().partition(|l| is_held_out(l, &rule));
        if lessons.is_empty() {
            return Ok(None);
        }
        let earlier = preferences_seen(model.provenance()).and_then(Fingerprint::parse_hash);
        let seen = fingerprint(&lessons, earlier);
        let data = Opened::Texts(Box::new(dataset(&lessons, params.weight)?));
        let threads = Threads::new(1)?;
        let learned = match model.state() {
            Some(_) => update(model, &data, &seen, &threads, &Silent)?,
            None => warm_start(model, &data, &seen, &threads, &Silent)?,
        };
        let measured: Vec<&Lesson> = latest(self.held_out.iter().chain(&held).collect(), params.max_held_out);
        // Measured as they would rank, with what is set by hand.
        let n_wrong = |model: &Model| n_wrong(&self.pins.applied(model, through)?, &measured);
        let held_out =
            HeldOut { n: measured.len() as u64, wrong_before: n_wrong(model)?, wrong_after: n_wrong(&learned.model)? };
        Ok(Some(Learned { model: learned.model, held_out, n_lessons: lessons.len() }))
    }

    /// Notes the end of a round: what was learned is pending no more, unless the result was refused.
    pub(crate) fn finish(&mut self, seed: u64, through: u64, params: &LearnParams, accepted: bool) {
        if accepted {
            let rule = SplitRule { seed, ..SplitRule::default() };
            let held = self.lessons(through, params).into_iter().filter(|l| is_held_out(l, &rule));
            self.held_out.extend(held);
            self.held_out = latest(std::mem::take(&mut self.held_out), params.max_held_out);
            self.pending.retain(|(number, _)| *number >= through);
        } else {
            let n_older = self.pending.partition_point(|(number, _)| *number < through);
            self.pending.drain(..n_older.saturating_sub(params.max_pending));
        }
    }

    /// The preferences that the feedback of the first `through` records gives.
    fn lessons(&self, through: u64, params: &LearnParams) -> Vec<Lesson> {
        let n_older = self.pending.partition_point(|(number, _)| *number < through);
        let told = self.pending[..n_older].iter().map(|(_, told)| told);
        joined(told).iter().flat_map(|told| lessons_of(told, &params.rules)).collect()
    }
}

/// Clicks of the same search become one list with several clicks, in the place of the first.
fn joined<'a>(told: impl Iterator<Item = &'a Heard>) -> Vec<Heard> {
    let mut all: Vec<Heard> = Vec::new();
    let mut place: HashMap<(String, String), usize> = HashMap::new();
    for told in told {
        let mut told = told.clone();
        if let Told::Click(click) = told.feedback.told {
            let key = click.search.map(|search| (search, told.feedback.query.clone()));
            let earlier = key.as_ref().and_then(|key| all.get_mut(*place.get(key)?));
            if let Some(Told::Session(session)) = earlier.map(|told| &mut told.feedback.told)
                && session.shown == click.shown
            {
                session.clicked.push(click.document);
                continue;
            }
            place.extend(key.map(|key| (key, all.len())));
            let session = crate::feedback::Session { shown: click.shown, clicked: vec![click.document] };
            told.feedback.told = Told::Session(session);
        }
        all.push(told);
    }
    all
}

/// The preferences that one thing told gives, among documents whose texts are known.
fn lessons_of(told: &Heard, rules: &[ClickRule]) -> Vec<Lesson> {
    let query: Arc<str> = told.feedback.query.as_str().into();
    let lesson = |better: &str, worse: &str| {
        let side = |id: &str| Some((id.to_string(), Arc::clone(told.texts.get(id)?)));
        let lesson = Lesson { query: Arc::clone(&query), better: side(better)?, worse: side(worse)? };
        (lesson.better.1 != lesson.worse.1).then_some(lesson)
    };
    let (shown, clicked) = match &told.feedback.told {
        Told::Preference(told) => return lesson(&told.better, &told.worse).into_iter().collect(),
        Told::Session(session) => (session.shown.clone(), session.clicked.clone()),
        Told::Click(click) => (click.shown.clone(), vec![click.document.clone()]),
    };
    let position = |id: &String| shown.iter().position(|s| s == id).map(|p| p as u32);
    let session = sessions::Session {
        shown: (0..shown.len() as u32).collect(),
        clicked: clicked.iter().filter_map(position).collect(),
        ..sessions::Session::default()
    };
    let pairs = click_rules::preferences(&[session], rules);
    pairs.iter().filter_map(|p| lesson(&shown[p.better as usize], &shown[p.worse as usize])).collect()
}

/// The seed by which queries are held out: that of the model's own plan.
pub(crate) fn seed_of(model: &Model) -> Result<u64> {
    Ok(plan_of(model)?.seed)
}

fn is_held_out(lesson: &Lesson, rule: &SplitRule) -> bool {
    rule.of_id(&lesson.query) != qwd_data::Split::Train
}

fn latest<T>(mut items: Vec<T>, most: usize) -> Vec<T> {
    items.drain(..items.len().saturating_sub(most));
    items
}

/// Lessons as a data set of preferences; a document whose text has changed counts as two.
fn dataset(lessons: &[Lesson], weight: f32) -> Result<Dataset> {
    let mut dataset = Dataset::default();
    for Lesson { query, better, worse } in lessons {
        let (row, is_new) = dataset.query_ids.insert(query)?;
        if is_new {
            let (id, text) = (query.to_string(), query.to_string());
            dataset.queries.push(Query { id, text, ..Query::default() });
        }
        let [better, worse] =
            [better, worse].map(|side| document(side, &mut dataset.document_ids, &mut dataset.documents));
        dataset.preferences.push(Preference { query: row, better: better?, worse: worse?, weight });
    }
    Ok(dataset)
}

fn document((id, text): &(String, Arc<str>), ids: &mut IdMap, documents: &mut Vec<Document>) -> Result<u32> {
    let name = format!("{id} {:016x}", Fnv1a::of(text.as_bytes()));
    let (row, is_new) = ids.insert(&name)?;
    if is_new {
        documents.push(Document { id: name, text: text.to_string(), ..Document::default() });
    }
    Ok(row)
}

/// The hash of all preferences that a model has seen, these ones last.
fn fingerprint(lessons: &[Lesson], earlier: Option<u64>) -> Fingerprint {
    let mut hash = earlier.map_or_else(Fnv1a::default, Fnv1a::resume);
    let mut n_bytes = 0;
    for lesson in lessons {
        let line = format!("{}\t{}\t{}\n", lesson.query, lesson.better.0, lesson.worse.0);
        hash.update(line.as_bytes());
        n_bytes += line.len() as u64;
    }
    Fingerprint { path: PathBuf::from("preferences.jsonl"), n_bytes, hash: hash.value() }
}

/// How many preferences a model gets wrong, ties too.
fn n_wrong(model: &Model, lessons: &[&Lesson]) -> Result<u64> {
    let mut n = 0;
    for lesson in lessons {
        let better = model.score_text(&lesson.query, &lesson.better.1)?;
        let worse = model.score_text(&lesson.query, &lesson.worse.1)?;
        if !better.is_finite() || !worse.is_finite() {
            return Err(Error::bad_data("a score is not finite", "go back to an earlier version"));
        }
        n += u64::from(better <= worse);
    }
    Ok(n)
}
