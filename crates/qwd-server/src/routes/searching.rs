//! Asking: search, score, explain, related words, a part of W.

use crate::app::App;
use crate::problem::Problem;
use crate::request::{Params, Payload};
use crate::served::Served;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use qwd_core::{Error, Result};
use qwd_model::{Model, RelatedWord, Side, WordReason};
use qwd_search::{Answer, Filter, Hit, Query, Snapshot};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The longest query, in bytes.
const MAX_QUERY_BYTES: usize = 1 << 16;
/// How many word pairs of a hit are told at most.
const MAX_REASONS: usize = 50;
/// The most rows and columns of a part of W.
const MAX_WORDS: usize = 60;

/// What a search asks.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchRequest {
    index: Option<String>,
    #[serde(alias = "query")]
    q: String,
    k: Option<usize>,
    #[serde(default)]
    explain: bool,
    #[serde(default)]
    documents: bool,
    #[serde(default)]
    exact_words: bool,
    #[serde(default)]
    all: bool,
    filter: Option<String>,
    /// Rank by this version of the model in place of the current one.
    version: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SearchAnswer {
    #[serde(flatten)]
    answer: Answer,
    micros: u64,
    /// Names this search in feedback.
    search: String,
    generation: u64,
}

pub(crate) async fn by_parameters(
    State(app): State<Arc<App>>,
    Params(asked): Params<SearchRequest>,
) -> Result<Json<SearchAnswer>, Problem> {
    search(app, asked).await
}

pub(crate) async fn by_body(
    State(app): State<Arc<App>>,
    Payload(asked): Payload<SearchRequest>,
) -> Result<Json<SearchAnswer>, Problem> {
    search(app, asked).await
}

async fn search(app: Arc<App>, asked: SearchRequest) -> Result<Json<SearchAnswer>, Problem> {
    let index = app.index(asked.index.as_deref())?;
    let query = asked.to_query(app.config.limits.hits)?;
    let shared = Arc::clone(&app);
    let work = move || {
        let started = Instant::now();
        let snapshot = index.snapshot();
        let mut answer = match asked.version {
            None => snapshot.search(&query)?,
            Some(version) => snapshot.search_by(index.version(version)?.as_ref(), &query)?,
        };
        let micros = started.elapsed().as_micros() as u64;
        if asked.version.is_none() {
            in_the_shadow(&shared, &index, &snapshot, &query, &answer);
        }
        for hit in &mut answer.hits {
            hit.reasons.iter_mut().for_each(|reasons| reasons.truncate(MAX_REASONS));
        }
        let generation = snapshot.generation();
        Ok(SearchAnswer { answer, micros, search: fresh_name(), generation })
    };
    app.work(work).await.map(Json)
}

impl SearchRequest {
    fn to_query(&self, most: usize) -> Result<Query, Problem> {
        if self.q.len() > MAX_QUERY_BYTES {
            return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_request", "the query is too long"));
        }
        let k = self.k.unwrap_or(10);
        if k > most {
            let message = format!("k = {k} is more than the limit of {most}");
            return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_request", message));
        }
        let mut query = Query::new(self.q.as_str()).top(k);
        query.explain = self.explain;
        query.documents = self.documents;
        query.snippets = self.documents;
        query.correct_spelling = !self.exact_words;
        query.all = self.all;
        query.filter = self.filter.as_deref().map(Filter::parse).transpose()?;
        Ok(query)
    }
}

/// Asks the version in the shadow the same, and notes how far the two agree.
fn in_the_shadow(app: &App, index: &Served, snapshot: &Snapshot, query: &Query, answer: &Answer) {
    let Some((version, model)) = index.shadow() else { return };
    let plain = Query { explain: false, documents: false, snippets: false, ..query.clone() };
    let hits = match snapshot.search_by(&model, &plain) {
        Ok(answer) => answer.hits,
        Err(e) => {
            let fields = json!({"index": index.name, "version": version, "error": e.to_string()});
            return app.journal.write("error", "shadow", fields);
        }
    };
    let n_shared = hits.iter().filter(|hit| answer.hits.iter().any(|other| other.id == hit.id)).count();
    let n = answer.hits.len().max(hits.len());
    let overlap = if n == 0 { 1.0 } else { n_shared as f64 / n as f64 };
    app.metrics.shadow_searches.fetch_add(1, Ordering::Relaxed);
    app.metrics.shadow_overlap.fetch_add((1000.0 * overlap) as u64, Ordering::Relaxed);
    let ids = |hits: &[Hit]| hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
    let fields = json!({"index": index.name, "version": version, "overlap": overlap,
        "current": ids(&answer.hits), "shadow": ids(&hits)});
    app.journal.write("info", "shadow", fields);
}

/// A name that no other search has: it only has to tell lists of results apart.
fn fresh_name() -> String {
    use std::hash::{BuildHasher, Hasher};
    format!("{:016x}", std::hash::RandomState::new().build_hasher().finish())
}

/// A query and a document: one of the index by its id, or a text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    index: Option<String>,
    #[serde(alias = "q")]
    query: String,
    id: Option<String>,
    document: Option<String>,
}

impl Pair {
    fn text(&self, snapshot: &Snapshot) -> Result<String> {
        match (&self.id, &self.document) {
            (Some(id), None) => {
                let document = snapshot.document(id)?;
                let unknown = || Error::bad_data(format!("there is no document {id:?}"), "name one of the index");
                Ok(document.ok_or_else(unknown)?.full_text().into_owned())
            }
            (None, Some(text)) => Ok(text.clone()),
            _ => Err(Error::param("id, document", "both or none", "the id of a document, or a text")),
        }
    }
}

pub(crate) async fn score(State(app): State<Arc<App>>, Payload(pair): Payload<Pair>) -> Result<Json<Value>, Problem> {
    let index = app.index(pair.index.as_deref())?;
    let work = move || {
        let snapshot = index.snapshot();
        snapshot.model().score_text(&pair.query, &pair.text(&snapshot)?)
    };
    Ok(Json(json!({"score": app.work(work).await?})))
}

pub(crate) async fn explain(State(app): State<Arc<App>>, Payload(pair): Payload<Pair>) -> Result<Json<Value>, Problem> {
    let index = app.index(pair.index.as_deref())?;
    let work = move || {
        let snapshot = index.snapshot();
        let text = pair.text(&snapshot)?;
        let model = snapshot.model();
        let reasons: Vec<WordReason> = model.explain_text(&pair.query, &text)?;
        Ok(json!({"score": model.score_text(&pair.query, &text)?, "reasons": reasons}))
    };
    app.work(work).await.map(Json)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelatedRequest {
    index: Option<String>,
    word: String,
    side: Option<String>,
    k: Option<usize>,
}

pub(crate) async fn related(
    State(app): State<Arc<App>>,
    Params(asked): Params<RelatedRequest>,
) -> Result<Json<Value>, Problem> {
    let index = app.index(asked.index.as_deref())?;
    let side = match asked.side.as_deref() {
        None | Some("query") => Side::Query,
        Some("document") => Side::Document,
        Some(_) => return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_request", "side is query or document")),
    };
    let k = asked.k.unwrap_or(10).min(app.config.limits.hits);
    let work = move || {
        let related: Vec<RelatedWord> = index.snapshot().model().related(side, &asked.word, k)?;
        Ok(json!({"word": asked.word, "related": related}))
    };
    app.work(work).await.map(Json)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatrixRequest {
    index: Option<String>,
    /// Words of queries; without any, the most frequent ones.
    #[serde(default)]
    words: String,
    n: Option<usize>,
}

/// A part of W: rows for words of queries, columns for the words of documents that they are tied to most.
pub(crate) async fn matrix(
    State(app): State<Arc<App>>,
    Params(asked): Params<MatrixRequest>,
) -> Result<Json<Value>, Problem> {
    let index = app.index(asked.index.as_deref())?;
    let n = asked.n.unwrap_or(24).clamp(1, MAX_WORDS);
    let work = move || {
        let snapshot = index.snapshot();
        part_of_matrix(snapshot.model(), &asked.words, n)
    };
    app.work(work).await.map(Json)
}

fn part_of_matrix(model: &Model, words: &str, n: usize) -> Result<Value> {
    let (Some(queries), Some(documents)) = (model.vectorizer(Side::Query), model.vectorizer(Side::Document)) else {
        return Err(Error::bad_data("the model has no words", "train a model from text"));
    };
    let mut rows: Vec<u32> = queries.vector(words).view().indices().to_vec();
    if rows.is_empty() {
        rows = (0..queries.vocabulary().len().min(n) as u32).collect();
    }
    rows.truncate(n);
    let mut strength: BTreeMap<u32, f32> = BTreeMap::new();
    for &row in &rows {
        for partner in model.matrix().related(Side::Query, row, n)? {
            let best = strength.entry(partner.term).or_default();
            *best = best.max(partner.weight.abs());
        }
    }
    let mut columns: Vec<(u32, f32)> = strength.into_iter().collect();
    columns.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    columns.truncate(n);
    let row_of = |&row: &u32| columns.iter().map(|&(column, _)| model.matrix().entry(row, column)).collect();
    let values = rows.iter().map(row_of).collect::<Result<Vec<Vec<f32>>>>()?;
    let rows: Vec<&str> = rows.iter().map(|&row| queries.vocabulary().word(row)).collect();
    let columns: Vec<&str> = columns.iter().map(|&(column, _)| documents.vocabulary().word(column)).collect();
    Ok(json!({"rows": rows, "columns": columns, "values": values}))
}
