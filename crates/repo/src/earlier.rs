//! The commit before the last one: what the last commit changed, as a hint which repairs restore lines, and as repairs of their own. Of two
//! repairs, the one that restores a line is more likely right. The tests decide about each like about any other. Where nothing else heals a
//! failure, lines that the commits before it changed are restored, too: it may have come with any of them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use autoheal_code::search::Lines;
use autoheal_code::{Candidate, Edit, FileEdit, LanguageId, Sources, languages};
use autoheal_engine::diagnostics::Finding;
use autoheal_forge::CommitId;
use autoheal_sandbox::untrusted::UntrustedFolder;
use similar::TextDiff;

use crate::acceptance::is_unreadable;
use crate::checkout::Checkout;
use crate::session::Session;
use crate::tree::text_of;

/// Extra cost of a candidate that restores nothing where another one does: more than the costs of any two repairs of one fault differ by.
const BRINGS_NOTHING_BACK: u32 = 10_000;

/// Name of the fixer that restores lines of the commit before.
pub(crate) const FIXER: &str = "restored_lines";

/// Maximum number of lines that are restored or replaced at one place: more than that is rather what the last commit was made for.
const FEW_LINES: usize = 8;

/// Maximum number of restorations that are proposed for one failure.
const MOST_RESTORATIONS: usize = 12;

/// Cost of a restoration, ten bits: what a rule is sure of comes first, as it keeps what the last commit meant; guesses come after it.
const RESTORING: u32 = 1_000;

/// Extra cost of a restoration in a file that the failure does not name.
const ELSEWHERE: u32 = 100;

/// Maximum number of commits before the last one of which lines are restored: what was green before is a matter of days.
const MOST_COMMITS: u32 = 10;

/// Maximum number of files of such a commit: one that changes more is no slip.
const MOST_FILES: usize = 50;

/// Maximum number of bytes that are compared for that.
const MOST_BYTES: usize = 8 << 20;

/// Extra cost of a restoration for each commit that it goes further back.
const FURTHER_BACK: u32 = 50;

/// Maximum number of lines that were added by mistake, such as a paste into the wrong window.
const STRAY_LINES: usize = 3;

/// Extra cost of removing lines that the last commit added: they may be what it was made for, with a slip that a rule knows how to mend.
const REMOVING: u32 = 500;

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
    let programs = sources.iter().filter(|(file, _)| LanguageId::of(file).is_some() && sources.is_editable(file));
    let compared = programs.map(|(file, text)| Changed { file, text, before: text_of(&tree, file) });
    compared.filter(|program| program.before.as_deref() != Some(program.text)).collect()
}

/// The lines that the last commit changed in files that were there before.
pub(crate) fn changed_lines(session: &Session) -> Lines {
    let lines = changed(session).into_iter().filter_map(|Changed { file, text, before }| {
        let before = before?;
        let diff = TextDiff::from_lines(before.as_str(), text);
        let added = diff.iter_all_changes().filter(|change| change.tag() == similar::ChangeTag::Insert);
        let numbers = added.filter_map(|change| u32::try_from(change.new_index()? + 1).ok());
        Some((file.to_owned(), numbers.collect()))
    });
    lines.collect()
}

/// A place at which the last commit replaced, removed or added a few lines.
pub(crate) struct Place {
    file: String,
    /// The edit that takes back what the commit did there.
    edit: Edit,
    /// First line of the place, from 1.
    line: u32,
    /// Number of lines that the commit only added there, which are no program by themselves; 0 if it replaced or removed lines.
    stray: u32,
    /// Number of commits between this one and the last.
    age: u32,
}

/// The places that restorations may take back. Lines that the commit only added are what it was made for, unless they are no program.
pub(crate) fn places(session: &Session) -> Vec<Place> {
    let known = changed(session).into_iter().filter_map(|Changed { file, text, before }| {
        let before = before?;
        Some(places_in(file, text, &before))
    });
    known.flatten().collect()
}

/// The places at which commits before the last one changed what is still there, the nearest first. `base`: the last commit. A clone goes back as
/// far as it does, and what git cannot say or what is too long ends it. `recent`: those of the last commit, which are left out.
pub(crate) async fn older_places(
    sources: &Sources,
    recent: Vec<Place>,
    checkout: &Checkout,
    base: &CommitId,
) -> Vec<Place> {
    let (git, clone) = (&checkout.git, checkout.folders.clone_folder());
    let (known, mut found, mut left) = (recent.len(), recent, MOST_BYTES);
    let parent = async |commit: &CommitId| git.parent(&clone, commit).await.ok().flatten();
    let mut newer = parent(base).await;
    for age in 1..=MOST_COMMITS {
        let Some(commit) = newer else { break };
        let Some(older) = parent(&commit).await else { break };
        let Ok(changed) = git.changed_files(&clone, &older, &commit).await else { break };
        let programs = changed.iter().filter(|file| LanguageId::of(file).is_some() && sources.is_editable(file));
        for file in programs.take(MOST_FILES) {
            let Some(text) = sources.text(file) else { continue };
            let Ok(Some(before)) = git.file(&clone, &older, file).await else { continue };
            let Ok(before) = String::from_utf8(before) else { continue };
            let Some(rest) = left.checked_sub(text.len() + before.len()) else { continue };
            left = rest;
            for place in places_in(file, text, &before) {
                // The same lines may have been changed by a commit after it.
                if !found.iter().any(|nearer| nearer.file == place.file && nearer.edit == place.edit) {
                    found.push(Place { age, ..place });
                }
            }
        }
        newer = Some(older);
    }
    found.split_off(known)
}

/// Returns a candidate for each place that is a repair of the target: it restores the lines of the commit before. Stray lines are removed where
/// the file of the target stops being a program.
pub(crate) fn restorations(places: &[Place], target: &Finding) -> Vec<Candidate> {
    let line = target.location.map_or(0, |location| location.line);
    let mut candidates: Vec<Candidate> = Vec::new();
    for place in places {
        let is_named = target.file.as_deref() == Some(place.file.as_str());
        let is_here = || is_unreadable(target.category) && (place.line..=place.line + place.stray).contains(&line);
        let (extra, description) = match (place.stray, is_named) {
            (0, true) => (0, description(place)),
            (0, false) => (ELSEWHERE, description(place)),
            (_, true) if is_here() => (REMOVING, "remove what the last commit added here".to_owned()),
            (_, _) => continue,
        };
        candidates.push(Candidate {
            fixer: FIXER.to_owned(),
            category: target.category,
            line: place.line,
            description,
            cost: RESTORING + extra + FURTHER_BACK.saturating_mul(place.age),
            files: vec![FileEdit::single(place.file.clone(), place.edit.clone())],
        });
    }
    // Stable, so that what is equally far keeps its order.
    candidates.sort_by_key(|candidate| (candidate.cost, candidate.line.abs_diff(line)));
    candidates.truncate(MOST_RESTORATIONS);
    candidates
}

/// Moves what a candidate puts back to where it was: an import that a rule knows to be missing stands where its author had it.
pub(crate) fn put_where_they_were(candidates: &mut [Candidate], restorations: &[Candidate], sources: &Sources) {
    let lines = |edit: &FileEdit| -> Option<Vec<String>> {
        let healed = edit.apply(sources.text(&edit.file)?).ok()?;
        let mut lines: Vec<String> = healed.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        Some(lines)
    };
    let restored: Vec<(&FileEdit, Vec<String>)> = restorations
        .iter()
        .flat_map(|restoration| &restoration.files)
        .filter_map(|edit| Some((edit, lines(edit)?)))
        .collect();
    for candidate in candidates {
        let [own] = candidate.files.as_slice() else { continue };
        let in_file = restored.iter().filter(|(edit, _)| edit.file == own.file);
        let Some(made) = in_file.clone().next().and_then(|_| lines(own)) else { continue };
        if let Some((edit, _)) = in_file.into_iter().find(|(_, lines)| *lines == made) {
            candidate.files = vec![(*edit).clone()];
        }
    }
}

/// The places of one file. `text`: as it is, `before`: as it was.
fn places_in(file: &str, text: &str, before: &str) -> Vec<Place> {
    let (starts, starts_before) = (line_starts(text), line_starts(before));
    let bytes = |starts: &[usize], lines: &Range<usize>| {
        Some(*starts.get(lines.start)?..*starts.get(lines.end)?).filter(|_| lines.len() <= FEW_LINES)
    };
    let is_program = |lines: &str| {
        let alone: String = lines.lines().flat_map(|line| [line.trim_start(), "\n"]).collect();
        languages::check(file, &alone).is_ok()
    };
    let diff = TextDiff::from_lines(text, before);
    let changes = diff.ops().iter().filter(|op| op.tag() != similar::DiffTag::Equal);
    let found = changes.filter_map(|op| {
        let (now, then) = (op.old_range(), op.new_range());
        let (place, lines) = (bytes(&starts, &now)?, before.get(bytes(&starts_before, &then)?)?);
        let is_added = then.is_empty();
        let may_be_stray = is_added && now.len() <= STRAY_LINES && !is_program(text.get(place.clone())?);
        let is_lost = !lines.trim().is_empty();
        (is_lost || may_be_stray).then_some(())?;
        let line = u32::try_from(now.start + 1).ok()?;
        let stray = if is_added { u32::try_from(now.len()).ok()? } else { 0 };
        Some(Place { file: file.to_owned(), edit: Edit::replace(place, lines), line, stray, age: 0 })
    });
    found.collect()
}

/// The first byte of each line, and the end of the text.
fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some(*at)
    });
    std::iter::once(0).chain(ends).collect()
}

fn description(place: &Place) -> String {
    const LONGEST: usize = 60;
    let source = if place.age == 0 { "the commit before" } else { "an older commit" };
    let mut own = place.edit.replacement.lines().map(str::trim).filter(|line| !line.is_empty());
    let first: String = own.next().unwrap_or_default().chars().take(LONGEST).collect();
    match own.count() {
        0 => format!("restore '{first}' of {source}"),
        more => format!("restore '{first}' and {more} more lines of {source}"),
    }
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
            let read = || text_of(&before, file).filter(|was| was != text && languages::check(file, was).is_ok());
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
    /// Number of times that the text has a line more often than the other.
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
    use autoheal_engine::diagnostics::{Category, Location, Source};

    use super::*;

    #[test]
    fn few_lines_that_were_replaced_or_removed_are_restored() {
        let restored = |text: &str, before: &str| -> Vec<(String, u32)> {
            let lost = places_in("a", text, before).into_iter().filter(|place| place.stray == 0);
            lost.map(|place| (FileEdit::single("a", place.edit).apply(text).unwrap(), place.line)).collect()
        };
        let before = "a\nif b:\n    return\nc\nd";
        assert_eq!(restored("a\nc\nd", before), [(before.to_owned(), 2)]);
        // Each place by itself, and what was only added stays.
        let now = "e\na\nif b\n    return\nc\nD";
        let (first, second) = ("e\na\nif b:\n    return\nc\nD", "e\na\nif b\n    return\nc\nd");
        assert_eq!(restored(now, before), [(first.to_owned(), 3), (second.to_owned(), 6)]);
        let many = "x\n".repeat(FEW_LINES + 1);
        assert_eq!(restored("a\n", &many), []);
        assert_eq!(restored(&many, "a\n"), []);
        assert_eq!(restored("a\n", "a\n\n"), []);
    }

    #[test]
    fn what_a_rule_puts_back_stands_where_it_was() {
        let (before, text) = ("import json\nimport os\n\nx = 1\n", "import os\n\nx = 1\n");
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("a.py", text, false);
        let target = Finding {
            source: Source::Test,
            category: Category::TypeError,
            file: Some("a.py".to_owned()),
            location: None,
            message: String::new(),
            stack: None,
        };
        let restorations = restorations(&places_in("a.py", text, before), &target);
        let inserted = |lines: &str| Candidate {
            files: vec![FileEdit::single("a.py", Edit::insert(text.find("\nx").unwrap(), lines))],
            ..restorations[0].clone()
        };
        let mut candidates = [inserted("import json\n"), inserted("import jsn\n")];
        put_where_they_were(&mut candidates, &restorations, &sources);
        let made = candidates.map(|candidate| candidate.files[0].apply(text).unwrap());
        assert_eq!(made, [before.to_owned(), "import os\nimport jsn\n\nx = 1\n".to_owned()]);
    }

    #[test]
    fn lines_that_are_no_program_are_removed_where_the_file_stops_to_parse() {
        let before = "import os\n\nx = 1\n";
        let target = |category, line| Finding {
            source: Source::Test,
            category,
            file: Some("a.py".to_owned()),
            location: Some(Location { line, column: None }),
            message: String::new(),
            stack: None,
        };
        let removed_as = |added: &str, target: &Finding| {
            let text = before.replace("\nx", &format!("{added}\nx"));
            let found = restorations(&places_in("a.py", &text, before), target).pop();
            found.map(|candidate| candidate.files[0].apply(&text).unwrap())
        };
        let removed = |added: &str, line: u32| removed_as(added, &target(Category::Syntax, line));
        assert_eq!(removed("$ python -m shop\n", 2).as_deref(), Some(before));
        assert_eq!(removed("$ python -m shop\n", 5), None, "elsewhere");
        assert_eq!(removed("y = 2\n", 2), None, "a program");
        assert_eq!(removed(&"$ ls\n".repeat(STRAY_LINES + 1), 2), None, "more than a slip");
        assert_eq!(removed_as("$ python -m shop\n", &target(Category::Logic, 2)), None, "the file is read");
    }

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
