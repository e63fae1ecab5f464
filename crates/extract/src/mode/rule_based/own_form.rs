//! Rules for the form of a user's JSON Schema. Each property is read from the item's field of that name, from what the page
//! states under it, from a text next to its label, or, for a list of records, from a table with columns of their names.

use std::collections::BTreeMap;

use autoheal_page::Document;
use autoheal_page::structured::{Datum, Origin, structured_data};
use serde_json::{Map, Value};
use url::Url;

use super::{is_readable, labels, rule_based};
use crate::extraction::{ExtractError, Extracted, Extraction, OwnItem};
use crate::form::{Form, Importance, Kind, Owner, Property, of_item, spoken, words_of};
use crate::item::{PageType, Provenance, ScrapedItem, Source};
use crate::mode::convert::converted;

/// Confidence in a value next to its name, and in values below their names in a table.
const BESIDE: f32 = 0.7;
const IN_TABLE: f32 = 0.7;

/// Extracts the content of a page in a form, by rules alone. Values that are not found, or do not fit, are
/// left out.
///
/// # Errors
///
/// [`ExtractError::RequiredMissing`], [`ExtractError::Nothing`] and [`ExtractError::DoesNotFit`], if the form
/// is the user's own and requires more than the page contains.
pub fn rule_based_in(page: &Document, url: Option<&Url>, form: &Form) -> Result<Extraction, ExtractError> {
    let item = rule_based(page, url);
    let extracted = match form.owner {
        Owner::Item => Extracted::Item(Box::new(item)),
        Owner::User => Extracted::Own(Box::new(filled(page, url, form, &item)?)),
    };
    Ok(Extraction { extracted, missing: Vec::new(), left_out: Vec::new(), cut_short: None })
}

/// Returns the values that rules find for a form, with their origins, whether or not the form is complete.
pub(crate) fn partly_in(
    page: &Document,
    url: Option<&Url>,
    form: &Form,
) -> (Map<String, Value>, BTreeMap<String, Provenance>) {
    let item = rule_based(page, url);
    if form.owner == Owner::User {
        let own = found(page, url, form, &item);
        return (own.item, own.provenance);
    }
    let fields = match serde_json::to_value(&item) {
        Ok(Value::Object(mut fields)) => {
            fields.remove("provenance");
            fields
        }
        Ok(_) | Err(_) => Map::new(),
    };
    let named = item.provenance.iter().filter_map(|(field, provenance)| {
        let name = serde_json::to_value(field).ok()?;
        Some((name.as_str()?.to_owned(), *provenance))
    });
    (fields, named.collect())
}

/// Fills the properties for which rules find a value that fits.
fn found(page: &Document, url: Option<&Url>, form: &Form, item: &ScrapedItem) -> OwnItem {
    let sources = Sources {
        page: is_readable(page).then_some(page),
        stated: structured_data(page),
        fields: serde_json::to_value(item).unwrap_or_default(),
        item,
    };
    let mut own =
        OwnItem { url: item.url.clone(), screenshot_path: None, item: Map::new(), provenance: BTreeMap::new() };
    for property in &form.properties {
        let fits = |value: &Value| {
            let alone: Map<String, Value> = [(property.name.clone(), value.clone())].into_iter().collect();
            !form.faults(&alone).iter().any(|fault| fault.property.as_deref() == Some(&property.name))
        };
        let found = sources.of(property).into_iter().map(|(value, provenance)| {
            let value = converted(value, &property.kind, url);
            (value, provenance)
        });
        if let Some((value, provenance)) = found.into_iter().find(|(value, _)| fits(value)) {
            own.item.insert(property.name.clone(), value);
            own.provenance.extend(provenance.map(|provenance| (property.name.clone(), provenance)));
        }
    }
    own
}

fn filled(page: &Document, url: Option<&Url>, form: &Form, item: &ScrapedItem) -> Result<OwnItem, ExtractError> {
    let mut own = found(page, url, form, item);
    form.add_nulls(&mut own.item);
    let faults = form.faults(&own.item);
    let missing = form.names_of(PageType::Generic, Importance::Required);
    let missing: Vec<String> = missing.filter(|name| !own.item.contains_key(*name)).map(str::to_owned).collect();
    if !missing.is_empty() {
        return Err(ExtractError::RequiredMissing(missing));
    }
    // An empty object is not a success. Fields that do not come from the page have no provenance.
    if own.provenance.is_empty() {
        return Err(ExtractError::Nothing);
    }
    if !faults.is_empty() {
        return Err(ExtractError::DoesNotFit(faults.into_iter().map(|fault| fault.message).collect()));
    }
    Ok(own)
}

/// Sources of the values.
struct Sources<'a> {
    /// The page, where it can be read.
    page: Option<&'a Document>,
    stated: Vec<Datum>,
    item: &'a ScrapedItem,
    /// The item as JSON.
    fields: Value,
}

impl Sources<'_> {
    /// Returns the possible values of a property, the most reliable first.
    fn of(&self, property: &Property) -> Vec<(Value, Option<Provenance>)> {
        let (own, same) = names_of(property);
        let is_own_field =
            of_item(&property.name).is_some_and(|(name, part)| part.is_none() && own[0] == name.replace('_', " "));
        // A statement of the page under this name comes before other names with the same meaning.
        let field = self.field(property);
        let (own_field, other_field) = if is_own_field { (field, None) } else { (None, field) };
        let told = |found: Option<(Value, Provenance)>| found.map(|(value, provenance)| (value, Some(provenance)));
        let all = [
            own_field,
            told(self.stated(property)),
            told(self.beside(&own)),
            other_field,
            told(self.beside(&same)),
            told(self.in_table(property)),
        ];
        all.into_iter().flatten().collect()
    }

    /// The item's field of that name. The address has no provenance: it is known.
    fn field(&self, property: &Property) -> Option<(Value, Option<Provenance>)> {
        let (name, part) = of_item(&property.name)?;
        let value = self.fields.get(name)?;
        let value = part.map_or(Some(value), |part| value.get(part))?.clone();
        let field = serde_json::from_value(name.into()).ok();
        Some((value, field.and_then(|field| self.item.provenance.get(&field).copied())))
    }

    /// Returns the single value that the page states under that name about its subject.
    fn stated(&self, property: &Property) -> Option<(Value, Provenance)> {
        let name = words_of(&property.name);
        let mut found = self.stated.iter().filter(|datum| own_name(datum).is_some_and(|own| words_of(own) == name));
        let first = found.next()?;
        if found.any(|other| other.value != first.value) {
            return None;
        }
        let provenance = match first.origin {
            Origin::JsonLd => Provenance::by_rule(Source::JsonLd, 0.9),
            Origin::Microdata | Origin::Rdfa => Provenance::by_rule(Source::Microdata, 0.85),
            Origin::Meta | Origin::Title => Provenance::by_rule(Source::OpenGraph, 0.7),
        };
        Some((first.value.clone().into(), provenance))
    }

    /// Returns the value next to one of these names: in a list of terms, in two cells of a row, after a
    /// colon.
    fn beside(&self, names: &[String]) -> Option<(Value, Provenance)> {
        let value = names.iter().find_map(|name| labels::value(self.page?, &[name]))?;
        Some((value.into(), Provenance::by_rule(Source::Heuristic, BESIDE)))
    }

    /// The rows of the one table whose columns have the names of a record's parts.
    fn in_table(&self, property: &Property) -> Option<(Value, Provenance)> {
        let Kind::List(of) = &property.kind else { return None };
        let Kind::Object(parts) = of.as_ref() else { return None };
        let columns_of = |header: &[String]| -> Vec<Option<String>> {
            let part =
                |cell: &String| parts.keys().find(|part| spoken(part).contains(&words_of(cell).replace('_', " ")));
            header.iter().map(|cell| part(cell).cloned()).collect()
        };
        let tables = self.item.tables.iter().map(|table| (columns_of(&table.header), table));
        let (columns, table) = tables.max_by_key(|(columns, _)| columns.iter().flatten().count())?;
        // One column in common is chance, unless there is no other.
        if columns.iter().flatten().count() < parts.len().min(2) {
            return None;
        }
        let record = |row: &Vec<String>| {
            let cells = columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
            let named = cells.filter_map(|(name, cell)| Some((name.clone()?, Value::from(cell.as_str()))));
            Value::Object(named.collect())
        };
        let records: Vec<Value> = table.rows.iter().map(record).collect();
        Some((records.into(), Provenance::by_rule(Source::Heuristic, IN_TABLE)))
    }
}

/// Returns the names of a property: those in its form, and others that mean the same.
fn names_of(property: &Property) -> (Vec<String>, Vec<String>) {
    let mut own = spoken(&property.name);
    let same = own.split_off(1);
    own.extend(property.title.as_ref().map(|title| title.trim().to_lowercase()));
    (own, same)
}

/// Types of things that pages describe in addition to their subject: the `width` of a picture is not that of a lamp.
const AROUND: [&str; 16] = [
    "BreadcrumbList",
    "EntryPoint",
    "ImageObject",
    "ItemList",
    "ListItem",
    "Organization",
    "Person",
    "ReadAction",
    "SearchAction",
    "SiteNavigationElement",
    "VideoObject",
    "WPFooter",
    "WPHeader",
    "WebPage",
    "WebSite",
    "Review",
];

/// Prefixes of property names that belong to the thing itself, such as the properties of its offer.
const OWN: [&str; 4] = ["offers.", "product:", "book:", "article:"];

/// Returns the name of a statement about the page's subject, and not about one of its parts.
fn own_name(datum: &Datum) -> Option<&str> {
    let name = OWN.iter().find_map(|prefix| datum.path.strip_prefix(prefix)).unwrap_or(&datum.path);
    let is_own = !AROUND.contains(&datum.kind.as_str()) && !name.contains(['.', ':']);
    is_own.then_some(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LAMP: &str = r#"<title>Lamp | Shop</title>
        <script type="application/ld+json">{"@type": "Product", "name": "Lamp", "gtin13": "4006381333931",
            "offers": {"@type": "Offer", "price": "19.90", "priceCurrency": "EUR"}}</script>
        <h1>Lamp</h1><dl><dt>Rated voltage<dd>230 V<dt>Made in<dd>Portugal<dt>Dimmable<dd>yes</dl>
        <table><tr><th>Watts<th>Lumen<tr><td>5<td>470<tr><td>8<td>806</table>"#;

    fn filled(schema: &Value) -> Result<Value, ExtractError> {
        let form = Form::own(&schema.to_string()).unwrap();
        let extraction = rule_based_in(&Document::parse(LAMP), None, &form)?;
        match extraction.extracted {
            Extracted::Own(own) => {
                assert_eq!(own.item.keys().collect::<Vec<_>>(), own.provenance.keys().collect::<Vec<_>>());
                Ok(Value::Object(own.item))
            }
            Extracted::Item(item) => panic!("{item:?}"),
        }
    }

    #[test]
    fn properties_are_filled_from_fields_statements_labels_and_tables() {
        let schema = json!({
            "type": "object", "additionalProperties": false, "required": ["productName", "volts"],
            "properties": {
                "productName": { "type": "string" },
                "cost": { "type": "number" },
                "currency": { "type": "string" },
                "gtin13": { "type": "string" },
                "volts": { "type": "integer", "title": "Rated voltage" },
                "madeIn": { "enum": ["Spain", "Portugal"] },
                "dimmable": { "type": "boolean" },
                "colour": { "type": "string" },
                "type": { "type": "string" },
                "models": {
                    "type": "array",
                    "items": { "properties": { "watts": { "type": "number" }, "lumen": { "type": "integer" } } },
                },
            },
        });
        let wanted = json!({
            "productName": "Lamp", "cost": 19.9, "currency": "EUR", "gtin13": "4006381333931", "volts": 230,
            "madeIn": "Portugal", "dimmable": true,
            "models": [{ "watts": 5, "lumen": 470 }, { "watts": 8, "lumen": 806 }],
        });
        assert_eq!(filled(&schema).unwrap(), wanted);
    }

    #[test]
    fn what_the_page_itself_calls_so_comes_before_what_means_the_same() {
        let page = r#"<script type="application/ld+json">{"@type": "Product", "name": "Lamp", "brand": "Lumos"}</script>
            <h1>Lamp</h1><dl><dt>Manufacturer<dd>Factory 7</dl>"#;
        let form = Form::own(r#"{"properties": {"manufacturer": {"type": "string"}, "brand": {}}}"#).unwrap();
        let found = rule_based_in(&Document::parse(page), None, &form).unwrap().extracted;
        let wanted = json!({ "manufacturer": "Factory 7", "brand": "Lumos" });
        assert!(matches!(&found, Extracted::Own(own) if Value::Object(own.item.clone()) == wanted), "{found:?}");
    }

    #[test]
    fn what_is_stated_of_something_else_is_not_taken() {
        let page = r#"<meta property=og:type content=website><meta property=og:image:width content=1200>
            <meta property=book:isbn content=9783161484100><script type="application/ld+json">
            [{"@type": "Book", "name": "A", "image": {"@type": "ImageObject", "height": 600}, "author": {"email": "a@b.example"},
              "offers": {"priceValidUntil": "2027-01-01"}, "numberOfPages": 310},
             {"@type": "Organization", "name": "B", "telephone": "123"}]</script>"#;
        let names = ["type", "width", "height", "email", "telephone", "isbn", "numberOfPages", "priceValidUntil"];
        let properties: Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        let form = Form::own(&json!({ "properties": properties }).to_string()).unwrap();
        let found = rule_based_in(&Document::parse(page), None, &form).unwrap().extracted;
        let wanted = json!({ "isbn": "9783161484100", "numberOfPages": "310", "priceValidUntil": "2027-01-01" });
        assert!(matches!(&found, Extracted::Own(own) if Value::Object(own.item.clone()) == wanted), "{found:?}");
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_what_is_required_is_named() {
        let optional = json!({ "properties": { "madeIn": { "type": "integer" }, "name": { "type": "string" } } });
        assert_eq!(filled(&optional).unwrap(), json!({ "name": "Lamp" }));
        let required = json!({
            "properties": { "madeIn": { "type": "integer" }, "colour": {}, "name": {} },
            "required": ["madeIn", "colour", "name"],
        });
        let error = filled(&required).unwrap_err();
        assert!(matches!(&error, ExtractError::RequiredMissing(names) if *names == ["colour", "madeIn"]), "{error}");
        let nullable = json!({ "type": ["string", "null"] });
        let nulls = json!({ "properties": { "name": nullable, "colour": nullable }, "required": ["name", "colour"] });
        let own = Form::own(&nulls.to_string()).unwrap();
        let found = rule_based_in(&Document::parse(LAMP), None, &own).unwrap().extracted;
        assert!(matches!(found, Extracted::Own(own) if own.item["colour"].is_null() && own.item["name"] == "Lamp"));
        assert!(matches!(rule_based_in(&Document::parse(""), None, &own), Err(ExtractError::Nothing)));
        let whole = json!({ "properties": { "name": {} }, "minProperties": 2 });
        assert!(matches!(filled(&whole), Err(ExtractError::DoesNotFit(_))));
    }
}
