//! How requests are read: checked types or a problem that says where they are wrong.

use crate::problem::Problem;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;

/// A body of JSON.
#[derive(Debug)]
pub(crate) struct Payload<T>(pub(crate) T);

/// The parameters behind the question mark.
#[derive(Debug)]
pub(crate) struct Params<T>(pub(crate) T);

/// A body of bytes.
#[derive(Debug)]
pub(crate) struct Raw(pub(crate) Bytes);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Payload<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        expect_type(request.headers(), "application/json")?;
        let bytes = whole(request, state).await?;
        let payload = serde_json::from_slice(&bytes);
        payload.map(Self).map_err(|e| Problem::new(StatusCode::BAD_REQUEST, "bad_json", format!("the body: {e}")))
    }
}

impl<S: Send + Sync> FromRequest<S> for Raw {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        expect_type(request.headers(), "application/octet-stream")?;
        whole(request, state).await.map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let params = Query::<T>::try_from_uri(&parts.uri);
        params
            .map(|query| Self(query.0))
            .map_err(|e| Problem::new(StatusCode::BAD_REQUEST, "bad_request", e.body_text()))
    }
}

async fn whole<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Problem> {
    Bytes::from_request(request, state).await.map_err(|e| match e.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            "the body is larger than the limit; send less at once",
        ),
        _ => Problem::new(StatusCode::BAD_REQUEST, "bad_request", "the body ended early"),
    })
}

/// A browser sends these types across sites only after asking, and it is never told yes.
fn expect_type(headers: &HeaderMap, expected: &str) -> Result<(), Problem> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let given = given.split(';').next().unwrap_or_default().trim();
    match given.eq_ignore_ascii_case(expected) {
        true => Ok(()),
        false => {
            let message = format!("the body must be sent as {expected}");
            Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_type", message))
        }
    }
}
