//! Reading of JSON-LD from `script` elements.

use std::collections::HashMap;

use serde_json::Value;

use super::{Datum, MOST, Origin, lenient_json, plain, short_type};
use crate::document::{Document, NodeId};

/// Maximum depth of a path.
const DEEPEST: usize = 9;

/// Properties that lead to other things than the one described.
const ELSEWHERE: &[&str] = &[
    "@graph",
    "mainEntity",
    "mainEntityOfPage",
    "review",
    "reviews",
    "hasPart",
    "isPartOf",
    "comment",
    "breadcrumb",
    "potentialAction",
    "itemReviewed",
    "relatedLink",
    "video",
];

/// The JSON-LD documents of the page with the script that holds each, as they are written: references between things are not
/// followed, and text is not freed of markup (see [`plain_text`](super::plain_text)). Faulty JSON is read as far as it goes.
pub fn json_ld_documents(page: &Document) -> Vec<(NodeId, Value)> {
    let scripts = page.nodes().filter(|&node| {
        page.tag(node) == "script"
            && page.attribute(node, "type").is_some_and(|kind| kind.to_ascii_lowercase().contains("ld+json"))
    });
    scripts
        .flat_map(|node| lenient_json::parse(page.raw_text(node)).into_iter().map(move |value| (node, value)))
        .collect()
}

pub(super) fn collect(page: &Document, found: &mut Vec<Datum>) {
    let documents = json_ld_documents(page);
    let mut things = Vec::new();
    for (node, document) in &documents {
        list_things(*node, document, &mut things);
    }
    let named: HashMap<&str, &Value> = things
        .iter()
        .filter_map(|(_, thing)| Some((thing.get("@id")?.as_str()?, *thing)))
        .filter(|(_, thing)| thing.as_object().is_some_and(|members| members.len() > 2))
        .collect();
    for (node, thing) in &things {
        let mut flat = Flat { node: *node, kind: kind_of(thing), named: &named, found };
        flat.members(thing, &mut String::new(), 0);
    }
}

/// Lists the things of a document: each object with a type that is not just a property of another.
fn list_things<'a>(node: NodeId, document: &'a Value, things: &mut Vec<(NodeId, &'a Value)>) {
    // The parser bounds how deep documents nest.
    match document {
        Value::Array(all) => {
            for one in all {
                list_things(node, one, things);
            }
        }
        Value::Object(members) => {
            if members.contains_key("@type") && things.len() < MOST {
                things.push((node, document));
            }
            for inner in ["@graph", "mainEntity", "mainEntityOfPage"] {
                if let Some(below) = members.get(inner) {
                    list_things(node, below, things);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn kind_of(thing: &Value) -> String {
    let kind = match thing.get("@type") {
        Some(Value::Array(all)) => all.iter().find_map(Value::as_str),
        Some(Value::String(one)) => Some(one.as_str()),
        Some(_) | None => None,
    };
    short_type(kind.unwrap_or_default()).to_owned()
}

struct Flat<'a> {
    node: NodeId,
    kind: String,
    named: &'a HashMap<&'a str, &'a Value>,
    found: &'a mut Vec<Datum>,
}

impl Flat<'_> {
    fn members(&mut self, thing: &Value, path: &mut String, depth: usize) {
        let Value::Object(members) = thing else { return };
        for (name, value) in members {
            if name.starts_with('@') || ELSEWHERE.contains(&name.as_str()) {
                continue;
            }
            let length = path.len();
            if length > 0 {
                path.push('.');
            }
            path.push_str(name);
            self.value(value, path, depth + 1);
            path.truncate(length);
        }
    }

    fn value(&mut self, value: &Value, path: &mut String, depth: usize) {
        if depth > DEEPEST || self.found.len() >= MOST {
            return;
        }
        match value {
            Value::Array(all) => {
                for one in all {
                    self.value(one, path, depth + 1);
                }
            }
            Value::Object(members) => {
                let reference = members.get("@id").and_then(Value::as_str);
                let meant = reference.and_then(|id| self.named.get(id)).filter(|_| members.len() <= 2);
                self.members(meant.copied().unwrap_or(value), path, depth);
            }
            Value::String(text) => self.push(path, plain(text)),
            Value::Number(number) => self.push(path, number.to_string()),
            Value::Bool(boolean) => self.push(path, boolean.to_string()),
            Value::Null => {}
        }
    }

    fn push(&mut self, path: &str, value: String) {
        if !value.is_empty() {
            let kind = self.kind.clone();
            self.found.push(Datum { origin: Origin::JsonLd, kind, path: path.to_owned(), value, node: self.node });
        }
    }
}
