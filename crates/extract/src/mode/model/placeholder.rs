//! Placeholders for missing values, as pages and models write them.

use serde_json::Value;

/// Placeholders in lower case, without surrounding punctuation.
const PLACEHOLDERS: [&str; 36] = [
    "n/a",
    "n.a",
    "na",
    "n/d",
    "none",
    "null",
    "nil",
    "undefined",
    "unknown",
    "unspecified",
    "unavailable",
    "tbd",
    "tba",
    "not available",
    "not specified",
    "not provided",
    "not mentioned",
    "not found",
    "not applicable",
    "not given",
    "not stated",
    "not listed",
    "not disclosed",
    "not known",
    "no information",
    "no information available",
    "no data",
    "not on page",
    "not on the page",
    "not in the page",
    "missing",
    "empty",
    "keine angabe",
    "k.a",
    "non disponible",
    "no disponible",
];

/// Returns whether a text is a placeholder for a missing value.
pub(super) fn is_placeholder(text: &str) -> bool {
    let bare = text.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase();
    let says_nothing = |character: char| character.is_whitespace() || "-–—−?.…_*/".contains(character);
    (!text.trim().is_empty() && text.chars().all(says_nothing)) || PLACEHOLDERS.contains(&bare.as_str())
}

/// A value without its placeholders.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// Value with content.
    Value(Value),
    /// Placeholder: the model states that the page does not have the value.
    Unavailable,
    /// Null, or an empty value.
    Empty,
}

/// The value without its placeholders, at any depth.
pub(super) fn said(value: Value) -> Said {
    match value {
        Value::Null => Said::Empty,
        Value::String(text) if text.trim().is_empty() => Said::Empty,
        Value::String(text) if is_placeholder(&text) => Said::Unavailable,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Said::Value(value),
        Value::Array(items) => {
            let parts = items.into_iter().map(said).map(|part| (String::new(), part));
            together(parts, |kept| Value::Array(kept.into_iter().map(|(_, value)| value).collect()))
        }
        Value::Object(members) => {
            let parts = members.into_iter().map(|(name, value)| (name, said(value)));
            together(parts, |kept| Value::Object(kept.into_iter().collect()))
        }
    }
}

/// Combines the parts of a value: the whole says something if at least one part does.
fn together(parts: impl Iterator<Item = (String, Said)>, join: fn(Vec<(String, Value)>) -> Value) -> Said {
    let (mut kept, mut is_unavailable) = (Vec::new(), false);
    for (name, part) in parts {
        match part {
            Said::Value(value) => kept.push((name, value)),
            Said::Unavailable => is_unavailable = true,
            Said::Empty => {}
        }
    }
    match (kept.is_empty(), is_unavailable) {
        (false, _) => Said::Value(join(kept)),
        (true, true) => Said::Unavailable,
        (true, false) => Said::Empty,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn placeholders_are_known_however_they_are_written() {
        for text in
            ["N/A", "Not specified", "not specified.", "unknown", "-", "—", "(n/a)", "???", "None", "Not Available"]
        {
            assert!(is_placeholder(text), "{text}");
        }
        for text in ["", "€", "Unknown Pleasures", "No. 5", "0", "Nada Surf", "NA-12", "None of them"] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn what_says_nothing_is_taken_out_at_any_depth() {
        assert_eq!(said(json!("N/A")), Said::Unavailable);
        assert_eq!(said(json!([])), Said::Empty);
        assert_eq!(said(json!({ "amount": "n/a", "currency": null })), Said::Unavailable);
        assert_eq!(
            said(json!({ "a": ["x", "-", ""], "b": { "c": null }, "d": 0 })),
            Said::Value(json!({ "a": ["x"], "d": 0 }))
        );
    }
}
