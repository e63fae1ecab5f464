//! Request for a page.

use std::time::Duration;

use url::Url;

use crate::FetchError;

/// Validators of the page from an earlier response: the host need not send an unchanged page again (RFC 9110, section 13).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The `ETag` of the stored page.
    pub etag: Option<String>,
    /// The `Last-Modified` of the stored page.
    pub last_modified: Option<String>,
}

impl Conditions {
    /// Returns whether there are no validators.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// Way in which the document of a page is obtained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rendering {
    /// As the host sends it.
    #[default]
    AsSent,
    /// As a browser shows it after its scripts ran for this long, in the browser's virtual time.
    Browser {
        /// Time for which the page's scripts and timers run.
        settle: Duration,
    },
}

/// A request for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    /// URL of the page: `http`, `https` or `file`.
    pub url: Url,
    /// Further headers by name and value. Those that the connection needs for itself cannot be set. They do not follow a
    /// redirect to another origin.
    pub headers: Vec<(String, String)>,
    /// Validators of the stored page.
    pub conditions: Conditions,
    /// Way in which the document is obtained: as sent, or from a browser.
    pub rendering: Rendering,
    /// Minimum time between two requests to the host, if the settings and robots.txt allow shorter ones: a source's own
    /// delay, applied among all requests that have one.
    pub delay: Duration,
    /// Time limit of one try; `None`: the limit in the settings.
    pub timeout: Option<Duration>,
}

impl FetchRequest {
    /// The page at `url`, with nothing special about it.
    pub fn new(url: Url) -> Self {
        Self {
            url,
            headers: Vec::new(),
            conditions: Conditions::default(),
            rendering: Rendering::AsSent,
            delay: Duration::ZERO,
            timeout: None,
        }
    }

    /// The page whose address is `text`.
    ///
    /// # Errors
    ///
    /// [`FetchError::InvalidUrl`].
    pub fn parse(text: &str) -> Result<Self, FetchError> {
        // An invalid URL may still contain a password.
        let masked = || text.rsplit_once('@').map_or_else(|| text.to_owned(), |(_, rest)| format!("...@{rest}"));
        let invalid = |source| FetchError::InvalidUrl { text: masked(), source };
        Url::parse(text).map(Self::new).map_err(invalid)
    }

    /// Adds a header to the request.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Makes the request conditional: the body is sent only if the page has changed.
    #[must_use]
    pub fn when_changed(mut self, conditions: Conditions) -> Self {
        self.conditions = conditions;
        self
    }

    /// Sets the request to run scripts, in a browser.
    #[must_use]
    pub fn rendered(mut self, settle: Duration) -> Self {
        self.rendering = Rendering::Browser { settle };
        self
    }

    /// Sets the minimum time between this request and the previous one to the same host.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Sets a time limit for the request.
    #[must_use]
    pub fn within(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}
