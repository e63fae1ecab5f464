//! `setup.py`: lists of strings that are written out. Computed lists are left alone.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Manifest, array, requirement};
use crate::edit::Edit;

/// `setup.py`.
pub(super) struct SetupPy;

/// A list under a name that says that it holds requirements: its name, and its opening bracket.
static LIST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(\w*(?:requires?|requirements|dependencies|extras|deps))\s*=\s*([\[{(])").ok());

/// A string without escapes, on one line.
static STRING: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""[^"\\\n]*"|'[^'\\\n]*'"#).ok());

/// A list that is written out: its name, its brackets, and the strings in it with their quotes.
struct List {
    name: String,
    brackets: Range<usize>,
    items: Vec<Range<usize>>,
}

fn lists(text: &str) -> Vec<List> {
    let (Some(list), Some(string)) = (LIST.as_ref(), STRING.as_ref()) else { return Vec::new() };
    let found = list.captures_iter(text).filter_map(|captures| {
        let start = captures.get(2)?.start();
        let end = closing(text, start)?;
        let items = string.find_iter(&text[start..end]).map(|item| start + item.start()..start + item.end());
        Some(List { name: captures[1].to_lowercase(), brackets: start..end, items: items.collect() })
    });
    found.collect()
}

/// The byte behind the bracket that closes the one at `start`. Strings and comments are passed over.
fn closing(text: &str, start: usize) -> Option<usize> {
    let (mut depth, mut quote, mut in_comment) = (0_usize, None, false);
    for (at, char) in text[start..].char_indices() {
        match (quote, char) {
            (_, '\n') => (quote, in_comment) = (None, false),
            _ if in_comment => {}
            (Some(open), char) if char == open => quote = None,
            (None, '"' | '\'') => quote = Some(char),
            (None, '#') => in_comment = true,
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(start + at + char.len_utf8());
                }
            }
            (Some(_) | None, _) => {}
        }
    }
    None
}

impl Manifest for SetupPy {
    fn requirements(&self, text: &str) -> Vec<Range<usize>> {
        let items = lists(text).into_iter().filter(|list| list.name != "setup_requires").flat_map(|list| list.items);
        let mut found: Vec<Range<usize>> = items.map(|item| item.start + 1..item.end - 1).collect();
        // A key of a dictionary is not a requirement.
        found.retain(|item| {
            requirement::is_requirement(&text[item.clone()]) && !text[item.end + 1..].trim_start().starts_with(':')
        });
        found.sort_by_key(|item| item.start);
        found.dedup();
        found
    }

    fn added(&self, text: &str, requirement: &str, reason: &str, _: &dyn Fn(&str) -> bool) -> Option<Vec<Edit>> {
        let list = lists(text)
            .into_iter()
            .find(|list| list.name == "install_requires" && text[list.brackets.clone()].starts_with(['[', '(']))?;
        Some(array::with_item(text, &list.brackets, &list.items, requirement, reason))
    }
}
