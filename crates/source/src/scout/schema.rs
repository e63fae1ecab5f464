//! Schemas of the wanted data, in JSON Schema: an object with `properties`, or an array of such objects for a list page. Recipes
//! express names, types, lists and required fields; a schema that requires anything else is rejected.

use autoheal_page::recipe::FieldName;
use autoheal_page::value::ValueType;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::definition::PageKind;

/// Kind of page and fields that a schema asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// One object, or a list of them.
    pub kind: PageKind,
    /// The properties of the object, or of each object of the list.
    pub fields: Vec<WantedField>,
}

/// A property of a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedField {
    /// Name of the property.
    pub name: FieldName,
    /// The type of its values.
    pub value_type: ValueType,
    /// True if it is a list.
    pub many: bool,
    /// True if a page without it is a failure.
    pub required: bool,
}

/// A schema that cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// The text is not valid JSON.
    #[error("the schema is not JSON: {0}")]
    NotJson(String),
    /// A part of it cannot be kept.
    #[error("the schema at `{pointer}`: {problem}")]
    At {
        /// JSON pointer to the part; `/` is the whole schema.
        pointer: String,
        /// Description of the problem, and the remedy.
        problem: String,
    },
}

/// Keywords that only tell people something, and the one that a recipe keeps anyway: it gives no other properties.
const TELLING: &[&str] = &[
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "examples",
    "default",
    "deprecated",
    "readOnly",
    "writeOnly",
    "additionalProperties",
];

/// Maximum number of references to follow in a chain.
const MOST_REFERENCES: usize = 16;

impl Schema {
    /// Reads a JSON Schema.
    ///
    /// # Errors
    ///
    /// When it is not JSON, does not describe an object or a list of objects, or has a rule that no recipe can keep.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        let root: Value = serde_json::from_str(text).map_err(|error| SchemaError::NotJson(error.to_string()))?;
        let reader = Reader { root: &root };
        let whole = reader.part("", &root)?;
        match whole.type_name()? {
            "object" => reader.of_object(&whole),
            "array" => reader.of_list(&whole),
            other => Err(whole.wrong(format!("it is of type `{other}`: describe an object, or an array of objects"))),
        }
    }
}

struct Reader<'a> {
    root: &'a Value,
}

/// A part of a schema, references followed.
struct Part<'a> {
    pointer: String,
    members: &'a Map<String, Value>,
    /// True if `null` is allowed as well.
    is_nullable: bool,
}

fn error(pointer: &str, problem: impl Into<String>) -> SchemaError {
    let pointer = if pointer.is_empty() { "/".to_owned() } else { pointer.to_owned() };
    SchemaError::At { pointer, problem: problem.into() }
}

impl<'a> Part<'a> {
    fn wrong(&self, problem: impl Into<String>) -> SchemaError {
        error(&self.pointer, problem)
    }

    /// Refuses every keyword but these.
    fn only(&self, keywords: &[&str]) -> Result<(), SchemaError> {
        match self.members.keys().find(|key| !keywords.contains(&key.as_str()) && !TELLING.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(error(
                &format!("{}/{}", self.pointer, escaped(key)),
                format!("a recipe cannot keep `{key}`: leave it out, and check it where the data is used"),
            )),
        }
    }

    /// Its one type besides `null`; an object or array may be recognised by its keywords.
    fn type_name(&self) -> Result<&'a str, SchemaError> {
        match self.members.get("type") {
            Some(Value::String(name)) => Ok(name),
            Some(Value::Array(several)) => {
                let mut names = several.iter().filter_map(Value::as_str).filter(|name| *name != "null");
                match (names.next(), names.next()) {
                    (Some(only), None) => Ok(only),
                    (Some(_), Some(_)) | (None, _) => Err(error(
                        &format!("{}/type", self.pointer),
                        "name one type, in addition to `null` where the value may be absent",
                    )),
                }
            }
            None if self.members.contains_key("properties") => Ok("object"),
            None if self.members.contains_key("items") => Ok("array"),
            Some(_) | None => {
                Err(self.wrong("`type` is missing: write `string`, `number`, `boolean`, `array` or `object`"))
            }
        }
    }

    fn is_nullable(&self) -> bool {
        let says_null = |value: &Value| value.as_array().is_some_and(|all| all.iter().any(|one| one == "null"));
        self.is_nullable || self.members.get("type").is_some_and(says_null)
    }
}

impl<'a> Reader<'a> {
    /// A part with its references and its `anyOf` with `null` followed.
    fn part(&self, pointer: &str, value: &'a Value) -> Result<Part<'a>, SchemaError> {
        let mut value = value;
        let mut pointer = pointer.to_owned();
        let mut is_nullable = false;
        for _ in 0..MOST_REFERENCES {
            let Value::Object(members) = value else {
                return Err(error(&pointer, "it is not an object; describe the wanted value with `type`"));
            };
            if let Some(reference) = members.get("$ref") {
                let at = format!("{pointer}/$ref");
                let path = reference.as_str().and_then(|text| text.strip_prefix('#'));
                let path = path.ok_or_else(|| {
                    error(&at, "only definitions of the same file are followed: write `#/$defs/NAME`")
                })?;
                value =
                    self.root.pointer(path).ok_or_else(|| error(&at, format!("there is no `{path}` in the schema")))?;
                path.clone_into(&mut pointer);
                continue;
            }
            let Some((keyword, choices)) =
                ["anyOf", "oneOf"].into_iter().find_map(|keyword| Some((keyword, members.get(keyword)?.as_array()?)))
            else {
                return Ok(Part { pointer, members, is_nullable });
            };
            let is_null = |choice: &Value| choice.get("type").is_some_and(|name| name == "null");
            let mut others = choices.iter().enumerate().filter(|(_, choice)| !is_null(choice));
            let (Some((index, only)), None) = (others.next(), others.next()) else {
                return Err(error(
                    &format!("{pointer}/{keyword}"),
                    "name one type, in addition to `null` where the value may be absent",
                ));
            };
            Part { pointer: pointer.clone(), members, is_nullable }.only(&[keyword])?;
            is_nullable |= choices.len() > 1;
            pointer = format!("{pointer}/{keyword}/{index}");
            value = only;
        }
        Err(error(&pointer, "its references lead in a circle"))
    }

    /// An object: one thing, or, when its only property is an array of objects, a list.
    fn of_object(&self, object: &Part<'a>) -> Result<Schema, SchemaError> {
        object.only(&["type", "properties", "required"])?;
        let properties = properties(object)?;
        if let [(name, value)] = properties.iter().collect::<Vec<_>>().as_slice() {
            let only = self.part(&format!("{}/properties/{}", object.pointer, escaped(name)), value)?;
            if only.type_name()? == "array" && self.entry(&only)?.type_name()? == "object" {
                return self.of_list(&only);
            }
        }
        Ok(Schema { kind: PageKind::Single, fields: self.fields(object)? })
    }

    fn of_list(&self, list: &Part<'a>) -> Result<Schema, SchemaError> {
        list.only(&["type", "items"])?;
        let entry = self.entry(list)?;
        if entry.type_name()? != "object" {
            return Err(entry.wrong("a list page is an array of objects: describe one with `properties`"));
        }
        Ok(Schema { kind: PageKind::List, fields: self.fields(&entry)? })
    }

    /// Returns the schema of the entries of an array.
    fn entry(&self, array: &Part<'a>) -> Result<Part<'a>, SchemaError> {
        let items = array.members.get("items").ok_or_else(|| array.wrong("`items` is missing: what does it hold?"))?;
        self.part(&format!("{}/items", array.pointer), items)
    }

    fn fields(&self, object: &Part<'a>) -> Result<Vec<WantedField>, SchemaError> {
        object.only(&["type", "properties", "required"])?;
        let required = required(object)?;
        let mut fields = Vec::new();
        for (name, value) in properties(object)? {
            let pointer = format!("{}/properties/{}", object.pointer, escaped(name));
            let part = self.part(&pointer, value)?;
            let name = FieldName::parse(name).map_err(|problem| error(&pointer, problem.to_string()))?;
            let is_required = required.contains(&name.as_str()) && !part.is_nullable();
            let (value_type, many) = if part.type_name()? == "array" {
                part.only(&["type", "items"])?;
                (value_type(&self.entry(&part)?)?, true)
            } else {
                (value_type(&part)?, false)
            };
            fields.push(WantedField { name, value_type, many, required: is_required });
        }
        if fields.is_empty() {
            return Err(object.wrong("`properties` is empty: name at least one"));
        }
        Ok(fields)
    }
}

fn value_type(part: &Part<'_>) -> Result<ValueType, SchemaError> {
    if matches!(part.type_name()?, "object" | "array") {
        let problem = "a field holds a value or a list of values, nothing deeper; name its parts as separate fields";
        return Err(part.wrong(problem));
    }
    part.only(&["type", "format"])?;
    let format = part.members.get("format").and_then(Value::as_str);
    match (part.type_name()?, format) {
        ("string", None) => Ok(ValueType::Text),
        ("string", Some("date" | "date-time")) => Ok(ValueType::Date),
        ("string", Some("uri" | "uri-reference" | "url")) => Ok(ValueType::Url),
        ("number" | "integer", None) => Ok(ValueType::Number),
        ("boolean", None) => Ok(ValueType::Boolean),
        (_, Some(format)) => Err(error(
            &format!("{}/format", part.pointer),
            format!("`{format}` cannot be checked: write `date`, `date-time` or `uri`, or leave it out"),
        )),
        (other, None) => Err(error(
            &format!("{}/type", part.pointer),
            format!("`{other}` is not a type of a field; write `string`, `number`, `integer` or `boolean`"),
        )),
    }
}

fn properties<'a>(object: &Part<'a>) -> Result<&'a Map<String, Value>, SchemaError> {
    let properties = object.members.get("properties").and_then(Value::as_object);
    properties.ok_or_else(|| object.wrong("`properties` is missing: which fields are wanted?"))
}

fn required<'a>(object: &Part<'a>) -> Result<Vec<&'a str>, SchemaError> {
    let Some(required) = object.members.get("required") else { return Ok(Vec::new()) };
    let at = format!("{}/required", object.pointer);
    let names: Option<Vec<&str>> = required.as_array().and_then(|names| names.iter().map(Value::as_str).collect());
    let names = names.ok_or_else(|| error(&at, "write an array of names"))?;
    let known = properties(object)?;
    match names.iter().find(|name| !known.contains_key(**name)) {
        None => Ok(names),
        Some(unknown) => Err(error(&at, format!("`{unknown}` is not among the properties"))),
    }
}

/// A name as a part of a JSON pointer (RFC 6901).
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (PageKind, Vec<String>) {
        let schema = Schema::parse(text).unwrap();
        let told = |field: &WantedField| {
            format!(
                "{} {}{}{}",
                field.name,
                field.value_type,
                if field.many { "[]" } else { "" },
                if field.required { "!" } else { "" }
            )
        };
        (schema.kind, schema.fields.iter().map(told).collect())
    }

    #[test]
    fn an_object_is_one_thing() {
        let text = r##"{"$schema": "x", "type": "object", "required": ["title", "when"], "additionalProperties": false, "properties": {
            "title": {"type": "string", "description": "what it is called"},
            "price": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": null},
            "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
            "when": {"type": ["string", "null"], "format": "date"}}, "$defs": {"tag": {"type": "string"}}}"##;
        let (kind, mut fields) = read(text);
        fields.sort();
        assert_eq!(kind, PageKind::Single);
        assert_eq!(
            fields,
            ["price number", "tags text[]", "title text!", "when date"],
            "what may be null is not required"
        );
    }

    #[test]
    fn an_array_of_objects_is_a_list() {
        let list = r#"{"type": "array", "items": {"properties": {"link": {"type": "string", "format": "uri"}}, "required": ["link"]}}"#;
        assert_eq!(read(list), (PageKind::List, vec!["link url!".to_owned()]));
        let inside = format!(r#"{{"type": "object", "properties": {{"products": {list}}}}}"#);
        assert_eq!(read(&inside), read(list));
    }

    #[test]
    fn what_cannot_be_kept_is_refused_where_it_stands() {
        for (text, pointer) in [
            (r#"{"type": "string"}"#, "/"),
            (r#"{"type": "object", "properties": {}}"#, "/"),
            (r#"{"properties": {"a/b": {"type": "string"}}}"#, "/properties/a~1b"),
            (r#"{"properties": {"a": {"type": "string", "pattern": "x"}}}"#, "/properties/a/pattern"),
            (r#"{"properties": {"a": {"type": "string", "format": "email"}}}"#, "/properties/a/format"),
            (r#"{"properties": {"a": {"type": ["string", "number"]}}}"#, "/properties/a/type"),
            (r#"{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "number"}]}}}"#, "/properties/a/anyOf"),
            (
                r#"{"properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}, "c": {"type": "string"}}}"#,
                "/properties/a",
            ),
            (r##"{"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}"##, "/$defs/a"),
            (r#"{"properties": {"a": {"$ref": "https://example.org/x.json"}}}"#, "/properties/a/$ref"),
            (r#"{"properties": {"a": {"type": "string"}}, "required": ["b"]}"#, "/required"),
            (r#"{"properties": {"a": {"type": "string"}}, "allOf": []}"#, "/allOf"),
            (r#"{"type": "array", "items": {"type": "string"}}"#, "/items"),
            (r#"{"properties": {"a": {}}}"#, "/properties/a"),
            (r#"{"properties": {"a": true}}"#, "/properties/a"),
        ] {
            let problem = Schema::parse(text).unwrap_err();
            assert!(
                matches!(&problem, SchemaError::At { pointer: found, .. } if found == pointer),
                "{text}: {problem}"
            );
        }
        assert!(matches!(Schema::parse("{"), Err(SchemaError::NotJson(_))));
    }
}
