//! Why there is no answer.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use autoheal_engine::politeness::ReservationError;
use url::Url;

use crate::AddressKind;

/// A lower error, whatever its type.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// What took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Connecting, TLS included.
    Connect,
    /// The next piece of the answer.
    Read,
    /// The whole of it.
    Total,
    /// The browser.
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

/// Why no answer came, one variant for each cause that is treated differently. A status is never an error: 404, 403, 429
/// and 500 are answers. URLs in it hold no credentials.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The text is not a URL.
    #[error("{text:?} is not a URL; write it in full, such as https://example.com/page")]
    InvalidUrl {
        /// The text.
        text: String,
        /// What is wrong with it.
        #[source]
        source: url::ParseError,
    },
    /// A folder of snapshots stands for the network: nothing leaves this machine.
    #[error("nothing is sent while a folder of snapshots stands for the network")]
    Offline,
    /// A header that cannot be sent.
    #[error("the header {name:?} cannot be sent: {reason}")]
    InvalidHeader {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The URL, or the one it redirects to, is of another kind.
    #[error("{url} is not a web page: only http and https are asked")]
    NotHttp {
        /// The URL.
        url: String,
    },
    /// A redirect to nowhere.
    #[error("{url} redirects to {location:?}, which is not a URL; the site has to repair it")]
    InvalidRedirect {
        /// Who redirects.
        url: String,
        /// Where to.
        location: String,
    },
    /// The address is not of the public internet.
    #[error(
        "{url} leads to the {kind} address {address}; add it to the setting `fetch.allow_private` if it is meant to be asked"
    )]
    AddressForbidden {
        /// The URL.
        url: String,
        /// The address.
        address: IpAddr,
        /// Which kind of address it is.
        kind: AddressKind,
    },
    /// There is no such name: the domain is gone, or was never there.
    #[error("the host {host} does not exist; check the name, or look for where the site has moved")]
    UnknownName {
        /// The name.
        host: String,
    },
    /// Nobody could say whether there is such a name.
    #[error("the name {host} could not be looked up; check this machine's network and try again")]
    LookupFailed {
        /// The name.
        host: String,
        /// Why.
        #[source]
        source: Cause,
    },
    /// Nothing listens there.
    #[error("{url} refused the connection; check the port, or try again when the site is up")]
    Refused {
        /// The URL.
        url: String,
        /// Why.
        #[source]
        source: Cause,
    },
    /// There is no way to it.
    #[error("{url} cannot be reached; check this machine's network, or try again when the site is up")]
    Unreachable {
        /// The URL.
        url: String,
        /// Why.
        #[source]
        source: Cause,
    },
    /// No secure connection: a certificate that is not valid, or no TLS at all.
    #[error("no secure connection to {url}; check its certificate, or whether it is an http address")]
    Tls {
        /// The URL.
        url: String,
        /// Why.
        #[source]
        source: Cause,
    },
    /// The connection ended before the answer did, or the answer is not HTTP.
    #[error("the answer of {url} broke off or is not HTTP; try again later")]
    Interrupted {
        /// The URL.
        url: String,
        /// Why.
        #[source]
        source: Cause,
    },
    /// The body is not what its `Content-Encoding` says.
    #[error("the answer of {url} cannot be decompressed; the site has to repair it")]
    Undecodable {
        /// The URL.
        url: String,
        /// Why.
        #[source]
        source: Cause,
    },
    /// It took too long.
    #[error("{url} took too long ({phase}, limit {} s); try again, or raise the limit", limit.as_secs_f32())]
    TimedOut {
        /// The URL.
        url: String,
        /// What took too long.
        phase: Phase,
        /// How long it was given.
        limit: Duration,
    },
    /// The body is longer than wanted, compressed or not.
    #[error("{url} is longer than {limit} bytes; raise `body_limit` if it is meant to be")]
    TooLarge {
        /// The URL.
        url: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// Redirects without an end.
    #[error("{url} redirects more than {limit} times, last to {last}; the site has to repair it")]
    TooManyRedirects {
        /// Where it began.
        url: String,
        /// Where it had led to.
        last: String,
        /// How many are followed.
        limit: usize,
    },
    /// The site does not want this page to be fetched by programs.
    #[error("the robots.txt of the site forbids {url}; ask its owner, or leave it")]
    RobotsDisallowed {
        /// The URL.
        url: String,
    },
    /// The site could not say what it wants, which counts as a no (RFC 9309, section 2.3.1.4).
    #[error("robots.txt for {url} was answered with {status}, which forbids everything; try again in {} s", retry_in.as_secs())]
    RobotsUnavailable {
        /// The URL of the page.
        url: String,
        /// What robots.txt was answered with.
        status: u16,
        /// When it is asked again.
        retry_in: Duration,
    },
    /// The host's next turn is too far away to wait for it.
    #[error("the next turn at {host} is {} s away; come back then", wait.as_secs())]
    Postponed {
        /// The host.
        host: String,
        /// How far away it is.
        wait: Duration,
    },
    /// Nobody could say when the host's next turn is.
    #[error("no turn at {host} could be reserved; check the database")]
    Reservation {
        /// The host.
        host: String,
        /// Why.
        #[source]
        source: ReservationError,
    },
    /// The file is outside the folders that may be read, or not an ordinary file.
    #[error("{} may not be read; `allow_files` names the folders whose ordinary files may be", path.display())]
    FileRefused {
        /// The file.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("{} cannot be read; check the path", path.display())]
    FileMissing {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The folder of snapshots has no such page.
    #[error("there is no snapshot of {url}; store it as {}", path.display())]
    SnapshotMissing {
        /// The URL.
        url: String,
        /// Where it is looked for.
        path: PathBuf,
    },
    /// This build, or this machine, has no browser.
    #[error("no browser to render with: {reason}")]
    BrowserMissing {
        /// What is missing, and what to do.
        reason: &'static str,
    },
    /// The browser did not give a document.
    #[error("the browser failed on {url}: {reason}")]
    RenderFailed {
        /// The URL.
        url: String,
        /// The end of what it said.
        reason: String,
    },
    /// The settings cannot be used.
    #[error("the fetcher cannot be made: {reason}")]
    Settings {
        /// What is wrong.
        reason: &'static str,
        /// Why.
        #[source]
        source: Cause,
    },
}

impl FetchError {
    /// Whether the next try, seconds later, may well succeed: the connection failed in a way that passes.
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
