//! The change of the manifests that excludes what broke the tests.

use autoheal_code::Candidate;
use autoheal_engine::diagnostics::Finding;

use super::release::bound_between;
use crate::session::Session;
use crate::state::{HealState, Offender, Proposal};
use crate::toolchain::Search;
use crate::toolchain::package_manager::PackageManager;

/// Name of the fixer of bounds.
pub(crate) const FIXER: &str = crate::commit_message::BOUND;

/// Warning that the tests do not pass with the changed manifests.
pub(crate) const REFUSED: &str = "with the bound in the manifests the failure is still there: something else, such as a command of CI, installs the \
                                  package; state the bound there";

/// The bound that excludes the release that broke the tests, and what came after it.
pub(super) fn bound_of(last_good: &str, first_bad: &str) -> String {
    format!("<{}", bound_between(last_good, first_bad))
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
    state.drift.proposal = Some((failure, candidate));
}

pub(super) fn first_line(edit: &autoheal_code::FileEdit, session: &Session) -> u32 {
    let text = session.sources().text(&edit.file).unwrap_or_default();
    let at = edit.edits.first().map_or(0, |edit| edit.start);
    let before = text.get(..at).unwrap_or_default().matches('\n').count();
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

/// Takes the proposal for this round. It is made once: when it is refused, the rules and the search have their turn.
pub(crate) fn take_proposal(state: &mut HealState) -> Option<Proposal> {
    let (target, candidate) = state.drift.proposal.take()?;
    let is_red = state.diagnosis.current.as_ref().is_some_and(|observed| observed.result.times(&target.key()) > 0);
    is_red.then(|| Proposal { target, candidates: vec![candidate] })
}

/// Returns whether a candidate is just the change that this search proposed: that alone may touch a protected manifest. No fixer and no model
/// writes what it is compared with.
pub(crate) fn is_own(state: &HealState, candidate: &Candidate) -> bool {
    state.drift.bounds.as_ref() == Some(candidate)
}
