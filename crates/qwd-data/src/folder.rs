//! The folder of a data set: which files are looked for, and how their ids find each other.

use crate::clicks::{self, Click, ClickLayout};
use crate::corpus;
use crate::dataset::{Dataset, Signal};
use crate::fingerprint::Fnv1a;
use crate::id_map::IdMap;
use crate::input::{Input, both_there, find};
use crate::lines::{Field, Line, quote};
use crate::links;
use crate::manifest::Manifest;
use crate::mates;
use crate::pairs::PairLines;
use crate::preference::{Judgment, Preference};
use crate::preferences::{TextTriple, each_preference, each_triple};
use crate::qrels::{self, Layout};
use crate::reading::Reading;
use crate::sessions::{self, Session};
use crate::split::Split;
use crate::vectors::VectorDataset;
use qwd_core::{Error, Result};
use std::path::Path;

/// What was found in a folder.
#[derive(Debug, Clone, PartialEq)]
pub enum Opened {
    /// Documents with text.
    Texts(Box<Dataset>),
    /// Vectors with classes.
    Vectors(Box<VectorDataset>),
}

impl Opened {
    /// Reads the data set of a folder, whatever it holds.
    pub fn open(folder: impl AsRef<Path>, reading: &mut Reading) -> Result<Self> {
        let folder = folder.as_ref();
        std::fs::read_dir(folder).map_err(|e| Error::io(folder, "open", e))?;
        if let Some(dataset) = Dataset::in_folder(folder, reading)? {
            return Ok(Self::Texts(Box::new(dataset)));
        }
        if let Some(vectors) = VectorDataset::in_folder(folder, reading)? {
            return Ok(Self::Vectors(Box::new(vectors)));
        }
        Err(nothing_found(folder, "corpus.jsonl, preferences.jsonl, train.svm or train-images-idx3-ubyte"))
    }
}

impl Dataset {
    /// Reads a folder of texts.
    pub fn open(folder: impl AsRef<Path>, reading: &mut Reading) -> Result<Self> {
        let folder = folder.as_ref();
        std::fs::read_dir(folder).map_err(|e| Error::io(folder, "open", e))?;
        Self::in_folder(folder, reading)?.ok_or_else(|| nothing_found(folder, "corpus.jsonl or preferences.jsonl"))
    }

    /// Puts other preferences between the same queries and documents in the place of those the data set brought.
    pub fn with_preferences(mut self, input: Input, reading: &mut Reading) -> Result<Self> {
        self.preferences.clear();
        self.read_preferences(input, reading)?;
        Ok(self)
    }

    /// Puts other texts in the place of those of the queries, such as translations: a `queries.jsonl` with the same ids.
    pub fn with_query_texts(mut self, input: Input, reading: &mut Reading) -> Result<Self> {
        let path = input.path().display().to_string();
        let mut texts = vec![None; self.queries.len()];
        corpus::each_query(input, reading, |query, line| {
            let id = Field { text: &query.id, column: 1 };
            let row = resolve(&self.query_ids, id, ("text", "query", "queries.jsonl"), line)?;
            texts[row as usize] = Some(query.text);
            Ok(())
        })?;
        for (query, text) in self.queries.iter_mut().zip(texts) {
            let Some(text) = text else {
                let what = format!("{path} has no text for query {}", quote(&query.id));
                return Err(Error::bad_data(what, "give a text for every query, if only an empty one"));
            };
            query.text = text;
        }
        Ok(self)
    }

    /// Makes a data set of nothing but triples of raw texts.
    pub fn of_triples(input: Input, reading: &mut Reading) -> Result<Self> {
        let name = input.path().display().to_string();
        let mut dataset = Self { manifest: Manifest { name, ..Manifest::default() }, ..Self::default() };
        dataset.read_triples(input, reading)?;
        Ok(dataset)
    }

    fn in_folder(folder: &Path, reading: &mut Reading) -> Result<Option<Self>> {
        let corpus = find(folder, "corpus.jsonl")?;
        let triples = find(folder, "preferences.jsonl")?;
        if corpus.is_none() && triples.is_none() {
            return Ok(None);
        }
        let n_files_before = reading.files().len();
        let mut dataset = Self { manifest: Manifest::of_folder(folder)?, ..Self::default() };
        if let Some(path) = corpus {
            (dataset.documents, dataset.document_ids) = corpus::read_documents(Input::open(path)?, reading)?;
        }
        if let Some(path) = find(folder, "queries.jsonl")? {
            (dataset.queries, dataset.query_ids) = corpus::read_queries(Input::open(path)?, reading)?;
        }
        dataset.read_qrels(folder, reading)?;
        if let Some(path) = find(folder, "preferences.tsv")? {
            dataset.read_preferences(Input::open(path)?, reading)?;
        }
        if let Some(path) = triples {
            dataset.read_triples(Input::open(path)?, reading)?;
        }
        if let Some(path) = find(folder, "links.tsv")? {
            dataset.read_links(Input::open(path)?, reading)?;
        }
        if let Some(path) = find(folder, "mates.tsv")? {
            dataset.read_mates(Input::open(path)?, reading)?;
        }
        match (find(folder, "clicks.tsv")?, find(folder, "clicks.jsonl")?) {
            (Some(columns), None) => dataset.read_clicks(Input::open(columns)?, ClickLayout::Columns, reading)?,
            (None, Some(json)) => dataset.read_clicks(Input::open(json)?, ClickLayout::Json, reading)?,
            (Some(one), Some(other)) => return Err(both_there(&one, &other)),
            (None, None) => {}
        }
        if let Some(path) = find(folder, "sessions.jsonl")? {
            dataset.read_sessions(Input::open(path)?, reading)?;
        }
        dataset.files = reading.files()[n_files_before..].to_vec();
        dataset.manifest.check(folder, &dataset.files)?;
        Ok(Some(dataset))
    }

    fn read_qrels(&mut self, folder: &Path, reading: &mut Reading) -> Result<()> {
        for split in Split::ALL {
            if let Some(path) = find(&folder.join("qrels"), &format!("{split}.tsv"))? {
                let judgments = self.judgments_of(Input::open(path)?, reading)?;
                self.judgments.insert(split, judgments);
            }
        }
        if let Some(path) = find(folder, "qrels.tsv")? {
            if !self.judgments.is_empty() {
                let what = format!("{} stands beside a folder qrels", path.display());
                return Err(Error::bad_data(what, "remove one of them"));
            }
            self.undivided_judgments = self.judgments_of(Input::open(path)?, reading)?;
        }
        Ok(())
    }

    fn judgments_of(&self, input: Input, reading: &mut Reading) -> Result<Vec<Judgment>> {
        let mut judgments = Vec::new();
        let mut seen = PairLines::default();
        qrels::each_judgment(input, Layout::ByHeader, reading, |fields, line| {
            let query = self.query(fields.query, "judgment", line)?;
            let document = self.document(fields.document, "judgment", line)?;
            seen.insert((query, document), line, || fields.describe())?;
            judgments.push(Judgment { query, document, grade: fields.grade });
            Ok(())
        })?;
        Ok(judgments)
    }

    fn read_preferences(&mut self, input: Input, reading: &mut Reading) -> Result<()> {
        let mut preferences = Vec::new();
        each_preference(input, reading, |fields, line| {
            preferences.push(Preference {
                query: self.query(fields.query, "preference", line)?,
                better: self.document(fields.better, "preference", line)?,
                worse: self.document(fields.worse, "preference", line)?,
                weight: fields.weight,
            });
            Ok(())
        })?;
        self.preferences.extend(preferences);
        Ok(())
    }

    /// The texts of triples become queries and documents of their own, each text once.
    fn read_triples(&mut self, input: Input, reading: &mut Reading) -> Result<()> {
        if self.queries.is_empty() && !self.signals().iter().all(|&signal| signal == Signal::Labels) {
            let what = format!("{} brings queries, but other files have documents for queries", input.path().display());
            return Err(Error::bad_data(what, "remove it or add queries.jsonl"));
        }
        let (mut query_texts, mut document_texts) = (IdMap::new(), IdMap::new());
        let (first_query, first_document) = (self.queries.len() as u32, self.documents.len() as u32);
        each_triple(input, reading, |triple: TextTriple, _| {
            let mut document = |text: String| -> Result<u32> {
                let (number, is_new) = document_texts.insert(&text)?;
                if is_new {
                    let id = self.new_id("document", &text)?;
                    self.document_ids.insert(&id)?;
                    self.documents.push(corpus::Document { id, text, ..Default::default() });
                }
                Ok(first_document + number)
            };
            let better = document(triple.pos)?;
            let worse = document(triple.neg)?;
            let (number, is_new) = query_texts.insert(&triple.query)?;
            if is_new {
                let id = self.new_id("query", &triple.query)?;
                self.query_ids.insert(&id)?;
                self.queries.push(corpus::Query { id, text: triple.query, ..Default::default() });
            }
            let query = first_query + number;
            self.preferences.push(Preference { query, better, worse, weight: triple.weight });
            Ok(())
        })
    }

    /// An id for a text that has none: a hash of the text, so that it keeps its split wherever it stands.
    fn new_id(&self, kind: &str, text: &str) -> Result<String> {
        let id = format!("{kind}:{:016x}", Fnv1a::of(text.as_bytes()));
        if self.document_ids.get(&id).or(self.query_ids.get(&id)).is_some() {
            let what = format!("the id {} is needed for a text of preferences.jsonl but is taken", quote(&id));
            return Err(Error::bad_data(what, "rename it in corpus.jsonl and queries.jsonl"));
        }
        Ok(id)
    }

    fn read_links(&mut self, input: Input, reading: &mut Reading) -> Result<()> {
        let mut pairs = Vec::new();
        let mut seen = PairLines::default();
        links::each_link(input, reading, |[from, to], line| {
            let pair = (self.document(from, "link", line)?, self.document(to, "link", line)?);
            seen.insert(pair, line, || links::describe(from, to))?;
            pairs.push(pair);
            Ok(())
        })?;
        self.links = pairs;
        Ok(())
    }

    fn read_mates(&mut self, input: Input, reading: &mut Reading) -> Result<()> {
        if self.queries.is_empty() {
            let what = format!("{} names queries, but queries.jsonl is missing or empty", input.path().display());
            return Err(Error::bad_data(what, "add the queries, or remove the mates"));
        }
        let mut pairs = Vec::new();
        mates::each_mate(input, reading, |[query, document], line| {
            pairs.push((self.query(query, "mate", line)?, self.document(document, "mate", line)?));
            Ok(())
        })?;
        self.mates = pairs;
        Ok(())
    }

    fn read_clicks(&mut self, input: Input, layout: ClickLayout, reading: &mut Reading) -> Result<()> {
        let mut all = Vec::new();
        let mut seen = PairLines::default();
        clicks::each_click(input, layout, reading, |fields, line| {
            let query = self.query(fields.query, "click", line)?;
            let document = self.document(fields.document, "click", line)?;
            seen.insert((query, document), line, || fields.describe())?;
            all.push(Click { query, document, ..fields.click });
            Ok(())
        })?;
        self.clicks = all;
        Ok(())
    }

    fn read_sessions(&mut self, input: Input, reading: &mut Reading) -> Result<()> {
        let (mut all, mut users) = (Vec::new(), IdMap::new());
        sessions::each_session(input, reading, |record, line| {
            let id = |text| Field { text, column: 1 };
            let place = |clicked: &String| record.shown.iter().position(|shown| shown == clicked);
            all.push(Session {
                query: self.query(id(&record.query), "session", line)?,
                shown: record
                    .shown
                    .iter()
                    .map(|shown| self.document(id(shown), "session", line))
                    .collect::<Result<_>>()?,
                clicked: record.clicked.iter().filter_map(place).map(|place| place as u32).collect(),
                user: record.user.as_deref().map(|user| users.insert(user)).transpose()?.map(|(number, _)| number),
                time: record.time,
            });
            Ok(())
        })?;
        self.sessions = all;
        Ok(())
    }

    fn query(&self, id: Field<'_>, record: &str, line: &Line<'_>) -> Result<u32> {
        match self.queries_are_documents() {
            true => self.document(id, record, line),
            false => resolve(&self.query_ids, id, (record, "query", "queries.jsonl"), line),
        }
    }

    fn document(&self, id: Field<'_>, record: &str, line: &Line<'_>) -> Result<u32> {
        resolve(&self.document_ids, id, (record, "document", "corpus.jsonl"), line)
    }
}

fn resolve(ids: &IdMap, id: Field<'_>, (record, kind, home): (&str, &str, &str), line: &Line<'_>) -> Result<u32> {
    ids.get(id.text).ok_or_else(|| {
        let what = format!("{record} names unknown {kind} {}", quote(id.text));
        line.error(id.column, what, format!("add it to {home} or pass --on-error skip"))
    })
}

fn nothing_found(folder: &Path, looked_for: &str) -> Error {
    let what = format!("{} holds no data set: looked for {looked_for}, plain or as .gz, .zst, .bz2", folder.display());
    Error::bad_data(what, "add the files, or let `qwd dataset get` bring a public data set into this layout")
}
