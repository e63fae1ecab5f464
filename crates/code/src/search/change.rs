//! Changes that an operator thinks of at one place, before it is known what they cost.

use ruff_text_size::Ranged;

use crate::edit::Edit;
use crate::span::Span;

/// Something with a position in a file.
pub(crate) trait Placed {
    /// Returns its position in the file.
    fn placed(&self) -> Span;
}

impl<Node: Ranged> Placed for Node {
    fn placed(&self) -> Span {
        self.range().into()
    }
}

impl Placed for Span {
    fn placed(&self) -> Span {
        *self
    }
}

/// A change of one file.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// Likelihood relative to the other changes of the same operator at the same place; only the ratio counts.
    pub(crate) weight: f64,
    pub(crate) edits: Vec<Edit>,
}

/// The changes of one operator at one place.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    list: Vec<Change>,
}

impl Changes {
    pub(crate) fn add(&mut self, weight: f64, mut edits: Vec<Edit>) {
        edits.sort();
        self.list.push(Change { weight, edits });
    }

    pub(crate) fn replace(&mut self, weight: f64, old: &impl Placed, new: impl Into<String>) {
        self.add(weight, vec![Edit::replace(old.placed().range(), new)]);
    }

    pub(crate) fn insert(&mut self, weight: f64, at: usize, new: impl Into<String>) {
        self.add(weight, vec![Edit::insert(at, new)]);
    }

    pub(crate) fn delete(&mut self, weight: f64, span: Span) {
        self.add(weight, vec![Edit::delete(span.range())]);
    }

    /// Exchanges the two.
    pub(crate) fn swap(&mut self, weight: f64, text: &str, left: &impl Placed, right: &impl Placed) {
        let (left, right) = (left.placed(), right.placed());
        let edits = vec![Edit::replace(left.range(), right.text(text)), Edit::replace(right.range(), left.text(text))];
        self.add(weight, edits);
    }

    /// Puts text before and after.
    pub(crate) fn wrap(&mut self, weight: f64, inner: &impl Placed, before: &str, after: &str) {
        let span = inner.placed();
        self.add(weight, vec![Edit::insert(span.start, before), Edit::insert(span.end, after)]);
    }

    /// Returns the total weight of the changes added so far.
    pub(crate) fn total(&self) -> f64 {
        self.list.iter().map(|change| change.weight).sum()
    }

    /// Returns the number of changes added so far.
    pub(crate) const fn count(&self) -> usize {
        self.list.len()
    }

    /// Scales down the changes added after the first `after` so that together they weigh at most `most`: many
    /// guesses are not likelier than a few.
    pub(crate) fn limit(&mut self, after: usize, most: f64) {
        let added = self.list.get_mut(after..).unwrap_or_default();
        let total: f64 = added.iter().map(|change| change.weight).sum();
        for change in added.iter_mut().filter(|_| total > most) {
            change.weight *= most / total;
        }
    }

    /// Scales the changes added after the first `after` to a total weight of `together`, each by a factor of at
    /// most `most`.
    pub(crate) fn weigh(&mut self, after: usize, together: f64, most: f64) {
        let added = self.list.get_mut(after..).unwrap_or_default();
        let total: f64 = added.iter().map(|change| change.weight).sum();
        let factor = if total > 0.0 { (together / total).min(most) } else { 1.0 };
        for change in added.iter_mut() {
            change.weight *= factor;
        }
    }

    pub(crate) fn into_list(self) -> Vec<Change> {
        self.list
    }
}

/// Maximum length of code quoted in descriptions, in characters; longer code is cut.
const LONGEST_QUOTE: usize = 60;

/// Describes edits, as an imperative.
pub fn describe(text: &str, edits: &[Edit]) -> String {
    let old = |edit: &Edit| quote(text.get(edit.start..edit.end).unwrap_or_default());
    let is_white = |code: &str| code.trim().is_empty();
    match edits {
        [first, ..]
            if edits
                .iter()
                .all(|edit| is_white(&edit.replacement) && text.get(edit.start..edit.end).is_some_and(is_white)) =>
        {
            let moved = text.get(first.end..).and_then(|rest| rest.lines().next()).unwrap_or_default();
            format!("move {} to another block", quote(moved))
        }
        [edit] if edit.start == edit.end => format!("insert {}", quote(&edit.replacement)),
        [edit] if edit.replacement.is_empty() => format!("remove {}", old(edit)),
        [edit] => format!("write {} instead of {}", quote(&edit.replacement), old(edit)),
        [first, second] if old(first) == quote(&second.replacement) && old(second) == quote(&first.replacement) => {
            format!("swap {} and {}", old(first), old(second))
        }
        [first, second] if first.start == first.end && second.start == second.end => {
            let between = text.get(first.end..second.start).unwrap_or_default();
            format!(
                "write {} around {}",
                quote(&format!("{}…{}", first.replacement, second.replacement)),
                quote(between)
            )
        }
        several => several.iter().map(|edit| describe(text, std::slice::from_ref(edit))).collect::<Vec<_>>().join("; "),
    }
}

/// Code between quotation marks, on one line.
fn quote(code: &str) -> String {
    let words = code.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= LONGEST_QUOTE {
        return format!("'{words}'");
    }
    let cut: String = words.chars().take(LONGEST_QUOTE).collect();
    format!("'{cut}…'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_say_what_is_done() {
        let text = "f(a, b)";
        assert_eq!(describe(text, &[Edit::replace(2..3, "c")]), "write 'c' instead of 'a'");
        assert_eq!(describe(text, &[Edit::replace(2..3, "b"), Edit::replace(5..6, "a")]), "swap 'a' and 'b'");
        assert_eq!(describe(text, &[Edit::insert(2, "len("), Edit::insert(3, ")")]), "write 'len(…)' around 'a'");
        assert_eq!(describe(text, &[Edit::delete(3..6)]), "remove ', b'");
        assert_eq!(describe("    f()\n", &[Edit::replace(0..4, "")]), "move 'f()' to another block");
        assert_eq!(describe(text, &[Edit::insert(0, "if x:\n    return\n")]), "insert 'if x: return'");
    }
}
