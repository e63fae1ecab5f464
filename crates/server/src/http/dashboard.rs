//! The dashboard: files in the binary. Every address that is no file and none of the API's is one of its pages.

use axum::extract::{OriginalUri, Request};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rust_embed::RustEmbed;
use sha2::{Digest as _, Sha256};

use crate::api::error::{ApiCode, ApiError};
use crate::api::marked;

#[derive(RustEmbed)]
#[folder = "$DASHBOARD_FOLDER"]
struct Files;

const START: &str = "index.html";

/// Names of these carry a hash of what is in them: what they hold never changes.
const HASHED: &str = "assets/";

const NOT_BUILT: &str =
    "<!doctype html><meta charset=utf-8><title>autoheal</title><h1>The dashboard is not built in</h1>
<p>The API is there: <a href=/api/openapi.json>/api/openapi.json</a>. For the page, Node 20 is needed:
<pre>cd dashboard && npm ci && npm run build && cd .. && DASHBOARD_DIST=dashboard/dist cargo build --release</pre>";

/// A file of the dashboard, its start page, or that there is nothing.
pub(super) async fn serve(OriginalUri(uri): OriginalUri, request: Request) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    let nothing =
        ApiError::new(ApiCode::NotFound, "there is nothing at this address: GET /api/openapi.json says what there is");
    if !is_read || path.starts_with("api/") {
        return nothing.into_response();
    }
    if let Some(file) = Files::get(path) {
        return answer(&file, path, request.headers());
    }
    // A name with an ending is that of a file that is not there.
    if path.rsplit('/').next().is_some_and(|name| name.contains('.')) || !(path.is_empty() || wants_page(request.headers())) {
        return nothing.into_response();
    }
    match Files::get(START) {
        Some(file) => answer(&file, START, request.headers()),
        None => (StatusCode::NOT_FOUND, Html(NOT_BUILT)).into_response(),
    }
}

fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.contains("text/html")
}

fn answer(file: &rust_embed::EmbeddedFile, path: &str, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", STANDARD.encode(file.metadata.sha256_hash()));
    let kept = if path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let kind = file.metadata.mimetype().to_owned();
        ([(header::CONTENT_TYPE, kind)], file.data.clone()).into_response()
    };
    let set = response.headers_mut();
    set.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    if let (Ok(tag), Ok(policy)) = (HeaderValue::from_str(&tag), HeaderValue::from_str(&content_policy())) {
        set.insert(header::ETAG, tag);
        set.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The page runs its own scripts and nothing else, and asks nobody but this server. The one style that is allowed besides its own is that
/// of stored pages, which it shows in frames of its own.
fn content_policy() -> String {
    let style = STANDARD.encode(Sha256::digest(marked::STYLE));
    format!(
        "default-src 'self'; style-src 'self' 'sha256-{style}'; img-src 'self' data:; object-src 'none'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'"
    )
}
