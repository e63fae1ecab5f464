//! Machine-readable data of a page about itself: JSON-LD (also malformed), microdata, RDFa, OpenGraph and
//! other `meta`.
//!
//! All of it becomes one flat list of [`Datum`]: a path such as `author.name`, below a kind such as `Recipe`,
//! with its value. JSON-LD, microdata and RDFa also become things with their parts: [`json_ld_documents`], [`marked_things`].

mod attributes;
mod json_ld;
mod lenient_json;
mod marked;
mod meta;

pub use json_ld::json_ld_documents;
pub use marked::marked_things;

use crate::document::{Document, NodeId, normalise};

/// One value that a page states about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Datum {
    /// Format in which the value is written.
    pub origin: Origin,
    /// Type of the described thing, as written but without its vocabulary: `Recipe`, `NewsArticle`. Empty if the page
    /// does not state it.
    pub kind: String,
    /// Names from the thing to the value, joined by dots: `author.name`; for `meta` elements their name: `og:title`.
    pub path: String,
    /// The value as text, without markup, spaces collapsed.
    pub value: String,
    /// The element that states it.
    pub node: NodeId,
}

/// Format in which a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// `script` elements of type `application/ld+json`.
    JsonLd,
    /// Elements with `itemprop` attributes.
    Microdata,
    /// Elements with `property` attributes, other than `meta`.
    Rdfa,
    /// `meta` elements with `name` or `property` and `content`, including OpenGraph.
    Meta,
    /// The `title` element of the page.
    Title,
}

/// More values than this from one page are not read: pages that state more are lists of everything.
const MOST: usize = 8000;

/// Values longer than this many bytes are cut.
const LONGEST: usize = 200_000;

/// Everything that the page states about itself: JSON-LD first, then `meta`, the title, microdata and RDFa, each in document
/// order.
pub fn structured_data(page: &Document) -> Vec<Datum> {
    let mut found = Vec::new();
    json_ld::collect(page, &mut found);
    meta::collect(page, &mut found);
    attributes::collect(page, &mut found);
    found.truncate(MOST);
    found
}

/// The text of a stated value, which may hold markup or entities: without them, spaces collapsed.
pub fn plain_text(value: &str) -> String {
    plain(value)
}

fn plain(value: &str) -> String {
    let value = crate::document::first_bytes(value, LONGEST);
    if value.contains(['<', '&']) {
        // Twice: JSON-LD is often escaped once more than it should be.
        let once = Document::parse(value).page_text().to_owned();
        if once.contains("&amp;") || once.contains("&#") { Document::parse(&once).page_text().to_owned() } else { once }
    } else {
        normalise(value)
    }
}

/// The last part of a type's address: `https://schema.org/Recipe` is a `Recipe`.
fn short_type(address: &str) -> &str {
    address.trim().rsplit(['/', '#', ':']).next().unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(html: &str) -> Vec<(Origin, String, String, String)> {
        let page = Document::parse(html);
        structured_data(&page).into_iter().map(|datum| (datum.origin, datum.kind, datum.path, datum.value)).collect()
    }

    fn has(html: &str, origin: Origin, kind: &str, path: &str, value: &str) {
        let all = data(html);
        let wanted = (origin, kind.to_owned(), path.to_owned(), value.to_owned());
        assert!(all.contains(&wanted), "{wanted:?} is not in {all:?}");
    }

    #[test]
    fn json_ld_is_flattened() {
        let html = r##"<script type="application/ld+json">{"@graph":[
            {"@type":"Article","headline":"A &amp; <b>B</b>","author":{"@id":"#p"},"keywords":["x","y"],"n":4},
            {"@type":"Person","@id":"#p","name":"Ada"}]}</script>"##;
        has(html, Origin::JsonLd, "Article", "headline", "A & B");
        has(html, Origin::JsonLd, "Article", "author.name", "Ada");
        has(html, Origin::JsonLd, "Article", "keywords", "y");
        has(html, Origin::JsonLd, "Article", "n", "4");
        has(html, Origin::JsonLd, "Person", "name", "Ada");
    }

    #[test]
    fn broken_json_is_read_as_far_as_it_goes() {
        for json in [
            "{\"@type\":\"Recipe\",\"name\":\"A\nB\",}",
            "<!-- {\"@type\":\"Recipe\",\"name\":\"A B\"}; -->",
            "//<![CDATA[\n{\"@type\":\"Recipe\",\"name\":\"A B\"}\n//]]>",
            "{\"@type\":\"Recipe\",\"name\":\"A B\",\"description\":\"cut he",
            "/* c */ [{\"@type\":\"Recipe\",\"name\":\"A B\"},]",
        ] {
            has(
                &format!("<script type='application/ld+json'>{json}</script>"),
                Origin::JsonLd,
                "Recipe",
                "name",
                "A B",
            );
        }
    }

    #[test]
    fn microdata_and_rdfa_nest() {
        let html = "<div itemscope itemtype='http://schema.org/Recipe'><h1 itemprop=name>Soup</h1>
            <span itemprop=author itemscope itemtype=Person><b itemprop=name>Ada</b></span>
            <time itemprop='totalTime' datetime=PT5M>5 min</time><img itemprop=image src=a.jpg></div>
            <div vocab='http://schema.org/' typeof=Product><b property=name>Pot</b></div><i itemprop=loose>x</i>";
        has(html, Origin::Microdata, "Recipe", "name", "Soup");
        has(html, Origin::Microdata, "Recipe", "author.name", "Ada");
        has(html, Origin::Microdata, "Recipe", "totalTime", "PT5M");
        has(html, Origin::Microdata, "Recipe", "image", "a.jpg");
        has(html, Origin::Rdfa, "Product", "name", "Pot");
        has(html, Origin::Microdata, "", "loose", "x");
    }

    #[test]
    fn meta_and_title_are_taken() {
        let html = "<title>A - B</title><meta property='og:Title' content='A'><meta name=author content=' Ada '>";
        has(html, Origin::Meta, "", "og:title", "A");
        has(html, Origin::Meta, "", "author", "Ada");
        has(html, Origin::Title, "", "title", "A - B");
    }

    #[test]
    fn references_in_circles_end() {
        let html = r##"<script type="application/ld+json">{"@graph":[
            {"@type":"Article","@id":"#a","author":{"@id":"#p"}},
            {"@type":"Person","@id":"#p","name":"Ada","worksOn":{"@id":"#a"}}]}</script>"##;
        has(html, Origin::JsonLd, "Article", "author.name", "Ada");
    }
}
