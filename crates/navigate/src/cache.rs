//! Cache of the pages of a navigation: each page is requested once, so going back costs nothing.

use std::collections::HashMap;
use std::sync::Arc;

use url::Url;

use crate::address::without_fragment;
use crate::page_state::PageState;
use crate::pages::{PageError, Pages};

/// The pages of one navigation.
pub(crate) struct Cache<'a> {
    pages: &'a dyn Pages,
    known: HashMap<Url, Result<Arc<PageState>, String>>,
    fetches: u32,
}

impl<'a> Cache<'a> {
    pub(crate) fn new(pages: &'a dyn Pages) -> Self {
        Self { pages, known: HashMap::new(), fetches: 0 }
    }

    /// Returns the page, or the reason it is not available.
    pub(crate) async fn page(&mut self, url: &Url) -> Result<Arc<PageState>, String> {
        let url = self.pages.address(&without_fragment(url));
        if let Some(known) = self.known.get(&url) {
            return known.clone();
        }
        self.fetches += 1;
        let seen = match self.pages.page(&url).await {
            Ok(page) => Ok(Arc::new(PageState::parse(&page.body, &page.url))),
            Err(error @ (PageError::Fetch(_) | PageError::Status { .. } | PageError::NotHtml { .. })) => {
                Err(error.to_string())
            }
        };
        if let Ok(state) = &seen {
            // Where a redirect led is the same page.
            self.known.insert(state.url.clone(), seen.clone());
        }
        self.known.insert(url, seen.clone());
        seen
    }

    /// Returns the number of pages that were requested.
    pub(crate) const fn fetches(&self) -> u32 {
        self.fetches
    }
}
