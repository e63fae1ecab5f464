//! JSON Schemas in the dialects that providers enforce while a model writes. Constraints that a dialect cannot express are
//! checked afterwards in any case.

use serde_json::{Map, Value, json};

/// Keywords of JSON Schema that the dialects do not support.
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

/// Returns the schema with every object closed and without unsupported keywords; `None` when an object must stay open.
pub(super) fn closed(schema: &Value) -> Option<Value> {
    rewritten(schema, &|_| {})
}

/// Keywords that the strict dialect supports (platform.openai.com, "Structured Outputs", "Supported schemas").
const STRICT: [&str; 10] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "enum",
    "const",
    "$defs",
    "description",
];

/// Returns the closed schema with every property required (optional ones may be null) and a type for every node. `None` also
/// when a node has no type or uses keywords that the strict dialect does not support: the provider would reject the request.
pub(super) fn strict(schema: &Value) -> Option<Value> {
    let mut strict = required(schema)?;
    settle(&mut strict)?;
    (strict["type"] == "object").then_some(strict)
}

/// Adds the keys that the strict dialect requires to a node and its subschemas.
fn settle(node: &mut Value) -> Option<()> {
    let object = node.as_object_mut()?;
    if let Some(target) = object.remove("$ref") {
        // A reference must be the only key.
        *object = [("$ref".to_owned(), target)].into_iter().collect();
        return Some(());
    }
    if object.keys().any(|key| !STRICT.contains(&key.as_str())) {
        return None;
    }
    let values = match (object.get("enum"), object.get("const")) {
        (Some(Value::Array(values)), _) => values.clone(),
        (None, Some(value)) => vec![value.clone()],
        (None, None) => Vec::new(),
        (Some(_), _) => return None,
    };
    if !object.contains_key("type") && !values.is_empty() {
        object.insert("type".to_owned(), type_of(&values)?);
    } else if !object.contains_key("type") && object.contains_key("properties") {
        object.insert("type".to_owned(), "object".into());
    }
    match (object.contains_key("type"), object.get_mut("anyOf")) {
        (true, None) => {}
        (false, Some(Value::Array(choices))) => choices.iter_mut().try_for_each(settle)?,
        (..) => return None,
    }
    let is_list = object.get("type").is_some_and(|kind| names(kind, "array"));
    match object.get_mut("items") {
        Some(items) => settle(items)?,
        None if is_list => return None,
        None => {}
    }
    for name in ["properties", "$defs"] {
        if let Some(members) = object.get_mut(name) {
            members.as_object_mut()?.values_mut().try_for_each(settle)?;
        }
    }
    Some(())
}

/// The type of all of these values, or the list of their types.
fn type_of(values: &[Value]) -> Option<Value> {
    let mut kinds: Vec<&str> = Vec::new();
    for value in values {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) | Value::Object(_) => return None,
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Some(if let [only] = kinds.as_slice() { (*only).into() } else { json!(kinds) })
}

/// Returns whether a `type` includes the type `wanted`.
fn names(kind: &Value, wanted: &str) -> bool {
    kind == wanted || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == wanted))
}

fn required(schema: &Value) -> Option<Value> {
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

/// Counts the optional properties, at any depth.
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
                object.get("type").is_some_and(|kind| names(kind, "object")) || object.contains_key("properties");
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

    /// Every schema in a schema.
    fn nodes(node: &Value) -> Vec<&Value> {
        let named = ["properties", "$defs"].into_iter().filter_map(|name| node[name].as_object());
        let listed = node["anyOf"].as_array().into_iter().flatten();
        let inner = named.flat_map(Map::values).chain(listed).chain(node.get("items"));
        std::iter::once(node).chain(inner.flat_map(nodes)).collect()
    }

    #[test]
    fn every_node_of_a_strict_schema_has_a_type_and_nothing_that_is_unknown() {
        let schema = json!({
            "type": "object", "required": ["kind"], "$defs": { "n": { "type": "number", "minimum": 0 } },
            "properties": {
                "kind": { "enum": ["a", "b"], "description": "What it is" },
                "level": { "enum": [1, 2.5, null] },
                "version": { "const": "v1" },
                "ref": { "$ref": "#/$defs/n", "description": "A number" },
                "either": { "anyOf": [{ "enum": ["x"] }, { "type": "integer" }] },
                "list": { "type": ["array", "null"], "items": { "enum": [true] } },
            },
        });
        let strict = strict(&schema).unwrap();
        for node in nodes(&strict) {
            let keys: Vec<&String> = node.as_object().unwrap().keys().collect();
            if node.get("$ref").is_some() {
                assert_eq!(keys, ["$ref"]);
                continue;
            }
            assert!(keys.iter().all(|key| STRICT.contains(&key.as_str())), "{node}");
            assert_ne!(node.get("type").is_some(), node.get("anyOf").is_some(), "{node}");
        }
        assert_eq!(strict["properties"]["kind"]["type"], "string");
        assert_eq!(strict["properties"]["level"]["anyOf"][0]["type"], json!(["integer", "number", "null"]));
    }

    #[test]
    fn what_the_strict_dialect_cannot_say_is_not_asked_for_strictly() {
        for node in [
            json!({}),
            json!(true),
            json!({ "description": "anything" }),
            json!({ "oneOf": [{ "type": "string" }] }),
            json!({ "allOf": [{ "type": "string" }] }),
            json!({ "type": "string", "not": { "enum": ["x"] } }),
            json!({ "type": "string", "if": { "type": "string" } }),
            json!({ "anyOf": [{ "type": "string" }, {}] }),
            json!({ "type": "array" }),
            json!({ "type": "array", "items": true }),
            json!({ "type": ["object", "null"] }),
            json!({ "enum": [{ "a": 1 }] }),
        ] {
            let schema = json!({ "type": "object", "properties": { "a": node } });
            assert_eq!(strict(&schema), None, "{schema}");
        }
        assert_eq!(
            strict(&json!({ "anyOf": [{ "type": "object", "properties": {} }] })),
            None,
            "the whole is an object"
        );
    }

    #[test]
    fn an_open_object_has_no_dialect() {
        assert_eq!(closed(&json!({ "type": "object" })), None);
        let open = json!({ "type": "object", "properties": { "a": { "type": "object", "properties": {}, "additionalProperties": true } } });
        assert_eq!(strict(&open), None);
    }
}
