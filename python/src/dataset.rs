//! Documents, queries and signals: a folder as the program reads it, or records from Python.

use crate::errors::OrRaise;
use pyo3::prelude::*;
use qwd::data::{
    Click, Dataset, Document, IdMap, Judgment, Manifest, Opened, Preference, Query, Reading, Session, SessionRecord,
    Split,
};
use qwd::{Error, Result};
use std::path::PathBuf;
use std::sync::Arc;

/// A data set; it never changes.
#[pyclass(name = "Dataset", module = "qwd._qwd", frozen)]
pub(crate) struct PyDataset {
    pub(crate) inner: Arc<Opened>,
}

/// The judgments of a split: query, document and grade.
type Judged = (String, Vec<(String, String, i64)>);

/// Query, document, clicks, impressions and mean position.
type Clicked = (String, String, i64, Option<i64>, Option<f32>);

/// What Python calls a data set without files.
const NAME: &str = "the data";

#[pymethods]
impl PyDataset {
    /// Reads a folder as the program does.
    #[staticmethod]
    fn open(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| Opened::open(folder, &mut Reading::default())).or_raise()?;
        Ok(Self { inner: Arc::new(opened) })
    }

    /// The data set inside the library.
    #[staticmethod]
    fn demo() -> PyResult<Self> {
        Ok(Self { inner: Arc::new(qwd::lab::demo::dataset().or_raise()?) })
    }

    /// Puts records together. Documents are JSON lines as in `corpus.jsonl`, sessions as in `sessions.jsonl`; all else
    /// comes as columns of ids and numbers.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "one for each kind of record")]
    fn of_records(
        py: Python<'_>,
        documents: Vec<String>,
        queries: Vec<(String, String)>,
        judgments: Vec<Judged>,
        preferences: Vec<(String, String, String, f32)>,
        links: Vec<(String, String)>,
        clicks: Vec<Clicked>,
        sessions: Vec<String>,
    ) -> PyResult<Self> {
        let made = py.detach(move || {
            let mut records = Records::new(&documents, queries)?;
            for (split, judged) in judgments {
                records.judge(&split, &judged)?;
            }
            records.prefer(&preferences)?;
            records.link(&links)?;
            records.click(&clicks)?;
            records.listen(&sessions)?;
            Ok(Opened::Texts(Box::new(records.dataset)))
        });
        Ok(Self { inner: Arc::new(made.or_raise()?) })
    }

    /// The ids of the documents in order.
    fn document_ids(&self) -> Vec<String> {
        self.texts(|dataset| dataset.document_ids.names().map(str::to_string).collect())
    }

    /// The documents as JSON lines.
    fn documents(&self) -> PyResult<Vec<String>> {
        let line = |document: &Document| serde_json::to_string(document).map_err(|e| Error::internal(e.to_string()));
        match &*self.inner {
            Opened::Texts(dataset) => dataset.documents.iter().map(line).collect::<Result<_>>().or_raise(),
            Opened::Vectors(_) => Ok(Vec::new()),
        }
    }

    /// The queries as ids and texts.
    fn queries(&self) -> Vec<(String, String)> {
        self.texts(|dataset| dataset.queries.iter().map(|q| (q.id.clone(), q.text.clone())).collect())
    }

    /// The judgments of a split as query, document and grade.
    fn judgments(&self, split_name: &str) -> PyResult<Vec<(String, String, i32)>> {
        let split = split(split_name).or_raise()?;
        Ok(self.texts(|d| {
            let of_split = d.judgments.get(&split).into_iter().flatten();
            let query = |row| if d.queries.is_empty() { d.document_ids.name(row) } else { d.query_ids.name(row) };
            of_split
                .map(|j| (query(j.query).to_string(), d.document_ids.name(j.document).to_string(), j.grade))
                .collect()
        }))
    }

    /// What the data set can be learned from.
    fn signals(&self) -> Vec<String> {
        match &*self.inner {
            Opened::Texts(dataset) => dataset.signals().iter().map(|s| format!("{s:?}").to_lowercase()).collect(),
            Opened::Vectors(_) => vec!["labels".to_string()],
        }
    }
}

impl PyDataset {
    /// Looks at texts; vectors have nothing to show.
    fn texts<T: Default>(&self, look: impl FnOnce(&Dataset) -> T) -> T {
        match &*self.inner {
            Opened::Texts(dataset) => look(dataset),
            Opened::Vectors(_) => T::default(),
        }
    }
}

pub(crate) fn split(name: &str) -> Result<Split> {
    Split::ALL
        .into_iter()
        .find(|split| split.name() == name)
        .ok_or_else(|| Error::param("split", name, "train, dev or test"))
}

/// A data set in the making.
struct Records {
    dataset: Dataset,
}

impl Records {
    fn new(documents: &[String], queries: Vec<(String, String)>) -> Result<Self> {
        let manifest = Manifest { name: NAME.to_string(), ..Manifest::default() };
        let mut dataset = Dataset { manifest, ..Dataset::default() };
        for (i, line) in documents.iter().enumerate() {
            let document: Document = serde_json::from_str(line)
                .map_err(|e| Error::bad_data(format!("document {i}: {e}"), "give it an id and a text"))?;
            add_id(&mut dataset.document_ids, "document", i, &document.id)?;
            dataset.documents.push(document);
        }
        for (i, (id, text)) in queries.into_iter().enumerate() {
            add_id(&mut dataset.query_ids, "query", i, &id)?;
            dataset.queries.push(Query { id, text, ..Query::default() });
        }
        Ok(Self { dataset })
    }

    fn query(&self, kind: &str, i: usize, id: &str) -> Result<u32> {
        if self.dataset.queries_are_documents() {
            return self.document(kind, i, id);
        }
        self.dataset.query_ids.get(id).ok_or_else(|| unknown(kind, i, "query", id, "queries"))
    }

    fn document(&self, kind: &str, i: usize, id: &str) -> Result<u32> {
        self.dataset.document_ids.get(id).ok_or_else(|| unknown(kind, i, "document", id, "documents"))
    }

    fn judge(&mut self, split_name: &str, judged: &[(String, String, i64)]) -> Result<()> {
        let mut judgments = Vec::with_capacity(judged.len());
        let mut seen = std::collections::HashSet::new();
        for (i, (query, document, grade)) in judged.iter().enumerate() {
            let pair = (self.query("judgment", i, query)?, self.document("judgment", i, document)?);
            if !seen.insert(pair) {
                let what = format!("judgment {i}: document {document:?} is judged twice for query {query:?}");
                return Err(Error::bad_data(what, "keep one of the two"));
            }
            let grade = i32::try_from(*grade)
                .map_err(|_| Error::bad_data(format!("judgment {i} has grade {grade}"), "give small whole numbers"))?;
            judgments.push(Judgment { query: pair.0, document: pair.1, grade });
        }
        self.dataset.judgments.insert(split(split_name)?, judgments);
        Ok(())
    }

    fn prefer(&mut self, preferences: &[(String, String, String, f32)]) -> Result<()> {
        for (i, (query, better, worse, weight)) in preferences.iter().enumerate() {
            if !(weight.is_finite() && *weight > 0.0) {
                let what = format!("preference {i} has weight {weight}");
                return Err(Error::bad_data(what, "give a finite weight above 0"));
            }
            let preference = Preference {
                query: self.query("preference", i, query)?,
                better: self.document("preference", i, better)?,
                worse: self.document("preference", i, worse)?,
                weight: *weight,
            };
            if preference.better == preference.worse {
                let what = format!("preference {i} prefers document {better:?} to itself");
                return Err(Error::bad_data(what, "remove it"));
            }
            self.dataset.preferences.push(preference);
        }
        Ok(())
    }

    fn link(&mut self, links: &[(String, String)]) -> Result<()> {
        for (i, (from, to)) in links.iter().enumerate() {
            let link = (self.document("link", i, from)?, self.document("link", i, to)?);
            if link.0 == link.1 {
                return Err(Error::bad_data(format!("link {i}: document {from:?} links to itself"), "remove it"));
            }
            self.dataset.links.push(link);
        }
        Ok(())
    }

    fn click(&mut self, clicks: &[Clicked]) -> Result<()> {
        let count = |i: usize, what: &str, n: i64| {
            u64::try_from(n)
                .map_err(|_| Error::bad_data(format!("click {i} has {n} {what}"), "give whole numbers, 0 or more"))
        };
        for (i, (query, document, clicked, shown, position)) in clicks.iter().enumerate() {
            let click = Click {
                query: self.query("click", i, query)?,
                document: self.document("click", i, document)?,
                clicks: count(i, "clicks", *clicked)?,
                impressions: shown.map(|n| count(i, "impressions", n)).transpose()?,
                position: *position,
            };
            self.dataset.clicks.push(click);
        }
        Ok(())
    }

    fn listen(&mut self, sessions: &[String]) -> Result<()> {
        for (i, line) in sessions.iter().enumerate() {
            let bad = |what: String| Error::bad_data(format!("session {i}: {what}"), "give query, shown and clicked");
            let record: SessionRecord = serde_json::from_str(line).map_err(|e| bad(e.to_string()))?;
            let shown = record.shown.iter().map(|id| self.document("session", i, id)).collect::<Result<Vec<u32>>>()?;
            let place = |id: &String| record.shown.iter().position(|other| other == id).map(|at| at as u32);
            let clicked = record.clicked.iter().map(place).collect::<Option<Vec<u32>>>();
            self.dataset.sessions.push(Session {
                query: self.query("session", i, &record.query)?,
                shown,
                clicked: clicked.ok_or_else(|| bad("a document was clicked but not shown".into()))?,
                time: record.time,
                ..Session::default()
            });
        }
        Ok(())
    }
}

fn add_id(ids: &mut IdMap, kind: &str, i: usize, id: &str) -> Result<()> {
    if id.is_empty() || id.contains(char::is_control) {
        let what = format!("{kind} {i} has the id {id:?}");
        return Err(Error::bad_data(what, "give every one an id without control characters"));
    }
    let (first, is_new) = ids.insert(id)?;
    if is_new {
        return Ok(());
    }
    Err(Error::bad_data(
        format!("{kind} id {id:?} appears twice, as {kind} {first} and {i}"),
        "give every one its own id",
    ))
}

fn unknown(kind: &str, i: usize, side: &str, id: &str, place: &str) -> Error {
    Error::bad_data(
        format!("{kind} {i} names unknown {side} {id:?}"),
        format!("add it to the {place} or remove the {kind}"),
    )
}
