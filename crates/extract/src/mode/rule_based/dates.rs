//! Extraction of the dates of publication and of the last change.
//!
//! Statements come first (JSON-LD, microdata, `meta`), then dates that the page shows near its headline, then the
//! date in its address. A shown date that is labelled as an update is never the day of publication.

use std::sync::LazyLock;

use autoheal_page::value::DateValue;
use autoheal_page::value::date::{DateOrder, parse};
use autoheal_page::{Document, NodeId};
use regex::Regex;

use super::about::About;
use super::found::Found;
use super::frame::is_frame_part;
use super::stated::Thing;
use super::{Filling, View, title};
use crate::item::{Field, PageType};

/// Maximum distance of a date from the headline, in visible characters.
const NEAR: usize = 800;

/// Maximum length of a line that holds a date and perhaps the author, in characters and in words.
const LONGEST_LINE: usize = 120;
const WORDS: usize = 12;

/// Maximum number of shown dates that are compared.
const MOST: usize = 200;

const PUBLISHED: &[&str] = &[
    "article:published_time",
    "og:article:published_time",
    "og:published_time",
    "article:published",
    "article:publicationdate",
    "article.published",
    "article_date_original",
    "bt:pubdate",
    "citation_online_date",
    "citation_publication_date",
    "cxenseparse:recs:publishtime",
    "date",
    "date_published",
    "datepublished",
    "dateposted",
    "dc.created",
    "dc.date",
    "dc.date.created",
    "dc.date.issued",
    "dc.date.publication",
    "dcterms.available",
    "dcterms.created",
    "dcterms.date",
    "dcterms.issued",
    "displaydate",
    "og:pubdate",
    "og:publish_date",
    "og:release_date",
    "originalpublicationdate",
    "parsely-pub-date",
    "pub_date",
    "pubdate",
    "publication_date",
    "publication-date",
    "publicationdate",
    "publish_date",
    "publish_time",
    "publish-date",
    "publishdate",
    "published_at",
    "published_date",
    "published_time",
    "published-date",
    "publisheddate",
    "rbpubdate",
    "release_date",
    "sailthru.date",
    "shareaholic:article_published_time",
    "timestamp",
    "uploaddate",
    "vr:published_time",
];

const MODIFIED: &[&str] = &[
    "article:modified_time",
    "article:modified",
    "og:updated_time",
    "og:modified_time",
    "date_modified",
    "datemodified",
    "dc.date.modified",
    "dcterms.modified",
    "last-modified",
    "lastmod",
    "modified_date",
    "modified_time",
    "revision_date",
    "shareaholic:article_modified_time",
    "updated_time",
];

/// Members of statements that hold the day of publication.
const MEMBERS: [&str; 4] = ["datePublished", "dateCreated", "uploadDate", "datePosted"];

/// Fills the days of publication and of the last change; `place` is the headline.
pub(super) fn fill(view: &View<'_>, about: &About<'_>, place: Option<NodeId>, filling: &mut Filling) {
    let published = stated(view, about, place);
    let published = published.map(|found| found.map(|day| in_its_zone(view, place, day)));
    let modified = about.thing.as_ref().and_then(|thing| date(thing, &["dateModified"]));
    let modified = modified.or_else(|| in_meta(view, MODIFIED));
    let kind = about.page_type.value;
    // A date on a shop's page, or of an event, is of something else.
    let is_text = !matches!(kind, PageType::Product | PageType::Event);
    let is_stated = published.is_some() && modified.is_some();
    let shown = match place.filter(|_| is_text && !is_stated) {
        Some(place) => Shown::near(view, place, kind),
        None => Shown::default(),
    };
    let published = published.or(shown.published).or_else(|| in_address(view).filter(|_| is_text));
    filling.set(Field::PublishedAt, published, |item| &mut item.published_at);
    filling.set(Field::ModifiedAt, modified.or(shown.modified), |item| &mut item.modified_at);
}

fn stated(view: &View<'_>, about: &About<'_>, place: Option<NodeId>) -> Option<Found<DateValue>> {
    let of_subject = about.thing.as_ref().and_then(|thing| date(thing, &MEMBERS));
    let of_page = |is_it: &dyn Fn(&Thing<'_>) -> bool| {
        view.stated.things().filter(|thing| is_it(thing)).find_map(|thing| date(&thing, &["datePublished"]))
    };
    let headline = place.map(|place| view.page.visible_text(place));
    // A page may state an article besides what it is chiefly about.
    let is_article = |thing: &Thing<'_>| {
        let name = thing.text(&["headline", "name"]);
        let is_text = thing.kinds().iter().any(|kind| kind.ends_with("article") || kind.ends_with("posting"));
        is_text && headline.zip(name).is_some_and(|(headline, name)| title::agree(headline, &name.value))
    };
    of_subject
        .or_else(|| of_page(&is_article))
        .or_else(|| in_meta(view, PUBLISHED))
        .or_else(|| of_page(&|thing| thing.kinds().iter().any(|kind| kind.ends_with("page"))))
}

fn in_meta(view: &View<'_>, names: &[&str]) -> Option<Found<DateValue>> {
    names.iter().find_map(|name| view.stated.meta(&[name])?.and_then(|text| read(&text)))
}

/// A day that a thing states.
pub(super) fn date(thing: &Thing<'_>, paths: &[&str]) -> Option<Found<DateValue>> {
    paths.iter().find_map(|path| thing.text(&[path])?.and_then(|text| read(&text)))
}

/// A day that can be read in one way.
fn read(text: &str) -> Option<DateValue> {
    parse(text, DateOrder::Detect).ok()
}

/// Returns the same moment in the time zone of the site, if a `time` element shows it there: statements are
/// often in UTC, where another day may have begun.
fn in_its_zone(view: &View<'_>, place: Option<NodeId>, day: DateValue) -> DateValue {
    let moment = |day: &DateValue| {
        let time = day.time?;
        time.offset?.to_timestamp(day.date.to_datetime(time.time)).ok()
    };
    let (Some(place), Some(wanted)) = (place, moment(&day)) else { return day };
    let times = near(view.page, place).filter(|&node| view.page.tag(node) == "time");
    let mut shown = times.filter_map(|node| view.page.attribute(node, "datetime").and_then(read));
    shown.find(|other| moment(other) == Some(wanted)).unwrap_or(day)
}

/// The elements near the headline that may be about the same text: those after it first, then those before it.
fn near(page: &Document, place: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let from = page.letters_before(place);
    let after = page.nodes().filter(move |&node| (from..=from + NEAR).contains(&page.letters_before(node)));
    let before =
        page.nodes().filter(move |&node| (from.saturating_sub(NEAR)..from).contains(&page.letters_before(node)));
    after.chain(before)
}

/// Returns whether an element is in the frame of the page, such as links to other articles, and the headline is not.
fn is_of_other(page: &Document, node: NodeId, place: NodeId) -> bool {
    page.ancestors(node).take_while(|&above| !page.contains(above, place)).any(|above| is_frame_part(page, above))
}

/// The dates that a page shows near its headline.
#[derive(Default)]
struct Shown {
    published: Option<Found<DateValue>>,
    modified: Option<Found<DateValue>>,
}

impl Shown {
    /// Looks for `time` elements, then for elements that are called a date, then for short lines with a date.
    fn near(view: &View<'_>, place: NodeId, kind: PageType) -> Self {
        let page = view.page;
        let mut shown = Self::default();
        let read_text = |node: NodeId| read(page.visible_text(node));
        let times = near(page, place).filter(|&node| page.tag(node) == "time");
        let times = times.filter_map(|node| {
            Some((node, page.attribute(node, "datetime").and_then(read).or_else(|| read_text(node))?))
        });
        let called = near(page, place).filter(|&node| page.letters(node) < 60 && is_called_date(page, node));
        let called = called
            .filter_map(|node| Some((node, read_text(node).or_else(|| page.attribute(node, "title").and_then(read))?)));
        let dated = times.map(|found| (found, 0.8)).chain(called.map(|found| (found, 0.65)));
        for ((node, day), confidence) in dated.take(MOST).filter(|((node, _), _)| !is_of_other(page, *node, place)) {
            shown.add(day, is_update(page, node), confidence);
        }
        if view.is_readable && shown.published.is_none() {
            shown.add_lines(page, place, kind);
        }
        shown
    }

    fn add(&mut self, day: DateValue, is_update: bool, confidence: f32) {
        let slot = if is_update { &mut self.modified } else { &mut self.published };
        slot.get_or_insert(Found::heuristic(day, confidence));
    }

    /// Reads lines after the headline that are hardly more than a date and an author. On a page that may be a list, the date
    /// must be labelled.
    fn add_lines(&mut self, page: &Document, place: NodeId, kind: PageType) {
        let is_line = |line: &str| {
            is_only_date(line) && kind != PageType::Generic
                || LABELLED.as_ref().is_some_and(|label| label.is_match(line))
                    && line.split_whitespace().count() <= WORDS
        };
        let lines = near(page, place).filter(|&node| {
            node.index() > place.index()
                && (6..=LONGEST_LINE).contains(&page.letters(node))
                && is_line_tag(page.tag(node))
        });
        let dated = lines.filter_map(|node| {
            let line = page.visible_text(node);
            let update = UPDATE.as_ref().and_then(|update| update.find(line));
            let (before, after) = line.split_at(update.map_or(line.len(), |update| update.start()));
            let (published, modified) = (read(before).filter(|_| is_line(before)), read(after));
            (published.is_some() || modified.is_some()).then_some((node, published, modified))
        });
        for (_, published, modified) in dated.take(MOST).filter(|(node, ..)| !is_of_other(page, *node, place)) {
            if let Some(day) = published {
                self.add(day, false, 0.6);
            }
            if let Some(day) = modified {
                self.add(day, true, 0.6);
            }
        }
    }
}

fn is_line_tag(tag: &str) -> bool {
    let small = ["p", "div", "span", "li", "small", "em", "i", "b", "strong", "td"];
    small.contains(&tag) || ["h2", "h3", "h4", "h5", "h6"].contains(&tag)
}

/// Words before the day of the last change.
static UPDATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(last\s+(updated?|modified|edited|reviewed|changed)|updated?|modified|edited|reviewed|revised|aktualisiert|zuletzt|geändert|stand|mis(e)?\s+à\s+jour|modifié|actualizad[oa]|modificad[oa]|aggiornat[oa]|modificat[oa]|atualizad[oa]|bijgewerkt|gewijzigd|uppdaterad|opdateret|oppdatert|ändrad|zaktualizowano|aktualizacja|обновлено|изменено|updated\s+on|güncellen\p{L}*|päivitetty)\b",
    )
    .ok()
});

/// Beginnings of a line with the day of publication: a word for publishing, or for the author.
static LABELLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\W*((first\s+|originally\s+)?(published|posted|created|written|submitted|released|date|by)\b|veröffentlicht|erstellt|geschrieben|von\s|publié|paru|écrit|par\s|publicad[oa]|escrit[oa]|por\s|pubblicat[oa]|scritt[oa]|di\s|gepubliceerd|geplaatst|door\s|publicerad|skriven|publicerat|publiceret|udgivet|publisert|av\s|af\s|opublikowan[oa]|dodan[oa]|опубликовано|автор|yayın\p{L}*|julkaistu)",
    )
    .ok()
});

/// Returns whether a date is labelled as that of an update: by its own names, or by the text before it.
fn is_update(page: &Document, node: NodeId) -> bool {
    let names: Vec<&str> = ["class", "id", "itemprop"].iter().filter_map(|name| page.attribute(node, name)).collect();
    let names = names.join(" ").to_ascii_lowercase();
    // Publishing systems name the only date `published updated`.
    if names.contains("publish") {
        return false;
    }
    if names.contains("update") || names.contains("modified") {
        return true;
    }
    let Some(update) = UPDATE.as_ref() else { return false };
    let before = page.text_before(node);
    let from = before.char_indices().rev().nth(24).map_or(0, |(from, _)| from);
    update.is_match(&before[from..]) || update.find(page.visible_text(node)).is_some_and(|found| found.start() < 3)
}

/// Returns whether a class name or id calls an element a date.
fn is_called_date(page: &Document, node: NodeId) -> bool {
    let names = ["class", "id", "itemprop", "data-testid"].iter().filter_map(|name| page.attribute(node, name));
    names.flat_map(str::split_ascii_whitespace).any(|name| {
        let name = name.to_ascii_lowercase();
        let mut words = name.split(|character: char| !character.is_alphanumeric());
        words.any(|word| {
            matches!(
                word,
                "date"
                    | "datetime"
                    | "published"
                    | "publishdate"
                    | "pubdate"
                    | "posted"
                    | "timestamp"
                    | "dateline"
                    | "postdate"
                    | "datepublished"
            )
        })
    })
}

/// Returns whether a text has hardly a word outside of its date.
fn is_only_date(text: &str) -> bool {
    static NUMERIC: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d[-/.]\d").ok());
    let words = text.split(|character: char| !character.is_alphabetic()).filter(|word| word.chars().count() > 1);
    let words = words.filter(|word| !matches!(word.to_ascii_lowercase().as_str(), "de" | "del" | "at" | "am" | "pm"));
    // The day of the week, and the month where it is a word.
    let most = if NUMERIC.as_ref().is_some_and(|numeric| numeric.is_match(text)) { 1 } else { 2 };
    text.len() <= 60 && words.count() <= most
}

/// The date in the path of the page's address: `/2024/10/05/soup`.
fn in_address(view: &View<'_>) -> Option<Found<DateValue>> {
    static DAY: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?:[/_-]|$)").ok());
    let parts = DAY.as_ref()?.captures(view.url?.path())?;
    let day = read(&format!("{}-{}-{}", &parts[1], &parts[2], &parts[3]))?;
    Some(Found::heuristic(day, 0.6))
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
            "<meta name=dcterms.issued content=2024-10-05><h1>Soup of leeks</h1>",
            "<h1>Soup of leeks</h1><span class=DateTime title='Oct 5, 2024'>some time ago</span>",
            "<h1>Soup of leeks</h1><p>by Ada Byron - 2024-10-05<br>Updated: 2025-01-02</p>",
            "<h1>Soup of leeks</h1><div>Veröffentlicht am 5. Oktober 2024</div>",
            "<meta property=og:type content=article><h1>Soup of leeks</h1><p>5 octobre 2024</p>",
            "<h1>Soup of leeks</h1><p>Last updated: <time>2 January 2025</time></p><time>5 October 2024</time>",
        ] {
            assert_eq!(published_on(html).as_deref(), Some("2024-10-05"), "{html}");
        }
    }

    #[test]
    fn the_day_of_an_update_is_not_that_of_publication() {
        for html in [
            "<h1>Soup of leeks</h1><p>Last updated <time datetime=2025-01-02>2 January</time></p>",
            "<h1>Soup of leeks</h1><time class=updated>2 January 2025</time>",
            "<h1>Soup of leeks</h1><p class=date>Aktualisiert am 2. Januar 2025</p>",
            "<h1>Soup of leeks</h1><p>Updated: 2 January 2025</p>",
        ] {
            assert_eq!(published_on(html), None, "{html}");
            let item = rule_based(&Document::parse(html), None);
            assert_eq!(item.modified_at.map(|day| day.date.to_string()).as_deref(), Some("2025-01-02"), "{html}");
        }
    }

    #[test]
    fn a_moment_is_told_in_the_time_zone_of_the_site() {
        let html = r#"<script type="application/ld+json">{"@type":"Article","headline":"Soup of leeks","datePublished":"2024-10-04T22:30:00Z"}</script>
            <h1>Soup of leeks</h1><time datetime="2024-10-05T03:30:00+0500">Yesterday</time>"#;
        assert_eq!(published_on(html).as_deref(), Some("2024-10-05T03:30+05:00"));
    }

    #[test]
    fn an_address_may_hold_the_day() {
        let page = Document::parse("<h1>Soup of leeks</h1><p>Once upon a time");
        let published =
            |url: &str| rule_based(&page, url.parse().ok().as_ref()).published_at.map(|day| day.to_string());
        assert_eq!(published("https://kitchen.example/2024/10/05/soup").as_deref(), Some("2024-10-05"));
        assert_eq!(published("https://kitchen.example/archive/2024/10/soup"), None);
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_no_day() {
        assert_eq!(published_on("<h1>Soup of leeks</h1><p class=date>10/11/2024</p>"), None);
        assert_eq!(published_on("<h1>Soup of leeks</h1><p>In 2024-10-05 nothing happened.</p>"), None);
        let related = "<h1>Soup of leeks</h1><aside>More: <time>5 October 2024</time></aside>";
        assert_eq!(published_on(related), None, "a date of another page");
        assert_eq!(published_on("<h1>Soup of leeks</h1><ul><li>5 October 2024<li>6 October 2024</ul>"), None, "a list");
    }
}
