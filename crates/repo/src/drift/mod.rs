//! Dependencies that drifted: nothing in the repository changed, and a new release of something that it does not pin broke its tests.
//!
//! A failure is looked at before any change of the program is tried, except one that the failure names itself. Distributions that it speaks
//! against, and that were released since the repository was green, are exchanged for older releases, one after the other, in copies of the
//! environment. When the tests pass, the manifests get the widest bound that excludes what broke; the change is a candidate like any other, and
//! is judged in an environment that is installed from the changed manifests.
//!
//! # Layout
//!
//! - `suspects`: the distributions that a failure speaks against
//! - `release`, `walk`: releases in their order, and the few of them that are tried
//! - `hunt`: environments, and the tests in them
//! - `hunt::days`, `calendar`: all distributions together as they were on a day, and the first day on which the tests fail
//! - `candidate`: the change of the manifests
//! - `lift`: bounds of earlier runs, when a later release passes

mod calendar;
mod candidate;
mod hunt;
mod lift;
mod release;
mod suspects;
mod walk;

use std::collections::BTreeMap;
use std::time::Duration;

use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_forge::CommitId;

use self::hunt::Hunt;
use self::suspects::{Case, Evidence};
use crate::check_result::{CheckResult, TestState};
use crate::checkout::Checkout;
use crate::flaky::{self, conditions::Conditions};
use crate::session::Session;
use crate::settings::HealSettings;
use crate::state::{Diagnosis, DriftReport, HealState, InstalledPackage};
use crate::step_error::forge_error;
use crate::test_scope::Scope;
use crate::test_setup::project_of;
use crate::toolchain::installing;
use crate::toolchain::package_manager::{Distribution, PackageManager};
use crate::toolchain::{Place, Search};
use crate::toolchains;

pub(crate) use candidate::{FIXER, REFUSED, is_own, take_proposals};
pub(crate) use lift::keep;
pub use release::Release;

/// The releases of packages, the oldest first.
type Releases = BTreeMap<String, Vec<Release>>;

/// Searches for drifted dependencies, once for a run: for what broke the tests when they fail and a dependency may be to blame, for bounds that
/// may be lifted when they pass.
pub(crate) async fn look(
    state: &mut HealState,
    session: &mut Session,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<(), StepError> {
    let Some(observed) = state.diagnosis.current.clone() else { return Ok(()) };
    let setup = session.setup().clone();
    let manager = toolchains::of(setup.main_tools.language).package_manager();
    let Some(manager) = manager.filter(|_| settings.drift_environments > 0) else { return Ok(()) };
    // An environment of the user, or of a command that the user named, is left alone.
    let is_ours = manager.has_installed(&setup.main_tools.interpreter) && state.request.install_command.is_none();
    if !is_ours {
        return Ok(());
    }
    let may_lift = observed.result.is_green() && state.fixes.accepted.is_empty();
    let failure = failure_in(&observed.result, &state.diagnosis);
    if !state.drift.installed.is_empty() || (failure.is_none() && !may_lift) {
        return Ok(());
    }
    let project = project_of(&setup, state, checkout).await?;
    let search = Search { setup: &setup, project: &project, checkout, settings, context };
    let Some(failure) = failure else { return lift::look(state, session, manager, search).await };
    if candidate::propose_told(state, session, &observed.result) {
        return Ok(());
    }
    let installed = installed(session, manager, search).await?;
    let named = |one: &Distribution| InstalledPackage { name: one.name.clone(), version: one.version.clone() };
    state.drift.installed = installed.iter().map(named).collect();
    if let Some(lock) = manager.lock(search) {
        context.note("drift", format!("{lock} holds the versions of all dependencies: none of them drifted"));
        return Ok(());
    }
    let direct = manager.stated(search);
    let case = Case {
        installed: &installed,
        direct: &direct,
        sources: session.sources(),
        command: &setup.main_suite.tests.words,
        complaints: manager.complaints(),
    };
    let suspected = suspects::of(&failure, &case);
    if suspected.is_empty() {
        return Ok(());
    }
    // Asked first: a few tests take less time than the registries do.
    let limit = Duration::from_secs(state.request.limits.test_seconds);
    let tests = hunt::tests_of(session, &observed.result, &failure);
    if passes_before(&tests, &failure, limit, session, context).await? {
        return Ok(());
    }
    let since = green_since(state, checkout).await?;
    let names: Vec<String> = suspected.iter().map(|(_, one)| one.name.clone()).collect();
    let releases = releases(session, state, manager, search, &names).await?;
    if !suspected.iter().any(|(evidence, one)| may_have_drifted(*evidence, one, &releases, since.as_deref())) {
        return Ok(());
    }
    let scope = hunt::scope_of(session, &observed.result, &failure, limit, context).await?;
    // Tests that cannot be run by themselves said nothing.
    if scope != tests && passes_before(&scope, &failure, limit, session, context).await? {
        return Ok(());
    }
    context.note("drift", format!("a dependency may have drifted; looked at first: {}", names.join(", ")));
    state.drift.report = Some(DriftReport { since, ..DriftReport::default() });
    let mut hunt = Hunt::new(state, session, manager, search, releases, &failure);
    hunt.follow(failure.clone(), installed, scope).await?;
    hunt.end().await?;
    candidate::propose(state, session, manager, search, failure);
    let report = state.drift.report.as_ref().map(DriftReport::sentence).unwrap_or_default();
    context.note("drift", report.clone());
    state.warn(report);
    Ok(())
}

/// The first failure that a dependency may be to blame for; one that depends on something else as well comes after all others.
fn failure_in(result: &CheckResult, diagnosis: &Diagnosis) -> Option<Finding> {
    // A file that does not parse hides the rest.
    let is_unread = result.findings.iter().any(|finding| crate::acceptance::is_unreadable(finding.category));
    let to_blame = || result.findings.iter().filter(|finding| !is_unread && suspects::may_be_to_blame(finding));
    let is_constant = |finding: &&Finding| flaky::of(diagnosis, &finding.key()).is_none();
    to_blame().find(is_constant).or_else(|| to_blame().next()).cloned()
}

/// The distributions of the environment at hand.
async fn installed(
    session: &mut Session,
    manager: &dyn PackageManager,
    search: Search<'_>,
) -> Result<Vec<Distribution>, StepError> {
    let words = manager.installed_words(&session.place(), search);
    let outcome = session.query(words).await?;
    let read: Result<Vec<Distribution>, _> = serde_json::from_slice(&outcome.stdout);
    if let Err(error) = &read {
        search.context.note("warning", format!("it is not known what is installed: {error}"));
    }
    let keyed = |one: Distribution| one.keyed(manager.complaints());
    Ok(read.unwrap_or_default().into_iter().map(keyed).collect())
}

/// The releases of packages; none of those that no registry knows.
async fn releases(
    session: &mut Session,
    state: &HealState,
    manager: &dyn PackageManager,
    search: Search<'_>,
    names: &[String],
) -> Result<Releases, StepError> {
    // By the interpreter as it was found: no other is part of the workspace of this command.
    let words = manager.releases_words(&Place { setup: search.setup, ..session.place() }, names);
    let outcome = installing::ask_registries(search, state, words).await?;
    let read: Result<Releases, _> = serde_json::from_slice(&outcome.stdout);
    if let Err(error) = &read {
        let names = names.join(", ");
        search
            .context
            .note("warning", format!("the releases of {names} are not known: the answer cannot be read: {error}"));
    }
    Ok(read.unwrap_or_default())
}

/// Returns whether the tree of the commit before does not show the failure with what is installed now: then the last commit broke it.
async fn passes_before(
    scope: &Scope,
    failure: &Finding,
    limit: Duration,
    session: &mut Session,
    context: &StepContext,
) -> Result<bool, StepError> {
    if session.tree_before().is_none() {
        return Ok(false);
    }
    let conditions = Conditions { is_before: true, ..Conditions::default() };
    let before = session.rerun(0, scope, &conditions, limit, context).await?.result;
    Ok(!hunt::shows(&before, failure) && before.count(TestState::Passed) > 0)
}

/// The day from which the repository is taken to have been green: that of the commit before the last, else of the last. The last one may be what CI
/// ran on when it turned red.
async fn green_since(state: &HealState, checkout: &Checkout) -> Result<Option<String>, StepError> {
    let Some(origin) = &state.analysis.origin else { return Ok(None) };
    let clone = checkout.folders.clone_folder();
    let base = CommitId::parse(&origin.base_commit).map_err(|error| forge_error(&error))?;
    let parent = checkout.git.parent(&clone, &base).await.map_err(|error| forge_error(&error))?;
    let dated = match &parent {
        Some(parent) => parent,
        None => &base,
    };
    let before = checkout.git.parent(&clone, dated).await.map_err(|error| forge_error(&error))?;
    let log = checkout.git.log(&clone, before.as_ref(), dated).await.map_err(|error| forge_error(&error))?;
    let commit = log.into_iter().find(|commit| commit.id == *dated);
    Ok(commit.and_then(|commit| commit.at.to_rfc3339().get(..10).map(str::to_owned)))
}

/// Returns whether the installed release came after the day when the repository was green, as far as is known.
fn may_have_drifted(evidence: Evidence, one: &Distribution, releases: &Releases, since: Option<&str>) -> bool {
    let known = releases.get(&one.name).map(Vec::as_slice).unwrap_or_default();
    let installed = known.iter().find(|release| release.version == one.version);
    let (Some(installed), Some(since)) = (installed, since) else { return installed.is_some() };
    let is_new = installed.day().is_none_or(|day| day > since);
    // A mirror may have other days: if no release is as old as the repository, the days say nothing, and the error itself has to name the
    // distribution.
    let mut days = known.iter().filter_map(Release::day).peekable();
    let are_known = days.peek().is_none() || days.any(|day| day <= since);
    is_new && (are_known || evidence == Evidence::Named)
}
