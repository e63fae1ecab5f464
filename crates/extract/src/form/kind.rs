//! Kinds of values, as far as they matter for reading them.

use std::collections::BTreeMap;

use serde_json::Value;

/// Deeper nodes of a schema, and more of them, are anything: references may multiply.
const DEEPEST: usize = 12;
const MOST_NODES: usize = 2000;

/// Kind of a value, which decides how it is read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// A text, as it is on the page.
    Text,
    /// A text that need not be on the page word for word.
    Summary,
    /// Names of persons or organizations, separated by commas.
    Names,
    /// One of the listed values.
    Choice(Vec<Value>),
    /// One of the page types, in any wording.
    PageType,
    /// A date, with its time of day if the page states it.
    Date,
    /// A date without a time of day.
    Day,
    /// A number without a fraction.
    Integer,
    /// A number, with or without a fraction.
    Number,
    /// True or false.
    Boolean,
    /// A duration in minutes.
    Minutes,
    /// An object with `amount` and `currency`.
    Money,
    /// An object with `value`, `best` and `count`.
    Rating,
    /// An object with `minimum`, `maximum`, `currency` and `per`.
    Salary,
    /// A URL, absolute or relative to the page.
    Address,
    /// A list of values of one kind.
    List(Box<Self>),
    /// An object with these members.
    Object(BTreeMap<String, Self>),
    /// Any value, left as it is.
    Any,
}

/// The fields of an item of which their schema says too little.
const OF_ITEM: [(&str, Kind); 14] = [
    ("page_type", Kind::PageType),
    ("author", Kind::Names),
    ("description", Kind::Summary),
    ("published_at", Kind::Date),
    ("modified_at", Kind::Date),
    ("start", Kind::Date),
    ("end", Kind::Date),
    ("image", Kind::Address),
    ("price", Kind::Money),
    ("rating", Kind::Rating),
    ("salary", Kind::Salary),
    ("prep_minutes", Kind::Minutes),
    ("cook_minutes", Kind::Minutes),
    ("total_minutes", Kind::Minutes),
];

impl Kind {
    /// Returns the kind of an item's field, if it is more specific than the schema.
    pub(super) fn of_item(name: &str) -> Option<Self> {
        OF_ITEM.iter().find(|(field, _)| *field == name).map(|(_, kind)| kind.clone())
    }

    /// Returns how a value of this kind is written, where a schema says it with a pattern.
    pub(super) const fn wanted(&self) -> Option<&'static str> {
        match self {
            Self::Date => Some("YYYY-MM-DD, or YYYY-MM-DDTHH:MM where the page has a time"),
            Self::Day => Some("YYYY-MM-DD"),
            Self::Money | Self::Rating | Self::Salary => Some("decimal numbers with a point, such as 1299.50"),
            Self::Text
            | Self::Summary
            | Self::Names
            | Self::Choice(_)
            | Self::PageType
            | Self::Integer
            | Self::Number
            | Self::Boolean
            | Self::Minutes
            | Self::Address
            | Self::List(_)
            | Self::Object(_)
            | Self::Any => None,
        }
    }

    /// The kind that a schema describes; `root` is the document that its references are of.
    pub(super) fn of(node: &Value, root: &Value) -> Self {
        Walk { root, following: Vec::new(), nodes: 0 }.below(node, 0)
    }
}

/// A walk through a schema.
struct Walk<'a> {
    /// The document that its references are of.
    root: &'a Value,
    /// The references that are being followed: one of them again would never end.
    following: Vec<&'a str>,
    /// Number of schema nodes visited so far.
    nodes: usize,
}

impl<'a> Walk<'a> {
    fn below(&mut self, node: &'a Value, depth: usize) -> Kind {
        self.nodes += 1;
        if depth > DEEPEST || self.nodes > MOST_NODES {
            return Kind::Any;
        }
        if let Some(target) = node.get("$ref").and_then(Value::as_str) {
            let pointer = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            let Some(node) = pointer.filter(|_| !self.following.contains(&target)) else { return Kind::Any };
            self.following.push(target);
            let kind = self.below(node, depth + 1);
            self.following.pop();
            return kind;
        }
        if let Some(values) = node.get("enum").and_then(Value::as_array) {
            return Kind::Choice(values.iter().filter(|value| !value.is_null()).cloned().collect());
        }
        for name in ["anyOf", "oneOf"] {
            let choices = node.get(name).and_then(Value::as_array).into_iter().flatten();
            let mut choices = choices.filter(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
            if let (Some(only), None) = (choices.next(), choices.next()) {
                return self.below(only, depth + 1);
            }
        }
        match type_of(node) {
            Some("string") => match node.get("format").and_then(Value::as_str) {
                Some("date") => Kind::Day,
                Some("date-time") => Kind::Date,
                Some("uri" | "uri-reference" | "iri") => Kind::Address,
                Some(_) | None => Kind::Text,
            },
            Some("integer") => Kind::Integer,
            Some("number") => Kind::Number,
            Some("boolean") => Kind::Boolean,
            Some("array") => {
                let items = node.get("items").map_or(Kind::Any, |items| self.below(items, depth + 1));
                Kind::List(Box::new(items))
            }
            Some("object") => {
                let members = node.get("properties").and_then(Value::as_object).into_iter().flatten();
                let parts = members.map(|(name, node)| (name.clone(), self.below(node, depth + 1)));
                Kind::Object(parts.collect())
            }
            Some(_) | None => Kind::Any,
        }
    }
}

/// Returns the single type of a schema, ignoring `null`.
fn type_of(node: &Value) -> Option<&str> {
    match node.get("type") {
        Some(Value::String(name)) => Some(name),
        Some(Value::Array(names)) => {
            let mut names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            names.next().filter(|_| names.next().is_none())
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
            node.get("properties").map(|_| "object")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_that_refers_to_itself_does_not_multiply() {
        let children: serde_json::Map<String, Value> =
            (0..10).map(|number| (format!("child{number}"), json!({ "$ref": "#/$defs/n" }))).collect();
        let root = json!({ "$defs": { "n": { "type": "object", "properties": children } } });
        let Kind::Object(parts) = Kind::of(&json!({ "$ref": "#/$defs/n" }), &root) else { panic!("an object") };
        assert!(parts.len() == 10 && parts.values().all(|part| *part == Kind::Any));
        // Each refers to the next one ten times: no reference is followed within itself.
        let defs: serde_json::Map<String, Value> = (0..9)
            .map(|level| {
                let next = json!({ "$ref": format!("#/$defs/{}", level + 1) });
                let parts: serde_json::Map<String, Value> =
                    (0..10).map(|part| (part.to_string(), next.clone())).collect();
                (level.to_string(), json!({ "properties": parts }))
            })
            .collect();
        let told = format!("{:?}", Kind::of(&json!({ "$ref": "#/$defs/0" }), &json!({ "$defs": defs })));
        assert!(told.len() < 40 * MOST_NODES, "{}", told.len());
    }

    #[test]
    fn kinds_are_read_from_schemas() {
        let root = json!({ "$defs": { "n": { "type": "number" }, "loop": { "$ref": "#/$defs/loop" } } });
        for (node, kind) in [
            (json!({ "type": ["string", "null"] }), Kind::Text),
            (json!({ "type": "string", "format": "date" }), Kind::Day),
            (json!({ "anyOf": [{ "type": "integer" }, { "type": "null" }] }), Kind::Integer),
            (json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] }), Kind::Any),
            (json!({ "$ref": "#/$defs/n" }), Kind::Number),
            (json!({ "$ref": "#/$defs/loop" }), Kind::Any),
            (json!({ "enum": ["a", null] }), Kind::Choice(vec![json!("a")])),
            (json!({ "type": "array", "items": { "type": "boolean" } }), Kind::List(Box::new(Kind::Boolean))),
            (
                json!({ "properties": { "a": { "type": "string" } } }),
                Kind::Object([("a".to_owned(), Kind::Text)].into()),
            ),
            (json!(true), Kind::Any),
        ] {
            assert_eq!(Kind::of(&node, &root), kind, "{node}");
        }
    }
}
