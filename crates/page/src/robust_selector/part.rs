//! Parts by which a node can be selected, and how likely they are to change.

use std::fmt;

use super::volatile::{is_layout, is_volatile};
use crate::document::{Document, NodeId};

/// Simple selector: one condition on one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part<'a> {
    Id(&'a str),
    Attribute(&'a str, &'a str),
    Class(&'a str),
    Tag(&'a str),
}

/// The longest value of an attribute that a selector repeats, in bytes.
const LONGEST_VALUE: usize = 60;

/// Tags that say what they hold.
const TELLING_TAGS: &[&str] = &[
    "h1",
    "h2",
    "h3",
    "h4",
    "time",
    "main",
    "article",
    "address",
    "figcaption",
    "blockquote",
    "nav",
    "header",
    "footer",
    "aside",
    "dl",
    "dt",
    "dd",
    "table",
    "thead",
    "tbody",
    "th",
    "title",
    "data",
    "cite",
    "summary",
    "details",
    "figure",
    "video",
    "audio",
    "ol",
];

/// Attributes that are neither in the tables below nor begin with `data-` or `aria-` say nothing stable.
const TELLING_ATTRIBUTES: &[(&str, u32)] = &[
    ("itemprop", 10),
    ("itemtype", 14),
    ("property", 10),
    ("name", 16),
    ("rel", 16),
    ("role", 20),
    ("for", 24),
    ("type", 30),
    ("itemscope", 30),
    ("scope", 30),
];

/// Attributes for tests and measurements, which teams keep through redesigns.
const TEST_ATTRIBUTES: &[&str] = &[
    "data-testid",
    "data-test",
    "data-test-id",
    "data-qa",
    "data-cy",
    "data-hook",
    "data-component",
    "data-role",
    "data-field",
];

impl Part<'_> {
    /// Returns the likelihood of a change as an additive cost: 10 for names made to be found, 90 for
    /// generated names.
    pub(super) fn cost(&self) -> u32 {
        match self {
            Self::Id(id) if is_layout(id) => 30,
            Self::Id(_) => 10,
            Self::Attribute(name, _) if TEST_ATTRIBUTES.contains(name) => 8,
            Self::Attribute(name, _) => {
                TELLING_ATTRIBUTES.iter().find(|(known, _)| known == name).map_or(26, |(_, cost)| *cost)
            }
            Self::Class(class) if is_volatile(class) => 90,
            Self::Class(class) if is_layout(class) => 45,
            Self::Class(_) => 20,
            Self::Tag(tag) if TELLING_TAGS.contains(tag) => 22,
            Self::Tag(_) => 40,
        }
    }
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "#{}", Identifier(id)),
            Self::Attribute(name, "") => write!(f, "[{}]", Identifier(name)),
            Self::Attribute(name, value) => {
                write!(f, "[{}=\"{}\"]", Identifier(name), value.replace('\\', "\\\\").replace('"', "\\\""))
            }
            Self::Class(class) => write!(f, ".{}", Identifier(class)),
            Self::Tag(tag) => Identifier(tag).fmt(f),
        }
    }
}

/// A name as CSS writes it (CSSOM, "serialize an identifier").
struct Identifier<'a>(&'a str);

impl fmt::Display for Identifier<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, character) in self.0.chars().enumerate() {
            let is_leading_digit = character.is_ascii_digit() && (index == 0 || index == 1 && self.0.starts_with('-'));
            if is_leading_digit || character.is_control() {
                write!(f, "\\{:x} ", u32::from(character))?;
            } else if character.is_ascii_alphanumeric()
                || character == '_'
                || (character == '-' && self.0 != "-")
                || !character.is_ascii()
            {
                write!(f, "{character}")?;
            } else {
                write!(f, "\\{character}")?;
            }
        }
        Ok(())
    }
}

/// Everything that a node can be selected by. The root and the body are everywhere and say nothing.
pub(super) fn parts_of(page: &Document, node: NodeId) -> Vec<Part<'_>> {
    let tag = page.tag(node);
    let mut parts = Vec::new();
    if matches!(tag, "html" | "body" | "head") {
        return parts;
    }
    if is_name(tag) {
        parts.push(Part::Tag(tag));
    }
    for (name, value) in page.attributes(node) {
        match name {
            "id" if is_name(value) && !is_volatile(value) => parts.push(Part::Id(value)),
            "class" => parts.extend(value.split_ascii_whitespace().filter(|class| is_name(class)).map(Part::Class)),
            _ if is_telling(name) && is_value(value) => parts.push(Part::Attribute(name, value)),
            _ => {}
        }
    }
    parts.sort_unstable();
    parts.dedup();
    parts
}

fn is_telling(name: &str) -> bool {
    TELLING_ATTRIBUTES.iter().any(|(known, _)| *known == name)
        || (name.starts_with("data-") || name == "aria-label") && !is_volatile(name)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST_VALUE
        && !name.contains(|character: char| character.is_control() || character.is_whitespace())
}

fn is_value(value: &str) -> bool {
    value.len() <= LONGEST_VALUE
        && !value.contains(char::is_control)
        && !value.split(['-', '_', ' ', '/', '.', ':']).any(|word| word.bytes().filter(u8::is_ascii_digit).count() >= 3)
        && !value.contains(['{', '[', '?', '='])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_names_cost_least() {
        let page = Document::parse(
            "<h1 id=headline class='title css-1x2y3z mt-4' itemprop=name data-testid=title data-id=918273 style=x>a</h1>",
        );
        let heading = page.nodes().find(|node| page.tag(*node) == "h1").unwrap();
        let mut parts = parts_of(&page, heading);
        parts.sort_by_key(Part::cost);
        let texts: Vec<String> = parts.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            ["[data-testid=\"title\"]", "#headline", "[itemprop=\"name\"]", ".title", "h1", ".mt-4", ".css-1x2y3z"]
        );
    }

    #[test]
    fn names_are_escaped() {
        assert_eq!(Part::Class("md:w-1/2").to_string(), ".md\\:w-1\\/2");
        assert_eq!(Part::Id("2col").to_string(), "#\\32 col");
        assert_eq!(Part::Class("größe").to_string(), ".größe");
        assert_eq!(Part::Attribute("data-x", "a\"b\\c").to_string(), "[data-x=\"a\\\"b\\\\c\"]");
    }
}
