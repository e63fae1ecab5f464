//! Conversion of microdata (`itemscope`) and RDFa (`typeof`) to equivalent JSON-LD objects.

use serde_json::{Map, Value};

use super::attributes::{WAYS, Way, attribute_of};
use crate::document::{Document, NodeId};

/// Maximum nesting depth of the things that are read.
const DEEPEST: usize = 12;

/// The lines of a property with more elements than this are not kept apart.
const LARGEST: usize = 3000;

/// Returns the things that the page marks and that are not part of another, in its order; microdata first.
pub fn marked_things(page: &Document) -> Vec<Value> {
    WAYS.iter()
        .flat_map(|way| {
            let mut end = 0;
            let mut things = Vec::new();
            for node in page.nodes() {
                if page.attribute(node, way.scope).is_none() || node.index() < end {
                    continue;
                }
                // Its contents are read with it.
                end = page.close(node);
                things.extend(nested(page, way, node));
            }
            things
        })
        .collect()
}

/// Returns a thing, and the things in it that are not its properties.
fn nested(page: &Document, way: &Way, node: NodeId) -> Vec<Value> {
    let mut loose = Vec::new();
    let first = thing(page, way, node, 0, &mut loose);
    std::iter::once(first).chain(loose).collect()
}

fn thing(page: &Document, way: &Way, node: NodeId, depth: usize, loose: &mut Vec<Value>) -> Value {
    let mut members = Map::new();
    let kinds = page.attribute(node, way.kind).unwrap_or_default().split_ascii_whitespace();
    let kinds: Vec<Value> = kinds.map(|kind| Value::String(kind.to_owned())).collect();
    if !kinds.is_empty() {
        members.insert("@type".to_owned(), Value::Array(kinds));
    }
    let mut next = node.index() + 1;
    for inner in page.descendants(node) {
        if inner.index() < next {
            continue;
        }
        let is_scope = page.attribute(inner, way.scope).is_some();
        if is_scope {
            next = page.close(inner);
        }
        let names = page.attribute(inner, way.property);
        if names.is_none() && !is_scope || depth >= DEEPEST {
            continue;
        }
        let value = if is_scope && page.attribute(inner, "content").is_none() {
            thing(page, way, inner, depth + 1, loose)
        } else {
            Value::String(text(page, inner))
        };
        match names {
            Some(names) => {
                for name in names.split_ascii_whitespace() {
                    let name = name.rsplit(['/', '#', ':']).next().unwrap_or(name);
                    let all = members.entry(name.to_owned()).or_insert_with(|| Value::Array(Vec::new()));
                    if let Value::Array(all) = all {
                        all.push(value.clone());
                    }
                }
            }
            None => loose.push(value),
        }
    }
    Value::Object(members)
}

/// The value of a property. Lists and blocks keep their lines.
fn text(page: &Document, node: NodeId) -> String {
    // As text, a link says more.
    let attribute = attribute_of(page.tag(node)).filter(|_| !matches!(page.tag(node), "a" | "area"));
    let stated = page.attribute(node, "content").or_else(|| page.attribute(node, attribute?));
    if let Some(value) = stated {
        return value.to_owned();
    }
    // Properties nest: the contents of large ones are not read again and again.
    let is_small = page.close(node) - node.index() < LARGEST;
    let has_blocks =
        is_small && page.descendants(node).any(|inner| matches!(page.tag(inner), "li" | "p" | "br" | "div"));
    if has_blocks { page.html(node) } else { page.text(node).into_owned() }
}
