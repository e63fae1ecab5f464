//! The client below: one request, one answer, no redirect followed.

use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response};
use url::{Host, Url};

use crate::address::AddressGuard;
use crate::error::{Cause, Phase, shown};
use crate::resolve::{GuardedResolver, ResolveError};
use crate::settings::TimeLimits;
use crate::{FetchError, FetchSettings, tls};

/// Response to one request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Handling of a body beyond the limit.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Overlong {
    /// The answer is refused.
    Refuse,
    /// The rest is left out (robots.txt, RFC 9309 section 2.5).
    Cut,
}

/// HTTP client that sends single requests, without redirects or retries.
#[derive(Debug)]
pub(crate) struct Transport {
    client: Client,
    guard: Arc<AddressGuard>,
    time: TimeLimits,
}

impl Transport {
    pub(crate) fn new(settings: &FetchSettings, guard: &Arc<AddressGuard>) -> Result<Self, FetchError> {
        let client = Client::builder()
            .tls_backend_preconfigured(tls::config()?)
            .user_agent(settings.user_agent())
            .redirect(Policy::none())
            // A proxy would look names up by itself, past the guard.
            .no_proxy()
            .dns_resolver(GuardedResolver::new(Arc::clone(guard)))
            .connect_timeout(settings.time.connect)
            .build()
            .map_err(|source| FetchError::Settings {
                reason: "the User-Agent holds characters that a header cannot",
                source: source.into(),
            })?;
        Ok(Self { client, guard: Arc::clone(guard), time: settings.time })
    }

    /// Checks what can be checked before a name is looked up: the scheme, and an IP address in the URL, for which the
    /// resolver is not called.
    pub(crate) fn check(&self, url: &Url) -> Result<(), FetchError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FetchError::NotHttp { url: shown(url) });
        }
        let address: IpAddr = match url.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            Some(Host::Domain(_)) => return Ok(()),
            None => return Err(FetchError::NotHttp { url: shown(url) }),
        };
        self.guard.check(url.host_str().unwrap_or_default(), address).map_err(|kind| FetchError::AddressForbidden {
            url: shown(url),
            address,
            kind,
        })
    }

    /// Sends a GET request and reads its response; the body of a redirect is not read. `silence` is the maximum time between
    /// two pieces of the response.
    pub(crate) async fn get(
        &self,
        url: &Url,
        headers: HeaderMap,
        limit: u64,
        overlong: Overlong,
        silence: Duration,
    ) -> Result<Answer, FetchError> {
        let response = self.send(url, self.client.get(url.clone()).headers(headers), silence).await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body =
            if is_redirect(status) { Bytes::new() } else { self.read(url, response, limit, overlong, silence).await? };
        Ok(Answer { status, headers, body })
    }

    /// Sends one POST and gives the status of its answer, whose body is not read.
    pub(crate) async fn post(
        &self,
        url: &Url,
        headers: HeaderMap,
        body: Vec<u8>,
        silence: Duration,
    ) -> Result<u16, FetchError> {
        let response = self.send(url, self.client.post(url.clone()).headers(headers).body(body), silence).await?;
        Ok(response.status().as_u16())
    }

    async fn send(&self, url: &Url, request: RequestBuilder, silence: Duration) -> Result<Response, FetchError> {
        self.check(url)?;
        within(silence, url, request.send()).await?.map_err(|error| self.classify(url, error))
    }

    /// Reads the body piece by piece: the limit applies to its length after decompression.
    async fn read(
        &self,
        url: &Url,
        mut response: Response,
        limit: u64,
        overlong: Overlong,
        silence: Duration,
    ) -> Result<Bytes, FetchError> {
        let limit_as_length = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut body = BytesMut::new();
        while let Some(piece) =
            within(silence, url, response.chunk()).await?.map_err(|error| self.classify(url, error))?
        {
            let room = limit_as_length - body.len();
            if piece.len() > room {
                match overlong {
                    Overlong::Refuse => return Err(FetchError::TooLarge { url: shown(url), limit }),
                    Overlong::Cut => {
                        body.extend_from_slice(&piece[..room]);
                        break;
                    }
                }
            }
            body.extend_from_slice(&piece);
        }
        Ok(body.freeze())
    }

    fn classify(&self, url: &Url, error: reqwest::Error) -> FetchError {
        let named = shown(url);
        let timed_out = |phase: Phase, limit: Duration| FetchError::TimedOut { url: shown(url), phase, limit };
        let host = || url.host_str().unwrap_or_default().to_owned();
        let error = error.without_url();

        if let Some(resolving) = find::<ResolveError>(&error) {
            return match resolving {
                ResolveError::UnknownName => FetchError::UnknownName { host: host() },
                ResolveError::Forbidden { address, kind } => {
                    FetchError::AddressForbidden { url: named, address: *address, kind: *kind }
                }
                ResolveError::Unanswered(_) => FetchError::LookupFailed { host: host(), source: error.into() },
            };
        }
        if error.is_timeout() {
            let connecting = error.is_connect();
            return if connecting {
                timed_out(Phase::Connect, self.time.connect)
            } else {
                timed_out(Phase::Read, self.time.read)
            };
        }
        if let Some(fault) = find::<rustls::Error>(&error) {
            return FetchError::Tls { url: named, reason: tls::reason(fault), source: error.into() };
        }
        let kind = causes(&error).filter_map(<dyn Error>::downcast_ref::<io::Error>).last().map(io::Error::kind);
        // Every failure of a body is reported as a decoding error; for an incomplete body, the HTTP error is below.
        let is_whole = find::<hyper::Error>(&error).is_none();
        let (is_connect, is_decode) = (error.is_connect(), error.is_decode() && is_whole);
        let source: Cause = error.into();
        match kind {
            Some(io::ErrorKind::ConnectionRefused) => FetchError::Refused { url: named, source },
            Some(io::ErrorKind::TimedOut) if is_connect => timed_out(Phase::Connect, self.time.connect),
            // A peer that disconnects during the handshake does not support TLS, or refuses our version.
            Some(io::ErrorKind::UnexpectedEof) if is_connect && url.scheme() == "https" => {
                FetchError::Tls { url: named, reason: tls::NO_TLS, source }
            }
            Some(_) | None if is_connect => FetchError::Unreachable { url: named, source },
            Some(_) | None if is_decode => FetchError::Undecodable { url: named, source },
            Some(_) | None => FetchError::Interrupted { url: named, source },
        }
    }
}

/// Returns whether a response with `status` is a redirect. 300 and 304 are not.
pub(crate) const fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// An error and its causes, from the outside in.
fn causes<'error>(error: &'error (dyn Error + 'static)) -> impl Iterator<Item = &'error (dyn Error + 'static)> {
    std::iter::successors(Some(error), |current| {
        let current: &'error (dyn Error + 'static) = *current;
        // The source of an I/O error is the source of the wrapped error, so the wrapped error itself would be missed.
        match current.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => current.source(),
        }
    })
}

/// The first error of type `T` among an error and its causes.
fn find<'error, T: Error + 'static>(error: &'error (dyn Error + 'static)) -> Option<&'error T> {
    causes(error).find_map(<dyn Error>::downcast_ref::<T>)
}

/// Waits for the next piece of a response, at most for `silence`.
async fn within<T>(silence: Duration, url: &Url, next: impl Future<Output = T>) -> Result<T, FetchError> {
    let timed_out = |_| FetchError::TimedOut { url: shown(url), phase: Phase::Read, limit: silence };
    tokio::time::timeout(silence, next).await.map_err(timed_out)
}
