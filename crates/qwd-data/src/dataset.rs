//! A data set of texts: documents, queries, and everything that says which suits which.

use crate::classes::Classes;
use crate::corpus::{Document, Query};
use crate::fingerprint::Fingerprint;
use crate::id_map::IdMap;
use crate::manifest::Manifest;
use crate::preference::{Judgment, Preference};
use crate::split::{LinkSplit, Split, SplitRule};
use crate::task::Task;
use qwd_core::{Error, Result};
use std::collections::BTreeMap;

/// What a data set can be learned from, in the order in which it is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Graded judgments: `qrels/`.
    Judgments,
    /// Given preferences: `preferences.tsv` or `preferences.jsonl`.
    Preferences,
    /// Links between documents: `links.tsv`.
    Links,
    /// The classes of documents: `label` in `corpus.jsonl`.
    Labels,
}

impl Signal {
    /// Every signal, in the order in which they are looked for.
    pub const ALL: [Self; 4] = [Self::Judgments, Self::Preferences, Self::Links, Self::Labels];
}

/// Documents, queries and signals, with all ids resolved to rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dataset {
    /// What the folder says of itself.
    pub manifest: Manifest,
    /// The documents; row n of the document matrix is document n.
    pub documents: Vec<Document>,
    /// Their ids.
    pub document_ids: IdMap,
    /// The queries; without any, the ids of queries are those of documents.
    pub queries: Vec<Query>,
    /// Their ids.
    pub query_ids: IdMap,
    /// Judgments by split.
    pub judgments: BTreeMap<Split, Vec<Judgment>>,
    /// Judgments of no split: their queries are dealt out by a hash of their ids.
    pub undivided_judgments: Vec<Judgment>,
    /// Given preferences.
    pub preferences: Vec<Preference>,
    /// Links between documents.
    pub links: Vec<(u32, u32)>,
    /// The files that were read.
    pub files: Vec<Fingerprint>,
}

impl Dataset {
    /// Tells whether queries are documents, for lack of queries of their own.
    pub fn queries_are_documents(&self) -> bool {
        self.queries.is_empty()
    }

    /// Returns the signals that the data set brings.
    pub fn signals(&self) -> Vec<Signal> {
        Signal::ALL.into_iter().filter(|&signal| self.has(signal)).collect()
    }

    fn has(&self, signal: Signal) -> bool {
        match signal {
            Signal::Judgments => !self.undivided_judgments.is_empty() || self.judgments.values().any(|j| !j.is_empty()),
            Signal::Preferences => !self.preferences.is_empty(),
            Signal::Links => !self.links.is_empty(),
            Signal::Labels => self.documents.iter().any(|document| document.label.is_some()),
        }
    }

    /// Makes the task of a split from the first signal that says something about it.
    ///
    /// Judgments and documents come with their split, or get it from `rule`. Preferences and links all belong to the
    /// training split if judgments are there for measuring; else they are dealt out by `rule`.
    pub fn task(&self, split: Split, rule: &SplitRule) -> Result<Task> {
        for signal in self.signals() {
            if let Some(task) = self.task_of(signal, split, rule)? {
                return Ok(task);
            }
        }
        let what = format!(
            "the {split} split of {} is empty: there are no judgments (qrels/{split}.tsv, qrels.tsv), preferences \
             (preferences.tsv, preferences.jsonl), links (links.tsv) or labelled documents (corpus.jsonl) for it",
            self.manifest.name
        );
        Err(Error::bad_data(what, "add one of them or choose another split"))
    }

    /// Makes the task of a split from one signal, if it says something about that split.
    pub fn task_of(&self, signal: Signal, split: Split, rule: &SplitRule) -> Result<Option<Task>> {
        let task = match signal {
            Signal::Judgments => self.judged(split, rule),
            Signal::Preferences => self.preferred(split, rule),
            Signal::Links => self.linked(split, rule),
            Signal::Labels => self.labelled(split, rule)?,
        };
        Ok(Some(task).filter(|task| !task.queries.is_empty()))
    }

    /// Returns the tasks for training and for choosing parameters: train and dev, or, where there is no dev, train in
    /// two parts by `rule`.
    pub fn train_and_validation(&self, rule: &SplitRule) -> Result<(Task, Task)> {
        let train = self.task(Split::Train, rule)?;
        for signal in self.signals() {
            if let Some(dev) = self.task_of(signal, Split::Dev, rule)? {
                return Ok((train, dev));
            }
        }
        let ids = if train.queries_are_documents { &self.document_ids } else { &self.query_ids };
        let (train, validation) = train.hold_out(|row| rule.holds_out(ids.name(row)));
        if train.queries.is_empty() || validation.queries.is_empty() {
            let what = format!("the train split of {} is too small to hold a part out", self.manifest.name);
            return Err(Error::bad_data(what, "add data or a dev split"));
        }
        Ok((train, validation))
    }

    fn all_documents(&self) -> Vec<u32> {
        (0..self.documents.len() as u32).collect()
    }

    fn query_id(&self, row: u32) -> &str {
        if self.queries_are_documents() { self.document_ids.name(row) } else { self.query_ids.name(row) }
    }

    fn judged(&self, split: Split, rule: &SplitRule) -> Task {
        let dealt = self.undivided_judgments.iter().filter(|j| rule.of_id(self.query_id(j.query)) == split);
        let judgments = self.judgments.get(&split).into_iter().flatten().chain(dealt).copied().collect();
        Task::of_judgments(judgments, self.all_documents(), self.queries_are_documents())
    }

    fn preferred(&self, split: Split, rule: &SplitRule) -> Task {
        let belongs = |preference: &&Preference| match self.has(Signal::Judgments) {
            true => split == Split::Train,
            false => rule.of_id(self.query_id(preference.query)) == split,
        };
        let preferences = self.preferences.iter().filter(belongs).copied().collect();
        Task::of_preferences(preferences, self.all_documents(), self.queries_are_documents())
    }

    fn linked(&self, split: Split, rule: &SplitRule) -> Task {
        match rule.links {
            _ if self.has(Signal::Judgments) => self.link_task(|_| Split::Train, split),
            LinkSplit::Links => self.link_task(|link| rule.of_id(&self.link_id(link)), split),
            LinkSplit::Documents => self.linked_among_themselves(split, rule),
        }
    }

    /// What earlier splits know is not to be found again. What later ones will ask is not known: those links are
    /// documents like others, so that nothing about them can be learned from the tuples that are never drawn.
    fn link_task(&self, split_of: impl Fn((u32, u32)) -> Split, split: Split) -> Task {
        let in_split = |wanted: fn(&Split, &Split) -> bool| {
            let links = self.links.iter().copied();
            links.filter(|&link| wanted(&split_of(link), &split)).collect::<Vec<_>>()
        };
        let own = in_split(Split::eq).into_iter().map(|(query, document)| Judgment { query, document, grade: 1 });
        let mut known = in_split(Split::lt);
        known.sort_unstable();
        Task { known, ..Task::of_judgments(own.collect(), self.all_documents(), true) }
    }

    /// The documents of a split and the links among them.
    fn linked_among_themselves(&self, split: Split, rule: &SplitRule) -> Task {
        let split_of: Vec<Split> = self.document_ids.names().map(|id| rule.of_id(id)).collect();
        let is_own = |row: u32| split_of[row as usize] == split;
        let documents = self.all_documents().into_iter().filter(|&row| is_own(row)).collect();
        let own = self.links.iter().filter(|&&(from, to)| is_own(from) && is_own(to));
        let judgments = own.map(|&(query, document)| Judgment { query, document, grade: 1 }).collect();
        Task::of_judgments(judgments, documents, true)
    }

    /// The text whose hash gives a link its split.
    fn link_id(&self, (from, to): (u32, u32)) -> String {
        format!("{}\t{}", self.document_ids.name(from), self.document_ids.name(to))
    }

    fn labelled(&self, split: Split, rule: &SplitRule) -> Result<Task> {
        let labelled = || self.documents.iter().enumerate().filter_map(|(row, d)| Some((row, d, d.label.as_deref()?)));
        let classes = Classes::of_labels(labelled().map(|(_, _, label)| label))?;
        let brings_splits = labelled().any(|(_, document, _)| document.split.is_some());
        let (mut rows, mut class_of) = (Vec::new(), Vec::new());
        for (row, document, label) in labelled() {
            let own = match document.split {
                Some(split) => split,
                None if brings_splits => return Err(split_missing(document)),
                None => rule.of_id(&document.id),
            };
            if own == split {
                rows.push(row as u32);
                class_of.extend(classes.number(label));
            }
        }
        Ok(Task::of_classes(rows, class_of, classes))
    }
}

fn split_missing(document: &Document) -> Error {
    let what = format!("document {:?} has a label but no split, while others have one", document.id);
    Error::bad_data(what, "give every labelled document a split, or none")
}
