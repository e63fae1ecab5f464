//! Services that the workflows of sources use.

use std::sync::Arc;

use autoheal_engine::alert::AlertKind;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_engine::{ErrorCode, Timestamp};
use autoheal_fetch::{FetchError, FetchRequest, Fetched, Fetcher, Rendering};
use autoheal_llm::Models;
use autoheal_page::Document;
use autoheal_page::document::decode;
use autoheal_page::obstacle::Response;
use autoheal_page::recipe::Request;
use autoheal_page::relocate::{Relocator, TablesError};
use autoheal_store::{AlertFilter, Store, StoreError};
use encoding_rs::Encoding;
use url::Url;

use crate::failure::Failure;
use crate::prompt_limits::PromptLimits;

/// The store, the way to the network, and what finds fields again. Cheap to clone.
#[derive(Clone)]
pub struct SourceServices {
    pub(crate) store: Store,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) relocator: Arc<Relocator>,
    pub(crate) models: Option<Models>,
    pub(crate) prompt_limits: PromptLimits,
    pub(crate) model_confirms: bool,
}

/// Number of a source's latest alerts to examine.
const RECENT_ALERTS: u32 = 50;

/// Time for which a browser lets a page's scripts run when its recipe only requires that they run.
const SETTLE: std::time::Duration = std::time::Duration::from_secs(5);

impl SourceServices {
    /// The services of this process.
    ///
    /// # Errors
    ///
    /// When what the relocation learned does not fit this program, which its tests rule out.
    pub fn new(store: Store, fetcher: Fetcher) -> Result<Self, TablesError> {
        let (fetcher, relocator) = (Arc::new(fetcher), Arc::new(Relocator::new()?));
        let prompt_limits = PromptLimits::default();
        Ok(Self { store, fetcher, relocator, models: None, prompt_limits, model_confirms: false })
    }

    /// Returns the fetcher, which requests pages and keeps to the turns at each host.
    pub const fn fetcher(&self) -> &Arc<Fetcher> {
        &self.fetcher
    }

    /// The language models, if there are any.
    pub const fn models(&self) -> Option<&Models> {
        self.models.as_ref()
    }

    /// Returns the services with language models, which are used as a last resort, and the limits of their prompts.
    #[must_use]
    pub fn with_models(self, models: Option<Models>, prompt_limits: PromptLimits) -> Self {
        Self { models, prompt_limits, ..self }
    }

    /// Returns the services with or without fixes that need no review because a language model and the relocation agree.
    #[must_use]
    pub fn with_model_confirmation(self, model_confirms: bool) -> Self {
        Self { model_confirms, ..self }
    }

    /// Returns whether an alert of this kind about a source was raised after `since`.
    pub(crate) async fn has_alerted(&self, source: &str, kind: AlertKind, since: Timestamp) -> Result<bool, StepError> {
        let alerts = self.store.alerts(&AlertFilter::about(source, RECENT_ALERTS)).await;
        let alerts = alerts.map_err(|error| store_error(&error))?;
        Ok(alerts.iter().any(|alert| alert.kind == kind.name() && alert.created_at > since))
    }

    /// Requests the page at `url` as a recipe specifies. The inner error is the failure if the site gives no usable page.
    ///
    /// # Errors
    ///
    /// Returns an error for a fault of this machine, not of the site: it is transient and does not count as a failure.
    pub(crate) async fn page(&self, url: &Url, request: &Request) -> Result<Result<WebPage, Failure>, StepError> {
        let mut asked = FetchRequest::new(url.clone());
        asked.headers = request.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        asked.timeout = request.wait;
        asked.delay = request.delay.unwrap_or_default();
        if request.render {
            asked.rendering = Rendering::Browser { settle: request.wait.unwrap_or(SETTLE) };
        }
        match self.fetcher.fetch(&asked).await {
            Ok(answer) => Ok(Failure::of_answer(&answer).map_or_else(|| Ok(WebPage::of(&answer)), Err)),
            Err(error) => match code_of(&error) {
                Some(code) => Err(StepError::Passing { code, message: error.to_string() }),
                None => Ok(Err(Failure::of_error(&error))),
            },
        }
    }
}

/// Does the work of a step. Each wait of some seconds for a host becomes a note of the run.
pub(crate) fn noting_waits<T>(context: &StepContext, work: impl Future<Output = T>) -> impl Future<Output = T> {
    autoheal_fetch::telling(context.notes_about("waiting"), Box::pin(work))
}

/// A page as text.
#[derive(Debug, Clone)]
pub(crate) struct WebPage {
    /// URL of the page, after all redirects.
    pub(crate) url: Url,
    /// Permanent new URL of the page; `None`: it has not moved permanently.
    pub(crate) moved_to: Option<Url>,
    /// True if the site redirected the request.
    pub(crate) was_redirected: bool,
    /// URL of the request.
    asked: Url,
    /// Value of the header `Content-Type`.
    content_type: Option<String>,
    /// HTML of the page, decoded with the character set that the site declares, else with the one that the page itself declares.
    pub(crate) html: String,
}

impl WebPage {
    fn of(answer: &Fetched) -> Self {
        let said = answer.headers.content_type.as_deref().and_then(|kind| kind.split_once("charset="));
        let label = said.map(|(_, label)| label.trim_matches([' ', '"', '\'', ';']));
        let encoding = label.and_then(|label| Encoding::for_label(label.as_bytes()));
        let html = match encoding {
            Some(encoding) => encoding.decode(&answer.body).0.into_owned(),
            None => decode(&answer.body).into_owned(),
        };
        let (url, moved_to) = (answer.url.clone(), answer.moved_to().cloned());
        let asked = answer.redirects.first().map_or_else(|| url.clone(), |first| first.from.clone());
        let content_type = answer.headers.content_type.clone();
        Self { url, moved_to, was_redirected: !answer.redirects.is_empty(), asked, content_type, html }
    }

    pub(crate) fn document(&self) -> Document {
        Document::parse(&self.html)
    }

    /// Returns the failure if the site gave something else instead of the page; `page` is the parsed response.
    pub(crate) fn obstacle(&self, page: &Document) -> Option<Failure> {
        let content_type = self.content_type.as_deref();
        let response = Response { html: &self.html, page, content_type, asked: &self.asked, url: &self.url };
        response.obstacle().map(|obstacle| Failure::of_obstacle(&self.url, &obstacle))
    }
}

/// Returns the code of an error about this machine, its database or its settings; `None`: the error is about the site.
const fn code_of(error: &FetchError) -> Option<ErrorCode> {
    match error {
        FetchError::Reservation { .. } => Some(ErrorCode::StoreUnavailable),
        FetchError::Postponed { .. } | FetchError::Settings { .. } => Some(ErrorCode::StepFailed),
        _ => None,
    }
}

/// The store may be there again in a moment.
pub(crate) fn store_error(error: &StoreError) -> StepError {
    StepError::Passing { code: ErrorCode::StoreUnavailable, message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use autoheal_engine::politeness::ReservationError;

    use super::*;

    #[test]
    fn faults_of_the_database_and_of_this_machine_have_different_codes() {
        let host = || "news.example".to_owned();
        let reservation = FetchError::Reservation { host: host(), source: ReservationError("locked".into()) };
        let lookup = FetchError::LookupFailed { host: host(), source: "no resolver".into() };
        assert_eq!(code_of(&reservation), Some(ErrorCode::StoreUnavailable));
        assert_eq!(code_of(&lookup), None, "the run ends, and says so to the user");
        assert_eq!(code_of(&FetchError::UnknownName { host: host() }), None);
    }
}
