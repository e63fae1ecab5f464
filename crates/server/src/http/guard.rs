//! Access control by token. A page in a browser on this machine can reach the loopback interface, under any name that its owner
//! points there (DNS rebinding), and can post to it from anywhere. Such requests are rejected before the token is checked.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use secrecy::{ExposeSecret as _, SecretString};
use subtle::ConstantTimeEq as _;

use super::Access;
use crate::api::error::{ApiCode, ApiError};
use crate::api::{User, user_said};

/// Security headers of every response, unless the response sets its own.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::VARY, "Origin"),
];

/// Headers of the response to a CORS preflight request (WHATWG Fetch, "CORS-preflight fetch").
const PREFLIGHT: [(HeaderName, &str); 3] = [
    (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PATCH, DELETE"),
    (header::ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type, Last-Event-ID, X-Autoheal-User"),
    (header::ACCESS_CONTROL_MAX_AGE, "600"),
];

/// Adds the headers that tell browsers how they may use a response.
pub(super) async fn tell_browsers(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let listed = listed_origin(&access, request.headers());
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    if let Some(origin) = listed {
        // Without it a browser keeps the answer, also that the token is wrong, from the page.
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        response.headers_mut().insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("Retry-After"));
    }
    response
}

/// Rejects requests under a foreign host name, or from a page whose origin is not allowed.
pub(super) async fn check_place(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    match misplaced(&access, headers) {
        Some(message) => ApiError::new(ApiCode::Unauthorized, message).at(StatusCode::FORBIDDEN).into_response(),
        // A browser sends its preflight request without the token; that request has no effect.
        None if is_preflight(request.method(), headers) && listed_origin(&access, headers).is_some() => {
            (StatusCode::NO_CONTENT, PREFLIGHT).into_response()
        }
        None => next.run(request).await,
    }
}

fn misplaced(access: &Access, headers: &HeaderMap) -> Option<&'static str> {
    let (Ok(host), Ok(origin)) = (only(headers, &header::HOST), only(headers, &header::ORIGIN)) else {
        return Some("Host and Origin must be given once, and be readable");
    };
    let host = host.unwrap_or_default();
    // A public server does not know under which names its user lets it be found.
    if !access.is_public && !is_ours(access, name_of(host)) {
        return Some("the server is not known under this name: set server.hosts");
    }
    let origin = origin?;
    let is_own = origin.split_once("://").is_some_and(|(_, rest)| rest == host);
    let is_listed = access.origins.iter().any(|allowed| allowed == origin);
    (!is_own && !is_listed).then_some("pages of this origin may not ask: set server.origins")
}

/// Returns the user of a token; `None` if there is no such token. `said` is the name that the client says.
fn user_of(access: &Access, given: &str, said: Option<String>) -> Option<User> {
    let is_given = |token: &SecretString| bool::from(given.as_bytes().ct_eq(token.expose_secret().as_bytes()));
    let shared = is_given(&access.token).then(|| User(said.or_else(|| access.user.clone())));
    // Every token is compared, so that the time tells nothing.
    let named = access.user_tokens.iter().filter(|of_user| is_given(&of_user.token));
    named.fold(shared, |_, of_user| Some(User(Some(of_user.user.clone()))))
}

/// Rejects requests without a token, and bodies other than JSON, which any web page could make a browser send.
pub(super) async fn check_token(State(access): State<Arc<Access>>, mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let given = text(header::AUTHORIZATION).and_then(|value| value.split_once(' '));
    let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map_or("", |(_, given)| given);
    let Some(user) = user_of(&access, given, user_said(headers)) else {
        let message = "the token is missing or wrong: send `Authorization: Bearer TOKEN` with the token that `autoheal serve` prints, or \
                       that it was given in AUTOHEAL_TOKEN";
        return ApiError::new(ApiCode::Unauthorized, message).into_response();
    };
    // Bodies that a form of any site can send are refused: only JSON makes a browser send a preflight request. Without a body there is no
    // content type: then the origin is enough, which browsers send with every request that changes something.
    let is_read = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    let kind = text(header::CONTENT_TYPE);
    let has_body = kind.is_some() || !request.body().is_end_stream();
    if !is_read && has_body && !kind.is_some_and(is_json) {
        let error = ApiError::invalid("the body must be application/json");
        return error.at(StatusCode::UNSUPPORTED_MEDIA_TYPE).into_response();
    }
    request.extensions_mut().insert(user);
    next.run(request).await
}

/// A header that is ambiguous (repeated), or is not valid text.
struct Unclear;

/// Returns the header's only value; `None` if the header is absent.
fn only<'headers>(headers: &'headers HeaderMap, name: &HeaderName) -> Result<Option<&'headers str>, Unclear> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Unclear);
    }
    first.map(|value| value.to_str().map_err(|_| Unclear)).transpose()
}

/// Returns the origin of the request, if its pages may send requests.
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
