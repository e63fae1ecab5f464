//! `meta`, the title, and the canonical address.

use super::{Datum, Origin, plain};
use crate::document::{Document, NodeId};

pub(super) fn collect(page: &Document, found: &mut Vec<Datum>) {
    let mut has_title = false;
    for node in page.nodes() {
        match page.tag(node) {
            "meta" => meta(page, node, found),
            // Drawings have titles too: the first is the page's.
            "title" if !has_title => {
                let value = page.text(node).into_owned();
                if !value.is_empty() {
                    has_title = true;
                    found.push(Datum {
                        origin: Origin::Title,
                        kind: String::new(),
                        path: "title".to_owned(),
                        value,
                        node,
                    });
                }
            }
            _ => {}
        }
    }
}

fn meta(page: &Document, node: NodeId, found: &mut Vec<Datum>) {
    let name = page.attribute(node, "property").or_else(|| page.attribute(node, "name"));
    let (Some(name), Some(content)) = (name, page.attribute(node, "content")) else { return };
    let value = plain(content);
    if !value.is_empty() {
        let path = name.trim().to_ascii_lowercase();
        found.push(Datum { origin: Origin::Meta, kind: String::new(), path, value, node });
    }
}
