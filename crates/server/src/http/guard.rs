//! Who may ask. Without a token too: a page in a browser on this machine can reach the loopback interface, under any name that its
//! owner lets point there (DNS rebinding), and post to it from anywhere.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use secrecy::ExposeSecret as _;
use subtle::ConstantTimeEq as _;

use super::{Access, error};

/// What every answer says to browsers.
const HEADERS: [(header::HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Lets pass who may ask.
pub(super) async fn check(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&access, request.method(), request.headers()) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn refusal(access: &Access, method: &Method, headers: &HeaderMap) -> Option<Response> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    if !is_ours(access, name_of(host)) {
        let message = "the server is not known under this name: set server.hosts";
        return Some(error(StatusCode::FORBIDDEN, "UNAUTHORIZED", message));
    }
    if let Some(origin) = text(header::ORIGIN) {
        let is_own = origin.split_once("://").is_some_and(|(_, rest)| rest == host);
        if !is_own && !access.origins.iter().any(|allowed| allowed == origin) {
            let message = "pages of this origin may not ask: set server.origins";
            return Some(error(StatusCode::FORBIDDEN, "UNAUTHORIZED", message));
        }
    }
    if let Some(token) = &access.token {
        let given = text(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        if !bool::from(given.as_bytes().ct_eq(token.expose_secret().as_bytes())) {
            let message = "the token is missing or wrong: send `Authorization: Bearer TOKEN`";
            return Some(error(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", message));
        }
    }
    // What a form can send from anywhere is refused: only JSON makes a browser ask first.
    let is_json = text(header::CONTENT_TYPE).is_some_and(|kind| kind.split(';').next() == Some("application/json"));
    if method == Method::POST && !is_json {
        let message = "the body must be application/json";
        return Some(error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "INVALID_INPUT", message));
    }
    None
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
