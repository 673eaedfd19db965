//! A data set of texts: documents, queries, and everything that says which suits which.

use crate::classes::Classes;
use crate::click_rules::{self, ClickRule};
use crate::clicks::Click;
use crate::corpus::{Document, Query};
use crate::fingerprint::Fingerprint;
use crate::id_map::IdMap;
use crate::manifest::Manifest;
use crate::preference::{Judgment, Preference};
use crate::sessions::Session;
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
    /// The links of mates: what a query's mate links to suits the query (`mates.tsv` and `links.tsv`).
    MateLinks,
    /// Mates: a query's mate suits it (`mates.tsv`).
    Mates,
    /// Links between documents: `links.tsv`.
    Links,
    /// Clicks: `sessions.jsonl` or `clicks.tsv`.
    Clicks,
    /// The classes of documents: `label` in `corpus.jsonl`.
    Labels,
}

impl Signal {
    /// Every signal, in the order in which they are looked for.
    pub const ALL: [Self; 7] =
        [Self::Judgments, Self::Preferences, Self::MateLinks, Self::Mates, Self::Links, Self::Clicks, Self::Labels];
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
    /// Queries and their mates among the documents, at most one for a query.
    pub mates: Vec<(u32, u32)>,
    /// How often documents were clicked for queries.
    pub clicks: Vec<Click>,
    /// What was shown and clicked, list by list.
    pub sessions: Vec<Session>,
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
            Signal::MateLinks => self.has(Signal::Mates) && self.has(Signal::Links),
            Signal::Mates => !self.mates.is_empty(),
            Signal::Links => !self.links.is_empty(),
            Signal::Clicks => !self.clicks.is_empty() || !self.sessions.is_empty(),
            Signal::Labels => self.documents.iter().any(|document| document.label.is_some()),
        }
    }

    /// Makes the task of a split from the first signal that says something about it.
    ///
    /// Judgments and documents come with their split, or get it from `rule`. Preferences, mates, links and clicks all belong to
    /// the training split if judgments are there for measuring; else they are dealt out by `rule`.
    pub fn task(&self, split: Split, rule: &SplitRule) -> Result<Task> {
        for signal in self.signals() {
            if let Some(task) = self.task_of(signal, split, rule)? {
                if task.queries_are_documents && !self.queries_are_documents() {
                    let what = format!("{} has queries, and nothing says what suits them", self.manifest.name);
                    let fix = "add judgments, preferences, mates or clicks for them, or take queries.jsonl away: labels and \
                               links are between documents";
                    return Err(Error::bad_data(what, fix));
                }
                return Ok(task);
            }
        }
        let what = format!(
            "the {split} split of {} is empty: there are no judgments (qrels/{split}.tsv, qrels.tsv), preferences \
             (preferences.tsv, preferences.jsonl), mates (mates.tsv), links (links.tsv), clicks (sessions.jsonl, \
             clicks.tsv) or labelled documents (corpus.jsonl) for it",
            self.manifest.name
        );
        Err(Error::bad_data(what, "add one of them or choose another split"))
    }

    /// Makes the task of a split from one signal, if it says something about that split.
    pub fn task_of(&self, signal: Signal, split: Split, rule: &SplitRule) -> Result<Option<Task>> {
        let task = match signal {
            Signal::Judgments => self.judged(split, rule),
            Signal::Preferences => self.preferred(split, rule),
            Signal::MateLinks => self.linked_by_mates(split, rule),
            Signal::Mates => self.mated(split, rule),
            Signal::Links => self.linked(split, rule),
            Signal::Clicks => self.clicked(split, rule),
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

    /// Sessions teach by the rule that a click beats what was skipped above it; what is measured, or learned without
    /// sessions, are the clicked documents, graded by the order of magnitude of their clicks.
    fn clicked(&self, split: Split, rule: &SplitRule) -> Task {
        let belongs = |query: u32| match self.has(Signal::Judgments) {
            true => split == Split::Train,
            false => rule.of_id(self.query_id(query)) == split,
        };
        if self.clicks.is_empty() || split == Split::Train && !self.sessions.is_empty() {
            let mut preferences = click_rules::preferences(&self.sessions, &[ClickRule::ClickSkipAbove]);
            preferences.retain(|preference| belongs(preference.query));
            if self.clicks.is_empty() || !preferences.is_empty() {
                return Task::of_preferences(preferences, self.all_documents(), self.queries_are_documents());
            }
        }
        let clicked = self.clicks.iter().filter(|click| click.clicks > 0 && belongs(click.query));
        let judgments = clicked.map(|click| {
            let grade = 1 + click.clicks.ilog2() as i32;
            Judgment { query: click.query, document: click.document, grade }
        });
        Task::of_judgments(judgments.collect(), self.all_documents(), self.queries_are_documents())
    }

    fn mated(&self, split: Split, rule: &SplitRule) -> Task {
        let split_of = |query| match self.has(Signal::Judgments) {
            true => Split::Train,
            false => rule.of_id(self.query_ids.name(query)),
        };
        let own = self.mates.iter().filter(|mates| split_of(mates.0) == split);
        let judgments = own.map(|&(query, document)| Judgment { query, document, grade: 1 }).collect();
        Task::of_judgments(judgments, self.all_documents(), false)
    }

    fn linked(&self, split: Split, rule: &SplitRule) -> Task {
        let links = self.links.iter().map(|&link| (link.0, link));
        self.link_task(links, Vec::new(), split, rule, true)
    }

    /// What a mate links to suits the query. The mate itself is not there to be found, and a link is in the same split
    /// here as between documents, so that models for both can be trained together.
    fn linked_by_mates(&self, split: Split, rule: &SplitRule) -> Task {
        let mut by_source = self.links.clone();
        by_source.sort_unstable();
        let links_of = |document: u32| {
            let start = by_source.partition_point(|link| link.0 < document);
            by_source[start..].iter().copied().take_while(move |link| link.0 == document)
        };
        let links = self.mates.iter().flat_map(|&(query, mate)| links_of(mate).map(move |link| (query, link)));
        self.link_task(links, self.mates.clone(), split, rule, false)
    }

    /// Makes a task among the queries: one suits another if its mate links to the other's mate. Rows of queries and of
    /// documents are both rows of queries; a link is in the same split as between documents.
    pub fn linked_queries(&self, split: Split, rule: &SplitRule) -> Option<Task> {
        let mut by_mate: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(query, mate) in &self.mates {
            by_mate.entry(mate).or_default().push(query);
        }
        let queries_of = |document: u32| by_mate.get(&document).into_iter().flatten().copied();
        let own = self.links.iter().filter(|&&link| self.split_of_link(link, rule) == Some(split));
        let pairs = own.flat_map(|&(from, to)| queries_of(from).flat_map(move |a| queries_of(to).map(move |b| (a, b))));
        let judgments: Vec<Judgment> = pairs.map(|(query, document)| Judgment { query, document, grade: 1 }).collect();
        let mut documents: Vec<u32> = self.mates.iter().map(|mates| mates.0).collect();
        documents.sort_unstable();
        Some(Task::of_judgments(judgments, documents, true)).filter(|task| !task.queries.is_empty())
    }

    /// Makes a task of links, each with the query for which it counts.
    ///
    /// What earlier splits know is not to be found again. What later ones will ask is not known: those documents are like
    /// others, so that nothing about them can be learned from tuples that are never drawn.
    fn link_task(
        &self,
        links: impl Iterator<Item = (u32, (u32, u32))>,
        mut known: Vec<(u32, u32)>,
        split: Split,
        rule: &SplitRule,
        queries_are_documents: bool,
    ) -> Task {
        let mut own = Vec::new();
        for (query, link) in links {
            match self.split_of_link(link, rule) {
                Some(found) if found == split => own.push(Judgment { query, document: link.1, grade: 1 }),
                Some(found) if found < split => known.push((query, link.1)),
                _ => {}
            }
        }
        known.sort_unstable();
        let documents = match rule.links {
            LinkSplit::Documents if !self.has(Signal::Judgments) => self.documents_of(split, rule),
            _ => self.all_documents(),
        };
        Task { known, ..Task::of_judgments(own, documents, queries_are_documents) }
    }

    /// The split of a link; one between documents of different splits has none.
    fn split_of_link(&self, (from, to): (u32, u32), rule: &SplitRule) -> Option<Split> {
        let [from, to] = [from, to].map(|row| self.document_ids.name(row));
        match rule.links {
            _ if self.has(Signal::Judgments) => Some(Split::Train),
            LinkSplit::Links => Some(rule.of_id(&format!("{from}\t{to}"))),
            LinkSplit::Documents => Some(rule.of_id(from)).filter(|&split| rule.of_id(to) == split),
        }
    }

    fn documents_of(&self, split: Split, rule: &SplitRule) -> Vec<u32> {
        let is_own = |&row: &u32| rule.of_id(self.document_ids.name(row)) == split;
        self.all_documents().into_iter().filter(is_own).collect()
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
