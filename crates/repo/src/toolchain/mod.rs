//! Language-specific parts of a run: the variables that commands get, the words that run a part of the suite,
//! the reading of its report, the search for an interpreter, and the installation of what it lacks.
//! Everything else of a run is the same for every language.
//!
//! # Layout
//!
//! - [`python`]: pytest and unittest
//! - [`node`]: jest, mocha, vitest and node:test
//! - `installing`: common parts of all installations
//!
//! A language is a folder here, and an arm in each `match` of this file.

mod id;
pub(crate) mod installing;
pub(crate) mod node;
pub(crate) mod python;

use std::path::PathBuf;

use autoheal_code::javascript::probe as probe_of_node;
use autoheal_code::python::probe as probe_of_python;
use autoheal_code::report::{TestCase, TestReport};
use autoheal_code::vary;
use autoheal_code::{Environment, Sources};
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::{Image, Mount, Outcome};

use crate::checkout::Checkout;
use crate::flaky::conditions::{Conditions, Moment};
use crate::folders::Folders;
use crate::project::Project;
use crate::settings::HealSettings;
use crate::setup::{Interpreter, Setup};
use crate::state::HealState;
use crate::test_scope::Scope;
use crate::wanted::Version;

pub use id::Toolchain;

/// A repository as its tools see it: where it lies, and how it is tested.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The tree, our scripts and the reports on this machine; the same paths inside.
    pub(crate) folders: &'a Folders,
    /// Test setup of the repository.
    pub(crate) setup: &'a Setup,
    /// Text files of the repository.
    pub(crate) sources: &'a Sources,
}

impl Place<'_> {
    /// The interpreter as a command's word.
    pub(crate) fn program(&self) -> String {
        self.setup.interpreter().program.display().to_string()
    }

    /// One of our scripts as a command's word.
    pub(crate) fn tool(&self, name: &str) -> String {
        self.folders.tools().join(name).display().to_string()
    }

    /// Returns the path of the test report.
    pub(crate) fn report_path(&self) -> PathBuf {
        self.folders.report()
    }

    /// The prefixes that absolute names of the repository's files have inside.
    pub(crate) fn prefixes(&self) -> Vec<String> {
        vec![self.folders.tree().display().to_string()]
    }
}

/// Input of the search for an interpreter, and of installations.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    /// Test setup of the repository; its interpreter is to be found.
    pub(crate) setup: &'a Setup,
    /// Content of its manifests.
    pub(crate) project: &'a Project,
    /// Checkout of the repository.
    pub(crate) checkout: &'a Checkout,
    /// Settings of this machine.
    pub(crate) settings: &'a HealSettings,
    /// Context that progress is reported to.
    pub(crate) context: &'a StepContext,
}

/// An interpreter of a version that the main suite does not run with.
pub(crate) enum OtherVersion {
    /// It has everything that the tests need.
    Here(Interpreter),
    /// Its packages could not be installed, and why.
    Unusable(String),
    /// This machine does not have it, or its packages cannot be shown beside those of the main one.
    Absent,
}

impl Toolchain {
    /// Name of its interpreter, for the user.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Node => "Node",
        }
    }

    /// The container image that has its interpreter.
    pub(crate) fn image(self) -> Image {
        match self {
            Self::Python => Image::Python,
            Self::Node => Image::Node,
        }
    }

    /// Returns the variables of every command, in addition to those that CI sets. `PATH` is among them.
    pub(crate) fn environment(self, folders: &Folders, setup: &Setup) -> Vec<(String, String)> {
        match self {
            Self::Python => python::environment(folders, setup),
            Self::Node => node::environment(folders, setup),
        }
    }

    /// The interpreter with everything that the tests need, installed when it has to be.
    pub(crate) async fn find_interpreter(
        self,
        search: Search<'_>,
        state: &mut HealState,
    ) -> Result<Interpreter, StepError> {
        match self {
            Self::Python => python::installation::find_interpreter(search, state).await,
            Self::Node => node::installation::find_interpreter(search, state).await,
        }
    }

    /// The same with an interpreter of this version.
    pub(crate) async fn find_version(
        self,
        search: Search<'_>,
        state: &HealState,
        version: Version,
    ) -> Result<OtherVersion, StepError> {
        match self {
            Self::Python => python::installation::find_version(search, state, version).await,
            // A tree has one folder `node_modules`.
            Self::Node => Ok(OtherVersion::Absent),
        }
    }

    /// The command line that runs as much of the suite as `scope` says and leaves a report.
    pub(crate) fn test_words(self, place: &Place<'_>, scope: &Scope) -> Vec<String> {
        match self {
            Self::Python => python::suite::words(place, scope),
            Self::Node => node::suite::words(place, scope),
        }
    }

    /// Returns the command line that does the same under other conditions, as far as options can set them.
    pub(crate) fn varied_words(self, place: &Place<'_>, scope: &Scope, conditions: &Conditions) -> Vec<String> {
        match self {
            Self::Python => python::varied::words(place, scope, conditions),
            Self::Node => node::varied::words(place, scope, conditions),
        }
    }

    /// Returns the variables that set other conditions, in addition to those of every command.
    pub(crate) fn varied_environment(self, place: &Place<'_>, conditions: &Conditions) -> Vec<(String, String)> {
        let tree = if conditions.is_before { place.folders.before() } else { place.folders.tree() };
        let touched = || place.folders.touched().display().to_string();
        let varied = [
            (vary::TREE, Some(tree.display().to_string())),
            (vary::TOUCHED, conditions.is_watched.then(touched)),
            (vary::CLOCK, conditions.clock.map(Moment::seconds)),
            (vary::SEED, conditions.seed.map(|seed| seed.to_string())),
            (vary::THREADS, conditions.threads.map(|threads| threads.word().to_owned())),
            (vary::ORDER, conditions.shuffle.map(|_| "reversed".to_owned())),
            ("TZ", conditions.zone.map(str::to_owned)),
        ];
        let own = match self {
            Self::Python => python::varied::environment(place, conditions),
            Self::Node => node::varied::environment(place),
        };
        varied.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).chain(own).collect()
    }

    /// Returns the command with which the user runs these tests, and nothing else.
    pub(crate) fn own_command(self, place: &Place<'_>, selectors: &[String]) -> String {
        match self {
            Self::Python => python::varied::own_command(place, selectors),
            Self::Node => node::varied::own_command(place, selectors),
        }
    }

    /// Returns the command that starts the runner that tries changes ([`autoheal_code::warm`]); `None`: this test runner has no such
    /// runner.
    pub(crate) fn warm_words(self, place: &Place<'_>) -> Option<Vec<String>> {
        match self {
            Self::Python => python::suite::warm_words(place),
            Self::Node => node::suite::warm_words(place),
        }
    }

    /// Returns whether a selector covers the test that the runner that tries changes calls `test`.
    pub(crate) fn is_selected(self, selector: &str, test: &str) -> bool {
        match self {
            Self::Python => test.strip_prefix(selector).is_some_and(|rest| rest.is_empty() || rest.starts_with('[')),
            Self::Node => node::suite::is_selected(selector, test),
        }
    }

    /// Returns the group that a test shares with its neighbours, such as its class or its file.
    pub(crate) fn neighbourhood(self, test: &str) -> &str {
        match self {
            Self::Python => test.rsplit_once([':', '.']).map_or("", |(group, _)| group),
            Self::Node => test.split_once(node::suite::SEPARATOR).map_or("", |(file, _)| file),
        }
    }

    /// The report that the test command left; `None`: none that can be read.
    pub(crate) fn test_report(self, place: &Place<'_>, outcome: &Outcome) -> Option<TestReport> {
        match self {
            Self::Python => python::suite::report(place, outcome),
            Self::Node => node::suite::report(place, outcome),
        }
    }

    /// One finding for each red case of a report, in its order.
    pub(crate) fn findings(self, place: &Place<'_>, report: &TestReport) -> Vec<Finding> {
        match self {
            Self::Python => python::suite::findings(place, report),
            Self::Node => node::suite::findings(place, report),
        }
    }

    /// At least one finding in the output of a test command that failed and left none in a report.
    pub(crate) fn findings_in_output(self, place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
        match self {
            Self::Python => python::suite::findings_in_output(place, outcome),
            Self::Node => node::suite::findings_in_output(place, outcome),
        }
    }

    /// The file of the repository that a test was collected from.
    pub(crate) fn file_of(self, place: &Place<'_>, case: &TestCase) -> Option<String> {
        match self {
            Self::Python => python::suite::file_of(place, case),
            Self::Node => node::suite::file_of(place, case),
        }
    }

    /// Returns the selector that makes the runner run this case, and as little else as can be expressed
    /// safely.
    pub(crate) fn selector(self, place: &Place<'_>, case: &TestCase) -> Option<String> {
        match self {
            Self::Python => python::suite::selector(place, case),
            Self::Node => node::suite::selector(place, case),
        }
    }

    /// Returns whether the interpreter locates syntax errors more precisely than the runner's reports do.
    pub(crate) const fn explains_syntax(self) -> bool {
        match self {
            Self::Python => true,
            Self::Node => false,
        }
    }

    /// The commands that say which files do not parse, without running them.
    pub(crate) fn parse_check_words(self, place: &Place<'_>, files: &[String]) -> Vec<Vec<String>> {
        match self {
            Self::Python => vec![python::syntax_check_words(place, files)],
            Self::Node => node::parse_check_words(place, files),
        }
    }

    /// Returns the findings in the output of a command of `parse_check_words`.
    pub(crate) fn parse_check_findings(self, place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
        match self {
            Self::Python => python::syntax_check_findings(outcome),
            Self::Node => node::parse_check_findings(place, outcome),
        }
    }

    /// The command that asks the interpreter what it can import.
    pub(crate) fn probe_words(self, place: &Place<'_>, findings: &[Finding]) -> Vec<String> {
        match self {
            Self::Python => python::probe_words(place, findings),
            Self::Node => node::probe_words(place, findings),
        }
    }

    /// Takes what that command said.
    ///
    /// # Errors
    ///
    /// Why it cannot be read.
    pub(crate) fn take_probe(self, said: &str, environment: &mut Environment) -> Result<(), String> {
        match self {
            Self::Python => environment.python = probe_of_python::parse(said).map_err(|error| error.to_string())?,
            Self::Node => environment.node = probe_of_node::parse(said).map_err(|error| error.to_string())?,
        }
        Ok(())
    }

    /// Returns the mounts that are needed in addition to the tree, the interpreter and our own folders.
    pub(crate) fn mounts(self, folders: &Folders, interpreter: &Interpreter) -> Vec<Mount> {
        match self {
            Self::Python => Vec::new(),
            Self::Node => node::mounts(folders, interpreter),
        }
    }
}
