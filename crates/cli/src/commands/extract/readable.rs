//! An item for people: a line for each field, with where it comes from.

use std::fmt::Write as _;

use autoheal_extract::ScrapedItem;
use serde_json::Value;

/// So many characters of a value are shown.
const SHOWN: usize = 300;

/// The item as lines: field, value, source and confidence.
pub(super) fn text(item: &ScrapedItem) -> String {
    let mut text = format!("page: {}\n", item.page_type.name());
    let fields = serde_json::to_value(item).unwrap_or_default();
    for (field, provenance) in &item.provenance {
        let name = serde_json::to_value(field).unwrap_or_default();
        let name = name.as_str().unwrap_or_default();
        let Some(value) = fields.get(name).filter(|_| name != "page_type") else { continue };
        let origin = format!("{} {:.2}", provenance.source.name(), provenance.confidence);
        // Writing to a text cannot fail.
        let _ = match value {
            Value::Array(all) => {
                let lines: Vec<String> = all.iter().map(short).collect();
                writeln!(text, "{name} ({origin}):\n  - {}", lines.join("\n  - "))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                writeln!(text, "{name} ({origin}): {}", short(value))
            }
        };
    }
    text
}

/// A value in one line, its end left out where it is long.
fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    };
    if text.chars().count() <= SHOWN {
        return text;
    }
    text.chars().take(SHOWN).chain(std::iter::once('…')).collect()
}
