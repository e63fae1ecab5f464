//! Errors of a request.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use autoheal_engine::politeness::ReservationError;
use url::Url;

use crate::AddressKind;

/// Underlying error of any type.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Part of a request that timed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Connecting, including the TLS handshake.
    Connect,
    /// Waiting for the next piece of the response.
    Read,
    /// The request as a whole.
    Total,
    /// Rendering the page in the browser.
    Render,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting",
            Self::Read => "waiting for the answer to go on",
            Self::Total => "the whole answer",
            Self::Render => "rendering",
        })
    }
}

/// Reason a request has no response, with one variant for each cause that is handled differently. A status is never an
/// error: 404, 403, 429 and 500 are responses. URLs in errors hold no credentials.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The text is not a URL.
    #[error("{text:?} is not a URL; write it in full, such as https://example.com/page")]
    InvalidUrl {
        /// The text as it was given.
        text: String,
        /// Parse error of the text.
        #[source]
        source: url::ParseError,
    },
    /// A folder of snapshots replaces the network, so nothing can be sent.
    #[error("nothing is sent while a folder of snapshots replaces the network")]
    Offline,
    /// The header cannot be sent.
    #[error("the header {name:?} cannot be sent: {reason}")]
    InvalidHeader {
        /// Name of the header.
        name: String,
        /// Description of the problem.
        reason: &'static str,
    },
    /// The URL, or the one it redirects to, is not `http` or `https`.
    #[error("{url} is not a web page: only http and https are asked")]
    NotHttp {
        /// The rejected URL.
        url: String,
    },
    /// The target of a redirect is not a URL.
    #[error("{url} redirects to {location:?}, which is not a URL; the site has to repair it")]
    InvalidRedirect {
        /// URL that redirects.
        url: String,
        /// Value of its `Location` header.
        location: String,
    },
    /// The address is not on the public internet.
    #[error(
        "{url} leads to the {kind} address {address}; add it to the setting `fetch.allow_private` if it is meant to be asked"
    )]
    AddressForbidden {
        /// URL of the request or redirect.
        url: String,
        /// Address to which the URL leads.
        address: IpAddr,
        /// Kind of the address.
        kind: AddressKind,
    },
    /// The host name does not exist: the domain is gone, or was never there.
    #[error("the host {host} does not exist; check the name, or look for where the site has moved")]
    UnknownName {
        /// Host name without an address.
        host: String,
    },
    /// The lookup failed, so it is not known whether the name exists.
    #[error("the name {host} could not be looked up; check this machine's network and try again")]
    LookupFailed {
        /// Host name that was looked up.
        host: String,
        /// Cause of the failed lookup.
        #[source]
        source: Cause,
    },
    /// The host refused the connection: no server listens on the port.
    #[error("{url} refused the connection; check the port, or try again when the site is up")]
    Refused {
        /// URL of the request.
        url: String,
        /// Error of the connection attempt.
        #[source]
        source: Cause,
    },
    /// There is no route to the host.
    #[error("{url} cannot be reached; check this machine's network, or try again when the site is up")]
    Unreachable {
        /// URL of the request.
        url: String,
        /// Error of the connection attempt.
        #[source]
        source: Cause,
    },
    /// The secure connection failed: the certificate is invalid, or the server does not support TLS.
    #[error("no secure connection to {url}: {reason}")]
    Tls {
        /// URL of the request.
        url: String,
        /// Cause, and what to do about it.
        reason: &'static str,
        /// Error of the TLS handshake.
        #[source]
        source: Cause,
    },
    /// The connection ended before the response did, or the response is not HTTP.
    #[error("the answer of {url} broke off or is not HTTP; try again later")]
    Interrupted {
        /// URL of the request.
        url: String,
        /// Error of the HTTP client.
        #[source]
        source: Cause,
    },
    /// The body does not match its `Content-Encoding`.
    #[error("the answer of {url} cannot be decompressed; the site has to repair it")]
    Undecodable {
        /// URL of the request.
        url: String,
        /// Error of the decoder.
        #[source]
        source: Cause,
    },
    /// A time limit has expired.
    #[error("{url} took too long ({phase}, limit {} s); try again, or raise the limit", limit.as_secs_f32())]
    TimedOut {
        /// URL of the request.
        url: String,
        /// Part of the request that timed out.
        phase: Phase,
        /// Time limit of that part.
        limit: Duration,
    },
    /// The body is longer than the limit, compressed or decompressed.
    #[error("{url} is longer than {limit} bytes; raise `body_limit` if it is meant to be")]
    TooLarge {
        /// URL of the request.
        url: String,
        /// Maximum length of the body, in bytes.
        limit: u64,
    },
    /// The redirects exceed the limit.
    #[error("{url} redirects more than {limit} times, last to {last}; the site has to repair it")]
    TooManyRedirects {
        /// URL of the first request.
        url: String,
        /// URL of the last redirect.
        last: String,
        /// Maximum number of redirects that are followed.
        limit: usize,
    },
    /// The robots.txt of the site forbids the request.
    #[error("the robots.txt of the site forbids {url}; ask its owner, or leave it")]
    RobotsDisallowed {
        /// URL of the page.
        url: String,
    },
    /// The robots.txt of the site is unavailable, which forbids every request (RFC 9309, section 2.3.1.4).
    #[error("robots.txt for {url} was answered with {status}, which forbids everything; try again in {} s", retry_in.as_secs())]
    RobotsUnavailable {
        /// URL of the page.
        url: String,
        /// Status of the response to the request for robots.txt.
        status: u16,
        /// Time until robots.txt is requested again.
        retry_in: Duration,
    },
    /// The next request slot of the host is too far away to wait for it.
    #[error("the next turn at {host} is {} s away; come back then", wait.as_secs())]
    Postponed {
        /// Host of the request.
        host: String,
        /// Time until the slot.
        wait: Duration,
    },
    /// Reserving a request slot failed.
    #[error("no turn at {host} could be reserved; check the database")]
    Reservation {
        /// Host of the request.
        host: String,
        /// Error of the reservation.
        #[source]
        source: ReservationError,
    },
    /// The file is outside the folders that may be read, or not an ordinary file.
    #[error("{} may not be read; `allow_files` names the folders whose ordinary files may be", path.display())]
    FileRefused {
        /// Path of the rejected file.
        path: PathBuf,
    },
    /// The file does not exist or cannot be read.
    #[error("{} cannot be read; check the path", path.display())]
    FileMissing {
        /// Path of the file.
        path: PathBuf,
        /// Error from opening or reading the file.
        #[source]
        source: std::io::Error,
    },
    /// The folder of snapshots does not contain the page.
    #[error("there is no snapshot of {url}; store it as {}", path.display())]
    SnapshotMissing {
        /// URL of the page.
        url: String,
        /// Path at which the snapshot is expected.
        path: PathBuf,
    },
    /// This build, or this machine, has no browser.
    #[error("no browser to render with: {reason}")]
    BrowserMissing {
        /// Missing component, and the remedy.
        reason: &'static str,
    },
    /// The browser returned no document.
    #[error("the browser failed on {url}: {reason}")]
    RenderFailed {
        /// URL of the page.
        url: String,
        /// End of the browser's error output.
        reason: String,
    },
    /// The settings cannot be used.
    #[error("the fetcher cannot be made: {reason}")]
    Settings {
        /// Description of the problem.
        reason: &'static str,
        /// Error of the component that rejected the settings.
        #[source]
        source: Cause,
    },
}

impl FetchError {
    /// Returns whether a retry seconds later may well succeed, because the connection failed in a way that may be temporary.
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::LookupFailed { .. } | Self::Refused { .. } | Self::Unreachable { .. } | Self::Interrupted { .. } => {
                true
            }
            Self::TimedOut { phase, .. } => matches!(phase, Phase::Connect),
            Self::InvalidUrl { .. }
            | Self::InvalidHeader { .. }
            | Self::NotHttp { .. }
            | Self::InvalidRedirect { .. }
            | Self::AddressForbidden { .. }
            | Self::UnknownName { .. }
            | Self::Tls { .. }
            | Self::Undecodable { .. }
            | Self::TooLarge { .. }
            | Self::TooManyRedirects { .. }
            | Self::RobotsDisallowed { .. }
            | Self::RobotsUnavailable { .. }
            | Self::Postponed { .. }
            | Self::Reservation { .. }
            | Self::FileRefused { .. }
            | Self::FileMissing { .. }
            | Self::SnapshotMissing { .. }
            | Self::BrowserMissing { .. }
            | Self::RenderFailed { .. }
            | Self::Offline
            | Self::Settings { .. } => false,
        }
    }
}

/// A URL as it may be printed: without the name and password that it may hold.
pub(crate) fn shown(url: &Url) -> String {
    if url.username().is_empty() && url.password().is_none() {
        return url.to_string();
    }
    let mut bare = url.clone();
    // Both fail only for URLs that cannot have credentials.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    bare.to_string()
}
