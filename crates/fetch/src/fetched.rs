//! Response to a request for a page.

use std::time::Duration;

use bytes::Bytes;
use url::Url;

use crate::Conditions;

/// Origin of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// Response of the host.
    Network,
    /// The host states that the page has not changed since the response whose [`Conditions`] were sent; there is no body.
    NotModified,
    /// Document of a browser after its scripts ran; status and headers are those of the host's response.
    Browser,
    /// A file that a `file://` URL names.
    File,
    /// The folder of snapshots.
    Snapshot,
}

/// A redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// URL that answered with a redirect.
    pub from: Url,
    /// Target of the redirect.
    pub to: Url,
    /// 301, 302, 303, 307 or 308.
    pub status: u16,
}

impl Redirect {
    /// Returns whether the page has moved permanently (RFC 9110, 301 and 308): the new address is the one to remember.
    pub const fn is_permanent(&self) -> bool {
        matches!(self.status, 301 | 308)
    }
}

/// Response headers that other crates use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerHeaders {
    /// Value of `ETag`, for use in later conditional requests.
    pub etag: Option<String>,
    /// Value of `Last-Modified`, for use in later conditional requests.
    pub last_modified: Option<String>,
    /// `Content-Type`, with its charset: who reads the body decodes it.
    pub content_type: Option<String>,
    /// `Retry-After`, as the time from the answer on.
    pub retry_after: Option<Duration>,
}

/// Response with any status, including 404 and 500.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// URL of the page, after all redirects.
    pub url: Url,
    /// The status; 200 for files and snapshots.
    pub status: u16,
    /// Headers of the response.
    pub headers: AnswerHeaders,
    /// The body, decompressed, its text as it was encoded.
    pub body: Bytes,
    /// The redirects that led here, in order.
    pub redirects: Vec<Redirect>,
    /// Origin of the page.
    pub provenance: Provenance,
    /// Number of tries that were made.
    pub tries: u32,
    /// Duration of the last try, without waits for a turn and between tries.
    pub elapsed: Duration,
}

impl Fetched {
    /// Returns whether there is a page: a status of 200 to 299, with a body to read.
    pub const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }

    /// Returns whether the page is HTML according to its `Content-Type`; a response without that header may be HTML, too.
    pub fn is_html(&self) -> bool {
        let Some(content_type) = &self.headers.content_type else { return true };
        let kind = content_type.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("text/html") || kind.eq_ignore_ascii_case("application/xhtml+xml")
    }

    /// Returns the *permanent* new URL of the page: the target of the last of the permanent redirects that come first.
    /// `None`: the page has not moved permanently.
    pub fn moved_to(&self) -> Option<&Url> {
        self.redirects.iter().take_while(|redirect| redirect.is_permanent()).last().map(|redirect| &redirect.to)
    }

    /// Returns the conditions to send with the next request for the page.
    pub fn conditions(&self) -> Conditions {
        Conditions { etag: self.headers.etag.clone(), last_modified: self.headers.last_modified.clone() }
    }
}
