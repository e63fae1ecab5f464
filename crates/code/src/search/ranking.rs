//! From thousands of changes to candidates: the likeliest first, each text once, and only what parses.

use std::collections::{BTreeMap, HashSet};

use autoheal_engine::diagnostics::Category;

use super::change::{Change, describe};
use super::file::File;
use super::idioms::Idioms;
use super::operators::{self, Operators};
use super::priors::Family;
use super::site::Site;
use super::strangers::Strangers;
use super::suspects::Suspects;
use super::tables::Tables;
use super::tree::Tree;
use super::{NAME, priors};
use crate::edit::{Candidate, Edit, FileEdit, apply_within};
use crate::repair::ngram::Model;
use crate::repair::pointless::assigns_itself;
use crate::repair::shortlist::{Readings, cost, oddity};
use crate::span::Span;

/// Less suspicious statements are not changed.
const MOST_SITES: usize = 200;

/// A suspicious file as its language reads it.
pub(crate) struct Reading<'a, T> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    pub(crate) tables: T,
    pub(crate) tree: Tree,
}

/// All that the search knows of a language.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) idioms: &'static Idioms,
    /// Operators that no other language has.
    pub(crate) operators: Operators,
    pub(crate) weighing: Weighing,
}

/// The likeliest `most` candidates at the places of suspicious lines of files of one language.
pub(crate) fn candidates_in<T: Tables>(
    readings: &[Reading<'_, T>],
    dialect: Dialect,
    suspects: &Suspects<'_>,
    strangers: &Strangers<'_>,
    model: &Model,
    category: Category,
    most: usize,
) -> Vec<Candidate> {
    let files = readings.iter().map(|one| File::new(one.name, one.text, dialect.idioms, &one.tables, &one.tree));
    let files: Vec<File<'_>> = files.collect();
    let weigh = |site: &Site<'_>| {
        let lines = suspects.get(site.file.name)?;
        let suspicion = lines.range(site.lines()).map(|(_, weight)| *weight).fold(0.0, f64::max);
        // A line of many expressions has more to get wrong, and yet is one line: between its size and none.
        let size = u32::try_from(site.size()).map_or(1.0, f64::from).max(1.0);
        Some((suspicion, suspicion * size.sqrt())).filter(|(suspicion, _)| *suspicion > 0.0)
    };
    let sites = files.iter().flat_map(Site::all);
    let mut sites: Vec<_> = sites.filter_map(|site| weigh(&site).map(|weight| (site, weight))).collect();
    sites.sort_by(|(_, (_, left)), (_, (_, right))| right.total_cmp(left));
    sites.truncate(MOST_SITES);
    let likeliest = match dialect.weighing {
        Weighing::ByPlace => by_place(&sites, dialect.operators, strangers, most),
        Weighing::ByKind => by_kind(&sites, dialect.operators, strangers, most),
    };
    best(likeliest, model, category, most)
}

/// Rule by which the places of a kind of fault are weighed against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weighing {
    /// As their lines and sizes say, the same for every kind: what is spent on kinds that a place cannot have is lost.
    ByPlace,
    /// As their lines say, and how much of that kind is proposed there: a kind that few places can have is tried early at those.
    ByKind,
}

/// A place with how suspicious its line is, and that with its size.
type Weighed<'a> = (Site<'a>, (f64, f64));

/// Returns the changes proposed at a place, by the kind of fault. Changes that are left out here take no slot from others.
fn proposed(site: &Site<'_>, own: Operators, strangers: &Strangers<'_>) -> Vec<(Family, Vec<Change>)> {
    let file = site.file;
    let mut proposed = operators::changes(site, own);
    for (_, changes) in &mut proposed {
        changes.retain(|change| change.weight > 0.0 && !strangers.are_spread(file.text, &change.edits));
    }
    proposed.push((Family::Spelling, strangers.spelled_right(file, &site.lines())));
    proposed
}

fn by_place<'a>(sites: &[Weighed<'a>], own: Operators, strangers: &Strangers<'_>, most: usize) -> Likeliest<'a> {
    let total: f64 = sites.iter().map(|(_, (_, weight))| weight).sum();
    let mut likeliest = Likeliest::new(most);
    for (site, (_, weight)) in sites {
        for (family, changes) in proposed(site, own, strangers) {
            let proposed: f64 = changes.iter().map(|change| change.weight).sum();
            let bits = (total / weight).log2() + priors::bits(family);
            for change in changes {
                let bits = bits + (proposed / change.weight).log2();
                likeliest.add(Ranked { file: site.file, bits, change });
            }
        }
    }
    likeliest
}

fn by_kind<'a>(sites: &[Weighed<'a>], own: Operators, strangers: &Strangers<'_>, most: usize) -> Likeliest<'a> {
    let mut families: BTreeMap<Family, Share<'a>> = BTreeMap::new();
    for (site, (suspicion, _)) in sites {
        for (family, changes) in proposed(site, own, strangers) {
            let share = families.entry(family).or_insert_with(|| Share { total: 0.0, likeliest: Likeliest::new(most) });
            share.add(site.file, *suspicion, changes);
        }
    }
    let mut likeliest = Likeliest::new(most);
    for (family, share) in families {
        let bits = priors::bits(family) + share.total.log2();
        for ranked in share.likeliest.into_ranked() {
            likeliest.add(Ranked { bits: ranked.bits + bits, ..ranked });
        }
    }
    likeliest
}

/// Changes proposed for one kind of fault, at all places.
struct Share<'a> {
    /// Total weight of all places.
    total: f64,
    /// With bits that lack what the kind and all its places together cost.
    likeliest: Likeliest<'a>,
}

impl<'a> Share<'a> {
    /// A fault of a kind is where that kind of fault can be: before anything is known of lines, a place weighs between what is proposed
    /// for it and nothing, as one with many expressions has more to get wrong and yet is one place. What is known of its line is what
    /// tells it from the others, of this kind and of all.
    fn add(&mut self, file: &'a File<'a>, suspicion: f64, changes: Vec<Change>) {
        let proposed: f64 = changes.iter().map(|change| change.weight).sum();
        let weight = proposed.sqrt();
        self.total += weight;
        for change in changes {
            let bits = (proposed / change.weight).log2() - (weight * suspicion).log2();
            self.likeliest.add(Ranked { file, bits, change });
        }
    }
}

/// A change with how unlikely it is.
struct Ranked<'a> {
    file: &'a File<'a>,
    bits: f64,
    change: Change,
}

/// Number of changes read closely per candidate that is wanted: reading only reorders neighbours.
const READ_FOR_EACH: usize = 2;

/// Weight of naturalness relative to its weight for other faults: a fault of LOGIC most often reads as well as its repair.
const READING: f64 = 0.5;

/// The likeliest of all added changes; the others are dropped as soon as they can no longer become candidates.
struct Likeliest<'a> {
    ranked: Vec<Ranked<'a>>,
    /// Maximum number of changes that can still become candidates.
    limit: usize,
    /// Cost, in bits, from which on a change can no longer become a candidate.
    too_much: f64,
}

impl<'a> Likeliest<'a> {
    /// Creates an empty list, for at most `most` candidates.
    const fn new(most: usize) -> Self {
        Self { ranked: Vec::new(), limit: most.saturating_mul(READ_FOR_EACH), too_much: f64::INFINITY }
    }

    fn add(&mut self, ranked: Ranked<'a>) {
        if ranked.bits < self.too_much {
            self.ranked.push(ranked);
        }
        if self.ranked.len() >= self.limit.saturating_mul(4).max(1) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.ranked.sort_by(likeliest_first);
        self.ranked.truncate(self.limit);
        self.too_much = self.ranked.last().map_or(self.too_much, |last| last.bits);
    }

    fn into_ranked(mut self) -> Vec<Ranked<'a>> {
        self.cut();
        self.ranked
    }
}

fn likeliest_first(left: &Ranked<'_>, right: &Ranked<'_>) -> std::cmp::Ordering {
    left.bits.total_cmp(&right.bits)
}

/// The likeliest `most` candidates.
fn best(likeliest: Likeliest<'_>, model: &Model, category: Category, most: usize) -> Vec<Candidate> {
    let mut ranked = likeliest.into_ranked();
    let mut readings = Readings::new();
    for one in &mut ranked {
        one.bits += READING * oddity(model, one.file.name, one.file.text, &one.change.edits, &mut readings);
    }
    ranked.sort_by(likeliest_first);
    let mut seen = HashSet::new();
    let mut candidates = Vec::new();
    for Ranked { file, bits, change } in ranked {
        if candidates.len() >= most {
            break;
        }
        let edit = FileEdit { file: file.name.to_owned(), edits: change.edits };
        let Some(difference) = difference(file.text, &edit.edits) else { continue };
        if assigns_itself(file.text, &edit.edits) {
            continue;
        }
        if !file.allows(&edit.edits) || !seen.insert((file.name, difference)) || !file.parses(&edit.edits) {
            continue;
        }
        candidates.push(Candidate {
            fixer: NAME.to_owned(),
            category,
            line: file.line_of(edit.edits.first().map_or(0, |edit| edit.start)),
            description: describe(file.text, &edit.edits),
            cost: cost(bits),
            files: vec![edit],
        });
    }
    candidates
}

/// The first byte and the end of what is replaced, and what stands there instead.
type Difference = (usize, usize, Vec<u8>);

/// The one replacement that makes the new text of the old one: the same for all edits that come to the same. `None` when they
/// change nothing or do not fit.
fn difference(text: &str, edits: &[Edit]) -> Option<Difference> {
    let (mut start, mut end) = (edits.first()?.start, edits.last()?.end);
    let new = apply_within(text, edits, Span { start, end })?;
    let old = text.as_bytes().get(start..end)?;
    let same = old.iter().zip(new.as_bytes()).take_while(|(left, right)| left == right).count();
    let (old, new) = (old.get(same..)?, new.as_bytes().get(same..)?);
    let same_end = old.iter().rev().zip(new.iter().rev()).take_while(|(left, right)| left == right).count();
    let mut new = new.get(..new.len() - same_end)?.to_vec();
    start += same;
    end -= same_end;
    if start == end && new.is_empty() {
        return None;
    }
    // What is put in, or taken out, may stand some bytes further right and come to the same text.
    let byte = |at: usize| text.as_bytes().get(at).copied();
    if start == end {
        while byte(start).is_some() && byte(start) == new.first().copied() {
            new.rotate_left(1);
            start += 1;
            end += 1;
        }
    } else if new.is_empty() {
        while byte(end).is_some() && byte(start) == byte(end) {
            start += 1;
            end += 1;
        }
    }
    Some((start, end, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_that_come_to_the_same_have_one_difference() {
        let one = |text: &str, edit: Edit| difference(text, &[edit]);
        assert_eq!(one("abc", Edit::replace(0..3, "abc")), None);
        assert_eq!(one("a + b", Edit::insert(4, "1 + ")), Some((4, 4, b"1 + ".to_vec())));
        assert_eq!(one("a + b", Edit::replace(0..5, "a + 1 + b")), one("a + b", Edit::insert(2, "+ 1 ")));
        assert_eq!(one("xaay", Edit::insert(1, "a")), one("xaay", Edit::insert(3, "a")));
        assert_eq!(one("xaay", Edit::delete(1..2)), one("xaay", Edit::delete(2..3)));
        let both = [Edit::replace(0..1, "b"), Edit::replace(4..5, "a")];
        assert_eq!(difference("a + b", &both), one("a + b", Edit::replace(0..5, "b + a")));
        assert_eq!(one("abc", Edit::insert(9, "x")), None);
    }
}
