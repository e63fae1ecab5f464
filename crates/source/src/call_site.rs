//! Places of a program that read the fields of a source, for sources that a program of the user's feeds.

use autoheal_page::recipe::FieldName;
use serde::{Deserialize, Serialize};

/// A place of a program that reads a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallSite {
    /// Field that is read there.
    pub field: FieldName,
    /// File of the program.
    pub file: String,
    /// Line of the file, from 1, when it was last seen.
    pub line: u32,
    /// Function, with the classes and functions around it: `Books.parse`.
    pub function: String,
    /// The selector as the program writes it.
    pub selector: String,
    /// Language of the selector.
    pub language: SelectorLanguage,
    /// The list whose items the field is read from, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<FieldName>,
}

/// Language of a selector in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelectorLanguage {
    /// CSS, with the pseudo-elements `::text` and `::attr(name)` of the Python library parsel.
    Css,
    /// XPath 1.0.
    XPath,
}
