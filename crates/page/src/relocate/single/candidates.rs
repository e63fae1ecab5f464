//! Places on a page that may hold a field's value.

use std::borrow::Cow;

use crate::document::NodeId;
use crate::relocate::number::float;
use crate::relocate::phrase::Phrase;
use crate::relocate::view::{Chain, Context, View};

/// A place on a page that may hold the value.
#[derive(Debug, Clone)]
pub(crate) struct Candidate<'v> {
    /// The number of the chain, when the value is its text.
    pub(crate) number: Option<usize>,
    pub(crate) chain: Cow<'v, Chain>,
    pub(crate) phrase: Cow<'v, Phrase>,
    pub(crate) context: Cow<'v, Context>,
    /// The attribute that holds the value, unless it is the text.
    pub(crate) attribute: Option<&'v str>,
}

/// Part of an element to extract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted<'a> {
    Text,
    Attribute(&'a str),
}

/// Attributes that redesigns exchange for each other.
const FAMILIES: &[&[&str]] = &[
    &["datetime", "content", "title"],
    &["src", "data-src", "data-lazy-src", "data-original", "data-pin-media", "srcset", "content"],
    &["content", "value"],
];

/// Candidates for a value such as `old`, in document order.
pub(crate) fn candidates<'v>(view: &'v View<'_>, wanted: Wanted<'v>, old: &Phrase) -> Vec<Candidate<'v>> {
    match wanted {
        Wanted::Text => {
            let most = float(old.characters * 4).max(400.0);
            (0..view.chains.len())
                .filter(|&chain| float(view.page.letters(view.chains[chain].outer)) <= most)
                .map(|chain| of_chain(view, chain))
                .collect()
        }
        Wanted::Attribute(name) => {
            let nodes = view.page.nodes();
            nodes.filter_map(|node| of_attribute(view, node, name)).collect()
        }
    }
}

/// The text of a chain.
pub(crate) fn of_chain<'v>(view: &'v View<'_>, chain: usize) -> Candidate<'v> {
    Candidate {
        number: Some(chain),
        chain: Cow::Borrowed(&view.chains[chain]),
        phrase: Cow::Borrowed(view.phrase(chain)),
        context: Cow::Borrowed(view.context(chain)),
        attribute: None,
    }
}

/// Returns a candidate for an attribute of an element, or for an equivalent attribute of the same family.
pub(crate) fn of_attribute<'v>(view: &'v View<'_>, node: NodeId, name: &'v str) -> Option<Candidate<'v>> {
    let family =
        FAMILIES.iter().find(|family| family.first() == Some(&name) || (name != "content" && family.contains(&name)));
    let others = family.copied().unwrap_or_default().iter().copied();
    let mut names = std::iter::once(name).chain(others.filter(|other| *other != name));
    let (name, value) = names.find_map(|name| {
        let value = view.page.attribute(node, name)?.trim();
        (!value.is_empty()).then_some((name, value))
    })?;
    let chain = Chain::single(node);
    Some(Candidate {
        number: None,
        context: Cow::Owned(view.context_of(&chain)),
        chain: Cow::Owned(chain),
        phrase: Cow::Owned(Phrase::new(value)),
        attribute: Some(name),
    })
}
