//! Schemas of `Crawl4AI` for `JsonCssExtractionStrategy` and `JsonXPathExtractionStrategy`: a `baseSelector` whose elements are the
//! items, and `fields` below each. Which of the two it is, its `baseSelector` tells.

use autoheal_page::recipe::NodeTake;
use autoheal_page::transform::TextStep;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::draft::{Draft, Part};
use super::scope::Scope;
use super::{Format, ImportError, Imported};

/// Fields may be nested so deep.
const DEEPEST: usize = 8;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    name: Option<String>,
    base_selector: String,
    #[serde(default)]
    base_fields: Vec<FieldDocument>,
    #[serde(default)]
    fields: Vec<FieldDocument>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Deserialize)]
struct FieldDocument {
    name: String,
    #[serde(default)]
    selector: Option<String>,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    attribute: Option<String>,
    #[serde(default)]
    pattern: Option<String>,
    #[serde(default)]
    transform: Option<String>,
    #[serde(default)]
    default: Option<Value>,
    #[serde(default)]
    fields: Vec<FieldDocument>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

pub(super) fn read(value: &Value) -> Result<Imported, ImportError> {
    let format = Format::Crawl4Ai;
    let not_understood = |message: String| ImportError::NotUnderstood { format, message };
    let document = Document::deserialize(value).map_err(|error| not_understood(error.to_string()))?;
    let is_xpath = document.base_selector.trim_start().starts_with(['/', '(']) || document.base_selector.contains("//");
    let base = Scope::parse(&document.base_selector, is_xpath)
        .map_err(|problem| not_understood(format!("`baseSelector`: {problem}")))?;
    let mut draft = Draft::new(format);
    draft.name = document.name.filter(|name| !name.trim().is_empty());
    for key in document.others.keys() {
        draft.note(format!("`{key}` says nothing that a recipe knows"));
    }
    // A page that is one item with one list in it is a list page.
    let (base, base_fields, fields) = match document.fields.as_slice() {
        [only] if base.is_page() && document.base_fields.is_empty() && is_list(only) => {
            let items = only.selector.as_deref().unwrap_or_default();
            let items = base.below(items).map_err(|problem| draft.wrong(&only.name, problem))?;
            (items, [].as_slice(), only.fields.as_slice())
        }
        fields => (base, document.base_fields.as_slice(), fields),
    };
    draft.items = Some(base.clone());
    for field in base_fields.iter().chain(fields) {
        take_over(&mut draft, &base, &base, "", field, 0)?;
    }
    draft.finished()
}

fn is_list(field: &FieldDocument) -> bool {
    matches!(field.kind.as_str(), "list" | "nested_list")
}

/// One field below a scope, which is the items or an element in them. Fields of a nested object are named after it.
fn take_over(
    draft: &mut Draft,
    items: &Scope,
    scope: &Scope,
    prefix: &str,
    field: &FieldDocument,
    depth: usize,
) -> Result<(), ImportError> {
    let name = format!("{prefix}{}", field.name);
    for key in field.others.keys().filter(|key| !matches!(key.as_str(), "expression" | "function")) {
        draft.note(format!("`{key}` of `{name}` says nothing that a recipe knows"));
    }
    let selected = match field.selector.as_deref().map(str::trim).filter(|selector| !selector.is_empty()) {
        None => Ok(scope.clone()),
        Some(selector) if scope == items => scope.below(selector),
        Some(selector) => scope.around(selector),
    };
    let selected = selected.map_err(|problem| draft.wrong(&name, problem))?;
    let take = match field.kind.as_str() {
        "text" | "regex" => NodeTake::Text,
        "html" => NodeTake::Html,
        "attribute" => {
            let attribute = field.attribute.as_deref().map(str::trim).filter(|attribute| is_attribute(attribute));
            let attribute = attribute
                .ok_or_else(|| draft.wrong(&name, "its `attribute` is missing or not the name of an attribute"))?;
            NodeTake::Attribute(attribute.to_ascii_lowercase())
        }
        "nested" if depth < DEEPEST => {
            // The selectors of the parts are written in full, because the object is not an item.
            let object = match field.selector.as_deref() {
                Some(selector) if scope == items => scope.around(selector),
                Some(_) | None => Ok(selected),
            };
            let object = object.map_err(|problem| draft.wrong(&name, problem))?;
            draft.note(format!("the parts of `{name}` are separate fields, `{name}_...`"));
            for part in &field.fields {
                take_over(draft, items, &object, &format!("{name}_"), part, depth + 1)?;
            }
            return Ok(());
        }
        "list" | "nested_list" if field.fields.len() == 1 && depth < DEEPEST => {
            return list(draft, items, scope, &name, field);
        }
        "list" | "nested_list" | "nested" => {
            draft.note(format!(
                "`{name}` is left out: a field holds values, not a list of objects; make its items a separate source"
            ));
            return Ok(());
        }
        "computed" => {
            draft.note(format!("`{name}` is left out: it is computed by a program, and a recipe runs none"));
            return Ok(());
        }
        other => return Err(draft.wrong(&name, format!("the type `{other}` is unknown"))),
    };
    let mut steps = Vec::new();
    if field.kind == "regex" {
        let pattern = field.pattern.as_deref().ok_or_else(|| draft.wrong(&name, "its `pattern` is missing"))?;
        let Some(step) = draft.pattern(&name, pattern) else { return Ok(()) };
        steps.push(step);
    }
    match field.transform.as_deref() {
        None => {}
        Some("strip") => steps.push(TextStep::Trim),
        Some(other) => draft.note(format!("`{name}` keeps its text as it is: a recipe knows no `{other}`")),
    }
    let has_default = field.default.is_some();
    if let Some(default) = field.default.as_ref().filter(|default| !default.is_null() && **default != "") {
        draft.note(format!("`{name}` is absent where the page has no value, instead of {default}"));
    }
    let is_address = matches!(&take, NodeTake::Attribute(attribute) if matches!(attribute.as_str(), "href" | "src"));
    draft.add(Part { take, steps, is_address, required: !has_default, ..Part::text(&name, selected) })
}

/// A list of objects with one part each is a list of values.
fn list(draft: &mut Draft, items: &Scope, scope: &Scope, name: &str, field: &FieldDocument) -> Result<(), ImportError> {
    let [part] = field.fields.as_slice() else { return Ok(()) };
    let entries = field.selector.as_deref().unwrap_or_default();
    let selected = match part.selector.as_deref().map(str::trim).filter(|selector| !selector.is_empty()) {
        None if scope == items => scope.below(entries),
        None => scope.around(entries),
        Some(selector) => scope.around(entries).and_then(|entries| entries.around(selector)),
    };
    let selected = selected.map_err(|problem| draft.wrong(name, problem))?;
    let take = match (part.kind.as_str(), part.attribute.as_deref()) {
        ("text", _) => NodeTake::Text,
        ("html", _) => NodeTake::Html,
        ("attribute", Some(attribute)) if is_attribute(attribute) => {
            NodeTake::Attribute(attribute.to_ascii_lowercase())
        }
        _ => {
            draft.note(format!("`{name}` is left out: a list of values is made of `text`, `html` or `attribute`"));
            return Ok(());
        }
    };
    draft.note(format!("`{name}` is a list of values, without the name `{}` for each", part.name));
    let is_address = matches!(&take, NodeTake::Attribute(attribute) if matches!(attribute.as_str(), "href" | "src"));
    draft.add(Part { take, many: true, is_address, required: field.default.is_none(), ..Part::text(name, selected) })
}

fn is_attribute(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || "-_:.".contains(character))
}

#[cfg(test)]
mod tests {
    use autoheal_page::Document;
    use serde_json::json;

    use super::*;
    use crate::import::recipe_of;

    const SCHEMA: &str = r#"{"name": "Lamps", "baseSelector": "li.lamp",
        "baseFields": [{"name": "id", "type": "attribute", "attribute": "data-id"}],
        "fields": [
            {"name": "title", "selector": "h3", "type": "text", "transform": "lowercase"},
            {"name": "link", "selector": "h3 a", "type": "attribute", "attribute": "href"},
            {"name": "watts", "selector": ".watts", "type": "regex", "pattern": "(\\d+) W"},
            {"name": "note", "selector": "i", "type": "text", "default": "none"},
            {"name": "maker", "selector": ".maker", "type": "nested", "fields": [{"name": "city", "selector": "b", "type": "text"}]},
            {"name": "tags", "selector": ".tag", "type": "list", "fields": [{"name": "tag", "type": "text"}]},
            {"name": "reviews", "selector": ".review", "type": "nested_list",
             "fields": [{"name": "by", "selector": "b", "type": "text"}, {"name": "stars", "selector": "i", "type": "text"}]},
            {"name": "total", "type": "computed", "expression": "1 + 1"}]}"#;

    const PAGE: &str = "<ul><li class=lamp data-id=1><h3><a href=/1>One</a></h3><p class=watts>40 W</p><p class=maker>by <b>Bonn</b></p>
        <b class=tag>x</b><b class=tag>y</b></li><li class=lamp data-id=2><h3><a href=/2>Two</a></h3><p class=watts>60 W</p>
        <p class=maker>by <b>Ulm</b></p><b class=tag>z</b><i>new</i></li></ul>";

    fn values(imported: &Imported, page: &str) -> Value {
        let base = url::Url::parse("https://example.org/").ok();
        crate::validation::values(&imported.recipe, &imported.recipe.apply(&Document::parse(page), base.as_ref()))
    }

    #[test]
    fn a_schema_gives_what_it_gave() {
        let imported = recipe_of(SCHEMA).unwrap();
        assert_eq!((imported.format, imported.name.as_deref()), (Format::Crawl4Ai, Some("Lamps")));
        let expected = json!([
            {"id": "1", "title": "One", "link": "https://example.org/1", "watts": "40", "note": null, "maker_city": "Bonn", "tags": ["x", "y"]},
            {"id": "2", "title": "Two", "link": "https://example.org/2", "watts": "60", "note": "new", "maker_city": "Ulm", "tags": ["z"]}]);
        assert_eq!(values(&imported, PAGE), expected);
        let noted = |name: &str| imported.notes.iter().any(|note| note.contains(name));
        for name in
            ["lowercase", "`note` is absent", "`maker`", "`tags`", "`reviews` is left out", "`total` is left out"]
        {
            assert!(noted(name), "{name}: {:?}", imported.notes);
        }
        assert!(!imported.recipe.field("note").unwrap().required && imported.recipe.field("title").unwrap().required);
    }

    #[test]
    fn paths_are_understood_as_well() {
        let schema = r#"{"baseSelector": "//li[@class='lamp']", "fields": [
            {"name": "title", "selector": ".//h3/a", "type": "text"}, {"name": "watts", "selector": "./p[1]", "type": "text"}]}"#;
        let expected = json!([{"title": "One", "watts": "40 W"}, {"title": "Two", "watts": "60 W"}]);
        assert_eq!(values(&recipe_of(schema).unwrap(), PAGE), expected);
    }

    #[test]
    fn a_page_that_is_one_list_is_a_list_page() {
        let schema = r#"{"baseSelector": "body", "fields": [{"name": "lamps", "selector": ".lamp", "type": "nested_list",
            "fields": [{"name": "title", "selector": "h3", "type": "text"}, {"name": "id", "type": "attribute", "attribute": "data-id"}]}]}"#;
        assert_eq!(
            values(&recipe_of(schema).unwrap(), PAGE),
            json!([{"title": "One", "id": "1"}, {"title": "Two", "id": "2"}])
        );
        let single = r#"{"baseSelector": "body", "fields": [{"name": "title", "selector": "h3", "type": "text"}]}"#;
        assert_eq!(values(&recipe_of(single).unwrap(), PAGE), json!({"title": "One"}));
    }

    #[test]
    fn what_cannot_be_said_is_refused_with_its_name() {
        let with = |field: &str| format!(r#"{{"baseSelector": "li", "fields": [{field}]}}"#);
        for (field, told) in [
            (
                r#"{"name": "title", "selector": "h3:eq(0)", "type": "text"}"#,
                "the field `title` of the Crawl4AI schema: `h3:eq(0)`",
            ),
            (r#"{"name": "link", "selector": "a", "type": "attribute"}"#, "`link`"),
            (r#"{"name": "x", "selector": "a", "type": "video"}"#, "`video`"),
            (
                r#"{"name": "reviews", "selector": "a", "type": "nested_list", "fields": []}"#,
                "no part of the Crawl4AI schema",
            ),
            (r#"{"name": "x", "selector": "a", "type": "regex", "pattern": "(?<=a)b"}"#, "`x` is left out"),
            (r#"{"selector": "a", "type": "text"}"#, "missing field `name`"),
        ] {
            let error = recipe_of(&with(field)).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        assert!(
            recipe_of(r#"{"baseSelector": 1}"#).is_err()
                && recipe_of(r#"{"baseSelector": "a", "fields": []}"#).is_err()
        );
    }
}
