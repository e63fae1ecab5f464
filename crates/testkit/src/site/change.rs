//! Changes to the site while it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::layout::Layout;

/// Pages to which a change applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Every page of the site.
    Whole,
    /// The page at this path. Changes to a page take precedence over changes to the whole site.
    Path(String),
}

impl From<&str> for Scope {
    fn from(path: &str) -> Self {
        Self::Path(path.to_owned())
    }
}

/// A change. Changes add up until [`Site::reset`](super::Site::reset); of two that contradict each other the later counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The same values in another layout.
    Layout(Layout),
    /// Every class gets a new, meaningless name; another number gives other names.
    RenameClasses(u64),
    /// New elements around the page's content and around every value.
    Wrap,
    /// Other tags for the same elements.
    Retag,
    /// A field vanishes, with its label; it is no longer among the true values.
    DeleteField(String),
    /// A field shows another value in its place. The true value is unchanged.
    ReplaceField {
        /// Name of the field.
        field: String,
        /// Text that replaces it.
        by: String,
    },
    /// Every answer waits for this long first.
    Delay(Duration),
    /// Every request gets this status and a page that says so.
    Status(u16),
    /// The next requests get this status, then all is as before.
    Failures {
        /// HTTP status of the responses.
        status: u16,
        /// Number of requests that fail.
        times: usize,
    },
    /// Status 429, with a `Retry-After` header of this value. With `times` only for that many requests.
    RateLimit {
        /// Seconds or an HTTP date.
        retry_after: Option<String>,
        /// Number of requests; `None`: all.
        times: Option<usize>,
    },
    /// 301 to this URL or path.
    RedirectPermanently(String),
    /// 302 to this URL or path.
    RedirectTemporarily(String),
    /// This answer, byte for byte.
    Raw(RawAnswer),
    /// A body that never ends: this piece again and again.
    Endless {
        /// Bytes of one piece.
        piece: Vec<u8>,
        /// The time between two pieces.
        pause: Duration,
    },
}

/// An answer with nothing added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawAnswer {
    /// The headers; the length is added.
    pub headers: Vec<(String, String)>,
    /// Body of the response.
    pub body: Vec<u8>,
}

impl RawAnswer {
    /// A body of this type.
    pub fn new(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { headers: Vec::new(), body: body.into() }.header("Content-Type", content_type)
    }

    /// The same answer with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// Response in place of a page.
#[derive(Debug, Clone)]
pub(super) enum Instead {
    Status { status: u16, headers: Vec<(String, String)>, times: Option<usize> },
    Redirect { status: u16, to: String },
    Raw(RawAnswer),
    Endless { piece: Vec<u8>, pause: Duration },
}

/// Every change to a scope, added up.
#[derive(Debug, Clone, Default)]
pub(super) struct Switches {
    pub(super) layout: Option<Layout>,
    pub(super) class_names: Option<u64>,
    pub(super) wrapped: bool,
    pub(super) retagged: bool,
    pub(super) deleted: BTreeSet<String>,
    pub(super) replaced: BTreeMap<String, String>,
    pub(super) delay: Option<Duration>,
    pub(super) instead: Option<Instead>,
}

impl Switches {
    pub(super) fn apply(&mut self, change: Change) {
        let status = |status, headers, times| Some(Instead::Status { status, headers, times });
        match change {
            Change::Layout(layout) => self.layout = Some(layout),
            Change::RenameClasses(seed) => self.class_names = Some(seed),
            Change::Wrap => self.wrapped = true,
            Change::Retag => self.retagged = true,
            Change::DeleteField(field) => {
                self.deleted.insert(field);
            }
            Change::ReplaceField { field, by } => {
                self.replaced.insert(field, by);
            }
            Change::Delay(delay) => self.delay = Some(delay),
            Change::Status(code) => self.instead = status(code, Vec::new(), None),
            Change::Failures { status: code, times } => self.instead = status(code, Vec::new(), Some(times)),
            Change::RateLimit { retry_after, times } => {
                let headers = retry_after.map(|value| ("Retry-After".to_owned(), value)).into_iter().collect();
                self.instead = status(429, headers, times);
            }
            Change::RedirectPermanently(to) => self.instead = Some(Instead::Redirect { status: 301, to }),
            Change::RedirectTemporarily(to) => self.instead = Some(Instead::Redirect { status: 302, to }),
            Change::Raw(answer) => self.instead = Some(Instead::Raw(answer)),
            Change::Endless { piece, pause } => self.instead = Some(Instead::Endless { piece, pause }),
        }
    }

    /// These switches, with those of a single page over them.
    pub(super) fn overlaid_by(&self, page: &Self) -> Self {
        Self {
            layout: page.layout.or(self.layout),
            class_names: page.class_names.or(self.class_names),
            wrapped: page.wrapped || self.wrapped,
            retagged: page.retagged || self.retagged,
            deleted: self.deleted.union(&page.deleted).cloned().collect(),
            replaced: self.replaced.iter().chain(&page.replaced).map(|(k, v)| (k.clone(), v.clone())).collect(),
            delay: page.delay.or(self.delay),
            instead: page.instead.clone().or_else(|| self.instead.clone()),
        }
    }

    /// Returns the response in place of the page for one request, and counts that request.
    pub(super) fn take_instead(&mut self) -> Option<Instead> {
        let is_over = match &mut self.instead {
            Some(Instead::Status { times: Some(0), .. }) => true,
            Some(Instead::Status { times: Some(times), .. }) => {
                *times -= 1;
                false
            }
            Some(
                Instead::Status { times: None, .. }
                | Instead::Redirect { .. }
                | Instead::Raw(_)
                | Instead::Endless { .. },
            )
            | None => false,
        };
        if is_over {
            self.instead = None;
        }
        self.instead.clone()
    }
}
