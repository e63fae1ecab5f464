//! Names by which test frameworks and assertions are known.

/// Prefixes of the names of functions that assert.
const ASSERTIONS: [&str; 3] = ["assert", "expect", "should"];

/// Returns whether a module or package of that name is one of `packages`, or inside of one.
pub(crate) fn is_of(name: &str, packages: &[&str]) -> bool {
    packages.iter().any(|package| {
        name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', '-']))
    })
}

/// Returns whether a function of that name asserts.
pub(crate) fn is_assertion(name: &str) -> bool {
    let rest = ASSERTIONS.iter().find_map(|begin| name.strip_prefix(begin));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_') || rest.starts_with(char::is_uppercase))
}
