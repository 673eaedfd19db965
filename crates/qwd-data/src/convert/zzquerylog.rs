//! ZZQueryLog: clicks of a Portuguese sports site, added up over 150 days, on players, teams, coaches and competitions.
//!
//! Documents are the entities of Wikidata, with their names, descriptions and claims, and those that Wikidata does not have,
//! with what the log says of them. A query asked in Portugal and in Brazil is two. The makers' judgments come from the same
//! clicks (a share of 75 % is grade 3, and so on), so they are no second opinion and stay out; clicks are dealt out by query.

use super::folder::{NewFolder, open_original};
use super::{Count, Options, Original, count, file, not_empty};
use crate::clicks::{self, Click};
use crate::corpus::{Document, Query, write_documents, write_queries};
use crate::input::Input;
use crate::json;
use crate::reading::Reading;
use qwd_core::error::Place;
use qwd_core::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What is known of the originals.
pub const ORIGINAL: Original = Original {
    name: "zzquerylog",
    folder: "zzquerylog",
    description: "ZZQueryLog: queries of a Portuguese sports site with clicks on entities",
    files: &[
        file("zz_query_log_documents.json", "5eedeee2dfc3cf327dddb5dee1b444e9610a416b99250858fbb0640ba95ca519"),
        file("zz_query_log_queries.json", "4c44356f4880c0932c8614abbe394ef34cadab325fa28a108d1d9ba8a13cb363"),
    ],
    homes: &["https://github.com/andresoares13/Sports-Dataset"],
    licence: "none stated",
    convert,
};

/// The size from which a file is not the one that is meant.
const MAX_BYTES: u64 = 64 << 20;

/// A few mean positions are in the millions: an accident of the log, so not known.
const MAX_POSITION: f32 = 1_000.0;

#[derive(Deserialize)]
struct Entity {
    wikidata_id: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    descriptions: BTreeMap<String, String>,
    #[serde(default)]
    aliases: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    claims: BTreeMap<String, Claim>,
}

#[derive(Deserialize)]
struct Claim {
    value: Option<String>,
    #[serde(default)]
    values: Vec<String>,
}

#[derive(Deserialize)]
struct Asked {
    query_id: String,
    query: String,
    results: Vec<Clicked>,
}

#[derive(Deserialize)]
struct Clicked {
    entity_id: Option<String>,
    label: String,
    country: Option<String>,
    r#type: Option<String>,
    sport: Option<String>,
    clicks: u64,
    average_position: f64,
}

fn convert(from: &Path, to: &Path, _: Options, reading: &mut Reading) -> Result<Vec<Count>> {
    let entities: Vec<Entity> = read_json(open_original(from, &["zz_query_log_documents.json"])?, reading)?;
    let asked: Vec<Asked> = read_json(open_original(from, &["zz_query_log_queries.json"])?, reading)?;
    let mut documents: BTreeMap<String, Document> =
        entities.iter().map(|e| (e.wikidata_id.clone(), e.document())).collect();
    let n_entities = documents.len();
    let mut pairs: BTreeMap<(&str, String), (u64, f64)> = BTreeMap::new();
    for query in &asked {
        for clicked in &query.results {
            let known = clicked.entity_id.clone().filter(|id| documents.contains_key(id));
            let id = known.unwrap_or_else(|| {
                let document = clicked.document();
                let id = document.id.clone();
                documents.entry(id.clone()).or_insert(document);
                id
            });
            let (clicks, positions) = pairs.entry((&query.query_id, id)).or_default();
            *clicks += clicked.clicks;
            *positions += clicked.clicks as f64 * clicked.average_position;
        }
    }
    let documents: Vec<Document> = documents.into_values().collect();
    not_empty(&documents, from)?;
    let queries: Vec<Query> =
        asked.iter().map(|a| Query { id: a.query_id.clone(), text: a.query.clone(), ..Query::default() }).collect();
    let mut folder = NewFolder::create(to, &ORIGINAL)?;
    folder.write("corpus.jsonl", |out| write_documents(out, &documents))?;
    folder.write("queries.jsonl", |out| write_queries(out, &queries))?;
    folder.write("clicks.tsv", |out| {
        pairs.iter().try_for_each(|((query, document), &(clicks, positions))| {
            let position = Some((positions / clicks as f64) as f32).filter(|position| *position <= MAX_POSITION);
            let click = Click { clicks, position, ..Click::default() };
            clicks::check(&click).map_err(|what| {
                Error::bad_data(format!("{query}, {document}: {what}"), "check that they are the right files")
            })?;
            clicks::write(out, query, document, &click)
        })
    })?;
    folder.publish()?;
    Ok(vec![
        count("documents", documents.len()),
        count("documents of Wikidata", n_entities),
        count("queries", queries.len()),
        count("clicked pairs", pairs.len()),
        Count { what: "clicks", n: pairs.values().map(|(clicks, _)| clicks).sum() },
    ])
}

impl Entity {
    /// The Portuguese name as the title; all else that is said of it, each thing once, as the text.
    fn document(&self) -> Document {
        let title = ["pt", "en"].iter().find_map(|language| self.labels.get(*language)).or(self.labels.values().next());
        let title = title.cloned().unwrap_or_default();
        let claims = self.claims.values().flat_map(|claim| claim.value.iter().chain(&claim.values));
        let names = self.labels.values().chain(self.aliases.values().flatten());
        let mut seen = BTreeSet::from([title.as_str()]);
        let said = names.chain(self.descriptions.values()).chain(claims).filter(|text| seen.insert(text));
        let text = said.map(String::as_str).collect::<Vec<_>>().join("; ");
        Document { id: self.wikidata_id.clone(), title, text, ..Document::default() }
    }
}

impl Clicked {
    /// An entity of which only the log knows.
    fn document(&self) -> Document {
        let said: Vec<&str> =
            [&self.r#type, &self.sport, &self.country].into_iter().flatten().map(String::as_str).collect();
        let id = format!("zz:{}/{}", self.label, said.join("/"));
        Document { id, title: self.label.clone(), text: said.join("; "), ..Document::default() }
    }
}

/// Reads a file of one JSON value.
fn read_json<T: DeserializeOwned>(mut input: Input, reading: &mut Reading) -> Result<T> {
    let path = input.path().to_path_buf();
    let mut text = Vec::new();
    input.read_up_to(MAX_BYTES + 1, &mut text)?;
    if text.len() as u64 > MAX_BYTES {
        let what = format!("{}: the size in bytes", path.display());
        return Err(Error::limit(what, MAX_BYTES, text.len() as u64, "check that it is the right file"));
    }
    reading.finish(input)?;
    serde_json::from_slice(&text).map_err(|e| {
        let what = format!("not the JSON that was expected: {}", json::message(&e));
        Error::parse(Place::new(&path, e.line() as u64, e.column() as u64), what, "fetch the file again")
    })
}
