//! How the server stands: health, metrics, indexes, its own description, the page.

use super::ROUTES;
use crate::access::Access;
use crate::app::App;
use crate::metrics::Gauge;
use crate::problem::Problem;
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const PAGE: &str = include_str!("../../page/index.html");

/// The page. Its one script and its one style carry a number drawn anew each time; nothing else may run.
pub(crate) async fn page() -> Response {
    let nonce = format!("{:016x}", std::hash::RandomState::new().build_hasher().finish());
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_string()),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "no-referrer".to_string()),
        (header::CACHE_CONTROL, "no-store".to_string()),
    ];
    (headers, PAGE.replace("NONCE", &nonce)).into_response()
}

pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

pub(crate) async fn readyz(State(app): State<Arc<App>>) -> Result<&'static str, Problem> {
    match app.is_stopping.load(Ordering::SeqCst) {
        false => Ok("ready\n"),
        true => Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", "the server stops")),
    }
}

pub(crate) async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let per_index = |value: &dyn Fn(&crate::served::Served) -> f64| {
        app.indexes()
            .iter()
            .map(|i| (format!("{{index=\"{}\"}}", i.name.replace(['"', '\\', '\n'], "_")), value(i)))
            .collect()
    };
    let version = |i: &crate::served::Served| i.standing().map_or(0.0, |s| s.current as f64);
    let gauges = [
        Gauge {
            name: "qwd_documents",
            help: "Documents that can be found.",
            values: per_index(&|i| i.snapshot().n_documents() as f64),
        },
        Gauge {
            name: "qwd_index_generation",
            help: "Commits of the index.",
            values: per_index(&|i| i.snapshot().generation() as f64),
        },
        Gauge {
            name: "qwd_damaged_segments",
            help: "Segments that are left out.",
            values: per_index(&|i| i.snapshot().damaged().len() as f64),
        },
        Gauge { name: "qwd_model_version", help: "The version that ranks.", values: per_index(&version) },
        Gauge {
            name: "qwd_in_flight",
            help: "Requests being worked on.",
            values: vec![(String::new(), app.n_in_flight() as f64)],
        },
    ];
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], app.metrics.render(&gauges))
}

pub(crate) async fn indexes(State(app): State<Arc<App>>) -> Json<Value> {
    let index = |i: &Arc<crate::served::Served>| {
        let snapshot = i.snapshot();
        json!({"name": i.name, "n_documents": snapshot.n_documents(), "n_damaged": snapshot.damaged().len()})
    };
    Json(json!({"indexes": app.indexes().iter().map(index).collect::<Vec<_>>()}))
}

/// The description of the routes, made from the table that the router is made from.
pub(crate) async fn openapi() -> Json<Value> {
    let mut paths: Map<String, Value> = Map::new();
    for route in ROUTES {
        let mut parameters: Vec<Value> = Vec::new();
        for segment in route.path.split('/') {
            if let Some(name) = segment.strip_prefix('{').and_then(|s| s.strip_suffix('}')) {
                let schema = json!({"type": "string"});
                parameters.push(json!({"name": name, "in": "path", "required": true, "schema": schema}));
            }
        }
        for (name, kind) in route.parameters {
            let (name, required) = name.strip_suffix('!').map_or((*name, false), |name| (name, true));
            parameters.push(json!({"name": name, "in": "query", "required": required, "schema": {"type": kind}}));
        }
        let error = json!({"description": "An error", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}});
        let mut operation = json!({
            "summary": route.summary, "parameters": parameters, "x-access": route.access.name(),
            "responses": {"2XX": {"description": "Done"}, "4XX": error, "5XX": error},
        });
        if route.access != Access::Open {
            operation["security"] = json!([{"bearer": []}]);
        }
        if let Some((content_type, example)) = route.body {
            let example: Value = serde_json::from_str(example).unwrap_or(Value::Null);
            operation["requestBody"] = json!({"required": true, "content": {content_type: {"example": example}}});
        }
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.to_ascii_lowercase()] = operation;
    }
    let error = json!({"type": "object", "required": ["error"], "properties": {"error": {"type": "object",
        "required": ["code", "message"],
        "properties": {"code": {"type": "string"}, "message": {"type": "string"}}}}});
    Json(json!({
        "openapi": "3.1.0",
        "info": {"title": "qwd", "version": env!("CARGO_PKG_VERSION"), "description": "Search that learns: score(q, d) = qᵀWd"},
        "paths": paths,
        "components": {
            "schemas": {"Error": error},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }))
}
