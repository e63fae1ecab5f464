//! Structural differences between two pages: tags, classes and the beginnings of texts, line by line and by
//! region. Scripts, styles, drawings and `noscript` are left out.
//!
//! The comparison takes time linear in the size of the pages, whatever their content: stretches that are too
//! long to be aligned exactly are reported as removed and added.
//!
//! # Layout
//!
//! - `outline`: a page as lines such as `main > ul.list > li: Bread`
//! - `structure`: keys by which lines of two pages are equal
//! - `alignment`, `common`: alignment of the lines of two pages
//! - `region`: changes by region of the page

mod alignment;
mod common;
mod outline;
mod region;
mod structure;

use std::fmt::{self, Write as _};
use std::ops::Range;

use self::alignment::Same;
use self::structure::Structures;
use crate::document::Document;

pub use outline::Outline;
pub use region::RegionChange;

/// Header of a unified diff.
const HEADER: &str = "--- original\n+++ current\n";

/// Number of unchanged context lines around a change.
const CONTEXT: usize = 3;

/// The structural difference of two pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructuralDiff {
    /// Stretches of changed lines with some unchanged ones around them, in order.
    pub hunks: Vec<Hunk>,
    /// The changes by region of the page, the most changed first.
    pub regions: Vec<RegionChange>,
    /// Number of lines that both pages have in common.
    pub unchanged: usize,
}

/// Group of neighbouring changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The lines of the old page that it covers, counted from 0.
    pub old: Range<usize>,
    /// The lines of the new page that it covers, counted from 0.
    pub new: Range<usize>,
    /// Lines of the hunk, in order: unchanged, removed and added ones.
    pub lines: Vec<Line>,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Line that is in both pages.
    Same(String),
    /// Line that is only in the old page.
    Removed(String),
    /// Line that is only in the new page.
    Added(String),
}

/// Compares two pages.
pub fn structural_diff(old: &Document, new: &Document) -> StructuralDiff {
    let (old, new) = (Outline::of(old), Outline::of(new));
    let structures = Structures::of(&old, &new);
    let same = alignment::align(&structures.old_keys, &structures.new_keys);
    let changes = changes_between(&same, old.lines.len(), new.lines.len());
    let regions = region::summarise(&structures, &changes);
    let unchanged = same.iter().map(|same| same.length).sum();
    StructuralDiff { hunks: hunks_of(&structures, &changes), regions, unchanged }
}

/// A stretch that differs: lines of the old page became lines of the new one. One of the two may be empty.
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// Returns the changed stretches between the stretches that are the same.
fn changes_between(same: &[Same], old_length: usize, new_length: usize) -> Vec<Change> {
    let mut changes = Vec::new();
    let (mut old, mut new) = (0, 0);
    let end = Same { old: old_length, new: new_length, length: 0 };
    for same in same.iter().chain(std::iter::once(&end)) {
        if old < same.old || new < same.new {
            changes.push(Change { old: old..same.old, new: new..same.new });
        }
        (old, new) = (same.old + same.length, same.new + same.length);
    }
    changes
}

/// Joins changes that are close to each other, and puts unchanged lines around them.
fn hunks_of(structures: &Structures<'_>, changes: &[Change]) -> Vec<Hunk> {
    let mut groups: Vec<Vec<&Change>> = Vec::new();
    for change in changes {
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|last| change.old.start - last.old.end <= 2 * CONTEXT) => {
                group.push(change);
            }
            Some(_) | None => groups.push(vec![change]),
        }
    }
    groups.iter().filter_map(|group| hunk_of(structures, group)).collect()
}

fn hunk_of(structures: &Structures<'_>, group: &[&Change]) -> Option<Hunk> {
    let (first, last) = (group.first()?, group.last()?);
    let before = CONTEXT.min(first.old.start).min(first.new.start);
    let after = CONTEXT.min(structures.old.lines.len() - last.old.end).min(structures.new.lines.len() - last.new.end);
    let old = first.old.start - before..last.old.end + after;
    let new = first.new.start - before..last.new.end + after;
    let mut lines = Vec::new();
    let mut at = old.start;
    for change in group {
        lines.extend((at..change.old.start).map(|line| Line::Same(structures.old_text(line))));
        lines.extend(change.old.clone().map(|line| Line::Removed(structures.old_text(line))));
        lines.extend(change.new.clone().map(|line| Line::Added(structures.new_text(line))));
        at = change.old.end;
    }
    lines.extend((at..old.end).map(|line| Line::Same(structures.old_text(line))));
    Some(Hunk { old, new, lines })
}

impl Hunk {
    fn head(&self) -> String {
        format!("@@ -{} +{} @@", Lines(&self.old), Lines(&self.new))
    }
}

impl StructuralDiff {
    /// Returns whether the pages have the same structure.
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// Returns the number of lines in the old page only, and the number in the new page only.
    pub fn counts(&self) -> (usize, usize) {
        let mut counts = (0, 0);
        for line in self.hunks.iter().flat_map(|hunk| &hunk.lines) {
            match line {
                Line::Same(_) => {}
                Line::Removed(_) => counts.0 += 1,
                Line::Added(_) => counts.1 += 1,
            }
        }
        counts
    }

    /// The unified diff, cut after whole lines to at most `most_bytes`; the last line then says how many were left out.
    pub fn unified(&self, most_bytes: usize) -> String {
        let mut text = String::new();
        let mut left_out = 0;
        for line in self.unified_lines() {
            if left_out == 0 && text.len() + line.len() < most_bytes {
                text.push_str(&line);
                text.push('\n');
            } else {
                left_out += 1;
            }
        }
        if left_out > 0 {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "\\ {left_out} more lines");
        }
        text
    }

    fn unified_lines(&self) -> impl Iterator<Item = String> + '_ {
        let header = HEADER.lines().filter(|_| !self.is_empty()).map(str::to_owned);
        header.chain(
            self.hunks
                .iter()
                .flat_map(|hunk| std::iter::once(hunk.head()).chain(hunk.lines.iter().map(ToString::to_string))),
        )
    }

    /// The changes by region, a line each: `main.content: 12 lines gone, 9 new; names gone: .headline; new: .story-title`.
    pub fn summary(&self) -> String {
        self.regions.iter().flat_map(|region| [region.to_string(), "\n".to_owned()]).collect()
    }
}

/// The whole unified diff.
impl fmt::Display for StructuralDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_empty() {
            f.write_str(HEADER)?;
        }
        for hunk in &self.hunks {
            writeln!(f, "{}", hunk.head())?;
            for line in &hunk.lines {
                line.fmt(f)?;
                f.write_char('\n')?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same(text) => f.write_char(' ').and_then(|()| f.write_str(text)),
            Self::Removed(text) => f.write_char('-').and_then(|()| f.write_str(text)),
            Self::Added(text) => f.write_char('+').and_then(|()| f.write_str(text)),
        }
    }
}

/// A range of lines as unified diffs write it: `START,COUNT` from 1, where an empty range names the line before it.
struct Lines<'a>(&'a Range<usize>);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            0 => write!(f, "{},0", self.0.start),
            1 => write!(f, "{}", self.0.start + 1),
            count => write!(f, "{},{count}", self.0.start + 1),
        }
    }
}

#[cfg(test)]
mod tests;
