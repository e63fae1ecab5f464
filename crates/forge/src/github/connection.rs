//! One request and its answer.

use std::collections::{HashMap, VecDeque};
use std::error::Error as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use reqwest::header::{ACCEPT, AUTHORIZATION, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH, LINK, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use rustls::{ClientConfig, RootCertStore};
use secrecy::ExposeSecret as _;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::error::{ApiOperation, GitHubError};
use super::{GitHubSettings, limits, pages};

/// The version of the API that this client speaks.
const VERSION: &str = "2022-11-28";

/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 16 << 20;

/// The most pages of one list.
const MOST_PAGES: usize = 30;

/// Maximum number of redirects that are followed.
const MOST_REDIRECTS: usize = 3;

/// Maximum number of responses that are cached for `If-None-Match`.
const MOST_KEPT: usize = 128;

/// Of a log, its beginning and its end are kept, in bytes: the error stands at the end.
const LOG_HEAD: usize = 256 << 10;
const LOG_TAIL: usize = 2 << 20;

/// The longest log that is read through.
const LONGEST_LOG: usize = 256 << 20;

/// Maximum length of GitHub's messages in errors, in characters.
const TOLD: usize = 300;

/// The way to one API.
#[derive(Debug)]
pub(super) struct Connection {
    client: Client,
    settings: GitHubSettings,
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
    Failed(GitHubError),
}

impl Connection {
    pub(super) fn new(settings: GitHubSettings) -> Result<Self, GitHubError> {
        let failed = |reason: String| GitHubError::Tls { reason };
        let client = Client::builder()
            .tls_backend_preconfigured(tls().map_err(failed)?)
            .user_agent(concat!("autoheal/", env!("CARGO_PKG_VERSION")))
            // Whether a redirect may see the token is decided here, one by one.
            .redirect(Policy::none())
            .connect_timeout(Duration::from_secs(15))
            .timeout(settings.timeout)
            .build()
            .map_err(|error| failed(error.to_string()))?;
        Ok(Self { client, settings, kept: Mutex::default() })
    }

    pub(super) const fn has_token(&self) -> bool {
        self.settings.token.is_some()
    }

    /// Asks for a document.
    pub(super) async fn get<T: DeserializeOwned>(&self, doing: ApiOperation, url: &Url) -> Result<T, GitHubError> {
        let answer = self.ask(doing, &Method::GET, url, None).await?;
        read(doing, &answer.body)
    }

    /// Asks for all pages of a list. `key`: the field of each page that holds its entries; `None`: the page is the list.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        doing: ApiOperation,
        url: &Url,
        key: Option<&str>,
    ) -> Result<Vec<T>, GitHubError> {
        let mut entries = Vec::new();
        let mut next = Some(url.clone());
        for _ in 0..MOST_PAGES {
            let Some(url) = next else { return Ok(entries) };
            let answer = self.ask(doing, &Method::GET, &url, None).await?;
            let mut page: Value = read(doing, &answer.body)?;
            let list = match key {
                Some(key) => page.get_mut(key).map(Value::take).unwrap_or_default(),
                None => page,
            };
            let page: Vec<T> = serde_json::from_value(list).map_err(|error| malformed(doing, &error))?;
            entries.extend(page);
            next = answer.next;
        }
        if next.is_some() { Err(GitHubError::TooLarge { doing, limit: MOST_PAGES }) } else { Ok(entries) }
    }

    /// Sends a document and reads the answer.
    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        doing: ApiOperation,
        method: &Method,
        url: &Url,
        body: &Value,
    ) -> Result<T, GitHubError> {
        let answer = self.ask(doing, method, url, Some(body)).await?;
        read(doing, &answer.body)
    }

    /// Sends a document to which there is no answer but success.
    pub(super) async fn tell(&self, doing: ApiOperation, url: &Url, body: &Value) -> Result<(), GitHubError> {
        self.ask(doing, &Method::POST, url, Some(body)).await.map(drop)
    }

    /// Sends a request and retries it until it gets a response, a permanent error, or runs out of time or attempts.
    async fn ask(
        &self,
        doing: ApiOperation,
        method: &Method,
        url: &Url,
        body: Option<&Value>,
    ) -> Result<Answer, GitHubError> {
        let mut url = url.clone();
        let mut patience = self.settings.patience;
        let (mut tries, mut redirects) = (1, 0);
        loop {
            match self.ask_once(doing, method, &url, body).await {
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
                    return Err(GitHubError::Malformed {
                        doing,
                        reason: "nothing changed, they say, since never".into(),
                    });
                }
                Tried::Redirect(to) if *method == Method::GET && to.origin() == url.origin() => {
                    redirects += 1;
                    if redirects > MOST_REDIRECTS {
                        return Err(GitHubError::Redirected { doing });
                    }
                    url = to;
                }
                Tried::Redirect(_) => return Err(GitHubError::Redirected { doing }),
                // The request was refused before anything was done, so that any may be made again.
                Tried::Wait(wait) if wait <= patience => {
                    patience -= wait;
                    tracing::info!(%doing, seconds = wait.as_secs(), "GitHub asks to wait");
                    tokio::time::sleep(wait).await;
                    // A server that asks for no time at all would be asked for ever.
                    patience = patience.saturating_sub(Duration::from_millis(100));
                }
                Tried::Wait(wait) => return Err(GitHubError::RateLimited { doing, wait }),
                // A POST that failed may have been carried out.
                Tried::Failed(error)
                    if error.is_passing() && *method != Method::POST && tries < self.settings.tries =>
                {
                    let factor = u32::try_from(tries).unwrap_or(u32::MAX).saturating_sub(1).min(10);
                    tracing::debug!(%error, "GitHub is asked again");
                    tokio::time::sleep(self.settings.first_wait.saturating_mul(1 << factor)).await;
                    tries += 1;
                }
                Tried::Failed(error) => return Err(error),
            }
        }
    }

    async fn ask_once(&self, doing: ApiOperation, method: &Method, url: &Url, body: Option<&Value>) -> Tried {
        let mut request = self.client.request(method.clone(), url.clone());
        request = request.header(ACCEPT, "application/vnd.github+json").header("X-GitHub-Api-Version", VERSION);
        if let Some(token) = &self.settings.token {
            let Ok(mut value) = HeaderValue::try_from(format!("Bearer {}", token.expose_secret())) else {
                let said = "it holds characters that no token has".to_owned();
                return Tried::Failed(GitHubError::Unauthorized { doing, said });
            };
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        if let Some(etag) = self.kept_answer(url).filter(|_| *method == Method::GET).and_then(|kept| kept.etag) {
            request = request.header(IF_NONE_MATCH, etag);
        }
        if let Some(body) = body {
            request = request.header("Content-Type", "application/json").body(body.to_string());
        }
        tracing::debug!(%doing, %method, %url, "GitHub");
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
        let body = match self.body(doing, response).await {
            Ok(body) => body,
            Err(error) => return Tried::Failed(error),
        };
        if (200..300).contains(&status) {
            let next = headers.get(LINK).and_then(|link| pages::next(link.to_str().ok()?, url));
            return Tried::Answered(Answer { etag: headers.get(ETAG).cloned(), next, body: body.into() });
        }
        let text = String::from_utf8_lossy(&body);
        match limits::asked_to_wait(status, &headers, &text, SystemTime::now()) {
            Some(wait) => Tried::Wait(wait),
            None => Tried::Failed(self.refusal(doing, status, &text)),
        }
    }

    /// Reads the text behind an address that redirects to where it is kept. The redirect carries its own right to read: no token goes
    /// with it. Of a long text the beginning and the end are kept.
    pub(super) async fn text_behind(&self, doing: ApiOperation, url: &Url) -> Result<String, GitHubError> {
        let mut target = match self.ask_for_redirect(doing, url).await? {
            Place::Here(body) => return Ok(self.redact(&String::from_utf8_lossy(&body))),
            Place::There(target) => target,
        };
        for _ in 0..MOST_REDIRECTS {
            if !self.may_read(&target) {
                return Err(GitHubError::Redirected { doing });
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
                404 | 410 => Err(GitHubError::NotFound { doing, said: "the log is not there any more".to_owned() }),
                status => Err(GitHubError::Down { doing, status }),
            };
        }
        Err(GitHubError::Redirected { doing })
    }

    async fn ask_for_redirect(&self, doing: ApiOperation, url: &Url) -> Result<Place, GitHubError> {
        let mut patience = self.settings.patience;
        let mut tries = 1;
        loop {
            match self.ask_once(doing, &Method::GET, url, None).await {
                Tried::Answered(answer) => return Ok(Place::Here(answer.body)),
                Tried::Redirect(target) => return Ok(Place::There(target)),
                Tried::NotChanged => return Err(GitHubError::Redirected { doing }),
                Tried::Wait(wait) if wait < patience => {
                    patience = patience.saturating_sub(wait + Duration::from_millis(100));
                    tokio::time::sleep(wait).await;
                }
                Tried::Wait(wait) => return Err(GitHubError::RateLimited { doing, wait }),
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
        is_plain && (target.scheme() == "https" || target.scheme() == self.settings.api.scheme())
    }

    async fn body(&self, doing: ApiOperation, mut response: Response) -> Result<Vec<u8>, GitHubError> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.unreachable(doing, error))? {
            if body.len() + piece.len() > LONGEST_ANSWER {
                return Err(GitHubError::TooLarge { doing, limit: LONGEST_ANSWER });
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    async fn long_text(&self, doing: ApiOperation, mut response: Response) -> Result<String, GitHubError> {
        let (mut head, mut tail, mut length) = (Vec::new(), VecDeque::<u8>::new(), 0_usize);
        while let Some(piece) = response.chunk().await.map_err(|error| self.unreachable(doing, error))? {
            length += piece.len();
            if length > LONGEST_LOG {
                return Err(GitHubError::TooLarge { doing, limit: LONGEST_LOG });
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

    fn refusal(&self, doing: ApiOperation, status: u16, body: &str) -> GitHubError {
        let said = self.said(body);
        match status {
            401 => GitHubError::Unauthorized { doing, said },
            403 | 451 => GitHubError::Forbidden { doing, said },
            404 | 410 => GitHubError::NotFound { doing, said },
            500.. => GitHubError::Down { doing, status },
            _ => GitHubError::Refused { doing, said },
        }
    }

    /// Returns GitHub's error message, cut, on one line, without the token.
    fn said(&self, body: &str) -> String {
        let document: Value = serde_json::from_str(body).unwrap_or_default();
        let errors = document["errors"].as_array().into_iter().flatten();
        let words = errors.filter_map(|error| error["message"].as_str().or_else(|| error.as_str()));
        let said: Vec<&str> = document["message"].as_str().into_iter().chain(words).collect();
        let said = if said.is_empty() { "no reason is given".to_owned() } else { said.join("; ") };
        let said: String = said.chars().map(|c| if c.is_control() { ' ' } else { c }).take(TOLD).collect();
        self.redact(&said)
    }

    fn redact(&self, text: &str) -> String {
        match &self.settings.token {
            Some(token) if !token.expose_secret().is_empty() => text.replace(token.expose_secret(), "***"),
            Some(_) | None => text.to_owned(),
        }
    }

    fn unreachable(&self, doing: ApiOperation, error: reqwest::Error) -> GitHubError {
        let error = error.without_url();
        let mut cause: &dyn std::error::Error = &error;
        while let Some(below) = cause.source() {
            cause = below;
        }
        let reason = if error.source().is_some() { format!("{error}: {cause}") } else { error.to_string() };
        GitHubError::Unreachable { doing, reason: self.redact(&reason) }
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

/// Text of a response, or the URL to which it redirects.
enum Place {
    Here(Arc<[u8]>),
    There(Url),
}

fn read<T: DeserializeOwned>(doing: ApiOperation, body: &[u8]) -> Result<T, GitHubError> {
    serde_json::from_slice(body).map_err(|error| malformed(doing, &error))
}

fn malformed(doing: ApiOperation, error: &serde_json::Error) -> GitHubError {
    GitHubError::Malformed { doing, reason: error.to_string().chars().take(TOLD).collect() }
}

/// Returns the target of a redirect; `None`: the response is not a redirect.
fn redirect(status: u16, headers: &HeaderMap, here: &Url) -> Option<Url> {
    let is_redirect = matches!(status, 301 | 302 | 303 | 307 | 308);
    let target = headers.get(LOCATION).filter(|_| is_redirect)?.to_str().ok()?;
    here.join(target).ok()
}

/// Returns a TLS configuration with the root certificates of the machine, or those of Mozilla if the machine has none.
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
