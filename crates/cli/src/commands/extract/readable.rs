//! An item for people: a line for each field, with where it comes from.

use autoheal_extract::{Grounding, OwnItem, Provenance, ScrapedItem};
use serde_json::Value;

/// Maximum number of characters displayed of a value.
const SHOWN: usize = 300;

/// The item as lines: field, value, where it comes from.
pub(super) fn item(item: &ScrapedItem) -> String {
    let fields = serde_json::to_value(item).unwrap_or_default();
    let known = item.provenance.iter().filter_map(|(field, provenance)| {
        let name = serde_json::to_value(field).ok()?;
        let name = name.as_str().filter(|name| *name != "page_type")?.to_owned();
        Some((fields.get(&name)?.clone(), name, *provenance))
    });
    let lines: String = known.map(|(value, name, provenance)| line(&name, &value, provenance)).collect();
    format!("page: {}\n{lines}{}", item.page_type.name(), screenshot(item.screenshot_path.as_deref()))
}

/// Formats data in the user's own schema as lines.
pub(super) fn own(own: &OwnItem) -> String {
    let known = own.provenance.iter().filter_map(|(name, provenance)| Some((name, own.item.get(name)?, *provenance)));
    let lines: String = known.map(|(name, value, provenance)| line(name, value, provenance)).collect();
    format!("{lines}{}", screenshot(own.screenshot_path.as_deref()))
}

fn screenshot(path: Option<&str>) -> String {
    path.map(|path| format!("screenshot: {path}\n")).unwrap_or_default()
}

fn line(name: &str, value: &Value, provenance: Provenance) -> String {
    let grounding = match provenance.grounding {
        Some(Grounding::NotFound) => ", not on the page",
        Some(Grounding::OwnWords) => ", in its own words",
        Some(Grounding::Found | Grounding::Judgement) | None => "",
    };
    let origin = format!("{} {:.2}{grounding}", provenance.source.name(), provenance.confidence);
    match value {
        Value::Array(all) => {
            let items: Vec<String> = all.iter().map(short).collect();
            format!("{name} ({origin}):\n  - {}\n", items.join("\n  - "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            format!("{name} ({origin}): {}\n", short(value))
        }
    }
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
