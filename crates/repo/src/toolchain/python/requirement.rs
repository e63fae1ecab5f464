//! Requirements as PEP 508 writes them.

use std::sync::LazyLock;

use regex::Regex;

/// A name, extras, versions and a marker, as PEP 508 writes them: no option, no path and no URL, which could name any host. The
/// marker and the versions are left to pip.
static REQUIREMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let name = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?";
    let version = r"(?:===?|~=|!=|<=?|>=?)\s*[A-Za-z0-9.*+!_-]+";
    Regex::new(&format!(
        r"^{name}\s*(?:\[\s*{name}(?:\s*,\s*{name})*\s*\])?\s*(?:\(?\s*{version}(?:\s*,\s*{version})*\s*,?\s*\)?)?\s*(?:;.*)?$"
    ))
    .ok()
});

/// Returns whether pip would parse `text` as a requirement, and not as an option, a file or a URL.
pub(super) fn is_requirement(text: &str) -> bool {
    REQUIREMENT.as_ref().is_some_and(|pattern| pattern.is_match(text.trim()))
}
