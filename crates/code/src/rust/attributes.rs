//! Attributes that make an item a test, or part of the tests.

use ra_ap_syntax::ast::{AstNode as _, HasAttrs};

/// Last words of the paths of attributes that declare a test or a benchmark: `#[test]`, `#[tokio::test]`, `#[rstest]`.
const DECLARE: [&str; 8] = ["test", "bench", "rstest", "test_case", "case", "quickcheck", "proptest", "fixture"];

/// Macros whose calls hold tests.
const MACROS: [&str; 3] = ["proptest", "quickcheck", "test_suite"];

/// Returns whether an item is a test, or is there for tests only.
pub(super) fn is_of_tests(item: &impl HasAttrs) -> bool {
    item.attrs().any(|attribute| is_of_test(&attribute.syntax().text().to_string()))
}

/// Returns whether a macro of that name holds tests.
pub(super) fn is_macro_of_tests(name: &str) -> bool {
    MACROS.contains(&name)
}

/// Returns whether a text is an attribute of a test: `#[test]`, `#[cfg(test)]`.
pub(super) fn is_of_test(attribute: &str) -> bool {
    let plain: String = attribute.chars().filter(|character| !character.is_whitespace()).collect();
    let inner = plain.trim_start_matches(['#', '!']).trim_start_matches('[').trim_end_matches(']');
    let path = inner.split(['(', '=']).next().unwrap_or_default();
    let arguments = inner.get(path.len()..).unwrap_or_default();
    match path.rsplit("::").next().unwrap_or_default() {
        // `all(test, feature = "x")`; `not(test)` is the program.
        "cfg" => {
            let mut words = arguments.split(['(', ')', ',']);
            words.any(|word| word == "test") && !arguments.contains("not(test)")
        }
        name => DECLARE.contains(&name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_attributes() {
        for attribute in [
            "#[test]",
            "#[tokio::test(flavor = \"x\")]",
            "#[cfg(test)]",
            "#[cfg(all(test, unix))]",
            "#[rstest]",
            "#![cfg(test)]",
        ] {
            assert!(is_of_test(attribute), "{attribute}");
        }
        for attribute in
            ["#[cfg(not(test))]", "#[cfg(unix)]", "#[derive(Debug)]", "#[cfg(feature = \"test\")]", "#[inline]"]
        {
            assert!(!is_of_test(attribute), "{attribute}");
        }
    }
}
