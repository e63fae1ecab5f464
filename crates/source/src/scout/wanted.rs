//! The fields of a schema, found by name and type among everything that is known of a page.

use autoheal_page::recipe::{Field, FieldName, NodeTake, Recipe, Source};
use autoheal_page::relocate::{same_kind, same_name, stated_rank};
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::structured::Datum;
use autoheal_page::transform::Conversion;
use autoheal_page::value::ValueType;
use autoheal_page::{Document, NodeId};
use url::Url;

use super::conversion::conversion_to;
use super::item_fields::{ItemField, called};
use super::schema::{Schema, WantedField};
use super::statements::{field_of_statement, headline, same_place};
use super::{Look, Proposal, ScoutError, labels, statements};
use crate::definition::PageKind;

/// Maximum number of found fields that an error names, and maximum length of each sample value, in characters.
const MOST_FOUND: usize = 12;
const LONGEST_FOUND: usize = 40;

/// A recipe of the fields of a schema. `page_url` makes addresses absolute; `kind` says that an object of the schema is an item of
/// a list page.
///
/// # Errors
///
/// When a required field is not found, or, for a list, when no part of the page repeats.
pub fn by_schema(
    page: &Document,
    page_url: &Url,
    schema: &Schema,
    kind: Option<PageKind>,
) -> Result<Proposal, ScoutError> {
    let look = Look::at(page);
    match kind.unwrap_or(schema.kind) {
        PageKind::Single => single(&look, page_url, schema),
        PageKind::List => list(&look, page_url, schema),
    }
}

fn single(look: &Look<'_>, page_url: &Url, schema: &Schema) -> Result<Proposal, ScoutError> {
    let labels = labels::by_labels(look.page, &look.zones);
    let known = Known { look, labels, page_url };
    let found = schema.fields.iter().map(|wanted| known.field(wanted));
    let found = Found::of(schema, found.collect(), || {
        let stated = statements::by_statements(look.page, &look.stated);
        let all = known.labels.iter().chain(&stated);
        all.map(|field| sample(&field.name, field.example.first().map_or("", String::as_str))).collect()
    })?;
    Ok(Proposal { recipe: Recipe::new(found.fields)?, notes: found.notes })
}

fn list(look: &Look<'_>, page_url: &Url, schema: &Schema) -> Result<Proposal, ScoutError> {
    let region = look.region.as_ref().ok_or(ScoutError::NoList)?;
    let field = |wanted: &WantedField| {
        let of_region = |is_it: fn(&str, &str) -> bool| {
            region.fields.iter().find(|field| is_called(field.name.as_str(), wanted.name.as_str(), is_it))
        };
        let named = called(look.page, &region.items, &wanted.name);
        let mut candidates = of_region(same_name).into_iter().chain(&named).chain(of_region(same_kind));
        candidates.find_map(|candidate| of_item(candidate, wanted, page_url))
    };
    let found = Found::of(schema, schema.fields.iter().map(field).collect(), || {
        let told = |field: &ItemField| {
            let sample = sample(&field.name, field.texts.first().map_or("", String::as_str));
            let (count, all) = (field.texts.len(), region.items.len());
            if count == all { sample } else { format!("{sample} in {count} of {all} items") }
        };
        region.fields.iter().map(told).collect()
    })?;
    let recipe = Recipe::new(found.fields)?.with_items(Some(region.select.clone()))?;
    let note = format!("the list has {} items, each a `{}`", region.items.len(), region.select);
    Ok(Proposal { recipe, notes: std::iter::once(note).chain(found.notes).collect() })
}

/// Returns whether the name of a field is the wanted one by `is_it`; the link of an item may be called an address as well.
fn is_called(known: &str, wanted: &str, is_it: fn(&str, &str) -> bool) -> bool {
    is_it(known, wanted) || (known == "link" && ["url", "href", "address", "link"].contains(&wanted))
}

/// A field of the items as it is wanted, if it is of that type, and in every item when it must be.
fn of_item(candidate: &ItemField, wanted: &WantedField, page_url: &Url) -> Option<Field> {
    if wanted.many || (wanted.required && !candidate.is_in_all()) {
        return None;
    }
    let field = candidate.field();
    let is_address = field.value_type() == ValueType::Url && wanted.value_type == ValueType::Text;
    let conversion = if is_address {
        Conversion::Url
    } else {
        conversion_to(wanted.value_type, &candidate.texts.iter().map(String::as_str), page_url)?
    };
    Some(Field { name: wanted.name.clone(), conversion, required: wanted.required, ..field })
}

/// Fields of a schema that were found, with notes on the others.
struct Found {
    fields: Vec<Field>,
    notes: Vec<String>,
}

impl Found {
    fn of(
        schema: &Schema,
        found: Vec<Option<Field>>,
        instead: impl FnOnce() -> Vec<String>,
    ) -> Result<Self, ScoutError> {
        let absent = || schema.fields.iter().zip(&found).filter(|(_, field)| field.is_none()).map(|(wanted, _)| wanted);
        let missing: Vec<FieldName> =
            absent().filter(|wanted| wanted.required).map(|wanted| wanted.name.clone()).collect();
        let notes: Vec<String> = absent()
            .map(|wanted| format!("`{}` was not found on the page; it is optional and left out", wanted.name))
            .collect();
        let fields: Vec<Field> = found.into_iter().flatten().collect();
        if missing.is_empty() && !fields.is_empty() {
            return Ok(Self { fields, notes });
        }
        let missing =
            if missing.is_empty() { schema.fields.iter().map(|field| field.name.clone()).collect() } else { missing };
        let mut found = instead();
        found.truncate(MOST_FOUND);
        Err(ScoutError::Missing { missing, found })
    }
}

/// A field that was found, with the beginning of a value.
fn sample(name: &FieldName, text: &str) -> String {
    let beginning: String = text.chars().take(LONGEST_FOUND).collect();
    format!("`{name}` ({beginning:?}{})", if beginning.len() < text.len() { "…" } else { "" })
}

/// Evidence on a page about one thing.
struct Known<'a> {
    look: &'a Look<'a>,
    labels: Vec<Field>,
    page_url: &'a Url,
}

impl Known<'_> {
    /// The field, by the clearest evidence there is: a label with its very name, what the page states, its heading, an element
    /// that is called so, a label with a name of the same kind.
    fn field(&self, wanted: &WantedField) -> Option<Field> {
        let name = wanted.name.as_str();
        let field = self
            .labelled(wanted, same_name)
            .or_else(|| self.stated(wanted))
            .or_else(|| self.heading(wanted))
            .or_else(|| self.element(wanted, &|called| same_name(called, name)))
            .or_else(|| self.labelled(wanted, same_kind))
            .or_else(|| self.element(wanted, &|called| ends_so(called, name)))?;
        Some(Field { name: wanted.name.clone(), required: wanted.required, many: wanted.many, ..field })
    }

    fn converted(&self, wanted: &WantedField, texts: &[String]) -> Option<Conversion> {
        conversion_to(wanted.value_type, &texts.iter().map(String::as_str), self.page_url)
    }

    fn labelled(&self, wanted: &WantedField, is_it: fn(&str, &str) -> bool) -> Option<Field> {
        // The text after a label is one value, even if it names several.
        let mut labels =
            self.labels.iter().filter(|field| !wanted.many && is_it(field.name.as_str(), wanted.name.as_str()));
        let (only, None) = (labels.next()?, labels.next()) else { return None };
        let conversion = self.converted(wanted, &only.example)?;
        Some(Field { conversion, ..only.clone() })
    }

    fn stated(&self, wanted: &WantedField) -> Option<Field> {
        let name = wanted.name.as_str();
        let mut ranked: Vec<(usize, usize, &Datum)> = Vec::new();
        let heading = headline(self.look.page);
        let heading = heading.as_ref().and_then(|field| field.example.first()).map(String::as_str);
        let about = statements::main_kind(&self.look.stated, heading);
        for (place, datum) in self.look.stated.iter().enumerate() {
            let last = datum.path.rsplit(['.', ':']).next().unwrap_or(&datum.path);
            let is_of_main = about.is_none_or(|kind| datum.kind == kind) && !datum.path.contains('.');
            let rank = match stated_rank(datum, name) {
                Some(rank) => rank + 1,
                None if is_of_main && same_name(last, name) => 0,
                None => continue,
            };
            // Of several things that are stated the one that the page is about counts.
            let is_beside = about.is_some_and(|kind| !datum.kind.is_empty() && datum.kind != kind);
            ranked.push((rank + if is_beside { 100 } else { 0 }, place, datum));
        }
        ranked.sort_by_key(|(rank, place, _)| (*rank, *place));
        let paths = ranked.iter().map(|(_, _, datum)| (datum.origin, datum.kind.as_str(), datum.path.as_str()));
        let mut tried = Vec::new();
        for path in paths {
            if tried.contains(&path) {
                continue;
            }
            tried.push(path);
            let all = ranked.iter().map(|(_, _, datum)| *datum);
            let of_path: Vec<&Datum> =
                all.filter(|datum| (datum.origin, datum.kind.as_str(), datum.path.as_str()) == path).collect();
            let found = same_place(&of_path);
            if !wanted.many && found.len() != 1 {
                continue;
            }
            let texts: Vec<String> = found.iter().map(|datum| datum.value.clone()).collect();
            let Some(conversion) = self.converted(wanted, &texts) else { continue };
            let field = field_of_statement(self.look.page, wanted.name.clone(), conversion, &found);
            if field.is_some() {
                return field;
            }
        }
        None
    }

    fn heading(&self, wanted: &WantedField) -> Option<Field> {
        let is_title = same_kind(wanted.name.as_str(), "title") && wanted.value_type == ValueType::Text && !wanted.many;
        headline(self.look.page).filter(|_| is_title)
    }

    /// Returns an element, or for a list several next to each other, with such a class, id or `itemprop`, if there are no others.
    fn element(&self, wanted: &WantedField, is_it: &dyn Fn(&str) -> bool) -> Option<Field> {
        let page = self.look.page;
        let is_called = |node: &NodeId| {
            let attributes =
                ["id", "itemprop", "data-testid"].into_iter().filter_map(|name| page.attribute(*node, name));
            page.classes(*node).chain(attributes).any(is_it)
        };
        let is_shown = |node: &NodeId| !self.look.zones.is_beside(*node);
        let mut nodes: Vec<NodeId> = page.nodes().filter(|node| is_shown(node) && is_called(node)).collect();
        if let [list] = nodes.as_slice()
            && wanted.many
        {
            // `<ul class=tags>`: its entries are meant.
            nodes = page.children(*list).filter(|child| page.letters(*child) > 0).collect();
        }
        let tag = page.tag(*nodes.first()?);
        let are_alike = nodes.iter().all(|node| page.tag(*node) == tag && page.parent(*node) == page.parent(nodes[0]));
        if (nodes.len() > 1) != wanted.many || !are_alike {
            return None;
        }
        let take = match (wanted.value_type, tag) {
            (ValueType::Url, "a") => NodeTake::Attribute("href".to_owned()),
            (ValueType::Url, "img") => NodeTake::Attribute("src".to_owned()),
            (ValueType::Date, "time") if page.attribute(nodes[0], "datetime").is_some() => {
                NodeTake::Attribute("datetime".to_owned())
            }
            _ => NodeTake::Text,
        };
        let text = |node: &NodeId| match &take {
            NodeTake::Attribute(attribute) => page.attribute(*node, attribute).unwrap_or_default().to_owned(),
            NodeTake::Text | NodeTake::OwnText | NodeTake::Html => page.visible_text(*node).to_owned(),
        };
        let texts: Vec<String> = nodes.iter().map(text).collect();
        if texts.iter().any(String::is_empty) {
            return None;
        }
        let conversion = self.converted(wanted, &texts)?;
        let select = robust_selector(&[(page, &nodes)])?;
        let source = Source::Nodes { select, take };
        Some(Field { conversion, example: texts, ..Field::new(wanted.name.clone(), source) })
    }
}

/// Returns whether a class name ends in the name of a field: `product-price` is a `price`.
fn ends_so(class: &str, name: &str) -> bool {
    class.rsplit_once(['-', '_']).is_some_and(|(_, last)| same_name(last, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(html: &str, schema: &str) -> Result<(Vec<String>, Vec<String>), String> {
        let page = Document::parse(html);
        let url = Url::parse("https://example.org/a").unwrap();
        let proposal =
            by_schema(&page, &url, &Schema::parse(schema).unwrap(), None).map_err(|error| error.to_string())?;
        let extraction = proposal.recipe.apply(&page, Some(&url));
        let first = &extraction.records[0];
        let told = |(name, outcome): &(FieldName, autoheal_page::apply::FieldOutcome)| {
            let values: Vec<String> = outcome.values.iter().map(|found| found.value.to_string()).collect();
            format!("{name} {}", values.join(" + "))
        };
        Ok((first.fields.iter().map(told).collect(), proposal.notes))
    }

    const PAGE: &str = r#"<script type="application/ld+json">{"@type":"Product","name":"Blue lamp","color":"blue",
        "offers":{"price":"24.90"},"review":{"name":"Nice"}}</script>
        <h1>The blue lamp</h1><ul class=tags><li>light</li><li>desk</li></ul><time class=published datetime=2026-03-05>today</time>
        <dl><dt>Weight</dt><dd>2 kg</dd><dt>Pieces</dt><dd>12</dd><dt>Maker</dt><dd>Ada</dd></dl><span class=item-stock>few</span>"#;

    #[test]
    fn fields_are_found_by_name_and_type() {
        let schema = r#"{"type": "object", "required": ["headline", "price"], "properties": {
            "headline": {"type": "string"}, "price": {"type": "number"}, "color": {"type": "string"},
            "weight": {"type": "string"}, "pieces": {"type": "integer"}, "published": {"type": "string", "format": "date"},
            "tags": {"type": "array", "items": {"type": "string"}}, "stock": {"type": "string"}, "voltage": {"type": "number"}}}"#;
        let (mut found, notes) = asked(PAGE, schema).unwrap();
        found.sort();
        assert_eq!(
            found,
            [
                "color blue",
                "headline Blue lamp",
                "pieces 12",
                "price 24.90",
                "published 2026-03-05",
                "stock few",
                "tags light + desk",
                "weight 2 kg",
            ]
        );
        assert_eq!(notes, ["`voltage` was not found on the page; it is optional and left out"]);
    }

    #[test]
    fn what_is_missing_is_said_with_what_is_there() {
        let schema = r#"{"properties": {"voltage": {"type": "number"}, "weight": {"type": "number"}, "maker": {"type": "string"}},
            "required": ["voltage", "weight"]}"#;
        let error = asked(PAGE, schema).map(drop);
        let message = error.unwrap_err();
        assert!(message.starts_with("`voltage` was not found on the page, which has `weight` (\"2 kg\")"), "{message}");
        assert!(asked("<p>text", schema).map(drop).unwrap_err().contains("nothing recognisable"));
    }

    #[test]
    fn the_type_must_fit() {
        let schema =
            |kind: &str| format!(r#"{{"properties": {{"maker": {{"type": "{kind}"}}}}, "required": ["maker"]}}"#);
        assert_eq!(asked(PAGE, &schema("string")).unwrap().0, ["maker Ada"]);
        assert!(asked(PAGE, &schema("number")).is_err());
    }

    #[test]
    fn fields_of_a_list_are_those_of_its_items() {
        let item = |n: usize| {
            format!("<li><h3><a href=/{n}>Lamp {n}</a></h3><b>{n}.50 EUR</b><span class=sku>L{n}</span></li>")
        };
        let page = format!("<ul>{}</ul>", (1..=4).map(item).collect::<Vec<_>>().concat());
        let schema = r#"{"type": "array", "items": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"}, "price": {"type": "number"}, "sku": {"type": "string"}, "url": {"type": "string"}}}}"#;
        let (mut found, _) = asked(&page, schema).unwrap();
        found.sort();
        assert_eq!(found, ["name Lamp 1", "price 1.50", "sku L1", "url https://example.org/1"]);
        assert_eq!(asked("<p>text", schema), Err(ScoutError::NoList.to_string()));
    }
}
