//! What went wrong, as clients see it: a status, a code that programs can tell apart, and words for people.
//!
//! What is wrong with the server itself is told in the log only: paths and the state of the disk are nobody's business.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use qwd_core::{Error, Family};
use serde_json::json;

/// An answer that is an error.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// For the log.
    pub(crate) detail: Option<String>,
}

/// The detail of a problem on its way to the log.
#[derive(Debug, Clone)]
pub(crate) struct Detail(pub(crate) String);

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), detail: None }
    }

    pub(crate) fn busy() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many requests at once; try again in a second")
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let hidden = |status, code, message: &str| Self {
            status,
            code,
            message: message.to_string(),
            detail: Some(error.to_string()),
        };
        match error.family() {
            Family::Usage => Self::new(StatusCode::BAD_REQUEST, "bad_request", error.to_string()),
            Family::Data => Self::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_data", error.to_string()),
            Family::Interrupted => Self::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", "the server stops"),
            Family::Damaged => hidden(StatusCode::INTERNAL_SERVER_ERROR, "damaged", "a file of the server is damaged"),
            Family::Environment => {
                hidden(StatusCode::INTERNAL_SERVER_ERROR, "environment", "the server cannot read or write its files")
            }
            Family::Internal => hidden(StatusCode::INTERNAL_SERVER_ERROR, "internal", "a bug in the server"),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = json!({"error": {"code": self.code, "message": self.message}});
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        match self.status {
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
        if let Some(detail) = self.detail {
            response.extensions_mut().insert(Detail(detail));
        }
        response
    }
}
