//! How much may be asked, and how long that may take.

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

/// How many requests may come at once of those that may come in so many seconds.
const BURST: u32 = 4;

/// How many clients are remembered before those are forgotten that ask no more.
const REMEMBERED: usize = 10_000;

/// How long an operation may take; tools, which take minutes, have no such limit.
const PATIENCE: Duration = Duration::from_mins(1);

/// Who asks how often.
#[derive(Clone)]
pub(super) struct Rate(Option<Arc<Limiter>>);

struct Limiter {
    clients: DefaultKeyedRateLimiter<Client>,
    /// When those were forgotten last that ask no more.
    swept: Mutex<Instant>,
}

impl Limiter {
    /// Forgets those that ask no more, once a second at most, however many requests come.
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
    /// So many requests a second for each client; 0: as many as they like.
    pub(super) fn new(requests_per_second: u32) -> Self {
        Self(NonZeroU32::new(requests_per_second).map(|rate| {
            let burst = rate.saturating_mul(NonZeroU32::MIN.saturating_add(BURST - 1));
            let clients = RateLimiter::keyed(Quota::per_second(rate).allow_burst(burst));
            Arc::new(Limiter { clients, swept: Mutex::new(Instant::now()) })
        }))
    }
}

/// Lets pass who has not asked too much.
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

/// How long a body may take as a whole.
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

/// Ends what takes too long.
pub(super) async fn check_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(PATIENCE, next.run(request)).await {
        Ok(response) => response,
        Err(_) => ApiError::new(ApiCode::Internal, "that took too long: ask for less, or ask again later")
            .at(StatusCode::SERVICE_UNAVAILABLE)
            .into_response(),
    }
}
