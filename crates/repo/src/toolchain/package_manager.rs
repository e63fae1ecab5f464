//! Interface to the package manager of a language, as the search for drifted dependencies needs it.

use std::collections::BTreeSet;

use async_trait::async_trait;
use autoheal_code::python::distributions::canonical;
use autoheal_code::{FileEdit, Sources};
use autoheal_engine::workflow::StepError;
use serde::Deserialize;

use super::{Place, Search};
use crate::setup::Interpreter;
use crate::state::{HealState, Offender};

/// An installed distribution, as the package manager of its language describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Distribution {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Modules that it brings, with dots.
    pub(crate) modules: Vec<String>,
    /// Names of the distributions that it needs here.
    pub(crate) requires: Vec<String>,
    /// The same as requirements, for the project itself.
    pub(crate) requirements: Vec<String>,
    /// True if it is the repository's own.
    pub(crate) is_project: bool,
}

impl Distribution {
    /// Its name as names are compared.
    pub(crate) fn key(&self) -> String {
        canonical(&self.name)
    }
}

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
