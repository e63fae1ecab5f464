//! Addresses of pages.

use url::Url;

/// The address of the page that a place in it belongs to.
pub(crate) fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}
