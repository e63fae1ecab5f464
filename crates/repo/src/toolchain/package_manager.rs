//! Interface to the package manager of a language, as the search for drifted dependencies needs it.

use std::collections::BTreeSet;

use async_trait::async_trait;
use autoheal_code::{FileEdit, Sources};
use autoheal_engine::workflow::StepError;

use super::{Place, Search};
use crate::drift::Distribution;
use crate::setup::Interpreter;
use crate::state::{HealState, Offender};

/// The package manager of a language.
#[async_trait]
pub(crate) trait PackageManager: Sync {
    /// Returns the command that prints what is installed, as JSON of [`Distribution`]s.
    fn installed_words(&self, place: &Place<'_>, search: Search<'_>) -> Vec<String>;

    /// Returns the names of the packages that the manifests state.
    fn stated(&self, search: Search<'_>) -> BTreeSet<String>;

    /// Returns the command that asks the registries for the releases of packages. It prints JSON: the name of each package, and its releases that
    /// can be installed here, the oldest first.
    fn releases_words(&self, place: &Place<'_>, names: &[String]) -> Vec<String>;

    /// Makes an environment that differs from an installed one by bounds on versions, and by what follows from them; the reason when it cannot be
    /// made. `base`: the interpreter with the installed environment. `installed`: what it holds.
    async fn with_bounds(
        &self,
        search: Search<'_>,
        state: &HealState,
        base: &Interpreter,
        installed: &[Distribution],
        bounds: &[String],
    ) -> Result<Result<Interpreter, String>, StepError>;

    /// Returns the requirement that admits no release after this one.
    fn up_to(&self, package: &str, version: &str) -> String;

    /// Returns the edits of the manifests that exclude the releases that broke the tests; `None`: no manifest can state a bound.
    fn edits(&self, search: Search<'_>, sources: &Sources, offenders: &[Offender]) -> Option<Vec<FileEdit>>;
}
