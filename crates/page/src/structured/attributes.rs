//! Values that are marked in the page's own elements: microdata (`itemprop`) and RDFa (`property`).

use super::{Datum, LONGEST, Origin, plain, short_type};
use crate::document::{Document, NodeId};

/// The attributes of one of the two ways.
pub(super) struct Way {
    origin: Origin,
    pub(super) property: &'static str,
    /// Attribute that begins a new thing.
    pub(super) scope: &'static str,
    pub(super) kind: &'static str,
}

pub(super) const WAYS: [Way; 2] = [
    Way { origin: Origin::Microdata, property: "itemprop", scope: "itemscope", kind: "itemtype" },
    Way { origin: Origin::Rdfa, property: "property", scope: "typeof", kind: "typeof" },
];

pub(super) fn collect(page: &Document, found: &mut Vec<Datum>) {
    for way in WAYS {
        for node in page.nodes() {
            let Some(properties) = page.attribute(node, way.property) else { continue };
            // `<meta property content>` was taken as `meta`, unless it stands below something with a type.
            let is_meta = way.origin == Origin::Rdfa && page.tag(node) == "meta";
            let is_scope = page.attribute(node, way.scope).is_some();
            if is_meta || (is_scope && page.attribute(node, "content").is_none()) {
                continue;
            }
            let value = value(page, node);
            if value.is_empty() {
                continue;
            }
            let (kind, prefix) = place(page, node, &way);
            for property in properties.split_ascii_whitespace() {
                let path = format!("{prefix}{}", short_type(property));
                let value = value.clone();
                found.push(Datum { origin: way.origin, kind: kind.clone(), path, value, node });
            }
        }
    }
}

/// The type of the outermost thing that the property belongs to, and the names that lead there.
fn place(page: &Document, node: NodeId, way: &Way) -> (String, String) {
    let mut prefix = String::new();
    let mut kind = "";
    for above in page.ancestors(node) {
        if page.attribute(above, way.scope).is_none() {
            continue;
        }
        kind = page.attribute(above, way.kind).unwrap_or_default();
        let Some(property) = page.attribute(above, way.property).and_then(|all| all.split_ascii_whitespace().next())
        else {
            break;
        };
        prefix.insert(0, '.');
        prefix.insert_str(0, short_type(property));
    }
    let kind = kind.split_ascii_whitespace().next().map(short_type).unwrap_or_default();
    (kind.to_owned(), prefix)
}

/// The attribute that holds the value of a property (HTML, microdata, "values"; RDFa differs little).
pub(super) fn attribute_of(tag: &str) -> Option<&'static str> {
    match tag {
        "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => Some("src"),
        "a" | "area" | "link" => Some("href"),
        "object" => Some("data"),
        "data" | "meter" => Some("value"),
        "time" => Some("datetime"),
        _ => None,
    }
}

/// The value of a property.
fn value(page: &Document, node: NodeId) -> String {
    if let Some(content) = page.attribute(node, "content") {
        return plain(content);
    }
    let has_text = page.letters(node) > 0;
    match attribute_of(page.tag(node)).and_then(|name| page.attribute(node, name)) {
        // `<a itemprop=author href>`: as text it says more.
        Some(value) if !(has_text && page.tag(node) == "a") => plain(value),
        Some(_) | None => crate::document::first_bytes(&page.text(node), LONGEST).to_owned(),
    }
}
