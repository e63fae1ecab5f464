//! Links of a page.

use std::collections::{HashMap, HashSet};

use autoheal_page::{Document, NodeId};
use serde::{Deserialize, Serialize};
use url::Url;

use super::terms::Terms;
use super::{is_bar, shortened};

/// No more links of one page are read.
const MOST_LINKS: usize = 30_000;

/// Maximum number of elements around a link that are searched for hints, and maximum lengths of hints and link texts in
/// characters.
const MOST_AROUND: usize = 24;
const LONGEST_HINT: usize = 120;
const LONGEST_TEXT: usize = 200;

/// File extensions in URLs that are not pages.
const NOT_PAGES: &[&str] = &[
    "7z", "avi", "bmp", "bz2", "css", "csv", "deb", "doc", "docx", "eps", "epub", "exe", "gif", "gz", "ico", "jar",
    "jpeg", "jpg", "js", "json", "mov", "mp3", "mp4", "odt", "pdf", "png", "ps", "rpm", "rss", "svg", "tar", "tgz",
    "tif", "tiff", "txt", "webm", "webp", "xls", "xlsx", "xml", "xz", "zip",
];

/// A way to another page, or to a place in this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Text of the link.
    pub text: String,
    /// Target of the link, with the fragment.
    pub href: Url,
    /// Labels above the link, from the outside in: folders, entries, headings. They distinguish links with the same text.
    pub path_hint: String,
    /// The text around it, in the same paragraph or row.
    #[serde(skip)]
    pub around: String,
}

/// The links to pages of the same site, in the order of the page; each text and hint to one place once.
pub(super) fn links(page: &Document, terms: &Terms, url: &Url) -> Vec<Link> {
    let base = base(page, url);
    let mut hints = Hints { page, terms, labels: HashMap::new() };
    let mut heading = None;
    let mut seen = HashSet::new();
    let mut links = Vec::new();
    for node in page.nodes() {
        match page.tag(node) {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if page.letters(node) > 0 => heading = Some(node),
            "a" | "area" => {
                let Some(href) = page.attribute(node, "href").and_then(|href| target(&base, href)) else { continue };
                let text = text_of(page, node);
                if text.is_empty() {
                    continue;
                }
                let (path_hint, around) = hints.of(node, heading);
                if seen.insert((text.clone(), path_hint.clone(), href.clone())) {
                    links.push(Link { text, href, path_hint, around });
                }
                if links.len() >= MOST_LINKS {
                    break;
                }
            }
            _ => {}
        }
    }
    links
}

/// Returns the base of relative addresses. A page may name another place on its own site, but not another site.
fn base(page: &Document, url: &Url) -> Url {
    let named = page.nodes().find(|&node| page.tag(node) == "base").and_then(|node| page.attribute(node, "href"));
    let named = named.and_then(|href| url.join(href).ok());
    named.filter(|base| is_same_site(base, url)).unwrap_or_else(|| url.clone())
}

/// The page of the same site that an address leads to.
fn target(base: &Url, href: &str) -> Option<Url> {
    let url = base.join(href.trim()).ok()?;
    let name = url.path_segments().and_then(Iterator::last).unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let is_page = ending.is_none_or(|ending| !NOT_PAGES.contains(&ending.as_str()));
    (is_page && is_same_site(&url, base)).then_some(url)
}

fn is_same_site(one: &Url, other: &Url) -> bool {
    one.scheme() == other.scheme()
        && one.host() == other.host()
        && one.port_or_known_default() == other.port_or_known_default()
        && (one.host().is_some() || one.scheme() == "file")
}

fn text_of(page: &Document, node: NodeId) -> String {
    let text = page.visible_text(node);
    let picture = || {
        let pictures = page.descendants(node).filter(|&inner| page.tag(inner) == "img");
        pictures.filter_map(|inner| page.attribute(inner, "alt")).find(|text| !text.trim().is_empty())
    };
    let named = || page.attribute(node, "title").or_else(|| page.attribute(node, "aria-label"));
    let text = if text.is_empty() { picture().or_else(named).unwrap_or_default() } else { text };
    shortened(text.trim(), LONGEST_TEXT).to_owned()
}

/// Finds the headings and labels above links. Results are cached per element: there may be thousands of links below it.
struct Hints<'a> {
    page: &'a Document,
    terms: &'a Terms,
    labels: HashMap<NodeId, String>,
}

impl Hints<'_> {
    /// Returns the labels above a link, and the text around it.
    fn of(&mut self, link: NodeId, heading: Option<NodeId>) -> (String, String) {
        let page = self.page;
        let mut hints: Vec<String> = Vec::new();
        let mut around = String::new();
        let mut is_in_bar = false;
        let mut inside = link;
        for node in page.ancestors(link).take(MOST_AROUND) {
            is_in_bar |= is_bar(page, node);
            if around.is_empty() && is_block(page.tag(node)) {
                around = without(page.visible_text(node), page.visible_text(link));
            }
            let label = match page.tag(node) {
                "li" | "dt" | "tr" | "details" | "dd" => self.label(node, link, inside),
                _ => String::new(),
            };
            if !label.is_empty() && hints.last() != Some(&label) {
                hints.push(label);
            }
            inside = node;
        }
        if is_in_bar {
            // Its neighbours there are no headings.
            hints.clear();
        }
        let title = page.attribute(link, "title").map(autoheal_page::document::normalise).unwrap_or_default();
        if hints.is_empty() && !title.is_empty() && title != page.visible_text(link) {
            hints.push(shortened(&title, LONGEST_HINT).to_owned());
        }
        if let Some(heading) = heading.filter(|_| !is_in_bar) {
            hints.push(shortened(page.visible_text(heading), LONGEST_HINT).to_owned());
        }
        hints.reverse();
        (hints.join(" > "), around)
    }

    /// Returns the label that an element gives its contents: a folder's name, an entry's head, a row's first cell.
    fn label(&mut self, node: NodeId, link: NodeId, inside: NodeId) -> String {
        let page = self.page;
        match page.tag(node) {
            "dd" => shortened(&self.terms.text_of(page, node), LONGEST_HINT).to_owned(),
            // A nested list begins: its hint is the text before it.
            "li" | "details" if matches!(page.tag(inside), "ul" | "ol" | "dl" | "div" | "details") => {
                if let Some(label) = self.labels.get(&inside) {
                    return label.clone();
                }
                let label = shortened(page.text_up_to(node, inside), LONGEST_HINT).to_owned();
                self.labels.insert(inside, label.clone());
                label
            }
            "tr" => {
                let first = page.children(node).find(|&cell| matches!(page.tag(cell), "td" | "th"));
                let leads_elsewhere = |cell: NodeId| page.linked_letters(cell) * 2 >= page.letters(cell);
                let first = first.filter(|&cell| !page.contains(cell, link) && !leads_elsewhere(cell));
                shortened(first.map(|cell| page.visible_text(cell)).unwrap_or_default(), LONGEST_HINT).to_owned()
            }
            // The same entry: the text before the link, and other links, are its head.
            _ => {
                let head = page.text_up_to(node, link);
                shortened(head.trim_end_matches([',', ':', ' ', '–', '-']), LONGEST_HINT).to_owned()
            }
        }
    }
}

fn is_block(tag: &str) -> bool {
    matches!(tag, "p" | "li" | "dt" | "dd" | "td" | "th" | "div" | "section" | "blockquote" | "pre")
}

/// A text with one of its parts left out, cut.
fn without(text: &str, part: &str) -> String {
    const LONGEST: usize = 300;
    if text.len() > 4 * LONGEST {
        return String::new();
    }
    shortened(text.replacen(part, " ", 1).trim(), LONGEST).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> Vec<Link> {
        let page = Document::parse(html);
        links(&page, &Terms::of_page(&page), &"http://manual.example/a/b.html".parse().unwrap())
    }

    #[test]
    fn only_pages_of_the_site_are_ways() {
        let html = "<a href=c.html>C</a><a href=/d/>D</a><a href='http://manual.example:80/e'>E</a><a href=#f>F</a><a href='?g=1'>G</a>\
            <a href=http://other.example/>no</a><a href=//other.example/>no</a><a href=https://manual.example/>no</a><a href=x.PDF>no</a>\
            <a href='javascript:x()'>no</a><a href=mailto:a@b.example>no</a><a name=x>no</a><a href=empty></a><a href='http://['>no</a>\
            <a href=picture><img alt='A picture'></a>";
        let links = of(html);
        let told: Vec<String> = links.iter().map(|link| format!("{} {}", link.text, link.href.path())).collect();
        assert_eq!(told, ["C /a/c.html", "D /d/", "E /e", "F /a/b.html", "G /a/b.html", "A picture /a/picture"]);
        assert_eq!(links[3].href.fragment(), Some("f"));
    }

    #[test]
    fn a_page_may_name_another_base_but_no_other_site() {
        assert_eq!(of("<base href=/x/><a href=c>C</a>")[0].href.path(), "/x/c");
        assert_eq!(of("<base href=http://other.example/x/><a href=c>C</a>")[0].href.path(), "/a/c");
    }

    #[test]
    fn entries_and_rows_are_hints() {
        let links = of(
            "<h2>Index</h2><dl><dt>smallint, <a href=a>Integer Types</a></dt><dt>ALTER</dt><dd><dl><dt>TABLE, <a href=b>Tables</a></dl></dl>\
             <table><tr><td>Oil<td><a href=c>Capacity</a></table>",
        );
        let hints: Vec<&str> = links.iter().map(|link| link.path_hint.as_str()).collect();
        assert_eq!(hints, ["Index > smallint", "Index > ALTER > TABLE", "Index > Oil"]);
    }
}
