//! Literals that may have been meant instead of a wrong one.

use std::collections::BTreeMap;

/// Other numbers: neighbours first, then the small numbers that programs begin and end with, then what else is written nearby, each with
/// its likelihood relative to the others. `whole`: its value when it is a whole one; `nothing`: what the language writes for no value.
pub(crate) fn numbers<'t>(
    whole: Option<i64>,
    nothing: &str,
    nearby: impl Iterator<Item = &'t str>,
) -> Vec<(String, f64)> {
    let mut found = BTreeMap::new();
    let mut add = |code: String, weight: f64| {
        let known: &mut f64 = found.entry(code).or_default();
        *known = known.max(weight);
    };
    if let Some(value) = whole {
        for (near, weight) in [
            (value.checked_add(1), 3.0),
            (value.checked_sub(1), 3.0),
            (value.checked_neg(), 1.0),
            (value.checked_add(2), 0.5),
            (value.checked_sub(2), 0.25),
            (value.checked_mul(2), 0.5),
            (value.checked_mul(10), 0.5),
        ] {
            if let Some(near) = near {
                add(near.to_string(), weight);
            }
        }
        if value.unsigned_abs() >= 10 && value % 10 == 0 {
            add((value / 10).to_string(), 0.5);
        }
    }
    for (small, weight) in [("0", 2.0), ("1", 2.0), ("2", 0.7), (nothing, 0.3), ("0.5", 0.1)] {
        add(small.to_owned(), weight);
    }
    for literal in nearby {
        add(literal.to_owned(), 0.5);
    }
    found.into_iter().collect()
}

/// Other strings: what else is written nearby, none, a space, and the same in other cases and with other ends.
pub(crate) fn texts<'t>(written: &str, nearby: impl Iterator<Item = &'t str>) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = nearby.map(|code| (code.to_owned(), 1.0)).collect();
    if let Some(quote) = written.chars().last() {
        found.push((format!("{quote}{quote}"), 1.5));
        found.push((format!("{quote} {quote}"), 1.0));
        let inner = written.trim_matches(quote);
        let plain = !inner.contains('\\') && written.len() == inner.len() + 2;
        for other in [
            inner.trim().to_owned(),
            format!("{inner} "),
            format!(" {inner}"),
            inner.to_lowercase(),
            inner.to_uppercase(),
        ] {
            if plain && !other.is_empty() {
                found.push((format!("{quote}{other}{quote}"), 0.5));
            }
        }
    }
    found
}

/// A table's codes as owned text.
pub(crate) fn owned(list: &[(&str, f64)]) -> Vec<(String, f64)> {
    list.iter().map(|(code, weight)| ((*code).to_owned(), *weight)).collect()
}
