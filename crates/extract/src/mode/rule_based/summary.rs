//! Statements of a page about itself as a whole: summary and picture.

use url::Url;

use super::View;
use super::about::About;
use super::found::Found;

/// Returns the summary that the page states.
pub(super) fn description(view: &View<'_>, about: &About<'_>) -> Option<Found<String>> {
    let thing = about.thing.as_ref();
    thing
        .and_then(|thing| thing.text(&["description", "abstract"]))
        .or_else(|| view.stated.meta(&["og:description", "description", "twitter:description", "dc.description"]))
}

/// Returns the URL of the page's picture, absolute if the URL of the page is known.
pub(super) fn image(view: &View<'_>, about: &About<'_>) -> Option<Found<String>> {
    let thing = about.thing.as_ref();
    let paths = ["image.url", "image.contentUrl", "image.@id", "image", "thumbnailUrl"];
    let stated = thing.and_then(|thing| thing.text(&paths)).filter(|found| is_address(&found.value));
    let names = ["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"];
    // The picture for sharing is the page's main picture; structured data often has only a small copy.
    view.stated
        .meta(&names)
        .filter(|found| is_address(&found.value))
        .or(stated)
        .map(|found| found.map(|address| absolute(view, &address)))
}

fn is_address(text: &str) -> bool {
    !text.contains(char::is_whitespace) && text.contains(['/', '.'])
}

/// An address as seen from the page.
fn absolute(view: &View<'_>, address: &str) -> String {
    let joined = match view.url {
        Some(url) => url.join(address).ok(),
        None => Url::parse(address).ok(),
    };
    joined.map_or_else(|| address.to_owned(), |url| url.to_string())
}
