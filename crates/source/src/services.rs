//! What the workflows of sources work with.

use std::sync::Arc;

use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::StepError;
use autoheal_fetch::{FetchRequest, Fetched, Fetcher, Rendering};
use autoheal_page::recipe::Request;
use autoheal_page::relocate::{Relocator, TablesError};
use autoheal_store::{Store, StoreError};
use url::Url;

use crate::failure::Failure;

/// The store, the way to the network, and what finds fields again. Cheap to clone.
#[derive(Clone)]
pub struct SourceServices {
    pub(crate) store: Store,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) relocator: Arc<Relocator>,
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
        Ok(Self { store, fetcher: Arc::new(fetcher), relocator: Arc::new(Relocator::new()?) })
    }

    /// The page at `url`, asked for as a recipe says, or why there is none.
    pub(crate) async fn page(&self, url: &Url, request: &Request) -> Result<Fetched, Failure> {
        let mut asked = FetchRequest::new(url.clone());
        asked.headers = request.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        asked.timeout = request.wait;
        asked.delay = request.delay.unwrap_or_default();
        if request.render {
            asked.rendering = Rendering::Browser { settle: request.wait.unwrap_or(SETTLE) };
        }
        let answer = self.fetcher.fetch(&asked).await.map_err(|error| Failure::of_error(&error))?;
        Failure::of_answer(&answer).map_or(Ok(answer), Err)
    }
}

/// The store may be there again in a moment.
pub(crate) fn store_error(error: &StoreError) -> StepError {
    StepError::Passing { code: ErrorCode::TestExecutionFailed, message: error.to_string() }
}
