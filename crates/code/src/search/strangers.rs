//! Members that a program reads once and mentions nowhere else: most often misspelled. They are repaired by what they are nearest to, and
//! never written into a second place, where a test may pass because nothing is read.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Changes};
use super::file::File;
use crate::edit::Edit;
use crate::repair::spelling::slip;
use crate::sources::Sources;
use crate::span::Span;

/// An identifier where it is mentioned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mention<'a> {
    pub(crate) file: &'a str,
    pub(crate) span: Span,
    pub(crate) name: &'a str,
    /// True if a member is read there.
    pub(crate) is_member: bool,
}

/// The members that are mentioned once, and those that they may have been meant to be.
#[derive(Debug, Default)]
pub(crate) struct Strangers<'a> {
    /// By file, in order of the text.
    places: BTreeMap<&'a str, Vec<(Span, &'a str)>>,
    names: BTreeSet<&'a str>,
    known: BTreeSet<&'a str>,
}

/// A shorter name has too many neighbours.
const SHORTEST: usize = 3;

/// A slip that is less likely, in bits, is another word.
const UNLIKELY: f64 = 6.0;

impl<'a> Strangers<'a> {
    /// Of everything that is mentioned in files of one language. `common`: names that the language itself brings, which need no
    /// definition.
    pub(crate) fn new(sources: &'a Sources, mentions: impl Iterator<Item = Mention<'a>>, common: &str) -> Self {
        let common: BTreeSet<&str> = common.split_whitespace().collect();
        let mut by_name: BTreeMap<&str, Vec<Mention<'_>>> = BTreeMap::new();
        for mention in mentions {
            by_name.entry(mention.name).or_default().push(mention);
        }
        let is_lonely = |name: &str, places: &[Mention<'_>]| {
            matches!(places, [only] if only.is_member) && !name.starts_with('_') && !common.contains(name)
        };
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let mut known = BTreeSet::new();
        for (name, places) in &by_name {
            if is_lonely(name, places) {
                names.insert(name, 0);
            } else {
                known.insert(*name);
            }
        }
        if names.is_empty() {
            return Self::default();
        }
        // Texts, data and settings may name a member, too.
        for word in sources.iter().flat_map(|(_, text)| words(text)) {
            if let Some(count) = names.get_mut(word) {
                *count += 1;
            }
        }
        names.retain(|_, count| *count <= 1);
        let mut places: BTreeMap<&str, Vec<(Span, &str)>> = BTreeMap::new();
        for only in names.keys().filter_map(|name| by_name.get(name)?.first()) {
            places.entry(only.file).or_default().push((only.span, only.name));
        }
        Self { places, names: names.into_keys().collect(), known }
    }

    /// Returns whether edits write a member that is mentioned only once into another place.
    pub(crate) fn are_spread(&self, text: &str, edits: &[Edit]) -> bool {
        if self.names.is_empty() {
            return false;
        }
        let strange = |code: &str| words(code).filter(|word| self.names.contains(word)).count();
        let written: usize = edits.iter().map(|edit| strange(&edit.replacement)).sum();
        written > 0 && {
            let removed = edits.iter().filter_map(|edit| text.get(edit.start..edit.end));
            written > removed.map(strange).sum::<usize>()
        }
    }

    /// For those on the lines of a file: what they may have been meant to be.
    pub(crate) fn spelled_right(&self, file: &File<'_>, lines: &std::ops::RangeInclusive<u32>) -> Vec<Change> {
        let mut changes = Changes::default();
        let places = self.places.get(file.name).into_iter().flatten();
        for (span, name) in places.filter(|(span, _)| lines.contains(&file.line_of(span.start))) {
            if name.chars().count() < SHORTEST {
                continue;
            }
            for other in &self.known {
                if let Some(bits) = slip(name, other).filter(|bits| *bits <= UNLIKELY) {
                    changes.replace((-bits).exp2(), span, *other);
                }
            }
        }
        changes.into_list()
    }
}

/// Returns the words that may be identifiers of either language.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !(character.is_alphanumeric() || matches!(character, '_' | '$')))
        .filter(|word| !word.is_empty())
}
