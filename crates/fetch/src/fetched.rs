//! What came back.

use std::time::Duration;

use bytes::Bytes;
use url::Url;

use crate::Conditions;

/// Where a page came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// The host sent it.
    Network,
    /// The host says that it did not change since the answer whose [`Conditions`] were sent: there is no body.
    NotModified,
    /// A browser's document, after its scripts ran; status and headers are those of the host's answer.
    Browser,
    /// A file that a `file://` URL names.
    File,
    /// The folder of snapshots.
    Snapshot,
}

/// A redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// Who redirected.
    pub from: Url,
    /// Where to.
    pub to: Url,
    /// 301, 302, 303, 307 or 308.
    pub status: u16,
}

impl Redirect {
    /// Whether the page has moved for good (RFC 9110, 301 and 308): the new address is the one to remember.
    pub const fn is_permanent(&self) -> bool {
        matches!(self.status, 301 | 308)
    }
}

/// The headers of an answer that others work with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerHeaders {
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
    /// `Content-Type`, with its charset: who reads the body decodes it.
    pub content_type: Option<String>,
    /// `Retry-After`, as the time from the answer on.
    pub retry_after: Option<Duration>,
}

/// An answer, whatever its status: 404 and 500 are answers as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where the page is, after all redirects.
    pub url: Url,
    /// The status; 200 for files and snapshots.
    pub status: u16,
    /// What stood in the headers.
    pub headers: AnswerHeaders,
    /// The body, decompressed, its text as it was encoded.
    pub body: Bytes,
    /// The redirects that led here, in order.
    pub redirects: Vec<Redirect>,
    /// Where it came from.
    pub provenance: Provenance,
    /// How often it was tried.
    pub tries: u32,
    /// How long the answer took, of the last try: waiting for a turn and between tries is not counted.
    pub elapsed: Duration,
}

impl Fetched {
    /// Whether there is a page: a status of 200 to 299, with a body to read.
    pub const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }

    /// Whether the host says that it is HTML; one that says nothing may mean it.
    pub fn is_html(&self) -> bool {
        let Some(content_type) = &self.headers.content_type else { return true };
        let kind = content_type.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("text/html") || kind.eq_ignore_ascii_case("application/xhtml+xml")
    }

    /// Where the page is *for good*: as far as the redirects from the first one on were permanent. `None`: where it was.
    pub fn moved_to(&self) -> Option<&Url> {
        self.redirects.iter().take_while(|redirect| redirect.is_permanent()).last().map(|redirect| &redirect.to)
    }

    /// What to send with the next request for it.
    pub fn conditions(&self) -> Conditions {
        Conditions { etag: self.headers.etag.clone(), last_modified: self.headers.last_modified.clone() }
    }
}
