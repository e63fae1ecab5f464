//! Content of one page, as the navigator sees it (spec `navigator.md`, `PageState`).
//!
//! - `breadcrumb`: the place of the page in the manual
//! - `links`: the links of the page, with hints that distinguish links with the same text
//! - `table`: tables with captions, header cells and spans
//! - `terms`: the terms that descriptions belong to
//! - `passages`: the text of the page in pieces, each with the headings above it

mod breadcrumb;
mod links;
mod passages;
mod table;
mod terms;

use autoheal_page::{Document, NodeId};
use serde::{Deserialize, Serialize};
use url::Url;

pub use self::links::Link;
pub use self::passages::{Passage, PassageKind};

/// Longer titles are cut, in characters.
const LONGEST_TITLE: usize = 200;

/// A page as a navigator sees it. Everything in it is text from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageState {
    /// URL of the page, without a fragment.
    pub url: Url,
    /// Title of the page.
    pub title: String,
    /// Place of the page in the manual, from the outside in; empty when the page does not state it.
    pub breadcrumb: Vec<String>,
    /// Links to pages of the same site, each once, in the order of the page.
    pub links: Vec<Link>,
    /// Headings and passages as text, tables as in `tables`.
    pub content_text: String,
    /// Its tables as text: the caption, then a line for each row, with the header cell before each cell.
    pub tables: Vec<String>,
    /// True if the page has content, and does not only link to others.
    pub has_data: bool,
    /// Text of the page, in pieces.
    #[serde(skip)]
    pub passages: Vec<Passage>,
}

impl PageState {
    /// Reads a page that came from `url`.
    pub fn parse(body: &[u8], url: &Url) -> Self {
        let document = Document::parse_bytes(body);
        let url = crate::address::without_fragment(url);
        let title = title(&document);
        let terms = terms::Terms::of_page(&document);
        let passages::Content { passages, tables, text } = passages::content(&document, &terms);
        Self {
            breadcrumb: breadcrumb::breadcrumb(&document, &title),
            links: links::links(&document, &terms, &url),
            has_data: !passages.is_empty(),
            content_text: text,
            tables,
            passages,
            title,
            url,
        }
    }

    /// Returns the breadcrumb as one line; without a breadcrumb, the title.
    pub fn place(&self) -> String {
        if self.breadcrumb.is_empty() { self.title.clone() } else { self.breadcrumb.join(" > ") }
    }

    /// The page in a few words, for the path.
    pub(crate) fn hint(&self) -> String {
        let data = if self.has_data { "has data" } else { "no data" };
        format!("{} ({} links, {data})", self.place(), self.links.len())
    }
}

fn title(page: &Document) -> String {
    let first = |tag: &str| page.nodes().find(|&node| page.tag(node) == tag).map(|node| page.text(node).into_owned());
    let title = first("title").filter(|text| !text.is_empty()).or_else(|| first("h1")).unwrap_or_default();
    shortened(&title, LONGEST_TITLE).to_owned()
}

/// The first characters of a text.
fn shortened(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| text[..end].trim_end())
}

/// Returns whether an element is, or is within, a part that only leads elsewhere: the bars around a page.
fn is_bar(page: &Document, node: NodeId) -> bool {
    let named = |text: &str| {
        text.split(|character: char| !character.is_alphanumeric()).any(|part| {
            [
                "nav",
                "navheader",
                "navfooter",
                "navbar",
                "navigation",
                "breadcrumb",
                "breadcrumbs",
                "sidebar",
                "related",
                "menu",
            ]
            .iter()
            .any(|name| part.eq_ignore_ascii_case(name))
        })
    };
    matches!(page.tag(node), "nav" | "footer" | "aside")
        || matches!(page.attribute(node, "role"), Some("navigation" | "search"))
        || page.classes(node).any(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(html: &str) -> PageState {
        PageState::parse(html.as_bytes(), &"http://manual.example/jeep/2012/index.html".parse().unwrap())
    }

    #[test]
    fn a_page_of_folders_is_links_and_no_data() {
        let page = parse(
            "<title>Liberty</title><div class=breadcrumbs><a href=/>Home</a> &gt;&gt; <a href=/jeep/>Jeep</a> &gt;&gt; Liberty</div>\
             <ul><li class=li-folder><a name=Engine>Engine</a><ul><li><a href=a.html>Specifications</a><li><a href=b.html>Service</a></ul>\
             <li class=li-folder><a name=Brakes>Brakes</a><ul><li><a href=c.html>Specifications</a></ul></ul>",
        );
        assert_eq!(page.breadcrumb, ["Home", "Jeep", "Liberty"]);
        let links: Vec<(&str, &str)> =
            page.links.iter().map(|link| (link.text.as_str(), link.path_hint.as_str())).collect();
        assert_eq!(
            links[2..],
            [("Specifications", "Engine"), ("Service", "Engine"), ("Specifications", "Brakes")],
            "{:?}",
            page.links
        );
        assert!(!page.has_data, "{:?}", page.passages);
    }

    #[test]
    fn many_links_beside_a_table_are_data_all_the_same() {
        let links = "<li><a href=x.html>Another chapter</a>".repeat(30);
        let page = parse(&format!(
            "<title>Capacity</title><ul>{links}</ul><table><tr><th>Fluid<th>Capacity<tr><td>Oil<td>5.7 L</table>"
        ));
        assert!(page.has_data);
        assert_eq!(page.tables, ["Fluid: Oil | Capacity: 5.7 L"]);
        assert_eq!(page.content_text, "Fluid: Oil | Capacity: 5.7 L");
    }

    proptest::proptest! {
        #[test]
        fn no_page_makes_it_panic(pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "<table>", "<tr>", "<td>", "<td colspan=3 rowspan=2>", "<th>", "</table>", "<dl>", "<dt>", "<dd>", "</dl>", "<ul>", "<li>",
                "</ul>", "<a href=x>", "<a href=../y#z title=t>", "</a>", "<h1>", "</h1>", "<nav>", "</nav>", "<p>", "<base href=//o/>",
                "<caption>", "<div class=breadcrumbs>", "</div>", "\u{e9}\u{200b}", "word. ", ">> ", "<script>", "</script>", "<svg>",
            ]), 0..60)) {
            let page = parse(&pieces.concat());
            proptest::prop_assert!(page.links.iter().all(|link| link.href.host_str() == Some("manual.example")));
            proptest::prop_assert!(page.passages.iter().all(|passage| !passage.text.is_empty()));
            proptest::prop_assert_eq!(page.has_data, !page.passages.is_empty());
        }
    }

    #[test]
    fn anything_is_a_page() {
        for html in ["", "<a href", "<table><tr><td colspan=999999999 rowspan=99999999>x", "<li><li><dd><dt><h1>", "\0"]
        {
            let page = parse(html);
            assert_eq!(page.url.as_str(), "http://manual.example/jeep/2012/index.html");
        }
    }
}
