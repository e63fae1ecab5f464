//! Parts of a page that say what may stand there.

use crate::document::{Document, NodeId};
use crate::relocate::words::{Word, Words, word};

/// A part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Navigation, footers, advertisements, teasers of other pages, forms: around the content.
    Around = 1,
    /// The article, recipe or product.
    Main = 2,
    Header = 4,
    /// Pictures and their captions.
    Figure = 8,
    Link = 16,
    Quote = 32,
}

/// The zones that an element is in: its own and those of the elements around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Zones(u8);

impl Zones {
    pub(crate) const fn has(self, zone: Zone) -> bool {
        self.0 & zone as u8 != 0
    }

    const fn with(self, zone: Zone) -> Self {
        Self(self.0 | zone as u8)
    }

    /// The zones that begin below another element.
    pub(crate) const fn without(self, outer: Self) -> Self {
        Self(self.0 & !outer.0)
    }
}

/// Names that sites give to what is not the content.
const AROUND: &[&str] = &[
    "nav",
    "footer",
    "sidebar",
    "menu",
    "related",
    "recommended",
    "recommend",
    "newsletter",
    "comments",
    "comment",
    "promo",
    "share",
    "social",
    "popular",
    "trending",
    "breadcrumb",
    "breadcrumbs",
    "widget",
    "cookie",
    "consent",
    "ad",
    "ads",
    "teaser",
    "modal",
    "popup",
    "recirc",
    "outbrain",
    "taboola",
    "carousel",
    "subscribe",
    "paywall",
];

const MAIN: &[&str] = &["article", "recipe", "story", "entry"];

/// The zones of every element, and whether it is hidden.
pub(super) fn zones(page: &Document, names: &[Words]) -> (Vec<Zones>, Vec<bool>) {
    let around: Words = AROUND.iter().map(|name| word(name)).collect();
    let main: Words = MAIN.iter().map(|name| word(name)).collect();
    let (header, caption, quote) = (word("header"), word("caption"), word("quote"));
    let mut zones: Vec<Zones> = Vec::with_capacity(page.len());
    let mut hidden: Vec<bool> = Vec::with_capacity(page.len());
    for node in page.nodes() {
        let parent = page.parent(node).map(NodeId::index);
        let names = &names[node.index()];
        let called = |name: Word| names.as_slice().binary_search(&name).is_ok();
        let tag = page.tag(node);
        let mut here = parent.map(|parent| zones[parent]).unwrap_or_default();
        if matches!(tag, "nav" | "footer" | "aside" | "form") || names.meets(&around) {
            here = here.with(Zone::Around);
        }
        let is_body = page.attribute(node, "itemprop").is_some_and(|name| name.eq_ignore_ascii_case("articlebody"));
        if matches!(tag, "article" | "main") || is_body || names.meets(&main) {
            here = here.with(Zone::Main);
        }
        if tag == "header" || called(header) {
            here = here.with(Zone::Header);
        }
        if matches!(tag, "figure" | "figcaption") || called(caption) {
            here = here.with(Zone::Figure);
        }
        if tag == "a" {
            here = here.with(Zone::Link);
        }
        if tag == "blockquote" || called(quote) {
            here = here.with(Zone::Quote);
        }
        zones.push(here);
        let style = page.attribute(node, "style").unwrap_or_default();
        let is_hidden = page.attribute(node, "hidden").is_some()
            || (style.contains("none") && style.replace(' ', "").to_ascii_lowercase().contains("display:none"));
        hidden.push(is_hidden || parent.is_some_and(|parent| hidden[parent]));
    }
    (zones, hidden)
}
