//! Dependence between two statements: whether their order matters, judged by their words. This is a heuristic for pruning:
//! statements without a common word are assumed to do the same in either order, so that only one order is tried; effects that both
//! have without naming them are missed.

/// Names of the object that the current method belongs to.
const OWNERS: [&str; 2] = ["this", "self"];

/// Returns whether the two statements name something in common; see [`Names::are_related`].
pub(crate) fn are_related(left: &str, right: &str, is_keyword: fn(&str) -> bool) -> bool {
    Names::of(left, is_keyword).are_related(&Names::of(right, is_keyword))
}

/// What a statement names.
#[derive(Default)]
pub(crate) struct Names<'t> {
    words: Vec<&'t str>,
    has_owner: bool,
    calls_owner: bool,
}

impl<'t> Names<'t> {
    /// Returns whether both statements name something in common. A function that both merely call does not count; the object that
    /// the method belongs to counts only when one of them calls a method of it.
    pub(crate) fn are_related(&self, other: &Self) -> bool {
        let asks_owner = (self.calls_owner && other.has_owner) || (other.calls_owner && self.has_owner);
        asks_owner || self.words.iter().any(|word| other.words.contains(word))
    }

    pub(crate) fn of(code: &'t str, is_keyword: fn(&str) -> bool) -> Self {
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
            } else if !is_called && !is_keyword(word) && !word.starts_with(|first: char| first.is_ascii_digit()) {
                found.words.push(word);
            }
            before = if next.starts_with('.') { word } else { "" };
            rest = next;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    fn are_related(left: &str, right: &str) -> bool {
        super::are_related(left, right, |word| {
            matches!(word, "return" | "true" | "const" | "if" | "function" | "lambda")
        })
    }

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
        assert!(!are_related("a = function (x) {};", "b = function (y) {};"));
        assert!(!are_related("a = lambda x: 1", "b = lambda y: 2"));
    }
}
