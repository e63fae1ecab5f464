//! Interface to the package manager of a language, as the search for drifted dependencies needs it.

use std::collections::BTreeSet;

use async_trait::async_trait;
use autoheal_code::{FileEdit, Sources};
use autoheal_engine::workflow::StepError;
use regex::Regex;
use serde::Deserialize;

use super::{Place, Search};
use crate::setup::Interpreter;
use crate::state::{HealState, Offender};

/// An installed distribution, as the package manager of its language describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Distribution {
    pub(crate) name: String,
    /// Its name as names are compared.
    #[serde(skip)]
    pub(crate) key: String,
    pub(crate) version: String,
    /// Modules that it brings, as [`Complaints`] names them.
    pub(crate) modules: Vec<String>,
    /// The distributions that it needs here: names, of which [`keyed`](Self::keyed) makes keys.
    pub(crate) requires: Vec<String>,
    /// The same as requirements, for the project itself.
    pub(crate) requirements: Vec<String>,
    /// True if it is the repository's own.
    pub(crate) is_project: bool,
}

impl Distribution {
    /// The same with keys.
    pub(crate) fn keyed(mut self, complaints: &dyn Complaints) -> Self {
        self.key = complaints.key(&self.name);
        self.requires = self.requires.iter().map(|name| complaints.key(name)).collect();
        self
    }

    /// Returns whether it needs another one.
    pub(crate) fn needs(&self, other: &Self) -> bool {
        self.requires.contains(&other.key)
    }
}

/// The package manager of a language.
#[async_trait]
pub(crate) trait PackageManager: Sync {
    /// Returns the reader of failures of this language.
    fn complaints(&self) -> &'static dyn Complaints;

    /// Returns whether packages were installed for the repository, so that others may take their place.
    fn has_installed(&self, interpreter: &Interpreter) -> bool;

    /// Returns the file that holds the versions of all packages, under which no release of theirs can change; `None`: there is no such file.
    fn lock(&self, search: Search<'_>) -> Option<String>;

    /// Returns the command that prints what is installed, as JSON of [`Distribution`]s.
    fn installed_words(&self, place: &Place<'_>, search: Search<'_>) -> Vec<String>;

    /// Returns the keys of the packages that the manifests state.
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

    /// Returns whether a file is a manifest that can state bounds, by its name.
    fn states_bounds(&self, file: &str) -> bool;

    /// Returns the edits of the manifests that exclude the releases that broke the tests; `None`: no manifest can state a bound.
    fn edits(&self, search: Search<'_>, sources: &Sources, offenders: &[Offender]) -> Option<Vec<FileEdit>>;
}

/// Reader of the evidence against packages in failures of a language.
pub(crate) trait Complaints: Sync {
    /// Returns a package's name as names are compared.
    fn key(&self, name: &str) -> String;

    /// Returns the modules that an error names.
    fn named(&self, message: &str) -> Vec<String>;

    /// Returns words of an error that may be names of packages, and are evidence against those alone that the manifests state.
    fn mentioned(&self, message: &str) -> Vec<String>;

    /// Returns whether an error says that a name is declared nowhere. An imported package cannot declare it; a package that is loaded before the program can.
    fn lacks_global(&self, message: &str) -> bool;

    /// Returns the modules of installed packages that a traceback goes through, the deepest call first.
    fn on_traceback(&self, text: &str) -> Vec<String>;

    /// Returns the files on a traceback, the deepest call first.
    fn files<'t>(&self, text: &'t str) -> Vec<&'t str>;

    /// Returns whether a file lies in a folder of installed packages.
    fn is_installed(&self, file: &str) -> bool;

    /// Returns the modules that a file of the repository imports.
    fn imported(&self, file: &str, sources: &Sources) -> Vec<String>;

    /// Returns the modules that the command of the tests loads before them.
    fn preloaded(&self, command: &[String]) -> Vec<String>;

    /// Returns the names of a module and of those around it, the narrowest first.
    fn around<'m>(&self, module: &'m str) -> Vec<&'m str>;

    /// Returns the name of the package that usually brings a module.
    fn usual_package<'m>(&self, module: &'m str) -> &'m str;

    /// Returns whether a package, by its key, runs the tests, or is a plugin of what does.
    fn runs_tests(&self, key: &str) -> bool;

    /// Returns whether what a package, by its key, requires may be to blame with it.
    fn answers_for_others(&self, key: &str) -> bool;

    /// Returns whether a package, by its key, installs the others.
    fn installs(&self, key: &str) -> bool;

    /// Returns the name that a release of a package removed, by the first line of an error: `` `make` from `gadget` ``; `None`: it is about
    /// something else.
    fn removed(&self, package: &Distribution, message: &str) -> Option<String>;
}

/// Returns the first group that took part in each match of a pattern.
pub(crate) fn captures<'t>(pattern: Option<&'t Regex>, text: &'t str) -> impl Iterator<Item = &'t str> {
    pattern.into_iter().flat_map(move |pattern| pattern.captures_iter(text)).filter_map(|found| {
        let named = found.iter().skip(1).flatten().next();
        named.map(|named| named.as_str())
    })
}
