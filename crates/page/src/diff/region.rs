//! What changed where: the changed lines by region of the page, and the names that left the page or came to it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use foldhash::{HashMap, HashSet};

use super::Change;
use super::outline::{Outline, OutlineLine, Step};
use super::structure::Structures;
use crate::document::first_characters;

/// How many names a region lists of each kind.
const MOST_NAMES: usize = 8;

/// What changed in a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionChange {
    /// The region by its element, such as `main#content`, or `body` for what is in none.
    pub region: String,
    /// How many lines are in the old page only.
    pub removed: usize,
    /// How many lines are in the new page only.
    pub added: usize,
    /// Classes (`.headline`) and ids (`#price`) of removed lines that are nowhere on the new page, the most frequent first.
    pub names_gone: Vec<String>,
    /// Classes and ids of added lines that are nowhere on the old page, the most frequent first.
    pub names_new: Vec<String>,
}

impl fmt::Display for RegionChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} lines gone, {} new", self.region, self.removed, self.added)?;
        if !self.names_gone.is_empty() {
            write!(f, "; names gone: {}", self.names_gone.join(" "))?;
        }
        if !self.names_new.is_empty() {
            write!(f, "; names new: {}", self.names_new.join(" "))?;
        }
        Ok(())
    }
}

/// Counts while they grow.
#[derive(Default)]
struct Counts<'a> {
    removed: usize,
    added: usize,
    gone: HashMap<Name<'a>, usize>,
    new: HashMap<Name<'a>, usize>,
}

/// A class or an id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Name<'a> {
    Id(&'a str),
    Class(&'a str),
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(name) => write!(f, "#{}", first_characters(name, 60)),
            Self::Class(name) => write!(f, ".{}", first_characters(name, 60)),
        }
    }
}

/// The changes by region, those with the most lines first.
pub(super) fn summarise(structures: &Structures<'_>, changes: &[Change]) -> Vec<RegionChange> {
    let (old, new) = (Side::of(structures.old), Side::of(structures.new));
    let (gone, came) = (old.names_missing_on(&new), new.names_missing_on(&old));
    let mut counts: BTreeMap<String, Counts<'_>> = BTreeMap::new();
    for (region, lines) in old.by_region(changes.iter().map(|change| change.old.clone())) {
        let region = counts.entry(region).or_default();
        region.removed += lines.len();
        lines.iter().for_each(|line| gone.count(old.outline, line, &mut region.gone));
    }
    for (region, lines) in new.by_region(changes.iter().map(|change| change.new.clone())) {
        let region = counts.entry(region).or_default();
        region.added += lines.len();
        lines.iter().for_each(|line| came.count(new.outline, line, &mut region.new));
    }
    let mut regions: Vec<RegionChange> = counts
        .into_iter()
        .map(|(region, counts)| RegionChange {
            region,
            removed: counts.removed,
            added: counts.added,
            names_gone: most_frequent(counts.gone),
            names_new: most_frequent(counts.new),
        })
        .collect();
    regions.sort_by_key(|region| std::cmp::Reverse(region.removed + region.added));
    regions
}

fn most_frequent(names: HashMap<Name<'_>, usize>) -> Vec<String> {
    let mut names: Vec<(Name<'_>, usize)> = names.into_iter().collect();
    names.sort_unstable_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    names.iter().take(MOST_NAMES).map(|(name, _)| name.to_string()).collect()
}

/// A page and the names on it.
struct Side<'a> {
    outline: &'a Outline,
    names: HashSet<Name<'a>>,
}

impl<'a> Side<'a> {
    fn of(outline: &'a Outline) -> Self {
        let classes = outline.steps().iter().flat_map(classes_of);
        let ids = outline.lines().iter().filter_map(|line| outline.id(line)).map(Name::Id);
        Self { outline, names: classes.chain(ids).collect() }
    }

    /// The names of each step that another page has nowhere.
    fn names_missing_on(&self, other: &'a Self) -> Missing<'a> {
        let missing = |step| classes_of(step).filter(|name| !other.names.contains(name)).collect();
        Missing { steps: self.outline.steps().iter().map(missing).collect(), other: &other.names }
    }

    /// Neighbouring lines that are in the same region, with its name.
    fn by_region(
        &self,
        ranges: impl Iterator<Item = Range<usize>>,
    ) -> impl Iterator<Item = (String, &'a [OutlineLine])> {
        let outline = self.outline;
        ranges
            .filter_map(|range| outline.lines().get(range))
            .flat_map(|lines| lines.chunk_by(|one, next| one.region == next.region))
            .filter_map(move |lines| Some((region_name(outline, lines.first()?), lines)))
    }
}

/// What is nowhere on the other page.
struct Missing<'a> {
    /// Of the names of each step.
    steps: Vec<Vec<Name<'a>>>,
    other: &'a HashSet<Name<'a>>,
}

impl<'a> Missing<'a> {
    fn count(&self, outline: &'a Outline, line: &OutlineLine, counts: &mut HashMap<Name<'a>, usize>) {
        let step = line.own_step().and_then(|step| self.steps.get(step));
        let id = outline.id(line).map(Name::Id).filter(|id| !self.other.contains(id));
        for name in step.into_iter().flatten().copied().chain(id) {
            *counts.entry(name).or_default() += 1;
        }
    }
}

fn classes_of(step: &Step) -> impl Iterator<Item = Name<'_>> {
    step.classes.split_ascii_whitespace().map(Name::Class)
}

fn region_name(outline: &Outline, line: &OutlineLine) -> String {
    let Some(region) = line.region.and_then(|region| outline.lines().get(region)) else {
        return "body".to_owned();
    };
    let Some(step) = region.own_step().and_then(|step| outline.steps().get(step)) else { return String::new() };
    let name = outline.id(region).map(Name::Id).or_else(|| classes_of(step).next());
    format!("{}{}", step.tag, name.map(|name| name.to_string()).unwrap_or_default())
}
