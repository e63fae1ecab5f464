//! Changed lines by region of the page, and the names that disappeared or are new.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::ops::Range;

use super::Change;
use super::outline::{Outline, OutlineLine};
use super::structure::Structures;
use crate::document::first_characters;

/// Maximum number of names of each kind that a region lists.
const MOST_NAMES: usize = 8;

/// Changes in one region of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionChange {
    /// The region by its element, such as `main#content`, or `body` for what is in none.
    pub region: String,
    /// Number of lines in the old page only.
    pub removed: usize,
    /// Number of lines in the new page only.
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
    gone: Frequencies<'a>,
    new: Frequencies<'a>,
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
        for line in lines {
            gone.count(line, &mut region.gone);
        }
    }
    for (region, lines) in new.by_region(changes.iter().map(|change| change.new.clone())) {
        let region = counts.entry(region).or_default();
        region.added += lines.len();
        for line in lines {
            came.count(line, &mut region.new);
        }
    }
    let mut regions: Vec<RegionChange> = counts
        .into_iter()
        .map(|(region, counts)| RegionChange {
            region,
            removed: counts.removed,
            added: counts.added,
            names_gone: gone.most_frequent(counts.gone),
            names_new: came.most_frequent(counts.new),
        })
        .collect();
    regions.sort_by_key(|region| std::cmp::Reverse(region.removed + region.added));
    regions
}

/// A page and the names on it.
struct Side<'a> {
    outline: &'a Outline<'a>,
    names: HashSet<Name<'a>>,
}

impl<'a> Side<'a> {
    fn of(outline: &'a Outline<'a>) -> Self {
        let classes = outline.steps.iter().flat_map(|(_, names)| classes_of(names));
        let ids = outline.lines.iter().filter_map(OutlineLine::id).map(Name::Id);
        let mut names = HashSet::with_capacity(2 * outline.steps.len());
        names.extend(classes.chain(ids));
        Self { outline, names }
    }

    /// The names of this page that another has nowhere.
    fn names_missing_on(&self, other: &'a Self) -> Missing<'a> {
        let mut classes = Vec::new();
        let mut numbers: HashMap<Name<'a>, usize> = HashMap::default();
        let steps = self.outline.steps.iter().map(|(_, names)| {
            let missing = classes_of(names).filter(|name| !other.names.contains(name));
            let number = |name| {
                *numbers.entry(name).or_insert_with(|| {
                    classes.push(name);
                    classes.len() - 1
                })
            };
            missing.map(number).collect()
        });
        let steps = steps.collect();
        Missing { steps, classes, other: &other.names }
    }

    /// Neighbouring lines that are in the same region, with its name.
    fn by_region(
        &self,
        ranges: impl Iterator<Item = Range<usize>>,
    ) -> impl Iterator<Item = (String, &'a [OutlineLine<'a>])> {
        let outline = self.outline;
        ranges
            .filter_map(|range| outline.lines.get(range))
            .flat_map(|lines| lines.chunk_by(|one, next| one.region == next.region))
            .filter_map(move |lines| Some((region_name(outline, lines.first()?), lines)))
    }
}

/// Frequencies of the names that do not occur on the other page.
#[derive(Default)]
struct Frequencies<'a> {
    /// Of each missing class.
    classes: Vec<usize>,
    ids: Vec<Name<'a>>,
}

/// Names that do not occur on the other page.
struct Missing<'a> {
    /// For each step, which of its classes are missing.
    steps: Vec<Vec<usize>>,
    classes: Vec<Name<'a>>,
    other: &'a HashSet<Name<'a>>,
}

impl<'a> Missing<'a> {
    fn count(&self, line: &OutlineLine<'a>, counts: &mut Frequencies<'a>) {
        for class in line.own_step().and_then(|step| self.steps.get(step)).into_iter().flatten() {
            if counts.classes.is_empty() {
                counts.classes.resize(self.classes.len(), 0);
            }
            counts.classes[*class] += 1;
        }
        counts.ids.extend(line.id().map(Name::Id).filter(|id| !self.other.contains(id)));
    }

    /// The most frequent names, as they are written.
    fn most_frequent(&self, counts: Frequencies<'a>) -> Vec<String> {
        let classes = self.classes.iter().zip(counts.classes).filter(|(_, count)| *count > 0);
        let mut ids: HashMap<Name<'a>, usize> = HashMap::default();
        counts.ids.into_iter().for_each(|id| *ids.entry(id).or_default() += 1);
        let mut names: Vec<(Name<'a>, usize)> = classes.map(|(name, count)| (*name, count)).chain(ids).collect();
        let rank = |(name, count): &(Name<'a>, usize)| (std::cmp::Reverse(*count), *name);
        if names.len() > MOST_NAMES {
            names.select_nth_unstable_by_key(MOST_NAMES, rank);
            names.truncate(MOST_NAMES);
        }
        names.sort_unstable_by_key(rank);
        names.iter().map(|(name, _)| name.to_string()).collect()
    }
}

fn classes_of(names: &str) -> impl Iterator<Item = Name<'_>> {
    names.split_ascii_whitespace().map(Name::Class)
}

fn region_name(outline: &Outline<'_>, line: &OutlineLine<'_>) -> String {
    let Some(region) = line.region.and_then(|region| outline.lines.get(region)) else {
        return "body".to_owned();
    };
    let Some((tag, names)) = region.own_step().and_then(|step| outline.steps.get(step)) else { return String::new() };
    let name = region.id().map(Name::Id).or_else(|| classes_of(names).next());
    format!("{tag}{}", name.map(|name| name.to_string()).unwrap_or_default())
}
