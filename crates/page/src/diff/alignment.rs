//! Alignment of the lines of two pages. Lines that occur exactly once on both pages are anchors (patience
//! diff). A stretch between two anchors is aligned exactly if it is short enough.

use std::ops::Range;

use super::common::Common;

/// The longest stretch that is aligned exactly, old and new lines together. The exact way takes time in the square of it.
const LONGEST_EXACT: usize = 1000;

/// Maximum number of rounds in which anchors are searched for between anchors.
const MOST_ROUNDS: usize = 8;

/// A stretch of lines that is the same in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Same {
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) length: usize,
}

/// The stretches that are the same, in order, none empty.
pub(super) fn align(old: &[u32], new: &[u32]) -> Vec<Same> {
    let mut same = Vec::new();
    let mut places = Places::for_lines(old.iter().chain(new));
    let mut common = Common::default();
    // Stretches to be looked at, the first on top: they are found in order.
    let mut open = vec![(0..old.len(), 0..new.len(), 0)];
    while let Some((old_range, new_range, round)) = open.pop() {
        let (old_lines, new_lines) = (&old[old_range.clone()], &new[new_range.clone()]);
        let before = old_lines.iter().zip(new_lines).take_while(|(old, new)| old == new).count();
        push(&mut same, Same { old: old_range.start, new: new_range.start, length: before });
        let (old_range, new_range) = (old_range.start + before..old_range.end, new_range.start + before..new_range.end);
        let (old_lines, new_lines) = (&old[old_range.clone()], &new[new_range.clone()]);
        if old_lines.is_empty() || new_lines.is_empty() {
            continue;
        }
        let after = old_lines.iter().rev().zip(new_lines.iter().rev()).take_while(|(old, new)| old == new).count();
        let (old_end, new_end) = (old_range.end - after, new_range.end - after);
        let (old_lines, new_lines) = (&old[old_range.start..old_end], &new[new_range.start..new_end]);
        if old_lines.len() + new_lines.len() <= LONGEST_EXACT {
            for (old, new) in common.lines(old_lines, new_lines) {
                push(&mut same, Same { old: old_range.start + old, new: new_range.start + new, length: 1 });
            }
            push(&mut same, Same { old: old_end, new: new_end, length: after });
            continue;
        }
        if after > 0 {
            open.push((old_end..old_range.end, new_end..new_range.end, MOST_ROUNDS));
        }
        let anchors = if round < MOST_ROUNDS { places.anchors(old_lines, new_lines) } else { Vec::new() };
        open.extend(parts_of(&anchors, old_range.start..old_end, new_range.start..new_end, round));
    }
    same
}

/// A stretch of both pages, and how often anchors have been looked for.
type Stretch = (Range<usize>, Range<usize>, usize);

/// Splits a stretch into smaller ones, the last first: at its anchors, or into pieces of similar size if it has no anchors.
fn parts_of(
    anchors: &[(usize, usize)],
    old_range: Range<usize>,
    new_range: Range<usize>,
    round: usize,
) -> Vec<Stretch> {
    let mut bounds: Vec<(usize, usize)> =
        anchors.iter().map(|(old, new)| (old_range.start + old, new_range.start + new)).collect();
    if bounds.is_empty() {
        // Long lists of lines that are alike: they are about as far on one page as on the other.
        let pieces = 2 * (old_range.len() + new_range.len()) / LONGEST_EXACT + 1;
        let at = |piece: usize, range: &Range<usize>| range.start + range.len() * piece / pieces;
        bounds = (1..pieces).map(|piece| (at(piece, &old_range), at(piece, &new_range))).collect();
    }
    let mut stretches = Vec::with_capacity(bounds.len() + 1);
    let (mut old_end, mut new_end) = (old_range.end, new_range.end);
    for (old_at, new_at) in bounds.into_iter().rev() {
        stretches.push((old_at..old_end, new_at..new_end, round + 1));
        (old_end, new_end) = (old_at, new_at);
    }
    stretches.push((old_range.start..old_end, new_range.start..new_end, round + 1));
    stretches
}

/// Positions of each line in the current stretch, on both pages.
struct Places {
    /// For each line, in which search it was seen last, and where.
    seen: Vec<(usize, Place, Place)>,
    search: usize,
}

/// Position of a line on one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    Once(usize),
    Often,
}

impl Place {
    const fn and(self, place: usize) -> Self {
        match self {
            Self::Nowhere => Self::Once(place),
            Self::Once(_) | Self::Often => Self::Often,
        }
    }
}

impl Places {
    fn for_lines<'a>(lines: impl Iterator<Item = &'a u32>) -> Self {
        let count = lines.max().map_or(0, |most| index(*most) + 1);
        Self { seen: vec![(0, Place::Nowhere, Place::Nowhere); count], search: 0 }
    }

    /// Places of lines that each side has once, in the longest order that both agree on.
    fn anchors(&mut self, old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
        self.search += 1;
        for (place, line) in old.iter().enumerate() {
            let seen = self.seen(*line);
            seen.1 = seen.1.and(place);
        }
        for (place, line) in new.iter().enumerate() {
            let seen = self.seen(*line);
            seen.2 = seen.2.and(place);
        }
        let pairs: Vec<(usize, usize)> = old
            .iter()
            .filter_map(|line| match *self.seen(*line) {
                (_, Place::Once(old), Place::Once(new)) => Some((old, new)),
                _ => None,
            })
            .collect();
        longest_increasing(&pairs)
    }

    fn seen(&mut self, line: u32) -> &mut (usize, Place, Place) {
        let seen = &mut self.seen[index(line)];
        if seen.0 != self.search {
            *seen = (self.search, Place::Nowhere, Place::Nowhere);
        }
        seen
    }
}

/// A line's number as a place. It is a count of lines, and those fit into memory.
fn index(line: u32) -> usize {
    usize::try_from(line).unwrap_or(usize::MAX)
}

/// The longest part of `pairs`, sorted by the first, in which the second increases too (patience sorting).
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The pair with the smallest second on top of each pile, and what it lies on.
    let mut piles: Vec<usize> = Vec::new();
    let mut below: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, (_, new)) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|top| pairs[*top].1 < *new);
        below.push(pile.checked_sub(1).map(|pile| piles[pile]));
        if pile == piles.len() {
            piles.push(index);
        } else {
            piles[pile] = index;
        }
    }
    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(piles.last().copied(), |index| below[*index]).map(|index| pairs[index]).collect();
    chain.reverse();
    chain
}

/// Adds a stretch, joined to the last where they touch.
fn push(same: &mut Vec<Same>, next: Same) {
    match same.last_mut() {
        _ if next.length == 0 => {}
        Some(last) if last.old + last.length == next.old && last.new + last.length == next.new => {
            last.length += next.length;
        }
        Some(_) | None => same.push(next),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(old: &[u32], new: &[u32]) -> usize {
        let same = align(old, new);
        let mut ends = (0, 0);
        for stretch in &same {
            assert!(stretch.length > 0 && stretch.old >= ends.0 && stretch.new >= ends.1, "{same:?}");
            ends = (stretch.old + stretch.length, stretch.new + stretch.length);
            assert_eq!(old[stretch.old..ends.0], new[stretch.new..ends.1]);
        }
        assert!(ends.0 <= old.len() && ends.1 <= new.len());
        same.iter().map(|stretch| stretch.length).sum()
    }

    #[test]
    fn long_pages_are_aligned_at_their_anchors() {
        let old: Vec<u32> = (0..20_000).collect();
        let mut new = old.clone();
        new.splice(5000..5000, [1, 2, 3]);
        new.drain(15_000..15_100);
        assert_eq!(check(&old, &new), 19_900);
        assert_eq!(check(&old, &old), 20_000);
        assert_eq!(check(&old, &[]), 0);
    }

    #[test]
    fn what_has_no_anchor_takes_no_time() {
        let old: Vec<u32> = (0..200_000).map(|line| line % 7).collect();
        let new: Vec<u32> = (0..200_000).map(|line| line % 5 + 1).collect();
        check(&old, &new);
    }

    proptest! {
        #[test]
        fn what_is_the_same_is_the_same(
            old in proptest::collection::vec(0_u32..40, 0..60),
            new in proptest::collection::vec(0_u32..40, 0..60),
            copies in 1_usize..40,
        ) {
            check(&old, &new);
            let spread = |lines: &[u32]| -> Vec<u32> {
                (0_u32..).zip(0..copies).flat_map(|(copy, _)| lines.iter().map(move |line| line + copy * 17)).collect()
            };
            check(&spread(&old), &spread(&new));
        }
    }
}
