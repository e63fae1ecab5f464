//! Elements that hold a known value.

use std::collections::HashMap;

use autoheal_page::recipe::{Field, NodeTake, Source};
use autoheal_page::transform::{Conversion, apply_steps};
use autoheal_page::value::parse_url;
use autoheal_page::{Document, NodeId};
use url::Url;

/// Longer texts are compared as they are and not as amounts or dates.
const LONGEST_TYPED: usize = 80;

/// Maximum number of elements with a known value of a field.
const MOST_HITS: usize = 4000;

/// Attributes in which sites keep the same address; scripts copy one into the other.
const ADDRESSES: &[&str] = &["src", "data-src", "data-original", "href", "data-href"];

/// The way in which an attribute belongs to its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Relation {
    /// Every item has one value of the attribute.
    pub(crate) is_only: bool,
    /// The element is around, at or in the element of the item's title.
    pub(crate) is_at_title: bool,
}

/// A field of the items of a list, with values that are known.
#[derive(Debug, Clone)]
pub(crate) struct Known<'a> {
    pub(crate) field: &'a Field,
    /// Of an attribute: its relation to the item on the page from which the values are.
    pub(super) relation: Relation,
    /// Records with their values in comparable form.
    pub(super) values: Vec<(usize, String)>,
}

impl<'a> Known<'a> {
    /// A field with texts as the page had them, each with the number of its record; `base` makes addresses absolute.
    pub(crate) fn new(field: &'a Field, texts: &[(usize, String)], base: Option<&Url>) -> Self {
        let comparable = |(record, text): &(usize, String)| Some((*record, key(field, text, base)?));
        Self { field, relation: Relation::default(), values: texts.iter().filter_map(comparable).collect() }
    }

    /// Returns the field with the relation of its attribute to the items.
    pub(crate) fn with_relation(self, relation: Relation) -> Self {
        Self { relation, ..self }
    }

    /// The attribute that the field reads, if it reads one.
    pub(super) fn attribute(&self) -> Option<&str> {
        match &self.field.source {
            Source::Nodes { take: NodeTake::Attribute(name), .. } => Some(name),
            Source::Nodes { .. } | Source::Structured(_) => None,
        }
    }

    /// Returns whether each value belongs to one record, so that it identifies it.
    pub(super) fn is_identifying(&self) -> bool {
        let mut of_value: HashMap<&str, usize> = HashMap::new();
        let is_name = matches!(self.field.conversion, Conversion::Text | Conversion::Url);
        // Two things may have one price or one date.
        is_name
            && self.values.len() > 1
            && self.values.iter().all(|(record, value)| *of_value.entry(value).or_insert(*record) == *record)
    }

    /// Returns the part of the elements to take, and the elements with a known value, in document order: each with the records
    /// that have it.
    pub(super) fn hits(&self, page: &Document, base: Option<&Url>) -> (NodeTake, Vec<Hit>) {
        let mut wanted: HashMap<&str, Vec<usize>> = HashMap::new();
        for (record, value) in &self.values {
            wanted.entry(value).or_default().push(*record);
        }
        let Some(own) = self.attribute() else {
            let take = match &self.field.source {
                Source::Nodes { take, .. } => take.clone(),
                Source::Structured(_) => NodeTake::Text,
            };
            return (take, self.in_texts(page, &wanted));
        };
        let others = ADDRESSES.iter().copied().filter(|other| ADDRESSES.contains(&own) && *other != own);
        let all = std::iter::once(own).chain(others).map(|name| {
            let holds = |node: NodeId| {
                let records = wanted.get(key(self.field, page.attribute(node, name)?, base)?.as_str())?;
                Some(Hit { node, records: records.clone() })
            };
            (NodeTake::Attribute(name.to_owned()), page.nodes().filter_map(holds).take(MOST_HITS).collect::<Vec<Hit>>())
        });
        let none = || (NodeTake::Attribute(own.to_owned()), Vec::new());
        all.filter(|(_, hits)| !hits.is_empty()).max_by_key(|(_, hits)| hits.len()).unwrap_or_else(none)
    }

    fn in_texts(&self, page: &Document, wanted: &HashMap<&str, Vec<usize>>) -> Vec<Hit> {
        let is_plain = self.field.steps.is_empty() && self.field.conversion == Conversion::Text;
        let longest = self.values.iter().map(|(_, value)| value.len()).max().unwrap_or(0);
        let longest = if is_plain { longest } else { longest.max(LONGEST_TYPED) * 2 };
        let holds = |node: NodeId| {
            let text = page.visible_text(node);
            if text.is_empty() || text.len() > longest {
                return None;
            }
            let records = wanted.get(key(self.field, text, None)?.as_str())?;
            Some(Hit { node, records: records.clone() })
        };
        let shown = page.nodes().filter(|node| !page.is_skipped(*node));
        let found: Vec<Hit> = shown.filter_map(holds).take(MOST_HITS).collect();
        // An element around an amount and other text is not the amount.
        let has_less = |hit: &Hit| {
            let below = found.partition_point(|other| other.node <= hit.node);
            let below = found[below..].iter().take_while(|other| page.contains(hit.node, other.node));
            below.into_iter().any(|other| page.letters(other.node) < page.letters(hit.node))
        };
        found.iter().filter(|hit| !has_less(hit)).cloned().collect()
    }
}

/// An element with a known value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) node: NodeId,
    /// Records that have this value.
    pub(super) records: Vec<usize>,
}

/// The comparable form of a text: its value where the field's conversion reads it, so that `12,50 €` equals `EUR 12.50`.
pub(crate) fn key(field: &Field, text: &str, base: Option<&Url>) -> Option<String> {
    if field.conversion == Conversion::Url {
        return parse_url(text, base).ok().map(String::from);
    }
    let texts = apply_steps(&field.steps, text.trim().to_owned()).ok()?;
    let read = |text: String| match &field.conversion {
        Conversion::Text => Some(text),
        typed => typed.apply(&text, base).ok().map(|value| value.to_string()),
    };
    let values: Option<Vec<String>> = texts.into_iter().map(read).collect();
    values.filter(|values| !values.is_empty()).map(|values| values.join("\u{1f}"))
}
