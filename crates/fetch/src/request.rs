//! What is asked for.

use std::time::Duration;

use url::Url;

use crate::FetchError;

/// What is known of the page from an earlier answer: the host need not send it again when it did not change (RFC 9110,
/// section 13).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The `ETag` of the stored page.
    pub etag: Option<String>,
    /// The `Last-Modified` of the stored page.
    pub last_modified: Option<String>,
}

impl Conditions {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// How the page comes to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rendering {
    /// As the host sends it.
    #[default]
    AsSent,
    /// As it stands in a browser after its scripts ran for this long, in the browser's time.
    Browser {
        /// How long the page's scripts and timers run.
        settle: Duration,
    },
}

/// A request for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    /// Where: `http`, `https` or `file`.
    pub url: Url,
    /// Further headers by name and value. Those that the connection needs for itself cannot be set. They do not follow a
    /// redirect to another origin.
    pub headers: Vec<(String, String)>,
    /// What is known of the page.
    pub conditions: Conditions,
    /// Whether scripts run.
    pub rendering: Rendering,
    /// The time that is to lie between two requests to the host, when the settings and robots.txt want less: a source's own
    /// delay, kept among all requests that have one.
    pub delay: Duration,
    /// How long one try may take, when not as long as in the settings.
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
        // What cannot be understood may hold a password all the same.
        let masked = || text.rsplit_once('@').map_or_else(|| text.to_owned(), |(_, rest)| format!("...@{rest}"));
        let invalid = |source| FetchError::InvalidUrl { text: masked(), source };
        Url::parse(text).map(Self::new).map_err(invalid)
    }

    /// The same request with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same request, to be answered only when the page changed.
    #[must_use]
    pub fn when_changed(mut self, conditions: Conditions) -> Self {
        self.conditions = conditions;
        self
    }

    /// The same request, with scripts run.
    #[must_use]
    pub fn rendered(mut self, settle: Duration) -> Self {
        self.rendering = Rendering::Browser { settle };
        self
    }

    /// The same request, with this time between it and the one before to the same host.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The same request with a time limit of its own.
    #[must_use]
    pub fn within(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}
