//! One request and its answer, in the dialect of a host.

use std::collections::{HashMap, VecDeque};
use std::error::Error as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use reqwest::header::{ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use rustls::{ClientConfig, RootCertStore};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::error::{ApiCall, ApiOperation, HostError};
use super::kind::HostKind;
use super::limits::{RateLimits, asked_to_wait};

/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 16 << 20;

/// The most pages of one list.
const MOST_PAGES: usize = 30;

/// Maximum number of redirects that are followed.
const MOST_REDIRECTS: usize = 3;

/// Maximum number of responses that are cached for `If-None-Match`.
const MOST_KEPT: usize = 128;

/// Number of bytes kept of the beginning and of the end of a log: the error is at the end.
const LOG_HEAD: usize = 256 << 10;
const LOG_TAIL: usize = 2 << 20;

/// The longest log that is read through.
const LONGEST_LOG: usize = 256 << 20;

/// Maximum length of a host's messages in errors, in characters.
const TOLD: usize = 300;

/// Time limits and retries of requests.
#[derive(Debug, Clone)]
pub struct ConnectionSettings {
    /// Time limit of one request.
    pub timeout: Duration,
    /// Number of tries of a repeatable request, when the network or the server fails.
    pub tries: usize,
    /// The first wait between them; each further one is twice as long.
    pub first_wait: Duration,
    /// Total time that one request waits when the host reports that a rate limit is exceeded.
    pub patience: Duration,
}

impl Default for ConnectionSettings {
    /// One minute for a request, four tries, 15 minutes of patience.
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(1),
            tries: 4,
            first_wait: Duration::from_secs(1),
            patience: Duration::from_mins(15),
        }
    }
}

/// A token, and the header in which it goes to the API.
#[derive(Debug, Clone)]
pub(crate) struct Credentials {
    /// Name of the header, in lower case.
    pub(crate) header: &'static str,
    /// Text before the token.
    pub(crate) prefix: &'static str,
    pub(crate) secret: SecretString,
}

/// Differences between the APIs of hosts.
#[derive(Debug)]
pub(crate) struct Dialect {
    pub(crate) host: HostKind,
    /// Headers of every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// The address of a list's next page, from the headers of a page and its own address; at the same origin.
    pub(crate) next_page: fn(&HeaderMap, &Url) -> Option<Url>,
    pub(crate) rate_limits: RateLimits,
    /// The messages in the document of an error.
    pub(crate) messages: fn(&Value) -> Vec<String>,
}

/// The way to one API.
#[derive(Debug)]
pub(crate) struct Connection {
    client: Client,
    dialect: &'static Dialect,
    /// Only addresses at this one's origin get the token.
    base: Url,
    credentials: Option<Credentials>,
    settings: ConnectionSettings,
    /// Answers by address, with their `ETag`: asked again with it, an answer that did not change costs nothing.
    kept: Mutex<HashMap<String, Answer>>,
}

/// An answer with a status of success.
#[derive(Debug, Clone)]
struct Answer {
    etag: Option<HeaderValue>,
    next: Option<Url>,
    body: Arc<[u8]>,
}

/// Outcome of one try.
enum Tried {
    Answered(Answer),
    NotChanged,
    Redirect(Url),
    Wait(Duration),
    Failed(HostError),
}

impl Connection {
    /// A connection to the API at `base`.
    pub(crate) fn new(
        dialect: &'static Dialect,
        base: Url,
        credentials: Option<Credentials>,
        settings: ConnectionSettings,
    ) -> Result<Self, HostError> {
        let failed = |reason: String| HostError::Tls { reason };
        let client = Client::builder()
            .tls_backend_preconfigured(tls().map_err(failed)?)
            .user_agent(concat!("autoheal/", env!("CARGO_PKG_VERSION")))
            // Whether a redirect may see the token is decided here, one by one.
            .redirect(Policy::none())
            .connect_timeout(Duration::from_secs(15))
            .timeout(settings.timeout)
            .build()
            .map_err(|error| failed(error.to_string()))?;
        Ok(Self { client, dialect, base, credentials, settings, kept: Mutex::default() })
    }

    /// The token, if there is one.
    pub(crate) fn token(&self) -> Option<&SecretString> {
        self.credentials.as_ref().map(|credentials| &credentials.secret)
    }

    /// The error for a resource of which a response shows too little.
    pub(crate) fn not_shown(&self, operation: ApiOperation, said: &str) -> HostError {
        HostError::NotFound { doing: self.call(operation), said: said.to_owned() }
    }

    const fn call(&self, operation: ApiOperation) -> ApiCall {
        ApiCall { host: self.dialect.host, operation }
    }

    /// Asks for a document.
    pub(crate) async fn get<T: DeserializeOwned>(&self, doing: ApiOperation, url: &Url) -> Result<T, HostError> {
        let answer = self.ask(doing, &Method::GET, url, None).await?;
        read(self.call(doing), &answer.body)
    }

    /// Asks for all pages of a list. `key`: the field of each page that holds its entries; `None`: the page is the list.
    pub(crate) async fn list<T: DeserializeOwned>(
        &self,
        doing: ApiOperation,
        url: &Url,
        key: Option<&str>,
    ) -> Result<Vec<T>, HostError> {
        let mut entries = Vec::new();
        let mut next = Some(url.clone());
        for _ in 0..MOST_PAGES {
            let Some(url) = next else { return Ok(entries) };
            let answer = self.ask(doing, &Method::GET, &url, None).await?;
            let mut page: Value = read(self.call(doing), &answer.body)?;
            let list = match key {
                Some(key) => page.get_mut(key).map(Value::take).unwrap_or_default(),
                None => page,
            };
            let page: Vec<T> = serde_json::from_value(list).map_err(|error| malformed(self.call(doing), &error))?;
            entries.extend(page);
            next = answer.next;
        }
        if next.is_some() {
            Err(HostError::TooLarge { doing: self.call(doing), limit: MOST_PAGES })
        } else {
            Ok(entries)
        }
    }

    /// Sends a document and reads the answer.
    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        doing: ApiOperation,
        method: &Method,
        url: &Url,
        body: &Value,
    ) -> Result<T, HostError> {
        let answer = self.ask(doing, method, url, Some(body)).await?;
        read(self.call(doing), &answer.body)
    }

    /// Sends a document to which there is no answer but success.
    pub(crate) async fn tell(&self, doing: ApiOperation, url: &Url, body: &Value) -> Result<(), HostError> {
        self.ask(doing, &Method::POST, url, Some(body)).await.map(drop)
    }

    /// Sends a request and retries it until it gets a response, a permanent error, or runs out of time or attempts.
    async fn ask(
        &self,
        operation: ApiOperation,
        method: &Method,
        url: &Url,
        body: Option<&Value>,
    ) -> Result<Answer, HostError> {
        let doing = self.call(operation);
        let mut url = url.clone();
        let mut patience = self.settings.patience;
        let (mut tries, mut redirects) = (1, 0);
        loop {
            match self.ask_once(doing, method, &url, body, Reads::Document).await {
                Tried::Answered(answer) => {
                    if *method == Method::GET && answer.etag.is_some() {
                        self.keep(&url, &answer);
                    }
                    return Ok(answer);
                }
                Tried::NotChanged => {
                    if let Some(answer) = self.kept_answer(&url) {
                        return Ok(answer);
                    }
                    return Err(HostError::Malformed {
                        doing,
                        reason: "nothing changed, they say, since never".into(),
                    });
                }
                Tried::Redirect(to) if *method == Method::GET && to.origin() == url.origin() => {
                    redirects += 1;
                    if redirects > MOST_REDIRECTS {
                        return Err(HostError::Redirected { doing });
                    }
                    url = to;
                }
                Tried::Redirect(_) => return Err(HostError::Redirected { doing }),
                // The request was refused before anything was done, so that any may be made again.
                Tried::Wait(wait) if wait <= patience => {
                    patience -= wait;
                    tracing::info!(%doing, seconds = wait.as_secs(), "the host asks to wait");
                    tokio::time::sleep(wait).await;
                    // A server that requests a wait of zero seconds must not cause an endless loop.
                    patience = patience.saturating_sub(Duration::from_millis(100));
                }
                Tried::Wait(wait) => return Err(HostError::RateLimited { doing, wait }),
                // A POST that failed may have been carried out.
                Tried::Failed(error)
                    if error.is_passing() && *method != Method::POST && tries < self.settings.tries =>
                {
                    let factor = u32::try_from(tries).unwrap_or(u32::MAX).saturating_sub(1).min(10);
                    tracing::debug!(%error, "the request is repeated");
                    tokio::time::sleep(self.settings.first_wait.saturating_mul(1 << factor)).await;
                    tries += 1;
                }
                Tried::Failed(error) => return Err(error),
            }
        }
    }

    async fn ask_once(&self, doing: ApiCall, method: &Method, url: &Url, body: Option<&Value>, reads: Reads) -> Tried {
        let mut request = self.client.request(method.clone(), url.clone());
        for (name, value) in self.dialect.headers {
            request = request.header(*name, *value);
        }
        if let Some(credentials) = self.credentials.as_ref().filter(|_| url.origin() == self.base.origin()) {
            let Credentials { header, prefix, secret } = credentials;
            let Ok(mut value) = HeaderValue::try_from(format!("{prefix}{}", secret.expose_secret())) else {
                let said = "it holds characters that no token has".to_owned();
                return Tried::Failed(HostError::Unauthorized { doing, said });
            };
            value.set_sensitive(true);
            request = request.header(*header, value);
        }
        if let Some(etag) = self.kept_answer(url).filter(|_| *method == Method::GET).and_then(|kept| kept.etag) {
            request = request.header(IF_NONE_MATCH, etag);
        }
        if let Some(body) = body {
            request = request.header("Content-Type", "application/json").body(body.to_string());
        }
        tracing::debug!(%doing, %method, %url, "request to the host");
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => return Tried::Failed(self.unreachable(doing, error)),
        };
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        if status == 304 {
            return Tried::NotChanged;
        }
        if let Some(target) = redirect(status, &headers, url) {
            return Tried::Redirect(target);
        }
        let read = match (reads, status) {
            (Reads::LongText, 200) => self.long_text(doing, response).await.map(String::into_bytes),
            (Reads::LongText | Reads::Document, _) => self.body(doing, response).await,
        };
        let body = match read {
            Ok(body) => body,
            Err(error) => return Tried::Failed(error),
        };
        if (200..300).contains(&status) {
            let next = (self.dialect.next_page)(&headers, url);
            return Tried::Answered(Answer { etag: headers.get(ETAG).cloned(), next, body: body.into() });
        }
        let text = String::from_utf8_lossy(&body);
        match asked_to_wait(&self.dialect.rate_limits, status, &headers, &text, SystemTime::now()) {
            Some(wait) => Tried::Wait(wait),
            None => Tried::Failed(self.refusal(doing, status, &text)),
        }
    }

    /// Reads a text at the API itself; a redirect is not followed. Of a long text the beginning and the end are kept.
    pub(crate) async fn text(&self, operation: ApiOperation, url: &Url) -> Result<String, HostError> {
        let doing = self.call(operation);
        match self.ask_for_redirect(doing, url).await? {
            Place::Here(body) => Ok(self.redact(&String::from_utf8_lossy(&body))),
            Place::There(_) => Err(HostError::Redirected { doing }),
        }
    }

    /// Reads the text behind an address that redirects to where it is kept. The redirect carries its own right to read: no token goes
    /// with it. Of a long text the beginning and the end are kept.
    pub(crate) async fn text_behind(&self, operation: ApiOperation, url: &Url) -> Result<String, HostError> {
        let doing = self.call(operation);
        let mut target = match self.ask_for_redirect(doing, url).await? {
            Place::Here(body) => return Ok(self.redact(&String::from_utf8_lossy(&body))),
            Place::There(target) => target,
        };
        for _ in 0..MOST_REDIRECTS {
            if !self.may_read(&target) {
                return Err(HostError::Redirected { doing });
            }
            let sent = self.client.get(target.clone()).send().await;
            let response = sent.map_err(|error| self.unreachable(doing, error))?;
            let status = response.status().as_u16();
            if let Some(further) = redirect(status, response.headers(), &target) {
                target = further;
                continue;
            }
            return match status {
                200 => Ok(self.redact(&self.long_text(doing, response).await?)),
                404 | 410 => Err(HostError::NotFound { doing, said: "the log no longer exists".to_owned() }),
                status => Err(HostError::Down { doing, status }),
            };
        }
        Err(HostError::Redirected { doing })
    }

    async fn ask_for_redirect(&self, doing: ApiCall, url: &Url) -> Result<Place, HostError> {
        let mut patience = self.settings.patience;
        let mut tries = 1;
        loop {
            match self.ask_once(doing, &Method::GET, url, None, Reads::LongText).await {
                Tried::Answered(answer) => return Ok(Place::Here(answer.body)),
                Tried::Redirect(target) => return Ok(Place::There(target)),
                Tried::NotChanged => return Err(HostError::Redirected { doing }),
                Tried::Wait(wait) if wait < patience => {
                    patience = patience.saturating_sub(wait + Duration::from_millis(100));
                    tokio::time::sleep(wait).await;
                }
                Tried::Wait(wait) => return Err(HostError::RateLimited { doing, wait }),
                Tried::Failed(error) if error.is_passing() && tries < self.settings.tries => {
                    tokio::time::sleep(self.settings.first_wait).await;
                    tries += 1;
                }
                Tried::Failed(error) => return Err(error),
            }
        }
    }

    /// Returns whether a log may be read from `target`: over HTTPS, or over HTTP if the API itself uses it, on the loopback interface.
    fn may_read(&self, target: &Url) -> bool {
        let is_plain = target.username().is_empty() && target.password().is_none();
        is_plain && (target.scheme() == "https" || target.scheme() == self.base.scheme())
    }

    async fn body(&self, doing: ApiCall, mut response: Response) -> Result<Vec<u8>, HostError> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.unreachable(doing, error))? {
            if body.len() + piece.len() > LONGEST_ANSWER {
                return Err(HostError::TooLarge { doing, limit: LONGEST_ANSWER });
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    async fn long_text(&self, doing: ApiCall, mut response: Response) -> Result<String, HostError> {
        let (mut head, mut tail, mut length) = (Vec::new(), VecDeque::<u8>::new(), 0_usize);
        while let Some(piece) = response.chunk().await.map_err(|error| self.unreachable(doing, error))? {
            length += piece.len();
            if length > LONGEST_LOG {
                return Err(HostError::TooLarge { doing, limit: LONGEST_LOG });
            }
            let room = piece.len().min(LOG_HEAD.saturating_sub(head.len()));
            head.extend_from_slice(&piece[..room]);
            tail.extend(&piece[room..]);
            tail.drain(..tail.len().saturating_sub(LOG_TAIL));
        }
        if length > head.len() + tail.len() {
            head.extend_from_slice(b"\n[...]\n");
        }
        head.extend(tail);
        Ok(String::from_utf8_lossy(&head).into_owned())
    }

    fn refusal(&self, doing: ApiCall, status: u16, body: &str) -> HostError {
        let said = self.said(body);
        match status {
            401 => HostError::Unauthorized { doing, said },
            403 | 451 => HostError::Forbidden { doing, said },
            404 | 410 => HostError::NotFound { doing, said },
            500.. => HostError::Down { doing, status },
            _ => HostError::Refused { doing, said },
        }
    }

    /// Returns the host's error message, cut, on one line, without the token.
    fn said(&self, body: &str) -> String {
        let said = (self.dialect.messages)(&serde_json::from_str(body).unwrap_or_default());
        let said = if said.is_empty() { "no reason is given".to_owned() } else { said.join("; ") };
        let said: String = said.chars().map(|c| if c.is_control() { ' ' } else { c }).take(TOLD).collect();
        self.redact(&said)
    }

    fn redact(&self, text: &str) -> String {
        match self.token() {
            Some(token) if !token.expose_secret().is_empty() => text.replace(token.expose_secret(), "***"),
            Some(_) | None => text.to_owned(),
        }
    }

    fn unreachable(&self, doing: ApiCall, error: reqwest::Error) -> HostError {
        let error = error.without_url();
        let mut cause: &dyn std::error::Error = &error;
        while let Some(below) = cause.source() {
            cause = below;
        }
        let reason = if error.source().is_some() { format!("{error}: {cause}") } else { error.to_string() };
        HostError::Unreachable { doing, reason: self.redact(&reason) }
    }

    fn kept_answer(&self, url: &Url) -> Option<Answer> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(url.as_str()).cloned()
    }

    fn keep(&self, url: &Url, answer: &Answer) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT && !kept.contains_key(url.as_str()) {
            kept.clear();
        }
        kept.insert(url.to_string(), answer.clone());
    }
}

/// Kind of body: a document, which is refused when it is too long, or a text, of which the middle is left out.
#[derive(Debug, Clone, Copy)]
enum Reads {
    Document,
    LongText,
}

/// Text of a response, or the URL to which it redirects.
enum Place {
    Here(Arc<[u8]>),
    There(Url),
}

fn read<T: DeserializeOwned>(doing: ApiCall, body: &[u8]) -> Result<T, HostError> {
    serde_json::from_slice(body).map_err(|error| malformed(doing, &error))
}

fn malformed(doing: ApiCall, error: &serde_json::Error) -> HostError {
    HostError::Malformed { doing, reason: error.to_string().chars().take(TOLD).collect() }
}

/// Returns the target of a redirect; `None`: the response is not a redirect.
fn redirect(status: u16, headers: &HeaderMap, here: &Url) -> Option<Url> {
    let is_redirect = matches!(status, 301 | 302 | 303 | 307 | 308);
    let target = headers.get(LOCATION).filter(|_| is_redirect)?.to_str().ok()?;
    here.join(target).ok()
}

/// Returns a TLS configuration with the root certificates of the machine, or with those of Mozilla if it has no certificates.
fn tls() -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
