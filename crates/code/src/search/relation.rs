//! Whether the order of two statements matters, as far as their words tell: what has no word in common may be put in either order, and
//! trying both is trying one thing twice.

use std::collections::BTreeSet;

/// Words that name nothing, in any of the languages.
const KEYWORDS: [&str; 30] = [
    "False",
    "None",
    "True",
    "and",
    "await",
    "const",
    "delete",
    "elif",
    "else",
    "false",
    "for",
    "from",
    "if",
    "in",
    "instanceof",
    "is",
    "let",
    "new",
    "not",
    "null",
    "of",
    "or",
    "raise",
    "return",
    "throw",
    "true",
    "typeof",
    "undefined",
    "var",
    "while",
];

/// What the method at hand belongs to.
const OWNERS: [&str; 2] = ["this", "self"];

/// Whether the two name something in common; a function that both merely call is nothing in common, the object at hand only when one
/// calls a method of it.
pub(crate) fn are_related(left: &str, right: &str) -> bool {
    let (left, right) = (Names::of(left), Names::of(right));
    let asks_owner = (left.calls_owner && right.has_owner) || (right.calls_owner && left.has_owner);
    asks_owner || left.words.intersection(&right.words).next().is_some()
}

#[derive(Default)]
struct Names<'t> {
    words: BTreeSet<&'t str>,
    has_owner: bool,
    calls_owner: bool,
}

impl<'t> Names<'t> {
    fn of(code: &'t str) -> Self {
        let mut found = Self::default();
        let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '#');
        let mut rest = code;
        let mut before = "";
        while let Some(start) = rest.find(is_word) {
            let tail = rest.get(start..).unwrap_or_default();
            let length = tail.find(|character| !is_word(character)).unwrap_or(tail.len());
            let (word, next) = tail.split_at(length);
            let is_called = next.starts_with('(');
            if OWNERS.contains(&word) {
                found.has_owner = true;
            } else if is_called && OWNERS.contains(&before) {
                found.calls_owner = true;
            } else if !is_called && !KEYWORDS.contains(&word) && !word.starts_with(|first: char| first.is_ascii_digit())
            {
                found.words.insert(word);
            }
            before = if next.starts_with('.') { word } else { "" };
            rest = next;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::are_related;

    #[test]
    fn what_names_something_in_common_is_related() {
        assert!(are_related("rows.push(row);", "row = [];"));
        assert!(are_related("self.size += 1", "return self.size"));
        assert!(are_related("this.reset();", "this.size = 1;"));
        assert!(are_related("const size = 1;", "f(size);"));
    }

    #[test]
    fn what_has_nothing_in_common_is_not() {
        assert!(!are_related("this.size = 0;", "this.depth = null;"));
        assert!(!are_related("a = first(1);", "b = first(2);"));
        assert!(!are_related("return true;", "if (!done) return true;"));
    }
}
