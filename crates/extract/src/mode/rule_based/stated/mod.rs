//! Statements of the page about itself, in one common form: JSON-LD objects as they are, microdata and RDFa
//! converted to such objects, and `meta` by name.

mod thing;

use std::collections::HashMap;

use autoheal_page::Document;
use autoheal_page::structured::{json_ld_documents, marked_things, plain_text};
use serde_json::Value;

pub(super) use thing::{Thing, is_said, kinds_of, text_of, unescaped};

use super::found::Found;
use crate::item::Source;

/// Maximum number of things that are read: pages that state more are lists of everything.
const MOST: usize = 2000;

/// Everything that a page states.
pub(super) struct Stated {
    /// Things with a type, in the order of the page; JSON-LD first.
    things: Vec<(Source, Value)>,
    /// Index in `things` of the thing with each `@id`.
    named: HashMap<String, usize>,
    /// `meta` in the order of the page: name in lower case, content.
    meta: Vec<(String, String)>,
}

impl Stated {
    pub(super) fn of(page: &Document) -> Self {
        let mut things = Vec::new();
        for (_, document) in json_ld_documents(page) {
            list(document, &mut things);
        }
        things.extend(marked_things(page).into_iter().map(|thing| (Source::Microdata, thing)));
        things.truncate(MOST);
        let mut named = HashMap::new();
        for (place, (_, thing)) in things.iter().enumerate() {
            // A bare reference names nothing.
            let full = thing.as_object().is_some_and(|members| members.len() > 2);
            if let Some(id) = thing.get("@id").and_then(Value::as_str).filter(|_| full) {
                named.entry(id.to_owned()).or_insert(place);
            }
        }
        let meta = page.nodes().filter(|&node| page.tag(node) == "meta").filter_map(|node| {
            let name = page.attribute(node, "property").or_else(|| page.attribute(node, "name"))?;
            let content = plain_text(page.attribute(node, "content")?);
            (!content.is_empty()).then(|| (name.trim().to_ascii_lowercase(), content))
        });
        Self { things, named, meta: meta.collect() }
    }

    /// Everything with a type, in the order of the page; JSON-LD first.
    pub(super) fn things(&self) -> impl Iterator<Item = Thing<'_>> {
        self.things.iter().map(|(source, value)| Thing::new(self, *source, value))
    }

    /// Returns the thing with an `@id`.
    fn named(&self, id: &str) -> Option<&Value> {
        self.named.get(id).and_then(|&place| self.things.get(place)).map(|(_, value)| value)
    }

    /// The content of the first of these `meta` names that the page has.
    pub(super) fn meta(&self, names: &[&str]) -> Option<Found<String>> {
        names.iter().find_map(|name| {
            let (_, content) = self.meta.iter().find(|(key, _)| key == name)?;
            Some(Found::stated(content.clone(), Source::OpenGraph))
        })
    }

    /// Every `meta` in the order of the page: its name in lower case, and its content.
    pub(super) fn all_metas(&self) -> impl Iterator<Item = (&str, &str)> {
        self.meta.iter().map(|(name, content)| (name.as_str(), content.as_str()))
    }

    /// The contents of all `meta` with this name.
    pub(super) fn metas<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.meta.iter().filter(move |(key, _)| key == name).map(|(_, content)| content.as_str())
    }
}

/// Members whose objects are things that the page may be about, not just parts of another.
const TOP: [&str; 3] = ["@graph", "mainEntity", "mainEntityOfPage"];

/// Lists the things of a document: each object with a type that is not just a property of another. The parser bounds how deep
/// documents nest.
fn list(document: Value, things: &mut Vec<(Source, Value)>) {
    match document {
        Value::Array(all) => {
            for one in all {
                list(one, things);
            }
        }
        Value::Object(ref members) => {
            if things.len() >= MOST {
                return;
            }
            // The questions in a list of questions are not the subject of the page.
            let is_list = kinds_of(&document).iter().any(|kind| kind == "faqpage");
            let below: Vec<Value> = TOP
                .iter()
                .filter(|_| !is_list)
                .filter_map(|name| members.get(*name))
                .filter(|value| !value.is_string())
                .cloned()
                .collect();
            if members.contains_key("@type") {
                things.push((Source::JsonLd, document));
            }
            for value in below {
                list(value, things);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
