//! Changing: documents, models, feedback.

use crate::app::App;
use crate::journal::now;
use crate::problem::Problem;
use crate::request::{Params, Payload, Raw};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use qwd_data::Document;
use qwd_online::Feedback;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Which index.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    pub(super) index: Option<String>,
}

/// One or many.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    fn into_vec(self) -> Vec<T> {
        match self {
            Self::One(one) => vec![one],
            Self::Many(many) => many,
        }
    }
}

pub(crate) async fn document(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Params(which): Params<Which>,
) -> Result<Json<Document>, Problem> {
    let index = app.index(which.index.as_deref())?;
    let found = app.work(move || index.snapshot().document(&id)).await?;
    found.map(Json).ok_or_else(|| Problem::not_found("there is no such document"))
}

pub(crate) async fn add_documents(
    State(app): State<Arc<App>>,
    Params(which): Params<Which>,
    Payload(documents): Payload<OneOrMany<Document>>,
) -> Result<Json<Value>, Problem> {
    let index = app.index(which.index.as_deref())?;
    let documents = documents.into_vec();
    let n_added = documents.len();
    let n_documents = app.work(move || index.add(documents)).await?;
    Ok(Json(json!({"added": n_added, "n_documents": n_documents})))
}

pub(crate) async fn delete_document(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Params(which): Params<Which>,
) -> Result<Json<Value>, Problem> {
    let index = app.index(which.index.as_deref())?;
    match app.work(move || index.delete(&id)).await? {
        true => Ok(Json(json!({"deleted": 1}))),
        false => Err(Problem::not_found("there is no such document")),
    }
}

pub(crate) async fn models(State(app): State<Arc<App>>, Params(which): Params<Which>) -> Result<Json<Value>, Problem> {
    let index = app.index(which.index.as_deref())?;
    let work = move || {
        let snapshot = index.snapshot();
        let (matrix, provenance) = (snapshot.model().matrix(), snapshot.model().provenance());
        let model = json!({"form": matrix.name(), "method": provenance.method, "density": matrix.density(),
            "n_parameters": matrix.n_parameters()});
        Ok(json!({"index": index.name, "generation": snapshot.generation(), "model": model,
            "learning": index.standing(), "learning_fault": index.fault()}))
    };
    app.work(work).await.map(Json)
}

pub(crate) async fn load_model(
    State(app): State<Arc<App>>,
    Params(which): Params<Which>,
    Raw(bytes): Raw,
) -> Result<Json<Value>, Problem> {
    let index = app.index(which.index.as_deref())?;
    Ok(Json(json!({"version": app.work(move || index.load(&bytes)).await?})))
}

pub(crate) async fn reload(State(app): State<Arc<App>>, Params(which): Params<Which>) -> Result<Json<Value>, Problem> {
    let index = app.index(which.index.as_deref())?;
    let work = move || {
        let changed = index.index.reload()?;
        Ok(json!({"changed": changed, "generation": index.snapshot().generation()}))
    };
    app.work(work).await.map(Json)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rollback {
    index: Option<String>,
    version: Option<u64>,
}

pub(crate) async fn roll_back(
    State(app): State<Arc<App>>,
    Params(to): Params<Rollback>,
) -> Result<Json<Value>, Problem> {
    let index = app.index(to.index.as_deref())?;
    Ok(Json(json!({"version": app.work(move || index.roll_back(to.version)).await?})))
}

pub(crate) async fn promote(State(app): State<Arc<App>>, Params(which): Params<Which>) -> Result<Json<Value>, Problem> {
    let index = app.index(which.index.as_deref())?;
    Ok(Json(json!({"version": app.work(move || index.promote()).await?})))
}

pub(crate) async fn learn(State(app): State<Arc<App>>, Params(which): Params<Which>) -> Result<Json<Value>, Problem> {
    let index = app.index(which.index.as_deref())?;
    let round = app.work(move || index.learn(true, now())).await?;
    app.metrics.rounds.fetch_add(u64::from(round.is_some()), Ordering::Relaxed);
    Ok(Json(json!({"round": round})))
}

pub(crate) async fn pins(State(app): State<Arc<App>>, Params(which): Params<Which>) -> Result<Json<Value>, Problem> {
    let index = app.index(which.index.as_deref())?;
    Ok(Json(json!({"pins": app.work(move || index.pins()).await?})))
}

/// A word pair and the weight that it is to have.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPin {
    query: String,
    document: String,
    weight: f32,
}

pub(crate) async fn pin(
    State(app): State<Arc<App>>,
    Params(which): Params<Which>,
    Payload(pin): Payload<NewPin>,
) -> Result<Json<Value>, Problem> {
    let index = app.index(which.index.as_deref())?;
    let work = move || {
        index.pin(&pin.query, &pin.document, Some(pin.weight))?;
        index.pins()
    };
    Ok(Json(json!({"pins": app.work(work).await?})))
}

/// A word pair.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WordPair {
    query: String,
    document: String,
    index: Option<String>,
}

pub(crate) async fn unpin(State(app): State<Arc<App>>, Params(pair): Params<WordPair>) -> Result<Json<Value>, Problem> {
    let index = app.index(pair.index.as_deref())?;
    let work = move || {
        index.pin(&pair.query, &pair.document, None)?;
        index.pins()
    };
    Ok(Json(json!({"pins": app.work(work).await?})))
}

pub(crate) async fn feedback(
    State(app): State<Arc<App>>,
    Params(which): Params<Which>,
    Payload(told): Payload<OneOrMany<Feedback>>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let index = app.index(which.index.as_deref())?;
    let mut told = told.into_vec();
    let time = now();
    // What is dated in the future would never grow old.
    told.iter_mut().for_each(|feedback| feedback.time = Some(feedback.time.map_or(time, |told| told.min(time))));
    let n = told.len() as u64;
    app.work(move || index.accept(&told)).await?;
    app.metrics.feedback.fetch_add(n, Ordering::Relaxed);
    Ok((StatusCode::ACCEPTED, Json(json!({"accepted": n}))))
}

pub(crate) async fn erase(
    State(app): State<Arc<App>>,
    Path(user): Path<String>,
    Params(which): Params<Which>,
) -> Result<Json<Value>, Problem> {
    let index = app.index(which.index.as_deref())?;
    Ok(Json(json!({"erased": app.work(move || index.erase(&user, now())).await?})))
}
