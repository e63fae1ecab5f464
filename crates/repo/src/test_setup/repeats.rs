//! Suites that CI runs with several versions of an interpreter: each is repeated with those that this machine has, if the user wants it.

use std::collections::{BTreeMap, BTreeSet};

use autoheal_code::LanguageId;
use autoheal_engine::workflow::{StepContext, StepError};

use super::setup_of;
use crate::checkout::Checkout;
use crate::project::Project;
use crate::repo_config::Version;
use crate::settings::HealSettings;
use crate::setup::{Setup, Suite, Tools};
use crate::state::HealState;
use crate::toolchain::{OtherVersion, Search};
use crate::toolchains;

/// Suites to repeat with another version.
pub(super) struct Repeat {
    pub(super) language: LanguageId,
    pub(super) version: Version,
    pub(super) suites: Vec<Suite>,
}

impl Repeat {
    /// Finds the interpreter with everything that the suites need. `search`: that of the main suite.
    pub(super) async fn find(&self, search: Search<'_>, state: &HealState) -> Result<OtherVersion, StepError> {
        let Some((first, rest)) = self.suites.split_first() else { return Ok(OtherVersion::Absent) };
        let (mut own, project) = setup_of(search.setup, self.language, first, rest, search.checkout);
        // Linters judge the text, which is the same with every version.
        own.linters.clear();
        let is_main = self.language == search.setup.main_tools.language;
        let project = if is_main { search.project } else { &project };
        toolchains::of(self.language).find_version(Search { setup: &own, project, ..search }, state, self.version).await
    }

    fn name(&self) -> String {
        format!("{} {}", toolchains::of(self.language).name(), self.version)
    }
}

/// Adds the suites again that CI runs with further versions, if the user wants it. Versions that are not here are named in a warning, those
/// whose packages cannot be installed in `not_run`.
pub(super) async fn add(
    setup: &mut Setup,
    project: &Project,
    state: &mut HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<(), StepError> {
    let repeats = repeats(setup);
    if !state.request.all_versions {
        state.warnings.extend(untried(setup, &repeats));
        return Ok(());
    }
    let known = setup.clone();
    let search = Search { setup: &known, project, checkout, settings, context };
    let mut absent = Vec::new();
    for repeat in repeats {
        match repeat.find(search, state).await? {
            OtherVersion::Here(interpreter) => {
                let repeating_with = Some(repeat.version);
                let label = |suite: &Suite| format!("{}: {}", repeat.name(), suite.label);
                let again = repeat.suites.iter().map(|suite| Suite {
                    label: label(suite),
                    repeated_with: repeating_with,
                    ..suite.clone()
                });
                setup.other_suites.extend(again);
                setup.other_tools.push(Tools { language: repeat.language, interpreter, repeating_with });
            }
            OtherVersion::Unusable(why) => {
                let name = repeat.name();
                let told = |suite: &Suite| format!("`{}` with {name}: {why}", suite.command_line());
                setup.not_run.extend(repeat.suites.iter().map(told));
            }
            OtherVersion::Absent => absent.push(repeat.name()),
        }
    }
    if !absent.is_empty() {
        let absent = absent.join(", ");
        state.warnings.push(format!("CI runs the tests with {absent}, too, which could not be tried here"));
    }
    Ok(())
}

/// The suites by the versions that they have to be repeated with.
fn repeats(setup: &Setup) -> Vec<Repeat> {
    let mut by_version: BTreeMap<(LanguageId, Version), Vec<Suite>> = BTreeMap::new();
    for suite in setup.suites() {
        let language = setup.language_of(suite);
        let own = setup.tools_of(language).interpreter.version;
        let others = suite.ci_versions.iter().filter(|version| !own.is_some_and(|own| version.fits(own)));
        for version in others {
            by_version.entry((language, *version)).or_default().push(suite.clone());
        }
    }
    by_version.into_iter().map(|((language, version), suites)| Repeat { language, version, suites }).collect()
}

/// One warning for each language of which CI runs versions that are not tried.
fn untried(setup: &Setup, repeats: &[Repeat]) -> Vec<String> {
    let languages: BTreeSet<LanguageId> = repeats.iter().map(|repeat| repeat.language).collect();
    let warning = |language: LanguageId| {
        let others = repeats.iter().filter(|repeat| repeat.language == language);
        let names: Vec<String> = others.map(Repeat::name).collect();
        let own = setup.tools_of(language).interpreter.version;
        let here = own.map_or_else(String::new, |(major, minor)| format!(", and here they ran with {major}.{minor}"));
        let can_try = toolchains::of(language).has_versions();
        let remedy = if can_try { "; --all-versions tries those that are here" } else { "" };
        format!("CI runs the tests with {}{here}{remedy}", names.join(", "))
    };
    languages.into_iter().map(warning).collect()
}
