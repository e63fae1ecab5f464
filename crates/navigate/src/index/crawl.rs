//! The crawl that builds an index: only within the manual, politely, and resumable after an interruption.

use std::time::{Duration, Instant};

use autoheal_fetch::Conditions;
use autoheal_store::manual_index::{CrawledPage, DuePage, PageOutcome};
use autoheal_store::{ManualIndex, StoreError};
use tokio::task::JoinSet;
use url::Url;

use super::content::{content, resolve_links};
use super::scope::Scope;
use crate::address::without_fragment;
use crate::pages::{Page, PageError, Pages};
use crate::progress::{Progress, Silent};

/// Outcomes are stored after this many pages, or this time: pages from disk are many in a second, and those of a polite
/// crawl are stored one by one.
const BATCH: u32 = 64;
const LONGEST_BATCH: Duration = Duration::from_millis(500);

/// A crawl ends after this many failures in succession: the host is not available.
const MOST_FAILURES: u32 = 10;

/// Reason a crawl ended early.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The index cannot be read or written.
    #[error("the index of the manual cannot be used")]
    Store(#[from] StoreError),
    /// The first page is not available, so nothing is known of the manual.
    #[error("the page to start at cannot be read: {0}")]
    Start(String),
    /// Many pages in succession are not available. The crawl can be continued later.
    #[error("the site does not send its pages any longer; continue later. Last failure: {0}")]
    Unavailable(String),
    /// The pages cannot be parsed, because the program is ending.
    #[error("the crawl was stopped")]
    Stopped,
}

/// Outcome of a crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CrawlReport {
    /// Number of pages requested.
    pub requested: u64,
    /// Number of them that are as they were.
    pub unchanged: u64,
    /// Number of them that have no page, or cannot be read.
    pub failed: u64,
    /// True if no page is left to request.
    pub is_complete: bool,
}

/// Builds and refreshes the index of a manual.
pub struct Crawler<'a> {
    pages: &'a dyn Pages,
    index: &'a ManualIndex,
    start: Url,
    scope: Scope,
    limit: u64,
    progress: &'a dyn Progress,
}

impl<'a> Crawler<'a> {
    /// Creates a crawler of the manual that starts at `start`, for at most `limit` pages.
    pub fn new(pages: &'a dyn Pages, index: &'a ManualIndex, start: &Url, limit: u64) -> Self {
        let start = pages.address(&without_fragment(start));
        Self { pages, index, scope: Scope::of(&start), start, limit, progress: &Silent }
    }

    /// Returns the crawler with `progress` as the receiver of its progress.
    #[must_use]
    pub fn telling(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Requests every page again that is in the index, unless its host says that it has not changed, and new ones.
    ///
    /// # Errors
    ///
    /// [`CrawlError`].
    pub async fn refresh(&self) -> Result<CrawlReport, CrawlError> {
        self.index.make_due(None).await?;
        self.crawl().await
    }

    /// Requests the pages that are not in the index yet. An interrupted crawl continues.
    ///
    /// # Errors
    ///
    /// [`CrawlError`].
    pub async fn crawl(&self) -> Result<CrawlReport, CrawlError> {
        self.index.enqueue(&[self.start.to_string()]).await?;
        self.index.retry_failed().await?;
        let mut failures = 0;
        let mut report = CrawlReport::default();
        while report.requested < self.limit {
            let most = u64::from(BATCH).min(self.limit - report.requested);
            let due = self.index.due(u32::try_from(most).unwrap_or(BATCH)).await?;
            if due.is_empty() {
                report.is_complete = true;
                break;
            }
            let pages = self.batch(&due).await?;
            self.check_start(&pages)?;
            self.index.record(&pages).await?;
            for page in &pages {
                report.requested += 1;
                match &page.outcome {
                    PageOutcome::Read(_) => failures = 0,
                    PageOutcome::Unchanged => (report.unchanged, failures) = (report.unchanged + 1, 0),
                    PageOutcome::Gone(_) => report.failed += 1,
                    PageOutcome::Failed(reason) => {
                        (report.failed, failures) = (report.failed + 1, failures + 1);
                        if failures >= MOST_FAILURES {
                            return Err(CrawlError::Unavailable(reason.clone()));
                        }
                    }
                }
            }
            self.progress.crawled(report.requested, pages.last().map_or("", |page| &page.url));
        }
        self.index.set_complete(report.is_complete).await?;
        if report.requested > report.unchanged {
            self.index.optimize().await?;
        }
        Ok(report)
    }

    /// Requests pages one after the other, and parses them at the same time.
    async fn batch(&self, due: &[DuePage]) -> Result<Vec<CrawledPage>, CrawlError> {
        let started = Instant::now();
        let mut parsing = JoinSet::new();
        let mut done = Vec::new();
        for page in due {
            match self.request(page).await {
                Ok(body) => {
                    let url = page.url.clone();
                    parsing.spawn_blocking(move || (url, content(body)));
                }
                Err(outcome) => done.push(CrawledPage { url: page.url.clone(), outcome }),
            }
            if started.elapsed() >= LONGEST_BATCH {
                break;
            }
        }
        while let Some(parsed) = parsing.join_next().await {
            let (url, mut content) = parsed.map_err(|_| CrawlError::Stopped)?;
            resolve_links(&mut content, self.pages, &self.scope);
            done.push(CrawledPage { url, outcome: PageOutcome::Read(Box::new(content)) });
        }
        // In the order of the requests: pages that were found first are requested first.
        done.sort_by_key(|page| due.iter().position(|due| due.url == page.url));
        Ok(done)
    }

    async fn request(&self, page: &DuePage) -> Result<Page, PageOutcome> {
        let url = Url::parse(&page.url).map_err(|error| PageOutcome::Gone(error.to_string()))?;
        let conditions = Conditions { etag: page.etag.clone(), last_modified: page.last_modified.clone() };
        match self.pages.page_if_changed(&url, &conditions).await {
            Ok(None) => Err(PageOutcome::Unchanged),
            Ok(Some(page)) if self.scope.contains(&page.url) => Ok(page),
            Ok(Some(page)) => Err(PageOutcome::Gone(format!("leads to {}, outside the manual", page.url))),
            Err(error) if is_gone(&error) => Err(PageOutcome::Gone(error.to_string())),
            Err(error) => Err(PageOutcome::Failed(error.to_string())),
        }
    }

    fn check_start(&self, pages: &[CrawledPage]) -> Result<(), CrawlError> {
        let start = pages.iter().find(|page| page.url == self.start.as_str());
        match start.map(|page| &page.outcome) {
            Some(PageOutcome::Gone(reason) | PageOutcome::Failed(reason)) => Err(CrawlError::Start(reason.clone())),
            Some(PageOutcome::Read(_) | PageOutcome::Unchanged) | None => Ok(()),
        }
    }
}

/// Returns whether an error will not pass: the address has no page.
fn is_gone(error: &PageError) -> bool {
    match error {
        PageError::Status { status, .. } => matches!(status, 404 | 410),
        PageError::NotHtml { .. } => true,
        PageError::Fetch(error) => matches!(error, autoheal_fetch::FetchError::FileMissing { .. }),
    }
}
