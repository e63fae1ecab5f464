//! Edits that are never meant: an assignment of a name to itself. It passes wherever removing the line would, and hides that nothing
//! is done.

use crate::edit::{Edit, apply_within};
use crate::span::Span;

/// Returns whether one of the lines that the edits touch is `name = name` afterwards.
pub(crate) fn assigns_itself(text: &str, edits: &[Edit]) -> bool {
    lines_after(text, edits).is_some_and(|lines| lines.lines().any(is_pointless))
}

/// The whole lines that the edits are in, with them.
fn lines_after(text: &str, edits: &[Edit]) -> Option<String> {
    let (first, last) = (edits.first()?.start, edits.last()?.end);
    let start = text.get(..first)?.rfind('\n').map_or(0, |at| at + 1);
    let end = text.get(last..)?.find('\n').map_or(text.len(), |at| last + at);
    apply_within(text, edits, Span { start, end })
}

fn is_pointless(line: &str) -> bool {
    let statement = line.trim().trim_end_matches(';');
    // Without blanks it is an argument by keyword, which is fine.
    let Some((left, right)) = statement.split_once(" = ") else { return false };
    let is_path = |text: &str| {
        text.split('.').all(|name| {
            name.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$'))
                && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '$'))
        })
    };
    left == right && is_path(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_not_assigned_to_itself() {
        assert!(assigns_itself("if x:\n    token = comma\nuse(token)\n", &[Edit::replace(18..23, "token")]));
        assert!(assigns_itself("this.a = this.b;", &[Edit::replace(14..15, "a")]));
        let both = [Edit::replace(0..1, "bb"), Edit::replace(8..9, "yy")];
        assert!(assigns_itself("a = 1\nyy = z\n", &[Edit::replace(0..1, "long"), Edit::replace(11..12, "yy")]));
        assert!(!assigns_itself("a = 1\nyz = z\n", &both));
    }

    #[test]
    fn what_does_something_is_allowed() {
        assert!(!assigns_itself("a = b + a", &[Edit::replace(4..9, "a + 1")]));
        assert!(!assigns_itself("f(\n    a=b\n)", &[Edit::replace(9..10, "a")]));
        assert!(!assigns_itself("x == y", &[Edit::replace(5..6, "x")]));
        assert!(!assigns_itself("a = a\nb = c\n", &[Edit::replace(10..11, "d")]));
    }
}
