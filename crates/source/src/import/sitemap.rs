//! A sitemap of webscraper.io as it is written.

use serde::Deserialize;
use serde_json::Value;

/// Name of the page itself.
pub(super) const ROOT: &str = "_root";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    #[serde(rename = "_id")]
    pub(super) id: Option<String>,
    #[serde(default, alias = "startUrls")]
    pub(super) start_url: Addresses,
    pub(super) selectors: Vec<Entry>,
}

#[derive(Deserialize, Default)]
#[serde(untagged)]
pub(super) enum Addresses {
    One(String),
    Several(Vec<String>),
    #[default]
    None,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) parent_selectors: Vec<String>,
    #[serde(default)]
    pub(super) selector: String,
    #[serde(default)]
    pub(super) multiple: bool,
    #[serde(default)]
    pub(super) regex: Option<String>,
    #[serde(default)]
    pub(super) extract_attribute: Option<String>,
    #[serde(default)]
    pub(super) delay: Value,
    #[serde(default)]
    pub(super) pagination_type: Option<String>,
    #[serde(default)]
    pub(super) columns: Vec<Column>,
    #[serde(default)]
    pub(super) table_data_row_selector: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Column {
    #[serde(default)]
    pub(super) header: String,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) extract: bool,
}

/// Purpose of a selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An element with others in it; what else would have to be done to see it.
    Element(Option<&'static str>),
    Text,
    Html,
    Attribute,
    Image,
    Link,
    Group,
    Table,
    Pagination,
    /// Not possible in a recipe, with the reason.
    Unknown(&'static str),
}

impl Entry {
    pub(super) fn kind(&self) -> Option<Kind> {
        let kind = match self.kind.as_str() {
            "SelectorElement" => Kind::Element(None),
            "SelectorElementClick" => Kind::Element(Some("clicking")),
            "SelectorElementScroll" => Kind::Element(Some("scrolling")),
            "SelectorText" => Kind::Text,
            "SelectorHTML" => Kind::Html,
            "SelectorElementAttribute" => Kind::Attribute,
            "SelectorImage" => Kind::Image,
            "SelectorLink" | "SelectorElementLink" => Kind::Link,
            "SelectorGroup" => Kind::Group,
            "SelectorTable" => Kind::Table,
            "SelectorPagination" => Kind::Pagination,
            "SelectorPopupLink" => Kind::Unknown("a window that opens is another page, and a separate source"),
            "SelectorSitemapXmlLink" => Kind::Unknown("the pages of a site's sitemap are separate sources"),
            "SelectorInputValue" => Kind::Unknown("nothing is typed into a page"),
            _ => return None,
        };
        Some(kind)
    }

    pub(super) fn is_below(&self, id: &str) -> bool {
        self.parent_selectors.iter().any(|parent| parent == id) || (id == ROOT && self.parent_selectors.is_empty())
    }
}
