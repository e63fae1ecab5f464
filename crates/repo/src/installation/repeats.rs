//! Suites that CI runs with several versions of an interpreter: each is repeated with those that this machine has.

use std::collections::BTreeMap;

use autoheal_engine::workflow::{StepContext, StepError};

use super::setup_of;
use crate::checkout::Checkout;
use crate::setup::{Interpreter, Setup, Suite, Tools};
use crate::state::HealState;
use crate::toolchain::{Search, Toolchain};
use crate::wanted::Version;
use crate::workflow::HealSettings;

/// Suites to repeat with another version.
pub(super) struct Repeat {
    pub(super) toolchain: Toolchain,
    pub(super) version: Version,
    pub(super) suites: Vec<Suite>,
}

impl Repeat {
    /// The interpreter with everything that the suites need; `None`: this machine does not have the version.
    pub(super) async fn find_interpreter(
        &self,
        setup: &Setup,
        state: &HealState,
        checkout: &Checkout,
        settings: &HealSettings,
        context: &StepContext,
    ) -> Result<Option<Interpreter>, StepError> {
        let Some((first, rest)) = self.suites.split_first() else { return Ok(None) };
        let (mut own, project) = setup_of(setup, self.toolchain, first, rest, checkout);
        // They judge the text, which is the same with every version.
        own.linters.clear();
        let search = Search { setup: &own, project: &project, checkout, settings, context };
        self.toolchain.find_version(search, state, self.version).await
    }
}

/// Adds the suites again that CI runs with further versions. Versions that are not here are told, and what cannot be installed is not run.
pub(super) async fn add(
    setup: &mut Setup,
    state: &mut HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<(), StepError> {
    let mut absent = Vec::new();
    if state.request.one_version {
        return Ok(());
    }
    for repeat in repeats(setup) {
        let Repeat { toolchain, version, suites } = &repeat;
        if state.request.wanted.version_of(*toolchain).is_some() {
            // The repository says which one counts here.
            continue;
        }
        let name = format!("{} {version}", toolchain.name());
        match repeat.find_interpreter(setup, state, checkout, settings, context).await {
            Ok(Some(interpreter)) => {
                let again = suites.iter().map(|suite| Suite {
                    label: format!("{name}: {}", suite.label),
                    repeated_with: Some(*version),
                    ..suite.clone()
                });
                setup.other_suites.extend(again);
                let repeating_with = Some(*version);
                setup.other_tools.push(Tools { toolchain: *toolchain, interpreter, repeating_with });
            }
            Ok(None) => absent.push(name),
            Err(StepError::Permanent { message, .. }) => {
                let told = |suite: &Suite| format!("`{}` with {name}: {message}", suite.command_line());
                setup.not_run.extend(suites.iter().map(told));
            }
            Err(error) => return Err(error),
        }
    }
    if !absent.is_empty() {
        let absent = absent.join(", ");
        state.warnings.push(format!("CI runs the tests with {absent}, too, and here they are not run with it"));
    }
    Ok(())
}

/// The suites by the versions that they have to be repeated with.
fn repeats(setup: &Setup) -> Vec<Repeat> {
    let mut by_version: BTreeMap<(Toolchain, Version), Vec<Suite>> = BTreeMap::new();
    for suite in setup.suites() {
        let toolchain = setup.toolchain_of(suite);
        let own = setup.tools_of(toolchain).interpreter.version;
        let others = suite.ci_versions.iter().filter(|version| !own.is_some_and(|own| version.fits(own)));
        for version in others {
            by_version.entry((toolchain, *version)).or_default().push(suite.clone());
        }
    }
    by_version.into_iter().map(|((toolchain, version), suites)| Repeat { toolchain, version, suites }).collect()
}
