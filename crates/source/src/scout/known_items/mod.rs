//! The items of a list of which values are known: from an earlier layout of the page, or from examples.
//!
//! First the boundary of the items: a set of alike elements, each of which holds the values of one record. Then each field, relative
//! to the item: a rule that gives a known value in every item that holds one, and a value of its kind in all others.
//!
//! # Layout
//!
//! - `hits`: elements that hold a known value
//! - `alike`: sets of alike elements around these
//! - `boundary`: assignment of records to items
//! - `slot`: the rule for one field

mod alike;
mod boundary;
mod hits;
mod slot;

use autoheal_page::recipe::{NodeTake, Source};
use autoheal_page::robust_selector::{is_layout, robust_selector};
use autoheal_page::{Document, NodeId, Selector};
use url::Url;

use self::alike::{Alike, alike_around};
use self::boundary::Boundary;
use self::hits::Hit;
use super::zones::Zones;

pub(crate) use self::hits::{Known, Relation, key};
pub(crate) use self::slot::attribute_in;

/// Maximum number of sets of elements whose fields are searched, those with the most records first.
const MOST_SETS: usize = 16;

/// A page on which items are searched.
pub(crate) struct Search<'a> {
    pub(crate) page: &'a Document,
    pub(crate) url: Option<&'a Url>,
    /// True if the number of a value's record tells which values belong together. False for examples.
    pub(crate) is_by_record: bool,
    /// Selector of the items until now; it is kept where it is as good as another.
    pub(crate) items: Option<&'a Selector>,
}

/// Items that were found.
#[derive(Debug, Clone)]
pub(crate) struct KnownItems {
    /// In document order.
    pub(crate) items: Vec<NodeId>,
    pub(crate) select: Selector,
    /// For each field its rule, or the reason that it has no rule.
    pub(crate) rules: Vec<Result<Rule, Absence>>,
    /// Number of records (of examples: values) that the items hold.
    pub(crate) known: usize,
}

/// The rule for a field within an item.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) source: Source,
    /// True if every item has the field.
    pub(crate) is_in_all: bool,
    /// True if its selector gives one value in each item: elements with several are rather rows of items than items.
    is_only: bool,
    /// Number of items in which it gives a value that is known; 0 for an attribute whose values have all changed.
    pub(crate) confirmed: usize,
}

/// Reason that a field has no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absence {
    /// None of its values is in the items.
    Gone,
    /// Some of its values are there, but no rule gives them.
    NoRule,
}

/// Elements with known values of all fields.
pub(in crate::scout) struct Found {
    /// For each field the part of the elements to take, and the elements.
    hits: Vec<(NodeTake, Vec<Hit>)>,
    /// For each field whether its values identify a record.
    is_identifying: Vec<bool>,
}

impl Search<'_> {
    /// Finds the items of which these values are known; `None` if no set of alike elements holds two records.
    pub(crate) fn items_of(&self, known: &[Known<'_>]) -> Option<KnownItems> {
        let found = self.found(known);
        let zones = Zones::of(self.page);
        let anchors: Vec<NodeId> = found.anchors().collect();
        let mut sets = alike_around(self.page, &anchors, &zones);
        let before = self.items.map(|select| self.page.select(select)).filter(|items| items.len() > 1);
        sets.extend(before.iter().map(|items| Alike { is_scattered: false, is_whole: true, items: items.clone() }));
        let mut boundaries: Vec<(Boundary, Alike)> = Vec::new();
        for set in sets {
            let Some(boundary) = Boundary::of(self.page, &set.items, &found, self.is_by_record) else { continue };
            let items = boundary.like_known(self.page, &set.items);
            if items.len() > 1 && items.len() < set.items.len() {
                let boundary = Boundary::of(self.page, &items, &found, self.is_by_record);
                boundaries.extend(boundary.map(|boundary| (boundary, Alike { items, is_whole: false, ..set.clone() })));
            }
            boundaries.push((boundary, set));
        }
        boundaries.sort_by_key(|(boundary, set)| {
            let count = set.items.len();
            // Known records say which items there are; examples only say what they are like.
            let count = if self.is_by_record { count } else { usize::MAX - count };
            (std::cmp::Reverse(boundary.known), set.is_scattered, count)
        });
        // One item may only be elsewhere, such as in a list of items seen last: a set without it may still be the list.
        let enough = boundaries.first()?.0.known * if self.is_by_record { 8 } else { 10 };
        boundaries.retain(|(boundary, _)| boundary.known * 10 >= enough);
        boundaries.truncate(MOST_SETS);
        let candidates =
            boundaries.into_iter().filter_map(|(boundary, set)| self.candidate(known, &found, &boundary, set));
        // The first of the best: the order above decides.
        candidates.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, items)| items)
    }

    fn found(&self, known: &[Known<'_>]) -> Found {
        let hits = known.iter().map(|field| field.hits(self.page, self.url)).collect();
        let mut is_identifying: Vec<bool> = known.iter().map(Known::is_identifying).collect();
        if !self.is_by_record || !is_identifying.contains(&true) {
            is_identifying.fill(true);
        }
        Found { hits, is_identifying }
    }

    /// The items in a set of elements, with their worth.
    fn candidate(
        &self,
        known: &[Known<'_>],
        found: &Found,
        boundary: &Boundary,
        set: Alike,
    ) -> Option<(Worth, KnownItems)> {
        let slots = slot::Slots { page: self.page, url: self.url, items: &set.items, boundary };
        let rules = slots.rules(known, found);
        let counts = |known: &Known<'_>| known.field.required || !self.is_by_record;
        let required = known.iter().zip(&rules).filter(|(known, rule)| counts(known) && rule.is_ok()).count();
        if required == 0 {
            return None;
        }
        let is_before = |select: &&Selector| self.page.select(select) == set.items;
        let before = self.items.filter(is_before);
        let select = before.cloned().or_else(|| select_items(self.page, &set.items))?;
        let number = |is_it: fn(&Rule) -> bool| rules.iter().flatten().filter(|rule| is_it(rule)).count();
        let worth = Worth {
            required,
            rules: number(|_| true),
            is_first_in_all: rules.iter().flatten().next().is_some_and(|rule| rule.is_in_all),
            is_whole: set.is_whole,
            in_all: number(|rule| rule.is_in_all),
            only: number(|rule| rule.is_only),
            known: boundary.known,
            select: if before.is_some() { 4 } else { worth_of(&select) },
            is_together: !set.is_scattered,
            count: if self.is_by_record { 0 } else { set.items.len() },
            // The outermost element around the parts of an item is the item.
            outermost: usize::MAX - self.page.depth(*set.items.first()?),
        };
        Some((worth, KnownItems { known: boundary.known, items: set.items, select, rules }))
    }
}

impl Found {
    /// The elements that tell the records apart.
    fn anchors(&self) -> impl Iterator<Item = NodeId> {
        let identifying = self.hits.iter().zip(&self.is_identifying).filter(|(_, is_identifying)| **is_identifying);
        identifying.flat_map(|((_, hits), _)| hits).map(|hit| hit.node)
    }
}

/// Reasons to prefer a set of elements to another, the weightiest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Worth {
    required: usize,
    rules: usize,
    /// Items without a title are headers or advertisements.
    is_first_in_all: bool,
    is_whole: bool,
    in_all: usize,
    only: usize,
    known: usize,
    select: u8,
    is_together: bool,
    count: usize,
    outermost: usize,
}

/// The selector of items: by their names; by tags alone all the way from the content down, since later lists and links have these tags, too;
/// by their cells, which tell the rows of a table from its headers; or else by position.
fn select_items(page: &Document, items: &[NodeId]) -> Option<Selector> {
    let robust = robust_selector(&[(page, items)]);
    let by_cells = || {
        let is_row = items.iter().all(|item| page.tag(*item) == "tr");
        let select = Selector::parse("tr:has(> td)").ok().filter(|_| is_row)?;
        (page.select(&select) == items).then_some(select)
    };
    match robust.as_ref().map(worth_of) {
        None | Some(BY_POSITION) => by_cells().or(robust),
        Some(BY_TAGS) => by_path(page, items).or(robust),
        Some(_) => robust,
    }
}

/// The selector of elements by the tags from the content of the page down to them, if all have the same ones.
fn by_path(page: &Document, items: &[NodeId]) -> Option<Selector> {
    let path = |item: &NodeId| {
        let mut tags = vec![page.tag(*item)];
        for around in page.ancestors(*item) {
            tags.push(page.tag(around));
            if matches!(page.tag(around), "main" | "body") {
                break;
            }
        }
        tags.reverse();
        tags.join(" > ")
    };
    let (first, others) = items.split_first()?;
    let first = path(first);
    let select = Selector::parse(&first).ok().filter(|_| others.iter().all(|item| path(item) == first))?;
    (page.select(&select) == items).then_some(select)
}

/// Worth of a selector by position, and of one by tags alone.
const BY_POSITION: u8 = 0;
const BY_TAGS: u8 = 1;

/// Rates a selector of items: by a telling name, by a name, by tags, by position.
fn worth_of(select: &Selector) -> u8 {
    let source = select.source();
    let mut names = source.split(|character: char| !(character.is_alphanumeric() || "-_.#[".contains(character)));
    if source.contains(":nth-") {
        BY_POSITION
    } else if names.any(|part| part.rsplit_once(['.', '#', '[']).is_some_and(|(_, name)| !is_layout(name))) {
        3
    } else if source.contains(['.', '#', '[']) {
        2
    } else {
        BY_TAGS
    }
}
