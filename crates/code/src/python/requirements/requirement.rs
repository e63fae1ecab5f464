//! One requirement as PEP 508 writes it.

use crate::python::distributions::{canonical, distribution_of};

/// Returns whether a requirement is one of the distribution.
pub(super) fn is_of(requirement: &str, distribution: &str) -> bool {
    canonical(distribution_of(requirement)) == canonical(distribution)
}

/// Returns the text that adds a specifier to a requirement, and its position there; `None`: the requirement names one version, or a place.
pub(super) fn bounded(requirement: &str, specifier: &str) -> Option<(usize, String)> {
    let end = requirement.find(';').unwrap_or(requirement.len());
    let versions = requirement[..end].trim_end();
    if versions.contains("==") || versions.contains(['@', '/']) || versions.contains(" --") {
        return None;
    }
    let (versions, is_open) = match versions.strip_suffix(')') {
        Some(inner) => (inner.trim_end(), inner.trim_end().ends_with('(')),
        None => (versions, !versions.contains(['<', '>', '=', '~', '!'])),
    };
    let has_comma = versions.ends_with(',');
    Some((versions.len(), if is_open || has_comma { specifier.to_owned() } else { format!(",{specifier}") }))
}

/// Returns whether a text is nothing but a requirement by name: no option, path or address.
pub(super) fn is_requirement(text: &str) -> bool {
    let name = distribution_of(text);
    let rest = text.trim_start()[name.len()..].trim_start();
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && (rest.is_empty() || rest.starts_with(['[', '(', '<', '>', '=', '~', '!', ';', '@']))
}
