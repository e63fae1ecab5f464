//! Who may ask. Without a token too: a page in a browser on this machine can reach the loopback interface, under any name that its
//! owner lets point there (DNS rebinding), and post to it from anywhere.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use secrecy::ExposeSecret as _;
use subtle::ConstantTimeEq as _;

use super::{Access, error};

/// What every answer says to browsers.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::VARY, "Origin"),
];

/// What a browser is told that asks beforehand whether a page may ask (WHATWG Fetch, "CORS-preflight fetch").
const PREFLIGHT: [(HeaderName, &str); 3] = [
    (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
    (header::ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type, X-Autoheal-User"),
    (header::ACCESS_CONTROL_MAX_AGE, "600"),
];

/// Lets pass who may ask.
pub(super) async fn check(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let listed = listed_origin(&access, request.headers());
    let mut response = match refusal(&access, request.method(), request.headers()) {
        Some(refusal) => refusal,
        None if listed.is_some() && is_preflight(request.method(), request.headers()) => {
            (StatusCode::NO_CONTENT, PREFLIGHT).into_response()
        }
        None => next.run(request).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if let Some(origin) = listed {
        // Without it a browser keeps the answer, also that the token is wrong, from the page.
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

fn refusal(access: &Access, method: &Method, headers: &HeaderMap) -> Option<Response> {
    let forbidden = |message| Some(error(StatusCode::FORBIDDEN, "UNAUTHORIZED", message));
    let (Ok(host), Ok(origin)) = (only(headers, &header::HOST), only(headers, &header::ORIGIN)) else {
        return forbidden("Host and Origin must be given once, and be readable");
    };
    let host = host.unwrap_or_default();
    // Who knows the token is no page that was led here under a false name.
    if access.token.is_none() && !is_ours(access, name_of(host)) {
        return forbidden("the server is not known under this name: set server.hosts");
    }
    if let Some(origin) = origin {
        let is_own = origin.split_once("://").is_some_and(|(_, rest)| rest == host);
        if !is_own && !access.origins.iter().any(|allowed| allowed == origin) {
            return forbidden("pages of this origin may not ask: set server.origins");
        }
    }
    // A browser asks beforehand without the token, and does nothing by it.
    if is_preflight(method, headers) {
        return None;
    }
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if let Some(token) = &access.token {
        let given = text(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        if !bool::from(given.as_bytes().ct_eq(token.expose_secret().as_bytes())) {
            let message = "the token is missing or wrong: send `Authorization: Bearer TOKEN`";
            return Some(error(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", message));
        }
    }
    // What a form can send from anywhere is refused: only JSON makes a browser ask first.
    if method == Method::POST && !text(header::CONTENT_TYPE).is_some_and(is_json) {
        let message = "the body must be application/json";
        return Some(error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "INVALID_INPUT", message));
    }
    None
}

/// A header that says different things to different readers, or cannot be read.
struct Unclear;

/// The header's only value; `None`: it is absent.
fn only<'headers>(headers: &'headers HeaderMap, name: &HeaderName) -> Result<Option<&'headers str>, Unclear> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Unclear);
    }
    first.map(|value| value.to_str().map_err(|_| Unclear)).transpose()
}

/// The origin that asks, when it is one of those whose pages may.
fn listed_origin(access: &Access, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    access.origins.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes()).then(|| origin.clone())
}

fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn is_json(content_type: &str) -> bool {
    content_type.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// The host without its port.
fn name_of(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    host.split(':').next().unwrap_or_default()
}

fn is_ours(access: &Access, name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        || access.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
}
