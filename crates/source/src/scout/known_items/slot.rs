//! The rule for one field of the items.

use std::collections::BTreeSet;

use autoheal_page::recipe::{NodeTake, Source};
use autoheal_page::{Document, NodeId, Selector};
use url::Url;

use super::boundary::{Boundary, item_around};
use super::hits::{Known, key};
use super::{Absence, Found, Rule};
use crate::scout::item_selector::{all_in_items, first_in_items, selectors_of_hits};

/// The share of items that a rule for examples must fit, in percent.
const MOST_ITEMS_HAVE: usize = 60;
/// An item with more elements is a whole page.
const MOST_ELEMENTS: usize = 5000;

/// The items in which fields are searched.
pub(super) struct Slots<'a> {
    pub(super) page: &'a Document,
    pub(super) url: Option<&'a Url>,
    pub(super) items: &'a [NodeId],
    pub(super) boundary: &'a Boundary,
}

impl Slots<'_> {
    /// The rule for each field, or the reason that it has no rule.
    pub(super) fn rules(&self, known: &[Known<'_>], found: &Found) -> Vec<Result<Rule, Absence>> {
        let by_value: Vec<Result<Rule, Absence>> = known
            .iter()
            .zip(&found.hits)
            .map(|(known, (take, hits))| {
                let mut of_items = vec![Vec::new(); self.items.len()];
                for hit in hits {
                    let place = item_around(self.page, self.items, hit.node);
                    let place = place.filter(|place| self.boundary.is_of(*place, &hit.records));
                    if let Some(nodes) = place.and_then(|place| of_items.get_mut(place)) {
                        nodes.push(hit.node);
                    }
                }
                self.by_value(known, take, &of_items)
            })
            .collect();
        let titles = self.titles(known, &by_value);
        let rule = |(known, rule): (&Known<'_>, Result<Rule, Absence>)| match rule {
            Err(absence) => self.by_relation(known, &titles).ok_or(absence),
            Ok(rule) => Ok(rule),
        };
        known.iter().zip(by_value).map(rule).collect()
    }

    /// A rule that gives a known value in every item that holds one.
    fn by_value(&self, known: &Known<'_>, take: &NodeTake, hits: &[Vec<NodeId>]) -> Result<Rule, Absence> {
        let confirmed = hits.iter().filter(|nodes| !nodes.is_empty()).count();
        // Of the items whose record has a value, half must still have it: the others may have changed.
        let with_value = self.with_value(known);
        let enough =
            if self.boundary.is_by_record() { confirmed > 1 && confirmed * 2 >= with_value } else { confirmed > 0 };
        if !enough {
            return Err(if confirmed == 0 { Absence::Gone } else { Absence::NoRule });
        }
        let before = known.field.select().filter(|_| self.boundary.is_by_record()).into_iter().cloned();
        let rule = before.chain(selectors_of_hits(self.page, self.items, hits)).find_map(|select| {
            let all = all_in_items(self.page, self.items, &select);
            let places = hits.iter().zip(&all).enumerate().filter(|(_, (hits, _))| !hits.is_empty());
            let agrees = places.into_iter().all(|(place, (hits, all))| match all.first() {
                Some(_) if known.field.many => self.are_all(known, place, hits, all),
                Some(first) => hits.contains(first),
                None => false,
            });
            if !agrees {
                return None;
            }
            let first: Vec<Option<NodeId>> = all.iter().map(|nodes| nodes.first().copied()).collect();
            self.rule(known, take, select, &first, confirmed)
        });
        rule.ok_or(Absence::NoRule)
    }

    /// Returns whether elements of an item are the values of its record, and nothing else.
    fn are_all(&self, known: &Known<'_>, place: usize, hits: &[NodeId], all: &[NodeId]) -> bool {
        let record = self.boundary.record(place);
        let count = known.values.iter().filter(|(of, _)| Some(*of) == record).count();
        all.len() == count && all.iter().all(|node| hits.contains(node))
    }

    /// The rule of a selector with these first matches in the items, if they are values of the field.
    fn rule(
        &self,
        known: &Known<'_>,
        take: &NodeTake,
        select: Selector,
        first: &[Option<NodeId>],
        confirmed: usize,
    ) -> Option<Rule> {
        let is_value = |node: &NodeId| match take {
            NodeTake::Attribute(name) => {
                let text = self.page.attribute(*node, name);
                text.is_some_and(|text| key(known.field, text, self.url).is_some())
            }
            NodeTake::Text | NodeTake::OwnText | NodeTake::Html => {
                let text = self.page.visible_text(*node);
                !text.is_empty() && key(known.field, text, self.url).is_some()
            }
        };
        let values = first.iter().flatten().filter(|node| is_value(node)).count();
        if values < first.iter().flatten().count() || (known.field.required && values < self.items.len()) {
            return None;
        }
        // A rule for examples is made of few items, and must fit most.
        if values * 100 < self.items.len() * MOST_ITEMS_HAVE && !self.boundary.is_by_record() {
            return None;
        }
        let is_only = self.is_only(&select, first);
        let source = Source::Nodes { select, take: take.clone() };
        Some(Rule { source, is_in_all: values == self.items.len(), is_only, confirmed })
    }

    /// Returns whether a selector gives nothing else in the items than the first match in each, or what is in that.
    fn is_only(&self, select: &Selector, first: &[Option<NodeId>]) -> bool {
        self.page.select(select).into_iter().all(|node| {
            let place = item_around(self.page, self.items, node);
            let first = place.and_then(|place| first.get(place).copied().flatten());
            first.is_none_or(|first| self.page.contains(first, node))
        })
    }

    /// Number of items whose record has a value of the field.
    fn with_value(&self, known: &Known<'_>) -> usize {
        let records: BTreeSet<usize> = known.values.iter().map(|(record, _)| *record).collect();
        let has_value = |place: &usize| self.boundary.record(*place).is_some_and(|record| records.contains(&record));
        (0..self.items.len()).filter(has_value).count()
    }

    /// The element of the first field that has a text in each item.
    fn titles(&self, known: &[Known<'_>], rules: &[Result<Rule, Absence>]) -> Vec<Option<NodeId>> {
        let texts = known.iter().zip(rules).filter(|(known, _)| known.attribute().is_none());
        let title = texts.filter_map(|(_, rule)| rule.as_ref().ok()).find(|rule| rule.is_in_all);
        match title.map(|rule| &rule.source) {
            Some(Source::Nodes { select, .. }) => first_in_items(self.page, self.items, select),
            Some(Source::Structured(_)) | None => vec![None; self.items.len()],
        }
    }

    /// A rule for an attribute whose values have all changed, by the place that it had in the items: addresses change with a site.
    fn by_relation(&self, known: &Known<'_>, titles: &[Option<NodeId>]) -> Option<Rule> {
        let name = known.attribute().filter(|_| self.boundary.is_by_record() && !known.field.many)?;
        let mut hits = Vec::new();
        let mut values = BTreeSet::new();
        for (item, title) in self.items.iter().zip(titles) {
            let nodes = attribute_in(self.page, *item, *title, name, known.relation);
            values.insert(nodes.first().and_then(|node| self.page.attribute(*node, name)));
            hits.push(nodes);
        }
        let before: BTreeSet<&str> = known.values.iter().map(|(_, value)| value.as_str()).collect();
        // A picture that all items share is an ornament.
        let is_as_varied = values.len() * known.values.len() * 5 >= before.len() * self.items.len() * 4;
        if !is_as_varied || hits.iter().any(Vec::is_empty) {
            return None;
        }
        let take = NodeTake::Attribute(name.to_owned());
        selectors_of_hits(self.page, self.items, &hits).find_map(|select| {
            let first = first_in_items(self.page, self.items, &select);
            let agrees = hits.iter().zip(&first).all(|(hits, first)| first.is_some_and(|first| hits.contains(&first)));
            if agrees { self.rule(known, &take, select, &first, 0) } else { None }
        })
    }
}

/// The elements of an item with the attribute that belongs to it in the same way as before; none if that is not certain.
pub(crate) fn attribute_in(
    page: &Document,
    item: NodeId,
    title: Option<NodeId>,
    name: &str,
    was: super::Relation,
) -> Vec<NodeId> {
    if page.descendants(item).len() > MOST_ELEMENTS {
        return Vec::new();
    }
    let value = |node: NodeId| {
        let value = page.attribute(node, name).map(str::trim).filter(|value| !value.is_empty());
        value
            .filter(|value| !value.starts_with('#') && !value.starts_with("javascript:") && !value.starts_with("data:"))
    };
    let all: Vec<NodeId> =
        std::iter::once(item).chain(page.descendants(item)).filter(|node| value(*node).is_some()).collect();
    let of_value = |wanted: NodeId| all.iter().copied().filter(|node| value(*node) == value(wanted)).collect();
    let is_only = all.iter().all(|node| value(*node) == all.first().and_then(|first| value(*first)));
    let at_title = title.filter(|_| was.is_at_title).and_then(|title| {
        let mut outwards = all.iter().rev();
        let around = outwards.find(|node| page.contains(**node, title));
        around.or_else(|| all.iter().find(|node| page.contains(title, **node))).copied()
    });
    match (at_title, all.first()) {
        (Some(node), _) => of_value(node),
        (None, Some(first)) if was.is_only && is_only => of_value(*first),
        (None, _) => Vec::new(),
    }
}

impl super::Relation {
    /// The relation of an attribute to the items of a page: `places` are for each item the elements of the title and the attribute.
    pub(crate) fn of(page: &Document, name: &str, places: &[(NodeId, Option<NodeId>, NodeId)]) -> Self {
        let only = Self { is_only: true, is_at_title: false };
        let is_only = places.iter().all(|(item, _, _)| !attribute_in(page, *item, None, name, only).is_empty());
        let is_at_title = places.iter().all(|(_, title, node)| {
            title.is_some_and(|title| page.contains(*node, title) || page.contains(title, *node))
        });
        Self { is_only, is_at_title }
    }
}
