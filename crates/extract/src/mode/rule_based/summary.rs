//! Statements of a page about itself as a whole: summary, picture, URL, the name of its site.

use url::Url;

use super::View;
use super::about::About;
use super::found::Found;
use super::title::letters;

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
pub(super) fn absolute(view: &View<'_>, address: &str) -> String {
    let joined = match view.url {
        Some(url) => url.join(address).ok(),
        None => Url::parse(address).ok(),
    };
    joined.map_or_else(|| address.to_owned(), |url| url.to_string())
}

/// The address that the page gives itself.
pub(super) fn canonical(view: &View<'_>) -> Option<String> {
    let page = view.page;
    let link = page.nodes().find(|&node| {
        page.tag(node) == "link" && page.attribute(node, "rel").is_some_and(|rel| rel.eq_ignore_ascii_case("canonical"))
    });
    let stated = || view.stated.meta(&["og:url"]).map(|found| found.value);
    let address = link.and_then(|link| page.attribute(link, "href")).map(str::to_owned).or_else(stated)?;
    Url::parse(&address).ok().map(|url| url.to_string())
}

/// Returns the names of the site, reduced to letters and digits: as the page states them, and from its host.
pub(super) fn site_names(view: &View<'_>) -> Vec<String> {
    let stated = view.stated.meta(&["og:site_name", "application-name", "apple-mobile-web-app-title"]);
    let mut names: Vec<String> = stated.into_iter().map(|found| letters(&found.value)).collect();
    for thing in view.stated.things() {
        if thing
            .kinds()
            .iter()
            .any(|kind| matches!(kind.as_str(), "website" | "organization" | "newsmediaorganization"))
        {
            names.extend(thing.text(&["name"]).map(|found| letters(&found.value)));
        }
    }
    let address = view.url.cloned().or_else(|| Url::parse(&canonical(view)?).ok());
    if let Some(host) = address.as_ref().and_then(Url::host_str) {
        // `kitchen` of `www.kitchen.co.uk`, `news.kitchen.com`.
        let labels: Vec<&str> = host.split('.').rev().skip(1).collect();
        let name = labels.iter().find(|label| label.len() > 3).or(labels.first());
        names.extend(name.map(|label| letters(label)));
    }
    names.retain(|name| !name.is_empty());
    names
}
