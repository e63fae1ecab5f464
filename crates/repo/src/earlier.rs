//! The commit before the last one: what the last commit changed, and, as a hint, which repairs restore lines. Of two repairs, the one that
//! restores a line is more likely right; this changes only the order in which candidates are tried.

use std::collections::BTreeMap;

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
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut earlier = |file: &str| -> Option<String> {
        // A text that does not parse says nothing about what is right.
        let read = || text_of(&before, file).filter(|text| language::check(file, text).is_ok());
        texts.entry(file.to_owned()).or_insert_with(read).clone()
    };
    let mut brings_back = |candidate: &Candidate| {
        candidate.files.iter().any(|edit| {
            let (Some(was), Some(is)) = (earlier(&edit.file), session.sources().text(&edit.file)) else { return false };
            edit.apply(is).is_ok_and(|healed| difference(&healed, &was) < difference(is, &was))
        })
    };
    let verdicts: Vec<bool> = candidates.iter().map(&mut brings_back).collect();
    if verdicts.contains(&true) {
        for (candidate, _) in candidates.iter_mut().zip(verdicts).filter(|(_, brings_back)| !brings_back) {
            candidate.cost = candidate.cost.saturating_add(BRINGS_NOTHING_BACK);
        }
    }
}

/// Counts the lines that only one of the two texts has, regardless of their position.
fn difference(text: &str, other: &str) -> usize {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    text.lines().for_each(|line| *counts.entry(line).or_default() += 1);
    other.lines().for_each(|line| *counts.entry(line).or_default() -= 1);
    let sum: u64 = counts.values().map(|count| count.unsigned_abs()).sum();
    usize::try_from(sum).unwrap_or(usize::MAX)
}
