//! Backups while serving: into the one folder that the configuration names, and out of it as another index.

use super::changing::Which;
use crate::app::App;
use crate::backup::copy_index;
use crate::journal::now;
use crate::problem::Problem;
use crate::request::Params;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use qwd_core::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// The longest name.
const MAX_NAME: usize = 64;

pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Value>, Problem> {
    let folder = folder(app.config.backups.as_ref(), "backups")?;
    let work = move || {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| is_plain(name)).collect();
        names.sort();
        Ok(json!({"backups": names}))
    };
    app.work(work).await.map(Json)
}

pub(crate) async fn back_up(State(app): State<Arc<App>>, Params(which): Params<Which>) -> Result<Json<Value>, Problem> {
    let index = app.index(which.index.as_deref())?;
    let folder = folder(app.config.backups.as_ref(), "backups")?;
    let work = move || {
        std::fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, "create", e))?;
        let stem = if is_plain(&index.name) { index.name.as_str() } else { "index" };
        let name = format!("{stem}-{}", (1000.0 * now()) as u64);
        let copied = copy_index(index.index.folder(), folder.join(&name))?;
        Ok(json!({"backup": name, "copied": copied}))
    };
    app.work(work).await.map(Json)
}

/// The name that a backup is served by.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct As {
    #[serde(rename = "as")]
    name: String,
}

pub(crate) async fn restore(
    State(app): State<Arc<App>>,
    Path(backup): Path<String>,
    Params(As { name }): Params<As>,
) -> Result<Json<Value>, Problem> {
    let from = folder(app.config.backups.as_ref(), "backups")?;
    let to = folder(app.config.restored.as_ref(), "restored")?;
    if !is_plain(&backup) || !is_plain(&name) {
        let message = format!("a name has 1 to {MAX_NAME} letters, digits, - and _");
        return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_request", message));
    }
    if !from.join(&backup).is_dir() {
        return Err(Problem::not_found("there is no such backup; GET /backups lists them"));
    }
    let shared = Arc::clone(&app);
    let work = move || {
        std::fs::create_dir_all(&to).map_err(|e| Error::io(&to, "create", e))?;
        shared.check_new(&name)?;
        let copied = copy_index(from.join(&backup), to.join(&name))?;
        shared.serve_also(&name, to.join(&name))?;
        Ok(json!({"index": name, "copied": copied}))
    };
    app.work(work).await.map(Json)
}

fn folder(configured: Option<&PathBuf>, setting: &str) -> Result<PathBuf, Problem> {
    configured.cloned().ok_or_else(|| {
        let message = format!("this server has no folder for it; set {setting} in its configuration");
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_data", message)
    })
}

/// Whether a name is no path.
fn is_plain(name: &str) -> bool {
    let is_one = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_one)
}
