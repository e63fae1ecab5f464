//! The tools over HTTP.
//!
//! | | |
//! | --- | --- |
//! | `GET /healthz` | whether the server is there |
//! | `GET /api/tools` | every tool with the JSON Schema of its input |
//! | `POST /api/tools/NAME` | calls a tool. With `Accept: text/event-stream` progress comes as events `progress`, then `answer` or `error` |
//!
//! An error is `{"error": {"code": ..., "message": ...}}`.

mod calls;
mod guard;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::tools::{self, Services};

/// The longest body, in bytes.
const LONGEST_BODY: usize = 1 << 20;

/// The header that says for whom a program asks.
const USER: &str = "x-autoheal-user";

/// Who may ask.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Whoever asks must know it: `Authorization: Bearer TOKEN`.
    pub token: Option<SecretString>,
    /// Names under which the server may be asked without a token, beside those of the loopback interface.
    pub hosts: Vec<String>,
    /// Origins (`https://chat.example`) whose pages may ask, beside the server's own.
    pub origins: Vec<String>,
}

/// Why the server cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Everybody in the network could ask.
    #[error("{0} can be reached from other machines: set a token in AUTOHEAL_TOKEN, or listen at 127.0.0.1")]
    NoToken(SocketAddr),
    /// The address cannot be had.
    #[error("{address} cannot be listened at")]
    Address {
        /// Which.
        address: SocketAddr,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// A server that listens and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    access: Access,
}

impl Server {
    /// Listens. Without a token only on the loopback interface.
    ///
    /// # Errors
    ///
    /// [`BindError`].
    pub async fn bind(address: SocketAddr, access: Access) -> Result<Self, BindError> {
        if access.token.is_none() && !address.ip().is_loopback() {
            return Err(BindError::NoToken(address));
        }
        let listener = TcpListener::bind(address).await.map_err(|source| BindError::Address { address, source })?;
        Ok(Self { listener, access })
    }

    /// Where it listens.
    ///
    /// # Errors
    ///
    /// When the system does not say.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `stop`, and then ends what it was asked.
    ///
    /// # Errors
    ///
    /// When the connection to the network breaks.
    pub async fn serve(self, services: Services, stop: CancellationToken) -> std::io::Result<()> {
        let shared = Shared { services: Arc::new(services), stop: stop.clone(), calls: TaskTracker::new() };
        let calls = shared.calls.clone();
        let served = axum::serve(self.listener, router(shared, self.access))
            .with_graceful_shutdown(stop.cancelled_owned())
            .await;
        // Every call was told to stop: it may have a task to cancel.
        calls.close();
        calls.wait().await;
        served
    }
}

/// What every request needs.
#[derive(Clone)]
struct Shared {
    services: Arc<Services>,
    stop: CancellationToken,
    /// The calls under way, also those that nobody waits for any more.
    calls: TaskTracker,
}

fn router(shared: Shared, access: Access) -> Router {
    let api = Router::new()
        .route("/api/tools", get(list))
        .route("/api/tools/{name}", post(call))
        .fallback(|| async { error(StatusCode::NOT_FOUND, "NOT_FOUND", "there is nothing at this address") })
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(middleware::from_fn_with_state(Arc::new(access), guard::check))
        .with_state(shared);
    let health = Router::new()
        .route("/healthz", get(|| async { Json(json!({ "status": "ok" })) }))
        .method_not_allowed_fallback(wrong_method);
    health.merge(api)
}

async fn wrong_method() -> Response {
    error(StatusCode::METHOD_NOT_ALLOWED, "INVALID_INPUT", "this address is not asked by this method")
}

async fn list() -> Json<Value> {
    let described = tools::tools()
        .iter()
        .map(|tool| json!({ "name": tool.name(), "description": tool.description(), "input": tool.input() }));
    Json(json!({ "tools": described.collect::<Vec<_>>() }))
}

async fn call(
    State(shared): State<Shared>,
    name: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    input: Result<Json<Value>, JsonRejection>,
) -> Response {
    // A name that cannot be read is none, either.
    let Some(tool) = name.ok().and_then(|Path(name)| tools::find(&name)) else {
        return error(StatusCode::NOT_FOUND, "NOT_FOUND", "there is no such tool: GET /api/tools lists them");
    };
    let Json(input) = match input {
        Ok(input) => input,
        Err(rejection) => return error(rejection.status(), "INVALID_INPUT", &rejection.body_text()),
    };
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let user = text(USER).map(str::to_owned);
    let under_way = calls::begin(tool, &shared, input, user);
    if text(header::ACCEPT.as_str()).is_some_and(|accepted| accepted.contains("text/event-stream")) {
        under_way.into_events().into_response()
    } else {
        under_way.into_answer().await
    }
}

fn error(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(json!({ "error": { "code": code, "message": message } }))).into_response()
}
