//! Lists in brackets, of TOML and of Python, which write them alike.

use std::ops::Range;

use super::{comment_above, indentation, newline_of};
use crate::edit::Edit;

/// Returns the edits that add a string to a list. `brackets`: the list with its brackets; `items`: its strings with their quotes.
pub(super) fn with_item(
    text: &str,
    brackets: &Range<usize>,
    items: &[Range<usize>],
    requirement: &str,
    reason: &str,
) -> Vec<Edit> {
    let quote = items.last().and_then(|last| text[last.clone()].chars().next()).unwrap_or('"');
    let item = format!("{quote}{requirement}{quote}");
    let Some(last) = items.last() else {
        return vec![comment_above(text, brackets.start, reason), Edit::insert(brackets.start + 1, item)];
    };
    let rest = &text[last.end..brackets.end - 1];
    let comma = rest.split('#').next().and_then(|rest| rest.find(','));
    let begins_line = text[..last.start].ends_with(indentation(text, last.start))
        && text[..last.start].trim_end_matches([' ', '\t']).ends_with('\n');
    if !begins_line {
        let at = last.end + comma.map_or(0, |comma| comma + 1);
        let lead = if comma.is_some() { " " } else { ", " };
        return vec![comment_above(text, last.start, reason), Edit::insert(at, format!("{lead}{item}"))];
    }
    let (newline, indentation) = (newline_of(text), indentation(text, last.start));
    // A comment behind the last item stays with it.
    let line_end = last.end + rest.find(newline).unwrap_or(rest.len());
    let mut edits = Vec::new();
    if comma.is_none() {
        edits.push(Edit::insert(last.end, ","));
    }
    edits.push(Edit::insert(line_end, format!("{newline}{indentation}# {reason}{newline}{indentation}{item},")));
    edits
}
