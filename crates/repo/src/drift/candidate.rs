//! The change of the manifests that excludes what broke the tests, and the change of the program that a release names itself.

use std::sync::LazyLock;

use autoheal_code::{Candidate, FixContext, fix, languages};
use autoheal_engine::diagnostics::Finding;
use regex::Regex;

use super::release::bound_between;
use super::suspects;
use crate::check_result::CheckResult;
use crate::session::Session;
use crate::state::{HealState, Offender, Proposal};
use crate::toolchain::Search;
use crate::toolchain::package_manager::PackageManager;

/// Name of the fixer of bounds.
pub(crate) const FIXER: &str = crate::commit_message::BOUND;

/// Warning that the tests do not pass with the changed manifests.
pub(crate) const REFUSED: &str = "with the bound in the manifests the failure is still there: something else, such as a command of CI, installs the \
                                  package; state the bound there";

/// Characters of an error's message that are stated with a bound.
const LONGEST: usize = 160;

/// Folders of this machine before the name of a file, and addresses with what leads to them.
static PLACES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let folders = r#"(?P<before>^|[\s('"=])/(?:[^\s/'":()]+/)+"#;
    let addresses =
        r"(?:\s*[,.;:(]?\s*(?:(?:See|Read|at|see|read)(?: also)?:?\s+)?https?://\S+(?: for (?:more|further) \w+)?)";
    Regex::new(&format!("{folders}|{addresses}")).ok()
});

/// The message of an error as it is stated with a bound, for good: short, and without places of the machine that met it.
pub(super) fn in_short(message: &str) -> String {
    let plain = message.replace('`', "'");
    let plain = PLACES.as_ref().map_or(plain.as_str().into(), |places| places.replace_all(&plain, "$before"));
    let plain = plain.trim_end_matches(['.', ' ', ',']);
    let Some((cut, _)) = plain.char_indices().nth(LONGEST) else { return plain.to_owned() };
    let whole = plain.get(..cut).unwrap_or_default();
    let words = whole.rsplit_once(' ').map_or(whole, |(words, _)| words);
    format!("{} ...", words.trim_end_matches([',', ';', ':']))
}

/// The bound that excludes the release that broke the tests, and what came after it.
pub(super) fn bound_of(last_good: &str, first_bad: &str) -> String {
    format!("<{}", bound_between(last_good, first_bad))
}

/// Proposes, once for each failure, what the failures themselves say to use in place of what is gone: such a change is smaller than a bound, and
/// keeps the new release. Returns whether there is any.
pub(super) fn propose_told(state: &mut HealState, session: &Session, result: &CheckResult) -> bool {
    let (sources, environment) = (session.sources(), session.environment());
    let new = result
        .findings
        .iter()
        .filter(|finding| suspects::may_be_to_blame(finding) && !state.drift.told.contains(&finding.key()));
    let told = new.filter_map(|finding| {
        let context = FixContext { finding, all_findings: &[], sources, environment };
        let fixer = languages::fixers(finding).into_iter().find(|fixer| fixer.name() == fix::TOLD_NAMES)?;
        let candidate = fixer.candidates(&context).into_iter().find(|candidate| sources.allows(candidate))?;
        Some((finding.clone(), candidate))
    });
    state.drift.proposals = told.collect();
    state.drift.told.extend(state.drift.proposals.iter().map(|(finding, _)| finding.key()));
    !state.drift.proposals.is_empty()
}

/// Proposes the change of the manifests, if the search found what to exclude.
pub(super) fn propose(
    state: &mut HealState,
    session: &Session,
    manager: &dyn PackageManager,
    search: Search<'_>,
    failure: Finding,
) {
    let Some(report) = state.drift.report.as_mut().filter(|report| report.is_complete) else { return };
    let Some(files) = manager.edits(search, session.sources(), &report.offenders) else {
        report.is_complete = false;
        "no manifest can state the bound".clone_into(&mut report.reason);
        return;
    };
    let bounds: Vec<String> =
        report.offenders.iter().map(|Offender { package, bound, .. }| format!("{package}{bound}")).collect();
    let candidate = Candidate {
        fixer: FIXER.to_owned(),
        category: failure.category,
        line: files.first().map_or(1, |edit| first_line(edit, session)),
        description: format!("require {}: {}", bounds.join(" and "), report.sentence()),
        cost: 0,
        files,
    };
    state.drift.bounds = Some(candidate.clone());
    state.drift.proposals = vec![(failure, candidate)];
}

pub(super) fn first_line(edit: &autoheal_code::FileEdit, session: &Session) -> u32 {
    let text = session.sources().text(&edit.file).unwrap_or_default();
    let at = edit.edits.first().map_or(0, |edit| edit.start);
    let before = text.get(..at).unwrap_or_default().matches('\n').count();
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

/// Takes the proposals for this round. Each is made once: when it is refused, the rules and the search have their turn.
pub(crate) fn take_proposals(state: &mut HealState) -> Vec<Proposal> {
    let mut proposals = std::mem::take(&mut state.drift.proposals);
    let observed = state.diagnosis.current.as_ref();
    proposals.retain(|(target, _)| observed.is_some_and(|observed| observed.result.times(&target.key()) > 0));
    proposals.into_iter().map(|(target, candidate)| Proposal { target, candidates: vec![candidate] }).collect()
}

/// Returns whether a candidate is just the change that this search proposed: that alone may touch a protected manifest. No fixer and no model
/// writes what it is compared with.
pub(crate) fn is_own(state: &HealState, candidate: &Candidate) -> bool {
    state.drift.bounds.as_ref() == Some(candidate)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(
        "ImportError: cannot import name 'a' from 'b' (/root/e/lib/python3.9/site-packages/b/__init__.py)",
        "ImportError: cannot import name 'a' from 'b' (__init__.py)"
    )]
    #[case(
        "PydanticImportError: `A` has been moved to the `b-c` package. See https://d.example/2.14/#a for more details.",
        "PydanticImportError: 'A' has been moved to the 'b-c' package"
    )]
    #[case("Error: Cannot find module '/tmp/x/node_modules/a/b'", "Error: Cannot find module 'b'")]
    #[case("AssertionError: 1/2 != a/b", "AssertionError: 1/2 != a/b")]
    fn a_message_is_stated_without_places(#[case] message: &str, #[case] expected: &str) {
        assert_eq!(in_short(message), expected);
    }

    #[test]
    fn a_long_message_ends_with_a_word() {
        let short = in_short(&format!("ValueError: {}", "word ".repeat(60)));
        assert!(short.chars().count() <= LONGEST + 4 && short.ends_with("word ..."), "{short}");
    }
}
