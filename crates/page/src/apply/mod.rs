//! Applying a recipe to a page: typed values, each with where it came from, or a typed reason for what is missing.

pub(crate) mod flat;
mod miss;
mod view;

use std::collections::BTreeMap;
use std::fmt;

use url::Url;

use crate::document::{Document, NodeId, normalise};
use crate::recipe::{Field, FieldName, NodeTake, Recipe, Source, StructuredPath, Vocabulary};
use crate::structured::{Datum, Origin as DatumOrigin, structured_data};
use crate::transform::apply_steps;
use crate::value::Value;

use self::flat::FlatPage;
use self::view::View;
pub(crate) use self::view::taken;

pub use miss::Miss;

/// A recipe's answer for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    /// One record of the page, or one of each item of a list page, in document order.
    pub records: Vec<Record>,
}

/// The fields of a page or an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The item; none when the record is the page's.
    pub item: Option<NodeId>,
    /// Every field of the recipe, in its order.
    pub fields: Vec<(FieldName, FieldOutcome)>,
}

/// Result of one field: its values and its misses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldOutcome {
    /// Its values in document order: at most one unless it is a list.
    pub values: Vec<Found>,
    /// Reasons for missing values: of the field as a whole, or of single entries of the list.
    pub misses: Vec<Miss>,
    /// Number of nodes, or entries of structured data, that the source matched. If the field is not a list,
    /// it may be greater than the number of values.
    pub matched: usize,
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Value after the conversion.
    pub value: Value,
    /// Text of the value before the conversion, as stored in `example`.
    pub text: String,
    /// Origin of the value on the page.
    pub origin: Origin,
}

/// Origin of a value: a node of the page, or its structured data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A node of the page.
    Node {
        /// Selected node.
        node: NodeId,
        /// Part of the node that was extracted.
        take: NodeTake,
    },
    /// The page's structured data.
    Structured {
        /// Element that contains the data.
        node: NodeId,
        /// Path of the value in the structured data.
        path: StructuredPath,
    },
}

impl Origin {
    /// Returns the element that holds the value.
    pub fn node(&self) -> NodeId {
        match self {
            Self::Node { node, .. } | Self::Structured { node, .. } => *node,
        }
    }

    /// Describes the origin in readable form: `html > body > h1:nth-child(2) text`, `jsonld:Recipe.name`.
    pub fn describe(&self, page: &Document) -> String {
        match self {
            Self::Node { node, take } => format!("{} {take}", NodePath { page, node: *node }),
            Self::Structured { path, .. } => path.to_string(),
        }
    }
}

/// The way from the root to a node, of its nearest [`PATH_LENGTH`] steps.
struct NodePath<'a> {
    page: &'a Document,
    node: NodeId,
}

/// Maximum number of steps in the displayed path.
const PATH_LENGTH: usize = 12;

impl fmt::Display for NodePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps: Vec<NodeId> =
            std::iter::once(self.node).chain(self.page.ancestors(self.node)).take(PATH_LENGTH).collect();
        steps.reverse();
        if steps.first().is_some_and(|first| self.page.parent(*first).is_some()) {
            f.write_str("… > ")?;
        }
        for (index, step) in steps.iter().enumerate() {
            if index > 0 {
                f.write_str(" > ")?;
            }
            f.write_str(self.page.tag(*step))?;
            let Some(parent) = self.page.parent(*step) else { continue };
            let alike =
                self.page.children(parent).filter(|child| self.page.tag(*child) == self.page.tag(*step)).count();
            if alike > 1 {
                let place = self.page.children(parent).take_while(|child| child <= step).count();
                write!(f, ":nth-child({place})")?;
            }
        }
        Ok(())
    }
}

impl FieldOutcome {
    fn missed(miss: Miss) -> Self {
        Self { misses: vec![miss], ..Self::default() }
    }

    /// Returns whether there is a value and nothing is missing. A list entry that could not be read counts as
    /// missing.
    pub fn is_complete(&self) -> bool {
        !self.values.is_empty() && self.misses.is_empty()
    }

    /// The texts of its values: what becomes the next `example`.
    pub fn texts(&self) -> Vec<String> {
        self.values.iter().map(|found| found.text.clone()).collect()
    }
}

impl Record {
    /// Returns the result of a field by its name.
    pub fn field(&self, name: &str) -> Option<&FieldOutcome> {
        self.fields.iter().find(|(field, _)| field.as_str() == name).map(|(_, outcome)| outcome)
    }
}

impl Extraction {
    /// Returns whether there is at least one record and every required field is complete in each. An empty
    /// list page is a failure, because it looks exactly like a selector that finds nothing.
    pub fn is_complete(&self, recipe: &Recipe) -> bool {
        let required = |name: &FieldName| recipe.field(name.as_str()).is_none_or(|field| field.required);
        !self.records.is_empty()
            && self
                .records
                .iter()
                .flat_map(|record| &record.fields)
                .all(|(name, outcome)| !required(name) || outcome.is_complete())
    }
}

impl Recipe {
    /// Gets the fields from a page. `page_url` makes relative addresses absolute.
    pub fn apply(&self, page: &Document, page_url: Option<&Url>) -> Extraction {
        let structured = if self.needs_structured_data() { structured_data(page) } else { Vec::new() };
        self.apply_to(page, page_url, structured)
    }

    /// Gets the fields from the HTML of a page: the same as from its [`Document`], but faster where the page and the recipe
    /// are simple enough.
    pub fn apply_to_html(&self, html: &str, page_url: Option<&Url>) -> Extraction {
        self.apply_flat(html, page_url).unwrap_or_else(|| self.apply(&Document::parse(html), page_url))
    }

    /// Gets the fields from the HTML of a page without a [`Document`], or nothing if only a document gives them for certain.
    pub fn apply_flat(&self, html: &str, page_url: Option<&Url>) -> Option<Extraction> {
        if self.needs_structured_data() {
            return None;
        }
        let page = FlatPage::parse(html).ok()?;
        let extraction = self.apply_to(&page, page_url, Vec::new());
        (!page.is_void()).then_some(extraction)
    }

    fn apply_to<V: View>(&self, page: &V, page_url: Option<&Url>, structured: Vec<Datum>) -> Extraction {
        let base = base_url(page, page_url);
        let context = Context { page, page_url: base.as_ref(), structured };
        let records = match self.items() {
            None => {
                let outcome = |field: &Field| (field.name.clone(), context.field(field));
                vec![Record { item: None, fields: self.fields().iter().map(outcome).collect() }]
            }
            Some(items) => context.items(&page.select(items).unwrap_or_default(), self.fields()),
        };
        Extraction { records }
    }

    /// Returns whether any field needs the page's structured data.
    fn needs_structured_data(&self) -> bool {
        self.fields().iter().any(|field| matches!(field.source, Source::Structured(_)))
    }

    /// Returns the URL of the next page, if the recipe has a rule and the page has a link to another page.
    pub fn next_page(&self, page: &Document, page_url: &Url) -> Option<Url> {
        let next = self.next()?;
        let base = base_url(page, Some(page_url))?;
        let mut addresses = page.select(&next.select).into_iter().filter_map(|node| {
            let text = taken(page, node, &next.take)?;
            crate::value::parse_url(&text, Some(&base)).ok()
        });
        addresses.next().filter(|address| without_fragment(address) != without_fragment(page_url))
    }
}

/// The first link of a page that leads to an address.
pub fn link_to(page: &Document, page_url: &Url, target: &Url) -> Option<NodeId> {
    let base = base_url(page, Some(page_url))?;
    let leads_there = |node: &NodeId| {
        let address = page.attribute(*node, "href").filter(|_| page.tag(*node) == "a");
        address.and_then(|address| base.join(address).ok()).is_some_and(|address| address == *target)
    };
    page.nodes().find(leads_there)
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

/// Returns the base of relative URLs on the page: `<base href>` if there is one, otherwise the page's own
/// URL.
fn base_url<V: View>(page: &V, page_url: Option<&Url>) -> Option<Url> {
    let base = (0..page.len().min(200)).map(NodeId).find(|node| page.tag(*node) == "base");
    let href = base.and_then(|node| page.take(node, &NodeTake::Attribute("href".to_owned())));
    match (href, page_url) {
        (Some(base), Some(page_url)) => page_url.join(&base).ok().or_else(|| Some(page_url.clone())),
        (Some(base), None) => Url::parse(&base).ok(),
        (None, page_url) => page_url.cloned(),
    }
}

/// Input of the extraction: the page, its URL and its structured data.
struct Context<'a, V> {
    page: &'a V,
    page_url: Option<&'a Url>,
    structured: Vec<Datum>,
}

/// A text before its transforms.
struct Raw {
    text: Result<String, Miss>,
    origin: Origin,
}

impl<V: View> Context<'_, V> {
    /// A field of the page.
    fn field(&self, field: &Field) -> FieldOutcome {
        let raw = match &field.source {
            Source::Nodes { select, take } => {
                let nodes = match self.page.select(select) {
                    Ok(nodes) => nodes,
                    Err(error) => return FieldOutcome::missed(error.into()),
                };
                if nodes.is_empty() {
                    return FieldOutcome::missed(Miss::NoNode { select: select.source().to_owned() });
                }
                self.raw_of_nodes(&nodes, take)
            }
            Source::Structured(path) => {
                let raw = self.raw_of_structured(path);
                if raw.is_empty() {
                    return FieldOutcome::missed(Miss::NoStructuredData { path: path.to_string() });
                }
                raw
            }
        };
        self.outcome(field, raw)
    }

    /// Every item's record. A node belongs to the nearest item around it, which may be itself; a selector runs once for all.
    fn items(&self, items: &[NodeId], fields: &[Field]) -> Vec<Record> {
        let mut records: Vec<Record> =
            items.iter().map(|item| Record { item: Some(*item), fields: Vec::with_capacity(fields.len()) }).collect();
        let places: BTreeMap<NodeId, usize> = items.iter().enumerate().map(|(place, item)| (*item, place)).collect();
        for field in fields {
            let Source::Nodes { select, take } = &field.source else { continue };
            let mut nodes: Vec<Vec<NodeId>> = vec![Vec::new(); items.len()];
            let mut open: Vec<NodeId> = Vec::new();
            let mut upcoming = items.iter().copied().peekable();
            let (selected, missing) = match self.page.select(select) {
                Ok(selected) => (selected, Miss::NoNode { select: select.source().to_owned() }),
                Err(error) => (Vec::new(), error.into()),
            };
            for node in selected {
                while let Some(item) = upcoming.next_if(|item| *item <= node) {
                    while open.pop_if(|outer| !self.page.contains(*outer, item)).is_some() {}
                    open.push(item);
                }
                while open.pop_if(|outer| !self.page.contains(*outer, node)).is_some() {}
                let nearest = open.last().and_then(|item| places.get(item)).and_then(|place| nodes.get_mut(*place));
                if let Some(nodes) = nearest {
                    nodes.push(node);
                }
            }
            for (record, nodes) in records.iter_mut().zip(nodes) {
                let outcome = if nodes.is_empty() {
                    FieldOutcome::missed(missing.clone())
                } else {
                    self.outcome(field, self.raw_of_nodes(&nodes, take))
                };
                record.fields.push((field.name.clone(), outcome));
            }
        }
        records
    }

    fn raw_of_nodes(&self, nodes: &[NodeId], take: &NodeTake) -> Vec<Raw> {
        let raw = |node: &NodeId| {
            let text = self.page.take(*node, take).ok_or_else(|| Miss::NoAttribute {
                attribute: take.to_string().trim_start_matches("attr:").to_owned(),
                tag: self.page.tag(*node).to_owned(),
            });
            Raw { text, origin: Origin::Node { node: *node, take: take.clone() } }
        };
        nodes.iter().map(raw).collect()
    }

    fn raw_of_structured(&self, path: &StructuredPath) -> Vec<Raw> {
        let matching = self.structured.iter().filter(|datum| is_at(datum, path));
        matching
            .map(|datum| Raw {
                text: Ok(datum.value.clone()),
                origin: Origin::Structured { node: datum.node, path: path.clone() },
            })
            .collect()
    }

    /// Transforms and converts what was found.
    fn outcome(&self, field: &Field, raw: Vec<Raw>) -> FieldOutcome {
        let mut outcome = FieldOutcome { matched: raw.len(), ..FieldOutcome::default() };
        let used = if field.many { raw.len() } else { 1 };
        for Raw { text, origin } in raw.into_iter().take(used) {
            match text.and_then(|text| Ok(apply_steps(&field.steps, text)?)) {
                Err(miss) => outcome.misses.push(miss),
                Ok(texts) if texts.iter().all(|text| normalise(text).is_empty()) => outcome.misses.push(Miss::Empty),
                Ok(texts) => {
                    for text in texts {
                        match field.conversion.apply(&text, self.page_url) {
                            Ok(value) => outcome.values.push(Found { value, text, origin: origin.clone() }),
                            Err(error) => outcome.misses.push(Miss::NoValue(error)),
                        }
                    }
                }
            }
        }
        outcome
    }
}

/// Returns whether a datum is at a path, written with the type of the thing (`Recipe.name`) or without it
/// (`name`).
pub(crate) fn is_at(datum: &Datum, path: &StructuredPath) -> bool {
    let vocabulary = match datum.origin {
        DatumOrigin::JsonLd => Vocabulary::JsonLd,
        DatumOrigin::Microdata => Vocabulary::Microdata,
        DatumOrigin::Rdfa => Vocabulary::Rdfa,
        DatumOrigin::Meta => Vocabulary::Meta,
        DatumOrigin::Title => return false,
    };
    let with_kind =
        || path.path.strip_prefix(datum.kind.as_str()).and_then(|rest| rest.strip_prefix('.')) == Some(&datum.path);
    vocabulary == path.vocabulary && (datum.path == path.path || (!datum.kind.is_empty() && with_kind()))
}

#[cfg(test)]
mod tests;
