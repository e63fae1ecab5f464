//! Sources of pages: the web or local files.

use std::time::Duration;

use async_trait::async_trait;
use autoheal_fetch::{FetchError, FetchRequest, Fetcher};
use bytes::Bytes;
use url::Url;

/// A page as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// URL of the page, after redirects.
    pub url: Url,
    /// HTML as it was encoded.
    pub body: Bytes,
}

/// Reason a page is not available.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The request has no response.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The status of the response is an error.
    #[error("{url} answers {status}")]
    Status {
        /// URL of the page.
        url: Url,
        /// Status of the response, such as 404.
        status: u16,
    },
    /// The response is a picture, an archive or the like.
    #[error("{url} is {kind}, and no HTML")]
    NotHtml {
        /// URL of the response.
        url: Url,
        /// Content type of the response.
        kind: String,
    },
}

/// Gives pages by their addresses.
#[async_trait]
pub trait Pages: Send + Sync {
    /// The page at an address.
    ///
    /// # Errors
    ///
    /// [`PageError`].
    async fn page(&self, url: &Url) -> Result<Page, PageError>;
}

/// Pages of the web, or files if the fetcher's settings allow them, fetched within host limits, robots.txt and address checks.
#[derive(Debug, Clone, Copy)]
pub struct FetchedPages<'a> {
    fetcher: &'a Fetcher,
    timeout: Duration,
}

impl<'a> FetchedPages<'a> {
    /// `timeout` is how long one try for a page may take.
    pub const fn new(fetcher: &'a Fetcher, timeout: Duration) -> Self {
        Self { fetcher, timeout }
    }
}

#[async_trait]
impl Pages for FetchedPages<'_> {
    async fn page(&self, url: &Url) -> Result<Page, PageError> {
        let answer = self.fetcher.fetch(&FetchRequest::new(url.clone()).within(self.timeout)).await?;
        if !answer.is_success() {
            return Err(PageError::Status { url: answer.url, status: answer.status });
        }
        if !answer.is_html() {
            let kind = answer.headers.content_type.unwrap_or_default();
            return Err(PageError::NotHtml { url: answer.url, kind });
        }
        Ok(Page { url: answer.url, body: answer.body })
    }
}
