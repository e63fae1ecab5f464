//! Whether what the old selector finds on the new page is still the field: a selector that finds something may find the wrong
//! thing.

use std::collections::HashSet;

use super::phrase::Phrase;
use super::words::{Word, loose, word};

/// What an old selector finds, next to what it found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'a> {
    /// All values on an old page, and on the new page.
    pub(super) old: &'a [String],
    pub(super) new: &'a [String],
    pub(super) many: bool,
}

/// Why what the selector finds cannot be the field.
pub(super) fn doubt(found: &Found<'_>) -> Option<String> {
    let (old, new) = (distinct(found.old), distinct(found.new));
    if !found.many && old > 0 && new > 2.max(3 * old) {
        return Some(format!("the old selector finds {new} different values where it found {old}"));
    }
    let (old, new) = (Phrase::new(found.old.first()?), Phrase::new(found.new.first()?));
    let lost_day = !old.days().is_empty() && new.days().is_empty() && old.characters < 60;
    if !found.many && lost_day && !new.text.chars().any(|c| c.is_ascii_digit()) {
        return Some(format!("the old selector finds no date: {}", super::evidence::quote(&new.text)));
    }
    None
}

fn distinct(values: &[String]) -> usize {
    values.iter().map(|value| word(&loose(value))).collect::<HashSet<Word>>().len()
}
