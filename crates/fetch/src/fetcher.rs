//! Fetching of pages: the order of requests and checks.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use autoheal_engine::politeness::HostReservations;
use bytes::Bytes;
use reqwest::header::{
    ACCEPT, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
    LOCATION, RETRY_AFTER,
};
use tokio::time::Instant;
use url::Url;

use crate::address::AddressGuard;
use crate::error::{Phase, shown};
use crate::fetched::AnswerHeaders;
use crate::offline;
#[cfg(feature = "render")]
use crate::render::Browser;
use crate::retry;
use crate::robots::{Permission, RobotsCache};
use crate::settings::RobotsPolicy;
use crate::transport::{Answer, Overlong, Transport, is_redirect};
use crate::turns::{LocalReservations, Turns, host_of};
use crate::waiting;
use crate::{FetchError, FetchRequest, FetchSettings, Fetched, Provenance, Redirect, Rendering};

/// `Accept` header of requests that do not set one: pages first.
const ACCEPTED: HeaderValue =
    HeaderValue::from_static("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");

/// Headers that belong to the connection, not to a request.
const RESERVED_HEADERS: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Fetches pages. Create one per process: it holds the limits of each host and the robots.txt rules of each site.
#[derive(Debug)]
pub struct Fetcher {
    settings: FetchSettings,
    transport: Transport,
    turns: Turns,
    robots: RobotsCache,
    #[cfg(feature = "render")]
    browser: Browser,
}

impl Fetcher {
    /// A fetcher that keeps the turns of hosts in its own memory.
    ///
    /// # Errors
    ///
    /// [`FetchError::Settings`].
    pub fn new(settings: FetchSettings) -> Result<Self, FetchError> {
        Self::with_reservations(settings, Arc::new(LocalReservations::default()))
    }

    /// A fetcher that shares the turns of hosts with others.
    ///
    /// # Errors
    ///
    /// [`FetchError::Settings`].
    pub fn with_reservations(
        settings: FetchSettings,
        reservations: Arc<dyn HostReservations>,
    ) -> Result<Self, FetchError> {
        let guard = Arc::new(AddressGuard::new(&settings.allow_private));
        Ok(Self {
            transport: Transport::new(&settings, &guard)?,
            turns: Turns::new(reservations, settings.time.turn),
            robots: RobotsCache::default(),
            #[cfg(feature = "render")]
            browser: Browser::new(settings.render.clone(), settings.user_agent(), guard),
            settings,
        })
    }

    /// Fetches a page: waits for a request slot, sends the request, follows redirects, and retries temporary failures.
    ///
    /// A response with any status is `Ok`. Dropping the future cancels everything it started.
    ///
    /// # Errors
    ///
    /// See [`FetchError`].
    pub async fn fetch(&self, request: &FetchRequest) -> Result<Fetched, FetchError> {
        if request.url.scheme() == "file" {
            let (folders, url) = (self.settings.allow_files.clone(), request.url.clone());
            let limit = self.settings.body_limit;
            return in_background(move || offline::read_file(&folders, &url, limit)).await;
        }
        if let Some(folder) = &self.settings.snapshots {
            let (folder, url, limit) = (folder.clone(), request.url.clone(), self.settings.body_limit);
            return in_background(move || offline::read_snapshot(&folder, &url, limit)).await;
        }
        let headers = headers_of(request)?;
        let fetched = self.fetch_with_retries(request, &headers).await?;
        match request.rendering {
            Rendering::AsSent => Ok(fetched),
            Rendering::Browser { settle } => self.render(fetched, settle).await,
        }
    }

    /// Posts a body to a URL that its owner has configured. Does not check robots.txt, wait for a request slot, follow
    /// redirects or retry. Returns the status of the response.
    ///
    /// # Errors
    ///
    /// See [`FetchError`]: an address that may not be fetched may not be posted to either.
    pub async fn post(&self, request: &FetchRequest, body: Vec<u8>) -> Result<u16, FetchError> {
        if self.settings.snapshots.is_some() {
            return Err(FetchError::Offline);
        }
        let silence = request.timeout.unwrap_or(self.settings.time.read);
        self.transport.post(&request.url, headers_of(request)?, body, silence).await
    }

    /// Returns a picture of a page as a browser shows it, as PNG, after its scripts ran for `settle` in the browser's virtual time. The
    /// address is checked and rate-limited like any other; the browser's own requests pass the same guard.
    ///
    /// # Errors
    ///
    /// See [`FetchError`]. A build without the feature `render` has no browser, and stored pages have no picture.
    pub async fn picture(&self, url: &Url, settle: Duration) -> Result<Bytes, FetchError> {
        if self.settings.snapshots.is_some() || url.scheme() == "file" {
            return Err(FetchError::Offline);
        }
        self.take_picture(url, settle).await
    }

    #[cfg(feature = "render")]
    async fn take_picture(&self, url: &Url, settle: Duration) -> Result<Bytes, FetchError> {
        let permission = self.permission(url).await?;
        let mut limits = self.settings.limits_of(&host_of(url));
        limits.pace = limits.pace.at_least(permission.crawl_delay.unwrap_or_default());
        let _permit = self.turns.wait(url, limits).await?;
        self.browser.picture(url, settle).await
    }

    #[cfg(not(feature = "render"))]
    #[expect(clippy::unused_async, reason = "the same signature as with the feature `render`")]
    async fn take_picture(&self, url: &Url, _settle: Duration) -> Result<Bytes, FetchError> {
        tracing::debug!(url = %shown(url), "asked for a picture without a browser");
        Err(FetchError::BrowserMissing { reason: NO_BROWSER })
    }

    /// Returns the sitemaps that the robots.txt of `site` names.
    ///
    /// # Errors
    ///
    /// See [`FetchError`].
    pub async fn sitemaps(&self, site: &Url) -> Result<Vec<Url>, FetchError> {
        Ok(self.permission(site).await?.sitemaps)
    }

    async fn fetch_with_retries(&self, request: &FetchRequest, headers: &HeaderMap) -> Result<Fetched, FetchError> {
        let mut waits = retry::waits(&self.settings.retries);
        let mut tries = 1;
        loop {
            let outcome = self.follow(request, headers, tries).await;
            let asked_for = match &outcome {
                Ok(fetched) if retry::may_pass(fetched.status) => fetched.headers.retry_after,
                Err(error) if error.may_pass() => None,
                Ok(_) | Err(_) => return outcome,
            };
            let is_too_long = asked_for.is_some_and(|wait| wait > self.settings.retries.longest_wait);
            let Some(backoff) = waits.next().filter(|_| !is_too_long) else { return outcome };
            // Never before the time that the host gave. The random part of the backoff spreads clients with the same time.
            let wait = asked_for.map_or(backoff, |asked| asked.max(backoff));
            tracing::debug!(url = %shown(&request.url), tries, wait_ms = wait.as_millis(), "trying again");
            waiting::sleep(wait, || match &outcome {
                Ok(fetched) => format!("{} answered with status {}; next try", shown(&request.url), fetched.status),
                Err(error) => format!("{error}; next try"),
            })
            .await;
            tries += 1;
        }
    }

    /// One try: the request and the redirects that follow from it, each checked like the first.
    async fn follow(&self, request: &FetchRequest, headers: &HeaderMap, tries: u32) -> Result<Fetched, FetchError> {
        let total = request.timeout.unwrap_or(self.settings.time.total);
        let mut left = total;
        let mut url = request.url.clone();
        let mut redirects: Vec<Redirect> = Vec::new();
        loop {
            let headers = if url.origin() == request.url.origin() { headers.clone() } else { HeaderMap::new() };
            let (answer, took) = self.ask(&url, headers, request, left).await?;
            left = left.saturating_sub(took);
            let Some(to) = redirect_target(&answer, &url)? else {
                let is_unchanged = answer.status == 304 && !request.conditions.is_empty();
                return Ok(Fetched {
                    status: answer.status,
                    headers: kept_headers(&answer.headers, SystemTime::now()),
                    url,
                    body: answer.body,
                    redirects,
                    provenance: if is_unchanged { Provenance::NotModified } else { Provenance::Network },
                    tries,
                    elapsed: total.saturating_sub(left),
                });
            };
            if redirects.len() >= self.settings.redirect_limit {
                return Err(FetchError::TooManyRedirects {
                    url: shown(&request.url),
                    last: shown(&to),
                    limit: self.settings.redirect_limit,
                });
            }
            redirects.push(Redirect { from: url, to: to.clone(), status: answer.status });
            url = to;
        }
    }

    /// One request, when it is allowed and when its turn has come. Gives its answer and how long that took.
    async fn ask(
        &self,
        url: &Url,
        mut headers: HeaderMap,
        request: &FetchRequest,
        left: Duration,
    ) -> Result<(Answer, Duration), FetchError> {
        let time = self.settings.time;
        let total = request.timeout.unwrap_or(time.total);
        // A longer total timeout also raises the timeout of each part.
        let silence = request.timeout.map_or(time.read, |timeout| timeout.max(time.read));
        headers.entry(ACCEPT).or_insert(ACCEPTED);
        let permission = self.permission(url).await?;
        let mut limits = self.settings.limits_of(&host_of(url));
        limits.pace = limits.pace.at_least(permission.crawl_delay.unwrap_or_default().max(request.delay));
        let _permit = self.turns.wait(url, limits).await?;
        let started = Instant::now();
        let getting = self.transport.get(url, headers, self.settings.body_limit, Overlong::Refuse, silence);
        match tokio::time::timeout(left, getting).await {
            Ok(answer) => Ok((answer?, started.elapsed())),
            Err(_) => Err(FetchError::TimedOut { url: shown(url), phase: Phase::Total, limit: total }),
        }
    }

    async fn permission(&self, url: &Url) -> Result<Permission, FetchError> {
        // Before any request: robots.txt of a forbidden address is forbidden, too.
        self.transport.check(url)?;
        match self.settings.robots {
            RobotsPolicy::Ignore => Ok(Permission::default()),
            RobotsPolicy::Honour => {
                let limits = self.settings.limits_of(&host_of(url));
                self.robots.check(url, &self.transport, &self.turns, &self.settings, limits).await
            }
        }
    }

    /// Replaces the body by the browser's document, when there is a page that scripts could build.
    #[cfg(feature = "render")]
    async fn render(&self, fetched: Fetched, settle: Duration) -> Result<Fetched, FetchError> {
        if fetched.provenance == Provenance::NotModified || !fetched.is_success() || !fetched.is_html() {
            return Ok(fetched);
        }
        let limits = self.settings.limits_of(&host_of(&fetched.url));
        let _permit = self.turns.wait(&fetched.url, limits).await?;
        let started = Instant::now();
        let document = self.browser.document(&fetched.url, settle).await?;
        let content_type = Some("text/html; charset=utf-8".to_owned());
        Ok(Fetched {
            body: document,
            provenance: Provenance::Browser,
            headers: AnswerHeaders { content_type, ..fetched.headers },
            elapsed: fetched.elapsed + started.elapsed(),
            ..fetched
        })
    }

    #[cfg(not(feature = "render"))]
    #[expect(clippy::unused_async, reason = "the same signature as with the feature `render`")]
    async fn render(&self, fetched: Fetched, _settle: Duration) -> Result<Fetched, FetchError> {
        tracing::debug!(url = %shown(&fetched.url), "asked to render without a browser");
        Err(FetchError::BrowserMissing { reason: NO_BROWSER })
    }
}

#[cfg(not(feature = "render"))]
const NO_BROWSER: &str = "this build has none; build with the feature `render`";

/// Runs a blocking function where blocking is allowed.
async fn in_background(
    read: impl FnOnce() -> Result<Fetched, FetchError> + Send + 'static,
) -> Result<Fetched, FetchError> {
    tokio::task::spawn_blocking(read)
        .await
        .map_err(|error| FetchError::Settings { reason: "the runtime is shutting down", source: error.into() })?
}

fn headers_of(request: &FetchRequest) -> Result<HeaderMap, FetchError> {
    let mut headers = HeaderMap::new();
    let invalid = |name: &str, reason| FetchError::InvalidHeader { name: name.to_owned(), reason };
    for (name, value) in &request.headers {
        let key = HeaderName::try_from(name.as_str()).map_err(|_| invalid(name, "its name is not that of a header"))?;
        if RESERVED_HEADERS.contains(&key.as_str()) {
            return Err(invalid(name, "it belongs to the connection; leave it out"));
        }
        let value =
            HeaderValue::try_from(value.as_str()).map_err(|_| invalid(name, "its value has control characters"))?;
        headers.append(key, value);
    }
    for (name, value) in
        [(IF_NONE_MATCH, &request.conditions.etag), (IF_MODIFIED_SINCE, &request.conditions.last_modified)]
    {
        if let Some(value) = value {
            let value = HeaderValue::try_from(value.as_str());
            headers
                .insert(name.clone(), value.map_err(|_| invalid(name.as_str(), "its value has control characters"))?);
        }
    }
    Ok(headers)
}

/// Returns the target of a redirect, if the response is one. A redirect without a `Location` is an ordinary response.
fn redirect_target(answer: &Answer, url: &Url) -> Result<Option<Url>, FetchError> {
    let Some(location) = answer.headers.get(LOCATION).filter(|_| is_redirect(answer.status)) else { return Ok(None) };
    // Browsers read the bytes as UTF-8, and so do sites that do not encode them.
    let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
    match url.join(&location) {
        Ok(mut target) => {
            // RFC 9110, section 10.2.2: a fragment is inherited.
            if target.fragment().is_none() {
                target.set_fragment(url.fragment());
            }
            Ok(Some(target))
        }
        Err(_) => Err(FetchError::InvalidRedirect { url: shown(url), location }),
    }
}

fn kept_headers(headers: &HeaderMap, now: SystemTime) -> AnswerHeaders {
    let text =
        |name| headers.get(name).map(|value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned());
    AnswerHeaders {
        etag: text(ETAG),
        last_modified: text(LAST_MODIFIED),
        content_type: text(CONTENT_TYPE),
        retry_after: text(RETRY_AFTER).and_then(|value| retry::retry_after(&value, now)),
    }
}
