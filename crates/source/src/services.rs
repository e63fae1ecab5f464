//! What the workflows of sources work with.

use std::sync::Arc;

use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::StepError;
use autoheal_fetch::{FetchError, FetchRequest, Fetched, Fetcher, Rendering};
use autoheal_llm::Models;
use autoheal_page::Document;
use autoheal_page::document::decode;
use autoheal_page::recipe::Request;
use autoheal_page::relocate::{Relocator, TablesError};
use autoheal_store::{Store, StoreError};
use encoding_rs::Encoding;
use url::Url;

use crate::doctor::PromptLimits;
use crate::failure::Failure;

/// The store, the way to the network, and what finds fields again. Cheap to clone.
#[derive(Clone)]
pub struct SourceServices {
    pub(crate) store: Store,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) relocator: Arc<Relocator>,
    pub(crate) models: Option<Models>,
    pub(crate) prompt_limits: PromptLimits,
}

/// How long a browser lets a page's scripts run when its recipe says only that they must.
const SETTLE: std::time::Duration = std::time::Duration::from_secs(5);

impl SourceServices {
    /// The services of this process.
    ///
    /// # Errors
    ///
    /// When what the relocation learned does not fit this program, which its tests rule out.
    pub fn new(store: Store, fetcher: Fetcher) -> Result<Self, TablesError> {
        let (fetcher, relocator) = (Arc::new(fetcher), Arc::new(Relocator::new()?));
        Ok(Self { store, fetcher, relocator, models: None, prompt_limits: PromptLimits::default() })
    }

    /// Who asks for pages, and knows when each host may be asked.
    pub const fn fetcher(&self) -> &Arc<Fetcher> {
        &self.fetcher
    }

    /// The language models, if there are any.
    pub const fn models(&self) -> Option<&Models> {
        self.models.as_ref()
    }

    /// The same with language models, which are asked last and told so much.
    #[must_use]
    pub fn with_models(self, models: Option<Models>, prompt_limits: PromptLimits) -> Self {
        Self { models, prompt_limits, ..self }
    }

    /// The page at `url`, asked for as a recipe says, or why there is none.
    ///
    /// # Errors
    ///
    /// What is this machine's fault and not the site's: it may pass, and counts for nothing.
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
            Err(error) if is_ours(&error) => {
                Err(StepError::Passing { code: ErrorCode::TestExecutionFailed, message: error.to_string() })
            }
            Err(error) => Ok(Err(Failure::of_error(&error))),
        }
    }
}

/// A page as text.
#[derive(Debug, Clone)]
pub(crate) struct WebPage {
    /// Where it is, after all redirects.
    pub(crate) url: Url,
    /// Where it is for good, when it has moved.
    pub(crate) moved_to: Option<Url>,
    /// Whether the site sent us elsewhere.
    pub(crate) was_redirected: bool,
    /// Its text: in the character set that the site said it is in, else as the page itself says.
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
        Self { url, moved_to, was_redirected: !answer.redirects.is_empty(), html }
    }

    pub(crate) fn document(&self) -> Document {
        Document::parse(&self.html)
    }
}

/// Whether an error says something about this machine or its settings, and nothing about the site.
fn is_ours(error: &FetchError) -> bool {
    matches!(
        error,
        FetchError::Postponed { .. }
            | FetchError::Reservation { .. }
            | FetchError::LookupFailed { .. }
            | FetchError::Settings { .. }
    )
}

/// The store may be there again in a moment.
pub(crate) fn store_error(error: &StoreError) -> StepError {
    StepError::Passing { code: ErrorCode::TestExecutionFailed, message: error.to_string() }
}
