//! One stated thing and its properties.

use std::sync::LazyLock;

use autoheal_page::structured::plain_text;
use regex::Regex;
use serde_json::Value;

use super::Stated;
use crate::item::Source;
use crate::mode::rule_based::found::Found;

/// Maximum number of steps in a path from one thing to another.
const LONGEST_WAY: usize = 6;

/// Maximum number of values of one thing.
const MOST_VALUES: usize = 1000;

/// Members of parts, such as of an author, that say nothing about the thing itself.
const FURNITURE: [&str; 14] = [
    "caption",
    "description",
    "email",
    "height",
    "image",
    "inlanguage",
    "jobtitle",
    "logo",
    "position",
    "sameas",
    "telephone",
    "thumbnailurl",
    "video",
    "width",
];

/// An object with a type, and the page's other objects that it may refer to.
#[derive(Clone, Copy)]
pub(in crate::mode::rule_based) struct Thing<'a> {
    stated: &'a Stated,
    /// Format in which the thing is written.
    pub(in crate::mode::rule_based) source: Source,
    value: &'a Value,
}

impl<'a> Thing<'a> {
    pub(super) const fn new(stated: &'a Stated, source: Source, value: &'a Value) -> Self {
        Self { stated, source, value }
    }

    /// Its types without their vocabulary, in lower case.
    pub(in crate::mode::rule_based) fn kinds(&self) -> Vec<String> {
        kinds_of(self.value)
    }

    /// Returns whether both are the same statement.
    pub(in crate::mode::rule_based) fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self.value, other.value)
    }

    /// Every value that it states with the path to it, in its order, references followed; parts that describe no content are left
    /// out.
    pub(in crate::mode::rule_based) fn statements(&self) -> Vec<(String, String)> {
        let mut told = Vec::new();
        self.state(self.value, "", 0, &mut told);
        told
    }

    fn state(&self, value: &'a Value, path: &str, depth: usize, told: &mut Vec<(String, String)>) {
        if depth > LONGEST_WAY || told.len() >= MOST_VALUES {
            return;
        }
        for value in self.each(value) {
            let Value::Object(members) = value else {
                told.extend(text_of(value).map(|text| (path.to_owned(), text)));
                continue;
            };
            for (name, member) in members {
                let is_furniture = || FURNITURE.contains(&name.to_ascii_lowercase().as_str());
                // A step's name repeats its text.
                let is_named_text = name == "name" && members.contains_key("text");
                let is_part = depth == 0 || !is_named_text && !is_furniture() && (name != "url" || path == "image");
                if is_part && (!name.starts_with('@') || name == "@value") {
                    let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    self.state(member, &below, depth + 1, told);
                }
            }
        }
    }

    /// The values below the first of these paths that has any: names joined by dots, each through lists and references.
    pub(in crate::mode::rule_based) fn values(&self, paths: &[&str]) -> Vec<&'a Value> {
        paths
            .iter()
            .map(|path| {
                path.split('.').take(LONGEST_WAY).fold(vec![self.value], |values, name| {
                    values
                        .into_iter()
                        .filter_map(|value| member(value, name))
                        .flat_map(|value| self.each(value))
                        .collect()
                })
            })
            .find(|values| !values.is_empty())
            .unwrap_or_default()
    }

    /// The things below the first of these paths that has any.
    pub(in crate::mode::rule_based) fn below(&self, paths: &[&str]) -> Vec<Self> {
        let values = self.values(paths).into_iter().filter(|value| value.is_object());
        values.map(|value| Self { value, ..*self }).collect()
    }

    /// The text of the first value below one of these paths that is a text or a number; of an object its name.
    pub(in crate::mode::rule_based) fn text(&self, paths: &[&str]) -> Option<Found<String>> {
        paths
            .iter()
            .find_map(|path| self.texts(&[path]).into_iter().next())
            .map(|text| Found::stated(text, self.source))
    }

    /// The texts of all values below the first of these paths that has any.
    pub(in crate::mode::rule_based) fn texts(&self, paths: &[&str]) -> Vec<String> {
        self.values(paths).into_iter().filter_map(text_of).collect()
    }

    /// A list's values without lists in it, references followed.
    fn each(&self, value: &'a Value) -> Vec<&'a Value> {
        match value {
            Value::Array(all) => all.iter().flat_map(|one| self.each(one)).collect(),
            Value::Object(members) => {
                let id = members.get("@id").and_then(Value::as_str).filter(|_| members.len() <= 2);
                vec![id.and_then(|id| self.stated.named(id)).unwrap_or(value)]
            }
            Value::Null => Vec::new(),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![value],
        }
    }
}

/// A member by its name; pages write `Name` as well.
fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let members = value.as_object()?;
    members.get(name).or_else(|| members.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value))
}

/// The types of an object without their vocabulary, in lower case.
pub(in crate::mode::rule_based) fn kinds_of(value: &Value) -> Vec<String> {
    let short = |kind: &str| kind.trim().rsplit(['/', '#', ':']).next().unwrap_or_default().to_ascii_lowercase();
    match value.get("@type") {
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(short).collect(),
        Some(Value::String(one)) => vec![short(one)],
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
    }
}

/// Returns the text of a value, or the name of an object; `None` for placeholders and values without text.
pub(in crate::mode::rule_based) fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => unescaped(text),
        Value::Number(number) => number.to_string(),
        Value::Object(_) => text_of(member(value, "name").or_else(|| member(value, "@value"))?)?,
        Value::Array(all) => all.iter().find_map(text_of)?,
        Value::Null | Value::Bool(_) => return None,
    };
    is_said(&text).then_some(text)
}

/// A text without markup; once more where it was escaped twice.
pub(in crate::mode::rule_based) fn unescaped(text: &str) -> String {
    let once = plain_text(text);
    if once.contains('&') && once.contains(';') { plain_text(&once) } else { once }
}

/// Returns whether a text says anything. It does not if it is `null`, `undefined` or an unfilled template, as
/// publishing systems write them.
pub(in crate::mode::rule_based) fn is_said(text: &str) -> bool {
    static NOTHING: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^(null|undefined|none|n/?a|nan|-+|\[object object\]|not specified|false)?$|\$\{|\{\{|\{%").ok()
    });
    !NOTHING.as_ref().is_some_and(|nothing| nothing.is_match(text.trim()))
}
