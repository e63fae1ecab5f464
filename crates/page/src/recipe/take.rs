//! Part of a node or page to extract: `text`, `own_text`, `html`, `attr:NAME` of a node; `jsonld:PATH`,
//! `microdata:PATH`, `rdfa:PATH`, `meta:NAME` of the page.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest name of an attribute or path, in bytes.
const LONGEST: usize = 512;

/// Part of a node or of structured data to extract, in the canonical spelling of recipes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Take {
    /// Of the selected node.
    Node(NodeTake),
    /// Of the page's structured data.
    Structured(StructuredPath),
}

/// Part of a node to extract.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum NodeTake {
    /// The text that a reader sees in it.
    #[default]
    Text,
    /// The text directly in it, without that of the elements below.
    OwnText,
    /// The node as HTML.
    Html,
    /// An attribute by its name in lower case.
    Attribute(String),
}

/// A place in the page's structured data.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StructuredPath {
    /// The kind of structured data.
    pub vocabulary: Vocabulary,
    /// The path in it, such as `Recipe.author.name`, or the name of a `meta` element, such as `og:title`.
    pub path: String,
}

/// A way of writing structured data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vocabulary {
    /// JSON in `script` elements.
    JsonLd,
    /// Attributes `itemscope`, `itemtype`, `itemprop`.
    Microdata,
    /// Attributes `typeof`, `property`.
    Rdfa,
    /// `meta` elements: `name`, `property` (OpenGraph), `http-equiv`.
    Meta,
}

impl Vocabulary {
    /// The prefix in recipes, without the colon.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::JsonLd => "jsonld",
            Self::Microdata => "microdata",
            Self::Rdfa => "rdfa",
            Self::Meta => "meta",
        }
    }
}

/// Error for a text that is not a valid `take`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{written:?} cannot be taken: write `text`, `own_text`, `html`, `attr:NAME`, `jsonld:PATH`, `microdata:PATH`, `rdfa:PATH` or `meta:NAME`"
)]
pub struct InvalidTake {
    written: String,
}

impl FromStr for Take {
    type Err = InvalidTake;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidTake { written: crate::value::quote(written) };
        let structured = |vocabulary, path: &str| {
            let is_path =
                !path.is_empty() && path.len() <= LONGEST && !path.contains(char::is_control) && path.trim() == path;
            is_path.then(|| Self::Structured(StructuredPath { vocabulary, path: path.to_owned() })).ok_or_else(invalid)
        };
        match written.split_once(':') {
            None => match written {
                "text" => Ok(Self::Node(NodeTake::Text)),
                "own_text" => Ok(Self::Node(NodeTake::OwnText)),
                "html" => Ok(Self::Node(NodeTake::Html)),
                _ => Err(invalid()),
            },
            Some(("attr", name)) => {
                let is_name = !name.is_empty()
                    && name.len() <= LONGEST
                    && !name.contains(|c: char| c.is_whitespace() || c.is_control() || "\"'<>/=".contains(c));
                is_name.then(|| Self::Node(NodeTake::Attribute(name.to_ascii_lowercase()))).ok_or_else(invalid)
            }
            Some(("jsonld", path)) => structured(Vocabulary::JsonLd, path),
            Some(("microdata", path)) => structured(Vocabulary::Microdata, path),
            Some(("rdfa", path)) => structured(Vocabulary::Rdfa, path),
            Some(("meta", name)) => structured(Vocabulary::Meta, name),
            Some(_) => Err(invalid()),
        }
    }
}

impl fmt::Display for NodeTake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::OwnText => f.write_str("own_text"),
            Self::Html => f.write_str("html"),
            Self::Attribute(name) => write!(f, "attr:{name}"),
        }
    }
}

impl fmt::Display for StructuredPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.vocabulary.prefix(), self.path)
    }
}

impl fmt::Display for Take {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(take) => take.fmt(f),
            Self::Structured(path) => path.fmt(f),
        }
    }
}

impl TryFrom<String> for Take {
    type Error = InvalidTake;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        written.parse()
    }
}

impl From<Take> for String {
    fn from(take: Take) -> Self {
        take.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_written_alike() {
        for written in [
            "text",
            "own_text",
            "html",
            "attr:data-price",
            "jsonld:Recipe.author.name",
            "microdata:offers.price",
            "rdfa:Product.name",
            "meta:og:title",
        ] {
            assert_eq!(written.parse::<Take>().unwrap().to_string(), written);
        }
        for written in ["", "TEXT", "attr:", "attr:a b", "attr", "jsonld:", "json:x", "meta: x"] {
            assert!(written.parse::<Take>().is_err(), "{written}");
        }
    }
}
