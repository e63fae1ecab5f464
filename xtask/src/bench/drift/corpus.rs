//! Cases of the corpus: one site at two points of time, with the values of its fields on both pages.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use serde::Deserialize;
use serde_json::json;

/// One site at two points of time.
#[derive(Debug, Deserialize)]
pub(in crate::bench) struct Case {
    pub(in crate::bench) id: String,
    pub(super) site: String,
    pub(super) kind: String,
    #[serde(default)]
    pub(super) broken_fields: Vec<String>,
    old: Page,
    new: Page,
    fields: BTreeMap<String, Field>,
    #[serde(skip)]
    folder: PathBuf,
    /// True if the old selectors still work on all fields.
    #[serde(skip)]
    pub(super) is_control: bool,
}

#[derive(Debug, Deserialize)]
struct Page {
    html: String,
}

/// A field, with its values and selectors on both pages.
#[derive(Debug, Deserialize)]
pub(super) struct Field {
    pub(super) old: Vec<String>,
    pub(super) new: Vec<String>,
    #[serde(default)]
    pub(super) multi: bool,
    old_attr: Option<String>,
    new_attr: Option<String>,
    old_selector: Option<String>,
    old_selector_kind: Option<String>,
    new_selector: Option<String>,
    new_selector_kind: Option<String>,
    #[serde(default)]
    pub(super) compare: Compare,
    #[serde(default)]
    drift_eval: bool,
}

/// Comparison of an extracted value with the expected one.
#[derive(Debug, Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Compare {
    #[default]
    Text,
    /// By the first number in each.
    Number,
    Minutes,
}

/// Old or new page of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bench) enum Side {
    Old,
    New,
}

impl Field {
    /// The selector on a page, as recipes write it.
    pub(super) fn selector(&self, side: Side) -> Option<String> {
        let (selector, kind) = match side {
            Side::Old => (&self.old_selector, &self.old_selector_kind),
            Side::New => (&self.new_selector, &self.new_selector_kind),
        };
        let is_xpath = kind.as_deref() == Some("xpath");
        selector.as_ref().map(|selector| if is_xpath { format!("xpath:{selector}") } else { selector.clone() })
    }

    /// The attribute that holds the value on a page; none when it is the text.
    pub(super) fn attribute(&self, side: Side) -> Option<&str> {
        let attribute = match side {
            Side::Old => &self.old_attr,
            Side::New => &self.new_attr,
        };
        attribute.as_deref().filter(|name| *name != "text")
    }

    /// The right values on a page.
    pub(super) fn truth(&self, side: Side) -> &[String] {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }
}

impl Case {
    /// The fields that count, by name.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, &Field)> {
        let counts = |field: &Field| field.drift_eval && field.old_selector.is_some();
        self.fields.iter().filter(move |(_, field)| counts(field)).map(|(name, field)| (name.as_str(), field))
    }

    pub(super) fn is_broken(&self, name: &str) -> bool {
        !self.is_control && self.broken_fields.iter().any(|broken| broken == name)
    }

    pub(super) fn page(&self, side: Side) -> anyhow::Result<Document> {
        Ok(Document::parse_bytes(&self.bytes(side)?))
    }

    /// A page as it was sent.
    pub(in crate::bench) fn bytes(&self, side: Side) -> anyhow::Result<Vec<u8>> {
        let page = match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        };
        read(&self.folder.join(&page.html))
    }

    /// The recipe that worked on a page, and the names of the fields that have no selector we understand.
    pub(in crate::bench) fn recipe(&self, side: Side) -> anyhow::Result<(Recipe, Vec<String>)> {
        let mut fields = serde_json::Map::new();
        let mut left_out = Vec::new();
        for (name, field) in self.fields() {
            let Some(selector) = field.selector(side) else { continue };
            if autoheal_page::Selector::parse(&selector).is_err() {
                left_out.push(name.to_owned());
                continue;
            }
            let take = field.attribute(side).map_or_else(|| "text".to_owned(), |name| format!("attr:{name}"));
            let value = json!({"select": selector, "take": take, "many": field.multi, "example": field.truth(side)});
            fields.insert(name.to_owned(), value);
        }
        let recipe = json!({"version": 1, "fields": fields}).to_string();
        Ok((Recipe::from_json(&recipe, &self.id)?, left_out))
    }

    /// Returns the part, out of `count`, that the site belongs to: the same for all its cases.
    pub(super) fn fold(&self, count: u64) -> u64 {
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in self.site.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        (hash >> 20) % count
    }
}

/// Reads a file, unpacked if its name says that it is packed.
fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    if path.extension().is_none_or(|extension| extension != "gz") {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes.as_slice())
        .read_to_end(&mut unpacked)
        .with_context(|| format!("{} is damaged", path.display()))?;
    Ok(unpacked)
}

/// All cases below a folder with `drift/` and `control/` in it.
pub(in crate::bench) fn load(folder: &Path) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (set, is_control) in [("drift", false), ("control", true)] {
        let folder = folder.join(set);
        let entries = fs::read_dir(&folder).with_context(|| {
            format!("{} is missing: give the folder that holds `drift` and `control`", folder.display())
        })?;
        for entry in entries {
            let folder = entry?.path();
            let file = folder.join("case.json");
            let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let case: Case = serde_json::from_str(&text).with_context(|| format!("in {}", file.display()))?;
            cases.push(Case { folder, is_control, ..case });
        }
    }
    cases.sort_by(|left, right| left.id.cmp(&right.id));
    anyhow::ensure!(!cases.is_empty(), "no cases in {}", folder.display());
    Ok(cases)
}
