//! The items of a list, found again by the values that are known of them.

use std::borrow::Borrow;
use std::collections::HashSet;

use autoheal_engine::source::Snapshot;
use autoheal_page::apply::{FieldOutcome, Record};
use autoheal_page::recipe::{Field, NodeTake, Recipe, Source};
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::transform::Conversion;
use autoheal_page::{Document, NodeId};
use url::Url;

use super::Change;
use super::place::items_around;
use super::proposal::{change, next_page, unchanged};
use crate::loaded::Loaded;
use crate::scout::known_items::{Absence, Known, KnownItems, Relation, Search, attribute_in};
use crate::validation::validate_page;

/// Maximum number of records that are looked for.
const MOST_RECORDS: usize = 500;

/// Of the items of the newest page, one of this many must be known on the page.
const LEAST_KNOWN: usize = 3;

/// Reason that the items were not found by their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Miss {
    /// The items are known, and a required field is not in them: another way to heal could only find something else.
    Gone(String),
    /// Other ways to heal may find them.
    Unknown(String),
}

/// A recipe for a list page as it is now, if enough of its items are known.
pub(super) fn propose(loaded: &Loaded, snapshot: &Snapshot) -> Result<Change, Miss> {
    let page = Document::parse_bytes(&snapshot.content);
    let url = Url::parse(&snapshot.url).ok();
    let old: Vec<(Document, Option<Url>)> =
        loaded.good_pages().into_iter().zip(loaded.good.iter().map(|good| Url::parse(&good.url).ok())).collect();
    let found = relocated(&loaded.recipe, &old, &page, url.as_ref())?;
    let unknown = |reason: String| Miss::Unknown(reason);
    let next = next_page(loaded, &page, url.as_ref()).map_err(unknown)?;
    if found.moved.is_empty() && found.gone.is_empty() && next.as_ref() == loaded.recipe.next() {
        return Err(Miss::Unknown(unchanged(loaded)));
    }
    let recipe = found.recipe.with_next(next);
    let verdict = validate_page(&recipe, &page, &recipe.apply(&page, url.as_ref()), &loaded.history, &found.gone);
    if !verdict.passed {
        return Err(Miss::Unknown(verdict.errors.join("; ")));
    }
    Ok(change(loaded, recipe, &found.moved, found.gone, found.evidence))
}

/// A recipe for the new layout.
#[derive(Debug)]
struct Relocated {
    recipe: Recipe,
    moved: Vec<String>,
    gone: Vec<String>,
    evidence: Vec<String>,
}

/// The recipe of a list with its items and fields as a page has them now, found by the values that `old` pages had, on which the
/// recipe worked, the newest first; `None` if too few items are known, or a required field is not in them.
pub fn relocate_list(recipe: &Recipe, old: &[&Document], page: &Document, url: Option<&Url>) -> Option<Recipe> {
    let old: Vec<(&Document, Option<Url>)> = old.iter().map(|page| (*page, url.cloned())).collect();
    relocated(recipe, &old, page, url).ok().map(|found| found.recipe)
}

/// The recipe with its items and fields as a page has them now; `old` are pages on which the recipe worked, the newest first.
fn relocated(
    recipe: &Recipe,
    old: &[(impl Borrow<Document>, Option<Url>)],
    page: &Document,
    url: Option<&Url>,
) -> Result<Relocated, Miss> {
    let records = Records::of(recipe, old);
    let known: Vec<Known<'_>> = recipe.fields().iter().map(|field| records.known(field)).collect();
    let search = Search { page, url, is_by_record: true, items: recipe.items() };
    let too_few = || Miss::Unknown("too few items of the list are known".to_owned());
    let found = search.items_of(&known).ok_or_else(too_few)?;
    // A few of the items are elsewhere as well, such as in a list of items seen last.
    if found.known * LEAST_KNOWN < records.newest {
        return Err(too_few());
    }
    with_rules(recipe, &records, &found)
}

/// The recipe with the rules that were found.
fn with_rules(recipe: &Recipe, records: &Records<'_>, found: &KnownItems) -> Result<Relocated, Miss> {
    let (mut moved, mut gone) = (Vec::new(), Vec::new());
    let count = found.items.len();
    let mut evidence = vec![format!("`{}` gives {count} items, {} of which are known", found.select, found.known)];
    let mut fields = Vec::new();
    for (field, rule) in recipe.fields().iter().zip(&found.rules) {
        let (name, values) = (field.name.to_string(), records.texts(field).len());
        match rule {
            Ok(rule) => {
                evidence.push(format!("`{name}` is at {}: {}", of(&rule.source), because(rule.confirmed)));
                if rule.source != field.source {
                    moved.push(name);
                }
                fields.push(Field { source: rule.source.clone(), ..field.clone() });
            }
            // Nothing is known of a field that no item had.
            Err(Absence::Gone) if values == 0 && !field.required => fields.push(field.clone()),
            Err(Absence::Gone) if !field.required => {
                evidence.push(format!("`{name}` is gone: none of its {values} known values is in the items"));
                gone.push(name);
                fields.push(field.clone());
            }
            Err(Absence::Gone) => {
                return Err(Miss::Gone(format!(
                    "the field `{name}` is gone: none of its {values} known values is in the {count} items, each a `{}`",
                    found.select
                )));
            }
            Err(Absence::NoRule) => {
                return Err(Miss::Unknown(format!("no rule gives the known values of the field `{name}`")));
            }
        }
    }
    if Some(&found.select) != recipe.items() {
        moved.insert(0, "the items".to_owned());
    }
    let changed = recipe.clone().with_items(Some(found.select.clone())).and_then(|recipe| recipe.with_fields(fields));
    let recipe = changed.map_err(|problem| Miss::Unknown(problem.to_string()))?;
    Ok(Relocated { recipe, moved, gone, evidence })
}

fn of(source: &Source) -> String {
    match source {
        Source::Nodes { select, take } => format!("`{select}` ({take})"),
        Source::Structured(path) => path.to_string(),
    }
}

fn because(confirmed: usize) -> String {
    match confirmed {
        0 => "it has the same position in the items, with other values".to_owned(),
        count => format!("{count} items have the value that is known"),
    }
}

/// Records that the recipe gave on earlier pages, each once.
struct Records<'a> {
    /// Number of records on the newest page.
    newest: usize,
    /// For each field its texts before all steps, with the numbers of their records.
    texts: Vec<(&'a str, Vec<(usize, String)>)>,
    /// For each field of an attribute its relation to the items.
    relations: Vec<(&'a str, Relation)>,
    url: Option<&'a Url>,
}

impl<'a> Records<'a> {
    fn of(recipe: &'a Recipe, old: &'a [(impl Borrow<Document>, Option<Url>)]) -> Self {
        let fields = recipe.fields();
        let title = fields.iter().find(|field| !field.many && attribute(field).is_none());
        let title = title.map(|field| field.name.as_str());
        let mut texts: Vec<(&str, Vec<(usize, String)>)> =
            fields.iter().map(|field| (field.name.as_str(), Vec::new())).collect();
        let (mut newest, mut relations, mut seen, mut number) = (0, Vec::new(), HashSet::new(), 0);
        let plain = as_written(recipe);
        for (place, (page, url)) in old.iter().enumerate() {
            let page = page.borrow();
            let records = plain.apply(page, url.as_ref()).records;
            if place == 0 {
                newest = records.len();
                relations = fields.iter().filter_map(|field| relation(page, &records, field, title)).collect();
            }
            for record in records {
                // Items that were on several pages are one record.
                let key = title.and_then(|title| first_text(&record, title));
                if number < MOST_RECORDS && key.is_none_or(|key| seen.insert(key)) {
                    for (name, texts) in &mut texts {
                        texts.extend(
                            record.field(name).into_iter().flat_map(FieldOutcome::texts).map(|text| (number, text)),
                        );
                    }
                    number += 1;
                }
            }
        }
        Self { newest, texts, relations, url: old.first().and_then(|(_, url)| url.as_ref()) }
    }

    fn texts(&self, field: &Field) -> &[(usize, String)] {
        self.texts.iter().find(|(name, _)| *name == field.name.as_str()).map_or(&[], |(_, texts)| texts)
    }

    fn known<'f>(&self, field: &'f Field) -> Known<'f> {
        let relation = self.relations.iter().find(|(name, _)| *name == field.name.as_str());
        let relation = relation.map(|(_, relation)| *relation).unwrap_or_default();
        Known::new(field, self.texts(field), self.url).with_relation(relation)
    }
}

/// The rule for an attribute of the items around the elements of their titles, and its values: where it was in the items of the old
/// page. `title` is the field of these elements.
pub(super) fn attribute_of_items(
    (recipe, old): (&Recipe, &Document),
    field: &Field,
    title: &str,
    page: &Document,
    titles: &[NodeId],
) -> Option<(Source, Vec<String>)> {
    let name = attribute(field)?;
    let records = as_written(recipe).apply(old, None).records;
    let (_, was) = relation(old, &records, field, Some(title))?;
    let nodes: Option<Vec<NodeId>> = items_around(page, titles)?
        .into_iter()
        .zip(titles)
        .map(|(item, title)| attribute_in(page, item, Some(*title), name, was).first().copied())
        .collect();
    let nodes = nodes?;
    let values: Vec<String> = nodes.iter().filter_map(|node| page.attribute(*node, name)).map(str::to_owned).collect();
    let before: Vec<String> = records.iter().filter_map(|record| first_text(record, field.name.as_str())).collect();
    let distinct = |texts: &[String]| texts.iter().collect::<HashSet<_>>().len();
    // A picture that all items share is an ornament.
    let is_as_varied = distinct(&values) * before.len() * 5 >= distinct(&before) * values.len() * 4;
    let select = robust_selector(&[(page, &nodes)]).filter(|_| is_as_varied)?;
    Some((Source::Nodes { select, take: NodeTake::Attribute(name.to_owned()) }, values))
}

/// The recipe with texts as the page has them.
fn as_written(recipe: &Recipe) -> Recipe {
    let mut fields = recipe.fields().to_vec();
    for field in &mut fields {
        field.steps.clear();
        field.conversion = Conversion::Text;
    }
    recipe.clone().with_fields(fields).unwrap_or_else(|_| recipe.clone())
}

fn first_text(record: &Record, name: &str) -> Option<String> {
    record.field(name)?.texts().into_iter().next()
}

fn first_node(record: &Record, name: &str) -> Option<NodeId> {
    record.field(name)?.values.first().map(|found| found.origin.node())
}

/// The attribute that a field reads, if it reads one.
fn attribute(field: &Field) -> Option<&str> {
    match &field.source {
        Source::Nodes { take: NodeTake::Attribute(name), .. } => Some(name),
        Source::Nodes { .. } | Source::Structured(_) => None,
    }
}

/// The relation of a field's attribute to the items of a page.
fn relation<'a>(
    page: &Document,
    records: &[Record],
    field: &'a Field,
    title: Option<&str>,
) -> Option<(&'a str, Relation)> {
    let attribute = attribute(field)?;
    let place = |record: &Record| {
        let node = first_node(record, field.name.as_str())?;
        Some((record.item?, title.and_then(|title| first_node(record, title)), node))
    };
    let places: Vec<_> = records.iter().filter_map(place).collect();
    (!places.is_empty()).then(|| (field.name.as_str(), Relation::of(page, attribute, &places)))
}

#[cfg(test)]
mod tests;
