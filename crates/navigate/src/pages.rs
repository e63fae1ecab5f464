//! Sources of pages: the web or local files.

use std::time::Duration;

use async_trait::async_trait;
use autoheal_fetch::{Conditions, FetchError, FetchRequest, Fetcher, Provenance};
use bytes::Bytes;
use url::Url;

/// A page as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// URL of the page, after redirects.
    pub url: Url,
    /// HTML as it was encoded.
    pub body: Bytes,
    /// Validators of the page, for a later conditional request.
    pub validators: Conditions,
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

    /// The page at an address, or `None` if it is the version that `validators` describe.
    ///
    /// # Errors
    ///
    /// [`PageError`].
    async fn page_if_changed(&self, url: &Url, validators: &Conditions) -> Result<Option<Page>, PageError> {
        let page = self.page(url).await?;
        let is_known = !validators.is_empty() && page.validators == *validators;
        Ok((!is_known).then_some(page))
    }

    /// Returns the address under which the target of a link is requested.
    fn address(&self, url: &Url) -> Url {
        url.clone()
    }
}

/// Pages of the web, or files if the fetcher's settings allow them, fetched within host limits, robots.txt and address checks.
#[derive(Debug, Clone)]
pub struct FetchedPages<'a> {
    fetcher: &'a Fetcher,
    timeout: Duration,
    root: Option<Url>,
}

impl<'a> FetchedPages<'a> {
    /// `timeout` is how long one try for a page may take.
    pub const fn new(fetcher: &'a Fetcher, timeout: Duration) -> Self {
        Self { fetcher, timeout, root: None }
    }

    /// Makes a folder the root of a stored site: the link `/Honda/` leads to `Honda/index.html` in it. `root` ends with a slash.
    #[must_use]
    pub fn rooted(mut self, root: Option<Url>) -> Self {
        self.root = root;
        self
    }

    async fn fetch(&self, url: &Url, validators: Conditions) -> Result<Option<Page>, PageError> {
        let url = self.address(url);
        let file = FileVersion::of(&url);
        if file.as_ref().is_some_and(|version| validators.etag.as_deref() == Some(&version.0)) {
            return Ok(None);
        }
        let request = FetchRequest::new(url).within(self.timeout);
        let request = if file.is_none() { request.when_changed(validators) } else { request };
        let answer = self.fetcher.fetch(&request).await?;
        if answer.provenance == Provenance::NotModified {
            return Ok(None);
        }
        if !answer.is_success() {
            return Err(PageError::Status { url: answer.url, status: answer.status });
        }
        if !answer.is_html() {
            let kind = answer.headers.content_type.unwrap_or_default();
            return Err(PageError::NotHtml { url: answer.url, kind });
        }
        let validators = match file {
            Some(version) => Conditions { etag: Some(version.0), last_modified: None },
            None => answer.conditions(),
        };
        Ok(Some(Page { url: answer.url, body: answer.body, validators }))
    }
}

#[async_trait]
impl Pages for FetchedPages<'_> {
    async fn page(&self, url: &Url) -> Result<Page, PageError> {
        let page = self.fetch(url, Conditions::default()).await?;
        // Without validators nothing is unchanged.
        page.ok_or_else(|| PageError::Status { url: url.clone(), status: 304 })
    }

    async fn page_if_changed(&self, url: &Url, validators: &Conditions) -> Result<Option<Page>, PageError> {
        self.fetch(url, validators.clone()).await
    }

    fn address(&self, url: &Url) -> Url {
        match &self.root {
            Some(root) if url.scheme() == "file" => below(root, url),
            Some(_) | None => url.clone(),
        }
    }
}

/// Returns the file below `root` that a link of a stored site means: a folder means its `index.html`.
fn below(root: &Url, url: &Url) -> Url {
    let relative = url.path().strip_prefix(root.path()).unwrap_or_else(|| url.path().trim_start_matches('/'));
    let mut file = root.clone();
    file.set_path(&format!("{}{relative}", root.path()));
    let is_folder = file.to_file_path().is_ok_and(|path| path.is_dir());
    if is_folder {
        let folder = file.path().trim_end_matches('/').to_owned();
        file.set_path(&format!("{folder}/index.html"));
    }
    file.set_fragment(url.fragment());
    file
}

/// Version of a file: its time of modification and its size.
struct FileVersion(String);

impl FileVersion {
    /// `None` if the address names no readable file.
    fn of(url: &Url) -> Option<Self> {
        let path = (url.scheme() == "file").then(|| url.to_file_path().ok())??;
        let found = std::fs::metadata(path).ok()?;
        let time = found.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(Self(format!("{}-{}", time.as_nanos(), found.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_a_stored_site_stay_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("Honda")).unwrap();
        let root = Url::from_directory_path(folder.path()).unwrap();
        let path = |url: &str| below(&root, &url.parse().unwrap()).path().strip_prefix(root.path()).map(str::to_owned);
        assert_eq!(path("file:///Honda").as_deref(), Some("Honda/index.html"));
        assert_eq!(path("file:///Honda/").as_deref(), Some("Honda/index.html"));
        assert_eq!(path("file:///a.html").as_deref(), Some("a.html"));
        assert_eq!(path(root.join("b/c.html#d").unwrap().as_str()).as_deref(), Some("b/c.html"));
        assert_eq!(path("file:///").as_deref(), Some("index.html"));
        assert_eq!(path("file:///../../etc/passwd").as_deref(), Some("etc/passwd"), "never above the folder");
    }
}
