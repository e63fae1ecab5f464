//! Bounds of earlier runs: where the tests pass, and a release came that a bound excludes without having been seen to break them, the change
//! that lifts the bound is proposed. The history of the repository remembers the bounds: what stated one names it in its message.

use std::collections::BTreeSet;
use std::ops::Range;

use autoheal_code::{Candidate, Edit, FileEdit, Sources};
use autoheal_engine::diagnostics::{Category, Finding, Key, Location, Source};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_forge::CommitId;

use super::{Releases, releases};
use crate::checkout::Checkout;
use crate::commit_message::{BOUND_TRAILER, LIFT, StatedBound, stated_bounds};
use crate::session::Session;
use crate::state::HealState;
use crate::step_error::forge_error;
use crate::toolchain::Search;
use crate::toolchain::package_manager::PackageManager;

/// Commits with bounds that are looked at, the newest first.
const MOST_COMMITS: usize = 20;

/// A commit whose bounds are in the manifests as it wrote them.
struct Standing {
    bounds: Vec<StatedBound>,
    files: Vec<FileEdit>,
}

/// Proposes to lift the bounds of one commit, if releases came since that may fit.
pub(super) async fn look(
    state: &mut HealState,
    session: &mut Session,
    manager: &dyn PackageManager,
    search: Search<'_>,
) -> Result<(), StepError> {
    let standing = standing(state, session.sources(), manager, search.checkout).await?;
    if standing.is_empty() {
        return Ok(());
    }
    let names = standing.iter().flat_map(|one| &one.bounds).map(|bound| bound.package.clone());
    let names: BTreeSet<String> = names.collect();
    let known = releases(session, state, manager, search, &Vec::from_iter(names)).await?;
    for Standing { bounds, files } in standing {
        let newer: Option<Vec<String>> = bounds.iter().map(|bound| newer_of(bound, &known)).collect();
        if let Some(newer) = newer {
            propose(state, session, search.context, &bounds, &newer, files);
            return Ok(());
        }
    }
    Ok(())
}

/// The newest release of a package, if it came after those that were seen to break the tests.
fn newer_of(bound: &StatedBound, known: &Releases) -> Option<String> {
    let known = known.get(&bound.package)?;
    let broken = known.iter().position(|release| release.version == bound.broken);
    let newest = known.last().filter(|newest| newest.version != bound.broken)?;
    // Where the one that broke the tests was withdrawn, what is left may lie before it.
    broken.map(|_| format!("{} {}", bound.package, newest.dated()))
}

fn propose(
    state: &mut HealState,
    session: &Session,
    context: &StepContext,
    bounds: &[StatedBound],
    newer: &[String],
    files: Vec<FileEdit>,
) {
    let bounds: Vec<String> = bounds.iter().map(|bound| format!("{}{}", bound.package, bound.range)).collect();
    let (bounds, newer) = (bounds.join(" and "), newer.join(" and "));
    let first = files.first();
    let line = first.map_or(1, |edit| super::candidate::first_line(edit, session));
    let target = Finding {
        source: Source::Lint,
        category: Category::Linting,
        file: first.map(|edit| edit.file.clone()),
        location: Some(Location { line, column: None }),
        message: format!("{bounds} excludes {newer}, which came later and may pass the tests"),
        stack: None,
    };
    context.note("drift", target.message.clone());
    let description = format!("lift {bounds}: the tests pass with {newer}");
    let (fixer, category) = (LIFT.to_owned(), Category::Linting);
    let candidate = Candidate { fixer, category, line, description, cost: 0, files };
    if let Some(observed) = &mut state.diagnosis.current {
        observed.result.advice.push(target.clone());
    }
    observe(state, context);
    // An earlier installation may hold the release that broke the tests.
    state.drift.resolved_since = Some(context.now());
    state.drift.bounds = Some(candidate.clone());
    state.drift.proposals = vec![(target, candidate)];
}

/// Takes the advice back to lift a bound: with the newest release the tests fail.
pub(crate) fn keep(state: &mut HealState, key: &Key, context: &StepContext) {
    let Some(observed) = &mut state.diagnosis.current else { return };
    let advice = &mut observed.result.advice;
    let Some(at) = advice.iter().position(|finding| finding.key() == *key) else { return };
    let refused = advice.remove(at);
    let reason = state.tried.patch_log.last().map(|entry| entry.reason.clone()).unwrap_or_default();
    state.warn(format!("{}: that was tried, and {reason}; the bound stays", refused.message));
    observe(state, context);
}

fn observe(state: &mut HealState, context: &StepContext) {
    if let Some(observed) = state.diagnosis.current.clone() {
        state.observe(&observed.result, "bounds of earlier runs", context.now());
    }
}

/// The commits of the history whose bounds are in the manifests, the newest first.
async fn standing(
    state: &HealState,
    sources: &Sources,
    manager: &dyn PackageManager,
    checkout: &Checkout,
) -> Result<Vec<Standing>, StepError> {
    let Some(origin) = &state.analysis.origin else { return Ok(Vec::new()) };
    let (git, clone) = (&checkout.git, checkout.folders.clone_folder());
    let base = CommitId::parse(&origin.base_commit).map_err(|error| forge_error(&error))?;
    let commits =
        git.log_with(&clone, &base, BOUND_TRAILER, MOST_COMMITS).await.map_err(|error| forge_error(&error))?;
    let mut standing = Vec::new();
    for commit in commits {
        let bounds = stated_bounds(&commit.message);
        let Some(parent) = commit.parents.first().filter(|_| !bounds.is_empty()) else { continue };
        let changed = git.changed_files(&clone, parent, &commit.id).await.map_err(|error| forge_error(&error))?;
        let mut files = Vec::new();
        for file in changed.into_iter().filter(|file| manager.states_bounds(file)) {
            let mut texts = Vec::new();
            for at in [parent, &commit.id] {
                let bytes = git.file(&clone, at, &file).await.map_err(|error| forge_error(&error))?;
                texts.extend(bytes.and_then(|bytes| String::from_utf8(bytes).ok()));
            }
            if let ([before, after], Some(now)) = (texts.as_slice(), sources.text(&file))
                && let Some(edit) = taken_back(before, after, now)
            {
                files.push(FileEdit::single(file, edit));
            }
        }
        if !files.is_empty() {
            standing.push(Standing { bounds, files });
        }
    }
    Ok(standing)
}

/// Returns the edit of `now` that takes back the change of whole lines from `before` to `after`; `None`: they are not there just once.
fn taken_back(before: &str, after: &str, now: &str) -> Option<Edit> {
    let (old, new) = (lines(before), lines(after));
    let start = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let (old, new) = (old.get(start..)?, new.get(start..)?);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
    let (old, new) = (old.get(..old.len() - end)?.concat(), new.get(..new.len() - end)?.concat());
    let is_line = |at: &usize| *at == 0 || now.get(..*at).is_some_and(|head| head.ends_with('\n'));
    let mut places = now.match_indices(&new).map(|(at, _)| at).filter(is_line);
    let place: Range<usize> = match (places.next(), places.next()) {
        (Some(at), None) if !new.is_empty() => at..at + new.len(),
        _ => return None,
    };
    Some(Edit::replace(place, old))
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::state::Release;

    #[rstest]
    #[case::as_it_was_written("a\nb\n", "a\n# why\nb<2\n", "a\n# why\nb<2\n", Some("a\nb\n"))]
    #[case::others_came_since("b\n", "# why\nb<2\n", "new\n# why\nb<2\nlast\n", Some("new\nb\nlast\n"))]
    #[case::added_alone("a\n", "a\n# why\nb<2\n", "a\n# why\nb<2\nc\n", Some("a\nc\n"))]
    #[case::written_anew_since("b\n", "b<2\n", "b<3\n", None)]
    #[case::lifted("b\n", "b<2\n", "b\n", None)]
    #[case::there_twice("b\n", "b<2\n", "b<2\nb<2\n", None)]
    #[case::a_part_of_a_line("b\n", "b<2\n", "bb<2\n", None)]
    #[case::nothing_but_taken_away("a\nb\n", "a\n", "a\n", None)]
    fn a_change_is_taken_back_where_it_stands(
        #[case] before: &str,
        #[case] after: &str,
        #[case] now: &str,
        #[case] expected: Option<&str>,
    ) {
        let edit = taken_back(before, after, now);
        let text = edit.map(|edit| FileEdit::single("file", edit).apply(now).unwrap());
        assert_eq!(text.as_deref(), expected);
    }

    #[rstest]
    #[case::later(&["1.0", "2.0", "2.1"], Some("gadget 2.1 (released 2024-05-01)"))]
    #[case::the_same(&["1.0", "2.0"], None)]
    #[case::withdrawn(&["1.0"], None)]
    fn only_a_later_release_is_a_reason(#[case] versions: &[&str], #[case] expected: Option<&str>) {
        let release = |version: &&str| Release {
            version: (*version).to_owned(),
            released: Some("2024-05-01T00:00:00Z".to_owned()),
        };
        let known = Releases::from([("gadget".to_owned(), versions.iter().map(release).collect())]);
        let bound = StatedBound { package: "gadget".to_owned(), range: "<2".to_owned(), broken: "2.0".to_owned() };
        assert_eq!(newer_of(&bound, &known).as_deref(), expected);
    }
}
