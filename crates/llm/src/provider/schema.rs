//! JSON Schemas in the dialects that providers enforce while a model writes. What a dialect cannot say is checked afterwards anyway.

use serde_json::{Map, Value, json};

/// What the dialects do not know.
const UNKNOWN: [&str; 20] = [
    "$schema",
    "$id",
    "default",
    "examples",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "multipleOf",
    "pattern",
    "title",
    "uniqueItems",
    "propertyNames",
];

/// The schema with every object closed, and without what dialects do not know; `None` when an object is meant to be open.
pub(super) fn closed(schema: &Value) -> Option<Value> {
    rewritten(schema, &|_| {})
}

/// The same with every property required, where those that were not may be null.
pub(super) fn strict(schema: &Value) -> Option<Value> {
    rewritten(schema, &|object| {
        let required: Vec<String> = object
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
            .unwrap_or_default();
        let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else { return };
        let names: Vec<Value> = properties.keys().cloned().map(Value::from).collect();
        properties.iter_mut().filter(|(name, _)| !required.contains(name)).for_each(|(_, property)| nullable(property));
        object.insert("required".to_owned(), Value::Array(names));
    })
}

/// How many properties may be left out, at any depth.
pub(super) fn optional_properties(schema: &Value) -> usize {
    match schema {
        Value::Object(object) => {
            let properties = object.get("properties").and_then(Value::as_object).map_or(0, Map::len);
            let required = object.get("required").and_then(Value::as_array).map_or(0, Vec::len);
            properties.saturating_sub(required) + object.values().map(optional_properties).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(optional_properties).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn nullable(property: &mut Value) {
    let has_values = property.get("enum").is_some();
    let kinds = match property.get("type") {
        Some(Value::String(kind)) if kind != "null" && !has_values => json!([kind, "null"]),
        Some(Value::Array(kinds)) if kinds.iter().any(|kind| kind == "null") => return,
        _ => {
            *property = json!({ "anyOf": [property.take(), { "type": "null" }] });
            return;
        }
    };
    property["type"] = kinds;
}

fn rewritten(schema: &Value, each: &dyn Fn(&mut Map<String, Value>)) -> Option<Value> {
    match schema {
        Value::Object(object) => {
            let mut rewritten_object = Map::new();
            for (key, value) in object.iter().filter(|(key, _)| !UNKNOWN.contains(&key.as_str())) {
                let value = match key.as_str() {
                    // Names of properties are not keywords.
                    "properties" | "$defs" | "definitions" => {
                        let inner = value
                            .as_object()?
                            .iter()
                            .map(|(name, inner)| Some((name.clone(), rewritten(inner, each)?)));
                        Value::Object(inner.collect::<Option<_>>()?)
                    }
                    "enum" | "const" | "required" | "type" | "description" => value.clone(),
                    _ => rewritten(value, each)?,
                };
                rewritten_object.insert(key.clone(), value);
            }
            let is_object =
                object.get("type").is_some_and(|kind| kind == "object") || object.contains_key("properties");
            if is_object {
                let is_open = !object.contains_key("properties")
                    || object.get("additionalProperties").is_some_and(|more| *more != false);
                if is_open {
                    return None;
                }
                rewritten_object.insert("additionalProperties".to_owned(), Value::Bool(false));
                each(&mut rewritten_object);
            }
            Some(Value::Object(rewritten_object))
        }
        Value::Array(items) => {
            items.iter().map(|item| rewritten(item, each)).collect::<Option<Vec<_>>>().map(Value::Array)
        }
        other => Some(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_put_into_the_dialects() {
        let schema = json!({
            "type": "object", "title": "T", "required": ["a"],
            "properties": {
                "a": { "type": "string", "minLength": 1 },
                "title": { "type": "integer" },
                "kind": { "type": "string", "enum": ["x"] },
                "list": { "type": "array", "maxItems": 3, "items": { "type": "object", "properties": { "b": { "type": "number" } } } },
            },
        });
        assert_eq!(
            closed(&schema).unwrap(),
            json!({
                "type": "object", "required": ["a"], "additionalProperties": false,
                "properties": {
                    "a": { "type": "string" },
                    "title": { "type": "integer" },
                    "kind": { "type": "string", "enum": ["x"] },
                    "list": {
                        "type": "array",
                        "items": { "type": "object", "properties": { "b": { "type": "number" } }, "additionalProperties": false },
                    },
                },
            })
        );
        assert_eq!(optional_properties(&schema), 4, "title, kind, list, and b in it");
        let strict = strict(&schema).unwrap();
        assert_eq!(strict["properties"]["title"]["type"], json!(["integer", "null"]));
        assert_eq!(strict["properties"]["a"]["type"], "string");
        assert_eq!(strict["properties"]["kind"]["anyOf"][1], json!({ "type": "null" }));
        assert_eq!(strict["required"].as_array().unwrap().len(), 4);
        assert_eq!(strict["properties"]["list"]["items"]["required"], json!(["b"]));
    }

    #[test]
    fn an_open_object_has_no_dialect() {
        assert_eq!(closed(&json!({ "type": "object" })), None);
        let open = json!({ "type": "object", "properties": { "a": { "type": "object", "properties": {}, "additionalProperties": true } } });
        assert_eq!(strict(&open), None);
    }
}
