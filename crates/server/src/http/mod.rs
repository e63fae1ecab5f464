//! The HTTP server: the dashboard, the API (see [`crate::api`]), the tools, and access control.
//!
//! | | |
//! | --- | --- |
//! | `GET /` | the dashboard |
//! | `GET /healthz`, `GET /readyz` | liveness of the server, and its readiness for work |
//! | `GET /metrics` | metrics, for Prometheus |
//! | `GET /api/openapi.json` | the description of the API |
//! | `GET /api/tools/openapi.json` | the description of the tools alone |
//! | `POST /api/tools/NAME` | calls a tool. With `Accept: text/event-stream` progress comes as events `progress`, then `answer` or `error` |
//!
//! # Layout
//!
//! - `connections`: accepting and closing connections; `clients`: identification of clients
//! - `limits`: limits on requests and their duration
//! - `guard`: access control, and security headers for browsers
//! - `calls`: tool calls
//! - `dashboard`: the dashboard's page
//! - `metrics`: the metrics

mod calls;
mod clients;
mod connections;
mod dashboard;
mod guard;
mod limits;
mod metrics;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router, middleware};
use secrecy::SecretString;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use calls::Reading;
use dashboard::Page;
pub use dashboard::has_dashboard;
use limits::Rate;
use metrics::Metrics;
use tower_http::compression::CompressionLayer;
use url::Url;

use crate::api::error::{ApiCode, ApiError};
use crate::api::tools::serve_tools_description;
use crate::api::{self, Followers, User};
use crate::tools::{self, Services};

/// The longest body, in bytes.
const LONGEST_BODY: usize = 1 << 20;

/// The token of one user or client.
#[derive(Debug, Clone)]
pub struct UserToken {
    /// Name that is recorded with what its user decides.
    pub user: String,
    /// The token.
    pub token: SecretString,
}

/// Access control and limits of the server.
#[derive(Debug, Clone)]
pub struct Access {
    /// The token of every request: `Authorization: Bearer TOKEN`. Without it nothing is answered but the files of the dashboard, the probes,
    /// and signed webhooks.
    pub token: SecretString,
    /// Name of the user of this token, unless a client says another one.
    pub user: Option<String>,
    /// Further tokens, each of one user, whatever name the client says.
    pub user_tokens: Vec<UserToken>,
    /// True if the server may be reached from other machines, and under any name: its user has set a token for that purpose.
    pub is_public: bool,
    /// Host names accepted by a server that is not public, in addition to those of the loopback interface.
    pub hosts: Vec<String>,
    /// Origins (`https://chat.example`) whose pages may send requests, in addition to the server's own.
    pub origins: Vec<String>,
    /// Maximum number of requests per second and client, with bursts of four times as many; 0: unlimited.
    pub requests_per_second: u32,
    /// Maximum number of simultaneous connections per client, including those that follow a run; 0: unlimited.
    pub connections_per_client: usize,
    /// Address to which the dashboard reports its crashes; `None`: crashes are not reported.
    pub error_sink: Option<Url>,
}

impl Access {
    /// Returns the settings for access from this machine only, with the token; no other limits.
    pub fn new(token: SecretString) -> Self {
        let (hosts, origins) = (Vec::new(), Vec::new());
        Self {
            token,
            user: None,
            user_tokens: Vec::new(),
            is_public: false,
            hosts,
            origins,
            requests_per_second: 0,
            connections_per_client: 0,
            error_sink: None,
        }
    }
}

/// Reason the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The token was not chosen for others to know.
    #[error("{0} can be reached from other machines: set a token in AUTOHEAL_TOKEN, or listen at 127.0.0.1")]
    NotPublic(SocketAddr),
    /// The address cannot be had.
    #[error("{address} cannot be listened at")]
    Address {
        /// Address to listen at.
        address: SocketAddr,
        /// Cause of the error.
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
    /// Listens; only on the loopback interface unless the server is public.
    ///
    /// # Errors
    ///
    /// [`BindError`].
    pub async fn bind(address: SocketAddr, access: Access) -> Result<Self, BindError> {
        if !access.is_public && !address.ip().is_loopback() {
            return Err(BindError::NotPublic(address));
        }
        let listener = TcpListener::bind(address).await.map_err(|source| BindError::Address { address, source })?;
        Ok(Self { listener, access })
    }

    /// Returns the address that the server listens at.
    ///
    /// # Errors
    ///
    /// When the system cannot report the address.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves requests until `stop`, then finishes the open ones.
    pub async fn serve(self, services: Services, stop: CancellationToken) {
        let followers = Followers::new(services.store.clone(), services.worker.feed().clone(), stop.clone());
        let (calls, metrics) = (TaskTracker::new(), Metrics::new());
        let page = Arc::new(Page::new(self.access.error_sink.as_ref()));
        let services = Arc::new(services);
        let reading = Reading::default();
        let api = api::Shared { services, stop: stop.clone(), followers };
        let state = ServerState { api, metrics, page, reading, calls: calls.clone() };
        let most = self.access.connections_per_client;
        connections::serve(self.listener, router(state, self.access), most, stop).await;
        // Every call has to stop now: it may have a task to cancel.
        calls.close();
        calls.wait().await;
    }
}

/// State that the handlers of all requests share.
#[derive(Clone)]
struct ServerState {
    api: api::Shared,
    metrics: Metrics,
    page: Arc<Page>,
    reading: Reading,
    /// Calls in progress, including those whose client has disconnected.
    calls: TaskTracker,
}

fn router(state: ServerState, access: Access) -> Router {
    let (rate, metrics, access) = (Rate::new(access.requests_per_second), state.metrics.clone(), Arc::new(access));
    let timed = Router::from(api::operations())
        .with_state(state.api.clone())
        .route("/api/openapi.json", get(description))
        .route("/api/tools/openapi.json", get(serve_tools_description))
        .route("/metrics", get(metrics::serve))
        .layer(middleware::from_fn(limits::check_time));
    let api = timed
        .route("/api/tools/{name}", post(call))
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(limits::check_body))
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(middleware::from_fn_with_state(Arc::clone(&access), guard::check_token))
        .fallback(dashboard::serve)
        .layer(middleware::from_fn_with_state(Arc::clone(&access), guard::check_place))
        .layer(middleware::from_fn_with_state(rate.clone(), limits::check_rate))
        .with_state(state.clone());
    // Who sends these knows no token and has no name that is ours: they are signed.
    let webhooks = Router::from(api::webhooks())
        .with_state(state.api.clone())
        .layer(middleware::from_fn(limits::check_time))
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(limits::check_body))
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(middleware::from_fn_with_state(rate, limits::check_rate))
        .with_state(state.clone());
    let probes = Router::from(api::probes()).method_not_allowed_fallback(wrong_method).with_state(state.api);
    probes
        .merge(webhooks)
        .merge(api)
        .layer(middleware::from_fn_with_state(access, guard::tell_browsers))
        .layer(middleware::from_fn_with_state(metrics, metrics::count))
        .layer(CompressionLayer::new())
}

async fn wrong_method() -> ApiError {
    ApiError::invalid("this address is not asked by this method").at(StatusCode::METHOD_NOT_ALLOWED)
}

async fn description() -> Json<utoipa::openapi::OpenApi> {
    Json(api::description())
}

async fn call(
    State(state): State<ServerState>,
    name: Result<Path<String>, PathRejection>,
    Extension(User(user)): Extension<User>,
    headers: HeaderMap,
    input: Result<Json<Value>, JsonRejection>,
) -> Response {
    // An unreadable name is unknown, too.
    let Some(tool) = name.ok().and_then(|Path(name)| tools::find(&name)) else {
        let message = "there is no such tool: GET /api/tools lists them";
        return ApiError::new(ApiCode::NotFound, message).into_response();
    };
    let Json(input) = match input {
        Ok(input) => input,
        Err(rejection) => return ApiError::from(rejection).into_response(),
    };
    let turn = match state.reading.turn_for(tool) {
        Ok(turn) => turn,
        Err(busy) => return busy.into_response(),
    };
    let under_way = calls::begin(tool, &state, input, user, turn);
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if accepted.is_some_and(|accepted| accepted.contains("text/event-stream")) {
        under_way.into_events().into_response()
    } else {
        under_way.into_answer().await
    }
}
