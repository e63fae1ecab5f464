//! Every piece of text of a page: its visible text, its attributes, and its machine-readable statements.

use autoheal_page::Document;
use autoheal_page::structured::{json_ld_documents, plain_text};
use serde_json::Value;

/// Attributes about the appearance and behaviour of a page, not its contents.
const LOOKS: [&str; 16] = [
    "class",
    "style",
    "id",
    "nonce",
    "width",
    "height",
    "tabindex",
    "colspan",
    "rowspan",
    "cols",
    "rows",
    "border",
    "cellpadding",
    "cellspacing",
    "maxlength",
    "span",
];

/// Attributes that are addresses, by themselves or with others.
const ADDRESSES: [&str; 8] = ["href", "src", "srcset", "data-src", "data-srcset", "poster", "content", "action"];

/// A piece of text.
pub(super) enum Piece<'a> {
    /// Visible text of an element, a part of the page's visible text.
    Shown(&'a str),
    /// Independent text: the page's whole text, an attribute, a stated value.
    Own(&'a str),
    /// URL, as written. It is one of the other pieces as well.
    Address(&'a str),
}

/// Calls `each` with every piece of text of a page.
pub(super) fn each(page: &Document, each: &mut impl FnMut(Piece<'_>)) {
    each(Piece::Own(page.page_text()));
    for node in page.nodes() {
        let tag = page.tag(node);
        let looks = |name: &str| LOOKS.contains(&name) || name.starts_with("on");
        for (name, value) in page.attributes(node).filter(|(name, _)| !looks(name)) {
            each(Piece::Own(&plain_text(value)));
            if ADDRESSES.contains(&name) {
                // `a.jpg 1x, b.jpg 2x`
                value.split_whitespace().for_each(|part| each(Piece::Address(part.trim_end_matches(','))));
                each(Piece::Address(value.trim()));
            }
        }
        match tag {
            "title" | "noscript" => each(Piece::Own(&plain_text(page.raw_text(node)))),
            "script" if page.attribute(node, "type").is_some_and(|kind| kind.trim() == "application/json") => {
                // The data from which scripts build a page.
                if let Ok(document) = serde_json::from_str(page.raw_text(node)) {
                    leaves(&document, each);
                }
            }
            _ => each(Piece::Shown(page.visible_text(node))),
        }
    }
    for (_, document) in json_ld_documents(page) {
        leaves(&document, each);
    }
}

fn leaves(value: &Value, each: &mut impl FnMut(Piece<'_>)) {
    match value {
        Value::String(text) => {
            each(Piece::Own(&plain_text(text)));
            if text.contains('/') {
                each(Piece::Address(text.trim()));
            }
        }
        Value::Number(number) => each(Piece::Own(&number.to_string())),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, each)),
        Value::Object(members) => members.values().for_each(|value| leaves(value, each)),
        Value::Null | Value::Bool(_) => {}
    }
}
