//! The routes, in one table: the router, the description of the API and the tests of access are made from it.

mod backups;
mod changing;
mod searching;
mod standing;

use crate::access::{self, Access};
use crate::app::App;
use crate::problem::{Detail, Problem};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A route.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) summary: &'static str,
    /// Names and types of what may stand behind the question mark; `!` marks what must.
    pub(crate) parameters: &'static [(&'static str, &'static str)],
    /// The type of the body and an example of it.
    pub(crate) body: Option<(&'static str, &'static str)>,
    handler: fn() -> MethodRouter<Arc<App>>,
}

const JSON: &str = "application/json";
const INDEX: &[(&str, &str)] = &[("index", "string")];
const SEARCH: &[(&str, &str)] = &[
    ("q!", "string"),
    ("index", "string"),
    ("k", "integer"),
    ("explain", "boolean"),
    ("documents", "boolean"),
    ("exact_words", "boolean"),
    ("all", "boolean"),
    ("filter", "string"),
    ("version", "integer"),
];

macro_rules! route {
    ($method:ident $path:literal $access:ident $parameters:expr, $body:expr, $summary:literal, $handler:expr) => {
        Route {
            method: stringify!($method),
            path: $path,
            access: Access::$access,
            summary: $summary,
            parameters: $parameters,
            body: $body,
            handler: || $method($handler),
        }
    };
}

/// Every route.
pub(crate) const ROUTES: &[Route] = &[
    route!(get "/" Open &[], None, "The web page.", standing::page),
    route!(get "/healthz" Open &[], None, "Whether the process is alive.", standing::healthz),
    route!(get "/readyz" Open &[], None, "Whether it answers requests.", standing::readyz),
    route!(get "/openapi.json" Open &[], None, "This description.", standing::openapi),
    route!(get "/metrics" Read &[], None, "Counts and times, as Prometheus reads them.", standing::metrics),
    route!(get "/indexes" Read &[], None, "The indexes.", standing::indexes),
    route!(get "/search" Read SEARCH, None, "The best documents for a query.", searching::by_parameters),
    route!(post "/search" Read &[], Some((JSON, r#"{"q": "slow internet", "k": 10, "explain": true}"#)), "The same, asked in a body.", searching::by_body),
    route!(post "/score" Read &[], Some((JSON, r#"{"query": "slow internet", "id": "d7"}"#)), "The score of a document.", searching::score),
    route!(post "/explain" Read &[], Some((JSON, r#"{"query": "slow internet", "document": "Speed up your line"}"#)), "The word pairs that make a score.", searching::explain),
    route!(get "/related" Read &[("word!", "string"), ("side", "string"), ("k", "integer"), ("index", "string")], None, "The strongest partners of a word.", searching::related),
    route!(get "/matrix" Read &[("words", "string"), ("n", "integer"), ("index", "string")], None, "A part of W.", searching::matrix),
    route!(get "/documents/{id}" Read INDEX, None, "A document.", changing::document),
    route!(post "/documents" Write INDEX, Some((JSON, r#"[{"_id": "d7", "title": "Speed", "text": "Speed up your line"}]"#)), "Adds or replaces documents.", changing::add_documents),
    route!(delete "/documents/{id}" Write INDEX, None, "Deletes a document.", changing::delete_document),
    route!(post "/feedback" Write INDEX, Some((JSON, r#"{"query": "slow internet", "click": {"document": "d7", "shown": ["d3", "d7"]}, "user": "u1"}"#)), "Takes in clicks, sessions and preferences; answers when they are on disk.", changing::feedback),
    route!(delete "/feedback/{user}" Admin INDEX, None, "Forgets what a user told, and learns anew from the rest.", changing::erase),
    route!(get "/models" Read INDEX, None, "The versions of the model.", changing::models),
    route!(post "/models" Admin INDEX, Some(("application/octet-stream", "\"the bytes of a model file\"")), "Loads a model, which ranks from then on.", changing::load_model),
    route!(post "/models/reload" Admin INDEX, None, "Looks for a newer commit of the index.", changing::reload),
    route!(post "/models/learn" Admin INDEX, None, "Learns now from what was told.", changing::learn),
    route!(post "/models/rollback" Admin &[("version", "integer"), ("index", "string")], None, "Goes back to an earlier version.", changing::roll_back),
    route!(get "/pins" Read INDEX, None, "The word pairs whose weight is set by hand.", changing::pins),
    route!(post "/pins" Admin INDEX, Some((JSON, r#"{"query": "phone", "document": "handset", "weight": 1.5}"#)), "Sets the weight of a word pair, whatever is learned; 0 forbids it.", changing::pin),
    route!(delete "/pins" Admin &[("query!", "string"), ("document!", "string"), ("index", "string")], None, "Releases a word pair to what is learned.", changing::unpin),
    route!(get "/backups" Admin &[], None, "The backups.", backups::list),
    route!(post "/backups" Admin INDEX, None, "Copies an index with its feedback and its versions, while it is served.", backups::back_up),
    route!(post "/backups/{name}/restore" Admin &[("as!", "string")], None, "Serves a copy of a backup as a further index, until the server stops.", backups::restore),
    route!(post "/models/promote" Admin INDEX, None, "Lets the version in the shadow rank.", changing::promote),
];

/// The router of a server.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let limits = &app.config.limits;
    let mut router = Router::new();
    for route in ROUTES {
        let limit = if route.path == "/models" { limits.model_bytes } else { limits.body_bytes };
        let (shared, path, needed) = (Arc::clone(app), route.path, route.access);
        let guard =
            from_fn(move |request: Request, next: Next| guarded(Arc::clone(&shared), path, needed, request, next));
        router = router.route(path, (route.handler)().layer(DefaultBodyLimit::max(limit)).layer(guard));
    }
    let unknown = || async { Problem::not_found("there is no such route; GET /openapi.json lists them") };
    let wrong_method =
        || async { Problem::new(StatusCode::METHOD_NOT_ALLOWED, "bad_method", "the route has no such method") };
    router.fallback(unknown).method_not_allowed_fallback(wrong_method).with_state(Arc::clone(app))
}

/// Checks who asks, sees to the time limit, counts and logs.
async fn guarded(app: Arc<App>, path: &'static str, needed: Access, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let limits = &app.config.limits;
    let seconds = if path.starts_with("/backups") { limits.backup_seconds } else { limits.request_seconds };
    let limit = Duration::from_secs_f64(seconds);
    let mut response = match access::check(request.headers(), needed, &app.config.tokens) {
        Err(problem) => problem.into_response(),
        Ok(()) => tokio::time::timeout(limit, next.run(request)).await.unwrap_or_else(|_| {
            Problem::new(StatusCode::REQUEST_TIMEOUT, "too_slow", "the request took too long").into_response()
        }),
    };
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let (status, took) = (response.status().as_u16(), started.elapsed());
    app.metrics.note(path, status, took);
    let detail = response.extensions_mut().remove::<Detail>();
    if path != "/healthz" || status != 200 {
        let level = if status >= 500 && status != 503 { "error" } else { "info" };
        let mut line =
            json!({"method": method.as_str(), "route": path, "status": status, "micros": took.as_micros() as u64});
        if let Some(Detail(detail)) = detail {
            line["detail"] = detail.into();
        }
        app.journal.write(level, "request", line);
    }
    response
}
