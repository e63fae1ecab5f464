//! The form to fill: its properties with their kinds, the required ones among them, and the check of a filled
//! form. It is either the form of [`ScrapedItem`](crate::ScrapedItem), or a JSON Schema that the user
//! supplies.

mod importance;
mod kind;
mod names;
mod own;

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use crate::item::{PageType, SCHEMA};
pub(crate) use importance::Importance;
pub(crate) use kind::Kind;
pub(crate) use names::{Place, of_item, spoken, words_of};

/// A JSON Schema that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FormError {
    /// The text is not JSON.
    #[error("it is no JSON; correct it there")]
    NotJson(#[source] serde_json::Error),
    /// The schema does not describe an object with properties.
    #[error(
        "it describes no object with properties: give it \"type\": \"object\" and \"properties\" with at least one entry"
    )]
    NoProperties,
    /// The schema refers to another document.
    #[error("it refers to {0:?}, and other documents are not fetched: put what is meant under \"$defs\"")]
    Elsewhere(String),
    /// The text is not a JSON Schema.
    #[error("it is no JSON Schema: {0}")]
    NotASchema(String),
}

/// A property that the form requests.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Description of the property, for the model that fills it.
    pub(crate) description: Option<String>,
    /// Title of the property in the schema, for human readers.
    pub(crate) title: Option<String>,
}

/// Fault in a filled form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The property it is about; `None`: the whole.
    pub(crate) property: Option<String>,
    pub(crate) message: String,
}

/// Owner of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The program: the form of [`ScrapedItem`](crate::ScrapedItem).
    Item,
    /// The user: the form of their own JSON Schema.
    User,
}

/// The form to fill.
#[derive(Debug)]
pub struct Form {
    pub(crate) owner: Owner,
    /// JSON Schema of the response that is requested from a model.
    pub(crate) asked: Value,
    pub(crate) properties: Vec<Property>,
    /// Names of the properties that the schema itself requires.
    required: Vec<String>,
    validator: Validator,
}

/// Properties of an item that are never a model's to fill: they are known, or made here.
const INJECTED: [&str; 3] = ["url", "screenshot_path", "provenance"];

/// Properties that are not requested from models, because copying them out is expensive and rules read them directly.
/// They are accepted if a response contains them.
const NOT_ASKED: [&str; 3] = ["text", "tables", "lists"];

impl Form {
    /// The form of [`ScrapedItem`](crate::ScrapedItem).
    ///
    /// # Errors
    ///
    /// Never: a test makes it.
    pub fn item() -> Result<Self, FormError> {
        let schema: Value = serde_json::from_str(SCHEMA).map_err(FormError::NotJson)?;
        let mut asked = schema.clone();
        for part in ["$schema", "$defs"] {
            asked.as_object_mut().map(|asked| asked.remove(part));
        }
        if let Some(properties) = asked.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| !INJECTED.contains(&name.as_str()) && !NOT_ASKED.contains(&name.as_str()));
        }
        let mut form = Self::of(schema, Owner::Item)?;
        form.properties.retain(|property| !INJECTED.contains(&property.name.as_str()));
        for property in &mut form.properties {
            if let Some(kind) = Kind::of_item(&property.name) {
                property.kind = kind;
            }
        }
        form.asked = asked;
        Ok(form)
    }

    /// Returns the form of a JSON Schema (2020-12) that the user supplies as text.
    ///
    /// # Errors
    ///
    /// [`FormError`]: the schema must describe an object and be complete, because other documents are not fetched.
    pub fn own(text: &str) -> Result<Self, FormError> {
        let schema: Value = serde_json::from_str(text).map_err(FormError::NotJson)?;
        own::refuse_elsewhere(&schema)?;
        let mut form = Self::of(schema, Owner::User)?;
        for property in &mut form.properties {
            // A summary may use words that are not on the page.
            if property.kind == Kind::Text && names::group_of(&words_of(&property.name)) == Some("description") {
                property.kind = Kind::Summary;
            }
        }
        Ok(form)
    }

    fn of(schema: Value, owner: Owner) -> Result<Self, FormError> {
        let members = schema.get("properties").and_then(Value::as_object).filter(|members| !members.is_empty());
        let is_object = schema.get("type").is_none_or(|kind| kind == "object");
        let members = members.filter(|_| is_object).ok_or(FormError::NoProperties)?;
        let text = |node: &Value, name: &str| node.get(name).and_then(Value::as_str).map(str::to_owned);
        let properties = members
            .iter()
            .map(|(name, node)| Property {
                name: name.clone(),
                kind: Kind::of(node, &schema),
                description: text(node, "description"),
                title: text(node, "title"),
            })
            .collect();
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let required = required.filter_map(Value::as_str).map(str::to_owned).collect();
        let validator = jsonschema::validator_for(&schema).map_err(|error| FormError::NotASchema(error.to_string()))?;
        Ok(Self { owner, asked: schema, properties, required, validator })
    }

    /// Returns the property with this name.
    pub(crate) fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// Returns the property, or the part of one, that matches a name from elsewhere, such as a model's response.
    pub(crate) fn place_of(&self, name: &str) -> Option<Place<'_>> {
        names::place_of(name, &self.properties)
    }

    /// Returns the names of the properties to request from a model on a page of this type, in the order of the form.
    pub(crate) fn asked_on(&self, page_type: PageType) -> Vec<String> {
        let asked = self.asked.get("properties").and_then(Value::as_object);
        let is_asked = |name: &str| asked.is_some_and(|asked| asked.contains_key(name));
        let belongs = |name: &str| self.owner == Owner::User || importance::belongs(page_type, name);
        let names = self.properties.iter().map(|property| &property.name);
        names.filter(|name| is_asked(name) && belongs(name)).cloned().collect()
    }

    /// Returns the schema of an answer with these properties only. Prompts list the properties with their descriptions: the schema
    /// does not repeat those.
    pub(crate) fn schema_of(&self, names: &[String]) -> Value {
        let mut schema = self.asked.clone();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| names.contains(name));
            for property in properties.values_mut().filter_map(Value::as_object_mut) {
                property.remove("description");
            }
        }
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("description");
            if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
                required.retain(|name| name.as_str().is_some_and(|name| names.iter().any(|other| other == name)));
            }
        }
        schema
    }

    /// Returns the importance of a property on a page of this type.
    pub(crate) fn importance(&self, page_type: PageType, name: &str) -> Importance {
        match self.owner {
            Owner::Item => importance::of(page_type, name),
            Owner::User if self.required.iter().any(|required| required == name) => Importance::Required,
            Owner::User => Importance::Expected,
        }
    }

    /// The properties of this importance on a page of this type, in the order of the form.
    pub(crate) fn names_of(&self, page_type: PageType, importance: Importance) -> impl Iterator<Item = &str> {
        let names = self.properties.iter().map(|property| property.name.as_str());
        names.filter(move |name| self.importance(page_type, name) == importance)
    }

    /// Writes null for missing properties that the schema requires and that may be null: many schemas define optional properties so.
    pub(crate) fn add_nulls(&self, fields: &mut Map<String, Value>) {
        for name in self.required.iter().filter(|_| self.owner == Owner::User) {
            let alone: Map<String, Value> = [(name.clone(), Value::Null)].into_iter().collect();
            let is_refused = || self.faults(&alone).iter().any(|fault| fault.property.as_ref() == Some(name));
            // A property that may be anything is not meant to be nothing.
            let is_typed = self.property(name).is_some_and(|property| property.kind != Kind::Any);
            if is_typed && !fields.contains_key(name) && !is_refused() {
                fields.insert(name.clone(), Value::Null);
            }
        }
    }

    /// Returns the faults of these fields; empty if they are valid.
    pub(crate) fn faults(&self, fields: &Map<String, Value>) -> Vec<Fault> {
        let value = Value::Object(fields.clone());
        let fault = |error: jsonschema::ValidationError<'_>| {
            let place = error.instance_path().to_string();
            let first = place.trim_start_matches('/').split('/').next().filter(|name| !name.is_empty());
            // As RFC 6901 writes names with slashes.
            let property = first.map(|name| name.replace("~1", "/").replace("~0", "~"));
            let wanted =
                property.as_deref().and_then(|name| self.property(name)).and_then(|property| property.kind.wanted());
            let is_pattern =
                matches!(error.kind(), ValidationErrorKind::Pattern { .. } | ValidationErrorKind::Format { .. });
            let said = match wanted.filter(|_| is_pattern) {
                Some(wanted) => format!("{} does not fit; wanted: {wanted}", error.instance()),
                None => error.to_string(),
            };
            let said: String = said.chars().take(LONGEST_FAULT).collect();
            Fault { property, message: format!("{place}{}{said}", between(&place)) }
        };
        self.validator.iter_errors(&value).map(fault).collect()
    }
}

/// Maximum length of a fault's message, in characters. The message quotes the value.
const LONGEST_FAULT: usize = 200;

fn between(place: &str) -> &'static str {
    if place.is_empty() { "" } else { ": " }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_form_of_an_item_asks_for_what_a_model_can_fill() {
        let form = Form::item().unwrap();
        let asked = form.asked["properties"].as_object().unwrap();
        assert!(asked.contains_key("title") && !asked.contains_key("provenance") && !asked.contains_key("text"));
        assert!(!form.asked.to_string().contains("$ref"));
        assert!(form.property("url").is_none() && form.property("text").is_some());
        assert_eq!(form.property("price").unwrap().kind, Kind::Money);
    }

    #[test]
    fn what_is_required_and_may_be_null_is_null() {
        let properties = json!({ "a": { "type": ["string", "null"] }, "b": { "type": "string" }, "c": {} });
        let schema = json!({ "properties": properties, "required": ["a", "b", "c"] });
        let form = Form::own(&schema.to_string()).unwrap();
        let mut fields = Map::new();
        form.add_nulls(&mut fields);
        assert_eq!(Value::Object(fields), json!({ "a": null }));
    }

    #[test]
    fn a_schema_of_somebody_else_is_a_form_or_says_what_is_wrong_with_it() {
        let own = |schema: Value| Form::own(&schema.to_string());
        let form = own(json!({ "properties": { "volts": { "type": "number" } }, "required": ["volts"] })).unwrap();
        assert_eq!(form.importance(PageType::Generic, "volts"), Importance::Required);
        assert_eq!(form.faults(&Map::new())[0].message, "\"volts\" is a required property");
        let fields = json!({ "volts": "many" });
        assert_eq!(form.faults(fields.as_object().unwrap())[0].property.as_deref(), Some("volts"));
        let slashed = own(json!({ "properties": { "km/h~": { "type": "number" } } })).unwrap();
        let fields = json!({ "km/h~": "fast" });
        assert_eq!(slashed.faults(fields.as_object().unwrap())[0].property.as_deref(), Some("km/h~"));
        for (schema, told) in [
            (json!({ "type": "array" }), "no object"),
            (json!({ "properties": {} }), "no object"),
            (json!({ "properties": { "a": { "$ref": "https://example.com/a.json" } } }), "example.com"),
            (json!({ "properties": { "a": { "$ref": "file:///etc/passwd" } } }), "passwd"),
            (json!({ "properties": { "a": { "$ref": "other.json#/a" } } }), "other.json"),
            (json!({ "properties": { "a": { "type": "colour" } } }), "no JSON Schema"),
            (json!({ "properties": { "a": { "$ref": "#/$defs/missing" } } }), "no JSON Schema"),
        ] {
            let error = own(schema).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        assert!(matches!(Form::own("{"), Err(FormError::NotJson(_))));
        let inside = json!({ "properties": { "a": { "$ref": "#/$defs/b" } }, "$defs": { "b": { "type": "integer" } } });
        assert_eq!(own(inside).unwrap().property("a").unwrap().kind, Kind::Integer);
    }
}
