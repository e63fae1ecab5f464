//! What is taken from a request, with what cannot be understood told as every other error is.

use std::convert::Infallible;
use std::str::FromStr;

use axum::extract::{FromRequest, FromRequestParts};
use axum::http::request::Parts;

use super::error::{ApiCode, ApiError};

/// A body of JSON.
#[derive(FromRequest)]
#[from_request(via(axum::Json), rejection(ApiError))]
pub(super) struct Body<T>(pub(super) T);

/// What stands after the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(ApiError))]
pub(super) struct Query<T>(pub(super) T);

/// What stands for the names in the path.
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

/// The header that says for whom a program asks.
pub(crate) const USER: &str = "x-autoheal-user";

/// Who asks, for what is written down with each decision.
pub(super) struct Asker(pub(super) String);

impl<S: Sync> FromRequestParts<S> for Asker {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Self::Rejection> {
        let given = parts.headers.get(USER).and_then(|value| value.to_str().ok()).map(short);
        Ok(Self(given.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "http".to_owned())))
    }
}
