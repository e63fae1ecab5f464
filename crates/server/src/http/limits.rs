//! Rate limits and time limits for requests.

use std::net::Ipv4Addr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::clients::Client;
use crate::api::error::{ApiCode, ApiError};

/// Size of a burst, as a multiple of the requests allowed per second.
const BURST: u32 = 4;

/// Number of clients in memory above which inactive clients are removed.
const REMEMBERED: usize = 10_000;

/// Time limit of an operation; tools, which take minutes, have no such limit.
const PATIENCE: Duration = Duration::from_mins(1);

/// Rate limit, per client; `None`: unlimited.
#[derive(Clone)]
pub(super) struct Rate(Option<Arc<Limiter>>);

struct Limiter {
    clients: DefaultKeyedRateLimiter<Client>,
    /// Time of the last removal of inactive clients.
    swept: Mutex<Instant>,
}

impl Limiter {
    /// Removes inactive clients, at most once a second.
    fn sweep(&self) {
        if self.clients.len() <= REMEMBERED {
            return;
        }
        let Ok(mut swept) = self.swept.try_lock() else { return };
        if swept.elapsed() >= Duration::from_secs(1) {
            *swept = Instant::now();
            self.clients.retain_recent();
        }
    }
}

impl Rate {
    /// Limits each client to this number of requests per second; 0: unlimited.
    pub(super) fn new(requests_per_second: u32) -> Self {
        Self(NonZeroU32::new(requests_per_second).map(|rate| {
            let burst = rate.saturating_mul(NonZeroU32::MIN.saturating_add(BURST - 1));
            let clients = RateLimiter::keyed(Quota::per_second(rate).allow_burst(burst));
            Arc::new(Limiter { clients, swept: Mutex::new(Instant::now()) })
        }))
    }
}

/// Rejects the request when the client has sent too many.
pub(super) async fn check_rate(State(rate): State<Rate>, request: Request, next: Next) -> Response {
    let Some(limiter) = &rate.0 else { return next.run(request).await };
    let unknown = || Client::at(Ipv4Addr::UNSPECIFIED.into());
    let client = request.extensions().get::<Client>().copied().unwrap_or_else(unknown);
    limiter.sweep();
    match limiter.clients.check_key(&client) {
        Ok(()) => next.run(request).await,
        Err(refused) => {
            let wait = refused.wait_time_from(DefaultClock::default().now());
            let message = "too many requests from this address: ask again later, or set server.requests_per_second";
            ApiError::new(ApiCode::RateLimited, message).after(wait.as_secs() + 1).into_response()
        }
    }
}

/// Time limit for receiving a whole body.
const BODY: Duration = Duration::from_secs(20);

/// Takes the whole body before the operation begins.
pub(super) async fn check_body(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match tokio::time::timeout(BODY, Bytes::from_request(Request::from_parts(parts.clone(), body), &())).await {
        Ok(Ok(bytes)) => next.run(Request::from_parts(parts, bytes.into())).await,
        Ok(Err(rejection)) => ApiError::invalid(rejection.body_text()).at(rejection.status()).into_response(),
        Err(_) => {
            let message = "the body did not come in time: send it at once";
            ApiError::invalid(message).at(StatusCode::REQUEST_TIMEOUT).into_response()
        }
    }
}

/// Ends requests that exceed the time limit.
pub(super) async fn check_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(PATIENCE, next.run(request)).await {
        Ok(response) => response,
        Err(_) => ApiError::new(ApiCode::Internal, "that took too long: ask for less, or ask again later")
            .at(StatusCode::SERVICE_UNAVAILABLE)
            .into_response(),
    }
}
