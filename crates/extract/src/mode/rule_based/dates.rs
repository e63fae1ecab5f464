//! Extraction of the dates of publication and of the last change.

use autoheal_page::NodeId;
use autoheal_page::value::DateValue;
use autoheal_page::value::date::{DateOrder, parse};

use super::View;
use super::about::About;
use super::found::Found;
use super::stated::Thing;
use crate::item::PageType;

/// Maximum distance of a date from the headline, in visible characters.
const NEAR: usize = 800;

const PUBLISHED: [&str; 14] = [
    "article:published_time",
    "og:published_time",
    "article:published",
    "date",
    "pubdate",
    "publishdate",
    "publish-date",
    "parsely-pub-date",
    "sailthru.date",
    "dc.date",
    "dc.date.issued",
    "dcterms.created",
    "datepublished",
    "citation_publication_date",
];

const MODIFIED: [&str; 5] =
    ["article:modified_time", "og:updated_time", "last-modified", "dcterms.modified", "lastmod"];

/// Returns the day of publication; `place` is the headline.
pub(super) fn published(view: &View<'_>, about: &About<'_>, place: Option<NodeId>) -> Option<Found<DateValue>> {
    let thing = about.thing.as_ref();
    let stated = thing.and_then(|thing| date(thing, &["datePublished", "dateCreated", "uploadDate", "datePosted"]));
    let of_page = || {
        let mut pages = view.stated.things().filter(|thing| thing.kinds().iter().any(|kind| kind.ends_with("page")));
        pages.find_map(|thing| date(&thing, &["datePublished"]))
    };
    let in_meta = || PUBLISHED.iter().find_map(|name| view.stated.meta(&[name])?.and_then(|text| read(&text)));
    stated.or_else(in_meta).or_else(of_page).or_else(|| match about.page_type.value {
        // A date on a shop's page, or of an event, is of something else.
        PageType::Product | PageType::Event => None,
        PageType::Article | PageType::Job | PageType::Recipe | PageType::Generic => shown(view, place),
    })
}

/// The day it was changed last.
pub(super) fn modified(view: &View<'_>, about: &About<'_>) -> Option<Found<DateValue>> {
    let thing = about.thing.as_ref();
    thing
        .and_then(|thing| date(thing, &["dateModified"]))
        .or_else(|| MODIFIED.iter().find_map(|name| view.stated.meta(&[name])?.and_then(|text| read(&text))))
}

/// A day that a thing states.
pub(super) fn date(thing: &Thing<'_>, paths: &[&str]) -> Option<Found<DateValue>> {
    paths.iter().find_map(|path| thing.text(&[path])?.and_then(|text| read(&text)))
}

/// A day that can be read in one way.
fn read(text: &str) -> Option<DateValue> {
    parse(text, DateOrder::Detect).ok()
}

/// The first day near the headline: a `time`, or an element that is called a date.
fn shown(view: &View<'_>, place: Option<NodeId>) -> Option<Found<DateValue>> {
    let page = view.page;
    let from = page.letters_before(place?);
    let near = || page.nodes().filter(|&node| page.letters_before(node).abs_diff(from) <= NEAR);
    let times = near().filter(|&node| page.tag(node) == "time");
    let mut days = times.filter_map(|node| {
        let stated = page.attribute(node, "datetime").and_then(read);
        stated.or_else(|| read(page.visible_text(node)))
    });
    if let Some(day) = days.next() {
        return Some(Found::heuristic(day, 0.8));
    }
    let called = near().filter(|&node| {
        let names = ["class", "id"].iter().filter_map(|name| page.attribute(node, name));
        let mut words = names.flat_map(|name| name.split(|character: char| !character.is_alphanumeric()));
        words.any(|word| {
            matches!(word.to_ascii_lowercase().as_str(), "date" | "published" | "pubdate" | "posted" | "timestamp")
        })
    });
    let mut days = called.filter(|&node| page.letters(node) < 60).filter_map(|node| read(page.visible_text(node)));
    days.next().map(|day| Found::heuristic(day, 0.65))
}

#[cfg(test)]
mod tests {
    use autoheal_page::Document;

    use super::super::{rule_based, title};

    fn published_on(html: &str) -> Option<String> {
        let page = Document::parse(html);
        assert!(title::place(&page, "Soup of leeks").is_some(), "{html}");
        rule_based(&page, None).published_at.map(|day| day.to_string())
    }

    #[test]
    fn days_are_found_where_pages_show_them() {
        for html in [
            r#"<script type="application/ld+json">{"@type":"Article","datePublished":"2024-10-05"}</script><h1>Soup of leeks</h1>"#,
            "<meta property=article:published_time content=2024-10-05><h1>Soup of leeks</h1>",
            "<h1>Soup of leeks</h1><time datetime=2024-10-05>last week</time>",
            "<h1>Soup of leeks</h1><time>5 October 2024</time>",
            "<h1>Soup of leeks</h1><p class=post-date>Posted on October 5, 2024</p>",
        ] {
            assert_eq!(published_on(html).as_deref(), Some("2024-10-05"), "{html}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_no_day() {
        assert_eq!(published_on("<h1>Soup of leeks</h1><p class=date>10/11/2024</p>"), None);
        assert_eq!(published_on("<h1>Soup of leeks</h1><p>In 2024-10-05 nothing happened.</p>"), None);
    }
}
