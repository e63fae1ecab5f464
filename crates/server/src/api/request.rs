//! Extractors for requests; a request that cannot be parsed gets the same error format as every other error.

use std::convert::Infallible;
use std::str::FromStr;

use axum::Json;
use axum::body::HttpBody as _;
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::error::{ApiCode, ApiError};

/// A body of JSON: an object. (The types would take a list of their fields for one, too.)
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let Json(object) = <Json<Map<String, Value>> as FromRequest<S>>::from_request(request, state).await?;
        serde_path_to_error::deserialize(Value::Object(object)).map(Self).map_err(|error| {
            let path = error.path().to_string();
            let error = ApiError::invalid_field(&error.into_inner().to_string());
            if path == "." { error } else { error.with("field", path) }
        })
    }
}

/// Without a body, nothing is given.
impl<T: DeserializeOwned, S: Send + Sync> OptionalFromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, Self::Rejection> {
        let is_given = request.headers().contains_key(CONTENT_TYPE) || !request.body().is_end_stream();
        if is_given { <Self as FromRequest<S>>::from_request(request, state).await.map(Some) } else { Ok(None) }
    }
}

/// Query string of the request.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(ApiError))]
pub(super) struct Query<T>(pub(super) T);

/// Parameters in the path.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(ApiError))]
pub(super) struct Path<T>(pub(super) T);

/// A name in a path; one that cannot be read is the name of nothing.
pub(super) fn named<T: FromStr>(text: &str, code: ApiCode, what: &str) -> Result<T, ApiError> {
    text.parse().map_err(|_| not_found(code, what, text))
}

/// There is no such thing.
pub(super) fn not_found(code: ApiCode, what: &str, name: &str) -> ApiError {
    ApiError::new(code, format!("there is no {what} {}", short(name))).with(what, short(name))
}

/// As much of a text as an error may repeat.
fn short(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(100).collect()
}

/// Header with the user on whose behalf a client sends the request.
const USER: &str = "x-autoheal-user";

/// User who sends the request, as its token and the client say.
#[derive(Clone)]
pub(crate) struct User(pub(crate) Option<String>);

/// Returns the user on whose behalf a client says that it sends the request; the name may contain any characters.
pub(crate) fn user_said(headers: &HeaderMap) -> Option<String> {
    let name = short(&String::from_utf8_lossy(headers.get(USER)?.as_bytes()));
    (!name.trim().is_empty()).then_some(name)
}

/// Name of the client or user that makes the request, recorded with each decision.
pub(super) struct Asker(pub(super) String);

impl<S: Sync> FromRequestParts<S> for Asker {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Self::Rejection> {
        let user = parts.extensions.get().and_then(|User(name)| name.clone());
        Ok(Self(user.unwrap_or_else(|| "http".to_owned())))
    }
}
