//! Files of requirements or constraints for pip.

use std::ops::Range;

use super::{Manifest, newline_of, requirement};
use crate::edit::Edit;

/// `requirements.txt` and the like.
pub(super) struct Lines;

impl Manifest for Lines {
    fn requirements(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let content = line.split(" #").next().unwrap_or_default().trim_end();
            // Hashes and options belong to it: they say that it is pinned.
            if requirement::is_requirement(content.split(" --").next().unwrap_or_default()) {
                found.push(start..start + content.len());
            }
            start += line.len();
        }
        found
    }

    fn added(&self, text: &str, requirement: &str, reason: &str, _: &dyn Fn(&str) -> bool) -> Option<Vec<Edit>> {
        let newline = newline_of(text);
        let lead = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        Some(vec![Edit::insert(text.len(), format!("{lead}# {reason}{newline}{requirement}{newline}"))])
    }
}
