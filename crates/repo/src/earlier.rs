//! The commit before the last one: what the last commit changed, and, as a hint, which repairs restore lines. Of two repairs, the one that
//! restores a line is more likely right; this changes only the order in which candidates are tried.

use std::collections::{BTreeMap, HashMap};

use autoheal_code::search::Lines;
use autoheal_code::{Candidate, Language, language};
use autoheal_sandbox::untrusted::UntrustedFolder;

use crate::session::Session;
use crate::tree::text_of;

/// Extra cost of a candidate that restores nothing where another one does: more than the costs of any two repairs of one fault differ by.
const BRINGS_NOTHING_BACK: u32 = 10_000;

/// An editable program that the last commit added or changed.
pub(crate) struct Changed<'session> {
    /// Path of the file, relative to the repository.
    pub(crate) file: &'session str,
    text: &'session str,
    before: Option<String>,
}

/// The editable programs that the last commit added or changed; none where the commit before is not known.
pub(crate) fn changed(session: &Session) -> Vec<Changed<'_>> {
    let Some(tree) = session.tree_before().and_then(|tree| UntrustedFolder::open(&tree).ok()) else {
        return Vec::new();
    };
    let sources = session.sources();
    let programs = sources.iter().filter(|(file, _)| Language::of(file).is_some() && sources.is_editable(file));
    let compared = programs.map(|(file, text)| Changed { file, text, before: text_of(&tree, file) });
    compared.filter(|program| program.before.as_deref() != Some(program.text)).collect()
}

/// The lines that the last commit changed in files that were there before.
pub(crate) fn changed_lines(session: &Session) -> Lines {
    let lines = changed(session).into_iter().filter_map(|Changed { file, text, before }| {
        let before = before?;
        let diff = similar::TextDiff::from_lines(before.as_str(), text);
        let added = diff.iter_all_changes().filter(|change| change.tag() == similar::ChangeTag::Insert);
        let numbers = added.filter_map(|change| u32::try_from(change.new_index()? + 1).ok());
        Some((file.to_owned(), numbers.collect()))
    });
    lines.collect()
}

/// Makes candidates dearer that bring no line of the commit before back, where others do.
pub(crate) fn weigh(candidates: &mut [Candidate], session: &Session) {
    let before = session.tree_before().and_then(|tree| UntrustedFolder::open(&tree).ok());
    let Some(before) = before else { return };
    let sources = session.sources();
    let mut programs: BTreeMap<String, Option<Difference<'_>>> = BTreeMap::new();
    let mut brings_back = |candidate: &Candidate| {
        candidate.files.iter().any(|edit| {
            let (file, Some(text)) = (&edit.file, sources.text(&edit.file)) else { return false };
            // A text that does not parse says nothing about what is right.
            let read = || text_of(&before, file).filter(|was| was != text && language::check(file, was).is_ok());
            let found = || read().map(|was| Difference::new(text, &was));
            let difference = programs.entry(file.clone()).or_insert_with(found);
            let Some(difference) = difference else { return false };
            edit.apply(text).is_ok_and(|healed| difference.shrinks(&healed))
        })
    };
    let verdicts: Vec<bool> = candidates.iter().map(&mut brings_back).collect();
    if verdicts.contains(&true) {
        for (candidate, _) in candidates.iter_mut().zip(verdicts).filter(|(_, brings_back)| !brings_back) {
            candidate.cost = candidate.cost.saturating_add(BRINGS_NOTHING_BACK);
        }
    }
}

/// Number of lines that only one of two texts has, regardless of their position.
struct Difference<'text> {
    text: &'text str,
    /// How many times more often the text has a line than the other.
    counts: HashMap<String, i64>,
}

impl<'text> Difference<'text> {
    fn new(text: &'text str, other: &str) -> Self {
        let mut counts: HashMap<String, i64> = HashMap::new();
        text.lines().for_each(|line| *counts.entry(line.to_owned()).or_default() += 1);
        other.lines().for_each(|line| *counts.entry(line.to_owned()).or_default() -= 1);
        counts.retain(|_, count| *count != 0);
        Self { text, counts }
    }

    /// Returns whether a changed text has fewer such lines. Takes as long as comparing the two, and counts what differs only: there may be
    /// thousands of changes.
    fn shrinks(&self, changed: &str) -> bool {
        let (mut old, mut new): (Vec<&str>, Vec<&str>) = (self.text.lines().collect(), changed.lines().collect());
        let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        old.drain(..same);
        new.drain(..same);
        while !old.is_empty() && old.last() == new.last() {
            old.pop();
            new.pop();
        }
        let mut moves: BTreeMap<&str, i64> = BTreeMap::new();
        for (line, by) in old.into_iter().map(|line| (line, -1)).chain(new.into_iter().map(|line| (line, 1))) {
            *moves.entry(line).or_default() += by;
        }
        let growth = |(line, by): (&&str, &i64)| {
            let count = self.counts.get(*line).copied().unwrap_or_default();
            (count + by).abs() - count.abs()
        };
        moves.iter().map(growth).sum::<i64>() < 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_comes_back_makes_the_difference_smaller() {
        let (now, was) = ("a\nb = c\nd\n", "a\nb += c\nd\n");
        let difference = Difference::new(now, was);
        assert!(difference.shrinks(was));
        assert!(!difference.shrinks("a\nb = c + 1\nd\n") && !difference.shrinks(now));
        assert!(!difference.shrinks("a\nb = c\nb += c\nb -= c\nd\n"), "as much that is new");
        assert!(difference.shrinks("a\nd\n"), "a line that was not there is gone");
    }
}
