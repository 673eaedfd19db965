//! Documents and queries as BEIR lays them out: `corpus.jsonl` and `queries.jsonl`, one JSON object on each line.

use crate::id_map::IdMap;
use crate::input::Input;
use crate::json;
use crate::lines::{CORRECT_OR_SKIP, Line, quote};
use crate::output::Output;
use crate::reading::Reading;
use crate::split::Split;
use qwd_core::Result;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A document.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(expecting = "a document as a JSON object")]
pub struct Document {
    /// Its id, unique in the corpus.
    #[serde(rename = "_id")]
    pub id: String,
    /// Its title, empty if it has none.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub title: String,
    /// Its text.
    pub text: String,
    /// Its class, in labelled data.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "label")]
    pub label: Option<String>,
    /// Its split, in labelled data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
    /// All other fields, kept to be shown in results.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Document {
    /// Title and text as one, which is what is indexed and learned from; copied only where there are both.
    pub fn full_text(&self) -> Cow<'_, str> {
        match (self.title.as_str(), self.text.as_str()) {
            ("", text) => Cow::Borrowed(text),
            (title, "") => Cow::Borrowed(title),
            (title, text) => Cow::Owned(format!("{title} {text}")),
        }
    }
}

/// A query.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(expecting = "a query as a JSON object")]
pub struct Query {
    /// Its id, unique among the queries.
    #[serde(rename = "_id")]
    pub id: String,
    /// Its text.
    pub text: String,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Hands every document of a `corpus.jsonl` to `record`, and returns the ids of those handed over, in order.
pub fn each_document(
    input: Input,
    reading: &mut Reading,
    mut record: impl FnMut(Document, &Line<'_>) -> Result<()>,
) -> Result<IdMap> {
    let mut ids = Ids::default();
    reading.each_line(input, |line| {
        let document: Document = json::parse(line)?;
        ids.insert("document", &document.id, line)?;
        record(document, line)
    })?;
    Ok(ids.map)
}

/// Reads all documents of a `corpus.jsonl`, and their ids.
pub fn read_documents(input: Input, reading: &mut Reading) -> Result<(Vec<Document>, IdMap)> {
    let mut documents = Vec::new();
    let ids = each_document(input, reading, |document, _| {
        documents.push(document);
        Ok(())
    })?;
    Ok((documents, ids))
}

/// Hands every query of a `queries.jsonl` to `record`, and returns the ids of those handed over, in order.
pub fn each_query(
    input: Input,
    reading: &mut Reading,
    mut record: impl FnMut(Query, &Line<'_>) -> Result<()>,
) -> Result<IdMap> {
    let mut ids = Ids::default();
    reading.each_line(input, |line| {
        let query: Query = json::parse(line)?;
        ids.insert("query", &query.id, line)?;
        record(query, line)
    })?;
    Ok(ids.map)
}

/// Reads all queries of a `queries.jsonl`, and their ids.
pub fn read_queries(input: Input, reading: &mut Reading) -> Result<(Vec<Query>, IdMap)> {
    let mut queries = Vec::new();
    let ids = each_query(input, reading, |query, _| {
        queries.push(query);
        Ok(())
    })?;
    Ok((queries, ids))
}

/// Writes documents, one on each line.
pub fn write_documents<'a>(out: &mut Output, documents: impl IntoIterator<Item = &'a Document>) -> Result<()> {
    documents.into_iter().try_for_each(|document| out.json_line(document))
}

/// Writes queries, one on each line.
pub fn write_queries<'a>(out: &mut Output, queries: impl IntoIterator<Item = &'a Query>) -> Result<()> {
    queries.into_iter().try_for_each(|query| out.json_line(query))
}

/// The ids so far and their lines.
#[derive(Default)]
struct Ids {
    map: IdMap,
    lines: Vec<u64>,
}

impl Ids {
    fn insert(&mut self, kind: &str, id: &str, line: &Line<'_>) -> Result<()> {
        if id.is_empty() {
            return Err(line.error(1, format!("the {kind} has an empty _id"), CORRECT_OR_SKIP));
        }
        if id.contains(char::is_control) {
            // A tab or a line end could never be written in the files that refer to this id.
            let what = format!("the {kind} id {} has a control character", quote(id));
            return Err(line.error(1, what, CORRECT_OR_SKIP));
        }
        let (number, is_new) = self.map.insert(id)?;
        if !is_new {
            let first = self.lines[number as usize];
            let what = format!("{kind} id {} appears twice, first on line {first}", quote(id));
            return Err(line.error(1, what, "give every one its own id or pass --on-error skip"));
        }
        self.lines.push(line.number);
        Ok(())
    }
}

fn null_is_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A label may be written as a text or as a whole number.
fn label<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "invalid label, expected a string or a whole number")]
    enum Label {
        Text(String),
        Number(i64),
    }
    Ok(Option::deserialize(deserializer)?.map(|label| match label {
        Label::Text(text) => text,
        Label::Number(number) => number.to_string(),
    }))
}
