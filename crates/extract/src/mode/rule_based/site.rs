//! The address that a page gives itself, and the names of its site.

use url::Url;

use super::View;

/// Letters and digits alone, in lower case: what two spellings of one name have in common.
pub(super) fn letters(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
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
